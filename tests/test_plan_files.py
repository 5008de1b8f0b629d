"""A frozen plan is played as it stands: the same rows, or a sentence why not."""

from __future__ import annotations

import json

import pytest
from sweep_runs import frozen, rows


@pytest.fixture
def plan_file(command, write_grid, tmp_path):
    """Run a grid; return the plan that the run froze."""
    command("run", write_grid())
    return next((tmp_path / "results/toy/plans").glob("*.json"))


def altered(path, **changes):
    """Write the plan anew with changes; return the path of the altered one."""
    other = path.with_name("altered.json")
    other.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return other


def test_a_plan_played_elsewhere_gives_the_same_rows(command, plan_file, tmp_path):
    code, output, errors = command("run", plan_file, "--results", "elsewhere")
    assert (code, errors) == (0, "")
    assert "Who wins" in output
    assert rows(tmp_path / "elsewhere").equals(rows(tmp_path / "results"))


def test_a_plan_played_where_it_was_frozen_lacks_nothing(command, plan_file):
    code, output, _ = command("run", plan_file)
    assert code == 0
    assert "nothing was missing" in output


def test_plan_shows_what_a_plan_amounts_to(command, plan_file, write_grid):
    code, output, _ = command("plan", plan_file)
    assert code == 0
    assert "400 stored" in output
    assert frozen(write_grid()).points[0].id in output


def test_a_plan_for_other_rules_is_refused(command, plan_file, monkeypatch):
    monkeypatch.setattr("dojo_core.kernel.engine_hash", lambda game: "another")
    code, _, errors = command("run", plan_file)
    assert code == 2
    assert "frozen for other rules than are installed here" in errors
    assert "here another); install the dojo-sweep it was frozen by" in errors


def test_a_plan_whose_options_were_altered_is_refused(command, plan_file):
    options = json.loads(plan_file.read_text())["options"]
    other = altered(plan_file, options={**options, "max_rounds": 17})
    code, _, errors = command("run", other)
    assert code != 0
    assert "was altered: its point 1 has other options" in errors


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', "[sweep]"])
def test_a_file_that_is_no_plan_is_refused(command, tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    code, _, errors = command("run", "plan.json")
    assert code in (2, 3)
    assert "plan" in errors
    assert errors.count("\n") == 1


def test_a_plan_that_is_not_there_is_named(command):
    code, _, errors = command("run", "plan.json")
    assert code == 2
    assert "the plan plan.json cannot be read: No such file" in errors
