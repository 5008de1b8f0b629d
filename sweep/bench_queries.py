"""How long a sweep's answers take: every kind of question that the dashboard and the docs ask."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dojo_core import games
from sweep.queries import connect, plan_of
from sweep.questions import asked


@dataclass(frozen=True)
class Timed:
    """How long one question took, each time that it was asked.

    Attributes:
        asked_by: Who asks it.
        title: What it asks.
        wall: Seconds by the clock.
        cpu: Seconds of all cores.
    """

    asked_by: str
    title: str
    wall: list[float]
    cpu: list[float]


def time_questions(results: str | Path, name: str, repeats: int) -> Iterator[Timed]:
    """Ask a stored sweep every question so often; yield how long each took, connecting first.

    Args:
        results: The results folder.
        name: The sweep.
        repeats: How often each is asked.

    Raises:
        DojoError: There is no such sweep, or a stored file is broken.
    """
    plan = plan_of(results, name)
    game = games.load(plan.game)
    connecting = Timed("", "connect", [], [])
    for _ in range(repeats):
        with _timing(connecting):
            connection = connect(results, name)
    yield connecting
    points = [point.id for point in plan.points]
    for question in asked(game, plan.record, list(plan.axes), points):
        timed = Timed(question.asked_by, question.title, [], [])
        for _ in range(repeats):
            with _timing(timed):
                connection.sql(question.sql).to_arrow_table()
        yield timed


def table(rows: Sequence[Timed]) -> Iterator[str]:
    """Render what was timed as lines of text: medians."""
    yield "wall s   CPU s"
    for row in rows:
        told = f"{row.asked_by}: {row.title}" if row.asked_by else row.title
        yield f"{statistics.median(row.wall):6.2f}  {statistics.median(row.cpu):6.2f}  {told}"


@contextlib.contextmanager
def _timing(timed: Timed) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    timed.wall.append(time.perf_counter() - wall)
    timed.cpu.append(time.process_time() - cpu)
