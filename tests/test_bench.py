"""What `dojo bench` measures, and the arithmetic of `dojo fairness`."""

import pytest
from scipy.stats import chisquare

from dojo_core import bench, games
from dojo_core.kernel import plain_python
from dojo_core.labirinto.fairness import chi_squared, corner_wins

GAME = games.load("labirinto")
SHORT = {"max_rounds": 2}


@pytest.fixture(scope="module")
def row():
    return bench.measure(GAME, "random", 3, 0.01, SHORT)


def test_bench_counts_the_plays_and_turns_it_played(row):
    assert (row["player"], row["players"]) == ("random", 3)
    assert row["plays"] >= 1
    assert row["turns"] == 6 * row["plays"]
    assert row["seconds"] >= 0.01


def test_bench_rates_are_what_was_counted_by_the_time(row):
    assert row["plays_per_second"] == pytest.approx(row["plays"] / row["seconds"])
    assert row["turns_per_second"] == pytest.approx(row["turns"] / row["seconds"])
    assert row["ns_per_turn"] == pytest.approx(1e9 / row["turns_per_second"])
    assert row["decisions_per_second"] > row["turns_per_second"]


@pytest.mark.parametrize(
    ("event", "decision"),
    [
        ({"event": "step"}, True),
        ({"event": "choice", "options": [1, 2]}, True),
        ({"event": "choice", "options": [1]}, False),
        ({"event": "roll"}, False),
    ],
)
def test_decision_is_a_step_or_a_choice_among_several(event, decision):
    assert bench.is_decision(event) == decision


def test_decisions_a_turn_are_the_steps_and_choices_of_told_plays():
    # One die of two faces, nothing to draw and nobody to meet: one or two steps a turn.
    options = {"player": "random", "dice": 1, "die_faces": 2, "max_rounds": 1}
    setup = GAME.prepare(GAME.resolve(options))
    told = [GAME.trace(setup, 1, play) for play in range(20)]
    steps = sum(event["event"] == "step" for events in told for event in events)
    choices = sum(
        event["event"] == "choice" and len(event["options"]) > 1
        for events in told
        for event in events
    )
    assert bench.decisions_per_turn(GAME, setup) == pytest.approx((steps + choices) / 80)
    assert 1 <= bench.decisions_per_turn(GAME, setup) <= 3


def test_bench_table_has_a_line_for_each_measurement(row):
    heading, line = bench.table([row])
    assert "turns/s" in heading
    assert line.split()[:2] == ["random", "3"]


@pytest.mark.parametrize("wins", [[25, 25, 25, 25], [30, 20, 25, 25], [400, 300, 350, 350]])
def test_chi_squared_is_the_one_of_the_textbook(wins):
    statistic, probability = chi_squared(wins)
    assert statistic == pytest.approx(chisquare(wins).statistic)
    assert probability == pytest.approx(chisquare(wins).pvalue)


def test_chi_squared_of_no_wins_favours_nobody():
    assert chi_squared([0, 0, 0, 0]) == (0.0, 1.0)


@pytest.mark.skipif(plain_python(), reason="hundreds of plays")
def test_corner_wins_add_up_to_the_finished_plays(monkeypatch):
    options = {"player": "wanderer", "players": 8, "start_track_many": 14, "max_rounds": 20}
    setup = GAME.prepare(GAME.resolve(options))
    out = GAME.out(setup, 130)
    GAME.play(setup, 2, 0, 130, out)
    expected = [
        sum(corner == seat % 4 for seat in out.plays["winner"] if seat >= 0) for corner in range(4)
    ]
    monkeypatch.setattr("dojo_core.labirinto.fairness.BLOCK", 50)
    assert corner_wins(GAME, options, 2, 130) == expected
