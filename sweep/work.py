"""What a worker does, wherever it runs: prepare a point, play a block, publish it, report back."""

from __future__ import annotations

import functools
import json
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from dojo_core.errors import DojoError
from dojo_core.game import Game, Setup
from dojo_core.kernel import engine_hash
from sweep.blocks import BlockStoppedError, Tables, play_block
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
        token: What the lock in that folder says: a folder of the same name elsewhere says another.
        shared: Whether workers see that folder; else they send the tables back.
    """

    game: Game
    plan: Plan
    folder: Place
    token: str = ""
    shared: bool = True

    def sees_folder(self) -> bool:
        """Tell whether this process sees the very folder that the run has locked."""
        try:
            seen: bool = json.loads(self.folder.read(LOCK))["token"] == self.token
        except (OSError, ValueError, KeyError):
            return False
        return seen


@dataclass(frozen=True)
class Outcome:
    """What came of a block. Exactly one of the other fields is set, none when it was given up.

    Attributes:
        block: The block.
        chunk: It was published.
        tables: It was played, and its tables are to be published by the receiver.
        failure: It raised: the traceback.
        fatal: Nothing can go on: the sentence for the user.
    """

    block: Block
    chunk: Chunk | None = None
    tables: Tables | None = None
    failure: str | None = None
    fatal: str | None = None


class Worker:
    """Plays blocks of one job, keeping recently prepared points."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._points = {point.id: point for point in job.plan.points}
        self._setup = functools.lru_cache(SETUPS_KEPT)(self._prepare)

    def _prepare(self, point: str) -> Setup:
        return self.job.plan.setup(self.job.game, self._points[point])

    def warm(self) -> None:
        """Play one play, so that everything is compiled."""
        job = self.job
        setup = self._setup(job.plan.points[0].id)
        job.game.play(setup, job.plan.seed, 0, 1, job.game.out(setup, 1))

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
        job = self.job
        try:
            setup = self._setup(block.point)
            tables = play_block(job.game, setup, job.plan.seed, block, job.plan.record, stop)
            if not job.shared:
                return Outcome(block, tables=tables)
            return Outcome(block, write_block(job.folder, job.plan.record, block, tables))
        except BlockStoppedError:
            return Outcome(block)
        except DojoError as error:
            if error.exit_code == STORAGE_TROUBLE:
                return Outcome(block, fatal=str(error))
            return Outcome(block, failure=traceback.format_exc())
        except Exception:
            return Outcome(block, failure=traceback.format_exc())
