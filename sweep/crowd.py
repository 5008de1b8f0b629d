"""What the driver takes with very many workers, who are only pretended.

A pretended worker returns a block of real size at once: each point is played once, and its files
stand for every block of it, as links. So all that takes time is the driver's own part.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import tempfile
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path

from dojo_core.game import Game
from sweep.blocks import Tables, play_block
from sweep.calibration import BLOCK_SECONDS
from sweep.listener import Listener
from sweep.places import at
from sweep.plan import Block, Plan
from sweep.runner import run
from sweep.schemas import table_names
from sweep.store import (
    MAX_SMALL,
    TARGET_ROWS,
    Chunk,
    Group,
    Merged,
    covered,
    file_name,
    merge_chunks,
    write_block,
)
from sweep.work import Job, Outcome, Work, most_memory

AT_ONCE = 64  # pieces of work that the driver hears of together


@dataclass(frozen=True)
class Report:
    """What the driver took.

    Attributes:
        workers: How many were pretended.
        blocks: Blocks that it handed out and noted.
        block_bytes: Bytes on disk of a block, on average.
        seconds: Seconds of a core a block: all that this process did but pretending.
        memory: The most memory that this process took, in bytes.
    """

    workers: int
    blocks: int
    block_bytes: float
    seconds: float
    memory: int

    @property
    def served(self) -> int:
        """How many workers it can keep at work, if a block takes them some five seconds."""
        return int(BLOCK_SECONDS / self.seconds)


def crowd(plan: Plan, game: Game, folder: Path, workers: int, blocks: int, shared: bool) -> Report:
    """Run a plan of so many blocks with pretended workers.

    Args:
        plan: The plan, calibrated; its blocks decide the size.
        game: Its game.
        folder: A temporary folder is made in it.
        workers: How many to pretend.
        blocks: How many blocks, spread over the points.
        shared: Whether they see the results folder; if not, their blocks come back as tables.
    """
    each = max(1, blocks // len(plan.points)) << plan.exponent
    plan = replace(plan, points=tuple(point._replace(plays=each) for point in plan.points))
    made: list[_Crowd] = []

    def make(job: Job) -> _Crowd:
        made.append(_Crowd(job, workers, shared))
        return made[-1]

    with tempfile.TemporaryDirectory(prefix=".bench-", dir=folder) as here:
        began = time.process_time()
        run(plan, game, at(here) / "results" / plan.name, make, Listener())
        seconds = time.process_time() - began - made[0].seconds
    count = made[0].blocks
    return Report(workers, count, made[0].block_bytes, seconds / count, most_memory())


class _Crowd:
    """A backend whose workers have always just finished.

    Attributes:
        seconds: Seconds of a core that pretending took.
        blocks: Blocks that came back.
    """

    name = "crowd"
    address: str | None = None

    def __init__(self, job: Job, workers: int, shared: bool) -> None:
        began = time.process_time()
        self.workers, self.window = workers, 2 * workers
        self.listener = Listener()
        self.blocks = 0
        self._job, self._shared = job, shared
        self._queue: deque[Work] = deque()
        self._hidden = job.folder.parent.parent / "hidden"
        self._hidden.prepare(table_names(job.plan.record))
        self._tables: dict[str, Tables] = {}
        self._chunks: dict[str, Chunk] = {}
        for point in job.plan.points:
            block = Block(point.id, 0, 1 << job.plan.exponent)
            setup = job.plan.setup(job.game, point)
            tables = play_block(job.game, setup, job.plan.seed, block, job.plan.record)
            self._tables[point.id] = tables
            self._chunks[point.id] = write_block(self._hidden, job.plan.record, block, tables)
        self._merged = self._merge_some()
        self.seconds = time.process_time() - began

    @property
    def block_bytes(self) -> float:
        """Bytes on disk of a block, on average over the points."""
        sizes = [size for chunk in self._chunks.values() for size, _ in chunk.files.values()]
        return sum(sizes) / len(self._chunks)

    def submit(self, work: Work) -> None:
        """Begin `work`."""
        self._queue.append(work)

    def collect(self, seconds: float) -> list[Outcome]:
        """Return what ended: some of all there is."""
        began = time.process_time()
        ended = [self._done(self._queue.popleft()) for _ in range(min(AT_ONCE, len(self._queue)))]
        self.seconds += time.process_time() - began
        return ended

    def stop(self) -> list[Outcome]:
        """Nothing is under way."""
        return []

    def close(self) -> None:
        """Nothing is held."""

    def _done(self, work: Work) -> Outcome:
        record = self._job.plan.record
        if isinstance(work, Group):
            if not self._shared:
                return Outcome(work)
            ranges = covered(work.chunks)
            names = tuple(chunk.name for chunk in work.chunks)
            digest = hashlib.sha256("".join(names).encode()).hexdigest()[:16]
            chunk = self._linked(self._merged, f"{record}-merged-{digest}")
            return Outcome(work, merged=Merged(replace(chunk, ranges=ranges), names, ()))
        self.blocks += 1
        if not self._shared:
            return Outcome(work, tables=self._tables[work.point])
        name = f"{record}-{work.point}-{work.first}-{work.end}"
        chunk = self._linked(self._chunks[work.point], name)
        return Outcome(work, replace(chunk, ranges={work.point: [(work.first, work.end)]}))

    def _merge_some(self) -> Chunk:
        """Return a merged chunk of about the size that others have."""
        parts: list[Chunk] = []
        rows = 0
        for chunk in itertools.cycle(self._chunks.values()):
            parts.append(chunk)
            rows += max(chunk.rows.values())
            if len(parts) == MAX_SMALL or (rows >= TARGET_ROWS and len(parts) > 1):
                break
        job = self._job
        merged = merge_chunks(self._hidden, job.game, job.plan.record, Group(tuple(parts)))
        assert merged.chunk, "two whole chunks make a merged one"
        return merged.chunk

    def _linked(self, chunk: Chunk, name: str) -> Chunk:
        """Publish a chunk's files in the sweep's folder under another name."""
        for table in chunk.files:
            source, target = file_name(chunk.name, table), file_name(name, table)
            os.link(self._hidden.path(source), self._job.folder.path(target))
        return replace(chunk, name=name)
