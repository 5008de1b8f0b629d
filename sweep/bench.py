"""What storing plays costs: the same blocks with nothing stored, in threads, and on Ray.

All ways take turns in one run on one machine, so that their ratios hold although a busy machine
changes every rate. Each way is gone once unmeasured, so that all is compiled and started.
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
from sweep.calibration import block_exponent
from sweep.listener import Listener
from sweep.places import Place, at
from sweep.plan import Block, Plan, missing_blocks
from sweep.runner import run
from sweep.schemas import table_names
from sweep.store import write_block
from sweep.work import Job, Outcome

BARE, THREADS, RAY = "bare", "threads", "ray"
PHASES = ("prepare", "play", "encode", "write")
PHASE_BLOCKS = 8  # played one after another to see where a block's time goes

Make = Callable[[Job], Backend]


@dataclass(frozen=True)
class Sample:
    """One way gone once.

    Attributes:
        rate: Plays a second.
        share: What part of the cores' time was compiled play, 0 to 1.
        inside: Seconds a block took of its worker besides compiled play.
        between: Seconds a block of a core's time in which no block was played.
        play_bytes: Bytes on disk a play, once merged.
    """

    rate: float
    share: float
    inside: float = 0.0
    between: float = 0.0
    play_bytes: float = 0.0


@dataclass(frozen=True)
class Report:
    """What a bench measured.

    Attributes:
        sweep: The plan's name.
        workers: Cores at work.
        blocks: Blocks of each sample.
        plays: Plays of each sample.
        block_seconds: Seconds of compiled play in a block.
        phases: Mean seconds of a block in each of `PHASES`, one block at a time.
        samples: The samples of each way, in the order in which they were taken.
    """

    sweep: str
    workers: int
    blocks: int
    plays: int
    block_seconds: float
    phases: dict[str, float]
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def ratios(self, way: str) -> list[float]:
        """Return the rates of a way, each divided by the bare one of the same turn."""
        pairs = zip(self.samples[way], self.samples[BARE], strict=True)
        return [sample.rate / bare.rate for sample, bare in pairs]


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
    blocks = list(missing_blocks(plan.points, {}, plan.exponent))
    goes: dict[str, Callable[[], Sample]] = {BARE: lambda: _bare(plan, game, blocks, workers)}
    for way, make in ways.items():
        goes[way] = functools.partial(_stored, plan, game, folder, make)
    samples: dict[str, list[Sample]] = {way: [] for way in goes}
    for turn in range(repeats + 1):
        tell(f"turn {turn} of {repeats}" if turn else "warming up")
        for way, go in goes.items():
            sample = go()
            if turn:
                samples[way].append(sample)
    phases = _phases(plan, game, folder, blocks)
    return Report(
        plan.name, workers, len(blocks), plan.plays_planned, phases["play"], phases, samples
    )


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, the least and the greatest."""
    return statistics.median(values), min(values), max(values)


class _Watched:
    """A backend that remembers what its blocks took; all else is the backend's own."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.took: list[float] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._backend, name)

    def collect(self, seconds: float) -> list[Outcome]:
        """Return the blocks that ended, waiting for one at most so long."""
        ended = self._backend.collect(seconds)
        self.took += [outcome.took for outcome in ended]
        return ended


def _bare(plan: Plan, game: Game, blocks: Sequence[Block], workers: int) -> Sample:
    """Play all blocks in a thread a core, and keep nothing."""
    setups = {point.id: plan.setup(game, point) for point in plan.points}

    def play(block: Block) -> float:
        return play_plays(game, setups[block.point], plan.seed, block)[1]

    began = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        played = sum(pool.map(play, blocks))
    seconds = time.perf_counter() - began
    return Sample(plan.plays_planned / seconds, played / (seconds * workers))


def _stored(plan: Plan, game: Game, folder: Path, make: Make) -> Sample:
    """Play all blocks as `dojo-sweep run` does, into a folder that goes away."""
    watched: list[_Watched] = []

    def watch(job: Job) -> Backend:
        watched.append(_Watched(make(job)))
        return watched[-1]  # type: ignore[return-value]

    with tempfile.TemporaryDirectory(prefix=".bench-", dir=folder) as here:
        result = run(plan, game, at(here) / plan.name, watch, Listener())
        size = sum(path.stat().st_size for path in Path(here).rglob("*.arrow"))
    took, count = sum(watched[0].took), len(watched[0].took)
    return Sample(
        rate=result.plays / result.seconds,
        share=result.share_in_play,
        inside=(took - result.played) / count,
        between=(result.available - took) / count,
        play_bytes=size / plan.plays_planned,
    )


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
