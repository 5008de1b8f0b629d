"""What a worker does, wherever it runs: prepare a point, play a block, publish it, report back."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import platform
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numba

from dojo_core.errors import DojoError
from dojo_core.game import Game, Setup
from dojo_core.kernel import engine_hash
from sweep.blocks import BlockStoppedError, Tables, play_plays, tables_of
from sweep.places import LOCK, STORAGE_TROUBLE, Place
from sweep.plan import Block, Plan
from sweep.store import Chunk, write_block

SETUPS_KEPT = 64


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
    """

    game: Game
    plan: Plan
    folder: Place
    token: str

    def sees_folder(self) -> bool:
        """Tell whether this process sees the very folder that the run has locked."""
        try:
            seen: bool = json.loads(self.folder.read(LOCK))["token"] == self.token
        except (OSError, ValueError, KeyError):
            return False
        return seen


@dataclass(frozen=True)
class Outcome:
    """What came of a block. Exactly one of chunk to fatal is set, none when it was given up.

    Attributes:
        block: The block.
        chunk: It was published.
        tables: It was played, and its tables are to be published by the receiver.
        failure: It raised: the traceback.
        lost: Its worker is gone: how, in words. It may be played again.
        fatal: Nothing can go on: the sentence for the user.
        played: Seconds of one core in the game's compiled code.
        took: Seconds in all, from preparing the point to publishing the rows.
    """

    block: Block
    chunk: Chunk | None = None
    tables: Tables | None = None
    failure: str | None = None
    lost: str | None = None
    fatal: str | None = None
    played: float = 0.0
    took: float = 0.0


class Worker:
    """Plays blocks of one job, keeping recently prepared points."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._points = {point.id: point for point in job.plan.points}
        self._shared = job.sees_folder()
        self._setup = functools.lru_cache(SETUPS_KEPT)(self._prepare)

    def _prepare(self, point: str) -> Setup:
        return self.job.plan.setup(self.job.game, self._points[point])

    def warm(self, point: str) -> None:
        """Play one play of `point`, so that everything is compiled; one process a node does it."""
        with contextlib.suppress(Exception), _compiling_once(self.job.plan.game):
            # whatever is wrong with the point, the block that plays it will tell
            setup = self._setup(point)
            self.job.game.play(setup, self.job.plan.seed, 0, 1, self.job.game.out(setup, 1))

    def engine_trouble(self) -> str | None:
        """Return a sentence if this process would play by other rules than the plan's."""
        here = engine_hash(self.job.plan.game)
        if here == self.job.plan.engine:
            return None
        return (
            f"a worker has other rules installed than the plan (engine {here}, expected"
            f" {self.job.plan.engine}); install the same dojo-sweep on every node"
        )

    def do(self, block: Block, stop: Callable[[], bool] = lambda: False) -> Outcome:
        """Play and publish `block`; whatever goes wrong is in the outcome, not raised."""
        began = time.perf_counter()
        outcome = self._do(block, stop)
        return replace(outcome, took=time.perf_counter() - began)

    def _do(self, block: Block, stop: Callable[[], bool]) -> Outcome:
        job = self.job
        try:
            setup = self._setup(block.point)
            out, played = play_plays(job.game, setup, job.plan.seed, block, stop)
            tables = tables_of(job.game, setup, block, out, job.plan.record)
            if not self._shared:
                return Outcome(block, tables=tables, played=played)
            chunk = write_block(job.folder, job.plan.record, block, tables)
            return Outcome(block, chunk, played=played)
        except BlockStoppedError:
            return Outcome(block)
        except DojoError as error:
            if error.exit_code == STORAGE_TROUBLE:
                return Outcome(block, fatal=str(error))
            return Outcome(block, failure=traceback.format_exc())
        except Exception:
            return Outcome(block, failure=traceback.format_exc())


@contextlib.contextmanager
def _compiling_once(game: str) -> Iterator[None]:
    """Let one process of this machine compile while the others wait, then load what it compiled.

    Numba alone would let every process that starts at the same time compile for itself. The lock's
    file is empty until somebody has compiled; a killed process lets go of it by itself.
    """
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
