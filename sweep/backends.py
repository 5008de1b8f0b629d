"""Where blocks are played: the interface of the two ways, and the one without Ray."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

from sweep.listener import Listener
from sweep.work import Job, Outcome, Work, Worker

Answer = TypeVar("Answer")


class Backend(Protocol):
    """Does work somewhere, a bounded number of pieces at a time."""

    name: str
    """One word for the way."""

    address: str | None
    """The address of the cluster, if one was named."""

    window: int
    """How much may be under way now: enough to keep every core busy, and no more."""

    workers: int
    """How many are played at the same time now; it may change while a cluster does."""

    listener: Listener
    """Who hears the run on the backend's side."""

    def submit(self, work: Work) -> None:
        """Begin `work`."""

    def collect(self, seconds: float) -> list[Outcome]:
        """Return what ended, waiting for something at most so long."""

    def stop(self) -> list[Outcome]:
        """Return what had ended; what is under way is given up here, or by `close`."""

    def close(self) -> None:
        """Let go of what the backend holds."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def aside(work: Callable[[], Answer]) -> Future[Answer]:
    """Do some work in a thread that does not hold up the end of this process."""
    answer: Future[Answer] = Future()

    def do() -> None:
        try:
            answer.set_result(work())
        except Exception as error:
            answer.set_exception(error)

    threading.Thread(target=do, daemon=True).start()
    return answer


class Threads:
    """Plays blocks in threads of this process: compiled play needs no GIL."""

    name = "threads"
    address: str | None = None

    def __init__(self, job: Job, workers: int | None = None) -> None:
        self.workers = workers or cores()
        self.listener: Listener = Listener()
        self.window = self.workers + 1
        self._worker = Worker(job)
        self._worker.warm(job.plan.points[0].id)
        self._stopping = threading.Event()
        self._pool = ThreadPoolExecutor(self.workers)
        self._pending: set[Future[Outcome]] = set()

    def submit(self, work: Work) -> None:
        """Begin `work`."""
        self._pending.add(self._pool.submit(self._worker.do, work, self._stopping.is_set))

    def collect(self, seconds: float) -> list[Outcome]:
        """Return what ended, waiting for something at most so long."""
        done, self._pending = wait(self._pending, seconds, FIRST_COMPLETED)
        return [future.result() for future in done]

    def stop(self) -> list[Outcome]:
        """Give up the blocks under way at the next slice; return what had ended."""
        self._stopping.set()
        self._pool.shutdown(cancel_futures=True)
        return [future.result() for future in self._pending if not future.cancelled()]

    def close(self) -> None:
        """Nothing is held once the threads have ended."""
