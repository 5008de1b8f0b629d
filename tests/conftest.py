"""Fixtures shared by the tests of the sweep: grids of the toy game, and Ray started once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent

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


@pytest.fixture
def write_grid(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes a grid file and returns its path."""
    import toy_game  # noqa: F401  (registers the toy)

    def write(text: str = GRID, name: str = "grid.toml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


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
    on_ray._start(2, None)
    yield on_ray
    on_ray.ray.shutdown()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before
