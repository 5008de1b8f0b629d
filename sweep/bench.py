"""What storing plays costs: the same blocks with nothing stored, in threads, and on Ray.

All ways take turns in one run on one machine, each between two samples of one core alone, so that
their ratios hold although a busy machine changes every rate. Each way is gone once unmeasured, so
that all is compiled and started.
"""

from __future__ import annotations

import functools
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from dojo_core.game import Game
from sweep.backends import Backend
from sweep.blocks import bytes_per_play, play_plays, tables_of
from sweep.calibration import block_exponent, in_turn
from sweep.listener import Listener
from sweep.places import Place, at
from sweep.plan import Block, Plan, missing_blocks
from sweep.queries import connect
from sweep.runner import run
from sweep.schemas import table_names
from sweep.store import Group, write_block
from sweep.work import Job, Outcome

ALONE, BARE, THREADS, RAY = "alone", "bare", "threads", "ray"
PHASES = ("prepare", "play", "encode", "write")
PHASE_BLOCKS = 8  # played one after another to see where a block's time goes
PARTS = ("play", "storing", "merging", "ending", "waiting")
STORAGE = ("storing", "merging", "ending")
ROWS = ("plays", "seats")  # the tables with rows of plays

Make = Callable[[Job], Backend]


@dataclass(frozen=True)
class Sample:
    """One way gone once.

    Attributes:
        rate: Plays a second, from the first block to the last file.
        parts: What part of the cores' time went into each of `PARTS`, 0 to 1: compiled play;
            preparing, making tables and writing files of blocks; merging files meanwhile; merging
            the last ones and the table of points at the end, while all cores wait; the rest, in
            which a core had no block.
        start: Seconds before that: loading what is compiled, joining Ray.
        driver: Seconds of a core a block that the driver's own thread took.
        memory: The most bytes that a process at work took (of threads: all of them).
    """

    rate: float
    parts: dict[str, float]
    start: float = 0.0
    driver: float = 0.0
    memory: int = 0

    @property
    def storage(self) -> float:
        """What part of the cores' time went into storing, of all kinds."""
        return sum(self.parts[part] for part in STORAGE)


@dataclass(frozen=True)
class Room:
    """What a table takes on disk, in bytes a play.

    Attributes:
        stored: What its files take, once merged.
        entropy: What its columns would take if each value took as many bits as it is rare at its
            point, a column by itself: keys are told by the order of the rows and take none.
    """

    stored: float
    entropy: float


@dataclass(frozen=True)
class Report:
    """What a bench measured.

    Attributes:
        game: The game's name.
        sweep: The plan's name.
        workers: Cores at work.
        blocks: Blocks of each sample.
        plays: Plays of each sample.
        phases: Mean seconds of a block in each of `PHASES`, one block at a time.
        room: What the tables of `ROWS` take; empty for summaries.
        samples: The samples of each way, in the order in which they were taken; of one core alone
            one before each other sample, and one after the last.
    """

    game: str
    sweep: str
    workers: int
    blocks: int
    plays: int
    phases: dict[str, float]
    room: dict[str, Room] = field(default_factory=dict)
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def times_alone(self, way: str) -> list[float]:
        """Return how many times what one core plays bare a way plays, of each turn.

        What one core plays is the mean of the samples just before and after.
        """
        ways = [name for name in self.samples if name != ALONE]
        around = list(itertools.pairwise(sample.rate for sample in self.samples[ALONE]))
        pairs = zip(self.samples[way], around[ways.index(way) :: len(ways)], strict=True)
        return [sample.rate / statistics.mean(alone) for sample, alone in pairs]


def shortened(plan: Plan, game: Game, seconds: float, workers: int) -> Plan:
    """Return the plan with as many plays a point as take so long in all, cut as a run cuts them.

    Args:
        plan: The plan, calibrated.
        game: Its game.
        seconds: How long a run should take.
        workers: Cores at work.
    """
    total = seconds * workers / max(plan.calibration.seconds_per_play, 1e-9)
    plays = max(1, int(total / len(plan.points)))
    short = replace(plan, points=tuple(point._replace(plays=plays) for point in plan.points))
    largest = bytes_per_play(game, plan.setup(game, plan.points[-1]))
    exponent = block_exponent(short, plan.calibration, workers, largest)
    return replace(short, exponent=exponent)


def bench(
    plan: Plan,
    game: Game,
    folder: Path,
    ways: Mapping[str, Make],
    workers: int,
    repeats: int,
    tell: Callable[[str], None],
) -> Report:
    """Go all ways `repeats` times, in turn, and return what was measured.

    Args:
        plan: The plan; each sample plays all of it.
        game: Its game.
        folder: Temporary folders are made in it: what writing costs is that disk's cost.
        ways: What makes each backend, by a name.
        workers: Cores at work.
        repeats: Samples of each way.
        tell: Hears a sentence before each turn.

    Raises:
        DojoError: The folder cannot be written, or a backend cannot start.
    """
    blocks = list(in_turn(plan, {}, lambda: workers))
    room: dict[str, Room] = {}
    alone = functools.partial(_bare, plan, game, _part(plan, 2 * workers), 1)
    goes: dict[str, Callable[[], Sample]] = {BARE: lambda: _bare(plan, game, blocks, workers)}
    for way, make in ways.items():
        goes[way] = functools.partial(_stored, plan, game, folder, make, room)
    tell("warming up")
    for go in goes.values():
        go()
    samples: dict[str, list[Sample]] = {ALONE: [alone()], **{way: [] for way in goes}}
    for turn in range(repeats):
        tell(f"turn {turn + 1} of {repeats}")
        for way, go in goes.items():
            samples[way].append(go())
            samples[ALONE].append(alone())
    phases = _phases(plan, game, folder, blocks)
    plays = plan.plays_planned
    return Report(game.name, plan.name, workers, len(blocks), plays, phases, room, samples)


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, the least and the greatest."""
    return statistics.median(values), min(values), max(values)


def _part(plan: Plan, parts: int) -> list[Block]:
    """Return blocks of the first plays of each point, one in so many: the same mix of points."""
    points = [point._replace(plays=max(1, point.plays // parts)) for point in plan.points]
    return list(missing_blocks(points, {}, plan.exponent))


class _Watched:
    """A backend that remembers what its work took; all else is the backend's own."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.began = time.perf_counter()
        self.blocks = 0
        self.on_blocks = self.on_merging = 0.0
        self.memory = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.backend, name)

    def collect(self, seconds: float) -> list[Outcome]:
        """Return what ended, waiting for something at most so long."""
        ended = self.backend.collect(seconds)
        for outcome in ended:
            self.memory = max(self.memory, outcome.memory)
            if isinstance(outcome.work, Group):
                self.on_merging += outcome.took
            else:
                self.blocks += 1
                self.on_blocks += outcome.took
        return ended


def _bare(plan: Plan, game: Game, blocks: Sequence[Block], workers: int) -> Sample:
    """Play blocks in a thread a core, and keep nothing."""
    setups = {point.id: plan.setup(game, point) for point in plan.points}

    def play(block: Block) -> float:
        return play_plays(game, setups[block.point], plan.seed, block)[1]

    began = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        played = sum(pool.map(play, blocks))
    seconds = time.perf_counter() - began
    share = played / (seconds * workers)
    parts = dict.fromkeys(PARTS, 0.0) | {"play": share, "waiting": 1 - share}
    return Sample(sum(block.plays for block in blocks) / seconds, parts)


def _stored(plan: Plan, game: Game, folder: Path, make: Make, room: dict[str, Room]) -> Sample:
    """Play all blocks as `dojo-sweep run` does, into a folder that goes away.

    Args:
        plan: The plan.
        game: Its game.
        folder: Where to make that folder.
        make: Makes the backend.
        room: Is filled with what the tables take, if it is empty.
    """
    watched: list[_Watched] = []

    def watch(job: Job) -> Backend:
        watched.append(_Watched(make(job)))
        return watched[-1]  # type: ignore[return-value]

    with tempfile.TemporaryDirectory(prefix=".bench-", dir=folder) as here:
        asked, asked_cpu = time.perf_counter(), time.thread_time()
        result = run(plan, game, at(here) / plan.name, watch, Listener())
        ended, ended_cpu = time.perf_counter(), time.thread_time()
        if not room and plan.record == "plays":
            room |= _room(plan, game, Path(here))
    (seen,) = watched
    seconds = ended - seen.began
    cores = seconds * seen.backend.workers
    spent = {
        "play": result.played,
        "storing": seen.on_blocks - result.played,
        "merging": seen.on_merging,
        "ending": cores * (1 - result.seconds / seconds),
    }
    parts = {part: took / cores for part, took in spent.items()}
    return Sample(
        rate=result.plays / seconds,
        parts=parts | {"waiting": 1 - sum(parts.values())},
        start=seen.began - asked,
        driver=(ended_cpu - asked_cpu) / seen.blocks,
        memory=seen.memory,
    )


def _room(plan: Plan, game: Game, results: Path) -> dict[str, Room]:
    """Return what the tables of plays take, and how little they could, a column by itself."""
    found = {}
    with connect(results, plan.name) as con:
        for table, columns in zip(ROWS, (game.play_columns, game.seat_columns), strict=True):
            size = sum(path.stat().st_size for path in (results / plan.name / table).iterdir())
            bits = " + ".join(f"entropy({column.name})" for column in columns)
            (entropy,) = con.sql(
                f"SELECT sum(n * bits) / 8 FROM (SELECT count(*) AS n, {bits} AS bits FROM {table}"
                " GROUP BY point)"
            ).fetchall()[0]
            found[table] = Room(size / plan.plays_planned, entropy / plan.plays_planned)
    return found


def _phases(plan: Plan, game: Game, folder: Path, blocks: Sequence[Block]) -> dict[str, float]:
    """Return what a block takes in each phase, on average over some of them."""
    chosen = blocks[:: max(1, len(blocks) // PHASE_BLOCKS)]
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=folder) as here:
        place = at(here)
        place.prepare(table_names(plan.record))
        marks = [list(_marks(plan, game, place, block)) for block in chosen]
    laps = ([end - begin for begin, end in itertools.pairwise(block)] for block in marks)
    means = map(statistics.mean, zip(*laps, strict=True))
    return dict(zip(PHASES, means, strict=True))


def _marks(plan: Plan, game: Game, place: Place, block: Block) -> Iterator[float]:
    """Play and publish a block; yield the time at its beginning and after each phase."""
    point = plan.find(block.point)
    yield time.perf_counter()
    setup = plan.setup(game, point)
    yield time.perf_counter()
    out, _ = play_plays(game, setup, plan.seed, block)
    yield time.perf_counter()
    tables = tables_of(game, setup, block, out, plan.record)
    yield time.perf_counter()
    write_block(place, plan.record, block, tables)
    yield time.perf_counter()
