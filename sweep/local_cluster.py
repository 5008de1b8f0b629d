"""A Ray cluster on this machine, of separate processes that can be killed. For chaos and for tests.

Each node is a process group of its own: Ray's own command, and the raylet, agents and workers below
it, all in one session of the system, by which they are found and killed. Linux only.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from dojo_core.errors import DojoError
from sweep.places import STORAGE_TROUBLE

START_SECONDS = 120.0
OBJECT_STORE = 80_000_000  # bytes, the least that Ray takes
PLAYING = "ray::_play"  # what Ray calls a worker's process while it plays a block


class LocalNode:
    """One node: Ray's processes, in a session of their own.

    Attributes:
        process: Ray's own command, whose id is that of the session.
        cores: How many it offers.
        environment: What its environment has besides the cluster's.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], cores: int, environment: Mapping[str, str]
    ) -> None:
        self.process, self.cores, self.environment = process, cores, environment

    def playing(self) -> list[int]:
        """Return its worker processes that play a block right now."""
        return [pid for pid, command in self._processes() if command.startswith(PLAYING)]

    def kill(self) -> None:
        """End all of it at once, as if the machine lost its power; the raylet goes first."""
        while running := sorted(self._processes(), key=lambda p: "/raylet" not in p[1]):
            for pid, _ in running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.poll()
        self.process.wait()

    def _processes(self) -> Iterator[tuple[int, str]]:
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                pid = int(folder.name)
                if os.getsid(pid) == self.process.pid:
                    command = (folder / "cmdline").read_bytes().decode(errors="replace")
                    if command:  # else it is dead, and not yet collected
                        yield pid, command


class LocalCluster:
    """A head without cores, and nodes that join and are killed; ended with the `with` block.

    Attributes:
        address: What `--address` takes.
        environment: What a driver needs in its environment besides: the secret of this cluster.

    Args:
        environment: The environment of all nodes.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        self.environment = {
            **environment,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
            "RAY_health_check_period_ms": "1000",  # a killed node is noticed in some seconds
            "RAY_health_check_failure_threshold": "3",
            "RAY_raylet_start_wait_time_s": "120",  # on a busy machine too
        }
        self.nodes: list[LocalNode] = []
        # Short, as the names of Ray's sockets are bounded.
        self._folder = Path(tempfile.mkdtemp(prefix="dojo-"))
        options = ["--head", "--port", str(port), "--temp-dir", str(self._folder / "ray")]
        options += ["--include-dashboard", "false", "--ray-client-server-port", str(free_port())]
        self.head = self._start(0, options, {})

    def __enter__(self) -> LocalCluster:
        try:
            self._wait_for_head()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for node in (*self.nodes, self.head):
            node.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def join(self, cores: int, environment: Mapping[str, str] | None = None) -> LocalNode:
        """Start a node; it joins in some seconds.

        Args:
            cores: How many it offers.
            environment: What its environment has besides the cluster's.
        """
        node = self._start(cores, ["--address", self.address], environment or {})
        self.nodes.append(node)
        return node

    def kill(self, node: LocalNode) -> None:
        """Kill a node that joined."""
        self.nodes.remove(node)
        node.kill()

    def replace_ended(self) -> None:
        """Start each node anew that ended by itself, as when the machine was too busy for it."""
        for node in [node for node in self.nodes if node.process.poll() is not None]:
            self.kill(node)
            self.join(node.cores, node.environment)

    def _start(self, cores: int, options: list[str], environment: Mapping[str, str]) -> LocalNode:
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", *options]
        command += ["--num-cpus", str(cores), "--object-store-memory", str(OBJECT_STORE)]
        command += ["--disable-usage-stats", "--dashboard-agent-listen-port", str(free_port())]
        with (self._folder / "ray.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return LocalNode(process, cores, environment)

    def _wait_for_head(self) -> None:
        until = time.monotonic() + START_SECONDS
        host, port = self.address.split(":")
        while time.monotonic() < until and self.head.process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection((host, int(port)), 1.0).close()
                return
            time.sleep(0.1)
        told = (self._folder / "ray.log").read_text(errors="replace").strip()
        reason = told.splitlines()[-1] if told else "it said nothing"
        raise DojoError(f"Ray did not start on this machine ({reason})", STORAGE_TROUBLE)


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
