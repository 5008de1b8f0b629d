"""A command imports what it needs: who asks how far a sweep has come does not wait for Numba."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sweep.grid import read_grid
from sweep.places import at
from sweep.plan import make_plan
from sweep.store import Store

GRID = '[sweep]\nname = "some"\ngame = "labirinto"\nplays = 10\n\n[grid]\nplayers = [3, 4]\n'
ENGINE = {"numba", "ray", "scipy"}
QUERIES = {"duckdb", "pandas", "pyarrow.dataset"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Return a results folder with one sweep of the shipped game, nothing of it played yet."""
    folder = tmp_path_factory.mktemp("start_up")
    (folder / "grid.toml").write_text(GRID)
    grid = read_grid(folder / "grid.toml")
    plan, _ = make_plan(grid)
    with Store(at(folder) / "some", grid.game, plan).open() as store:
        store.write_plan()
    return folder


@pytest.mark.parametrize(
    ("words", "needless"),
    [
        (["--help"], ENGINE | QUERIES | {"numpy", "pyarrow"}),
        (["list"], ENGINE | QUERIES),
        (["status"], ENGINE | QUERIES),
        (["show", "some"], ENGINE | QUERIES),
        (["options", "labirinto"], ENGINE | QUERIES | {"pyarrow"}),
        (["sql", "SELECT count(*) FROM points"], ENGINE),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_that_tells_imports_nothing_that_it_does_not_need(results, words, needless):
    words = words if words[0] in ("--help", "options") else [*words, "--results", str(results)]
    code = (
        "import sys; from sweep.cli import app\n"
        "try: app()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0
    assert needless.intersection(ended.stderr.split()) == set()
