"""SQL: any question, over the views plays, seats, squares and points."""

from __future__ import annotations

import io

import duckdb
import pyarrow as pa
import streamlit as st
from pyarrow import csv, parquet

from dashboard import results, style

SHOWN_ROWS = 1000
# A page holds no more; `dojo-sweep sql` writes answers of any size.
MOST_ROWS = 1_000_000


def page() -> None:
    """Draw the page."""
    chosen = results.chosen()
    st.title("SQL")
    st.markdown(
        "Ask anything of the views `plays`, `seats`, `squares` and `points`: a row of `points` is"
        " a choice for every option, and the others refer to it by `point`. Questions are"
        " DuckDB's SQL and can only read."
    )
    examples = _examples(chosen)
    place, columns = st.columns([2, 1])
    title = place.selectbox("Example", list(examples), key=f"{chosen.key}/sql/example")
    with columns.popover("The columns", width="stretch"):
        _columns(chosen)
    query = st.text_area(
        "Query", examples[title], height=140, key=f"{chosen.key}/sql/query/{title}"
    )
    st.button("Run", type="primary", icon=":material/play_arrow:")
    table = _run(chosen, query)
    if table is not None:
        _show(table, chosen.info.name)


def _run(chosen: results.Chosen, query: str) -> pa.Table | None:
    try:
        return ask(results.cursor(chosen), query)
    except duckdb.Error as error:
        st.error(one_sentence(error), icon=":material/error:")
        return None


def ask(con: duckdb.DuckDBPyConnection, query: str) -> pa.Table:
    """Return the answer to one query that reads, its first `MOST_ROWS` rows.

    Raises:
        duckdb.Error: It is not one SELECT, or DuckDB refuses it.
    """
    statements = con.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise duckdb.InvalidInputException("expected one query that begins with SELECT or WITH")
    table: pa.Table = con.sql(statements[0].query).limit(MOST_ROWS).to_arrow_table()
    return table


def one_sentence(error: duckdb.Error) -> str:
    """Return DuckDB's message without the query that it repeats."""
    text = str(error).split("\n\nLINE ")[0]
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def _show(table: pa.Table, name: str) -> None:
    st.dataframe(table.slice(0, SHOWN_ROWS).to_pandas(), hide_index=True)
    rows, shown = len(table), min(len(table), SHOWN_ROWS)
    place, left, right = st.columns([3, 1, 1])
    first = f"The first {shown:,} of " if shown < rows else ""
    cut = " (more were left out: `dojo-sweep sql` has no limit)" if rows == MOST_ROWS else ""
    place.caption(
        f"{first}{rows:,} row{'' if rows == 1 else 's'}{cut}; the downloads have them all."
    )
    left.download_button(
        "CSV", _csv(table), f"{name}.csv", "text/csv", width="stretch", icon=":material/download:"
    )
    right.download_button(
        "Parquet",
        _parquet(table),
        f"{name}.parquet",
        "application/vnd.apache.parquet",
        width="stretch",
        icon=":material/download:",
    )


def _csv(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    csv.write_csv(table, sink)
    return sink.getvalue()


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def _examples(chosen: results.Chosen) -> dict[str, str]:
    axes = ", ".join(chosen.axes()) or "point"
    head = chosen.game.headline[0]
    examples = {
        "The mean of a metric at each point": (
            f"SELECT {axes}, avg({head}) AS {head}, count(*) AS plays\n"
            "FROM plays JOIN points USING (point)\nGROUP BY ALL\nORDER BY ALL"
        ),
        "Wins by turn order": (
            "SELECT players, turn_order, avg(won) AS share, count(*) AS plays\n"
            "FROM seats JOIN points USING (point)\nGROUP BY ALL\nORDER BY ALL"
        ),
        "The longest plays, to be told again": (
            f"SELECT number, play, {head}\nFROM plays JOIN points USING (point)\n"
            f"ORDER BY {head} DESC\nLIMIT 20"
        ),
        "The table of points": "SELECT * FROM points ORDER BY number",
    }
    if chosen.game.square_columns:
        tally = chosen.game.square_columns[0].name
        examples["The busiest squares"] = (
            f'SELECT "row", col, sum({tally}) AS {tally}\nFROM squares\n'
            f"GROUP BY ALL\nORDER BY {tally} DESC\nLIMIT 20"
        )
    return examples


def _columns(chosen: results.Chosen) -> None:
    game = chosen.game
    for title, columns in (
        ("plays", game.play_columns),
        ("seats", game.seat_columns),
        ("squares", game.square_columns),
    ):
        st.markdown(f"**{title}** (with `point`{', `play`' if title != 'squares' else ''})")
        st.dataframe(
            [
                {"Column": c.name, "Unit": c.unit, "Meaning": c.meaning + style.codes(c.labels)}
                for c in columns
            ],
            hide_index=True,
        )
    st.markdown("**points** (with `point`, `number`, and `_mean`, `_se`, `_n` of each metric)")
    st.dataframe([{"Option": o.name, "Meaning": o.help} for o in game.options], hide_index=True)


page()
