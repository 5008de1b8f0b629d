"""The grid file: what it means, and the sentence for everything that can be wrong with it."""

from __future__ import annotations

import pytest

from dojo_core.errors import DojoError
from sweep.grid import read_grid
from sweep.plan import make_plan

HEAD = '[sweep]\ngame = "toy"\nplays = 10\n'


def choices(path):
    plan, _ = make_plan(read_grid(path))
    return [plan.choice(point) for point in plan.points]


def test_points_are_all_combinations_and_the_last_axis_moves_fastest(write_grid):
    found = choices(write_grid(HEAD + "[grid]\nplayers = [2, 3]\ngoal = [8, 9]\n"))
    assert [(c["players"], c["goal"]) for c in found] == [(2, 8), (2, 9), (3, 8), (3, 9)]


def test_a_grid_without_axes_is_one_point(write_grid):
    assert choices(write_grid(HEAD)) == [{}]


def test_axes_that_move_together_are_read_side_by_side(write_grid):
    text = HEAD + "[grid]\nbonus = [false, true]\n[[together]]\nplayers = [2, 3]\ngoal = [8, 9]\n"
    found = [(c["bonus"], c["players"], c["goal"]) for c in choices(write_grid(text))]
    assert found == [(False, 2, 8), (False, 3, 9), (True, 2, 8), (True, 3, 9)]


def test_a_value_may_return_in_axes_that_move_together(write_grid):
    text = HEAD + "[[together]]\nplayers = [2, 2, 3]\ngoal = [8, 9, 9]\n"
    assert [(c["players"], c["goal"]) for c in choices(write_grid(text))] == [
        (2, 8),
        (2, 9),
        (3, 9),
    ]


def test_a_point_is_left_out_when_all_of_one_condition_match(write_grid):
    text = HEAD + (
        "[grid]\nplayers = [2, 3, 4]\ngoal = [8, 9]\n"
        "[[leave_out]]\nplayers = [2, 3]\ngoal = 9\n[[leave_out]]\nplayers = 4\n"
    )
    assert [(c["players"], c["goal"]) for c in choices(write_grid(text))] == [(2, 8), (3, 8)]


def test_a_player_may_be_given_by_its_weights(write_grid):
    text = HEAD + (
        "[fixed]\nplayers = 2\n"
        '[grid]\nplayer = ["walker", {inherits = "runner", name = "mine"},'
        ' [{stride = 2}, "walker"]]\n'
    )
    assert [c["player"] for c in choices(write_grid(text))] == [
        "walker",
        {"name": "mine", "stride": 1},
        [{"name": "custom", "stride": 2}, "walker"],
    ]


def test_sweep_settings_have_defaults(write_grid):
    grid = read_grid(write_grid(HEAD, name="mine.toml"))
    assert (grid.name, grid.seed, grid.record, str(grid.results)) == ("mine", 1, "plays", "results")


def test_counting_combinations_lists_none(write_grid):
    values = ", ".join(map(str, range(1, 1001)))
    text = HEAD + f"[grid]\nmax_rounds = [{values}]\nslow = [{values}]\nfails_at = [{values}]\n"
    assert read_grid(write_grid(text)).combinations == 10**9


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + "[grids]\n", 4, "section or key 'grids' here; did you mean 'grid'?"),
        ("plays = 3\n" + HEAD, 1, "no section or key 'plays' here"),
        ("grid = 3\n" + HEAD, 1, "write [grid] on a line of its own"),
        ("[grid]\nplayers = [2]\n", None, "the section [sweep] with game and plays is missing"),
        ('[sweep]\ngame = "toy"\n', 1, "[sweep] needs the key 'plays'"),
        (HEAD + "sed = 3\n", 4, "there is no key 'sed'; did you mean 'seed'?"),
        (HEAD + "seed = -1\n", 4, "seed = -1 is not a whole number from 0"),
        (HEAD + "seed = 1.5\n", 4, "seed = 1.5 is not a whole number"),
        (HEAD.replace("10", "true"), 3, "plays = True is not a whole number"),
        (HEAD + "name = 7\n", 4, "name = 7 is not text"),
        (HEAD + 'name = "../x"\n', 4, "name = '../x' is not a name made of letters"),
        (HEAD + 'record = "play"\n', 4, "not one of plays, summary; did you mean 'plays'?"),
        (HEAD.replace('"toy"', '"toi"'), 2, "there is no game 'toi'; did you mean 'toy'?"),
        (HEAD + "[fixed]\n# a remark\nplayer_s = 3\n", 6, "no option 'player_s'; did you mean 'pl"),
        (HEAD + "[fixed]\ngoal = 99\n", 5, "goal = 99 is not a whole number from 4 to 39"),
        (HEAD + '[fixed]\nbonus = "maybe"\n', 5, "bonus = 'maybe' is not true or false"),
        (HEAD + '[fixed]\ndie = "cub"\n', 5, "one of cube, coin; did you mean 'cube'?"),
        (HEAD + "[fixed]\ngoal = [8, 9]\n", 5, "an axis belongs in [grid]"),
        (HEAD + '[fixed]\ntrack = "none.txt"\n', 5, "there is no board 'none.txt'"),
        (HEAD + "[grid]\nplayers = []\n", 5, "the axis players is empty; give it a whole number"),
        (HEAD + "[grid]\nplayers = 3\n", 5, "players = 3 is not a list of values"),
        (HEAD + "[grid]\nplayers = [2, 3, 2]\n", 5, "players has 2 and 2, which play alike"),
        (HEAD + "[grid]\ngoal = [8, 3]\n", 5, "goal = 3 is not a whole number from 4 to 39"),
        (HEAD + "[fixed]\ngoal = 8\n[grid]\ngoal = [8]\n", 7, "an axis and fixed too (line 5)"),
        (
            HEAD + "[grid]\ngoal = [8]\n[[together]]\ngoal = [8]\nplayers = [2]\n",
            7,
            "goal is an axis twice",
        ),
        (
            HEAD + "[[together]]\nplayers = [2, 3]\ngoal = [8]\n",
            6,
            "goal has 1 values and players has 2; axes that move together need lists of one length",
        ),
        (HEAD + "[[together]]\n", 4, "[[together]] names no axis"),
        (
            HEAD + "[[together]]\nplayers = [2, 2]\ngoal = [8, 8]\n",
            4,
            "rows 1 and 2 of [[together]] are the same",
        ),
        (HEAD + "[[leave_out]]\ngoal = 8\n", 5, "goal is not an axis; a condition names axes"),
        (
            HEAD + "[grid]\ngoal = [8]\n[[leave_out]]\ngoal = 9\n",
            7,
            "goal has no value 9 in its axis",
        ),
        (HEAD + "[grid]\ngoal = [8]\n[[leave_out]]\n", 6, "[[leave_out]] names no axis"),
        (
            HEAD + "[grid]\ngoal = [8, 9]\n[[leave_out]]\ngoal = [8, 9]\n",
            6,
            "the conditions leave no point",
        ),
        (HEAD + "[grid]\ngoal = [8\n", 5, "not valid TOML"),
        (HEAD + "[fixed]\ndie = cube\n", 5, "not valid TOML"),
        (HEAD + "[fixed]\ngoal = 8\ngoal = 9\n", 6, "not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_way_out(write_grid, text, line, words):
    path = write_grid(text)
    with pytest.raises(DojoError) as caught:
        make_plan(read_grid(path))
    message = str(caught.value)
    place = f"{path}, line {line}: " if line else f"{path}: "
    assert message.startswith(place)
    assert words in message
    assert "\n" not in message
    assert caught.value.exit_code == 2


def test_a_second_condition_is_found_on_its_own_line(write_grid):
    text = HEAD + "[grid]\ngoal = [8, 9]\n[[leave_out]]\ngoal = 8\n[[leave_out]]\ngoal = 7\n"
    with pytest.raises(DojoError, match="line 9: goal has no value 7"):
        read_grid(write_grid(text))


def test_a_missing_grid_names_the_nearest_file(write_grid):
    path = write_grid()
    with pytest.raises(DojoError, match=r"no grid file .*gird\.toml'; did you mean 'grid\.toml'"):
        read_grid(path.with_name("gird.toml"))


def test_boards_that_differ_in_remarks_only_are_one_board(write_grid, tmp_path):
    (tmp_path / "a.txt").write_text("# first\nx\n")
    (tmp_path / "b.txt").write_text("# second\nx\n")
    with pytest.raises(DojoError, match="which play alike"):
        read_grid(write_grid(HEAD + '[grid]\ntrack = ["a.txt", "b.txt"]\n'))


def test_a_point_that_the_game_refuses_is_named_before_anything_runs(write_grid):
    text = HEAD + '[fixed]\nplayer = ["walker", "runner"]\n[grid]\nplayers = [2, 3]\n'
    with pytest.raises(DojoError, match=r"the point players = 3: player has 2 names"):
        make_plan(read_grid(write_grid(text)))
