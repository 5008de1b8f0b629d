"""The tables on the screen of what is planned, and of what a sweep found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dojo_core.game import Game
from sweep.calibration import estimate
from sweep.listing import titled
from sweep.plan import Plan, Point
from sweep.progress import duration, size
from sweep.provenance import plays_a_point
from sweep.statistics import Mean, fairness, holm, wilson
from sweep.summary import PointSums

POINTS_SHOWN = 24
UNEQUAL = 0.05  # a corrected p-value below it is marked


def findings(game: Game, plan: Plan, sums: PointSums) -> Group:
    """Return the two tables that end a run: who wins, and what a play is like."""
    points = list(enumerate(plan.points, 1))[:POINTS_SHOWN]
    parts: list[RenderableType] = [
        _wins(game, plan, sums, points),
        Text(),
        _headline(game, plan, sums, points),
        Text("± is half the width of a 95% interval (Wilson's for shares).", style="dim"),
    ]
    if len(plan.points) > POINTS_SHOWN:
        words = f"The first {POINTS_SHOWN} of {len(plan.points):,} points are shown."
        parts.append(Text(words, style="dim"))
    return Group(*parts)


def _wins(game: Game, plan: Plan, sums: PointSums, points: Sequence[tuple[int, Point]]) -> Table:
    """Return the win shares by turn order, with a verdict corrected for all the points."""
    p_values = holm([fairness(_wins_by_turn_order(plan, sums, point)) for point in plan.points])
    table = titled("Who wins: percent of the plays won, by turn order")
    seats = max(_seats(plan, point) for _, point in points)
    _point_columns(table, plan)
    table.add_column("plays", justify="right")
    for order in range(seats):
        table.add_column(_ordinal(order), justify="right", no_wrap=True)
    table.add_column("unfinished", justify="right", no_wrap=True)
    table.add_column("unequal?", no_wrap=True)
    for (number, point), p in zip(points, p_values, strict=False):
        plays = sums.plays(point, "finished").n
        cells = [f"{plays:,}"]
        for order in range(seats):
            won = sums.seats(point, order, "won")
            cells.append(_percent(won.total, won.n) if order < _seats(plan, point) else "")
        wins = _wins_by_turn_order(plan, sums, point)
        table.add_row(
            *_point_cells(game, plan, number, point),
            *cells,
            _percent(sums.unfinished(point), plays),
            _verdict(wins, p),
        )
    table.caption = (
        "unequal?: does some turn order win more of the finished plays? χ² test, p corrected for"
        f" {len(plan.points):,} points (Holm); - too few plays"
    )
    return table


def _headline(
    game: Game, plan: Plan, sums: PointSums, points: Sequence[tuple[int, Point]]
) -> Table:
    table = titled("What a play is like: means over all plays, unfinished ones included")
    columns = {column.name: column for column in game.play_columns}
    _point_columns(table, plan)
    for metric in game.headline:
        unit = columns[metric].unit
        words = metric.replace("_", " ")
        table.add_column(words if unit in ("", words) else f"{words}\n({unit})", justify="right")
    for number, point in points:
        cells = [_number(sums.plays(point, metric).mean) for metric in game.headline]
        table.add_row(*_point_cells(game, plan, number, point), *cells)
    return table


def plan_table(game: Game, plan: Plan, most: int | None = POINTS_SHOWN) -> Group:
    """Return the points of a plan, the first ones if there are more than `most`."""
    table = titled(f"{game.title}: points of {plan.name}")
    _point_columns(table, plan)
    table.add_column("plays", justify="right")
    table.add_column("point")
    for number, point in enumerate(plan.points[:most], 1):
        table.add_row(*_point_cells(game, plan, number, point), f"{point.plays:,}", point.id)
    more = len(plan.points) - len(plan.points[:most])
    words = f"and {more:,} more points; --points lists them all"
    return Group(table, *([Text(words, style="dim")] if more else []))


def plan_rows(game: Game, plan: Plan) -> Iterator[list[str]]:
    """Yield the points of a plan as rows of plain text, after a row of headings."""
    yield ["number", "point", "plays", *plan.axes]
    words = {True: "true", False: "false"}
    for number, point in enumerate(plan.points, 1):
        shown = plan.shown(game, point).values()
        cells = [words[cell] if isinstance(cell, bool) else str(cell) for cell in shown]
        yield [str(number), point.id, str(point.plays), *cells]


def plan_lines(plan: Plan, stored: int, workers: int) -> Iterator[str]:
    """Yield what a plan amounts to: points, plays, blocks, expected time and size."""
    found = estimate(plan, stored, workers)
    cores = "one core" if workers == 1 else f"{workers} cores"
    origin = f" = {plan.origin}" if plan.origin else ""
    each = plays_a_point(plan)
    yield f"points  {found.points:,}{origin}"
    yield f"plays   {found.plays:,} ({each} a point), {stored:,} stored already"
    yield f"blocks  {found.blocks:,} of up to {1 << plan.exponent:,} plays"
    if found.plays == stored:
        yield "time    none: all of it is stored"
    else:
        took = duration(found.seconds)
        about = took if took.startswith("under") else f"about {took}"
        yield f"time    {about} on {cores}, after starting and compiling"
    yield f"size    about {size(found.bytes)}"


def _point_columns(table: Table, plan: Plan) -> None:
    table.add_column("#", justify="right")
    for axis in plan.axes:
        table.add_column(axis.replace("_", " "))


def _point_cells(game: Game, plan: Plan, number: int, point: Point) -> list[str]:
    shown = plan.shown(game, point)
    words = {True: "yes", False: "no"}
    cells = [words[v] if isinstance(v, bool) else str(v) for v in shown.values()]
    return [str(number), *cells]


def _seats(plan: Plan, point: Point) -> int:
    return int(plan.resolved(point)["players"])


def _wins_by_turn_order(plan: Plan, sums: PointSums, point: Point) -> list[int]:
    return [sums.seats(point, order, "won").total for order in range(_seats(plan, point))]


def _verdict(wins: Sequence[int], p: float) -> Text:
    if sum(wins) < 5 * len(wins):
        return Text("-")
    words = "p < 0.001" if p < 0.001 else f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.3f}"
    return Text(f"yes, {words}", style="bold") if p < UNEQUAL else Text(f"no sign, {words}")


def _percent(hits: int, n: int) -> str:
    if n == 0:
        return "-"
    low, high = wilson(hits, n)
    return f"{100 * hits / n:.1f} ±{50 * (high - low):.1f}"


def _number(mean: Mean) -> str:
    if mean.n == 0:
        return "-"
    digits = 0 if mean.mean >= 1000 else 2 if mean.mean < 10 else 1
    margin = "" if math.isnan(mean.se) else f" ±{mean.margin:,.{digits}f}"
    return f"{mean.mean:,.{digits}f}{margin}"


def _ordinal(order: int) -> str:
    return f"{order + 1}{ {0: 'st', 1: 'nd', 2: 'rd'}.get(order, 'th') }"
