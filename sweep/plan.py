"""The frozen plan of a sweep: its points, and the rule that cuts their plays into blocks.

A plan never lists blocks. Its hash says which rows the sweep consists of; how large the blocks
are, when it was made and on which machine is written beside and changes no row.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import metadata
from typing import Any, NamedTuple

from dojo_core.errors import DojoError
from dojo_core.game import Game, Setup
from dojo_core.options import Option, find
from sweep.axes import PRESET
from sweep.designs import Row, Tally, same
from sweep.grid import Grid

FORMAT = 2
PACKAGES = ("dojo-sweep", "numba", "numpy", "pyarrow")
Ranges = list[tuple[int, int]]  # [first, end), in order, disjoint, never touching


class Block(NamedTuple):
    """Consecutive plays of one point: the unit of work and of retry."""

    point: str
    first: int
    plays: int

    @property
    def end(self) -> int:
        """The index after the last play."""
        return self.first + self.plays


class Point(NamedTuple):
    """One choice for every axis.

    Attributes:
        id: The hash of all that decides its plays.
        positions: The position of its value on each axis, in the order of `Plan.axes`.
        plays: How many plays of it the plan asks for.
    """

    id: str
    positions: tuple[int, ...]
    plays: int


@dataclass(frozen=True)
class Calibration:
    """What a short trial on this machine measured.

    Attributes:
        seconds_per_play: Seconds of one core for one play, the mean over some points.
        bytes_per_play: Bytes on disk that a play adds: its rows of `plays` and `seats`.
        bytes_per_point: Bytes on disk that a point adds: its sums and the tallies of its squares.
    """

    seconds_per_play: float
    bytes_per_play: float
    bytes_per_point: float

    def size(self, plays: int, points: int) -> float:
        """Return the bytes on disk of so many plays and points, once merged."""
        return self.bytes_per_play * plays + self.bytes_per_point * points


@dataclass(frozen=True)
class Plan:
    """What a sweep consists of.

    Attributes:
        name: The sweep's name.
        game: The game's name.
        seed: The sweep's seed.
        record: ``plays`` or ``summary``.
        options: Every option's settled value, those of the axes aside.
        axes: What varies between the points: the settled values of each such option. `PRESET`, if
            it is among them, comes first and is no option: it names the preset of each point.
        points: The points, in order.
        engine: The hash of the sources that decide how a play goes.
        versions: Versions of this project and of what it stands on.
        exponent: A block is 2**exponent plays, aligned to its size.
        calibration: What the block size was chosen by.
        origin: What each section of the grid contributed to the points, in words.
        grid: The text of the grid file.
        created: When the plan was made, in seconds since 1970.
        ladder: The names of the players of each rung, lowest first; empty where it is no ladder.
    """

    name: str
    game: str
    seed: int
    record: str
    options: dict[str, Any]
    axes: dict[str, list[Any]]
    points: tuple[Point, ...]
    engine: str
    versions: dict[str, str]
    exponent: int = 10
    calibration: Calibration = Calibration(0.0, 0.0, 0.0)
    origin: str = ""
    grid: str = field(default="", repr=False)
    created: float = 0.0
    ladder: tuple[tuple[str, ...], ...] = ()

    @functools.cached_property
    def hash(self) -> str:
        """16 hex digits that name the rows the sweep consists of, and how its points are told."""
        parts = [self.game, self.seed, self.record, self.engine, self.versions, list(self.axes)]
        digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
        for point in self.points:
            digest.update(json.dumps([point.id, point.plays, self.preset(point)]).encode())
        return digest.hexdigest()[:16]

    @property
    def plays_planned(self) -> int:
        """Plays of all points together."""
        return sum(point.plays for point in self.points)

    def choice(self, point: Point) -> dict[str, Any]:
        """Return the settled value of each option that varies, at `point`."""
        return {axis: value for axis, value in self._cells(point) if axis != PRESET}

    def preset(self, point: Point) -> str | None:
        """Return the name of the preset that `point` belongs to, if presets are an axis."""
        return self.axes[PRESET][point.positions[0]] if PRESET in self.axes else None

    def resolved(self, point: Point) -> dict[str, Any]:
        """Return every option's settled value at `point`."""
        return {**self.options, **self.choice(point)}

    def column(self, option: str) -> tuple[list[Any], list[int]]:
        """Return an option's settled values, and for each point the position of its own."""
        if option not in self.axes:
            return [self.options[option]], [0] * len(self.points)
        axis = list(self.axes).index(option)
        return self.axes[option], [point.positions[axis] for point in self.points]

    def shown(self, game: Game, point: Point) -> dict[str, Any]:
        """Return the value of each axis at `point` as one plain cell."""
        return {
            axis: value if axis == PRESET else find(game.options, axis).shown(value)
            for axis, value in self._cells(point)
        }

    def setup(self, game: Game, point: Point) -> Setup:
        """Return `point` made ready to be played."""
        return game.prepare(self.resolved(point))

    def find(self, text: str) -> Point:
        """Return the point that `text` names: its number from 1, or the beginning of its id."""
        if text.isdecimal() and 1 <= int(text) <= len(self.points):
            return self.points[int(text) - 1]
        found = [point for point in self.points if point.id.startswith(text)] if text else []
        if len(found) == 1:
            return found[0]
        problem = f"names {len(found)} points" if found else "names no point"
        raise DojoError(
            f"{text!r} {problem} of {self.name}: expected a number from 1 to {len(self.points)} or"
            " the beginning of one id in the table of points"
        )

    def _cells(self, point: Point) -> Iterator[tuple[str, Any]]:
        for (axis, values), position in zip(self.axes.items(), point.positions, strict=True):
            yield axis, values[position]

    def to_json(self) -> str:
        """Return the plan as text, a line a point; `from_json` reads it back."""
        content: dict[str, Any] = {"format": FORMAT, "hash": self.hash}
        content |= {f.name: getattr(self, f.name) for f in fields(self) if f.name != "points"}
        content["calibration"] = asdict(self.calibration)
        head = json.dumps(content, indent=1).removesuffix("\n}")
        points = ",\n".join(json.dumps([p.id, p.plays, *p.positions]) for p in self.points)
        return f'{head},\n "points": [\n{points}\n ]\n}}'

    @staticmethod
    def from_json(text: str) -> Plan:
        """Return the plan that `to_json` wrote.

        Raises:
            DojoError: It is another format's, or it was altered.
        """
        content = json.loads(text)
        if content.pop("format") != FORMAT:
            raise DojoError("the plan was written by another version; run the sweep again", 3)
        named = content.pop("hash")
        content["points"] = tuple(Point(p[0], tuple(p[2:]), p[1]) for p in content["points"])
        content["ladder"] = tuple(map(tuple, content.get("ladder", ())))
        content["calibration"] = Calibration(**content["calibration"])
        plan = Plan(**content)
        if plan.hash != named:
            raise DojoError(f"the plan {named} was altered; run the sweep again", 3)
        return plan


def make_plan(
    grid: Grid, on_point: Callable[[int], None] | None = None
) -> tuple[Plan, dict[str, Setup]]:
    """Freeze a grid, preparing every point once so that a bad one is refused before any plays.

    Args:
        grid: The checked grid file.
        on_point: Called with the number of points prepared so far.

    Returns:
        The plan, not yet calibrated, and the setups of its first, middle and last points (at most
        five, by point id), for the calibration.

    Raises:
        DojoError: A point cannot be played; the sentence names its values.
    """
    from dojo_core.kernel import engine_hash  # brings Numba, which reading a plan needs not

    if grid.tune:
        raise DojoError(f"{grid.path} tunes a player; play it with: dojo-sweep tune {grid.path}")
    game, design = grid.game, grid.design
    engine = engine_hash(game.name)
    tally = Tally()
    ids = PointIds(game, engine, grid.seed)
    found: dict[str, tuple[tuple[int, ...], int]] = {}  # id -> positions, plays by a condition
    for number, row in enumerate(design.rows(tally), 1):
        resolved = design.resolved(row)
        _prepare(grid, row, resolved)
        point = ids.of(resolved)
        if point in found:
            tally.twice += 1
        else:
            positions = tuple(row[name] for name in design.columns)
            found[point] = (positions, design.plays_at(row, tally))
        if on_point:
            on_point(number)
    _check_design(grid, tally, len(found))
    each = design.plays.each(len(found))
    plan = Plan(
        name=grid.name,
        game=game.name,
        seed=grid.seed,
        record=grid.record,
        options=dict(design.options),
        axes={name: column.values for name, column in design.columns.items()},
        points=tuple(Point(id, at, more or each) for id, (at, more) in found.items()),
        engine=engine,
        versions=versions(),
        origin=design.origin(tally),
        grid=grid.text,
        created=time.time(),
        ladder=grid.ladder,
    )
    samples = {plan.points[round(i * (len(plan.points) - 1) / 4)] for i in range(5)}
    return plan, {point.id: plan.setup(game, point) for point in samples}


class PointIds:
    """Names the points of a game: by 12 characters (60 bits), a hash of all that decides plays.

    Twelve, because DuckDB keeps a text of up to twelve bytes in place. The hash is that of the
    JSON text of game, options, engine and seed, options in the order of their names; most of the
    text is the same at many points, so its parts are kept.
    """

    def __init__(self, game: Game, engine: str, seed: int) -> None:
        self._options = sorted(game.options, key=lambda option: option.name)
        self._begin = f"[{json.dumps(game.name)}, {{"
        self._end = f"}}, {json.dumps(engine)}, {json.dumps(seed)}]"
        self._kept: dict[tuple[str, int], tuple[Any, str]] = {}

    def of(self, resolved: Mapping[str, Any]) -> str:
        """Return the id of the point with these settled options."""
        parts = [self._part(option, resolved[option.name]) for option in self._options]
        text = self._begin + ", ".join(parts) + self._end
        digest = hashlib.sha256(text.encode()).digest()
        return base64.b32encode(digest).decode()[:12].lower()

    def _part(self, option: Option, value: Any) -> str:
        at = (option.name, id(value))
        kept = self._kept.get(at)
        if kept is None:
            name = json.dumps(option.name)
            kept = self._kept[at] = (value, f"{name}: {same(option, value)}")  # keeps `value` alive
        return kept[1]


def check_points(plan: Plan, game: Game) -> None:
    """Compare each point's id with what its options make.

    Raises:
        DojoError: They differ, so the plan's text was altered.
    """
    ids = PointIds(game, plan.engine, plan.seed)
    for number, point in enumerate(plan.points, 1):
        if point.id != ids.of(plan.resolved(point)):
            raise DojoError(
                f"the plan {plan.hash} was altered: its point {number} has other options than its"
                f" id {point.id} names; run its grid instead"
            )


def with_calibration(plan: Plan, calibration: Calibration, exponent: int) -> Plan:
    """Return the plan with its block size settled; its hash and its rows stay the same."""
    return replace(plan, calibration=calibration, exponent=exponent)


def versions() -> dict[str, str]:
    """Return the versions that are written beside results."""
    return {"python": platform.python_version()} | {p: metadata.version(p) for p in PACKAGES}


def missing_blocks(
    points: Sequence[Point], covered: Mapping[str, Ranges], exponent: int
) -> Iterator[Block]:
    """Yield the blocks that are still to be played, point by point, without listing them.

    Blocks are cut at multiples of 2**exponent, and at the edges of what is covered already.
    """
    size = 1 << exponent
    for point in points:
        for first, end in gaps(covered.get(point.id, []), point.plays):
            while first < end:
                stop = min(end, (first // size + 1) * size)
                yield Block(point.id, first, stop - first)
                first = stop


def guided(blocks: Iterable[Block], plays: int, least: Callable[[int], int]) -> Iterator[Block]:
    """Yield the blocks, the last of them in pieces, so that all cores end at about the same time.

    That is guided self-scheduling (Polychronopoulos and Kuck, 1987), by powers of two: pieces are
    aligned to their size as blocks are.

    Args:
        blocks: The blocks.
        plays: Plays of all of them.
        least: Asked how many plays a piece has at least when so many are left; 1 or more.
    """
    for block in blocks:
        first = block.first
        while first < block.end:
            size = 1 << (least(plays) - 1).bit_length()
            end = min(block.end, (first // size + 1) * size)
            yield Block(block.point, first, end - first)
            plays -= end - first
            first = end


def gaps(covered: Ranges, plays: int) -> Ranges:
    """Return the ranges of [0, plays) that `covered` leaves open."""
    open_ranges, at = [], 0
    for first, end in covered:
        if first >= plays:
            break
        if at < first:
            open_ranges.append((at, first))
        at = end
    if at < plays:
        open_ranges.append((at, plays))
    return open_ranges


def plays_stored(points: Sequence[Point], covered: Mapping[str, Ranges]) -> int:
    """Return how many of the plays that `points` ask for are in what is `covered`."""
    return sum(
        point.plays
        - sum(end - first for first, end in gaps(covered.get(point.id, []), point.plays))
        for point in points
    )


def joined(ranges: Sequence[tuple[int, int]]) -> Ranges:
    """Return `ranges` in order, touching ones made one."""
    result: Ranges = []
    for first, end in sorted(ranges):
        if result and first <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((first, end))
    return result


def overlaps(ranges: Ranges, first: int, end: int) -> bool:
    """Tell whether any play of [first, end) is in `ranges`."""
    return any(first < stop and start < end for start, stop in ranges)


def _prepare(grid: Grid, row: Row, resolved: Mapping[str, Any]) -> None:
    """Refuse a point that the game refuses."""
    try:
        grid.game.prepare(resolved)
    except DojoError as error:
        words = grid.design.words(row)
        place = f"{grid.path}: the point {words}" if words else str(grid.path)
        raise DojoError(f"{place}: {error}") from error


def _check_design(grid: Grid, tally: Tally, points: int) -> None:
    """Refuse a design without points, or with conditions that change nothing."""
    design = grid.design
    if points == 0:
        place = design.left_out[0].place
        raise DojoError(f"{place}: the conditions leave no point; remove one")
    if never := design.never(tally):
        raise DojoError(f"{never.place}: no point meets this condition; change or remove it")
    each = design.plays.each(points)
    for condition, plays in design.plays.more:
        if plays <= each:
            raise DojoError(
                f"{condition.place}: plays = {plays:,} is not more than the {each:,} that every"
                " point has"
            )
