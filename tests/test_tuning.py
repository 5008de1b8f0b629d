"""The search for better weights: its method, its grid, and `dojo-sweep tune` on the toy game."""

from __future__ import annotations

import re
import signal
import subprocess
import time
import tomllib

import numpy as np
import pytest
import sweep_runs
import toy_game

from dojo_core.errors import DojoError
from sweep import tuning
from sweep.generations import complete, confirmation, confirmed, generation, scores
from sweep.grid import read_grid
from sweep.outcomes import MISSING, outcomes
from sweep.plan import make_plan
from sweep.queries import connect

GRID = """\
[sweep]
name = "search"
game = "toy"
seed = 5

[fixed]
players = 3

[tune]
player = "walker"
against = ["runner", ["walker", "runner"]]
generations = 3
candidates = 4
elite = 2
plays = 60
confirm = 300
"""


def tune_of(ranges, start, **changes):
    settings = {
        "name": "t", "start": start, "against": (("x",),), "ranges": ranges,
        "spreads": {key: (high - low) / 4 for key, (low, high) in ranges.items()},
        "switches": frozenset(), "generations": 30, "candidates": 40, "elite": 10, "plays": 1,
        "confirm": 1,
    }  # fmt: skip
    return tuning.Tune(**{**settings, **changes})


def searched(tune, worth, seed=1):
    """Return where a search ends when the candidates' worths are known."""
    search = tuning.begin(tune)
    for number in range(1, tune.generations + 1):
        drawn = tuning.candidates(tune, search, seed, number)
        search = tuning.after(tune, search, drawn, [worth(one) for one in drawn])
    return search.middle(tune)


# The method


def test_the_search_finds_the_best_weights_of_a_plain_hill():
    tune = tune_of({"a": (0, 1000), "b": (-50, 50)}, {"a": 900, "b": 0})
    found = searched(tune, lambda w: -((w["a"] - 300) ** 2) - 100 * (w["b"] + 20) ** 2)
    assert found["a"] == pytest.approx(300, abs=10)
    assert found["b"] == pytest.approx(-20, abs=2)


def test_the_search_finds_good_weights_when_scores_are_noisy():
    noise = np.random.default_rng(3)
    tune = tune_of({"a": (0, 1000)}, {"a": 900})
    found = searched(tune, lambda w: -abs(w["a"] - 300) / 1000 + noise.normal(0, 0.1))
    assert found["a"] == pytest.approx(300, abs=120)


def test_a_spread_that_was_much_too_wide_narrows_about_the_start():
    tune = tune_of({"a": (0, 100_000)}, {"a": 40})
    found = searched(tune, lambda w: -abs(w["a"] - 50))
    assert found["a"] == pytest.approx(50, abs=5)


def test_without_ranges_the_search_begins_near_the_start(write_grid):
    text = GRID.replace('game = "toy"', 'game = "micro_dojo"').replace("players = 3\n", "")
    text = text.replace('player = "walker"', 'player = {inherits = "greedy", gold = 90}')
    text = text.replace('["runner", ["walker", "runner"]]', '["greedy"]')
    tune = read_grid(write_grid(text)).tune
    assert tune.ranges["gold"] == (-10_000, 10_000)
    assert tune.spreads["gold"] == 45
    narrow = text + "[tune.weights]\ngold = {from = 80, to = 100}\n"
    assert read_grid(write_grid(narrow)).tune.spreads == {"gold": 5}


def test_candidates_are_whole_in_range_different_and_begin_with_the_middle():
    tune = tune_of({"a": (0, 20), "b": (-3, 3)}, {"a": 19, "b": 0, "c": 7})
    drawn = tuning.candidates(tune, tuning.begin(tune), 1, 1)
    assert drawn[0] == {"a": 19, "b": 0}
    assert len({tuple(one.values()) for one in drawn}) == len(drawn) == 40
    assert all(type(one["a"]) is int and 0 <= one["a"] <= 20 for one in drawn)
    assert all(-3 <= one["b"] <= 3 for one in drawn)


def test_there_are_no_more_candidates_than_choices():
    tune = tune_of({"a": (0, 2)}, {"a": 0})
    assert len(tuning.candidates(tune, tuning.begin(tune), 1, 1)) == 3


def test_candidates_follow_from_seed_and_generation():
    tune = tune_of({"a": (0, 1000)}, {"a": 500})
    search = tuning.begin(tune)
    first = tuning.candidates(tune, search, 1, 1)
    assert first == tuning.candidates(tune, search, 1, 1)
    assert first != tuning.candidates(tune, search, 2, 1)
    assert first != tuning.candidates(tune, search, 1, 2)


def test_a_switch_is_true_or_false_in_a_player():
    tune = tune_of({"s": (0, 1)}, {"s": 0, "a": 4}, switches=frozenset({"s"}))
    assert tune.player({"s": 1}, "p") == {"name": "p", "s": True, "a": 4}


def test_no_two_parts_share_a_seed():
    seeds = [tuning.seed_of(seed, part) for seed in range(50) for part in ("01", "02", "confirm")]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


# The grid and its contests


@pytest.fixture
def grid(write_grid):
    return read_grid(write_grid(GRID))


def test_a_candidate_sits_in_every_seat_of_every_kind_of_table(grid):
    contest = generation(grid, grid.tune, 1, [{"stride": 0}, {"stride": 2}])
    assert len(contest.entries) == 2 * 2 * 3
    values = contest.grid.design.columns["player"].values
    for entry in contest.entries:
        sitting = values[entry.position]
        assert sitting[entry.seat]["stride"] == (0, 2)[entry.who]
        others = [one for seat, one in enumerate(sitting) if seat != entry.seat]
        assert others == [["runner", "runner"], ["walker", "runner"]][entry.table]


def test_every_part_has_a_seed_and_a_folder_of_its_own(grid):
    parts = [
        generation(grid, grid.tune, 1, [{"stride": 0}]),
        generation(grid, grid.tune, 2, [{"stride": 0}]),
        confirmation(grid, grid.tune, {"stride": 1}),
    ]
    assert len({part.grid.seed for part in parts}) == 3
    assert [p.grid.name for p in parts] == ["search-01", "search-02", "search-confirm"]


def played(contest, folder):
    """Play a contest's grid; return its plan and outcomes."""
    plan, _ = make_plan(contest.grid)
    from sweep import runner
    from sweep.backends import Threads
    from sweep.places import at

    runner.run(
        plan, toy_game.GAME, at(folder) / plan.name, lambda job: Threads(job, 2),
        sweep_runs.Remembering(),
    )  # fmt: skip
    with connect(folder, plan.name) as con:
        return plan, outcomes(con, plan)


def test_scores_are_the_shares_of_the_rows(grid, tmp_path):
    contest = generation(grid, grid.tune, 1, [{"stride": 0}, {"stride": 3}])
    plan, found = played(contest, tmp_path)
    weak, strong = scores(contest, plan, found)
    assert strong.mean > weak.mean + 0.3
    with connect(tmp_path, plan.name) as con:
        won = dict(
            con.sql(
                "SELECT contains(points.player, 'tuned.2'), avg(won) FROM seats"
                " JOIN points USING (point) WHERE player_name = 'custom' GROUP BY 1"
            ).fetchall()
        )
    assert (weak.mean, strong.mean) == pytest.approx((won[False], won[True]))
    assert strong.n == 2 * 3 * 60


def test_a_confirmation_holds_the_tuned_player_beside_the_start_player(grid, tmp_path):
    contest = confirmation(grid, grid.tune, {"stride": 3})
    result = confirmed(contest, *played(contest, tmp_path))
    assert result.share.mean > 0.8
    assert result.p < 0.001
    assert 0.3 < result.fair <= 1 / 3
    assert result.gain.mean == pytest.approx(result.field.mean - result.start.mean)
    assert result.share.n == 3 * 300
    assert result.field.n == result.start.n == 2 * 3 * 300


def test_the_start_player_itself_is_not_confirmed_as_better(grid, tmp_path):
    contest = confirmation(grid, grid.tune, {"stride": 0})
    result = confirmed(contest, *played(contest, tmp_path))
    assert (result.p, result.gain_p, result.gain.mean) == (1.0, 1.0, 0.0)


def test_a_missing_play_is_seen():
    assert complete([np.zeros(3, np.int8)])
    assert not complete([np.zeros(3, np.int8), np.array([0, MISSING], np.int8)])
    assert not complete([np.zeros(0, np.int8)])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("seed = 5", "seed = 5\nplays = 3", "plays stands in [tune]"),
        ('player = "walker"', "", "[tune] needs the key 'player'"),
        ('player = "walker"', 'player = "walkr"', "is not one of walker, runner"),
        ("plays = 60", "plays = 0", "plays = 0 is not a whole number"),
        ("elite = 2", "elite = 4", "elite = 4 is not at least 2 and less than the 4 candidates"),
        ('["walker", "runner"]]', '["walker"]]', "1 players for the 2 other seats"),
        ('against = ["runner", ["walker", "runner"]]', 'against = "runner"', "is not a list of"),
        ("confirm = 300", "confirm = 300\nspeed = 1", "there is no key 'speed'"),
        ("confirm = 300", 'confirm = 300\nname = "walker"', "there is a player 'walker' already"),
        ("confirm = 300", 'confirm = 300\nweights = ["strid"]', "did you mean 'stride'?"),
        (
            "confirm = 300",
            "confirm = 300\n[tune.weights]\nstride = {from = 0, to = 9}",
            "is not a range between 0 and 3",
        ),
        (
            "confirm = 300",
            "confirm = 300\n[tune.weights]\nstride = {from = 1, to = 3}",
            "leaves out 0, which the start player has",
        ),
        ("players = 3", 'players = 3\nplayer = "walker"', "settled by [tune] and fixed too"),
    ],
)
def test_a_mistake_in_a_search_is_told(write_grid, old, new, words):
    assert old in GRID
    with pytest.raises(DojoError) as caught:
        read_grid(write_grid(GRID.replace(old, new)))
    assert words in str(caught.value)


def test_a_search_is_no_sweep(command, write_grid):
    code, _, errors = command("run", write_grid(GRID))
    assert code == 2
    assert "play it with: dojo-sweep tune" in errors


# The command


def test_a_better_player_is_found_confirmed_and_written(command, write_grid, tmp_path):
    code, output, errors = command("tune", write_grid(GRID))
    assert (code, errors) == (0, "")
    text = (tmp_path / "search.player.toml").read_text()
    assert tomllib.loads(text)["players"]["tuned"]["stride"] == 3
    assert "stride from 0" in text
    for words in ("engine ", "seed 5", "3 generations of 4 candidates", "p < 0.001"):
        assert words in text
    assert re.search(r"generation 3 of 3: .* candidates \d", output)
    assert "left" in output


def test_what_is_written_is_a_player_for_a_grid(command, write_grid, tmp_path):
    command("tune", write_grid(GRID))
    text = (tmp_path / "search.player.toml").read_text()
    again = write_grid(f'[sweep]\ngame = "toy"\nplays = 1\n[fixed]\nplayer = "tuned"\n{text}')
    assert read_grid(again).design.options["player"] == {"name": "tuned", "stride": 3}


def test_run_again_nothing_is_played_and_the_same_is_written(command, write_grid, tmp_path):
    path = write_grid(GRID)
    command("tune", path, "-o", "first.toml")
    before = sorted((tmp_path / "results").glob("*/plays/*"))
    code, output, _ = command("tune", path, "-o", "again.toml")
    assert code == 0
    assert "playing" not in output
    assert (tmp_path / "first.toml").read_bytes() == (tmp_path / "again.toml").read_bytes()
    assert sorted((tmp_path / "results").glob("*/plays/*")) == before


def test_a_search_is_the_same_however_it_is_played(command, write_grid, tmp_path):
    path = write_grid(GRID)
    command("tune", path, "-o", "first.toml", "--workers", 1)
    command("tune", path, "-o", "again.toml", "--workers", 2, "--results", "elsewhere")
    assert (tmp_path / "first.toml").read_bytes() == (tmp_path / "again.toml").read_bytes()


def test_a_search_that_was_stopped_goes_on(
    command, write_grid, tmp_path, toy_command, toy_environment
):
    text = GRID.replace("players = 3", "players = 3\nslow = 5")
    text = text.replace("plays = 60", "plays = 20").replace("confirm = 300", "confirm = 40")
    path = write_grid(text)
    going = subprocess.Popen(
        [*toy_command, "tune", str(path), "--no-ray"], cwd=tmp_path, env=toy_environment,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    until = time.monotonic() + 120
    while not list((tmp_path / "results").glob("search-01/plays/*")):
        assert time.monotonic() < until
        assert going.poll() is None
        time.sleep(0.02)
    going.send_signal(signal.SIGINT)
    output, _ = going.communicate(timeout=60)
    assert going.returncode == 130
    assert f"Go on with: dojo-sweep tune {path}" in output
    assert command("tune", path, "-o", "stopped.toml", "--no-ray")[::2] == (0, "")
    command("tune", path, "-o", "at_once.toml", "--results", "elsewhere", "--no-ray")
    at_once = (tmp_path / "at_once.toml").read_bytes()
    assert (tmp_path / "stopped.toml").read_bytes() == at_once


def test_where_nothing_is_better_nothing_is_written(command, write_grid, tmp_path):
    text = GRID.replace('player = "walker"', "player = {stride = 3}")
    code, output, _ = command("tune", write_grid(text))
    assert code == 0
    assert "nothing better was found" in output
    assert not (tmp_path / "search.player.toml").exists()


def test_blocks_that_fail_stop_the_search(command, write_grid):
    text = GRID.replace("players = 3", "players = 3\nfails_at = 7")
    code, _, errors = command("tune", write_grid(text))
    assert code == 1
    assert "failed" in errors


def test_a_grid_without_a_search_is_refused(command, write_grid):
    code, _, errors = command("tune", write_grid())
    assert code == 2
    assert "has no section [tune]" in errors


@pytest.mark.usefixtures("ray_here")
def test_a_search_on_ray_finds_the_same(command, write_grid, tmp_path, ray_here):
    path = write_grid(GRID)
    command("tune", path, "-o", "threads.toml", "--no-ray")
    address = ray_here.ray.get_runtime_context().gcs_address
    code, output, _ = command(
        "tune", path, "-o", "ray.toml", "--results", "elsewhere", "--address", address
    )
    assert code == 0
    assert output.count("joining") == 1
    assert (tmp_path / "threads.toml").read_bytes() == (tmp_path / "ray.toml").read_bytes()
