"""Runs a plan: what is missing is played, published, merged and summarised.

    run
      Store.open            hold the folder, recover what is there
      missing_blocks        what the stored ranges leave open
      _fan_out              keep the backend's window full; collect what ends
        Backend.submit      -> Worker.do -> play_block, write_block
        _settle             a chunk counts, a failure becomes a row, trouble with storage stops
      Store.merge           small files become large ones
      write_points          the table of points

Three severities: a block that raises is noted and the others go on; a lost worker's block is
played again; a folder that cannot be written stops the sweep at once with one sentence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep.backends import Backend
from sweep.places import STORAGE_TROUBLE, Place
from sweep.plan import Block, Plan, missing_blocks
from sweep.store import Store, write_block
from sweep.summary import PointSums, point_sums, write_points
from sweep.work import Job, Outcome

REFRESH_SECONDS = 5.0  # between two tables of points while the sweep runs
POLL_SECONDS = 0.5


class Listener(Protocol):
    """Hears how a run goes."""

    def started(self, plays_done: int, plays_planned: int, workers: int) -> None:
        """Blocks begin to be played."""

    def advanced(self, plays: int) -> None:
        """So many more plays are stored."""

    def noted(self, sentence: str) -> None:
        """Something the user should know."""

    def ended(self) -> None:
        """No more blocks are played."""


@dataclass
class Result:
    """How a run ended.

    Attributes:
        sums: The exact sums of everything stored for the plan.
        plays: Plays played in this run.
        seconds: How long it took, starting Ray and compiling apart.
        failures: Blocks that raised.
        interrupted: The user stopped it.
    """

    sums: PointSums
    plays: int = 0
    seconds: float = 0.0
    failures: int = 0
    interrupted: bool = False


def run(
    plan: Plan,
    game: Game,
    folder: Place,
    backend: Callable[[Job], Backend],
    listener: Listener,
) -> Result:
    """Play what is missing of `plan` and return how it went. Running again resumes.

    Args:
        plan: The plan, calibrated.
        game: Its game.
        folder: The sweep's folder.
        backend: Makes the backend for the job; it is not made when nothing is missing.
        listener: Hears how it goes.

    Raises:
        DojoError: The folder cannot be used, or the backend cannot start.
    """
    store = Store(folder.absolute(), game, plan)
    with store.open():
        store.write_plan()
        sweep_run = _Run(plan, game, store, listener)
        sweep_run.play_missing(backend)
        if not sweep_run.result.interrupted:
            store.merge(finish=True)
        sweep_run.report_notes()
        return sweep_run.summarise()


@dataclass
class _Run:
    """The state of one run."""

    plan: Plan
    game: Game
    store: Store
    listener: Listener
    result: Result = field(default_factory=lambda: Result(PointSums({})))
    _failed: set[Block] = field(default_factory=set)
    _notes_told: int = 0
    _refresh_after: float = 0.0

    def play_missing(self, backend: Callable[[Job], Backend]) -> None:
        """Play until nothing is missing but what failed; a second round follows a broken file."""
        self.report_notes()
        self.summarise()
        if next(self._missing(), None) is None:
            return
        played = backend(Job(self.game, self.plan, self.store.folder, self.store.token))
        started = time.monotonic()
        self._refresh_after = started + REFRESH_SECONDS
        try:
            self.listener.started(self._stored(), self.plan.plays_planned, played.workers)
            while next(self._missing(), None) is not None:
                self._fan_out(played, self._missing())
        except KeyboardInterrupt:
            self.result.interrupted = True
            for outcome in played.collect(0):
                self._settle(outcome)
        finally:
            self.listener.ended()
            played.stop()
            played.close()
            self.result.seconds = time.monotonic() - started

    def report_notes(self) -> None:
        """Tell the listener what the store set aside since the last time."""
        for note in self.store.notes[self._notes_told :]:
            self.listener.noted(note)
        self._notes_told = len(self.store.notes)

    def summarise(self) -> Result:
        """Write the table of points and return the result with the sums of all that is stored."""
        folder = self.store.folder
        self.store.save()
        self.result.sums = point_sums(folder, self.game, self.plan, self.store.counted())
        write_points(folder, self.game, self.plan, self.result.sums)
        return self.result

    def _missing(self) -> Iterator[Block]:
        plan = self.plan
        blocks = missing_blocks(plan.points, self.store.covered(), plan.exponent)
        return (block for block in blocks if block not in self._failed)

    def _stored(self) -> int:
        left = sum(block.plays for block in self._missing())
        return self.plan.plays_planned - left

    def _fan_out(self, backend: Backend, blocks: Iterator[Block]) -> None:
        under_way = 0
        more = True
        while more or under_way:
            while more and under_way < backend.window:
                block = next(blocks, None)
                if block is None:
                    more = False
                else:
                    backend.submit(block)
                    under_way += 1
            for outcome in backend.collect(POLL_SECONDS):
                under_way -= 1
                self._settle(outcome)
            self._refresh()

    def _settle(self, outcome: Outcome) -> None:
        block = outcome.block
        if outcome.fatal:
            raise DojoError(outcome.fatal, STORAGE_TROUBLE)
        if outcome.failure:
            self._failed.add(block)
            self.result.failures += 1
            self.listener.noted(self._note_failure(block, outcome.failure))
            return
        chunk = outcome.chunk
        if outcome.tables:
            chunk = write_block(self.store.folder, self.plan.record, block, outcome.tables)
        if chunk:
            self.store.add(chunk)
            self.result.plays += block.plays
            self.listener.advanced(block.plays)

    def _note_failure(self, block: Block, trouble: str) -> str:
        """Store the failure's row; return the sentence that tells of it."""
        results = self.store.folder.parent
        command = (
            f"dojo-sweep block {self.store.folder.name} {block.point} {block.first} {block.plays}"
            f" --results {results}"
        )
        error = trouble.strip().splitlines()[-1]
        row = {
            "point": block.point,
            "first": block.first,
            "plays": block.plays,
            "error": error,
            "traceback": trouble,
            "command": command,
        }
        self.store.note_failure(row)
        return f"plays {block.first} to {block.end - 1} of point {block.point} failed: {error}"

    def _refresh(self) -> None:
        """Now and then tell what was set aside, and write the table of points."""
        self.report_notes()
        now = time.monotonic()
        if now > self._refresh_after:
            self.summarise()
            self._refresh_after = time.monotonic() + max(
                REFRESH_SECONDS, 20 * (time.monotonic() - now)
            )
