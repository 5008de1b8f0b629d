"""Board: what happens where, on the real board with its walls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import aggregates, board_figures, controls, figures, metrics, results
from dashboard.board_figures import Numbers, Picture
from dashboard.metrics import KINDS, Metric

WHOLE, FOLDED = "Whole board", "Quadrants folded"


def page() -> None:
    """Draw the page: the board at the left, what to show of it at the right."""
    chosen = results.chosen()
    st.title("Board")
    if not chosen.game.square_columns:
        st.info(f"{chosen.game.title} has no board whose squares are counted.")
        return
    table = chosen.points()
    axes = chosen.axes()
    if not table.empty and _picture(chosen, str(table["point"].iloc[0])) is None:
        st.info(
            f"{chosen.game.title} draws no board; what its squares saw is in the view `squares`, on"
            " the page SQL."
        )
        return
    sentences = st.empty()
    left, right = st.columns([2.5, 1], gap="medium")
    with right:
        shown = _choices(chosen, table, axes)
    if shown is None:
        left.info("Nothing is stored yet for this choice; try another one.")
        return
    sentences.markdown(_how_to_read(shown))
    drawn = shown.board.quadrant() if shown.folded else shown.board
    if shown.metric == KINDS:
        board = board_figures.kinds(drawn, "The board")
        by_kind = board_figures.kind_means(drawn, np.ones(drawn.codes.shape))
        bars = board_figures.kind_counts(by_kind)
    else:
        values = _values(chosen, shown)
        board = board_figures.heat(
            drawn, values, shown.metric, shown.title, shown.other is not None
        )
        bars = board_figures.kind_bars(board_figures.kind_means(drawn, values), shown.metric)
    with left:
        controls.chart(board, "chart")
        st.caption(_note(shown, axes))
    with right:
        controls.chart(bars, "kinds", tools=False)


@dataclass(frozen=True)
class Shown:
    """What was chosen to be drawn.

    Attributes:
        metric: The tally, or `KINDS`.
        folded: The quadrants are folded into one.
        point: The row of the table of points.
        other: The point whose tallies are subtracted, if any.
        less: What is different there, in words.
        board: The point's board.
    """

    metric: Metric
    folded: bool
    point: pd.Series
    other: pd.Series | None
    less: str
    board: Picture

    @property
    def title(self) -> str:
        """The title of the board's figure."""
        less = f", less the same with {self.less}" if self.other is not None else " in a play"
        return self.metric.title + less + (" (folded)" if self.folded else "")


def _choices(chosen: results.Chosen, table: pd.DataFrame, axes: list[str]) -> Shown | None:
    key = f"{chosen.key}/board"
    metric = st.selectbox(
        "Heat of",
        [*metrics.tally_metrics(chosen.game), KINDS],
        format_func=lambda metric: metric.title,
        key=f"{key}/metric",
        persist_state="session",
    )
    view = st.segmented_control(
        "View",
        [WHOLE, FOLDED],
        default=WHOLE,
        required=True,
        key=f"{key}/view",
        persist_state="session",
        help="Folded: the four quarters turned onto the top left one, and averaged.",
    )
    names = _held(table, axes)
    part, _ = controls.hold(table, names, key, across=min(2, len(names)))
    if part.empty:
        return None
    point = part.iloc[0]
    others = {} if metric == KINDS else _others(table, names, point)
    less = controls.NONE
    if others:
        less = st.selectbox(
            "Less the same with",
            [controls.NONE, *others],
            key=f"{key}/other",
            persist_state="session",
        )
    board = _picture(chosen, str(point["point"]))
    if board is None:
        return None
    return Shown(metric, view == FOLDED and board.repeats, point, others.get(less), less, board)


def _held(table: pd.DataFrame, axes: list[str]) -> list[str]:
    """Return the axes that name a point, without those that move along with earlier ones."""
    kept: list[str] = []
    for name in axes:
        if name in aggregates.free(table, axes, kept):
            kept.append(name)
    return kept


def _others(table: pd.DataFrame, names: list[str], point: pd.Series) -> dict[str, pd.Series]:
    """Return the points that differ from `point` in one axis alone, by what is different."""
    differs = table[names] != point[names]
    one_apart = differs[differs.sum(axis=1) == 1]
    return {
        figures.label(axis, table.at[row, axis]): table.loc[row]
        for row, axis in one_apart.idxmax(axis=1).items()
    }


def _values(chosen: results.Chosen, shown: Shown) -> Numbers:
    """Return the tally a play of every square that is drawn."""
    values = _a_play(chosen, shown, shown.point)
    if shown.other is not None:
        values = values - _a_play(chosen, shown, shown.other)
    return board_figures.fold(values) if shown.folded else values


def _a_play(chosen: results.Chosen, shown: Shown, point: pd.Series) -> Numbers:
    total = chosen.ask(aggregates.tallies, str(point["point"]), shown.metric.name)
    values = np.array(total, dtype=np.float64).reshape(shown.board.codes.shape)
    return values / float(point["plays_n"])


def _picture(chosen: results.Chosen, point: str) -> Picture | None:
    plan = chosen.plan()
    board = chosen.game.board(plan.setup(chosen.game, plan.find(point)))
    return None if board is None else board_figures.picture(board)


def _how_to_read(shown: Shown) -> str:
    if shown.metric == KINDS:
        return (
            "The board as it is printed: thick lines are walls, and the letter on a square is its"
            " kind. Hold the pointer on a tunnel to see where it leads."
        )
    what = shown.metric.title.lower()
    if shown.other is not None:
        first = (
            f"Blue squares see more {what} here than with {shown.less}, red ones fewer, pale"
            " ones the same."
        )
    else:
        first = (
            f"The brighter a square, the more {what} it sees in a play; thick lines are walls, and"
            " the letter on a square is its kind."
        )
    if shown.folded:
        return first + " A square stands for the four that are alike, and shows their mean."
    return first + " The bars say what a square of each kind sees on average."


def _note(shown: Shown, axes: list[str]) -> str:
    held = controls.held(pd.DataFrame([shown.point]), axes)
    plays = f"{int(shown.point['plays_n']):,} plays of point {int(shown.point['number'])}"
    return f"{plays}{': ' if held else ''}{held}. {shown.metric.title}: {shown.metric.meaning}"


page()
