"""Verifies what a sweep has stored: reads every file again, and plays some plays again.

    verify
      check_chunk           files are there, whole, and hold just the plays the manifest says
      _stored_twice         no play is in two chunks
      _unlisted             no file lies about that the manifest does not name
      _check_points         the table of points agrees with the stored sums
      Replay                the installed engine gives the stored rows again

Nothing is written.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from dojo_core.errors import DojoError
from dojo_core.game import Game
from dojo_core.kernel import engine_hash
from sweep.blocks import Tables, merge_tables, play_block
from sweep.places import Place
from sweep.plan import Block, Plan, Point, Ranges
from sweep.schemas import plain, schema, table_names
from sweep.store import (
    BrokenFileError,
    Chunk,
    counted,
    file_name,
    files,
    read_checked,
    read_manifest,
    read_metadata,
)
from sweep.summary import ALL_PLAYS, POINTS, point_sums, points_table

RUN_AGAIN = "run the sweep again"
REMOVE = "remove the file and run the sweep again: its plays are played again"
CLEAN = "no current plan needs it; dojo-sweep clean with --old-plans forgets it"


class Finding(NamedTuple):
    """Something that is not as it should be.

    Attributes:
        file: The file in the sweep's folder.
        problem: What is wrong with it.
        cure: What to do.
    """

    file: str
    problem: str
    cure: str


@dataclass
class Verified:
    """What was verified.

    Attributes:
        findings: What is not as it should be.
        files: How many files were read.
        rows: How many rows they hold.
        plays: How many plays they hold.
        replayed: How many plays were played again.
    """

    findings: list[Finding] = field(default_factory=list)
    files: int = 0
    rows: int = 0
    plays: int = 0
    replayed: int = 0


class ChunkError(Exception):
    """A chunk is not what the manifest says; `finding` says in which way."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.problem)
        self.finding = finding


class Replay(Protocol):
    """Plays some of the stored plays again."""

    plays: int
    """How many were played again."""

    def chunk(self, chunk: Chunk, tables: Tables) -> Iterator[Finding]:
        """Look at a chunk that is whole."""

    def end(self) -> Iterator[Finding]:
        """Look at what is known once all chunks were seen."""


def verify(
    folder: Place,
    game: Game,
    plan: Plan,
    replay: Replay | None = None,
    advanced: Callable[[int, int], None] = lambda done, total: None,
) -> Verified:
    """Verify a sweep's folder.

    Args:
        folder: The sweep's folder.
        game: The game of its current plan.
        plan: Its current plan.
        replay: Plays some plays again.
        advanced: Called with the number of chunks verified so far, and of all.

    Raises:
        DojoError: The manifest cannot be read.
    """
    running = folder.is_locked()
    chunks = read_manifest(folder)
    ours = {chunk.name for chunk in counted(chunks, plan)}
    found = Verified()
    whole = []
    for number, chunk in enumerate(chunks):
        advanced(number, len(chunks))
        try:
            tables = check_chunk(folder, game if chunk.name in ours else None, chunk)
        except ChunkError as error:
            found.findings.append(error.finding)
            continue
        whole.append(chunk)
        found.files += len(tables)
        found.rows += sum(table.num_rows for table in tables.values())
        found.plays += chunk.plays
        if replay and chunk.name in ours:
            found.findings += replay.chunk(chunk, tables)
    found.findings += _stored_twice(chunks)
    if not running:  # else blocks have ended since, and small files are being put together
        found.findings += _unlisted(folder, chunks)
        if len(whole) == len(chunks):
            found.findings += _check_points(folder, game, plan, chunks)
    if replay:
        found.findings += replay.end()
        found.replayed = replay.plays
    return found


# Files


def check_chunk(folder: Place, game: Game | None, chunk: Chunk) -> Tables:
    """Return a chunk's tables, if they are whole and hold just the plays that it names.

    Args:
        folder: The sweep's folder.
        game: Its game; None when the chunk is of another version, whose columns are not known.
        chunk: The chunk.

    Raises:
        ChunkError: A file is missing, torn, altered, or holds other plays.
    """
    tables: Tables = {}
    for table in table_names(chunk.record):
        file = file_name(chunk.name, table)
        try:
            content = read_checked(folder, file, schema(game, table) if game else None)
            metadata = read_metadata(folder, file)
            told = (metadata["table"], metadata["record"], metadata["ranges"], metadata["rows"])
            if told != (table, chunk.record, chunk.ranges, chunk.rows[table]):
                raise BrokenFileError("it says otherwise of itself than the manifest does")
            rows = content.cast(plain(content.schema))
            if trouble := _other_plays(table, rows, chunk.ranges):
                raise BrokenFileError(trouble)
        except BrokenFileError as problem:
            ours = RUN_AGAIN if "missing" in str(problem) else REMOVE
            raise ChunkError(Finding(file, str(problem), ours if game else CLEAN)) from problem
        tables[table] = rows
    return tables


def _other_plays(table: str, content: pa.Table, ranges: Mapping[str, Ranges]) -> str | None:
    """Return what is wrong with the plays whose rows a table holds, if anything is."""
    if table in ("plays", "seats"):
        return _other_rows(content, ranges)
    if table == "moments":
        return _other_counts(content, ranges)
    if set(pc.unique(content["point"]).to_pylist()) - ranges.keys():
        return "it holds rows of other points than it says"
    return None


def _other_rows(content: pa.Table, ranges: Mapping[str, Ranges]) -> str | None:
    """Compare rows with the plays they should be of: each once, or once for each seat."""
    points = sorted(ranges)
    code = pc.index_in(content["point"].combine_chunks(), pa.array(points))
    if code.null_count:
        return "it holds rows of other points than it says"
    keys = [code.to_numpy(), content["play"].to_numpy()]
    if "seat" in content.column_names:
        keys.append(content["seat"].to_numpy())
    order = np.lexsort(keys[::-1])
    point, play, *seat = (key[order] for key in keys)
    spans = [(n, first, end) for n, one in enumerate(points) for first, end in ranges[one]]
    expected_point = np.repeat([n for n, _, _ in spans], [end - first for _, first, end in spans])
    expected_play = np.concatenate([np.arange(first, end) for _, first, end in spans])
    first_rows = seat[0] == 0 if seat else np.ones(len(play), bool)
    same = np.array_equal(point[first_rows], expected_point)
    if not same or not np.array_equal(play[first_rows], expected_play):
        return "it holds other plays than it says"
    return _other_seats(point, play, seat[0]) if seat else None


def _other_seats(
    point: np.ndarray[Any, Any], play: np.ndarray[Any, Any], seat: np.ndarray[Any, Any]
) -> str | None:
    """Look whether seats count up from 0 in each play, as far as in any other of its point."""
    starts = np.flatnonzero(seat == 0)
    counts = np.diff([*starts, len(seat)])
    counted_up = np.arange(len(seat)) - np.repeat(starts, counts) if starts[0] == 0 else None
    most = np.zeros(point[-1] + 1, np.int64)
    most[point[starts]] = counts
    same = counted_up is not None and np.array_equal(seat, counted_up)
    if same and np.array_equal(np.repeat(play[starts], counts), play):
        return "it lacks seats" if (most[point[starts]] != counts).any() else None
    return "it holds other seats than its plays have"


def _other_counts(content: pa.Table, ranges: Mapping[str, Ranges]) -> str | None:
    """Compare the number of plays that were added up with the plays it should be of."""
    rows = content.filter(pc.field("turn_order") == ALL_PLAYS)
    counts = rows.group_by("point").aggregate([("n", "min"), ("n", "max")]).to_pylist()
    found = {row["point"]: (row["n_min"], row["n_max"]) for row in counts}
    plays = {point: sum(end - first for first, end in pairs) for point, pairs in ranges.items()}
    if found != {point: (n, n) for point, n in plays.items()}:
        return "its sums are of other plays than it says"
    columns = (content[name].to_pylist() for name in ("n", "total", "squares", "least", "greatest"))
    if not all(map(_are_possible, *columns)):
        return "its sums are of no values that there can be"
    return None


def _are_possible(n: int, total: int, squares: Decimal, least: int, greatest: int) -> bool:
    """Tell whether whole numbers with these sums and bounds exist, as far as bounds can tell."""
    return n > 0 and n * least <= total <= n * greatest and n * int(squares) >= total * total


def _stored_twice(chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """Yield the chunks that hold plays that another one holds too."""
    spans = sorted(
        (chunk.record, point, first, end, chunk.name)
        for chunk in chunks
        for point, ranges in chunk.ranges.items()
        for first, end in ranges
    )
    reach = ("", "", 0, "")  # record, point, the farthest end so far, and whose it is
    for record, point, first, end, name in spans:
        if reach[:2] == (record, point) and first < reach[2]:
            problem = f"plays from {first} of point {point} are in {reach[3]} too"
            yield Finding(file_name(name, "moments"), problem, REMOVE)
        if reach[:2] != (record, point) or end > reach[2]:
            reach = (record, point, end, name)


def _unlisted(folder: Place, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """Yield the files that lie among a sweep's tables, and the manifest does not name."""
    listed = {file for chunk in chunks for file in files(chunk)}
    tables = dict.fromkeys((*table_names("plays"), *table_names("summary")))
    for table in tables:
        for name in folder.files(table):
            file = f"{table}/{name}"
            if file not in listed:
                problem = "the manifest does not name it, so no query sees it"
                yield Finding(file, problem, f"{RUN_AGAIN}, or clean it")


def _check_points(
    folder: Place, game: Game, plan: Plan, chunks: Sequence[Chunk]
) -> Iterator[Finding]:
    """Compare the table of points with the stored sums."""
    expected = points_table(game, plan, point_sums(folder, game, plan, chunks))
    try:
        with folder.open(POINTS) as source:
            stored = ipc.open_file(source).read_all()
    except (OSError, pa.ArrowException) as error:
        reason = "it is missing" if isinstance(error, FileNotFoundError) else "it cannot be read"
        yield Finding(POINTS, reason, f"{RUN_AGAIN}: it is made anew")
        return
    if not stored.equals(expected):
        problem = "it does not agree with the stored sums"
        yield Finding(POINTS, problem, f"{RUN_AGAIN}: it is made anew")


# Playing again


def make_replay(folder: Place, game: Game, plan: Plan, plays: int, seed: int) -> Replay:
    """Return what plays `plays` of the stored plays again, chosen by `seed`.

    Raises:
        DojoError: Other rules are installed than the stored plays were played by.
    """
    here = engine_hash(game.name)
    if here != plan.engine:
        raise DojoError(
            f"{plan.name} was played by other rules than are installed here (engine {plan.engine},"
            f" here {here}), so its plays cannot be played again; install the dojo-sweep it was"
            " played by, or leave --replay out"
        )
    chunks = counted(read_manifest(folder), plan)
    kind = _ReplayedRows if plan.record == "plays" else _ReplayedSums
    replay: Replay = kind(game, plan, chunks, plays, random.Random(seed))
    return replay


class _ReplayedRows:
    """Compares the rows of single plays, and of their seats, in every column."""

    def __init__(
        self, game: Game, plan: Plan, chunks: Sequence[Chunk], plays: int, lot: random.Random
    ) -> None:
        self.plays = 0
        self._game = game
        self._plan = plan
        self._points = {point.id: point for point in plan.points}
        self._chosen: dict[str, dict[str, list[int]]] = {}  # chunk -> point -> plays
        spans = [
            (chunk.name, point, first, end)
            for chunk in chunks
            for point, ranges in chunk.ranges.items()
            for first, end in ranges
            if point in self._points
        ]
        total = sum(end - first for *_, first, end in spans)
        chosen = sorted(lot.sample(range(total), min(plays, total)))
        begin = 0
        at = 0
        for name, point, first, end in spans:
            while at < len(chosen) and chosen[at] < begin + end - first:
                here = self._chosen.setdefault(name, {}).setdefault(point, [])
                here.append(first + chosen[at] - begin)
                at += 1
            begin += end - first

    def chunk(self, chunk: Chunk, tables: Tables) -> Iterator[Finding]:
        """Play the chosen plays of a chunk again."""
        for point, plays in self._chosen.get(chunk.name, {}).items():
            setup = self._plan.setup(self._game, self._points[point])
            again = [
                play_block(self._game, setup, self._plan.seed, Block(point, play, 1), "plays")
                for play in plays
            ]
            self.plays += len(plays)
            for table in ("plays", "seats"):
                rows = tables[table]
                of_point = rows.filter(pc.field("point") == point)
                for play, played in zip(plays, again, strict=True):
                    stored = of_point.filter(pc.field("play") == play)
                    if "seat" in stored.column_names:
                        stored = stored.sort_by("seat")
                    if not stored.equals(played[table].cast(stored.schema)):
                        yield _replayed_otherwise(chunk, table, point, f"play {play}")

    def end(self) -> Iterator[Finding]:
        """Nothing is left to compare."""
        return iter(())


class _ReplayedSums:
    """Compares the sums, counts and tallies of whole points."""

    def __init__(
        self, game: Game, plan: Plan, chunks: Sequence[Chunk], plays: int, lot: random.Random
    ) -> None:
        self.plays = 0
        self._game = game
        self._plan = plan
        held: Counter[str] = Counter()
        for chunk in chunks:
            for point, ranges in chunk.ranges.items():
                held[point] += sum(end - first for first, end in ranges)
        points = [point for point in plan.points if held[point.id]]
        self._chosen: list[Point] = []  # as many whole points as it takes, at least one
        left = plays
        for one in lot.sample(points, len(points)):
            if left > 0:
                self._chosen.append(one)
                left -= held[one.id]
        self._stored: dict[str, list[tuple[Chunk, Tables]]] = {p.id: [] for p in self._chosen}

    def chunk(self, chunk: Chunk, tables: Tables) -> Iterator[Finding]:
        """Put what a chunk holds of the chosen points by."""
        for point in self._stored.keys() & chunk.ranges.keys():
            rows = {t: all_.filter(pc.field("point") == point) for t, all_ in tables.items()}
            self._stored[point].append((chunk, rows))
        return iter(())

    def end(self) -> Iterator[Finding]:
        """Play the chosen points again."""
        for point in self._chosen:
            parts = self._stored[point.id]
            again = self._played(point, [pair for c, _ in parts for pair in c.ranges[point.id]])
            for table in table_names("summary") if parts else ():
                stored = self._merged(table, [rows for _, rows in parts])
                if not stored.equals(self._merged(table, again)):
                    yield _replayed_otherwise(parts[0][0], table, point.id, "the sum")

    def _played(self, point: Point, ranges: Ranges) -> list[Tables]:
        setup = self._plan.setup(self._game, point)
        size = 1 << self._plan.exponent
        again = []
        for first, end in ranges:
            for at in range(first, end, size):
                block = Block(point.id, at, min(size, end - at))
                again.append(play_block(self._game, setup, self._plan.seed, block, "summary"))
                self.plays += block.plays
        return again

    def _merged(self, table: str, parts: Sequence[Tables]) -> pa.Table:
        return merge_tables(self._game, table, [tables[table] for tables in parts])


def _replayed_otherwise(chunk: Chunk, table: str, point: str, what: str) -> Finding:
    problem = f"{what} of point {point} is another when it is played again"
    return Finding(file_name(chunk.name, table), problem, REMOVE)
