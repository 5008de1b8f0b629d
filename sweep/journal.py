"""The journal of a sweep: what each run of it was, how far it came, and what happened in it.

A run has a record, ``runs/0001.json``, published again every second or so while it goes on, and a
log, ``runs/0001.jsonl``, an event a line. Both are for people and for `dojo-sweep status` and
`show`: nothing that decides what is played reads them.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from dojo_core.errors import DojoError
from sweep.listener import Listener
from sweep.places import Place
from sweep.plan import Block, Plan, versions
from sweep.provenance import commit

if TYPE_CHECKING:
    from sweep.backends import Backend

FORMAT = 1
RUNS = "runs"
SAVE_EVERY = 1.0  # seconds between two records of a run
PROGRESS_EVERY = 10.0  # seconds between two lines that tell how far it is

RUNNING = "running"
DONE = "done"
FAILED = "failed"  # some blocks failed
STOPPED = "stopped"  # by the user
GAVE_UP = "gave up"  # too many blocks failed
TROUBLE = "trouble"  # an error, which the record names, ended the run
KILLED = "killed"  # the record says `RUNNING`, but no process holds the sweep


@dataclass(frozen=True)
class Run:
    """One run of a sweep, as its record tells it.

    Attributes:
        number: From 1, in the order in which the runs of a sweep began.
        plan: The hash of the plan that was run.
        command: The words of the command line.
        started: When, in seconds since 1970 by the clock of that machine.
        host: The machine's name.
        process: The id of the process there.
        cores: How many cores that process might use.
        engine: The hash of the sources that decide how a play goes.
        versions: Versions of this project and of what it stands on.
        commit: The commit of the sources; None where git does not keep them.
        dirty: Whether they differed from it.
        backend: ``threads`` or ``ray``; None when nothing had to be played.
        address: The Ray cluster's address, if one was named.
        workers: How many blocks were played at a time when it began.
        outcome: One of the words above.
        error: The sentence that ended it, if an error did.
        seconds: How long it took, by a clock that nobody sets.
        starting: How many of them passed before blocks began to be played.
        plays: Plays stored.
        plays_begun: Plays of the blocks handed out, those handed out again included.
        plays_left: Plays still missing.
        blocks: Blocks stored.
        blocks_begun: Blocks handed out.
        failures: Blocks that failed for good.
        retries: Times that a worker was lost while it played a block.
        play_seconds: Seconds of cores in compiled play; None while it is not known.
    """

    number: int
    plan: str
    command: list[str]
    started: float
    host: str
    process: int
    cores: int
    engine: str
    versions: dict[str, str]
    commit: str | None
    dirty: bool | None
    backend: str | None = None
    address: str | None = None
    workers: int = 0
    outcome: str = RUNNING
    error: str | None = None
    seconds: float = 0.0
    starting: float = 0.0
    plays: int = 0
    plays_begun: int = 0
    plays_left: int = 0
    blocks: int = 0
    blocks_begun: int = 0
    failures: int = 0
    retries: int = 0
    play_seconds: float | None = None

    @property
    def rate(self) -> float:
        """Plays stored a second, since blocks began to be played."""
        playing = self.seconds - self.starting
        return self.plays / playing if playing > 0 else 0.0

    @property
    def share_in_play(self) -> float | None:
        """What part of the workers' time was compiled play, as if their number never changed."""
        there = self.workers * (self.seconds - self.starting)
        return self.play_seconds / there if self.play_seconds is not None and there > 0 else None

    @property
    def blocks_under_way(self) -> int:
        """Blocks handed out of which nothing is known yet."""
        return self.blocks_begun - self.blocks - self.failures - self.retries

    def to_json(self) -> str:
        """Return the record's text; `from_json` reads it back."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1)

    @staticmethod
    def from_json(text: str | bytes) -> Run:
        """Return the run that a record tells of.

        Raises:
            ValueError: It is no record of this format.
        """
        content = json.loads(text)
        known = {field.name for field in fields(Run)}
        if content.get("format") != FORMAT or not known.issuperset(content.keys() - {"format"}):
            raise ValueError("not a record of this format")
        del content["format"]
        try:
            return Run(**content)
        except TypeError as error:
            raise ValueError(str(error)) from error


def record_name(number: int) -> str:
    """Return the name of a run's record in the sweep's folder."""
    return f"{RUNS}/{number:04}.json"


def log_name(number: int) -> str:
    """Return the name of a run's log in the sweep's folder."""
    return f"{RUNS}/{number:04}.jsonl"


def run_numbers(folder: Place) -> list[int]:
    """Return the numbers of the runs that a sweep's folder tells of, in order."""
    found = (re.fullmatch(r"(\d+)\.json", name) for name in folder.files(RUNS))
    return sorted(int(match[1]) for match in found if match)


def read_run(folder: Place, number: int, running: bool) -> Run | None:
    """Return one run of a sweep, or None if its record cannot be read.

    Args:
        folder: The sweep's folder.
        number: The run's number.
        running: Whether a process holds the sweep now: if none does, a record that was never
            ended tells of a run that was killed.
    """
    try:
        run = Run.from_json(folder.read(record_name(number)))
    except (OSError, ValueError, AttributeError):
        return None
    return replace(run, outcome=KILLED) if run.outcome == RUNNING and not running else run


def read_runs(folder: Place) -> list[Run]:
    """Return the runs of a sweep, the first one first. Only the last can still be going on."""
    numbers = run_numbers(folder)
    running = folder.is_locked()
    found = [read_run(folder, n, running and n == numbers[-1]) for n in numbers]
    return [run for run in found if run]


def last_run(folder: Place) -> Run | None:
    """Return the last run of a sweep; None if there was none, or its record cannot be read."""
    numbers = run_numbers(folder)
    return read_run(folder, numbers[-1], folder.is_locked()) if numbers else None


class Journal(Listener):
    """Writes the record and the log of a run while it goes on.

    Attributes:
        run: The run so far.
    """

    def __init__(self, folder: Place, run: Run) -> None:
        self.run = run
        self._folder = folder
        self._began = time.monotonic()
        self._save_after = 0.0
        self._progress_after = self._began + PROGRESS_EVERY
        self._lines: list[str] = []  # where files cannot grow: all of the log
        self._unsaved_lines = False

    # What it hears

    def joined(self, backend: Backend) -> None:
        """Blocks will be played there."""
        self.run = replace(
            self.run, backend=backend.name, address=backend.address, workers=backend.workers
        )

    def started(self, plays_done: int, plays_planned: int, workers: int) -> None:
        """Blocks begin to be played."""
        starting = round(self._seconds(), 3)
        self.run = replace(self.run, plays_left=plays_planned - plays_done, starting=starting)
        self.write(
            "playing",
            plays_stored=plays_done,
            plays_planned=plays_planned,
            backend=self.run.backend,
            workers=workers,
        )
        self.save()

    def begun(self, block: Block) -> None:
        """A block was handed to the backend."""
        self.run = replace(
            self.run,
            plays_begun=self.run.plays_begun + block.plays,
            blocks_begun=self.run.blocks_begun + 1,
        )
        self._save_now_and_then()

    def advanced(self, plays: int) -> None:
        """One more block is stored."""
        self.run = replace(
            self.run,
            plays=self.run.plays + plays,
            plays_left=self.run.plays_left - plays,
            blocks=self.run.blocks + 1,
        )
        self._save_now_and_then()

    def lost(self, block: Block, how: str, sentence: str) -> None:
        """A worker was lost while it played a block."""
        self.run = replace(self.run, retries=self.run.retries + 1)
        self.write("worker_lost", **block._asdict(), how=how)

    def failed(self, block: Block, error: str, sentence: str) -> None:
        """A block failed for good."""
        self.run = replace(self.run, failures=self.run.failures + 1)
        self.write("block_failed", **block._asdict(), error=error)

    def set_aside(self, sentence: str) -> None:
        """Something stored was broken and is put right."""
        self.write("set_aside", sentence=sentence)

    def noted(self, sentence: str) -> None:
        """Something the user should know."""
        self.write("note", sentence=sentence)

    # What it writes

    def write(self, event: str, **content: Any) -> None:
        """Add an event to the log."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        seconds = round(self._seconds(), 3)
        line = json.dumps({"time": now, "seconds": seconds, "event": event, **content}) + "\n"
        if self._folder.appends:
            self._folder.append(log_name(self.run.number), line)
        else:
            self._lines.append(line)
            self._unsaved_lines = True

    def save(self) -> None:
        """Publish the record, and the log where files cannot grow."""
        started = time.monotonic()
        self.run = replace(self.run, seconds=round(self._seconds(), 3))
        self._folder.publish_text(record_name(self.run.number), self.run.to_json())
        if self._unsaved_lines:
            self._folder.publish_text(log_name(self.run.number), "".join(self._lines))
            self._unsaved_lines = False
        now = time.monotonic()
        self._save_after = now + max(SAVE_EVERY, 20 * (now - started))

    def end(
        self, outcome: str, error: str | None = None, play_seconds: float | None = None
    ) -> None:
        """Write how the run ended."""
        self.run = replace(self.run, outcome=outcome, error=error, play_seconds=play_seconds)
        self.write("run_ended", outcome=outcome, error=error, **self._progress())
        self.save()

    def _save_now_and_then(self) -> None:
        now = time.monotonic()
        if now > self._progress_after:
            self._progress_after = now + PROGRESS_EVERY
            self.write("progress", **self._progress())
        if now > self._save_after:
            self.save()

    def _progress(self) -> dict[str, int]:
        names = ("plays", "plays_left", "blocks", "failures", "retries")
        return {name: getattr(self.run, name) for name in names}

    def _seconds(self) -> float:
        return time.monotonic() - self._began


@contextlib.contextmanager
def journal(folder: Place, plan: Plan) -> Iterator[Journal]:
    """Keep the journal of a run. Call it with the folder's lock held; `Journal.end` ends it.

    A run that an exception ends is ended here.
    """
    folder.prepare([RUNS])
    kept = Journal(folder, _new_run(folder, plan))
    kept.write("run_started", plan=plan.hash, command=kept.run.command)
    kept.save()
    try:
        yield kept
    except BaseException as error:
        stopped = isinstance(error, KeyboardInterrupt)
        with contextlib.suppress(DojoError):  # what ended the run is what the user should read
            kept.end(STOPPED if stopped else TROUBLE, None if stopped else str(error))
        raise


def _new_run(folder: Place, plan: Plan) -> Run:
    from sweep.backends import cores  # brings Numba, which reading a journal needs not

    sources = commit()
    return Run(
        number=max(run_numbers(folder), default=0) + 1,
        plan=plan.hash,
        command=sys.argv,
        started=time.time(),
        host=platform.node(),
        process=os.getpid(),
        cores=cores(),
        engine=plan.engine,
        versions=versions(),
        commit=sources.hash if sources else None,
        dirty=sources.dirty if sources else None,
    )
