"""`dojo-sweep import`: plays of the same points, from another results folder."""

from __future__ import annotations

import json

import pytest
import toy_game
from conftest import GRID
from sweep_runs import play, rows

from dojo_core import games
from dojo_core.errors import DojoError
from sweep.exchange import import_sweep
from sweep.journal import last_run
from sweep.places import at
from sweep.status import status
from sweep.store import read_plan
from sweep.verify import verify

SUMMARY = GRID.replace("seed = 7", 'seed = 7\nrecord = "summary"')


def take(there, here):
    return import_sweep(at(there), at(here), games.load)


def sound(folder):
    return verify(at(folder), toy_game.GAME, read_plan(at(folder))).findings == []


@pytest.mark.parametrize("grid", [GRID, SUMMARY])
def test_a_sweep_that_is_not_here_comes_whole(write_grid, tmp_path, grid):
    _, _, there = play(write_grid(grid), tmp_path / "there")
    found = take(there, tmp_path / "here" / "toy")
    assert (found.created, found.plays, found.held, found.left) == (True, 400, 0, 0)
    assert sound(tmp_path / "here" / "toy")
    for view in ("plays", "seats", "squares", "moments", "points"):
        assert rows(tmp_path / "here", view).equals(rows(tmp_path / "there", view)), view
    result, _, _ = play(write_grid(grid), tmp_path / "here")
    assert result.plays == 0


def test_what_is_here_already_is_not_taken_again(write_grid, tmp_path):
    _, _, there = play(write_grid(), tmp_path / "there")
    _, _, here = play(write_grid(), tmp_path / "here")
    found = take(there, here)
    assert (found.created, found.plays, found.held, found.left) == (False, 0, 400, 0)
    assert sound(here)


def test_points_that_are_here_are_completed_with_plays_from_there(write_grid, tmp_path):
    goals = [GRID.replace("[10, 20]", axis) for axis in ("[10]", "[20]", "[10, 20]")]
    _, _, there = play(write_grid(goals[0]), tmp_path / "there")
    play(write_grid(goals[1]), tmp_path / "here")
    _, _, here = play(write_grid(goals[2]), tmp_path / "here" / "all")
    (tmp_path / "here" / "toy" / "plan.json").write_bytes((here / "plan.json").read_bytes())
    plan = next((here / "plans").iterdir())
    (tmp_path / "here" / "toy" / "plans" / plan.name).write_bytes(plan.read_bytes())
    here = tmp_path / "here" / "toy"
    assert status(at(here)).plays_missing == 200
    found = take(there, here)
    assert (found.plays, found.held, found.left) == (200, 0, 0)
    assert status(at(here)).state == "done"
    assert sound(here)
    play(write_grid(goals[2]), tmp_path / "fresh")
    assert rows(tmp_path / "here").equals(rows(tmp_path / "fresh"))


def test_a_file_of_which_some_is_here_is_left_and_counted(write_grid, tmp_path):
    longer = write_grid(GRID.replace("= 100", "= 150"))
    _, _, there = play(longer, tmp_path / "there")
    _, _, here = play(write_grid(), tmp_path / "here")
    found = take(there, here)
    assert (found.plays, found.held, found.left) == (0, 400, 200)
    assert sound(here)


def test_points_of_other_rules_or_seeds_are_not_taken(write_grid, tmp_path):
    _, _, there = play(write_grid(GRID.replace("= 7", "= 8")), tmp_path / "there")
    _, _, here = play(write_grid(), tmp_path / "here")
    found = take(there, here)
    assert (found.plays, found.held, found.left) == (0, 0, 0)


def test_a_broken_file_there_gives_nothing_and_is_named(write_grid, tmp_path):
    _, _, there = play(write_grid(), tmp_path / "there")
    (file,) = (there / "seats").iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    before = file.read_bytes()
    found = take(there, tmp_path / "here" / "toy")
    assert found.plays == 0
    assert [finding.file for finding in found.findings] == [f"seats/{file.name}"]
    assert list((tmp_path / "here" / "toy" / "seats").iterdir()) == []
    assert file.read_bytes() == before


def test_a_sweep_that_runs_here_refuses(write_grid, tmp_path):
    _, _, there = play(write_grid(), tmp_path / "there")
    _, _, here = play(write_grid(), tmp_path / "here")
    with at(here).lock(), pytest.raises(DojoError, match="is being run by another process"):
        take(there, here)


def test_an_import_stands_in_the_journal(write_grid, tmp_path):
    _, _, there = play(write_grid(), tmp_path / "there")
    here = tmp_path / "here" / "toy"
    take(there, here)
    assert last_run(at(here)).outcome == "done"
    events = [json.loads(line) for line in (here / "runs" / "0001.jsonl").read_text().splitlines()]
    assert [event["event"] for event in events] == ["run_started", "imported", "run_ended"]
    assert (events[1]["source"], events[1]["plays"]) == (str(there), 400)


# The command


def test_it_takes_in_all_sweeps_or_one(command, write_grid):
    for name in ("toy", "other"):
        command("run", write_grid(GRID.replace('"toy"', f'"{name}"', 1)), "--results", "there")
    code, output, _ = command("import", "there", "other")
    assert code == 0
    assert "other, a new sweep: 400 plays taken in, 0 were here already, 0 left there" in output
    assert output.rstrip().endswith("0 are still missing")
    code, output, _ = command("import", "there")
    assert code == 0
    assert "toy, a new sweep: 400 plays taken in" in output
    assert "other: 0 plays taken in, 400 were here already" in output


def test_broken_files_exit_3(command, write_grid, tmp_path):
    command("run", write_grid(), "--results", "there")
    next((tmp_path / "there/toy/plays").iterdir()).unlink()
    code, output, _ = command("import", "there")
    assert code == 3
    assert "it is missing" in output
    assert "400 are still missing" in output


def test_json_tells_scripts_what_came_of_each_sweep(command, write_grid, tmp_path):
    for name in ("toy", "other"):
        command("run", write_grid(GRID.replace('"toy"', f'"{name}"', 1)), "--results", "there")
    broken = next((tmp_path / "there/toy/plays").iterdir())
    broken.unlink()
    code, output, _ = command("import", "there", "--json")
    taken = {one.pop("name"): one for one in json.loads(output)}
    whole = {"created": True, "plays": 400, "held": 0, "left": 0, "missing": 0, "findings": []}
    assert (code, taken["other"]) == (3, whole)
    assert (taken["toy"]["plays"], taken["toy"]["missing"]) == (0, 400)
    assert [f["file"].endswith(broken.name) for f in taken["toy"]["findings"]] == [True]


def test_words_that_name_nothing_exit_2(command, write_grid):
    command("run", write_grid())
    assert "is the results folder itself" in command("import", "results")[2]
    assert "there is no sweep in 'nowhere'" in command("import", "nowhere")[2]
    command("run", write_grid(), "--results", "there")
    assert "did you mean 'toy'?" in command("import", "there", "tou")[2]


def test_it_goes_to_and_from_an_address(command, write_grid, bucket, tmp_path):
    command("run", write_grid(), "--results", "there")
    assert command("import", "there", "--results", bucket)[0] == 0
    assert command("import", bucket, "toy")[0] == 0
    assert rows(tmp_path / "results").equals(rows(tmp_path / "there"))
    assert command("verify", "toy", "--results", bucket)[0] == 0
