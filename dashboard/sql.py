"""SQL: any question, over the views plays, seats, squares and points."""

from __future__ import annotations

from functools import partial

import duckdb
import pyarrow as pa
import streamlit as st

from dashboard import answers, results, style
from dashboard.answers import Answer

ANSWER_KEY = "sql answer"
SHOWN_ROWS = 1000


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
    pressed = st.button("Run", type="primary", icon=":material/play_arrow:")
    answer: Answer | None = st.session_state.get(ANSWER_KEY)
    if pressed or answer is None or (answer.sweep, answer.query) != (chosen.key, query):
        answer = _answer(chosen, query)
        st.session_state[ANSWER_KEY] = answer
    if answer.table is None:
        st.error(answer.mistake, icon=":material/error:")
    else:
        _show(answer.table, chosen.info.name)


def _answer(chosen: results.Chosen, query: str) -> Answer:
    try:
        return Answer(chosen.key, query, answers.ask(results.cursor(chosen), query))
    except duckdb.Error as error:
        return Answer(chosen.key, query, None, answers.one_sentence(error))


def _show(table: pa.Table, name: str) -> None:
    st.dataframe(table.slice(0, SHOWN_ROWS).to_pandas(), hide_index=True)
    rows, shown = len(table), min(len(table), SHOWN_ROWS)
    place, left, right = st.columns([3, 1, 1])
    first = f"The first {shown:,} of " if shown < rows else ""
    cut = (
        " (more were left out: `dojo-sweep sql` has no limit)" if rows == answers.MOST_ROWS else ""
    )
    place.caption(
        f"{first}{rows:,} row{'' if rows == 1 else 's'}{cut}; the downloads have them all."
    )
    for column, kind, write in (
        (left, "CSV", answers.to_csv),
        (right, "Parquet", answers.to_parquet),
    ):
        column.download_button(
            kind,
            partial(write, table),
            f"{name}.{kind.lower()}",
            width="stretch",
            icon=":material/download:",
            on_click="ignore",
        )


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
