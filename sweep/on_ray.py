"""Plays blocks on Ray. The only file that imports it.

The order of a run: `OnRay` joins a cluster or starts Ray here, sends the job once, warms every
node; `submit` makes a task of a block; `collect` turns what tasks return, or the loss of
their workers, into outcomes, and looks now and then how large the cluster is.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.abc
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from dojo_core.errors import DojoError
from sweep.backends import cores
from sweep.listener import Listener
from sweep.places import STORAGE_TROUBLE
from sweep.plan import Block
from sweep.work import SAME_EVERYWHERE, Job, Outcome, Work, Worker

# For workers: one thread a task, and glibc keeps the memory of a block's columns, and of the table
# that the Labirinto copies for each part of a block, for the next; larger pieces, as merging takes,
# go back to the machine.
WORKERS = {
    "NUMBA_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(4 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(32 * 2**20),
}

# Ray reads these while it is imported or starts its processes: no copy of the working folder by
# its hook for uv, nothing sent to its makers; and the folder of its logs, which this does not show,
# is listed twice a second in place of ten times.
for _name, _value in {
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_LOG_MONITOR_MANY_FILES_THRESHOLD": "0",
    **WORKERS,
}.items():
    os.environ.setdefault(_name, _value)

import ray  # noqa: E402
from ray.util import metrics  # noqa: E402
from ray.util.metrics import Metric  # noqa: E402
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402

OBJECT_STORE = 256 * 2**20
KNOCK_SECONDS = 5.0
BLOCK_BOUNDARIES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)  # seconds
LOOK_SECONDS = 1.0  # between two looks at which nodes there are
HEAD_SECONDS = 10.0  # that the head may be silent; Ray itself waits a minute, and then aborts

errors = ray.exceptions
# How a worker may be lost, in words; the first that fits. Anything else that Ray raises is a node
# that cannot play at all: what a block itself raises comes back as an outcome.
LOSSES: tuple[tuple[type[Exception], str], ...] = (
    (
        errors.OutOfMemoryError,
        "its machine ran out of memory; fewer --workers, or more memory a core, leave each more",
    ),
    (errors.NodeDiedError, "its node is gone"),
    (errors.LocalRayletDiedError, "its node is gone"),
    (errors.OwnerDiedError, "the driver's node is gone"),
    (errors.ObjectLostError, "its node is gone with what it had played"),
    (errors.WorkerCrashedError, "its process was killed or crashed"),
)


class WithoutPandas(importlib.abc.MetaPathFinder):
    """Keeps pandas out of a process: Arrow loads it where it can, and no worker has use for it.

    It would take 40 MB of each of them, and a third of a second.
    """

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        """Raise ModuleNotFoundError for pandas; leave all else to others."""
        if name == "pandas":
            raise ModuleNotFoundError("workers play without pandas", name=name)


@functools.cache
def _leave_out_pandas() -> None:
    sys.meta_path.insert(0, WithoutPandas())


@functools.lru_cache(1)
def _worker(key: str, reference: Any) -> Worker:
    """Return this process's worker for the job, which is fetched once whatever it does."""
    _leave_out_pandas()
    (job_reference,) = reference
    return Worker(ray.get(job_reference))


def _play(key: str, reference: Any, work: Work) -> Outcome | str:
    """Play a block, or merge, in a worker process; return a plain sentence if its sources differ.

    A node with another dojo-sweep may have another `Outcome` too.
    """
    worker = _worker(key, reference)
    return worker.trouble() or worker.do(work)


def _greet(key: str, reference: Any, point: str) -> str | None:
    """Compile on a node, or return what is wrong with it."""
    worker = _worker(key, reference)
    if trouble := worker.trouble():
        return trouble
    worker.warm(point)
    return None


class Metrics(Listener):
    """Tells Ray's own metrics how a run goes, and so Ray's dashboard and Prometheus."""

    def __init__(self, job: Job) -> None:
        tags = {"sweep": job.plan.name, "game": job.plan.game}

        def made(kind: type[Metric], name: str, meaning: str, **more: Any) -> Any:
            metric = kind(f"dojo_{name}", meaning, tag_keys=tuple(tags), **more)
            metric.set_default_tags(tags)
            return metric

        self._plays = made(metrics.Counter, "plays", "Plays stored.")
        self._blocks = made(metrics.Counter, "blocks", "Blocks stored.")
        self._failed = made(metrics.Counter, "blocks_failed", "Blocks that failed for good.")
        self._lost = made(metrics.Counter, "blocks_lost", "Blocks whose worker was lost.")
        self._left = made(metrics.Gauge, "plays_left", "Plays still missing.")
        self._rate = made(metrics.Gauge, "plays_per_second", "Plays stored a second, on average.")
        self._seconds = made(
            metrics.Histogram, "block_seconds", "Seconds a block took.", boundaries=BLOCK_BOUNDARIES
        )
        self._missing = self._stored = 0
        self._began = 0.0

    def started(self, plays_done: int, plays_planned: int, workers: int) -> None:
        """Blocks begin to be played."""
        self._missing, self._began = plays_planned - plays_done, time.monotonic()
        self._left.set(self._missing)

    def advanced(self, plays: int) -> None:
        """One more block is stored, of so many plays."""
        self._missing -= plays
        self._stored += plays
        self._plays.inc(plays)
        self._blocks.inc()
        self._left.set(self._missing)
        self._rate.set(self._stored / max(time.monotonic() - self._began, 1.0))

    def lost(self, block: Block, how: str, sentence: str) -> None:
        """A worker was lost while it played a block."""
        self._lost.inc()

    def failed(self, block: Block, error: str, sentence: str) -> None:
        """A block failed for good."""
        self._failed.inc()

    def took(self, seconds: float) -> None:
        """A worker sent a block back after so long."""
        self._seconds.observe(seconds)


class OnRay:
    """Plays blocks as Ray tasks, one a block, on as many cores as the cluster has at the time.

    Ray repeats nothing by itself: a block whose worker is lost comes back as such an outcome, and
    the runner decides. The job lies in the driver's own object store, so that it outlives every
    other node.

    Args:
        job: The job.
        workers: How many blocks at a time; all cores when left out.
        address: A cluster's address; without one Ray starts on this machine.
        metrics_port: Where the Ray that starts on this machine shows its metrics to Prometheus.
        begun: Whether `begin` has started Ray, or joined the cluster, for this run.

    Raises:
        DojoError: There is no such cluster, or one of its nodes has other rules installed.
    """

    name = "ray"

    def __init__(
        self,
        job: Job,
        workers: int | None = None,
        address: str | None = None,
        metrics_port: int | None = None,
        begun: bool = False,
    ) -> None:
        self.address = address
        self._pending: dict[Any, Work] = {}
        self._limit = workers
        self._started = begun or not ray.is_initialized()
        if not ray.is_initialized():
            begin(workers, address, metrics_port)
        self._head = ray.get_runtime_context().gcs_address
        self._head_heard = time.monotonic()
        self._head_lost = False
        self._follow_cluster()
        self._metrics = Metrics(job)
        self.listener: Listener = self._metrics
        self._key = f"{job.token} {job.plan.hash}"
        self._reference = (ray.put(job),)
        self._task = ray.remote(num_cpus=1, max_retries=0)(_play)
        self._greet_nodes(job.plan.points[0].id)

    def submit(self, work: Work) -> None:
        """Begin `work`."""
        self._pending[self._task.remote(self._key, self._reference, work)] = work

    def collect(self, seconds: float) -> list[Outcome]:
        """Return what ended, waiting for something at most so long."""
        if time.monotonic() > self._look_after and self._head_answers():
            self._follow_cluster()
        return self._ended(seconds)

    def _ended(self, seconds: float) -> list[Outcome]:
        pending = list(self._pending)
        if not pending or not ray.wait(pending, num_returns=1, timeout=seconds)[0]:
            return []
        done, _ = ray.wait(pending, num_returns=len(pending), timeout=0)  # whatever else ended
        return [self._outcome(reference) for reference in done]

    def stop(self) -> list[Outcome]:
        """Return what had ended; what is under way goes with this driver, see `close`.

        Nothing is cancelled: Ray ends the whole process when a task is cancelled just as it ends.
        Nor is it forgotten: of what nobody waits for, Ray would tell that it was lost.
        """
        return self._ended(0)

    def close(self) -> None:
        """Leave the cluster, which kills what its workers still do; end Ray if it started here."""
        if self._head_lost:
            atexit.register(_leave)
        elif self._started:
            ray.shutdown()

    def _head_answers(self) -> bool:
        """Tell whether the cluster's head is there: else Ray must not be asked for the nodes.

        Raises:
            DojoError: It has not answered for long.
        """
        now = time.monotonic()
        try:
            _knock(self._head)
        except OSError as error:
            if now - self._head_heard < HEAD_SECONDS:
                return False
            self._head_lost = True
            raise DojoError(
                f"the head of the cluster, {self._head}, is lost ({error}); what was finished is"
                " kept: start the cluster again, and run this again",
                STORAGE_TROUBLE,
            ) from error
        self._head_heard = now
        return True

    def _follow_cluster(self) -> None:
        """Set how much may be under way by the cores there are now.

        As much again as the cores waits its turn: no core is idle while the driver hears of a
        block, a node that joins finds work, and an autoscaler sees that there is some.
        """
        slots = sum(int(node["Resources"]["CPU"]) for node in _nodes_with_cores())
        self.workers = max(1, min(self._limit or slots, slots))
        self.window = self.workers if self._limit and self._limit < slots else 2 * self.workers
        self._look_after = time.monotonic() + LOOK_SECONDS

    def _outcome(self, reference: Any) -> Outcome:
        work = self._pending.pop(reference)
        try:
            outcome: Outcome | str = ray.get(reference)
        except errors.RayError as error:
            how = _loss(error)
            return Outcome(work, lost=how) if how else Outcome(work, fatal=_cannot_play(error))
        if isinstance(outcome, str):
            return Outcome(work, fatal=outcome)
        self._metrics.took(outcome.took)
        return outcome

    def _greet_nodes(self, point: str) -> None:
        """Compile once on every node before all its cores ask, and refuse one with other rules.

        A node that is lost meanwhile is no trouble: its blocks will be played elsewhere.
        """
        greet = ray.remote(num_cpus=0, max_retries=0)(_greet)
        answers = []
        for node in _nodes_with_cores():
            place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            task = greet.options(scheduling_strategy=place)
            answers.append(task.remote(self._key, self._reference, point))
        for answer in answers:
            try:
                trouble = ray.get(answer)
            except errors.TaskUnschedulableError:
                continue
            except errors.RayError as error:
                trouble = None if _loss(error) else _cannot_play(error)
            if trouble:
                raise DojoError(trouble, STORAGE_TROUBLE)


def _leave() -> None:
    """End this process before Ray's own ending, which would wait for its head, and crash."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(STORAGE_TROUBLE)


def _nodes_with_cores() -> list[dict[str, Any]]:
    return [n for n in ray.nodes() if n["Alive"] and n["Resources"].get("CPU", 0) >= 1]


def _loss(error: Exception) -> str | None:
    """Return in words how a worker was lost, or None when it was not."""
    return next((words for kind, words in LOSSES if isinstance(error, kind)), None)


def _cannot_play(error: Exception) -> str:
    reason = str(error).strip().splitlines()[-1]
    return f"a node of the cluster cannot play ({reason}); {SAME_EVERYWHERE}"


@contextlib.contextmanager
def started_here(workers: int) -> Iterator[None]:
    """Keep Ray on this machine started over several runs."""
    begin(workers, None)
    try:
        yield
    finally:
        ray.shutdown()


def begin(workers: int | None, address: str | None, metrics_port: int | None = None) -> None:
    """Start Ray on this machine, or join a cluster; arguments and troubles are those of `OnRay`.

    In the main thread: Ray's processes end with the thread that started them.
    """
    if address:
        _refuse_client(address)
    common: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    heard = signal.getsignal(signal.SIGTERM)  # Ray puts its own in place
    try:
        if address:
            _knock(address)
            ray.init(address, runtime_env={"env_vars": WORKERS}, **common)
        else:
            ray.init(
                num_cpus=workers or cores(),
                include_dashboard=False,
                object_store_memory=OBJECT_STORE,
                _metrics_export_port=metrics_port,
                **common,
            )
    except errors.AuthenticationError as error:
        raise _wants_token(address) from error
    except Exception as error:  # Ray raises bare ones too, as when a node is slow to start
        if "InvalidAuthToken" in str(error.__cause__):
            raise _wants_token(address) from error
        place = f"the cluster {address!r}" if address else "Ray on this machine"
        reason = str(error).splitlines()[0]
        raise DojoError(
            f"{place} cannot be reached ({reason}); check --address or RAY_ADDRESS, or use --no-ray"
            " to play on this machine without Ray",
            STORAGE_TROUBLE,
        ) from error
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, heard)


def _wants_token(address: str | None) -> DojoError:
    return DojoError(
        f"the cluster at {address} asks for its token; set RAY_AUTH_MODE=token, and the cluster's"
        " token in RAY_AUTH_TOKEN or in the file ~/.ray/auth_token",
        STORAGE_TROUBLE,
    )


def _refuse_client(address: str) -> None:
    """Refuse Ray's client: a sweep would end with the connection, and every block pass through it.

    Raises:
        DojoError: The address is one of Ray's client.
    """
    if address.startswith("ray://"):
        raise DojoError(
            f"--address {address} is of Ray's client, which a sweep would not survive losing; on"
            " a node of the cluster use --address auto, from elsewhere `dojo-sweep submit` with"
            " the dashboard's address, http://HOST:8265"
        )


def _knock(address: str) -> None:
    """Raise an OSError when nobody listens at ``host:port``: Ray itself would wait for minutes."""
    found = re.fullmatch(r"\[?([^\]/]+?)\]?:(\d+)", address)
    if found:
        socket.create_connection((found[1], int(found[2])), KNOCK_SECONDS).close()


def cluster_cores(address: str) -> int:
    """Return how many cores the cluster's nodes have, asking its dashboard.

    Raises:
        RuntimeError: The cluster does not say.
    """
    from ray.util.state import list_nodes
    from ray.util.state.exception import RayStateApiException

    try:
        nodes = list_nodes(address=address, filters=[("state", "=", "ALIVE")])
    except RayStateApiException as error:
        raise RuntimeError(str(error)) from error
    return sum(int(node.resources_total.get("CPU", 0)) for node in nodes)


def job_client(address: str) -> Any:
    """Return Ray's client for the jobs of the cluster whose dashboard is at ``http://host:port``.

    Raises:
        OSError: Nobody answers there.
        RuntimeError: Whoever answers there is no Ray cluster.
        DojoError: The cluster asks for its token.
    """
    from ray.job_submission import JobSubmissionClient

    # Ray would let RAY_ADDRESS win over the address it is given; this variable wins over both.
    os.environ["RAY_API_SERVER_ADDRESS"] = address
    for name in ("", ".dashboard.modules.dashboard_sdk", ".dashboard.modules.job.sdk"):
        logging.getLogger(f"ray{name}").setLevel(logging.ERROR)  # else it tells of uploads
    try:
        return JobSubmissionClient(address)
    except ray.exceptions.AuthenticationError as error:
        raise _wants_token(address) from error
