"""While Ray starts, a game is compiled in a process of its own, and the plan is tried with that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from dojo_core.kernel import plain_python
from sweep import backends

# Makes a plan while something else is done, as `run --ray` does; tells how often the program of
# the toy came from the cache, how often it was compiled here, and whether it is compiled now.
PROGRAM = """
import sys, toy_game
from sweep.commands import planning
from sweep.grid import read_grid
from sweep.places import at
from sweep.work import is_compiled

def meanwhile():
    if "break" in sys.argv:
        raise RuntimeError("Ray does not start")

sys.executable = sys.argv[2]
planning.frozen_plan(read_grid(sys.argv[1]), at("results") / "toy", 2, meanwhile)
stats = toy_game._play_all.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), is_compiled("toy"))
"""


@pytest.fixture
def planned(write_grid, toy_environment, tmp_path):
    """Return a function that runs the program with an empty cache: how it ended."""

    def run(python, *words):
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, write_grid(), python, *words],
            env={**toy_environment, "DOJO_CACHE": str(tmp_path / "cache")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


@pytest.mark.skipif(plain_python(), reason="nothing is compiled")
def test_a_plan_is_tried_with_what_another_process_compiled(planned):
    assert planned(sys.executable).stdout.split() == ["1", "0", "True"]


@pytest.mark.skipif(plain_python(), reason="nothing is compiled")
def test_what_that_process_fails_to_compile_is_compiled_here(planned):
    assert planned("/bin/false").stdout.split() == ["0", "1", "False"]


def test_what_goes_wrong_meanwhile_is_told(planned):
    assert "Ray does not start" in planned(sys.executable, "break").stderr


def test_a_context_waits_for_the_work_apart(tmp_path):
    with backends.apart(os.mkdir, tmp_path / "made"):
        pass
    assert (tmp_path / "made").is_dir()


def test_work_apart_that_fails_is_not_told(tmp_path, capfd):
    with backends.apart(os.mkdir, tmp_path):
        pass
    assert capfd.readouterr() == ("", "")


def test_an_interrupted_context_ends_the_work_apart(monkeypatch):
    popen, started = subprocess.Popen, []

    def start(*words, **how):
        started.append(popen(*words, **how))
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(KeyboardInterrupt), backends.apart(time.sleep, 3600):
        raise KeyboardInterrupt
    assert started[0].returncode == -signal.SIGKILL
