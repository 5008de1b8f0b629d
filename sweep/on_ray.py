"""Plays blocks on Ray. The only file that imports it.

The order of a run: `OnRay` joins a cluster or starts Ray here, sends the job once, warms every
node; `submit` makes a task of a block; `collect` turns what tasks return, or the loss of
their workers, into outcomes.
"""

from __future__ import annotations

import functools
import logging
import os
import re
import socket
from dataclasses import replace
from typing import Any

from dojo_core.errors import DojoError
from sweep.backends import cores
from sweep.places import STORAGE_TROUBLE
from sweep.plan import Block
from sweep.work import Job, Outcome, Worker

# Ray reads these while it is imported: no copy of the working folder by its hook for uv, nothing
# sent to its makers, and one thread a task.
for _name, _value in {
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "NUMBA_NUM_THREADS": "1",
}.items():
    os.environ.setdefault(_name, _value)

import ray  # noqa: E402
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402

RETRIES = 3  # of a block whose worker or node was lost
OBJECT_STORE = 256 * 2**20
KNOCK_SECONDS = 5.0


@functools.lru_cache(1)
def _worker(key: str, reference: Any) -> Worker:
    """Return this process's worker for the job: fetched once, however many blocks it plays."""
    (job_reference,) = reference
    return Worker(ray.get(job_reference))


def _play(key: str, reference: Any, block: Block) -> Outcome:
    """Play one block in a worker process."""
    worker = _worker(key, reference)
    if trouble := worker.engine_trouble():
        return Outcome(block, fatal=trouble)
    return worker.do(block)


def _greet(key: str, reference: Any) -> tuple[str | None, bool]:
    """Compile on a node; return what is wrong with it, and whether it sees the results folder."""
    worker = _worker(key, reference)
    trouble = worker.engine_trouble()
    if trouble is None:
        worker.warm()
    return trouble, worker.job.sees_folder()


class OnRay:
    """Plays blocks as Ray tasks, one a block.

    Args:
        job: The job.
        workers: How many blocks at a time; all cores when left out.
        address: A cluster's address; without one Ray starts on this machine.

    Raises:
        DojoError: There is no such cluster, or one of its nodes has other rules installed.
    """

    def __init__(self, job: Job, workers: int | None = None, address: str | None = None) -> None:
        self._pending: dict[Any, Block] = {}
        self._started = not ray.is_initialized()
        if self._started:
            _start(workers, address)
        available = int(ray.cluster_resources().get("CPU", 1))
        self.workers = min(workers or available, available)
        self.window = 2 * self.workers
        self._send(job)
        self._greet_nodes(job)

    def submit(self, block: Block) -> None:
        """Begin `block`."""
        self._pending[self._task.remote(self._key, self._reference, block)] = block

    def collect(self, seconds: float) -> list[Outcome]:
        """Return the blocks that ended, waiting for one at most so long."""
        if not self._pending:
            return []
        _, rest = ray.wait(list(self._pending), num_returns=1, timeout=seconds)
        done = set(self._pending).difference(rest)
        return [self._outcome(reference) for reference in done]

    def stop(self) -> None:
        """Give up the blocks under way."""
        for reference in self._pending:
            ray.cancel(reference, force=True)
        self._pending.clear()

    def close(self) -> None:
        """Leave the cluster; end Ray here if it was started here."""
        if self._started:
            ray.shutdown()

    def _outcome(self, reference: Any) -> Outcome:
        block = self._pending.pop(reference)
        try:
            outcome: Outcome = ray.get(reference)
        except ray.exceptions.RayError as error:
            return Outcome(block, failure=f"{type(error).__name__}: {error}")
        return outcome

    def _send(self, job: Job) -> None:
        self._key = f"{job.folder} {job.plan.hash} {job.shared}"
        self._reference = (ray.put(job),)
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)

    def _greet_nodes(self, job: Job) -> None:
        """Compile once on every node before all its cores ask; see whether all share the folder."""
        greet = ray.remote(num_cpus=1, max_retries=RETRIES)(_greet)
        answers = []
        for node in ray.nodes():
            if node["Alive"] and node["Resources"].get("CPU"):
                place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                task = greet.options(scheduling_strategy=place)
                answers.append(task.remote(self._key, self._reference))
        try:
            found = ray.get(answers)
        except ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[-1]
            raise DojoError(
                f"a node of the cluster cannot play ({reason}); install the same dojo-sweep on"
                " every node",
                STORAGE_TROUBLE,
            ) from error
        for trouble, _ in found:
            if trouble:
                raise DojoError(trouble, STORAGE_TROUBLE)
        if not all(shared for _, shared in found):
            self._send(replace(job, shared=False))


def _start(workers: int | None, address: str | None) -> None:
    common: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if address:
            _knock(address)
            variables = {"NUMBA_NUM_THREADS": "1"}
            ray.init(address, runtime_env={"env_vars": variables}, **common)
        else:
            ray.init(
                num_cpus=workers or cores(),
                include_dashboard=False,
                object_store_memory=OBJECT_STORE,
                **common,
            )
    except (OSError, ValueError, RuntimeError) as error:
        place = f"the cluster {address!r}" if address else "Ray on this machine"
        reason = str(error).splitlines()[0]
        raise DojoError(
            f"{place} cannot be reached ({reason}); check --address or RAY_ADDRESS, or use --no-ray"
            " to play on this machine without Ray",
            STORAGE_TROUBLE,
        ) from error


def _knock(address: str) -> None:
    """Raise an OSError when nobody listens at ``host:port``: Ray itself would wait for minutes."""
    found = re.fullmatch(r"(?:ray://)?\[?([^\]/]+?)\]?:(\d+)", address)
    if found:
        socket.create_connection((found[1], int(found[2])), KNOCK_SECONDS).close()
