"""The table of points: a row a point with its options and the means of its plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep.grid import PRESET
from sweep.places import Place
from sweep.plan import Plan, Point
from sweep.schemas import points_schema, schema, summary_metrics
from sweep.statistics import Mean, mean_of
from sweep.store import BrokenFileError, Chunk, counted, file_name, read_checked, write_arrow

POINTS = "points.arrow"
ALL_PLAYS = -1  # the turn order under which the sums of whole plays stand


class Sums(NamedTuple):
    """Exact sums of one metric: how many values, their sum and their squares' sum."""

    n: int
    total: int
    squares: int

    @property
    def mean(self) -> Mean:
        """The mean and its standard error."""
        return mean_of(self.n, self.total, self.squares)


NOTHING = Sums(0, 0, 0)


class PointSums:
    """What is known of each point so far, from the stored sums."""

    def __init__(self, sums: Mapping[tuple[str, int, str], Sums]) -> None:
        self._sums = sums

    def plays(self, point: Point, metric: str) -> Sums:
        """Return the sums of a play column at `point`."""
        return self._sums.get((point.id, ALL_PLAYS, metric), NOTHING)

    def seats(self, point: Point, turn_order: int, metric: str) -> Sums:
        """Return the sums of a seat column at `point` over the seats of one turn order."""
        return self._sums.get((point.id, turn_order, metric), NOTHING)

    def unfinished(self, point: Point) -> int:
        """Return how many plays of `point` ended unfinished."""
        finished = self.plays(point, "finished")
        return finished.n - finished.total


def point_sums(folder: Place, game: Game, plan: Plan, chunks: Iterable[Chunk]) -> PointSums:
    """Return the exact sums of all plays that `chunks` hold.

    Raises:
        DojoError: A file is broken.
    """
    expected = schema(game, "moments")
    ids = pa.array([point.id for point in plan.points])
    tables = []
    for chunk in counted(list(chunks), plan):
        file = file_name(chunk.name, "moments")
        try:
            tables.append(read_checked(folder, file, expected))
        except BrokenFileError as problem:
            words = f"{folder.path(file)} is broken ({problem}); run the sweep again"
            raise DojoError(words, 3) from problem
    rows = pa.concat_tables([*tables, expected.empty_table()])
    rows = rows.filter(pc.is_in(rows["point"], ids))
    keys = ["point", "turn_order", "metric"]
    grouped = rows.group_by(keys).aggregate([(v, "sum") for v in ("n", "total", "squares")])
    sums = {}
    for row in grouped.to_pylist():
        name = (row["point"], row["turn_order"], row["metric"])
        sums[name] = Sums(row["n_sum"], row["total_sum"], int(row["squares_sum"]))
    return PointSums(sums)


def most_seats(plan: Plan) -> int:
    """Return the most players that sit at the table at any point."""
    return max(int(plan.resolved(point)["players"]) for point in plan.points)


def points_table(game: Game, plan: Plan, sums: PointSums) -> pa.Table:
    """Return the table of points. Metrics without plays, or without that seat, are null."""
    seats = most_seats(plan)
    kept = points_schema(game, seats, PRESET in plan.axes)
    metrics = [name for name, _, _ in summary_metrics(game, seats)]
    columns: dict[str, list[Any]] = {name: [] for name in kept.names}
    for number, point in enumerate(plan.points, 1):
        resolved = plan.resolved(point)
        row: dict[str, Any] = {"point": point.id, "number": number, PRESET: plan.preset(point)}
        row |= {o.name: o.shown(resolved[o.name]) for o in game.options}
        row["plays_n"] = sums.plays(point, "finished").n
        row["unfinished_n"] = sums.unfinished(point)
        for metric in metrics:
            found = _metric(sums, point, metric).mean
            row[f"{metric}_n"] = found.n
            row[f"{metric}_mean"] = found.mean if found.n > 0 else None
            row[f"{metric}_se"] = found.se if found.n > 1 else None
        for name, column in columns.items():
            column.append(row[name])
    return pa.table([pa.array(columns[f.name], f.type) for f in kept], schema=kept)


def write_points(folder: Place, game: Game, plan: Plan, sums: PointSums) -> None:
    """Publish the table of points in the sweep's folder."""
    write_arrow(folder, POINTS, points_table(game, plan, sums))


def _metric(sums: PointSums, point: Point, metric: str) -> Sums:
    if metric.startswith("won_"):
        return sums.seats(point, int(metric.removeprefix("won_")), "won")
    return sums.plays(point, metric)
