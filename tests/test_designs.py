"""Every section of the grid language: which points it makes, and what is refused."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json

import pytest
import toy_game
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dojo_core.errors import DojoError
from dojo_core.game import Preset
from sweep.designs import sampled
from sweep.grid import REPEATED, SECTIONS, read_grid
from sweep.plan import Plan, make_plan

HEAD = '[sweep]\ngame = "toy"\nplays = 10\n'
SHORT = '[presets."short track"]\ngoal = 6\n'
PRINTED = "[presets.printed]\n"


@pytest.fixture
def planned(write_grid):
    def plan(text):
        return make_plan(read_grid(write_grid(text)))[0]

    return plan


def cells(plan, *names):
    """Return the settled values of some options at every point."""
    return [tuple(plan.resolved(point)[name] for name in names) for point in plan.points]


def table(plan):
    """Return what the points show, and their plays."""
    return [(*plan.shown(toy_game.GAME, point).values(), point.plays) for point in plan.points]


# Ranges


def test_a_range_stands_for_its_numbers_wherever_values_may_stand(planned):
    plan = planned(HEAD + "[grid]\ngoal = {from = 8, to = 14, step = 3}\nplayers = {from=2,to=3}\n")
    assert cells(plan, "goal", "players") == [(g, p) for g in (8, 11, 14) for p in (2, 3)]
    more = "[grid]\ngoal = [8, 9, 10, 11]\n[[leave_out]]\ngoal = {from = 9, to = 10}\n"
    assert cells(planned(HEAD + more), "goal") == [(8,), (11,)]


# [[only_when]]

ONLY = "[grid]\nplayers = [2, 3]\n[[only_when]]\nwhen = {players = 3}\ngoal = [12, 20, 30]\n"


def test_a_conditional_axis_varies_where_its_condition_holds_only(planned):
    assert cells(planned(HEAD + ONLY), "players", "goal") == [(2, 12), (3, 12), (3, 20), (3, 30)]


def test_elsewhere_a_conditional_axis_keeps_its_fixed_value(planned):
    plan = planned(HEAD + "[fixed]\ngoal = 20\n" + ONLY)
    assert cells(plan, "players", "goal") == [(2, 20), (3, 12), (3, 20), (3, 30)]


def test_two_axes_under_one_condition_are_combined_and_a_fixed_option_may_be_named(planned):
    text = HEAD + (
        "[fixed]\nbonus = true\n[grid]\nplayers = [2, 3]\n[[only_when]]\n"
        "when = {players = 2, bonus = true}\ngoal = [8, 9]\nslow = [0, 1]\n"
    )
    found = cells(planned(text), "players", "goal", "slow")
    assert found == [(2, 8, 0), (2, 8, 1), (2, 9, 0), (2, 9, 1), (3, 12, 0)]


def test_a_condition_may_name_what_an_only_when_above_varies(planned):
    text = HEAD + ONLY + "[[only_when]]\nwhen = {goal = [20, 30]}\nbonus = [false, true]\n"
    found = cells(planned(text), "players", "goal", "bonus")
    assert found[:2] == [(2, 12, False), (3, 12, False)]
    assert found[2:] == [(3, g, b) for g in (20, 30) for b in (False, True)]


def test_an_option_may_vary_under_several_conditions_that_exclude_each_other(planned):
    text = HEAD + ONLY + "[[only_when]]\nwhen = {players = 2}\ngoal = [8]\n"
    assert cells(planned(text), "players", "goal")[0] == (2, 8)


# [derived]


def test_a_derived_option_follows_at_every_point(planned):
    text = HEAD + "[grid]\nplayers = [2, 3]\n[derived]\nmax_rounds = '200 * players'\n"
    plan = planned(text)
    assert cells(plan, "players", "max_rounds") == [(2, 400), (3, 600)]
    assert list(plan.axes) == ["players", "max_rounds"]


def test_derived_options_may_follow_from_each_other_in_any_order(planned):
    text = HEAD + (
        "[grid]\nplayers = [2, 5]\n[derived]\nslow = 'goal - 4 if bonus else 0'\n"
        "bonus = 'players >= 4'\ngoal = 'max(8, players * 3)'\n"
        "die = \"'coin' if bonus else 'cube'\"\n"
    )
    found = cells(planned(text), "players", "goal", "bonus", "slow", "die")
    assert found == [(2, 8, False, 0, "cube"), (5, 15, True, 11, "coin")]


def test_points_may_be_left_out_by_a_derived_value(planned):
    text = HEAD + (
        "[grid]\nplayers = [2, 3]\n[derived]\nmax_rounds = '200 * players'\n"
        "[[leave_out]]\nmax_rounds = 400\n"
    )
    assert cells(planned(text), "players") == [(3,)]


# Presets


def test_a_preset_sets_its_options_and_others_may_vary(planned):
    text = HEAD + SHORT + '[fixed]\npreset = "short track"\n[grid]\nplayers = [2, 3]\n'
    assert cells(planned(text), "goal", "players") == [(6, 2), (6, 3)]


def test_presets_may_be_an_axis_which_labels_the_points(planned):
    text = (
        HEAD + SHORT + PRINTED + ('[grid]\nplayers = [2, 3]\npreset = ["printed", "short track"]\n')
    )
    plan = planned(text)
    assert list(plan.axes) == ["preset", "players", "goal"]
    assert table(plan) == [
        ("printed", 2, 12, 10),
        ("short track", 2, 6, 10),
        ("printed", 3, 12, 10),
        ("short track", 3, 6, 10),
    ]


def test_the_label_is_no_part_of_a_points_id_and_alike_presets_make_one_point(planned):
    text = HEAD + PRINTED + '[presets.same]\ngoal = 12\n[grid]\npreset = ["printed", "same"]\n'
    plan = planned(text)
    assert [point.id for point in plan.points] == [planned(HEAD).points[0].id]
    assert plan.origin == "[grid] 2, 1 twice"


def test_the_presets_of_a_game_are_known(planned, monkeypatch):
    presets = (Preset("coins", "A coin is thrown.", {"die": "coin"}, "toy"),)
    monkeypatch.setattr(toy_game, "GAME", dataclasses.replace(toy_game.GAME, presets=presets))
    assert cells(planned(HEAD + '[fixed]\npreset = "coins"\n'), "die") == [("coin",)]


def test_a_plan_with_presets_is_read_back_as_it_was_written(planned):
    plan = planned(HEAD + SHORT + PRINTED + '[grid]\npreset = ["printed", "short track"]\n')
    assert Plan.from_json(plan.to_json()) == plan


def test_conditions_may_name_presets(planned):
    text = (
        HEAD
        + SHORT
        + PRINTED
        + (
            '[grid]\npreset = ["printed", "short track"]\n'
            '[[only_when]]\nwhen = {preset = "printed"}\nplayers = [2, 4]\n'
        )
    )
    assert cells(planned(text), "goal", "players") == [(12, 2), (12, 4), (6, 3)]


# [sample]

SAMPLE = "[sample]\nmethod = '{}'\npoints = {}\n[sample.axes]\ngoal = {{from = 4, to = 35}}\n"


@pytest.mark.parametrize("method", ["latin_hypercube", "sobol"])
def test_a_sample_spreads_evenly_over_each_axis(planned, method):
    plan = planned(HEAD + SAMPLE.format(method, 32) + "max_rounds = {from = 1, to = 32}\n")
    goals, rounds = zip(*cells(plan, "goal", "max_rounds"), strict=True)
    assert sorted(goals) == list(range(4, 36))
    assert sorted(rounds) == list(range(1, 33))


def test_a_sample_is_the_same_for_the_same_seed_everywhere():
    sizes = {"a": 10, "b": 3}
    assert sampled("sobol", 4, 1, sizes) == [
        {"a": 2, "b": 0},
        {"a": 5, "b": 2},
        {"a": 8, "b": 0},
        {"a": 0, "b": 1},
    ]
    assert sampled("latin_hypercube", 8, 1, sizes) != sampled("latin_hypercube", 8, 2, sizes)


def test_equal_rows_of_a_sample_are_one_point_and_counted(planned):
    text = HEAD + "[sample]\nmethod = 'sobol'\npoints = 16\naxes = {bonus = [false, true]}\n"
    plan = planned(text)
    assert sorted(cells(plan, "bonus")) == [(False,), (True,)]
    assert plan.origin == "[sample] 16, 14 twice"


def test_a_sample_is_combined_with_the_grid(planned):
    plan = planned(HEAD + SAMPLE.format("sobol", 8) + "[grid]\nplayers = [2, 3, 4]\n")
    assert len(plan.points) == 24
    assert plan.origin == "[grid] 3 x [sample] 8"


# [one_at_a_time]


def test_one_change_at_a_time_is_the_base_and_each_single_change(planned):
    text = HEAD + "[fixed]\ngoal = 9\n[one_at_a_time]\ngoal = [8, 9, 10]\nbonus = [true]\n"
    plan = planned(text)
    base = (9, False)
    assert cells(plan, "goal", "bonus") == [base, (8, False), (10, False), (9, True)]
    assert plan.origin == "[one_at_a_time] 5, 1 twice"


def test_changes_are_combined_with_the_grid_and_begin_at_each_preset(planned):
    text = (
        HEAD
        + SHORT
        + PRINTED
        + ('[grid]\npreset = ["printed", "short track"]\n[one_at_a_time]\ngoal = [8]\n')
    )
    assert cells(planned(text), "goal") == [(12,), (8,), (6,)]


# Plays


def test_plays_in_all_are_split_equally_and_rounded_up(planned):
    plan = planned(HEAD.replace("plays", "plays_in_all") + "[grid]\nplayers = [2, 3, 4]\n")
    assert [point.plays for point in plan.points] == [4, 4, 4]


def test_some_points_may_have_more_plays_the_most_that_is_asked_for(planned):
    text = HEAD + (
        "[grid]\nplayers = [2, 3, 4]\n[[more_plays]]\nwhen = {players = [3, 4]}\nplays = 50\n"
        "[[more_plays]]\nplays = 20\n[more_plays.when]\nplayers = {from = 2, to = 3}\n"
    )
    plan = planned(text)
    assert [point.plays for point in plan.points] == [20, 50, 50]
    assert plan.plays_planned == 120


# What is told


def test_a_plan_tells_what_each_section_contributed(planned):
    text = HEAD + ONLY + "bonus = [false, true]\n[[leave_out]]\ngoal = 30\n"
    assert planned(text).origin == "[grid] 2, 5 more by [[only_when]], 2 left out"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[grid]\ngoal = {from = 8}\n", 5, "it takes from and to"),
        ("[grid]\ngoal = {from = 8, two = 9}\n", 5, "it takes from and to"),
        ("[grid]\ngoal = {from = 9, to = 8}\n", 5, "from must not be above to"),
        ("[grid]\ngoal = {from = 8, to = 9, step = 0}\n", 5, "step at least 1"),
        ("[grid]\ngoal = {from = 3, to = 9}\n", 5, "from: goal = 3 is not a whole number from 4"),
        ("[grid]\nbonus = {from = 0, to = 1}\n", 5, "it takes whole numbers only"),
        ("[grid]\nfails_at = {from = 0, to = 999999}\n", 5, "has 1,000,000 values"),
        ("[[only_when]]\ngoal = [8]\n", 4, "[[only_when]] needs a condition, such as when = {"),
        ("[[only_when]]\nwhen = 3\ngoal = [8]\n", 5, "[[only_when]] needs a condition"),
        ("[[only_when]]\nwhen = {players = 3}\n", 4, "[[only_when]] names no axis"),
        ("[[only_when]]\nwhen = {players = 3}\ngaol = [8]\n", 6, "no option 'gaol'; did you mean"),
        ("[[only_when]]\nwhen = {playrs = 3}\ngoal = [8]\n", 5, "no option 'playrs'; did you mean"),
        ("[[only_when]]\nwhen = {players = 4}\ngoal = [8]\n", 5, "players is 3 at every point"),
        ("[[only_when]]\nwhen = {goal = 8}\ngoal = [8]\n", 5, "goal varies here or further down"),
        (
            "[grid]\nplayers = [2, 3]\n[[only_when]]\nwhen = {players = 4}\ngoal = [8]\n",
            7,
            "players has no value 4 in its axis",
        ),
        (
            "[grid]\ngoal = [8]\n[[only_when]]\nwhen = {players = 3}\ngoal = [8]\n",
            8,
            "goal is an axis twice",
        ),
        (
            "[derived]\nslow = '1'\n[[only_when]]\nwhen = {slow = 1}\ngoal = [8]\n",
            7,
            "slow is derived; a condition of [[only_when]] names axes",
        ),
        (
            "[[only_when]]\nwhen = {players = 3}\ngoal = [8]\n"
            "[[only_when]]\nwhen = {bonus = false}\ngoal = [9]\n",
            8,
            "another [[only_when]] sets goal too where goal = 8",
        ),
        (
            "[grid]\nplayers = [2, 3]\n[[leave_out]]\nplayers = 2\n"
            "[[only_when]]\nwhen = {players = 3}\ngoal = [8, 9]\n"
            "[[leave_out]]\nplayers = 2\ngoal = 8\n",
            11,
            "no point meets this condition",
        ),
        ("[derived]\ngoal = 8\n", 5, "goal = 8 is not an expression in quotes"),
        ("[derived]\ngoal = '2 * player'\n", 5, "has a word 'player' where a number belongs"),
        ("[derived]\ngoal = '2 * playrs'\n", 5, "'playrs', which is no option; did you mean 'play"),
        ("[derived]\ngaol = '2'\n", 5, "no option 'gaol'; did you mean 'goal'?"),
        ("[derived]\ngoal = '2 *'\n", 5, "is not an expression"),
        ("[derived]\ngoal = 'players > 3'\n", 5, "is a truth; expected a whole number from 4"),
        (
            "[derived]\ngoal = 'slow'\nslow = 'goal'\n",
            5,
            "derived options cannot follow from themselves",
        ),
        ("[derived]\ngoal = 'goal + 1'\n", 5, "goal needs goal: derived options cannot follow"),
        (
            "[grid]\nplayers = [2, 6]\n[derived]\ngoal = '2 * players'\n[fixed]\ngoal = 8\n",
            7,
            "goal is derived and fixed too (line 9); keep one",
        ),
        (
            "[grid]\nplayers = [2, 6]\n[derived]\ngoal = 'players - 3'\n",
            7,
            "where players = 2: goal = -1 is not a whole number from 4 to 39",
        ),
        (
            "[grid]\nplayers = [2, 3]\n[derived]\ngoal = '8 // (players - 2)'\n",
            7,
            "where players = 2: goal = '8 // (players - 2)' divides by zero",
        ),
        ('[fixed]\npreset = "short"\n', 5, "toy has no presets, and none stands here"),
        (SHORT + '[fixed]\npreset = "shorttrack"\n', 7, "did you mean 'short track'?"),
        (SHORT + '[fixed]\ngoal = 8\npreset = "short track"\n', 8, "and fixed too (line 7)"),
        (
            SHORT + '[fixed]\npreset = "short track"\n[grid]\ngoal = [8]\n',
            9,
            "goal is an axis and set by the preset 'short track' too (line 7); keep one",
        ),
        (
            SHORT + '[grid]\ngoal = [8]\npreset = ["short track"]\n',
            8,
            "goal is set by the preset 'short track' and an axis too (line 7); keep one",
        ),
        (
            SHORT + '[fixed]\npreset = "short track"\n[grid]\npreset = ["short track"]\n',
            9,
            "preset is an axis and fixed too (line 7)",
        ),
        ("[presets.x]\ntrack = {label = 'x'}\n", 5, "is not the path of a file, or the short"),
        ("[fixed]\ntrack = {label = 'x'}\n", 5, "is not the path of a file, or the short"),
        ("[grid]\ntrack = [{label = 'x'}]\n", 5, "is not the path of a file, or the short"),
        ("[presets.x]\ngaol = 3\n", 5, "there is no option 'gaol'; did you mean 'goal'?"),
        ("[presets.x]\ngoal = 3\n", 5, "goal = 3 is not a whole number from 4 to 39"),
        ("[presets]\nx = 3\n", 5, 'write [presets."x"] on a line of its own'),
        ("[sample]\npoints = 4\n", 4, "[sample] needs the key 'method'"),
        (SAMPLE.format("sobel", 4), 5, "is not one of latin_hypercube, sobol; did you mean 'sobol"),
        (SAMPLE.format("sobol", 12), 6, "points = 12 is not a power of two"),
        (SAMPLE.format("sobol", 0), 6, "points = 0 is not a whole number from 1"),
        (SAMPLE.format("sobol", 4) + "gaol = [3]\n", 9, "there is no option 'gaol'"),
        ("[sample]\nmetod = 'sobol'\n", 5, "there is no key 'metod'; did you mean 'method'?"),
        ("[sample]\nmethod = 'sobol'\npoints = 4\naxes = 3\n", 7, "write [sample.axes] on a line"),
        (SAMPLE.format("sobol", 4) + "[grid]\ngoal = [8]\n", 8, "goal is an axis twice"),
        ("[one_at_a_time]\npreset = ['x']\n", 5, "presets are no single change"),
        ("[one_at_a_time]\ngoal = 8\n", 5, "goal = 8 is not a list of values"),
        ("[[more_plays]]\nwhen = {players = 3}\n", 4, "[[more_plays]] needs the key 'plays'"),
        ("[[more_plays]]\nplays = 20\n", 4, "[[more_plays]] needs a condition"),
        (
            "[[more_plays]]\nwhen = {players = 3}\nplays = 1.5\n",
            6,
            "plays = 1.5 is not a whole number",
        ),
        ("[[more_plays]]\nwhen = {players = 3}\nplays = 10\n", 5, "plays = 10 is not more than"),
        ("[[more_plays]]\nwhen = {players = 3}\nplay = 20\n", 6, "there is no key 'play'; did"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_way_out(write_grid, text, line, words):
    path = write_grid(HEAD + text)
    with pytest.raises(DojoError) as caught:
        make_plan(read_grid(path))
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: ")
    assert words in message
    assert "\n" not in message
    assert caught.value.exit_code == 2


def test_plays_a_point_and_in_all_exclude_each_other(write_grid):
    with pytest.raises(DojoError, match=r"line 4: .* and one of them only"):
        read_grid(write_grid(HEAD + "plays_in_all = 100\n"))


# A twin that makes the points one by one, as the page tells it


def naive_points(grid):
    """Return the options of each point, by the words of GRID.md and nothing else."""
    found = []
    axes = list(grid["grid"].items())
    for values in itertools.product(*(of for _, of in axes)):
        point = {**grid["fixed"], **dict(zip((name for name, _ in axes), values, strict=True))}
        changed = [point]
        for name, of in grid["one_at_a_time"].items():
            changed += [{**point, name: value} for value in of]
        for one in changed:
            found += naive_branches(one, grid["only_when"])
    for point in found:
        point["max_rounds"] = 10 * point["players"] + point["goal"]
    kept = []
    for point in found:
        left_out = all(point[name] in of for name, of in grid["leave_out"].items())
        if not left_out and point not in kept:
            kept.append(point)
    return kept


def naive_branches(point, branches):
    points = [point]
    for players, name, of in branches:
        spread = []
        for one in points:
            holds = one["players"] == players
            spread += [{**one, name: value} for value in of] if holds else [one]
        points = spread
    return points


def some(*values):
    return st.lists(st.sampled_from(values), min_size=1, unique=True)


@st.composite
def grids(draw):
    players = draw(some(2, 3, 4))
    branches = st.lists(
        st.tuples(st.sampled_from(players), st.just("fails_at"), some(-1, 7, 8)), max_size=1
    )
    return {
        "fixed": {"goal": 12, "bonus": False, "slow": 0, "fails_at": -1},
        "grid": {"players": players, "die": draw(some("cube", "coin"))},
        "one_at_a_time": {"goal": draw(some(11, 12, 13)), "bonus": draw(some(False, True))},
        "only_when": draw(branches),
        "leave_out": {"goal": draw(some(11, 12)), "players": draw(some(*players))},
    }


def as_toml(grid):
    lines = [HEAD, "[derived]", "max_rounds = '10 * players + goal'"]
    for section in ("fixed", "grid", "one_at_a_time"):
        lines += [f"[{section}]", *(f"{n} = {json.dumps(v)}" for n, v in grid[section].items())]
    for players, name, of in grid["only_when"]:
        lines += ["[[only_when]]", f"when = {{players = {players}}}", f"{name} = {json.dumps(of)}"]
    goals = [goal for goal in grid["leave_out"]["goal"] if goal in grid["one_at_a_time"]["goal"]]
    grid["leave_out"]["goal"] = goals or [12]
    lines += ["[[leave_out]]", *(f"{n} = {v}" for n, v in grid["leave_out"].items())]
    return "\n".join(lines)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(grids())
def test_a_design_makes_the_points_of_its_naive_twin(planned, grid):
    text = as_toml(grid)
    points = naive_points(grid)
    assume(points)
    names = list(points[0])
    assert cells(planned(text), *names) == [tuple(point.values()) for point in points]


# Whatever else stands in a grid file


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(of)}' for key, of in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if not isinstance(value, float) else repr(value)


WORDS = ["players", "goal", "bonus", "player", "track", "preset", "when", "plays", "points", "seed"]
WORDS += ["method", "axes", "from", "to", "step", "sobol", "walker", "x", "coin", "goal + 1", "2"]
PLAIN = (
    st.sampled_from(WORDS)
    | st.integers(-1, 9)
    | st.booleans()
    | st.sampled_from([1.5, float("nan"), -(2**63), 2**63 - 1])
)
ANYTHING = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=6,
)
TABLES = st.dictionaries(st.sampled_from(WORDS), ANYTHING, max_size=4)
SOME_SECTIONS = st.lists(
    st.tuples(st.sampled_from([s for s in SECTIONS if s != "sweep"]), TABLES),
    max_size=4,
    unique_by=lambda pair: pair[0],
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300
)
@given(SOME_SECTIONS)
def test_any_grid_is_a_plan_or_refused_in_one_sentence(write_grid, sections):
    text = HEAD
    for section, table in sections:
        header = f"[[{section}]]" if section in REPEATED else f"[{section}]"
        text += "\n".join([header, *(f"{key} = {toml(of)}" for key, of in table.items())]) + "\n"
    path = write_grid(text)
    with contextlib.suppress(DojoError):
        make_plan(read_grid(path))
        return
    with pytest.raises(DojoError) as caught:
        make_plan(read_grid(path))
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
