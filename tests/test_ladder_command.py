"""`dojo-sweep ladder` on the toy game: what it plays, tells, and draws."""

from __future__ import annotations

import json

import pytest
import toy_game

from sweep.queries import connect, plan_of
from sweep.standings import standings

GRID = """\
[sweep]
name = "ladder"
game = "toy"
seed = 3

[fixed]
players = 4

[players.sprinter]
stride = 3

[ladder]
players = ["walker", "runner", "sprinter"]
plays = {one = 200, half = 100}
"""


@pytest.fixture
def grid(write_grid):
    return write_grid(GRID)


def test_a_ladder_is_played_and_told(command, grid):
    code, output, _ = command("ladder", grid)
    assert code == 0
    assert "42 = [ladder] 42" in output
    assert "The ladder: 4 at a table, 6,600 plays" in output
    lines = [line.split() for line in output.splitlines()]
    rungs = [line[0] for line in lines if line[:1] and line[0] in ("walker", "runner", "sprinter")]
    assert rungs[:3] == ["sprinter", "runner", "walker"]
    assert output.count("yes, p < 0.001") == 2
    assert "one against the rest: who plays explains" in output


def test_run_again_it_plays_nothing_and_tells_the_same(command, grid):
    first = command("ladder", grid, "--json")
    again = command("ladder", grid, "--json")
    assert first[1] == again[1]
    assert "nothing was missing" in again[2]


def test_scripts_get_the_numbers(command, grid):
    _, output, _ = command("ladder", grid, "--json")
    found = json.loads(output)[""]
    assert found["rungs"] == [["walker"], ["runner"], ["sprinter"]]
    assert [step["counts"] for step in found["steps"]] == [True, True]
    assert found["steps"][1]["share"]["n"] == 800
    assert found["ratings"][2]["rating"] > found["ratings"][0]["rating"]


def test_the_numbers_are_those_of_the_rows(command, grid):
    _, output, _ = command("ladder", grid, "--json")
    shares = {(s["name"], s["mix"], *s["against"]): s for s in json.loads(output)[""]["shares"]}
    with connect("results", "ladder") as con:
        hits, n = con.sql(
            "SELECT sum(won), count(DISTINCT (point, play)) FROM seats JOIN points USING (point)"
            " WHERE len(str_split(points.player, 'sprinter')) = 2"
            " AND contains(points.player, 'walker') AND player_name = 'custom'"
        ).fetchall()[0]
    assert shares["sprinter", "one", "walker"]["share"] == pytest.approx(hits / n)
    assert shares["sprinter", "one", "walker"]["n"] == n


def test_every_kind_of_table_has_a_ladder(command, write_grid):
    path = write_grid(GRID + "\n[grid]\ngoal = [8, 30]\n")
    code, output, _ = command("ladder", path, "--json")
    assert code == 0
    assert list(json.loads(output)) == ["goal = 8", "goal = 30"]


def test_a_ladder_is_drawn_into_one_file(command, grid, tmp_path, monkeypatch):
    import dashboard.ladder_picture as drawing

    command("ladder", grid)
    drawing.draw("results", "ladder", tmp_path / "ladder.html")
    page = (tmp_path / "ladder.html").read_text()
    assert "sprinter" in page
    assert "http" not in page.split("<div")[1].split(">")[0]
    assert page.count("Plotly.newPlot(") == 2


def test_a_grid_without_a_ladder_is_refused(command, write_grid):
    code, _, errors = command("ladder", write_grid())
    assert code == 2
    assert "has no section [ladder]" in errors


def test_a_ladder_of_summaries_is_refused_with_the_way_out(command, write_grid):
    path = write_grid(GRID.replace("seed = 3", 'seed = 3\nrecord = "summary"'))
    code, _, errors = command("ladder", path)
    assert code == 2
    assert 'write record = "plays"' in errors


def test_run_plays_a_ladder_like_any_other_grid(command, grid):
    assert command("run", grid)[0] == 0
    plan = plan_of("results", "ladder")
    with connect("results", "ladder") as con:
        (found,) = standings(con, toy_game.GAME, plan).values()
    assert found.plays == plan.plays_planned
