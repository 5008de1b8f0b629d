"""Tells how a run goes: a live bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sweep.listener import Listener

LINE_SECONDS = 10.0  # between two plain lines
NOTES_SHOWN = 5  # of one run; a systematic mistake would fill the screen
RATE_SECONDS = 1.0  # what the first rate is measured over at least


class Narrator(Listener):
    """Hears a run and tells it on `console`.

    Args:
        console: Where to.
        points: Points of the plan, so that they can be told besides plays.
    """

    def __init__(self, console: Console, points: int) -> None:
        self._console = console
        self._all_points = points
        self._bar: Progress | None = None
        self._done = self._new = self._planned = self._notes = 0
        self._began = self._line_after = 0.0

    def started(self, plays_done: int, plays_planned: int, workers: int) -> None:
        """Blocks begin to be played."""
        self._done, self._planned = plays_done, plays_planned
        self._began = time.monotonic()
        self._line_after = self._began + LINE_SECONDS
        kept = f", {plays_done:,} of them stored already" if plays_done else ""
        cores = "one core" if workers == 1 else f"{workers} cores"
        self._console.print(f"playing {plays_planned:,} plays{kept}, on {cores}", highlight=False)
        if self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.fields[points]} points"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%  {task.fields[rate]} plays/s"),
                TimeRemainingColumn(compact=True),
                TextColumn("left"),
                console=self._console,
                transient=True,
            )
            self._bar.add_task("", total=plays_planned, points="", rate="")
            self._tell()
            self._bar.start()

    def advanced(self, plays: int) -> None:
        """So many more plays are stored."""
        self._done += plays
        self._new += plays
        now = time.monotonic()
        if self._bar:
            self._tell()
        elif now > self._line_after:
            self._line_after = now + LINE_SECONDS
            left = (self._planned - self._done) / max(self._rate(), 1e-9)
            words = (
                f"{self._points()} points, {self._done:,} of {self._planned:,} plays,"
                f" {self._rate():,.0f} plays/s, {duration(left)} left"
            )
            self._console.print(words, highlight=False)

    def noted(self, sentence: str) -> None:
        """Something the user should know."""
        self._notes += 1
        if self._notes <= NOTES_SHOWN:
            self._console.print(sentence, style="yellow", highlight=False, soft_wrap=True)
        elif self._notes == NOTES_SHOWN + 1:
            self._console.print("more of the same is not shown", style="yellow")

    def ended(self) -> None:
        """No more blocks are played."""
        if self._bar:
            self._bar.stop()
            self._bar = None

    def _tell(self) -> None:
        if self._bar:
            (task,) = self._bar.task_ids
            rate = f"{self._rate():,.0f}"
            self._bar.update(task, completed=self._done, points=self._points(), rate=rate)

    def _points(self) -> str:
        done = self._all_points * self._done // self._planned
        return f"{done:,}/{self._all_points:,}"

    def _rate(self) -> float:
        return self._new / max(time.monotonic() - self._began, RATE_SECONDS)


def duration(seconds: float) -> str:
    """Return a time in words: ``2 h 05 min``, ``3 min 20 s``, ``8 s``."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole} s" if whole else "under 1 s"


def date(seconds: float) -> str:
    """Return a time since 1970 as local date and time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def size(count: float) -> str:
    """Return bytes in words: ``1.4 GB``."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"
