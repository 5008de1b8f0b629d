"""`dojo-sweep show`: where a sweep comes from, and in what two sweeps differ."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from conftest import GRID
from sweep_runs import frozen

from sweep.provenance import boards, differences, plays_a_point

OTHER = GRID.replace('"toy"', '"other"', 1)


def test_it_tells_plan_grid_and_runs(command, write_grid):
    path = write_grid()
    command("run", path, "--no-ray", "--workers", "2")
    command("run", path)
    plan = frozen(path)
    code, output, _ = command("show", "toy")
    assert code == 0
    for words in (
        f"plan     {plan.hash}",
        "plays    400, 100 a point, record plays",
        "seed     7",
        f"engine   {plan.engine}",
        f"numba {plan.versions['numba']}",
        "players = 2, 3",
        '    name = "toy"',
    ):
        assert words in output
    first, where, words, second = output.split("\nruns\n")[1].splitlines()[:4]
    assert first.startswith("    1, done, 400 plays in")
    assert "2 on threads; commit" in where
    assert words.strip() == f"dojo-sweep run {path} --no-ray --workers 2"
    assert second.startswith("    2, done, 0 plays in")


def test_json_has_all_of_it(command, write_grid):
    path = write_grid()
    command("run", path)
    plan = frozen(path)
    found = json.loads(command("show", "toy", "--json")[1])
    assert (found["hash"], found["grid"], found["points"]) == (plan.hash, GRID, 4)
    assert found["axes"] == plan.axes
    assert [run["plays"] for run in found["runs"]] == [400]


def test_boards_are_printed_on_request(command, write_grid, tmp_path):
    (tmp_path / "hard.txt").write_text("x.x\n.x.\n")
    command("run", write_grid(GRID + 'track = ["hard.txt"]\n'))
    assert "    x.x\n    .x." not in command("show", "toy")[1]
    assert "track hard, text\n    x.x\n    .x." in command("show", "toy", "--boards")[1]


def test_an_unknown_sweep_exits_2(command, write_grid):
    command("run", write_grid())
    assert "did you mean 'toy'?" in command("show", "tou")[2]
    assert command("show", "toy", "tou")[0] == 2


# Two sweeps


def changed(write_grid, before, after, base=GRID):
    """Return what differs after some words of the grid were changed."""
    ours, theirs = frozen(write_grid(base)), frozen(write_grid(base.replace(before, after)))
    return [tuple(difference) for difference in differences(ours, theirs)]


def test_the_same_plan_under_two_names_does_not_differ(command, write_grid):
    command("run", write_grid())
    command("run", write_grid(OTHER))
    code, output, _ = command("show", "toy", "other")
    assert (code, output) == (0, "toy and other have the same plan\n")
    assert json.loads(command("show", "toy", "other", "--json")[1]) == []


def test_other_plays_differ_and_nothing_else(write_grid):
    assert changed(write_grid, "= 100", "= 200") == [
        ("plays a point", "100", "200"),
        ("plays of 4 points in both", "400", "800"),
    ]


def test_a_longer_axis_differs_and_has_more_points(write_grid):
    assert changed(write_grid, "[10, 20]", "[10, 20, 30]") == [
        ("goal", "10, 20", "10, 20, 30"),
        ("points alone (4 in both)", "0", "2"),
    ]


def test_another_seed_makes_other_points(write_grid):
    assert changed(write_grid, "seed = 7", "seed = 8") == [
        ("seed", "7", "8"),
        ("points alone (0 in both)", "4", "4"),
    ]


def test_an_option_that_is_fixed_otherwise_differs(write_grid):
    base = GRID.replace("[grid]", '[fixed]\ndie = "cube"\n\n[grid]')
    found = changed(write_grid, '"cube"', '"coin"', base)
    assert found[0] == ("die", "cube", "coin")
    assert len(found) == 2


def test_engine_and_versions_differ(write_grid):
    plan = frozen(write_grid())
    other = replace(plan, engine="another", versions={**plan.versions, "numba": "0.1"})
    assert differences(plan, other) == [
        ("engine", plan.engine, "another"),
        ("version of numba", plan.versions["numba"], "0.1"),
    ]


def test_two_boards_of_one_name_differ_by_their_text_wherever_they_lay(write_grid, tmp_path):
    grid = GRID + 'track = ["hard.txt"]\n'
    (tmp_path / "hard.txt").write_text("x")
    ours = frozen(write_grid(grid))
    (tmp_path / "hard.txt").write_text("y")
    theirs = frozen(write_grid(grid))
    assert [board.texts for board in boards(ours)] == [{"text": "x"}]
    assert ("text of track hard", "one", "another") in differences(ours, theirs)
    moved = replace(ours, axes={**ours.axes, "track": [{**ours.axes["track"][0], "path": "z"}]})
    assert differences(ours, moved) == []


@pytest.mark.parametrize(("plays", "words"), [([5, 5], "5"), ([1000, 5], "5 to 1,000")])
def test_plays_a_point_in_words(write_grid, plays, words):
    plan = frozen(write_grid())
    points = [point._replace(plays=n) for point, n in zip(plan.points, plays, strict=False)]
    assert plays_a_point(replace(plan, points=tuple(points))) == words
