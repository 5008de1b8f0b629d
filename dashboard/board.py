"""Board: what happens where, on the real board with its walls."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import aggregates, board_figures, controls, figures, metrics, results, style
from dashboard.board_figures import Numbers, Picture
from dashboard.metrics import Metric

WHOLE, FOLDED = "Whole board", "Quadrants folded"
KINDS = Metric("", "Kinds of square", "", "The squares as they are printed.")


def page() -> None:
    """Draw the page."""
    chosen = results.chosen()
    st.title("Board")
    if not chosen.game.square_columns:
        st.info(f"{chosen.game.title} has no board whose squares are counted.")
        return
    table = chosen.points()
    axes = aggregates.axes(table, chosen.game)
    metric, view, other_axis = _choices(chosen, table, axes)
    part, _ = controls.hold(table, _held(table, axes), f"{chosen.key}/board")
    if part.empty:
        st.info("No point of the grid has all these values; change one of the choices above.")
        return
    point = part.iloc[0]
    board = _picture(chosen, str(point["point"]))
    if board is None:
        st.info(f"{chosen.game.title} has no board to draw.")
        return
    folded = view == FOLDED and board.repeats
    other = _other(chosen, table, axes, point, other_axis)
    _draw(chosen, point, other, board, metric, folded)
    note = controls.held(part, axes)
    plays = f"{int(point['plays_n']):,} plays of point {int(point['number'])}"
    st.caption(f"{plays}{': ' if note else ''}{note}. {metric.title}: {metric.meaning}")


def _choices(
    chosen: results.Chosen, table: pd.DataFrame, axes: list[str]
) -> tuple[Metric, str, str | None]:
    columns = st.columns([1, 1.3, 1])
    metric = columns[0].selectbox(
        "Heat of",
        [*metrics.tally_metrics(chosen.game), KINDS],
        format_func=lambda metric: metric.title,
        key=f"{chosen.key}/board/metric",
        persist_state="session",
    )
    view = columns[1].segmented_control(
        "View",
        [WHOLE, FOLDED],
        default=WHOLE,
        required=True,
        key=f"{chosen.key}/board/view",
        persist_state="session",
        help="Folded: the four quarters turned onto the top left one, their mean.",
    )
    other = None
    if metric is not KINDS:
        other = controls.axis(
            columns[2], "Difference along", _held(table, axes), f"{chosen.key}/board/other"
        )
    return metric, view, other


def _held(table: pd.DataFrame, axes: list[str]) -> list[str]:
    """Return the axes that name a point, without those that move along with earlier ones."""
    kept: list[str] = []
    for name in axes:
        if name in aggregates.free(table, axes, kept):
            kept.append(name)
    return kept


def _other(
    chosen: results.Chosen,
    table: pd.DataFrame,
    axes: list[str],
    point: pd.Series,
    axis: str | None,
) -> pd.Series | None:
    """Return the point to subtract: the one that differs in `axis` alone."""
    if axis is None:
        return None
    names = [name for name in _held(table, axes) if name != axis]
    same = table[(table[names] == point[names]).all(axis=1) & (table[axis] != point[axis])]
    if same.empty:
        st.info(f"No other point differs in {style.words(axis).lower()} alone.")
        return None
    values = figures.levels(same, axis)
    value = st.columns(4)[0].selectbox(
        f"Less the same at {style.words(axis).lower()}",
        values,
        format_func=controls.shown,
        key=f"{chosen.key}/board/other/{axis}",
    )
    return same[same[axis] == value].iloc[0]


def _draw(
    chosen: results.Chosen,
    point: pd.Series,
    other: pd.Series | None,
    board: Picture,
    metric: Metric,
    folded: bool,
) -> None:
    drawn = board.quadrant() if folded else board
    if metric is KINDS:
        st.markdown(
            "The board as it is printed: thick lines are walls, and the letter on a square is its"
            " kind. Two squares with the same digit in a quarter are the two ends of a tunnel,"
            " unless the board's legend links quarters."
        )
        left, right = st.columns([2, 1])
        left.plotly_chart(
            board_figures.kinds(drawn, "The board"), theme=None, key="chart", width="stretch"
        )
        right.plotly_chart(
            board_figures.kind_counts(board_figures.kind_means(drawn, np.ones(drawn.codes.shape))),
            theme=None,
            key="kinds",
        )
        return
    values = _values(chosen, point, board, metric)
    if other is not None:
        values = values - _values(chosen, other, board, metric)
    if folded:
        values = board_figures.fold(values)
    st.markdown(_how_to_read(metric, folded, other is not None))
    title = metric.title + (", quadrants folded" if folded else ", whole board")
    if other is not None:
        title += f": point {int(point['number'])} less point {int(other['number'])}"
    left, right = st.columns([2, 1])
    left.plotly_chart(
        board_figures.heat(drawn, values, metric, title, other is not None),
        theme=None,
        key="chart",
    )
    right.plotly_chart(
        board_figures.kind_bars(board_figures.kind_means(drawn, values), metric),
        theme=None,
        key="kinds",
    )


def _values(chosen: results.Chosen, point: pd.Series, board: Picture, metric: Metric) -> Numbers:
    """Return a tally a play of every square, in the board's shape."""
    total = chosen.ask(aggregates.tallies, str(point["point"]), metric.name)
    return np.array(total, dtype=np.float64).reshape(board.codes.shape) / float(point["plays_n"])


def _picture(chosen: results.Chosen, point: str) -> Picture | None:
    plan = chosen.plan()
    board = chosen.game.board(plan.setup(chosen.game, plan.find(point)))
    return None if board is None else board_figures.picture(board)


def _how_to_read(metric: Metric, folded: bool, difference: bool) -> str:
    if difference:
        first = (
            f"Blue squares see more {metric.title.lower()} at the first point than at the second,"
            " red ones fewer, pale ones the same."
        )
    else:
        first = (
            f"The brighter a square, the more {metric.title.lower()} it sees in a play; thick"
            " lines are walls, and the letter on a square is its kind."
        )
    second = (
        " All four quarters are turned onto the top left one, and a square shows the mean of the"
        " four that are alike."
        if folded
        else " The bars say what a square of each kind sees on average."
    )
    return first + second


page()
