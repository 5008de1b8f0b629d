"""`dojo-sweep status`: how far sweeps have come."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import GRID
from sweep_runs import frozen, play

from sweep import journal
from sweep.backends import Threads
from sweep.commands import keeping
from sweep.journal import Journal
from sweep.places import at
from sweep.status import status, sweep_folder, sweep_folders
from sweep.store import Store

FAILS = GRID.replace("[10, 20]", "[10, 20]\nfails_at = [-1, 50]")


class Interrupted(Threads):
    """Threads, and a user who presses Ctrl-C once five blocks of 32 or 4 plays have ended."""

    def __init__(self, job):
        super().__init__(job, 1)
        self.ended = 0

    def collect(self, seconds):
        if self.ended == 5:
            raise KeyboardInterrupt
        outcomes = super().collect(seconds)
        self.ended += len(outcomes)
        return outcomes


def test_a_finished_sweep(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    found = status(at(folder))
    assert (found.name, found.state, found.trouble) == ("toy", "done", None)
    assert (found.points, found.points_complete, found.points_begun) == (4, 4, 0)
    assert (found.plays_planned, found.plays_done, found.plays_missing) == (400, 400, 0)
    assert (found.blocks_missing, found.blocks_failed, found.blocks_running) == (0, 0, 0)
    assert (found.rate, found.seconds_left, found.last_run.outcome) == (None, None, "done")


def test_a_stopped_sweep_tells_what_is_missing_by_point_and_block(write_grid, tmp_path):
    result, _, folder = play(write_grid(), tmp_path, backend=Interrupted, exponent=5)
    found = status(at(folder))
    stored = result.plays
    assert 132 <= stored <= 200  # four blocks make the first point; one or two more may have ended
    assert (found.state, found.last_run.outcome) == ("stopped", "stopped")
    assert (found.points_complete, found.points_begun) == (1, 1)
    assert (found.plays_done, found.plays_missing) == (stored, 400 - stored)
    assert found.blocks_missing == 16 - 4 - (stored - 100) // 32


def test_more_plays_make_a_done_sweep_incomplete(write_grid, tmp_path):
    play(write_grid(), tmp_path, exponent=5)
    _, _, folder = play(
        write_grid(GRID.replace("= 100", "= 130")), tmp_path, backend=Interrupted, exponent=5
    )
    found = status(at(folder))
    # From play 100 on, the blocks of a point are 100 to 127 and 128 to 129.
    assert found.plays_planned == 520
    assert found.plays_done == 400 + found.last_run.plays
    assert found.blocks_missing == 8 - found.last_run.blocks


def test_failed_blocks_are_counted_until_they_are_stored(write_grid, tmp_path):
    _, _, folder = play(write_grid(FAILS), tmp_path)
    found = status(at(folder))
    assert (found.blocks_failed, found.plays_failed, found.plays_missing) == (4, 128, 128)
    assert found.points_begun == 4
    play(write_grid(), tmp_path)  # another plan: its points never failed
    assert status(at(folder)).blocks_failed == 0


def test_a_running_sweep_tells_pace_and_what_is_under_way(write_grid, tmp_path, monkeypatch):
    path = write_grid()
    plan = frozen(path)
    _, _, folder = play(path, tmp_path, backend=Interrupted, exponent=5)
    place = at(folder)
    done = status(place).plays_done
    clock = iter(range(0, 1000, 10))
    with place.lock():
        monkeypatch.setattr(journal.time, "monotonic", lambda: next(clock))
        run = Journal(place, journal._new_run(place, plan))
        run.started(done, 400, 2)
        for block in [("a", 0, 32), ("a", 32, 32), ("a", 64, 32)]:
            run.begun(journal.Block(*block))
        run.advanced(32)
        run.save()
        monkeypatch.undo()
        found = status(place)
        assert (found.state, found.blocks_running) == ("running", 2)
        assert found.rate == pytest.approx(32 / (found.last_run.seconds - found.last_run.starting))
        assert found.seconds_left == pytest.approx(found.plays_missing / found.rate)
    assert status(place).state == "stopped"


def test_a_broken_manifest_is_told(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    (folder / "manifest.json").write_text("{")
    assert "is broken; run the sweep again" in status(at(folder)).trouble


def test_the_newest_plan_comes_first(write_grid, tmp_path):
    for name in ("b", "c", "a"):
        path = write_grid(GRID.replace('"toy"', f'"{name}"', 1))
        store = Store(at(tmp_path / name), None, frozen(path))
        store.folder.prepare(["plans"])
        store.write_plan()
    assert [folder.name for folder in sweep_folders(at(tmp_path))] == ["a", "c", "b"]


# The command


def test_it_tells_all_sweeps_or_one(command, write_grid):
    command("run", write_grid())
    command("run", write_grid(GRID.replace('"toy"', '"other"', 1)))
    code, output, _ = command("status")
    assert code == 0
    assert output.index("other") < output.index("toy")
    assert output.count("400 of 400") == 2
    code, output, _ = command("status", "toy")
    assert code == 0
    assert "points   4 of 4 complete, 0 begun, 0 not begun" in output
    assert "last run 1, done, 400 plays in" in output


def test_failed_blocks_exit_1(command, write_grid):
    command("run", write_grid(FAILS))
    code, output, _ = command("status", "toy")
    assert code == 1
    assert "failed (" in output
    assert command("status")[0] == 1


def test_json_is_for_scripts(command, write_grid):
    command("run", write_grid())
    one = json.loads(command("status", "toy", "--json")[1])
    assert (one["plays_done"], one["last_run"]["outcome"]) == (400, "done")
    assert json.loads(command("status", "--json")[1]) == [one]


def test_watching_ends_with_the_run(command, write_grid, tmp_path, monkeypatch):
    told = []
    states = iter(["running", "running", "done"])

    def seen(results, name):
        found = status(sweep_folder(at(results), name))
        told.append(next(states))
        return [keeping_status(found, told[-1])]

    def keeping_status(found, state):
        return type(found)(**{**vars(found), "state": state})

    command("run", write_grid())
    monkeypatch.setattr(keeping, "_statuses", seen)
    monkeypatch.setattr(keeping.time, "sleep", lambda seconds: None)
    code, output, _ = command("status", "toy", "--watch", "--json")
    assert code == 0
    assert [json.loads(line)["state"] for line in output.splitlines()] == told
    assert told == ["running", "running", "done"]


def test_ctrl_c_leaves_the_watching_with_0(command, write_grid, monkeypatch):
    def interrupted(seconds):
        raise KeyboardInterrupt

    command("run", write_grid())
    monkeypatch.setattr("sweep.places.Folder.is_locked", lambda self: True)
    monkeypatch.setattr(keeping.time, "sleep", interrupted)
    code, output, _ = command("status", "--watch")
    assert code == 0
    assert "running" in output


def test_an_unknown_sweep_exits_2(command, write_grid):
    command("run", write_grid())
    code, _, errors = command("status", "tou")
    assert code == 2
    assert "there is no sweep 'tou' in 'results'; did you mean 'toy'?; there are toy" in errors
    assert "there is none yet" in command("status", "toy", "--results", "nowhere")[2]


def test_an_unreadable_sweep_hides_no_other(command, write_grid, tmp_path):
    command("run", write_grid())
    (tmp_path / "results" / "broken").mkdir()
    (tmp_path / "results" / "broken" / "plan.json").write_text("{")
    code, output, errors = command("status")
    assert code == 0
    assert "toy" in output
    assert "broken holds no readable plan" in errors


def test_it_needs_neither_duckdb_nor_numba(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    code = (
        "import sys; from sweep.cli import app\n"
        f"try: app(['status', 'toy', '--results', {str(tmp_path)!r}])\n"
        "except SystemExit: print(sorted({'numba', 'ray', 'duckdb', 'pandas'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.rstrip().endswith("[]")


def test_it_tells_of_sweeps_behind_an_address(command, write_grid, bucket):
    assert command("run", write_grid(FAILS), "--results", bucket)[0] == 1
    code, output, _ = command("status", "toy", "--results", bucket, "--json")
    found = json.loads(output)
    assert code == 1
    assert found["state"] == "stopped"
    assert 0 < found["plays_failed"] == found["plays_missing"] == 800 - found["plays_done"]
    assert found["last_run"]["outcome"] == "failed"
    log = at(bucket) / "toy"
    events = [json.loads(line)["event"] for line in log.read("runs/0001.jsonl").splitlines()]
    assert events == ["run_started", "playing", *["block_failed"] * 4, "merged", "run_ended"]
