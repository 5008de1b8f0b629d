"""The same rules in other modes: plain Python plays the same rows, and no read is out of bounds.

Each mode is a process of its own, started once.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from board_drawings import DATA

from dojo_core import games
from dojo_core.kernel import plain_python

ROOT = Path(__file__).parent.parent
GAME = games.load("labirinto")
SEED = 6

# A few short plays of everybody: alone, together, on other boards, by other rules. Rolls are small,
# since plain Python plants a tree of walks slowly. Extra steps are rare, so one point plays longer.
SMALL_DICE = {"dice": 2, "die_faces": 3}
POINTS = [
    {"player": "random", "players": 4, "max_rounds": 12},
    {"player": "random", "players": 8, "start_track_many": 15, "board": "open", "max_rounds": 80,
     "meditazione_cards": 20},
    {"player": "wanderer", "players": 3, "start_track": 15, "board": "tight", "max_rounds": 12},
    {"player": "greedy", "players": 5, "start_track": 13, "board": "linked", "max_rounds": 12},
    {
        "player": ["greedy", "random", "wanderer", "greedy", "random", "greedy"],
        "players": 6,
        "start_track_many": 14,
        "max_rounds": 12,
        "first_round_kumite": True,
        "exam_wins": 2,
        "tunnel_uke": "extra_step",
        "kaeshi_timing": "after_both",
        "uke_cards": 9,
        "meditazione_cards": 6,
    },
]  # fmt: skip
PLAYS = 8

PROGRAM = """
import json, sys
from pathlib import Path
sys.path.insert(0, "tests")
from test_labirinto_modes import POINTS, rows
from dojo_core.kernel import plain_python
from dojo_core.labirinto import walks
from dojo_core.scenarios import run_file

found = {"plain": plain_python(), "rows": [rows(point) for point in POINTS]}
# From here on no board has a tree.
walks.MOST_NODES = 0
walks._tree_of.cache_clear()
try:
    found["by_search"] = rows(POINTS[0])
except IndexError as error:
    found["by_search"] = str(error)
found["failed"] = [r for r in run_file(Path(sys.argv[1])) if not r["passed"]]
print(json.dumps(found))
"""


def rows(point):
    """Return all that is kept of a point's plays as plain lists, and one of them told."""
    setup = GAME.prepare(GAME.resolve(SMALL_DICE | point))
    out = GAME.out(setup, PLAYS)
    GAME.play(setup, SEED, 0, PLAYS, out)
    events = GAME.trace(setup, SEED, 0)
    return [*(table.tolist() for table in out), events]


def begun(**environment):
    """Begin to play the points and the scenarios in a process of its own with these variables."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(DATA / "labirinto.json")],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "0", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def found_by(process):
    """Return what such a process found."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return json.loads(output)


@pytest.fixture(scope="module")
def processes():
    """Begin the two other modes together: each takes a core for long."""
    other = begun(NUMBA_DISABLE_JIT="0" if plain_python() else "1")
    checked = begun(NUMBA_BOUNDSCHECK="1")
    yield other, checked
    other.kill()
    checked.kill()


@pytest.fixture(scope="module")
def here():
    """Return the rows of this process, as they come back from JSON."""
    return json.loads(json.dumps([rows(point) for point in POINTS]))


@pytest.fixture(scope="module")
def other_way(processes):
    """Return what the other one of compiled code and plain Python plays."""
    return found_by(processes[0])


@pytest.fixture(scope="module")
def bounds_checked(processes):
    return found_by(processes[1])


def test_other_mode_is_the_other_one(other_way):
    assert other_way["plain"] != plain_python()


@pytest.mark.parametrize("number", range(len(POINTS)))
def test_compiled_code_and_plain_python_play_the_same_rows(number, here, other_way):
    assert other_way["rows"][number] == here[number]


def test_scenarios_pass_compiled_and_in_plain_python(other_way):
    assert other_way["failed"] == []


@pytest.mark.parametrize("number", range(len(POINTS)))
def test_nothing_is_read_out_of_bounds(number, here, bounds_checked):
    # A bad index would have raised; garbage would have changed the rows.
    assert bounds_checked["rows"][number] == here[number]


def test_walks_found_by_search_are_the_same_in_every_mode(here, other_way, bounds_checked):
    assert other_way["by_search"] == here[0]
    assert bounds_checked["by_search"] == here[0]


def test_scenarios_pass_with_bounds_checked(bounds_checked):
    assert bounds_checked["failed"] == []


def test_points_fight_draw_and_hold_exams(here):
    names = GAME.out(GAME.prepare(GAME.resolve({})), 1).plays.dtype.names
    plays = np.array([play for point in here for play in point[0]])
    for column in ("kumite", "cards", "exams_started", "tunnels", "extra_steps", "uke_saves"):
        assert plays[:, names.index(column)].sum() > 0, column
