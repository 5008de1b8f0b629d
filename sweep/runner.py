"""Runs a plan: what is missing is played, published, merged and summarised.

    run
      Store.open            hold the folder, recover what is there
      in_turn               what the stored ranges leave open, in blocks
      _fan_out              keep the backend's window full; collect what ends
        Backend.submit      -> Worker.do -> play_plays, write_block; or merge_chunks
        _settle_block       a chunk counts, a lost block goes again, a failure becomes a row
        _settle_group       a merged chunk counts instead of the small ones
      Store.merge           the small files that are left become large ones
      write_points          the table of points

Three severities (RUNNING.md tells what each fault costs):

- this block failed: it raised, or its worker was lost `TRIES` times. It becomes a row with its
  traceback and the command that repeats it; the others go on; the run ends with exit code 1.
- stop this sweep: too many blocks fail, a node has other rules, the folder is another's now. What
  has ended is still kept; one sentence.
- stop now: the folder is full or cannot be written, or the user asks a second time.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep.backends import Backend
from sweep.calibration import in_turn
from sweep.journal import DONE, FAILED, GAVE_UP, STOPPED, journal
from sweep.listener import Listener, Listeners
from sweep.places import STORAGE_TROUBLE, Place
from sweep.plan import Block, Plan, Ranges, joined, missing_blocks, plays_stored
from sweep.store import FAILURES, Group, Store, write_block
from sweep.summary import PointSums, Tally, write_points
from sweep.work import Job, Outcome

REFRESH_SECONDS = 5.0  # between two tables of points while the sweep runs
POLL_SECONDS = 0.5
TRIES = 4  # of a block whose worker is lost
FIRST_FAILURES = 20  # when nothing but failures has come by then, the mistake is everywhere
MOST_FAILURES = 1000


@dataclass
class Result:
    """How a run ended.

    Attributes:
        sums: The exact sums of everything stored for the plan.
        plays: Plays played in this run.
        seconds: How long it took, starting Ray and compiling apart.
        failures: Blocks that failed.
        losses: Times that a worker was lost while it played a block.
        interrupted: The user stopped it.
        gave_up: Why the sweep was stopped, in a sentence, when too many blocks failed.
        played: Seconds of cores in compiled play.
        available: Seconds of cores that there were, at work or not.
    """

    sums: PointSums
    plays: int = 0
    seconds: float = 0.0
    failures: int = 0
    losses: int = 0
    interrupted: bool = False
    gave_up: str | None = None
    played: float = 0.0
    available: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether every block was tried."""
        return not self.interrupted and self.gave_up is None

    @property
    def outcome(self) -> str:
        """The journal's word for how it ended."""
        if self.interrupted:
            return STOPPED
        if self.gave_up:
            return GAVE_UP
        return FAILED if self.failures else DONE

    @property
    def share_in_play(self) -> float:
        """What part of the cores' time was compiled play, 0 to 1."""
        return self.played / self.available if self.available else 0.0


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
    with store.open(), journal(store.folder, plan) as kept:
        store.write_plan()
        sweep_run = _Run(plan, game, store, Listeners(listener, kept))
        sweep_run.play_missing(backend)
        if sweep_run.result.complete:
            store.merge(finish=True)
            kept.write("merged", chunks=len(store.counted()))
        sweep_run.report_notes()
        result = sweep_run.summarise()
        kept.end(result.outcome, result.gave_up, result.played)
        return result


@dataclass
class _Run:
    """The state of one run."""

    plan: Plan
    game: Game
    store: Store
    listener: Listener
    result: Result = field(default_factory=lambda: Result(PointSums()))
    # What failed, by the point and the number of the whole block: pieces of one count once.
    _failed: dict[tuple[str, int], Ranges] = field(default_factory=dict)
    _lost: Counter[Block] = field(default_factory=Counter)
    _again: deque[Block] = field(default_factory=deque)
    _fatal: str | None = None
    _tally: Tally = field(init=False)
    _notes_told: int = 0
    _refresh_after: float = 0.0

    def __post_init__(self) -> None:
        self._tally = Tally(self.store.folder, self.game, self.plan)

    def play_missing(self, backend: Callable[[Job], Backend]) -> None:
        """Play until nothing is missing but what failed; a second round follows a broken file."""
        self.report_notes()
        self.summarise()
        if not self._anything_missing():
            return
        played = backend(Job(self.game, self.plan, self.store.folder, self.store.token))
        started = time.monotonic()
        self._refresh_after = started + REFRESH_SECONDS
        try:
            self.listener = Listeners(self.listener, played.listener)
            self.listener.joined(played)
            self.listener.started(self._stored(), self.plan.plays_planned, played.workers)
            while self.result.complete and self._anything_missing():
                self._fan_out(played, in_turn(self.plan, self._tried(), lambda: played.workers))
        except KeyboardInterrupt:
            self.result.interrupted = True
        finally:
            with contextlib.suppress(DojoError):  # already told, or told by the next save
                self._settle_all(played.stop())
            self.listener.ended()
            played.close()
            self.result.seconds = time.monotonic() - started

    def report_notes(self) -> None:
        """Tell the listener what the store set aside since the last time."""
        for note in self.store.notes[self._notes_told :]:
            self.listener.set_aside(note)
        self._notes_told = len(self.store.notes)

    def summarise(self) -> Result:
        """Write the table of points and return the result with the sums of all that is stored."""
        folder = self.store.folder
        self.store.save()
        self.result.sums = self._tally.sums(self.store.counted())
        write_points(folder, self.game, self.plan, self.result.sums)
        return self.result

    def _anything_missing(self) -> bool:
        blocks = missing_blocks(self.plan.points, self._tried(), self.plan.exponent)
        return next(blocks, None) is not None

    def _tried(self) -> dict[str, Ranges]:
        """Return the ranges of plays, by point, that are stored or whose block failed."""
        tried = self.store.covered()
        for (point, _), ranges in self._failed.items():
            tried[point] = joined([*tried.get(point, []), *ranges])
        return tried

    def _stored(self) -> int:
        return plays_stored(self.plan.points, self.store.covered())

    def _fan_out(self, backend: Backend, blocks: Iterator[Block]) -> None:
        under_way = plays = 0
        more = True
        looked = time.monotonic()
        while self.result.complete and (more or under_way):
            while more and under_way < backend.window:
                block = self._again.popleft() if self._again else next(blocks, None)
                more = block is not None
                if block:
                    backend.submit(block)
                    self.listener.begun(block)
                    under_way += 1
                    plays += block.plays
            ended = backend.collect(POLL_SECONDS)
            under_way -= len(ended)
            plays -= sum(end.work.plays for end in ended if isinstance(end.work, Block))
            now = time.monotonic()
            self.result.available += backend.workers * (now - looked)
            looked = now
            self._settle_all(ended)
            more = more or bool(self._again)
            while group := self.store.group_to_merge(None if more else plays):
                backend.submit(group)
                under_way += 1
            self._refresh()

    def _settle_all(self, ended: Iterable[Outcome]) -> None:
        """Settle what ended, all of it, before trouble with one of them stops the sweep."""
        for outcome in ended:
            self._fatal = self._fatal or outcome.fatal
            if isinstance(outcome.work, Group):
                self._settle_group(outcome.work, outcome)
            else:
                self._settle_block(outcome.work, outcome)
        if self._fatal:
            raise DojoError(self._fatal, STORAGE_TROUBLE)

    def _settle_group(self, group: Group, outcome: Outcome) -> None:
        """Let merged chunks count. What no worker could merge is merged here."""
        if outcome.merged and not self._fatal:
            self.store.replace(outcome.merged)
        elif not self._fatal:
            self.store.merge_here(group)

    def _settle_block(self, block: Block, outcome: Outcome) -> None:
        self.result.played += outcome.played
        if outcome.lost:
            self._play_again(block, outcome.lost)
        if outcome.failure:
            self._fail(block, outcome.failure)
        chunk = outcome.chunk
        if outcome.tables:
            chunk = write_block(self.store.folder, self.plan.record, block, outcome.tables)
        if chunk:
            self.store.add(chunk)
            self.result.plays += block.plays
            self.listener.advanced(block.plays)

    def _play_again(self, block: Block, how: str) -> None:
        """Let a block whose worker was lost be played again, but not for ever."""
        self.result.losses += 1
        self._lost[block] += 1
        words = f"a worker was lost while playing {_words(block)} ({how})"
        if self._lost[block] < TRIES:
            self._again.append(block)
            words += f"; it is played again, try {self._lost[block] + 1} of {TRIES}"
            self.listener.lost(block, how, words)
        else:
            self._fail(block, f"each of {TRIES} workers was lost while playing it: {how}")

    def _fail(self, block: Block, trouble: str) -> None:
        """Note a block that failed, and give the sweep up when too many do."""
        whole = (block.point, block.first >> self.plan.exponent)
        self._failed.setdefault(whole, []).append((block.first, block.end))
        self.result.failures += 1
        error = trouble.strip().splitlines()[-1]
        self._note_failure(block, trouble, error)
        self.listener.failed(block, error, f"{_words(block)} failed: {error}")
        failures = len(self._failed)
        if failures == FIRST_FAILURES and not self.result.plays:
            self.result.gave_up = (
                f"the first {failures} blocks all failed, so the others would too; mend what"
                f" {self.store.folder.path(FAILURES)} tells and run again"
            )
        elif failures == MOST_FAILURES:
            self.result.gave_up = (
                f"{failures:,} blocks failed; mend what {self.store.folder.path(FAILURES)} tells"
                " and run again: what is finished is kept"
            )

    def _note_failure(self, block: Block, trouble: str, error: str) -> None:
        """Store the failure's row."""
        results = self.store.folder.parent
        command = (
            f"dojo-sweep block {self.store.folder.name} {block.point} {block.first} {block.plays}"
            f" --results {results}"
        )
        row = {
            "point": block.point,
            "first": block.first,
            "plays": block.plays,
            "error": error,
            "traceback": trouble,
            "command": command,
        }
        self.store.note_failure(row)

    def _refresh(self) -> None:
        """Now and then tell what was set aside, and write the table of points."""
        self.report_notes()
        now = time.monotonic()
        if now > self._refresh_after:
            self.summarise()
            self._refresh_after = time.monotonic() + max(
                REFRESH_SECONDS, 20 * (time.monotonic() - now)
            )


def _words(block: Block) -> str:
    return f"plays {block.first} to {block.end - 1} of point {block.point}"
