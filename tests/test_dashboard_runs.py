"""What the dashboard says of a sweep's last run."""

from dataclasses import replace

import pytest

from dashboard import runs
from dashboard.runs import Told
from sweep.journal import Run
from sweep.queries import SweepInfo

INFO = SweepInfo("races", "toy", "The Toy", 0.0, 4, 2000, 1000, "stopped", (), "plays", "")
RUN = Run(
    number=3,
    plan="",
    command=[],
    started=0.0,
    host="here",
    process=1,
    cores=2,
    engine="",
    versions={},
    commit=None,
    dirty=None,
    backend="threads",
    workers=2,
    seconds=30.0,
    starting=10.0,
    plays=1000,
    plays_left=1000,
    play_seconds=38.0,
)


@pytest.mark.parametrize(
    ("state", "outcome", "mark"),
    [
        ("running", "running", "▶ running"),
        ("done", "done", "✓ done"),
        ("done", "failed", "✓ done"),  # what failed was stored since, by an import
        ("stopped", "stopped", "■ stopped"),
        ("stopped", "done", "■ stopped"),  # the plan was extended since
        ("stopped", "failed", "✗ failed"),
        ("stopped", "killed", "✗ killed"),
        ("stopped", "trouble", "✗ trouble"),
        ("stopped", "gave up", "✗ gave up"),
    ],
)
def test_a_state_says_why_a_sweep_is_not_done(state, outcome, mark):
    assert Told(replace(INFO, state=state), replace(RUN, outcome=outcome), ()).mark == mark


def test_a_sweep_without_the_record_of_a_run_is_stopped():
    assert runs.sentence(Told(INFO, None, ())).startswith("**stopped**. 1,000 plays are missing")


def test_a_run_says_its_pace_and_what_part_of_the_time_was_play():
    said = runs.sentence(Told(INFO, replace(RUN, outcome="stopped"), ()))
    assert "1,000 plays in 30 s, 50 a second" in said
    assert "2 at a time on threads · 95% of that time in play" in said


def test_a_run_that_goes_on_says_how_long_it_takes_still():
    going = Told(replace(INFO, state="running"), RUN, ())
    assert runs.sentence(going).endswith("20 s left")


def test_trouble_is_told_with_what_to_do():
    told = Told(INFO, replace(RUN, outcome="trouble", error="the disk is full."), ())
    assert runs.sentence(told).endswith(
        ". the disk is full. 1,000 plays are missing. Running it again goes on where it stopped."
    )


def test_failures_are_put_together_by_error_the_latest_first():
    rows = [
        {"point": "a", "number": 1, "first": 0, "plays": 64, "error": "one", "command": "a 0"},
        {"point": "b", "number": 2, "first": 0, "plays": 64, "error": "two", "command": "b 0"},
        {"point": "a", "number": 1, "first": 64, "plays": 64, "error": "one", "command": "a 64"},
    ]
    found = runs.by_error(rows, 5)
    assert found["error"].tolist() == ["one", "two"]
    assert found.iloc[0][["blocks", "plays", "first", "last"]].tolist() == [2, 128, 64, 127]
    assert found["command"].tolist() == ["a 64", "b 0"]
    assert len(runs.by_error(rows, 1)) == 1
