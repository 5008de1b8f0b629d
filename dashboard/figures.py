"""Tables to Plotly figures. Nothing here reads results or draws a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard import style
from dashboard.metrics import Metric

# Where the panels of a facet stand: at most so many side by side.
FACETS_A_ROW = 3
# How much of the room between two values of an axis the marks and bars there take.
COMPARE_WIDTH = 0.6
# So many values have a name along the bottom, all panels side by side; of more, every second, ...
MOST_TICKS = 40
# So many bars in a row have room for their number above them.
MOST_NUMBERS = 16


def compare(
    table: pd.DataFrame, metric: Metric, x: str, color: str | None, facet: str | None
) -> go.Figure:
    """Draw means with their intervals over an axis; the unfinished share in a strip below, if any.

    Args:
        table: One row a mark: the columns named by `x`, `color` and `facet`, and ``mean``,
            ``low``, ``high`` (in the metric's shown unit), ``n`` (plays) and ``unfinished``
            (a share of 1).
        metric: What the means are of.
        x: The axis along the bottom.
        color: The axis told apart by colour and marker, if any.
        facet: The axis with a panel a value, if any.
    """
    panels = levels(table, facet)
    groups = levels(table, color)
    ticks = levels(table, x)
    rows_down = 2 if unfinished(table) else 1
    figure = make_subplots(
        rows=rows_down,
        cols=len(panels),
        shared_xaxes=True,
        shared_yaxes=True,
        row_heights=[0.76, 0.24][:rows_down],
        vertical_spacing=0.06,
        horizontal_spacing=0.02,
        subplot_titles=[label(facet, panel) for panel in panels] if facet else None,
    )
    numbered = len(ticks) * len(groups) * len(panels) <= MOST_NUMBERS
    for column, panel in enumerate(panels, start=1):
        for index, group in enumerate(groups):
            rows = where(where(table, facet, panel), color, group)
            rows = rows.assign(position=[ticks.index(value) for value in rows[x]])
            rows = rows.sort_values("position")
            places = rows["position"] + spread(index, len(groups), COMPARE_WIDTH)
            name = label(color, group) if color else metric.title
            marks = _marks(places, rows, "mean", index, name, column == 1 and color is not None)
            marks.update(
                mode="lines+markers" if numeric(ticks) else "markers",
                line={"width": 1.5, "dash": "dot"},
                customdata=rows[["low", "high", "n"]],
                text=[label(x, value) for value in rows[x]],
                hovertemplate=(
                    f"%{{text}}<br>{name}<br>mean %{{y:,.4g}} {metric.unit}"
                    "<br>95% interval %{customdata[0]:,.4g} to %{customdata[1]:,.4g}"
                    "<br>n = %{customdata[2]:,} plays<extra></extra>"
                ),
            )
            figure.add_trace(marks, row=1, col=column)
            if rows_down == 2:
                bars = _unfinished_bars(places, rows["unfinished"], index, name, numbered)
                bars.update(width=COMPARE_WIDTH / len(groups))
                figure.add_trace(bars, row=2, col=column)
    step = math.ceil(len(ticks) * len(panels) / MOST_TICKS)
    figure.update_xaxes(
        tickvals=list(range(0, len(ticks), step)),
        ticktext=[style.shown(value) for value in ticks[::step]],
        range=[-0.6, len(ticks) - 0.4],
        showgrid=False,
    )
    figure.update_xaxes(title=style.words(x), row=rows_down)
    low = float(table[["mean", "low"]].min(axis=None))
    high = float(table[["mean", "high"]].max(axis=None))
    room = 0.08 * (high - low) or 1.0
    figure.update_yaxes(range=[low - room, high + room], row=1)
    figure.update_yaxes(title=axis_title(metric).replace(" (", "<br>("), row=1, col=1)
    if rows_down == 2:
        top = max(0.01, float(table["unfinished"].max()))
        figure.update_yaxes(range=[0, 1.6 * top], tickformat=".0%", nticks=3, row=2)
        figure.update_yaxes(title="Unfinished<br>(plays)", row=2, col=1)
    title = f"{metric.title} by {style.words(x).lower()}: mean and 95% interval"
    return finish(figure, title, 455, legend=color is not None, panels=facet is not None)


def unfinished(table: pd.DataFrame) -> bool:
    """Tell whether any play behind the rows of `compare` was left unfinished."""
    return bool((table["unfinished"] > 0).any())


def fairness(table: pd.DataFrame, by: str, color: str | None, facet: str | None) -> go.Figure:
    """Draw the win share of each group of seats with the line of the fair share.

    Args:
        table: One row a mark: the columns named by `color` and `facet`, and ``seat_group`` (a
            value of the seat column `by`), ``share``, ``low``, ``high``, ``fair`` (shares of 1),
            ``wins`` and ``seats`` (rows counted).
        by: The seat column whose values are compared, e.g. ``turn_order``.
        color: The axis told apart by colour and marker, if any.
        facet: The axis with a panel a value, if any.
    """
    panels = levels(table, facet)
    groups = levels(table, color)
    across = 2 if len(panels) == 4 else min(FACETS_A_ROW, len(panels))
    down = math.ceil(len(panels) / across)
    figure = make_subplots(
        rows=down,
        cols=across,
        horizontal_spacing=0.07,
        vertical_spacing=0.16,
        subplot_titles=[label(facet, panel) for panel in panels] if facet else None,
    )
    # All panels reach as far from their fair share, in proportion: so they can be compared.
    off = pd.concat([table["high"], table["low"]]) / pd.concat([table["fair"], table["fair"]]) - 1
    reach = max(0.1, 1.15 * float(off.abs().max()))
    for place, panel in enumerate(panels):
        row, column = place // across + 1, place % across + 1
        inside = where(table, facet, panel)
        ticks = levels(inside, "seat_group")
        for index, group in enumerate(groups):
            rows = where(inside, color, group)
            offset = spread(index, len(groups), 0.55)
            places = pd.Series([ticks.index(value) + offset for value in rows["seat_group"]])
            name = label(color, group) if color else "Win share"
            marks = _marks(places, rows, "share", index, name, place == 0 and color is not None)
            marks.update(
                customdata=rows[["low", "high", "wins", "seats", "fair"]],
                text=[seat_group(by, value) for value in rows["seat_group"]],
                hovertemplate=(
                    f"%{{text}}<br>{name}<br>wins %{{y:.2%}}, fair share %{{customdata[4]:.2%}}"
                    "<br>95% interval %{customdata[0]:.2%} to %{customdata[1]:.2%}"
                    "<br>%{customdata[2]:,} wins of %{customdata[3]:,}<extra></extra>"
                ),
            )
            figure.add_trace(marks, row=row, col=column)
        fair = float(inside["fair"].iloc[0])
        figure.add_trace(
            go.Scatter(
                x=[-0.6, len(ticks) - 0.4],
                y=[fair, fair],
                mode="lines",
                line={"color": style.INK, "width": 2, "dash": "dash"},
                name="Fair share",
                legendgroup="fair",
                showlegend=place == 0,
                hovertemplate=f"fair share {fair:.2%}<extra></extra>",
            ),
            row=row,
            col=column,
        )
        figure.update_xaxes(
            tickvals=list(range(len(ticks))),
            ticktext=[seat_group(by, value) for value in ticks],
            range=[-0.6, len(ticks) - 0.4],
            showgrid=False,
            row=row,
            col=column,
        )
        if row == down:
            figure.update_xaxes(title=style.words(by), row=row, col=column)
        figure.update_yaxes(
            # a share is never above 1; the rest is room for half a mark
            range=[fair * (1 - min(reach, 1.05)), min(fair * (1 + reach), 1.03)],
            tickformat=".3~%",
            nticks=8,
            row=row,
            col=column,
        )
    figure.update_yaxes(title="Finished plays won", col=1)
    title = f"Win share by {style.words(by).lower()}, with 95% intervals"
    return finish(figure, title, 150 + 250 * down, legend=True, panels=facet is not None)


def lengths(table: pd.DataFrame, metric: Metric, color: str | None, cumulative: bool) -> go.Figure:
    """Draw how long plays last, with the unfinished plays as bars of their own at the right.

    Args:
        table: One row a bin: the column named by `color`, ``value`` (the lower edge of the bin,
            in the metric's shown unit), ``width`` (of the bin, the same for all), ``plays`` and
            ``finished`` (1, or 0 for the plays that ran out).
        metric: What is distributed.
        color: The axis told apart by colour, if any.
        cumulative: The share of plays over by then, instead of the share in each bin.
    """
    groups = levels(table, color)
    width = float(table["width"].iloc[0])
    place = "before" if cumulative else "from"
    figure = make_subplots(rows=1, cols=2, column_widths=[0.84, 0.16], horizontal_spacing=0.07)
    for index, group in enumerate(groups):
        rows = where(table, color, group)
        done = _counts(rows[rows["finished"] == 1], width)
        shares = done / rows["plays"].sum()
        unfinished = float(rows.loc[rows["finished"] == 0, "plays"].sum() / rows["plays"].sum())
        name = label(color, group) if color else "Finished plays"
        figure.add_trace(
            go.Scatter(
                x=shares.index,
                y=shares.cumsum().shift(fill_value=0) if cumulative else shares,
                mode="lines",
                line={
                    "color": style.color(index),
                    "width": 2.5,
                    "shape": "hv",
                },
                fill=None if cumulative or len(groups) > 1 else "tozeroy",
                name=name,
                legendgroup=name,
                showlegend=color is not None,
                hovertemplate=(
                    f"{name}<br>{place} %{{x:,.4g}} {metric.unit}: %{{y:.2%}}<extra></extra>"
                ),
            ),
            row=1,
            col=1,
        )
        bar = _unfinished_bars(pd.Series([index]), pd.Series([unfinished]), index, name)
        figure.add_trace(bar, row=1, col=2)
    unit = metric.unit.removesuffix("s") if width == 1 else metric.unit
    bins = f"bins of {style.number(width)} {unit}"
    figure.update_xaxes(title=axis_title(metric), rangemode="tozero", row=1, col=1)
    figure.update_xaxes(title="Unfinished", showticklabels=False, ticks="", row=1, col=2)
    figure.update_yaxes(
        title="Share of plays over by then" if cumulative else f"Share of plays ({bins})",
        tickformat=".3~%",
        rangemode="tozero",
        row=1,
        col=1,
    )
    if cumulative:
        figure.update_yaxes(range=[0, 1.02], row=1, col=1)
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", nticks=6, row=1, col=2)
    title = "Plays over by then" if cumulative else "How long a play lasts"
    return finish(figure, f"{title}: {metric.title.lower()}", 450, legend=color is not None)


def _marks(
    places: pd.Series, rows: pd.DataFrame, middle: str, index: int, name: str, listed: bool
) -> go.Scatter:
    """Return a mark with its interval for each row, in the look of the group numbered `index`."""
    return go.Scatter(
        x=places,
        y=rows[middle],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": rows["high"] - rows[middle],
            "arrayminus": rows[middle] - rows["low"],
            "thickness": 2,
            "width": 5,
        },
        mode="markers",
        marker={"size": 10, "color": style.color(index), "symbol": style.symbol(index)},
        name=name,
        legendgroup=name,
        showlegend=listed,
    )


def _unfinished_bars(
    places: pd.Series, shares: pd.Series, index: int, name: str, numbered: bool = True
) -> go.Bar:
    """Return a bar with its share of unfinished plays for each place, numbered or not."""
    return go.Bar(
        x=places,
        y=shares,
        marker={"color": style.color(index)},
        text=[style.percent(share) for share in shares] if numbered else None,
        textposition="outside",
        textfont={"size": 13},
        textangle=0,
        constraintext="none",
        cliponaxis=False,
        name=name,
        legendgroup=name,
        showlegend=False,
        hovertemplate=f"{name}<br>unfinished %{{y:.2%}}<extra></extra>",
    )


def _counts(done: pd.DataFrame, width: float) -> pd.Series:
    """Return the plays of each bin by its lower edge, with an empty bin at the end."""
    numbers = (done["value"] / width).round().astype(int)
    plays = done.groupby(numbers)["plays"].sum()
    if plays.empty:
        return plays
    filled = plays.reindex(range(plays.index.min(), plays.index.max() + 2), fill_value=0)
    return filled.set_axis(filled.index * width)


def binned(table: pd.DataFrame, bins: int) -> pd.DataFrame:
    """Return the rows of `lengths` put together into about `bins` wider bins of one round width.

    Args:
        table: As for `lengths`; its own bins are never split.
        bins: How many bins the finished plays should fill.
    """
    own = float(table["width"].iloc[0])
    ended = table[table["finished"] == 1]
    if ended.empty:
        return table
    steps = (float(ended["value"].max()) - float(ended["value"].min())) / own / bins
    rounds = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
    width = own * next(step for step in rounds if step >= steps)
    edges = (table["value"] / width + 1e-9).astype(int) * width
    wider = table.assign(value=edges, width=width)
    keys = [name for name in table.columns if name != "plays"]
    return wider.groupby(keys, as_index=False, sort=True)["plays"].sum()


def axis_title(metric: Metric) -> str:
    """Return a metric's title with its unit, unless the title says it already."""
    said = metric.unit in ("", "times") or metric.unit in metric.title.lower()
    return metric.title if said else f"{metric.title} ({metric.unit})"


def finish(
    figure: go.Figure, title: str, height: int, legend: bool = False, panels: bool = False
) -> go.Figure:
    """Give a figure the common look and its title, with room for a legend and panel titles."""
    figure.update_layout(
        template=style.TEMPLATE,
        title=f"<b>{title}</b>",
        height=height,
        margin={"t": 55 + 35 * legend + 30 * panels},
        legend={"y": 1 - 40 / height},
    )
    return figure


def levels(table: pd.DataFrame, axis: str | None) -> list[object]:
    """Return the values of an axis, numbers by size and others in the order of the grid.

    Without an axis there is one placeholder.
    """
    if axis is None:
        return [None]
    values: list[object] = table[axis].drop_duplicates().tolist()
    return sorted(values) if numeric(values) else values  # type: ignore[type-var]


def numeric(values: Sequence[object]) -> bool:
    """Tell whether the values are numbers, so that their order means something."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def where(table: pd.DataFrame, axis: str | None, value: object) -> pd.DataFrame:
    """Return the rows at one value of an axis; all rows when there is no axis."""
    return table if axis is None else table[table[axis] == value]


def label(axis: str | None, value: object) -> str:
    """Return an axis and its value in words: ``4 players``, ``board tight``."""
    if axis is None:
        return ""
    if axis == "players":
        return f"{value} players"
    if isinstance(value, bool | np.bool_):
        return f"{'with' if value else 'without'} {axis.replace('_', ' ')}"
    return f"{axis.replace('_', ' ')} {value}"


def seat_group(by: str, value: object) -> str:
    """Return a group of seats in words: turn order 0 is ``1st``."""
    return style.ordinal(int(str(value))) if by == "turn_order" else str(value)


def spread(index: int, count: int, width: float) -> float:
    """Return how far the mark numbered `index` of `count` stands from its tick."""
    return (index - (count - 1) / 2) * width / count
