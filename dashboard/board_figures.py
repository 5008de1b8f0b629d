"""The board as a Plotly figure: its squares, walls and codes, under the heat of a tally."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard import figures, style
from dashboard.metrics import Metric

Wall = tuple[int, int, int, int]
Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Picture:
    """A board to draw, see `dojo_core.game.Game.board`.

    Attributes:
        codes: Shape (rows, columns), a text a square.
        walls: Sides of one square each, between grid corners, lesser corner first.
        kinds: A square's code to its word and its CSS colour.
        leads: A square to the square it is linked with, if the board has links.
    """

    codes: np.ndarray[Any, np.dtype[np.str_]]
    walls: frozenset[Wall]
    kinds: Mapping[str, tuple[str, str]]
    leads: Mapping[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    @property
    def repeats(self) -> bool:
        """Whether a quarter turn leaves the board as it is, so that its quadrants can be folded."""
        rows, columns = self.codes.shape
        if rows != columns or rows % 2:
            return False
        turned = frozenset(_unit((c0, rows - r0, c1, rows - r1)) for r0, c0, r1, c1 in self.walls)
        return bool((np.rot90(self.codes, -1) == self.codes).all()) and turned == self.walls

    def quadrant(self) -> Picture:
        """Return the top left quarter of the board."""
        half = len(self.codes) // 2
        inside = frozenset(wall for wall in self.walls if max(wall) <= half)
        return Picture(self.codes[:half, :half], inside, self.kinds, self.leads)


def picture(board: Mapping[str, Any]) -> Picture:
    """Return the picture of a game's board mapping; long walls are cut to one square's side."""
    shape = (board["rows"], board["columns"])
    codes = np.array(board["codes"], dtype=np.str_).reshape(shape)
    walls = frozenset(side for wall in board["walls"] for side in _sides(*wall))
    kinds = {code: (str(word), str(css)) for code, (word, css) in board["colors"].items()}
    links = [(divmod(a, shape[1]), divmod(b, shape[1])) for a, b in board.get("links", [])]
    leads = {a: b for one, other in links for a, b in ((one, other), (other, one))}
    return Picture(codes, walls, kinds, leads)


def fold(values: Numbers) -> Numbers:
    """Return the mean of the four quarters of a square board, each turned onto the top left."""
    half = len(values) // 2
    turns: Numbers = np.mean([np.rot90(values, turn) for turn in range(4)], axis=0)
    return turns[:half, :half]


def kind_means(board: Picture, values: Numbers) -> pd.DataFrame:
    """Return a row a kind of square: ``kind``, ``color``, ``squares``, ``mean`` and ``total``."""
    table = pd.DataFrame({"code": board.codes.ravel(), "value": np.asarray(values).ravel()})
    table["kind"] = [board.kinds.get(code, (code, "#999"))[0] for code in table["code"]]
    table["color"] = [board.kinds.get(code, (code, "#999"))[1] for code in table["code"]]
    grouped = table.groupby("kind", sort=False).agg(
        color=("color", "first"),
        squares=("value", "size"),
        mean=("value", "mean"),
        total=("value", "sum"),
    )
    return grouped.sort_values("mean", ascending=False).reset_index()


def heat(
    board: Picture, values: Numbers, metric: Metric, title: str, difference: bool = False
) -> go.Figure:
    """Draw the board with each square coloured by its value.

    Args:
        board: What to draw; its shape is that of `values`.
        values: Shape (rows, columns), in the metric's shown unit.
        metric: What the values are.
        title: The figure's title.
        difference: The values are differences: colours run both ways from zero.
    """
    reach = float(np.abs(values).max()) or 1.0
    trace = go.Heatmap(
        z=values,
        text=np.where(board.codes == ".", "", board.codes),
        texttemplate="%{text}",
        textfont={"size": 17 if len(board.codes) > 10 else 24},
        customdata=_hover(board),
        hovertemplate=f"%{{customdata}}<br>%{{z:,.4g}} {metric.unit}<extra></extra>",
        colorscale=style.DIFFERENCE if difference else style.HEAT,
        reversescale=difference,
        zmin=-reach if difference else 0,
        zmax=reach,
        xgap=1,
        ygap=1,
        colorbar={
            "title": {"text": metric.unit, "side": "right"},
            "thickness": 16,
            "len": 0.9,
            "outlinewidth": 0,
        },
    )
    return _drawn(board, trace, title)


def kinds(board: Picture, title: str) -> go.Figure:
    """Draw the board with each square in the colour of its kind."""
    order = list(dict.fromkeys(board.codes.ravel().tolist()))
    index = np.vectorize(order.index)(board.codes)
    stops = [
        (edge / len(order), board.kinds.get(code, (code, "#999"))[1])
        for place, code in enumerate(order)
        for edge in (place, place + 1)
    ]
    trace = go.Heatmap(
        z=index,
        zmin=-0.5,
        zmax=len(order) - 0.5,
        colorscale=stops,
        showscale=False,
        text=np.where(board.codes == ".", "", board.codes),
        texttemplate="%{text}",
        textfont={"size": 17 if len(board.codes) > 10 else 24},
        customdata=_hover(board),
        hovertemplate="%{customdata}<extra></extra>",
        xgap=1,
        ygap=1,
    )
    return _drawn(board, trace, title)


def kind_bars(table: pd.DataFrame, metric: Metric) -> go.Figure:
    """Draw the mean value of a square of each kind, as a row a kind (see `kind_means`)."""
    rows = table.iloc[::-1]
    figure = go.Figure(
        go.Bar(
            x=rows["mean"],
            y=rows["kind"],
            orientation="h",
            marker={"color": rows["color"], "line": {"color": style.PALE, "width": 1}},
            text=[style.number(value) for value in rows["mean"]],
            textposition="outside",
            cliponaxis=False,
            customdata=rows[["squares", "total"]],
            hovertemplate=(
                f"%{{y}}: %{{x:,.4g}} {metric.unit} on each square"
                "<br>%{customdata[0]} squares, together %{customdata[1]:,.4g}<extra></extra>"
            ),
        )
    )
    reach = float(rows["mean"].abs().max()) or 1.0
    low = 0 if rows["mean"].min() >= 0 else -1.3 * reach
    figure.update_xaxes(title=metric.unit, range=[low, 1.3 * reach])
    figure.update_yaxes(showgrid=False)
    return figures.finish(figure, "A square of each kind", 60 + 45 + 26 * len(rows))


def kind_counts(table: pd.DataFrame) -> go.Figure:
    """Draw how many squares there are of each kind (see `kind_means`)."""
    rows = table.sort_values("squares")
    figure = go.Figure(
        go.Bar(
            x=rows["squares"],
            y=rows["kind"],
            orientation="h",
            marker={"color": rows["color"], "line": {"color": style.PALE, "width": 1}},
            text=rows["squares"],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x} squares<extra></extra>",
        )
    )
    figure.update_xaxes(title="squares", range=[0, 1.2 * float(rows["squares"].max())])
    figure.update_yaxes(showgrid=False)
    return figures.finish(figure, "How many of each kind", 60 + 45 + 26 * len(rows))


def _drawn(board: Picture, trace: go.Heatmap, title: str) -> go.Figure:
    rows, columns = board.codes.shape
    figure = go.Figure(trace)
    # A wall is a dark line on a wider white one: it shows on light and on dark squares.
    xs: list[float | None] = []
    ys: list[float | None] = []
    for r0, c0, r1, c1 in sorted(board.walls):
        xs += [c0 - 0.5, c1 - 0.5, None]
        ys += [r0 - 0.5, r1 - 0.5, None]
    for width, css in ((7, "white"), (4, style.INK)):
        figure.add_trace(
            go.Scatter(
                x=xs,
                y=ys,
                mode="lines",
                line={"width": width, "color": css},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    figure.update_xaxes(
        range=[-0.6, columns - 0.4],
        tickvals=list(range(columns)),
        side="bottom",
        showgrid=False,
        showline=False,
        ticks="",
        constrain="domain",
    )
    figure.update_yaxes(
        range=[rows - 0.4, -0.6],
        tickvals=list(range(rows)),
        showgrid=False,
        showline=False,
        ticks="",
        scaleanchor="x",
        constraintoward="top",
        constrain="domain",
    )
    return figures.finish(figure, title, 620)


def _hover(board: Picture) -> list[list[str]]:
    """Return what is said of each square when the pointer is on it."""
    rows, columns = board.codes.shape
    return [[_words(board, row, column) for column in range(columns)] for row in range(rows)]


def _words(board: Picture, row: int, column: int) -> str:
    code = str(board.codes[row, column])
    text = f"row {row}, column {column}: {board.kinds.get(code, (code, ''))[0]} ({code})"
    if (row, column) not in board.leads:
        return text
    to_row, to_column = board.leads[row, column]
    return f"{text}, leads to row {to_row}, column {to_column}"


def _unit(wall: Wall) -> Wall:
    r0, c0, r1, c1 = wall
    return wall if (r0, c0) <= (r1, c1) else (r1, c1, r0, c0)


def _sides(r0: int, c0: int, r1: int, c1: int) -> list[Wall]:
    r0, c0, r1, c1 = _unit((int(r0), int(c0), int(r1), int(c1)))
    if r0 == r1:
        return [(r0, c, r0, c + 1) for c in range(c0, c1)]
    return [(r, c0, r + 1, c0) for r in range(r0, r1)]
