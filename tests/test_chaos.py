"""The command that kills workers, nodes and drivers, and what it finds."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import TESTS
from sweep_runs import frozen, play

from sweep.chaos import Report, _compare

GRID = """\
[sweep]
name = "chaos"
game = "labirinto"
plays = 600
seed = 5

[fixed]
player = "greedy"

[grid]
players = [3, 5]
exam_fail_cost = [0, 3]
"""


def test_killed_workers_nodes_and_drivers_change_no_row(write_grid, toy_environment):
    code = "from sweep.cli import main; main()"
    command = [sys.executable, "-c", code, "chaos", str(write_grid(GRID)), "--json"]
    ended = subprocess.run(
        [*command, "--faults", "5", "--nodes", "2", "--pause", "1"],
        env=toy_environment,
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    report = json.loads(ended.stdout)
    assert sum(report["faults"].values()) == 5
    assert set(report["faults"]) == {"worker", "node", "driver"}
    assert (report["lost"], report["doubled"], report["differing"]) == (0, 0, [])
    assert report["plays"] == 2400 * report["rounds"]
    assert report["runs"] > report["faults"]["driver"]


def test_the_comparison_finds_what_was_lost_and_what_differs(write_grid, tmp_path):
    path = write_grid()
    plan = frozen(path)
    play(path, tmp_path / "peace")
    play(path, tmp_path / "same", exponent=3)
    assert _compare(plan, tmp_path / "peace", tmp_path / "same") == (400, 0, 0, 0, [])
    folder = tmp_path / "same" / "toy"
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["chunks"] = []
    (folder / "manifest.json").write_text(json.dumps(manifest))
    stored, lost, doubled, _, differing = _compare(plan, tmp_path / "peace", tmp_path / "same")
    assert (stored, lost, doubled) == (0, 400, 0)
    assert set(differing) == {"plays", "seats", "squares", "moments"}


@pytest.mark.parametrize(
    ("lost", "doubled", "differing", "harmless"),
    [(0, 0, (), True), (1, 0, (), False), (0, 1, (), False), (0, 0, ("plays",), False)],
)
def test_a_report_is_harmless_only_without_any_harm(lost, doubled, differing, harmless):
    assert Report({}, 1, 1, 9, lost, doubled, 5, differing, 1.0).harmless is harmless
