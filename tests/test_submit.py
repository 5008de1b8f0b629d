"""`dojo-sweep submit`: on a real Ray cluster of one node, and what is refused without one."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from dojo_core.errors import DojoError
from sweep import places, submit
from sweep.grid import read_grid
from sweep.plan import Calibration, make_plan, with_calibration
from sweep.queries import connect, sweeps

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
COMMAND = [sys.executable, "-c", "from sweep.cli import main; main()"]
GRID = """\
[sweep]
name = "{name}"
game = "labirinto"
plays = {plays}

[fixed]
player = "greedy"

[grid]
players = [3, 4]
"""


def free_ports(count):
    """Return ports that were free just now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def until(condition, seconds=120.0, every=0.1):
    """Wait until the condition holds; fail when it does not within so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not come to pass"
        time.sleep(every)


def answers(address):
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"{address}/api/version", timeout=2
        ).close()
    except urllib.error.HTTPError as error:
        return error.code in (401, 403)  # the dashboard is up, and asks for its token
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def cluster():
    """Start a Ray head with its dashboard and a token of its own: (address, environment)."""
    port, dashboard, client, agent = free_ports(4)
    environment = {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "NO_PROXY": "127.0.0.1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(16),
    }
    for name in ("RAY_ADDRESS", "RAY_API_SERVER_ADDRESS"):
        environment.pop(name, None)
    folder = tempfile.mkdtemp(prefix="dojo", dir="/tmp")  # Ray's sockets need a short path
    words = [BIN / "ray", "start", "--head", "--block", "--num-cpus=2", f"--port={port}"]
    words += ["--node-ip-address=127.0.0.1", "--object-store-memory=100000000"]
    words += ["--dashboard-host=127.0.0.1", f"--dashboard-port={dashboard}"]
    words += [f"--ray-client-server-port={client}", f"--dashboard-agent-listen-port={agent}"]
    words += [f"--temp-dir={folder}"]
    with open(Path(folder) / "head.txt", "w") as log:
        head = subprocess.Popen(
            words, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    address = f"http://127.0.0.1:{dashboard}"
    try:
        until(lambda: answers(address) or head.poll() is not None)
        assert head.poll() is None, (Path(folder) / "head.txt").read_text()
        yield address, environment
    finally:
        head.terminate()
        try:
            head.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(head.pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def submitting(cluster, tmp_path):
    """Return a function that begins `dojo-sweep submit` on the cluster, as a process."""
    address, environment = cluster

    def begin(*words, **variables):
        return subprocess.Popen(
            [*COMMAND, "submit", *map(str, words)],
            cwd=tmp_path,
            env={**environment, "RAY_ADDRESS": address, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


def grid(folder, plays, name="tiny"):
    path = folder / f"{name}.toml"
    path.write_text(GRID.format(name=name, plays=plays))
    return path


def long_plan(folder):
    """Freeze a sweep of hours in blocks of a moment; return the plan's file."""
    plan, _ = make_plan(read_grid(grid(folder, 50_000_000, "long")))
    path = folder / "plan.json"
    path.write_text(with_calibration(plan, Calibration(0.001, 500.0, 1e4), 8).to_json())
    return path


def job_of(process):
    """Return the id of the job that a submitting process tells first."""
    line = process.stdout.readline()
    assert line.startswith("submitted as "), line + process.stderr.read()
    return line.split(":")[0].split()[-1]


def stored(results):
    """Return how many plays the results hold."""
    try:
        return sum(info.plays_done for info in sweeps(results))
    except DojoError:
        return 0


def test_a_job_is_followed_to_its_end_and_its_plays_are_those_played_here(submitting, tmp_path):
    process = submitting(grid(tmp_path, 20), "--results", tmp_path / "there")
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, output + errors
    for words in ("submitted as tiny-", "40 plays", "joining auto", "Who wins"):
        assert words in output
    assert errors == ""
    plan = next((tmp_path / "there/tiny/plans").glob("*.json"))
    here = [*COMMAND, "run", str(plan), "--no-ray", "--results", str(tmp_path / "here")]
    subprocess.run(here, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    question = "SELECT * FROM seats ORDER BY ALL"
    rows = [connect(tmp_path / n).sql(question).fetchall() for n in ("there", "here")]
    assert len(rows[0]) == 20 * 3 + 20 * 4
    assert rows[0] == rows[1]


def test_a_job_outlives_its_terminal_can_be_followed_again_and_stopped(submitting, tmp_path):
    results = tmp_path / "there"
    plan = long_plan(tmp_path)
    process = submitting(plan, "--results", results, "--yes", "--workers", 1)
    job = job_of(process)
    until(lambda: stored(results) > 0)
    process.kill()  # the terminal closes
    process.communicate()
    before = stored(results)
    until(lambda: stored(results) > before)

    process = submitting("--follow", job)
    until(lambda: "playing" in process.stdout.readline())
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert f"no longer following; {job} goes on" in output
    assert f"submit --follow {job} --address http://127.0.0.1" in output
    assert errors == ""

    process = submitting("--stop", job)
    output, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert output == f"{job} is stopped; what it finished is kept\n"
    kept = stored(results)
    assert kept > before

    process = submitting("--follow", job)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped" in output
    assert "dojo-sweep: the job was stopped; what it finished is kept\n" in errors
    assert stored(results) == kept


def test_the_exit_code_follows_the_jobs_and_strangers_are_told(cluster):
    """One process for all: each would import Ray anew."""
    address, environment = cluster
    code = (
        "import json, sys\n"
        "from types import SimpleNamespace\n"
        "from sweep import submit\n"
        "jobs = submit.Jobs(sys.argv[1])\n"
        "print(jobs.cores())\n"
        "plan = SimpleNamespace(name='x', hash='0', to_json=lambda: '{}')\n"
        "for line in sys.argv[2:]:\n"
        "    submit.entrypoint = lambda results, workers: line\n"
        "    log = []\n"
        "    end = jobs.follow(jobs.submit(plan, '/nowhere'), log.append)\n"
        "    print(json.dumps([end.code, end.sentence, ''.join(log)]))\n"
    )
    lines = ["echo one; echo two; exit 1", "exec no-such-command-here", "kill -9 $$"]
    ran = subprocess.run(
        [sys.executable, "-c", code, address, *lines],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    cores, failed, missing, killed = map(json.loads, ran.stdout.splitlines())
    assert cores == 2
    assert failed[:2] == [1, ""]
    assert "\none\ntwo\n" in failed[2]
    assert missing[0] == 3
    assert "has no command dojo-sweep; install the same dojo-sweep on every node" in missing[1]
    assert killed[0] == 3
    assert "killed on the cluster by SIGKILL" in killed[1]


def test_an_unknown_job_is_named_with_those_there_are(submitting):
    process = submitting("--follow", "nothing")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "has no job 'nothing'; its sweeps are " in errors
    assert errors.count("\n") == 1


def test_a_cluster_that_asks_for_its_token_is_told(submitting):
    process = submitting("--follow", "any", RAY_AUTH_MODE="disabled")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "asks for its token; set RAY_AUTH_MODE=token" in errors
    assert errors.count("\n") == 1


# What needs no cluster.


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Return a function that runs `dojo-sweep` here: (exit code, output, errors)."""
    from sweep import cli

    monkeypatch.chdir(tmp_path)
    for name in ("RAY_ADDRESS", "RAY_API_SERVER_ADDRESS"):
        monkeypatch.delenv(name, raising=False)

    def run(*words, theme="submit"):
        monkeypatch.setattr(sys, "argv", ["dojo-sweep", theme, *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "give one of a grid file, --follow ID and --stop ID"),
        (["g.toml", "--stop", "j"], "give one of a grid file, --follow ID and --stop ID"),
        (["g.toml"], "no cluster is named; give --address http://HOST:8265"),
        (["g.toml", "--address", "10.0.0.7:6379"], "probably http://10.0.0.7:8265"),
        (["g.toml", "--address", "ray://head:10001"], "probably http://head:8265"),
        (["g.toml", "--address", "auto"], "probably http://HOST:8265"),
    ],
)
def test_a_command_line_that_names_no_job_or_cluster_exits_2(command, words, sentence):
    code, _, errors = command(*words)
    assert code == 2
    assert sentence in errors
    assert errors.count("\n") == 1


def test_the_address_may_come_from_the_environment(command, monkeypatch):
    (port,) = free_ports(1)
    monkeypatch.setenv("RAY_ADDRESS", f"http://127.0.0.1:{port}")
    code, _, errors = command("--follow", "any")
    assert code == 3
    assert f"the cluster at http://127.0.0.1:{port} cannot be reached" in errors
    assert "Connection refused" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["--address", "https://there"]])
def test_run_does_not_take_a_dashboards_address(command, monkeypatch, tmp_path, words):
    monkeypatch.setenv("RAY_ADDRESS", "http://there:8265")
    code, _, errors = command(grid(tmp_path, 1), *words, theme="run")
    assert code == 2
    assert "hand the sweep over with `dojo-sweep submit`" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("results", ["results", "./there", "../there"])
def test_a_relative_results_path_is_refused_with_why(results):
    with pytest.raises(DojoError, match="which the cluster removes with the job; give --results"):
        submit.check_lasting(places.at(results) / "tiny")


@pytest.mark.parametrize("results", ["/data/results", "s3://bucket/folder"])
def test_results_that_outlive_the_job_are_taken(results):
    submit.check_lasting(places.at(results) / "tiny")


def test_the_job_runs_the_plan_with_paths_quoted():
    assert submit.entrypoint("/data/my results", 8) == (
        "exec dojo-sweep run plan.json --yes --address auto --results '/data/my results'"
        " --workers 8"
    )


@pytest.mark.parametrize(
    ("status", "code", "message", "expected", "words"),
    [
        ("SUCCEEDED", 0, None, 0, ""),
        ("STOPPED", None, None, 130, "was stopped"),
        ("FAILED", 1, "exit", 1, ""),
        ("FAILED", 3, "exit", 3, ""),
        ("FAILED", 127, "exit", 3, "has no command dojo-sweep"),
        ("FAILED", -15, "exit", 3, "killed on the cluster by SIGTERM"),
        ("FAILED", None, "no\nroom", 3, "failed on the cluster: no room"),
    ],
)
def test_how_a_job_ended_becomes_an_exit_code(status, code, message, expected, words):
    info = SimpleNamespace(status=status, driver_exit_code=code, message=message)
    end = submit.ending(info)
    assert end.code == expected
    assert words in end.sentence
    assert bool(words) == bool(end.sentence)


class FlakyClient:
    """Stands for Ray's: its log breaks off so many times before it ends."""

    def __init__(self, breaks):
        self.breaks = breaks
        self.text = ["one\n", "two\n", "three\n"]

    def get_job_info(self, job):
        done = self.breaks < 0
        status = SimpleNamespace(is_terminal=lambda: done)
        return SimpleNamespace(status=status, driver_exit_code=1, message="")

    async def tail_job_logs(self, job):
        self.breaks -= 1
        for number, line in enumerate(self.text):
            if number == 2 and self.breaks >= 0:
                raise RuntimeError("closed unexpectedly")
            yield line
            await asyncio.sleep(0)


def flaky(monkeypatch, breaks):
    monkeypatch.setattr(submit, "PAUSE", 0.0)
    jobs = submit.Jobs.__new__(submit.Jobs)
    jobs.address, jobs._client = "http://there:8265", FlakyClient(breaks)
    return jobs


def test_a_log_that_breaks_off_is_taken_up_where_it_was(monkeypatch):
    written = []
    jobs = flaky(monkeypatch, breaks=2)
    assert jobs.follow("x-1", written.append).code == 1
    assert "".join(written) == "one\ntwo\nthree\n"


def test_a_cluster_that_stays_silent_is_told_with_how_to_follow_again(monkeypatch):
    jobs = flaky(monkeypatch, breaks=99)
    with pytest.raises(DojoError, match="submit --follow x-1 --address http://there:8265") as error:
        jobs.follow("x-1", lambda text: None)
    assert error.value.exit_code == 3
