"""The table of points: a row a point with its options and the means of its plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dojo_core.errors import DojoError
from dojo_core.game import Game
from dojo_core.options import Option
from sweep.axes import PRESET
from sweep.places import Place
from sweep.plan import Plan, Point
from sweep.schemas import measures, option_type, points_schema, schema
from sweep.statistics import Mean, mean_of
from sweep.store import BrokenFileError, Chunk, arrow_file, counted, file_name, read_checked

POINTS = "points.arrow"
ALL_PLAYS = -1  # the turn order under which the sums of whole plays stand
EXACT_FLOAT = 2.0**52  # below it floats hold whole numbers, and their products here, exactly

Key = tuple[int, str]  # turn order and metric
Numbers = np.ndarray[Any, Any]


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


class Column(NamedTuple):
    """Exact sums of one metric at each point; the squares' sum in its two words of 64 bits."""

    n: Numbers
    total: Numbers
    high: Numbers
    low: Numbers

    def at(self, i: int) -> Sums:
        """Return the sums at the point numbered `i` from 0."""
        return Sums(
            int(self.n[i]), int(self.total[i]), (int(self.high[i]) << 64) + int(self.low[i])
        )

    def means(self) -> tuple[Numbers, Numbers]:
        """Return what `mean_of` gives at each point: means and standard errors.

        Where every product is a whole number that a float holds, all points are computed at once:
        then the same roundings happen. The others are left to `mean_of`.
        """
        n, total = self.n, self.total
        product = n.astype(np.float64) * self.low
        at_once = (n > 1) & (self.high == 0) & (product < EXACT_FLOAT) & (n < 2**26)
        k, t, s = (np.where(at_once, part.astype(np.int64), 2) for part in (n, total, self.low))
        mean, se = t / k, np.sqrt((k * s - t * t) / (k * (k - 1)) / k)
        for i in np.flatnonzero(~at_once):
            mean[i], se[i], _ = self.at(int(i)).mean
        return mean, se


class PointSums:
    """What is known of each point so far, from the stored sums.

    Args:
        points: The points, in the order of the columns.
        columns: The sums by turn order and metric.
    """

    def __init__(self, points: Sequence[Point] = (), columns: Mapping[Key, Column] = {}) -> None:
        self._index = {point.id: i for i, point in enumerate(points)}
        self._columns = columns

    def column(self, turn_order: int, metric: str) -> Column | None:
        """Return a metric's sums at all points; None when nothing of it is stored."""
        return self._columns.get((turn_order, metric))

    def plays(self, point: Point, metric: str) -> Sums:
        """Return the sums of a play column at `point`."""
        return self.seats(point, ALL_PLAYS, metric)

    def seats(self, point: Point, turn_order: int, metric: str) -> Sums:
        """Return the sums of a seat column at `point` over the seats of one turn order."""
        column = self.column(turn_order, metric)
        return column.at(self._index[point.id]) if column else NOTHING

    def unfinished(self, point: Point) -> int:
        """Return how many plays of `point` ended unfinished."""
        finished = self.plays(point, "finished")
        return finished.n - finished.total


class Tally:
    """Adds up what chunks hold, reading each of their files once however often it is asked.

    Args:
        folder: The sweep's folder.
        game: The game.
        plan: The plan whose points count.
    """

    def __init__(self, folder: Place, game: Game, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self._keys = _keys(game, most_seats(plan))
        self._schema = schema(game, "moments")
        self._ids = pa.array([point.id for point in plan.points])
        self._metrics = pa.array(sorted({metric for _, metric in self._keys}))
        self._read: dict[str, pa.Table] = {}

    def sums(self, chunks: Iterable[Chunk]) -> PointSums:
        """Return the exact sums of all plays that `chunks` hold.

        Raises:
            DojoError: A file is broken.
        """
        names = [chunk.name for chunk in counted(list(chunks), self._plan)]
        self._read = {n: self._read[n] if n in self._read else self._slots(n) for n in names}
        if not self._read:
            return PointSums()
        rows = _added_up(pa.concat_tables(self._read.values()))
        slots = rows["slot"].to_numpy()
        size = len(self._keys) * len(self._ids)
        filled = []
        for values in (rows["n"].to_numpy(), rows["total"].to_numpy(), *_words(rows["squares"])):
            column = np.zeros(size, values.dtype)
            column[slots] = values
            filled.append(column.reshape(len(self._keys), -1))
        columns = {key: Column(*parts) for key, *parts in zip(self._keys, *filled, strict=True)}
        return PointSums(self._plan.points, columns)

    def _slots(self, chunk: str) -> pa.Table:
        """Return a chunk's sums for the table of points; a slot is a key and a point."""
        file = file_name(chunk, "moments")
        try:
            rows = read_checked(self._folder, file, self._schema).cast(self._schema)
        except BrokenFileError as problem:
            words = f"{self._folder.path(file)} is broken ({problem}); run the sweep again"
            raise DojoError(words, 3) from problem
        rows = rows.filter(pc.is_in(rows["metric"], self._metrics))
        place = pc.index_in(rows["point"], self._ids)
        rows, place = rows.filter(place.is_valid()), place.drop_null()
        metrics = pc.index_in(rows["metric"], self._metrics).to_numpy()
        known = np.full((len(self._metrics), 2**7 + 1), -1)
        for number, (turn_order, metric) in enumerate(self._keys):
            known[self._metrics.index(metric).as_py(), turn_order] = number
        key = known[metrics, rows["turn_order"].to_numpy()]
        slots = pa.array(key * len(self._ids) + place.to_numpy())
        table = rows.select(["n", "total", "squares"]).append_column("slot", slots)
        return _added_up(table.filter(pa.array(key >= 0)))


def point_sums(folder: Place, game: Game, plan: Plan, chunks: Iterable[Chunk]) -> PointSums:
    """Return the exact sums of all plays that `chunks` hold.

    Raises:
        DojoError: A file is broken.
    """
    return Tally(folder, game, plan).sums(chunks)


def most_seats(plan: Plan) -> int:
    """Return the most players that sit at the table at any point."""
    values, positions = plan.column("players")
    return max(int(values[position]) for position in set(positions))


def points_table(game: Game, plan: Plan, sums: PointSums) -> pa.Table:
    """Return the table of points. Metrics without plays, or without that seat, are null."""
    seats = most_seats(plan)
    count = len(plan.points)
    nothing = Column(*(np.zeros(count, np.int64) for _ in Column._fields))
    columns: dict[str, Any] = {
        "point": [point.id for point in plan.points],
        "number": np.arange(1, count + 1),
        PRESET: [plan.preset(point) for point in plan.points],
    }
    columns |= {option.name: _shown(plan, option) for option in game.options}
    finished = sums.column(ALL_PLAYS, "finished") or nothing
    columns |= {"plays_n": finished.n, "unfinished_n": finished.n - finished.total}
    for turn_order, metric in _keys(game, seats):
        name = metric if turn_order == ALL_PLAYS else f"{metric}_{turn_order}"
        found = sums.column(turn_order, metric) or nothing
        mean, se = found.means()
        columns[f"{name}_mean"] = pa.array(mean, mask=found.n < 1)
        columns[f"{name}_se"] = pa.array(se, mask=found.n < 2)
        columns[f"{name}_n"] = found.n
    kept = points_schema(game, seats, PRESET in plan.axes)
    return pa.table([pa.array(columns[f.name], f.type) for f in kept], schema=kept)


def write_points(folder: Place, game: Game, plan: Plan, sums: PointSums) -> None:
    """Publish the table of points in the sweep's folder."""
    folder.publish(POINTS, arrow_file(points_table(game, plan, sums)))


def _keys(game: Game, seats: int) -> list[Key]:
    """Return what `sweep.schemas.summary_metrics` names, by turn order and metric."""
    plays = [(ALL_PLAYS, column.name) for column in measures(game.play_columns)]
    return [*plays, *((turn_order, "won") for turn_order in range(seats))]


def _shown(plan: Plan, option: Option) -> pa.Array[Any]:
    """Return an option's value at each point as a plain cell."""
    values, positions = plan.column(option.name)
    shown = pa.array([option.shown(value) for value in values], option_type(option))
    return shown.take(pa.array(positions))


def _added_up(rows: pa.Table) -> pa.Table:
    sums = rows.group_by("slot").aggregate([(name, "sum") for name in ("n", "total", "squares")])
    return sums.rename_columns([name.removesuffix("_sum") for name in sums.column_names])


def _words(column: pa.ChunkedArray[Any]) -> tuple[Numbers, Numbers]:
    """Return the high and low words of 64 bits of whole decimals, none of them negative."""
    whole = column.combine_chunks()
    words = np.frombuffer(memoryview(whole.buffers()[1] or b""), np.uint64).reshape(-1, 2)
    words = words[whole.offset : whole.offset + len(whole)]
    return words[:, 1], words[:, 0]
