"""SQL: any question, over the views plays, seats, squares and points."""

from __future__ import annotations

from functools import partial

import duckdb
import pyarrow as pa
import streamlit as st

from dashboard import answers, results, style
from dashboard.answers import Answer
from sweep import questions

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
    examples = questions.examples(chosen.game, chosen.axes())
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
