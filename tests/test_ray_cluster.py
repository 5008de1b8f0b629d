"""A cluster of separate raylets on this machine: nodes that differ, join, leave and disagree."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import GRID, TESTS
from sweep_runs import play, rows

from sweep.journal import last_run
from sweep.local_cluster import LocalCluster
from sweep.places import at
from sweep.queries import connect, sweeps

SLOW = GRID.replace("plays = 100", "plays = 4000").replace("[10, 20]", "[10]")
ENDLESS = SLOW.replace("plays = 4000", "plays = 4000000")


def memory_used():
    """Return the part of this machine's memory that is in use, as Ray counts it."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return 1 - kilobytes["MemAvailable"] / kilobytes["MemTotal"]


@pytest.fixture(scope="module")
def cluster(toy_environment):
    with LocalCluster(toy_environment) as started:
        started.join(1)
        yield started


@pytest.fixture(scope="module")
def doomed(toy_environment):
    """Start a cluster that kills a worker when memory is short, and whose head goes in the end."""
    watch = {
        "RAY_memory_usage_threshold": f"{min(memory_used() + 0.15, 0.95):.3f}",
        "RAY_memory_monitor_refresh_ms": "100",
    }
    with LocalCluster({**toy_environment, **watch}) as started:
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


def wait_until(what, seconds=90):
    """Wait until `what` is true."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, f"not within {seconds} s"
        time.sleep(0.05)


def caught_playing(node):
    """Return a worker of `node` that is frozen inside a block: what it plays is lost with it."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        for pid in node.playing():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                if pid in node.playing():  # and not between two blocks
                    return pid
                os.kill(pid, signal.SIGCONT)
        time.sleep(0.05)
    raise AssertionError("no worker of the node plays")


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
        os.kill(caught_playing(second), signal.SIGKILL)
        caught_playing(first)
        cluster.kill(first)
        wait(process, lambda: last_run(at(tmp_path / "ray" / "toy")).retries == 2)
        before = plays_done(tmp_path / "ray")
        wait(process, lambda: plays_done(tmp_path / "ray") > before)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert cluster.head.playing() == []
    assert "it is played again, try 2 of 4" in output
    play(path, tmp_path / "ray", workers=8, exponent=10)  # what was left
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


@pytest.fixture
def odd_node(cluster, tmp_path, other_rules):
    """Return a function that lets a node with other rules join; it leaves in the end."""
    nodes = []
    environment = {"PYTHONPATH": other_rules, "DOJO_CACHE": str(tmp_path / "cache")}
    yield lambda: nodes.append(cluster.join(1, environment))
    for node in nodes:
        cluster.kill(node)


def test_a_node_with_other_rules_is_refused_whenever_it_comes(
    cluster, odd_node, write_grid, tmp_path, toy_command
):
    path = write_grid(ENDLESS + "slow = [40]\n")
    with running(cluster, toy_command, path, tmp_path) as process:
        wait(process, lambda: plays_done(tmp_path))
        odd_node()
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 3, output
    assert "a worker has other rules installed than the plan" in output
    assert "install the same dojo-sweep on every node" in output
    assert "Traceback" not in output
    assert plays_done(tmp_path) > 0
    with running(cluster, toy_command, path, tmp_path / "fresh") as process:
        output, _ = process.communicate(timeout=120)
    assert (process.returncode, plays_done(tmp_path / "fresh")) == (3, 0), output


def test_a_second_interruption_leaves_a_cluster_at_once(cluster, write_grid, tmp_path, toy_command):
    path = write_grid(ENDLESS + "slow = [40]\n")
    with running(cluster, toy_command, path, tmp_path) as process:
        wait(process, lambda: plays_done(tmp_path))
        process.send_signal(signal.SIGINT)
        for line in process.stdout:
            if "once more leaves at once" in line:
                break
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert "left at once" in output
    assert connect(tmp_path).sql("SELECT count(*) FROM plays").fetchall() == [
        (plays_done(tmp_path),)
    ]
    wait_until(lambda: not any(node.playing() for node in cluster.nodes))


def test_memory_that_runs_out_is_told_with_advice_and_the_other_blocks_go_on(
    doomed, write_grid, tmp_path, toy_command
):
    text = GRID.replace("plays = 100", "plays = 10").replace("[10, 20]", "[10]")
    path = write_grid(text.replace("[2, 3]", "[2]") + "fails_at = [999_999_999, -1]\n")
    with running(doomed, toy_command, path, tmp_path) as process:
        wait(process, lambda: plays_done(tmp_path) and last_run(at(tmp_path / "toy")).retries)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    how = "its machine ran out of memory; fewer --workers, or more memory a core, leave each more"
    assert f"({how}); it is played again, try 2 of 4" in output
    assert plays_done(tmp_path) == 10


def test_a_lost_head_ends_the_run_in_a_sentence_and_it_is_gone_on_with(
    doomed, write_grid, tmp_path, toy_command
):
    path = write_grid(SLOW + "slow = [40]\n")
    with running(doomed, toy_command, path, tmp_path) as process:
        wait(process, lambda: plays_done(tmp_path))
        doomed.head.kill()
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 3, output
    assert "Traceback" not in output
    done = plays_done(tmp_path)
    assert done > 0
    result, listener, _ = play(path, tmp_path, workers=8, exponent=10)
    assert (result.plays, listener.notes) == (8000 - done, [])
