"""What a worker does, wherever it runs: play a block and publish it, or merge what is stored."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import platform
import resource
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numba
import pyarrow as pa

from dojo_core.errors import DojoError
from dojo_core.game import Game, Setup
from dojo_core.kernel import engine_hash, plain_python
from sweep.blocks import BlockStoppedError, Tables, play_plays, tables_of
from sweep.places import LOCK, STORAGE_TROUBLE, Place
from sweep.plan import Block, Plan
from sweep.store import Chunk, Group, Merged, merge_chunks, write_block

SETUPS_KEPT = 64

SAME_EVERYWHERE = "install the same dojo-sweep on every node"

Work = Block | Group  # plays to be played, or stored chunks to be put together


@functools.cache
def sweep_sources() -> str:
    """Return 16 hex digits that name the sources by which a sweep is run and stored."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def most_memory() -> int:
    """Return the most bytes of memory that this process has taken so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass(frozen=True)
class Job:
    """All that a worker needs, sent to each process once.

    Attributes:
        game: The game itself, so that a worker needs no registry.
        plan: The plan.
        folder: The sweep's folder.
        token: What the lock in that folder says. A worker that reads the same there sees the
            driver's folder and publishes in it; any other, though a folder of that name may exist
            there too, sends its tables back.
        sources: The hash of the sweep's own sources, where the run is.
    """

    game: Game
    plan: Plan
    folder: Place
    token: str
    sources: str = field(default_factory=sweep_sources)

    def sees_folder(self) -> bool:
        """Tell whether this process sees the very folder that the run has locked."""
        try:
            seen: bool = json.loads(self.folder.read(LOCK))["token"] == self.token
        except (OSError, ValueError, KeyError):
            return False
        return seen


@dataclass(frozen=True)
class Outcome:
    """What came of a block or a group. One of chunk to fatal is set; none when it was given up.

    Attributes:
        work: The block, or the group of chunks.
        chunk: The block was published.
        tables: The block was played, and its tables are to be published by the receiver.
        merged: The group was put together.
        failure: It raised: the traceback.
        lost: Its worker is gone: how, in words. It may be tried again.
        fatal: Nothing can go on: the sentence for the user.
        played: Seconds of one core in the game's compiled code.
        took: Seconds in all, from preparing the point to publishing the rows.
        memory: The most bytes that the process has taken so far.
    """

    work: Work
    chunk: Chunk | None = None
    tables: Tables | None = None
    merged: Merged | None = None
    failure: str | None = None
    lost: str | None = None
    fatal: str | None = None
    played: float = 0.0
    took: float = 0.0
    memory: int = 0


class Worker:
    """Does the work of one job, keeping recently prepared points."""

    def __init__(self, job: Job) -> None:
        pa.set_memory_pool(pa.system_memory_pool())  # others keep for long what merging took
        self.job = job
        self._points = {point.id: point for point in job.plan.points}
        self._shared = job.sees_folder()
        self._setup = functools.lru_cache(SETUPS_KEPT)(self._prepare)
        self._warm = False

    def _prepare(self, point: str) -> Setup:
        return self.job.plan.setup(self.job.game, self._points[point])

    def warm(self, point: str) -> None:
        """Play one play of `point`, so that everything is compiled; one process a node does it."""
        if self._warm:
            return
        self._warm = True
        with contextlib.suppress(Exception), _compiling_once(self.job.plan.game):
            # whatever is wrong with the point, the block that plays it will tell
            setup = self._setup(point)
            self.job.game.play(setup, self.job.plan.seed, 0, 1, self.job.game.out(setup, 1))

    def trouble(self) -> str | None:
        """Return a sentence if this process would play by other rules, or store in another way."""
        here, sources = engine_hash(self.job.plan.game), sweep_sources()
        if here != self.job.plan.engine:
            other = f"other rules installed than the plan (engine {here}, expected"
            return f"a worker has {other} {self.job.plan.engine}); {SAME_EVERYWHERE}"
        if sources != self.job.sources:
            other = f"another dojo-sweep installed than the driver (sources {sources}, expected"
            return f"a worker has {other} {self.job.sources}); {SAME_EVERYWHERE}"
        return None

    def do(self, work: Work, stop: Callable[[], bool] = lambda: False) -> Outcome:
        """Do some work; whatever goes wrong is in the outcome, not raised."""
        began = time.perf_counter()
        try:
            outcome = self._merge(work) if isinstance(work, Group) else self._play(work, stop)
        except BlockStoppedError:
            outcome = Outcome(work)
        except DojoError as error:
            if error.exit_code == STORAGE_TROUBLE:
                outcome = Outcome(work, fatal=str(error))
            else:
                outcome = Outcome(work, failure=traceback.format_exc())
        except Exception:
            outcome = Outcome(work, failure=traceback.format_exc())
        return replace(outcome, took=time.perf_counter() - began, memory=most_memory())

    def _play(self, block: Block, stop: Callable[[], bool]) -> Outcome:
        """Play and publish a block."""
        job = self.job
        self.warm(block.point)
        setup = self._setup(block.point)
        out, played = play_plays(job.game, setup, job.plan.seed, block, stop)
        tables = tables_of(job.game, setup, block, out, job.plan.record)
        if not self._shared:
            return Outcome(block, tables=tables, played=played)
        chunk = write_block(job.folder, job.plan.record, block, tables)
        return Outcome(block, chunk, played=played)

    def _merge(self, group: Group) -> Outcome:
        """Put chunks together; without the folder in sight that is left to the receiver."""
        job = self.job
        if not self._shared:
            return Outcome(group)
        merged = merge_chunks(job.folder, job.game, job.plan.record, group)
        pa.default_memory_pool().release_unused()  # glibc would keep what merging took
        return Outcome(group, merged=merged)


@contextlib.contextmanager
def _compiling_once(game: str) -> Iterator[None]:
    """Let one process of this machine compile while the others wait, then load what it compiled.

    Numba alone would let every process that starts at the same time compile for itself. The lock's
    file is empty until somebody has compiled; a killed process lets go of it by itself. Plain
    Python compiles nothing, and must not leave word that it did.
    """
    if plain_python():
        yield
        return
    path = Path(numba.config.CACHE_DIR) / f"{game}-{platform.node()}.compiled"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        if os.fstat(file.fileno()).st_size == 0:
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_size > 0:
            fcntl.flock(file, fcntl.LOCK_UN)
            yield
            return
        yield
        file.write(b"compiled")
