"""The runner: failures, interruption, kills, and Ray itself."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
import toy_game
from conftest import GRID
from sweep_runs import frozen, play, rows

from dojo_core.errors import DojoError
from sweep import calibration, runner, store, work
from sweep.backends import Threads
from sweep.blocks import play_plays
from sweep.journal import last_run
from sweep.local_cluster import free_port
from sweep.places import Folder, at, storage_error
from sweep.plan import missing_blocks
from sweep.queries import connect, is_gone, sweeps
from sweep.store import Group
from sweep.work import Job, Outcome, Worker

FAILS = GRID.replace("[10, 20]", "[10, 20]\nfails_at = [-1, 50]")


def test_a_block_that_raises_is_a_row_and_the_others_go_on(write_grid, tmp_path):
    result, listener, _ = play(write_grid(FAILS), tmp_path)
    assert result.failures == 4
    assert result.plays == 800 - 4 * 32
    failed = connect(tmp_path).sql("SELECT * FROM failures ORDER BY point").fetchall()
    points = sorted(p.id for p in frozen(write_grid(FAILS)).points)
    assert {row[0] for row in failed} < set(points)
    point, first, plays, error, traceback, command = failed[0]
    assert (first, plays, error) == (32, 32, "RuntimeError: play 50 went wrong")
    assert "in play_plays" in traceback
    assert command == f"dojo-sweep block toy {point} 32 32 --results {tmp_path}"
    assert any("plays 32 to 63 of point" in note for note in listener.notes)


def test_failed_blocks_are_tried_again_by_the_next_run(write_grid, tmp_path):
    play(write_grid(FAILS), tmp_path)
    result, _, _ = play(write_grid(FAILS), tmp_path)
    assert (result.failures, result.plays) == (4, 0)


def test_failed_pieces_side_by_side_are_tried_once(write_grid, tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "least_plays", lambda plan, workers, left: 8)
    text = GRID.replace("[10, 20]", "[10]").replace("[2, 3]", "[2]")
    monkeypatch.setattr(work, "play_plays", failing_in(8, 24))
    result, _, _ = play(write_grid(text), tmp_path)
    assert (result.failures, result.plays) == (2, 100 - 16)


def test_failed_pieces_count_as_one_block_when_a_sweep_is_given_up(
    write_grid, tmp_path, monkeypatch
):
    monkeypatch.setattr(calibration, "least_plays", lambda plan, workers, left: 4)
    monkeypatch.setattr(work, "play_plays", failing_in(0, 96))
    text = GRID.replace("[10, 20]", "[10]").replace("[2, 3]", "[2]")
    result, _, _ = play(write_grid(text), tmp_path, workers=1)
    assert (result.failures, result.plays, result.gave_up) == (24, 4, None)


class Losing(Threads):
    """Threads that lose every second worker, when its work was done for the first time."""

    def __init__(self, job):
        super().__init__(job, 2)
        self.done = set()

    def collect(self, seconds):
        return [self.lost(outcome) for outcome in super().collect(seconds)]

    def lost(self, outcome):
        first_time = str(outcome.work) not in self.done
        self.done.add(str(outcome.work))
        lose = first_time and len(self.done) % 2 == 0
        return Outcome(outcome.work, lost="gone") if lose else outcome


def test_rows_are_the_same_whatever_pieces_they_were_played_in_and_lost(
    write_grid, tmp_path, monkeypatch
):
    play(write_grid(), tmp_path / "whole")
    monkeypatch.setattr(calibration, "least_plays", lambda plan, workers, left: 1 + left // 16)
    monkeypatch.setattr(store, "WORTH_ROWS", 40)
    result, _, _ = play(write_grid(), tmp_path / "pieces", backend=Losing)
    assert (result.plays, result.failures) == (400, 0)
    assert result.losses > 10
    for view in ("plays", "seats", "squares", "moments"):
        assert rows(tmp_path / "pieces", view).equals(rows(tmp_path / "whole", view)), view


def failing_in(first, end):
    """Return a way to play blocks that raises for those between two plays."""

    def play_some(game, setup, seed, block, stop):
        if first <= block.first < end:
            raise RuntimeError("went wrong")
        return play_plays(game, setup, seed, block, stop)

    return play_some


def test_a_sweep_whose_first_blocks_all_fail_is_given_up(write_grid, tmp_path):
    text = GRID.replace("plays = 100", "plays = 1").replace("[10, 20]", str([*range(4, 20)]))
    result, _, _ = play(write_grid(text + "fails_at = [0]\n"), tmp_path)
    assert 20 <= result.failures <= 22  # the two others under way may have ended meanwhile
    assert "the first 20 blocks all failed" in result.gave_up
    assert not result.complete


def test_many_failures_among_plays_that_succeed_give_the_sweep_up(
    write_grid, tmp_path, monkeypatch
):
    monkeypatch.setattr(runner, "MOST_FAILURES", 3)
    result, _, _ = play(write_grid(FAILS), tmp_path, workers=1)
    assert result.gave_up.startswith("3 blocks failed; mend what ")
    assert 0 < result.plays == sweeps(tmp_path)[0].plays_done


def test_a_clock_that_jumps_changes_nothing(write_grid, tmp_path, monkeypatch):
    path = write_grid(GRID + "slow = [1]\n")
    clock = itertools.cycle([4e9, 0.0, 1e9])
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: next(clock))
        result, listener, _ = play(path, tmp_path / "jumping", exponent=3)
    play(path, tmp_path / "steady")
    assert (result.plays, listener.notes) == (400, [])
    assert rows(tmp_path / "jumping").equals(rows(tmp_path / "steady"))


def test_a_full_disk_stops_at_once_with_one_sentence(write_grid, tmp_path, monkeypatch):
    written = []

    def full(folder, name, write):
        if name.startswith("plays/"):
            written.append(name)
            raise storage_error(folder, OSError(28, "No space left on device"))
        publish(folder, name, write)

    publish = Folder.publish
    monkeypatch.setattr(Folder, "publish", full)
    with pytest.raises(DojoError, match="No space left on device") as caught:
        play(write_grid(), tmp_path, workers=1, exponent=2)
    assert caught.value.exit_code == 3
    assert len(written) <= 4


class Interrupting(Threads):
    """Threads, and a user who presses Ctrl-C when some blocks have ended."""

    ended = 0

    def collect(self, seconds):
        if self.ended > 3:
            raise KeyboardInterrupt
        outcomes = super().collect(seconds)
        self.ended += len(outcomes)
        return outcomes


def test_an_interrupted_run_keeps_what_is_finished_and_is_gone_on_with(write_grid, tmp_path):
    path = write_grid()
    result, _, _ = play(path, tmp_path, backend=Interrupting, exponent=3)
    assert result.interrupted
    assert 0 < result.plays < 400
    assert sweeps(tmp_path)[0].plays_done == result.plays
    assert sweeps(tmp_path)[0].state == "stopped"
    rest, _, _ = play(path, tmp_path)
    assert rest.plays == 400 - result.plays
    play(path, tmp_path / "fresh")
    assert rows(tmp_path).equals(rows(tmp_path / "fresh"))


def test_a_running_sweep_is_seen_and_can_be_asked(write_grid, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SAVE_EVERY", 0.0)
    path = write_grid(GRID + "slow = [20]\n")
    thread = threading.Thread(target=play, args=(path, tmp_path), kwargs={"exponent": 3})
    thread.start()
    seen = set()
    while thread.is_alive():
        for info in sweeps(tmp_path):
            if 0 < info.plays_done < info.plays_planned:
                try:
                    count = connect(tmp_path).sql("SELECT count(*) FROM plays").fetchall()[0][0]
                except (FileNotFoundError, duckdb.Error) as error:
                    if not is_gone(error):
                        raise
                    continue  # merged since: connect again
                seen.add((info.state, info.plays_done <= count))
        time.sleep(0.02)
    thread.join()
    assert seen == {("running", True)}
    assert sweeps(tmp_path)[0].state == "done"


def test_the_token_changes_with_the_rows_and_only_then(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    before = sweeps(tmp_path)[0].token
    assert sweeps(tmp_path)[0].token == before
    play(write_grid(GRID.replace("100", "120")), tmp_path)
    assert sweeps(tmp_path)[0].token != before


def test_a_worker_with_other_rules_or_another_way_to_store_refuses(write_grid, tmp_path):
    job = Job(toy_game.GAME, frozen(write_grid()), at(tmp_path), "")
    assert Worker(job).trouble() is None
    other = Worker(replace(job, plan=replace(job.plan, engine="another")))
    assert "other rules installed than the plan (engine " in other.trouble()
    older = Worker(replace(job, sources="another"))
    assert "another dojo-sweep installed than the driver (sources " in older.trouble()


def test_a_point_is_prepared_once_by_a_worker(write_grid, tmp_path, monkeypatch):
    prepared = []
    plan = frozen(write_grid())
    monkeypatch.setattr(work, "play_plays", lambda *args: (None, 0.0))
    monkeypatch.setattr(work, "tables_of", lambda *args: {})
    monkeypatch.setattr(work, "write_block", lambda *args: None)
    worker = Worker(Job(toy_game.GAME, plan, at(tmp_path), ""))
    monkeypatch.setattr(
        type(plan), "setup", lambda self, game, point: prepared.append(point) or None
    )
    blocks = list(missing_blocks(plan.points, {}, 3))
    for block in blocks:
        worker.do(block)
    assert len(prepared) == len(plan.points) < len(blocks)


class Counting(Threads):
    """Threads that count what they merge."""

    merges = 0

    def submit(self, work):
        type(self).merges += isinstance(work, Group)
        super().submit(work)


class LosingMerges(Counting):
    """Threads that lose whoever merges."""

    def collect(self, seconds):
        ended = super().collect(seconds)
        return [
            Outcome(end.work, lost="gone") if isinstance(end.work, Group) else end for end in ended
        ]


@pytest.mark.parametrize("backend", [Counting, LosingMerges])
def test_small_files_are_merged_by_workers_and_by_the_driver_if_none_does(
    write_grid, tmp_path, monkeypatch, backend
):
    monkeypatch.setattr(store, "MAX_SMALL", 8)
    result, _, folder = play(write_grid(), tmp_path / "merged", backend=backend, exponent=2)
    assert backend.merges > 5
    assert (result.plays, result.failures) == (400, 0)
    assert len(list((folder / "plays").iterdir())) == 1
    play(write_grid(), tmp_path / "quiet")
    for view in ("plays", "seats", "squares", "moments"):
        assert rows(tmp_path / "merged", view).equals(rows(tmp_path / "quiet", view)), view


# Real processes


def start(toy_command, toy_environment, path, results, *more):
    return subprocess.Popen(
        [*toy_command, "run", str(path), "--results", str(results), "--workers", "2", *more],
        env=toy_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=heed_hangup,
    )


def heed_hangup():
    """Undo what a test run under `nohup` would hand on: a run that is told to ignore it goes on."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def wait_for_plays(results, process, least=1):
    for _ in range(4000):
        if process.poll() is not None:
            raise AssertionError(process.stdout.read())
        infos = sweeps(results)
        if infos and infos[0].plays_done >= least:
            return
        time.sleep(0.05)
    raise AssertionError("no block ended within minutes")


SLOW = GRID.replace("plays = 100", "plays = 4000").replace("[10, 20]", "[10]") + "slow = [40]\n"


@pytest.mark.parametrize(
    ("how", "where"),
    [
        (signal.SIGKILL, "--no-ray"),
        (signal.SIGINT, "--no-ray"),
        (signal.SIGHUP, "--no-ray"),
        (signal.SIGTERM, "--ray"),
    ],
)
def test_a_stopped_driver_loses_nothing(
    write_grid, tmp_path, toy_command, toy_environment, how, where
):
    path = write_grid(SLOW)
    process = start(toy_command, toy_environment, path, tmp_path, where)
    wait_for_plays(tmp_path, process)
    os.kill(process.pid, how)
    asked = time.monotonic()
    output, _ = process.communicate(timeout=60)
    assert time.monotonic() - asked < 15
    assert "Traceback" not in output
    if how != signal.SIGKILL:
        assert process.returncode == 130
    if how in (signal.SIGINT, signal.SIGTERM):
        assert "what was finished is kept. Go on with: dojo-sweep run" in output
    done = sweeps(tmp_path)[0].plays_done
    assert sweeps(tmp_path)[0].state == "stopped"
    record = last_run(at(tmp_path / "toy"))
    assert record.outcome == ("killed" if how == signal.SIGKILL else "stopped")
    assert 0 <= record.plays <= record.plays_begun <= 8000
    quick = write_grid(SLOW.replace("[40]", "[0]"), "quick.toml")
    assert done > 0
    result, listener, _ = play(path, tmp_path, workers=8, exponent=10)
    assert result.plays <= 8000 - done
    assert listener.notes == []
    play(quick, tmp_path / "fresh", exponent=10)
    columns = (
        "SELECT players, goal, play, winner, rounds, turns FROM plays JOIN points USING (point)"
    )
    ours, fresh = (
        connect(place).sql(f"{columns} ORDER BY ALL").to_arrow_table()
        for place in (tmp_path, tmp_path / "fresh")
    )
    assert ours.equals(fresh)


def test_a_second_interruption_leaves_at_once_and_nothing_half_written_is_read(
    write_grid, tmp_path, toy_command, toy_environment
):
    path = write_grid(SLOW.replace("[40]", "[600]").replace("[2, 3]", "[2]"))
    process = start(toy_command, toy_environment, path, tmp_path, "--no-ray")
    try:
        wait_for_plays(tmp_path, process)
        os.kill(process.pid, signal.SIGINT)
        for line in process.stdout:
            if "once more leaves at once" in line:
                break
        os.kill(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "left at once" in output
    done = sweeps(tmp_path)[0].plays_done
    assert connect(tmp_path).sql("SELECT count(*) FROM plays").fetchall() == [(done,)]


def on_ray(ray_here):
    return lambda job: ray_here.OnRay(job, 2)


def test_ray_plays_and_merges_the_same_rows(write_grid, tmp_path, ray_here, monkeypatch):
    path = write_grid()
    monkeypatch.setattr(store, "MAX_SMALL", 8)
    play(path, tmp_path / "ray", backend=on_ray(ray_here), exponent=4)
    play(path, tmp_path / "threads")
    for view in ("plays", "seats", "squares", "points"):
        assert rows(tmp_path / "ray", view).equals(rows(tmp_path / "threads", view)), view


def test_workers_of_ray_play_and_merge_without_pandas(write_grid, tmp_path):
    code = (
        "import sys; from sweep import on_ray; on_ray._leave_out_pandas();"
        "import toy_game; from sweep_runs import play;"
        "result, _, _ = play(*sys.argv[1:], exponent=4);"
        "print(result.plays, 'pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(write_grid()), str(tmp_path)]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(["tests", *sys.path])}
    told = subprocess.run(command, capture_output=True, text=True, env=here, check=True).stdout
    assert told.split() == ["400", "False"]


def test_ray_notes_blocks_that_raise(write_grid, tmp_path, ray_here):
    result, _, _ = play(write_grid(FAILS), tmp_path, backend=on_ray(ray_here))
    assert (result.failures, result.plays) == (4, 800 - 4 * 32)


def test_without_a_shared_folder_blocks_come_back_to_the_driver(write_grid, tmp_path, ray_here):
    path = write_grid()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".lock").write_text(
        '{"token": "old"}'
    )  # an older run's, on a machine apart
    elsewhere = {"folder": at(tmp_path / "elsewhere"), "token": "of another run"}
    apart = lambda job: ray_here.OnRay(replace(job, **elsewhere), 2)  # noqa: E731
    play(path, tmp_path / "apart", backend=apart)
    play(path, tmp_path / "threads")
    assert rows(tmp_path / "apart").equals(rows(tmp_path / "threads"))
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == [".lock"]


def scraped(port):
    """Return the metrics of the sweep that Prometheus would read, by name."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
    except OSError:
        return {}
    ours = [line for line in lines if line.startswith("ray_dojo_")]
    assert all('sweep="toy"' in line.lower() and 'game="toy"' in line.lower() for line in ours)
    return {re.split(r"[{ ]", line)[0]: float(line.rsplit(" ", 1)[1]) for line in ours}


def test_prometheus_reads_how_a_run_goes(write_grid, tmp_path, toy_command, toy_environment):
    endless = SLOW.replace("plays = 4000", "plays = 4000000")  # the test ends it
    path = write_grid(endless + "fails_at = [2000]\n")
    port = free_port()
    often = {**toy_environment, "RAY_metrics_report_interval_ms": "1000"}
    process = start(
        toy_command, often, path, tmp_path, "--ray", "--metrics-port", str(port), "--yes"
    )
    try:
        found = {}
        for _ in range(600):
            assert process.poll() is None, process.stdout.read()
            found = scraped(port)
            if found.get("ray_dojo_blocks_failed_total"):
                break
            time.sleep(0.2)
    finally:
        process.terminate()
        process.communicate(timeout=60)
    done = sweeps(tmp_path)[0].plays_done
    assert found["ray_dojo_blocks_failed_total"] in (1, 2)  # one a point
    assert 0 < found["ray_dojo_plays_total"] <= done
    assert 0 < found["ray_dojo_plays_left"] < 8_000_000
    assert found["ray_dojo_block_seconds_count"] >= found["ray_dojo_blocks_total"] > 0
    assert found["ray_dojo_plays_per_second"] > 0


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def playing_workers() -> list[int]:
    """Return the processes below this one that play a block for Ray right now."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_bytes().startswith(b"ray::_play"):
                above = parent(int(folder.name))
                while above > 1 and above != os.getpid():
                    above = parent(above)
                if above == os.getpid():
                    found.append(int(folder.name))
    return found


def test_a_killed_worker_is_replaced_and_its_block_played_again(write_grid, tmp_path, ray_here):
    killed = []
    finished = threading.Event()

    def kill_workers():
        while len(killed) < 2 and not finished.wait(0.5):
            for process in playing_workers()[:1]:
                os.kill(process, signal.SIGKILL)
                killed.append(process)

    killer = threading.Thread(target=kill_workers)
    killer.start()
    path = write_grid(GRID + "slow = [30]\n")
    result, _, _ = play(path, tmp_path, backend=on_ray(ray_here), exponent=4)
    finished.set()
    killer.join()
    assert killed
    assert (result.failures, result.plays) == (0, 400)
    assert connect(tmp_path).sql("SELECT count(*) FROM plays").fetchall() == [(400,)]


def test_a_block_that_always_kills_its_worker_fails_and_the_others_go_on(
    write_grid, tmp_path, ray_here
):
    text = GRID.replace("[10, 20]", "[10]\nfails_at = [-1, 1_000_000_000]").replace("[2, 3]", "[2]")
    path = write_grid(text.replace("plays = 100", "plays = 20"))
    result, listener, _ = play(path, tmp_path, backend=on_ray(ray_here))
    assert (result.failures, result.plays) == (1, 20)
    assert listener.notes[-1].endswith(
        "each of 4 workers was lost while playing it: its process was killed or crashed"
    )
    assert result.losses == 4
    assert [note[-6] for note in listener.notes[:3]] == ["2", "3", "4"]  # "try 2 of 4"


def test_the_window_bounds_what_is_under_way(write_grid, tmp_path):
    most = []

    class Counting(Threads):
        def submit(self, block):
            super().submit(block)
            most.append(len(self._pending))

    play(write_grid(), tmp_path, backend=lambda job: Counting(job, 2), exponent=2)
    assert max(most) == 3


def test_an_address_of_rays_client_is_refused_with_what_to_do():
    from sweep import on_ray

    with pytest.raises(DojoError, match="`dojo-sweep submit`") as caught:
        on_ray.begin(None, "ray://head:10001")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("OutOfMemoryError", "fewer --workers"),
        ("NodeDiedError", "its node is gone"),
        ("WorkerCrashedError", "killed or crashed"),
        ("ObjectLostError", "with what it had played"),
        ("RaySystemError", None),
    ],
)
def test_how_a_worker_was_lost_is_told_in_words(error, words):
    from sweep import on_ray

    kind = getattr(on_ray.errors, error)
    told = on_ray._loss(kind.__new__(kind))
    assert told is None if words is None else words in told


def test_a_cluster_that_does_not_answer_is_one_sentence():
    from sweep import on_ray

    with pytest.raises(
        DojoError, match=r"the cluster '127\.0\.0\.1:1' cannot be reached"
    ) as caught:
        on_ray.begin(None, "127.0.0.1:1")
    assert caught.value.exit_code == 3


def test_plain_python_leaves_no_word_that_it_compiled(write_grid, tmp_path, toy_environment):
    environment = {**toy_environment, "NUMBA_DISABLE_JIT": "1", "DOJO_CACHE": str(tmp_path)}
    program = "import sys, toy_game; from sweep_runs import play; play(*sys.argv[1:])"
    subprocess.run(
        [sys.executable, "-c", program, write_grid(), str(tmp_path / "results")],
        env=environment,
        check=True,
        timeout=300,
    )
    assert list(tmp_path.rglob("*.compiled")) == []
