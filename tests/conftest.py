"""Fixtures shared by the tests of the sweep: grids of the toy game, and Ray started once."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

TESTS = Path(__file__).parent

# A shell starts what runs in the background with Ctrl-C ignored, and the commands under test would
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of commands are started, and a dozen processes with each Ray. Where bytecode may not be
# written beside the sources, each of them would compile every library anew, for seconds.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    BYTECODE = tempfile.TemporaryDirectory(prefix="dojo-bytecode-", ignore_cleanup_errors=True)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = BYTECODE.name
    sys.dont_write_bytecode = False

# The files whose tests start Ray: one process runs them all, one after another. They take longest,
# so they begin first; those that need the Labirinto last, when another process has compiled it.
ON_RAY = (
    "test_ray_cluster",
    "test_runner",
    "test_places",
    "test_full_disk",
    "test_sweep_bench",
    "test_submit",
    "test_chaos",
)

GRID = """\
[sweep]
name = "toy"
game = "toy"
plays = 100
seed = 7

[grid]
players = [2, 3]
goal = [10, 20]
"""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Start no other process for a single file of tests."""
    files = {argument.split("::")[0] for argument in config.args}
    return 0 if len(files) == 1 and Path(*files).is_file() else None


class ByFile(LoadScopeScheduling):
    """Gives each process whole files, for the fixtures that their tests share."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        return "on Ray" if Path(file).stem in ON_RAY else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """Share the tests out among processes, the first ones first."""
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that start Ray first, in the order of their files here."""
    turn = {name: number for number, name in enumerate(ON_RAY)}
    items.sort(key=lambda item: turn.get(item.path.stem, len(turn)))


@pytest.fixture
def write_grid(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes a grid file and returns its path."""
    import toy_game  # noqa: F401  (registers the toy)

    def write(text: str = GRID, name: str = "grid.toml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs `dojo-sweep` here: (exit code, output, errors)."""
    from sweep import calibration, cli

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(calibration, "TRIAL_SECONDS", 0.005)
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115

    def run(*words: Any) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dojo-sweep", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        output, errors = capsys.readouterr()
        return ended.value.code, output, errors

    return run


@pytest.fixture(scope="session")
def toy_environment() -> dict[str, str]:
    """Return an environment in which other processes find the toy game."""
    paths = [str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.fixture(scope="session")
def toy_command() -> list[str]:
    """Return the command line of `dojo-sweep` with the toy game registered."""
    code = "import toy_game; from sweep.cli import main; main()"
    return [sys.executable, "-c", code]


@pytest.fixture(scope="session")
def ray_here(toy_environment: dict[str, str]) -> Iterator[Any]:
    """Start Ray once for the whole session, with the toy game importable by its workers."""
    from sweep import on_ray

    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = toy_environment["PYTHONPATH"]
    on_ray.begin(2, None)
    yield on_ray
    on_ray.ray.shutdown()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """Start an S3 server on the loopback; its address and credentials are in the environment."""
    from sweep.local_cluster import free_port

    port = free_port()
    before = dict(os.environ)
    address = f"http://127.0.0.1:{port}"
    os.environ |= {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        time.sleep(0.1)
    yield address
    server.terminate()
    server.wait(10)
    os.environ.clear()
    os.environ |= before


@pytest.fixture
def bucket(s3_server: str) -> str:
    """Return the address of a new folder of a bucket of the S3 server."""
    name = f"bucket-{uuid.uuid4().hex[:8]}"
    request = urllib.request.Request(f"{s3_server}/{name}", method="PUT")
    urllib.request.urlopen(request).close()
    return f"s3://{name}/results"
