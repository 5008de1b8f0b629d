"""The journal: the record and the log of every run, and the commit of the sources."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import ClassVar

import pytest
from conftest import GRID
from sweep_runs import frozen, play

from dojo_core.errors import DojoError
from sweep import journal, places, provenance
from sweep.backends import Threads
from sweep.journal import Journal, last_run, log_name, read_runs, record_name
from sweep.places import Folder, at

FAILS = GRID.replace("[10, 20]", "[10, 20]\nfails_at = [-1, 50]")


def events(folder, number=1):
    return [json.loads(line) for line in at(folder).read(log_name(number)).splitlines()]


def test_a_record_tells_what_was_run_and_how_far_it_came(write_grid, tmp_path):
    path = write_grid()
    result, listener, folder = play(path, tmp_path)
    (run,) = read_runs(at(folder))
    plan = frozen(path)
    assert (run.number, run.plan, run.engine) == (1, plan.hash, plan.engine)
    assert run.command == sys.argv
    assert (run.backend, run.address, run.workers) == ("threads", None, 2)
    assert (run.outcome, run.error) == ("done", None)
    assert (run.plays, run.plays_begun, run.plays_left) == (400, listener.begun_plays, 0)
    assert (run.blocks, run.blocks_begun, run.failures, run.retries) == (16, 16, 0, 0)
    assert run.versions == plan.versions
    assert 0 < run.play_seconds == result.played < 2 * run.seconds


def test_runs_are_numbered_in_their_order_and_one_without_work_is_noted_too(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    play(write_grid(GRID.replace("100", "120")), tmp_path)
    _, _, folder = play(write_grid(), tmp_path)
    found = [(r.number, r.plays, r.backend, r.outcome) for r in read_runs(at(folder))]
    assert found == [(1, 400, "threads", "done"), (2, 80, "threads", "done"), (3, 0, None, "done")]
    assert last_run(at(folder)) == read_runs(at(folder))[-1]


def test_a_log_tells_a_run_event_by_event(write_grid, tmp_path):
    _, _, folder = play(write_grid(FAILS), tmp_path)
    found = events(folder)
    names = [event["event"] for event in found]
    assert names[:2] == ["run_started", "playing"]
    assert names[2:] == [*["block_failed"] * 4, "merged", "run_ended"]
    failed = found[2]
    assert (failed["first"], failed["plays"]) == (32, 32)
    assert failed["error"] == "RuntimeError: play 50 went wrong"
    assert (found[-1]["outcome"], found[-1]["failures"]) == ("failed", 4)
    assert [e["seconds"] for e in found] == sorted(e["seconds"] for e in found)
    assert last_run(at(folder)).outcome == "failed"


def test_a_log_tells_what_was_set_aside(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    next((tmp_path / "toy" / "plays").iterdir()).write_bytes(b"torn")
    _, listener, folder = play(write_grid(), tmp_path)
    told = [event["sentence"] for event in events(folder, 2) if event["event"] == "set_aside"]
    assert told == listener.notes
    assert "it was set aside in" in told[0]


def test_a_log_tells_how_far_it_is_now_and_then(write_grid, tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "PROGRESS_EVERY", 0.0)
    _, _, folder = play(write_grid(), tmp_path)
    told = [event["plays"] for event in events(folder) if event["event"] == "progress"]
    assert told == sorted(told)
    assert told[-1] == 400


def test_an_error_that_ends_a_run_stands_in_its_record(write_grid, tmp_path, monkeypatch):
    def full(folder, *arguments):
        raise places.storage_error(folder, OSError(28, "No space left on device"))

    monkeypatch.setattr("sweep.work.write_block", full)
    with pytest.raises(DojoError):
        play(write_grid(), tmp_path)
    run = last_run(at(tmp_path / "toy"))
    assert run.outcome == "trouble"
    assert "No space left on device" in run.error
    assert run.plays_begun > run.plays == 0


def test_ctrl_c_is_told(write_grid, tmp_path):
    class Interrupted(Threads):
        def collect(self, seconds):
            raise KeyboardInterrupt

    _, _, folder = play(write_grid(), tmp_path, backend=Interrupted)
    assert last_run(at(folder)).outcome == "stopped"


def test_a_record_that_was_never_ended_tells_of_a_killed_run(write_grid, tmp_path):
    path = write_grid()
    _, _, folder = play(path, tmp_path)
    place = at(folder)
    with place.lock():
        begun = Journal(place, journal._new_run(place, frozen(path)))
        begun.started(100, 400, 2)
        begun.advanced(32)
        begun.save()
        assert last_run(place).outcome == "running"
        assert [run.outcome for run in read_runs(place)] == ["done", "running"]
    run = last_run(place)
    assert (run.outcome, run.plays, run.plays_left) == ("killed", 32, 268)


def test_a_record_that_cannot_be_read_hides_no_other(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    _, _, folder = play(write_grid(), tmp_path)
    (folder / record_name(1)).write_text("{")
    assert [run.number for run in read_runs(at(folder))] == [2]


def test_where_files_cannot_grow_the_log_is_put_whole(write_grid, tmp_path):
    class Whole(Folder):
        appends: ClassVar[bool] = False

    place = Whole(tmp_path)
    with journal.journal(place, frozen(write_grid())) as kept:
        kept.noted("first")
        assert len(events(tmp_path)) == 1
        kept.save()
        kept.noted("second")
        kept.end("done")
    names = [event["event"] for event in events(tmp_path)]
    assert names == ["run_started", "note", "note", "run_ended"]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return a git work tree that stands in for the sources, nothing committed yet."""
    for name in provenance.SOURCES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    monkeypatch.setattr(provenance, "PACKAGES", tmp_path)

    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = ["git", "-C", str(tmp_path), *who, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    return tmp_path, git


def test_the_commit_of_the_sources_is_known_and_whether_they_differ(checkout):
    folder, git = checkout
    git("add", ".")
    git("commit", "-qm", "first")
    assert provenance.commit() == (git("rev-parse", "HEAD"), False)
    (folder / "notes.txt").write_text("elsewhere")
    assert not provenance.commit().dirty
    (folder / "dojo_core" / "rules.py").write_text("")
    assert provenance.commit().dirty


def test_sources_that_git_does_not_keep_have_no_commit(checkout):
    folder, git = checkout
    (folder / "notes.txt").write_text("another project's")
    git("add", "notes.txt")
    git("commit", "-qm", "first")
    assert provenance.commit() is None
