"""Players of a grid's own, and the seatings of a ladder: their points, and what is refused."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest
import toy_game

from dojo_core.errors import DojoError
from sweep import grid as grid_module
from sweep.grid import read_grid
from sweep.plan import Plan, make_plan
from sweep.seatings import MIXES, mix_of

HEAD = '[sweep]\ngame = "toy"\nplays = 10\n'
MINE = '[players.mine]\ninherits = "runner"\nstride = [0, 2]\n'
LADDER = """\
[sweep]
game = "toy"

[fixed]
players = 4

[players.sprinter]
stride = 3

[ladder]
players = ["walker", "runner", "sprinter"]
plays = {one = 20, half = 10}
"""


@pytest.fixture
def planned(write_grid):
    return lambda text: make_plan(read_grid(write_grid(text)))[0]


def shown(plan):
    return [plan.shown(toy_game.GAME, point)["player"] for point in plan.points]


# [players.NAME]


def test_a_player_of_the_grid_sits_where_it_is_named(planned):
    text = '[fixed]\nplayers = 2\nplayer = ["swift", "walker"]\n[players.swift]\nstride = 2\n'
    assert planned(HEAD + text).options["player"] == [{"name": "swift", "stride": 2}, "walker"]


def test_a_player_inherits_what_it_does_not_change_also_from_one_above(planned):
    text = '[players.a]\ninherits = "runner"\n[players.b]\ninherits = "a"\n[fixed]\nplayer = "b"\n'
    assert planned(HEAD + text).options["player"] == {"name": "b", "stride": 1}


def test_several_values_of_a_weight_make_a_player_each(planned):
    plan = planned(HEAD + MINE + '[grid]\nplayer = ["walker", "mine"]\n')
    assert shown(plan) == ["walker", "mine.stride.0", "mine.stride.2"]


def test_a_range_of_weights_is_its_numbers(planned):
    text = '[players.m]\nstride = {from = 0, to = 3, step = 3}\n[grid]\nplayer = ["m"]\n'
    assert shown(planned(HEAD + text)) == ["m.stride.0", "m.stride.3"]


def test_at_one_table_a_player_of_several_weights_has_the_same_in_all_seats(planned):
    text = MINE + '[fixed]\nplayers = 3\n[grid]\nplayer = [["mine", "walker", "mine"]]\n'
    assert shown(planned(HEAD + text)) == [
        f"mine.stride.{stride} walker mine.stride.{stride}" for stride in (0, 2)
    ]


def test_a_condition_may_name_a_player_of_the_grid(planned):
    text = MINE + '[grid]\nplayer = ["walker", "mine"]\n[[leave_out]]\nplayer = "mine"\n'
    assert shown(planned(HEAD + text)) == ["walker"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[players.m]\nstrid = 1\n", 5, "players have no weight 'strid'; did you mean 'stride'?"),
        ("[players.m]\nstride = 9\n", 5, "stride = 9 is not a whole number from 0 to 3"),
        ("[players.m]\nstride = [0, 9]\n", 5, "stride = 9 is not"),
        ("[players.m]\nstride = []\n", 5, "stride has no value"),
        ("[players.m]\nstride = {from = 2, to = 1}\n", 5, "is not a weight, a list of weights"),
        ('[players.m]\ninherits = "runer"\n', 5, "did you mean 'runner'?"),
        (MINE + '[players.m]\ninherits = "mine"\n', 8, "stands for 2 players; inherit from one"),
        ("[players.walker]\nstride = 1\n", 4, "there is a player 'walker' already"),
        ('[players.m]\nname = "n"\n', 5, "names the player already"),
        ("[players]\nm = 3\n", 5, "write [players.m] on a line of its own"),
        (MINE + '[fixed]\nplayer = "mine"\n', 8, "stands for 2 players"),
        (MINE + '[grid]\nplayer = ["mien"]\n', 8, "no player 'mien'; did you mean 'mine'?"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_player_is_told_with_its_line(write_grid, text, line, words):
    path = write_grid(HEAD + text)
    with pytest.raises(DojoError) as caught:
        read_grid(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert words in str(caught.value)


# Seatings


@pytest.mark.parametrize(("mix", "seats"), [(m, n) for m in MIXES for n in (4, 6)])
def test_in_every_matchup_each_player_sits_in_each_seat_equally_often(mix, seats):
    matchups = itertools.groupby(
        sorted(MIXES[mix](7, seats), key=lambda s: (sorted(s), s)), key=sorted
    )
    for players, seatings in matchups:
        listed = list(seatings)
        assert len(set(listed)) == len(listed)
        assert {mix_of(seating) for seating in listed} == {mix}
        for seat in range(seats):
            counts = Counter(seating[seat] for seating in listed)
            expected = {p: len(listed) * players.count(p) / seats for p in players}
            assert counts == expected


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_one_against_the_rest_has_every_pair_both_ways(seats):
    assert len(set(MIXES["one"](3, seats))) == (6 * seats if seats > 2 else 6)


# [ladder]


def test_a_ladder_is_played_in_every_seating_as_often_as_its_mix_says(planned):
    plan = planned(LADDER)
    assert plan.ladder == (("walker",), ("runner",), ("sprinter",))
    assert Counter(point.plays for point in plan.points) == {20: 24, 10: 18}
    assert "walker sprinter walker walker" in shown(plan)


def test_a_frozen_ladder_is_still_one(planned):
    plan = planned(LADDER)
    assert Plan.from_json(plan.to_json()).ladder == plan.ladder


def test_a_slow_rung_is_played_less_often(planned):
    plan = planned(LADDER + "at_most = {sprinter = 3}\n")
    for words, point in zip(shown(plan), plan.points, strict=True):
        assert (point.plays == 3) == ("sprinter" in words)


def test_a_rung_may_hold_several_players(planned):
    text = LADDER.replace("stride = 3", "stride = [2, 3]").replace("half = 10", "different = 10")
    sprinters = ("sprinter.stride.2", "sprinter.stride.3")
    assert planned(text).ladder == (("walker",), ("runner",), sprinters)
    text = LADDER.replace('"walker", "runner"', '["walker", "runner"]')
    plan = planned(text)
    assert plan.ladder == (("walker", "runner"), ("sprinter",))
    assert len(plan.points) == 42


def test_a_ladder_is_combined_with_the_other_axes(planned):
    assert len(planned(LADDER + "[grid]\ngoal = [10, 20]\n").points) == 2 * (24 + 18)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('game = "toy"', 'game = "toy"\nplays = 4', "plays stands in [ladder] where there is one"),
        ("plays = {one = 20, half = 10}\n", "", "[ladder] needs the key 'plays'"),
        ("{one = 20, half = 10}", "{won = 20}", "'won' is not one of the mixes one, half, diff"),
        ("{one = 20, half = 10}", "{one = 0}", "one = 0 is not a whole number"),
        ("{one = 20, half = 10}", "20", "plays = 20 is not plays of each seating by mix"),
        ("{one = 20, half = 10}", "{different = 1}", "here are 4 seats and 3 players"),
        ("players = 4", "players = 3", "half against half needs 4 seats"),
        ('"sprinter"]', '"sprinter", "sprinter"]', "play alike"),
        ('["walker", "runner", "sprinter"]', '["walker"]', "needs two rungs at least"),
        ('["walker", "runner", "sprinter"]', '"walker"', "is not a list of players"),
        ('"sprinter"]', '"sprinted"]', "no player 'sprinted'; did you mean 'sprinter'?"),
        ("[fixed]\nplayers = 4", "[grid]\nplayers = [2, 4]", "[ladder] needs it fixed"),
        (
            "players = 4",
            'players = 4\nplayer = "walker"',
            "player is settled by [ladder] and fixed too",
        ),
        (
            "plays = {",
            "at_most = {runer = 1}\nplays = {",
            "'runer' is not in the ladder; did you mean",
        ),
    ],
)
def test_a_mistake_in_a_ladder_is_told(write_grid, old, new, words):
    assert old in LADDER
    with pytest.raises(DojoError) as caught:
        read_grid(write_grid(LADDER.replace(old, new)))
    assert words in str(caught.value)


# The page and the shipped example


PAGE = Path(grid_module.__file__).parent / "LADDER.md"
GRIDS = re.findall(r"```toml\n([\s\S]*?)```", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", GRIDS)
def test_an_example_of_the_page_is_a_grid(write_grid, text):
    grid = read_grid(write_grid(text))
    assert grid.ladder or grid.tune


@pytest.mark.parametrize("player", ["expert", "master"])
def test_a_shipped_player_is_what_its_search_could_find(player):
    grid = read_grid(PAGE.parent / "examples" / f"tune_{player}.toml")
    weights = grid.game.weights_of(player)
    for key, start in grid.tune.start.items():
        low, high = grid.tune.ranges.get(key, (start, start))
        assert low <= weights[key] <= high, key


def test_the_shipped_ladder_is_a_grid():
    grid = read_grid(PAGE.parent / "examples" / "ladder.toml")
    assert ("careful", "bold") in grid.ladder
    assert grid.design.options["players"] == 4
