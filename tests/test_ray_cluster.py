"""A cluster of separate raylets on this machine: nodes that differ, join, leave and disagree."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time

import pytest
from conftest import GRID, TESTS
from sweep_runs import play, rows

from sweep.local_cluster import LocalCluster
from sweep.queries import sweeps

SLOW = GRID.replace("plays = 100", "plays = 4000").replace("[10, 20]", "[10]")


@pytest.fixture(scope="module")
def cluster(toy_environment):
    with LocalCluster(toy_environment) as started:
        started.join(1)
        yield started


@contextlib.contextmanager
def running(cluster, toy_command, path, results, *more):
    command = [*toy_command, "run", str(path), "--results", str(results), "--yes"]
    process = subprocess.Popen(
        [*command, "--address", cluster.address, *more],
        env=cluster.environment,
        cwd=path.parent,  # which Ray's workers search first
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait(process, what, seconds=90):
    """Wait until `what` is true while `process` runs."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(process.stdout.read())
        if what():
            return
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s")


def plays_done(results):
    infos = sweeps(results)
    return infos[0].plays_done if infos else 0


def test_nodes_that_join_get_work_and_nodes_that_leave_lose_nothing(
    cluster, write_grid, tmp_path, toy_command
):
    path = write_grid(SLOW + "slow = [40]\n")
    (first,) = cluster.nodes
    with running(cluster, toy_command, path, tmp_path / "ray") as process:
        wait(process, lambda: plays_done(tmp_path / "ray"))
        wait(process, first.playing)
        second = cluster.join(2)
        wait(process, lambda: len(second.playing()) == 2)
        os.kill(second.playing()[0], signal.SIGKILL)
        cluster.kill(first)
        output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    assert cluster.head.playing() == []
    assert "it is played again, try 2 of 4" in output
    play(write_grid(SLOW + "slow = [0]\n", "quick.toml"), tmp_path / "threads")
    ours, theirs = (
        rows(tmp_path / place).drop_columns("point").sort_by("play") for place in ("ray", "threads")
    )
    assert ours.num_rows == 8000
    assert sorted(map(str, ours.to_pylist())) == sorted(map(str, theirs.to_pylist()))


@pytest.fixture
def other_rules(tmp_path):
    """Return the path of an installation whose rules are not ours."""
    for package in ("dojo_core", "sweep"):
        shutil.copytree(TESTS.parent / package, tmp_path / "other" / package)
    with (tmp_path / "other" / "dojo_core" / "game.py").open("a") as file:
        file.write("# edited\n")
    return os.pathsep.join([str(tmp_path / "other"), str(TESTS)])


def test_a_node_with_other_rules_is_refused_whenever_it_comes(
    cluster, write_grid, tmp_path, toy_command, other_rules
):
    path = write_grid(SLOW + "slow = [40]\n")
    with running(cluster, toy_command, path, tmp_path) as process:
        wait(process, lambda: plays_done(tmp_path))
        cluster.join(1, {"PYTHONPATH": other_rules, "DOJO_CACHE": str(tmp_path / "cache")})
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 3, output
    assert "a worker has other rules installed than the plan" in output
    assert "install the same dojo-sweep on every node" in output
    assert "Traceback" not in output
    assert plays_done(tmp_path) > 0
    with running(cluster, toy_command, path, tmp_path / "fresh") as process:
        output, _ = process.communicate(timeout=120)
    cluster.kill(cluster.nodes[-1])
    assert (process.returncode, plays_done(tmp_path / "fresh")) == (3, 0), output
