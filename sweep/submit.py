"""Sweeps as jobs of a Ray cluster: hand over a frozen plan, follow the job's log, stop it.

The job is `dojo-sweep run` on the plan, on the cluster's head node; it needs this machine no more
once it is handed over. Only the plan travels: the games are those installed on the cluster, and
the run refuses there if they are not the plan's.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import shlex
import signal
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dojo_core.errors import DojoError
from sweep.places import STORAGE_TROUBLE, Place
from sweep.plan import Plan

STOPPED = 130  # as `run` exits when it is stopped
NOT_FOUND = 127  # as a shell exits when there is no such command
STOP_SECONDS = 60  # what a job may take to keep what it finished, once it is told to stop
KNOCK_SECONDS = 5.0
TRIES = 5  # to reach a cluster again that fell silent
PAUSE = 2.0  # seconds between two tries
PLAN_FILE = "plan.json"


@dataclass(frozen=True)
class Ending:
    """How a job ended.

    Attributes:
        code: The exit code of `dojo-sweep run` on the cluster, or what stands for it.
        sentence: What there is to say that the job's log does not.
    """

    code: int
    sentence: str = ""


def dashboard_address(text: str | None) -> str:
    """Check the address of a cluster's dashboard, where jobs are handed over.

    Args:
        text: What the user gave; ``http://host:port``.

    Raises:
        DojoError: It is another kind of address, or none.
    """
    if not text:
        raise DojoError(
            "no cluster is named; give --address http://HOST:8265 (the address of its dashboard) or"
            " set RAY_ADDRESS to it"
        )
    found = re.fullmatch(r"https?://[^/\s]+/?", text)
    if found:
        return text.rstrip("/")
    host = re.sub(r"^\w+://|:\d+$|/.*$", "", text)
    host = host if host and host != "auto" else "HOST"
    raise DojoError(
        f"--address {text!r} is no address that jobs can be handed to; expected that of the"
        f" cluster's dashboard, probably http://{host}:8265 (HOST:6379 and ray:// are for"
        " `dojo-sweep run`)"
    )


def check_lasting(folder: Place) -> None:
    """Check that a sweep's folder will outlive the job: the job's own folder does not.

    Raises:
        DojoError: The path is relative.
    """
    if str(folder) != str(folder.absolute()):
        raise DojoError(
            f"results = {str(folder.parent)!r} would lie in the job's own folder, which the cluster"
            " removes with the job; give --results an absolute path on the cluster or an address"
            " such as s3://bucket/folder"
        )


class Jobs:
    """The jobs of one cluster.

    Args:
        address: The address of the cluster's dashboard, ``http://host:port``.

    Raises:
        DojoError: Nobody answers there, or no Ray cluster.
    """

    def __init__(self, address: str) -> None:
        from sweep.on_ray import job_client

        self.address = address
        with self._told():
            _knock(address)
            self._client = job_client(address)

    def submit(self, plan: Plan, results: str, workers: int | None = None) -> str:
        """Hand over a plan; return the job's id.

        Args:
            plan: The plan.
            results: Where the results go, as the cluster sees it.
            workers: Blocks played at a time; None for all cores of the cluster.
        """
        job = f"{plan.name}-{secrets.token_hex(3)}"
        with tempfile.TemporaryDirectory(prefix="dojo-sweep-") as folder, self._told():
            (Path(folder) / PLAN_FILE).write_text(plan.to_json(), encoding="utf-8")
            self._client.submit_job(
                entrypoint=entrypoint(results, workers),
                submission_id=job,
                metadata={"sweep": plan.name, "plan": plan.hash},
                runtime_env={
                    "working_dir": folder,
                    "env_vars": {"RAY_JOB_STOP_WAIT_TIME_S": str(STOP_SECONDS)},
                },
            )
        return job

    def cores(self) -> int:
        """Return how many cores the cluster's nodes have now."""
        from sweep.on_ray import cluster_cores

        with self._told():
            return cluster_cores(self.address)

    def follow(self, job: str, write: Callable[[str], None]) -> Ending:
        """Write what the job's log says until the job ends, from its beginning; tell how it ended.

        Raises:
            DojoError: There is no such job, or the cluster fell silent for good.
        """
        self._info(job)
        tail = _Tail(write)
        for attempt in range(1, TRIES + 1):
            try:
                asyncio.run(tail.read(self._client.tail_job_logs(job)))
                if (info := self._info(job)).status.is_terminal():
                    return ending(info)
            except _lost() as error:
                reason = str(error)
            else:
                reason = "its log broke off"
            if attempt < TRIES:
                time.sleep(PAUSE)
        raise DojoError(
            f"the cluster at {self.address} fell silent ({reason}); if it still runs, so does the"
            f" job: follow it again with `dojo-sweep submit --follow {job} --address"
            f" {self.address}`",
            STORAGE_TROUBLE,
        )

    def stop(self, job: str) -> bool:
        """Stop a job and wait until it has; return whether it was running at all."""
        self._info(job)
        with self._told():
            running = bool(self._client.stop_job(job))
        until = time.monotonic() + STOP_SECONDS + KNOCK_SECONDS
        while not self._info(job).status.is_terminal():
            if time.monotonic() > until:
                raise DojoError(
                    f"the job {job} was told to stop and has not within {STOP_SECONDS} s; look at"
                    f" {self.address}",
                    STORAGE_TROUBLE,
                )
            time.sleep(0.2)
        return running

    def _info(self, job: str) -> Any:
        try:
            return self._client.get_job_info(job)
        except RuntimeError as error:
            if "404" not in str(error):
                raise
            known = ", ".join(self._sweeps()) or "none"
            raise DojoError(
                f"the cluster at {self.address} has no job {job!r}; its sweeps are {known}"
            ) from None

    def _sweeps(self) -> list[str]:
        """Return the ids of the cluster's jobs that are sweeps, the newest first."""
        jobs = [job for job in self._client.list_jobs() if "sweep" in (job.metadata or {})]
        jobs.sort(key=lambda job: job.start_time or 0, reverse=True)
        return [str(job.submission_id) for job in jobs]

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell in one sentence what goes wrong between here and the cluster."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            raise DojoError(
                f"the cluster at {self.address} cannot be reached ({reason}); check --address or"
                " RAY_ADDRESS, and that its Ray was started with a dashboard",
                STORAGE_TROUBLE,
            ) from error


def entrypoint(results: str, workers: int | None) -> str:
    """Return the command line that the cluster's head node runs."""
    words = ["dojo-sweep", "run", PLAN_FILE, "--yes", "--address", "auto", "--results", results]
    if workers:
        words += ["--workers", str(workers)]
    return f"exec {shlex.join(words)}"  # signals and exit code are the run's, not a shell's


def ending(info: Any) -> Ending:
    """Return what Ray's account of an ended job amounts to."""
    status, code = str(info.status), info.driver_exit_code
    if status == "SUCCEEDED":
        return Ending(0)
    if status == "STOPPED":
        return Ending(STOPPED, "the job was stopped; what it finished is kept")
    if code == NOT_FOUND:
        return Ending(
            STORAGE_TROUBLE,
            "the cluster's head node has no command dojo-sweep; install the same dojo-sweep on"
            " every node, where its Ray was started from",
        )
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return Ending(
            STORAGE_TROUBLE,
            f"the job was killed on the cluster by {name}; what it finished is kept, submit it"
            " again to go on",
        )
    if code:
        return Ending(int(code))
    reason = " ".join((info.message or "no reason given").split())
    return Ending(STORAGE_TROUBLE, f"the job failed on the cluster: {reason}")


class _Tail:
    """Writes what a log grows by, once, however often it is read from its beginning."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._written = 0

    async def read(self, chunks: AsyncIterator[str]) -> None:
        passed = 0
        async for chunk in chunks:
            new = chunk[max(0, self._written - passed) :]
            passed += len(chunk)
            self._written = max(self._written, passed)
            if new:
                self._write(new)


def _lost() -> tuple[type[Exception], ...]:
    """Return what a broken connection raises."""
    import aiohttp

    return (OSError, RuntimeError, aiohttp.ClientError)


def _knock(address: str) -> None:
    """Raise an OSError when nobody listens: Ray itself would try for long."""
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    socket.create_connection((parts.hostname or "", port), KNOCK_SECONDS).close()
