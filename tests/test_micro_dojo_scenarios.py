"""The conformance scenarios of Micro Dojo pass, and one that asks for the wrong thing fails."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dojo_core.errors import DojoError
from dojo_core.micro_dojo.components import ABILITIES, BUILDINGS, OBJECTIVES
from dojo_core.micro_dojo.scenarios import run
from dojo_core.scenarios import run_file

FILE = Path(__file__).parent / "boards" / "micro_dojo.json"
SCENARIOS = json.loads(FILE.read_text())
RULES = " ".join(scenario["rule"] for scenario in SCENARIOS)
BY_ID = {scenario["id"]: scenario for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_conformance_scenario(scenario):
    assert run(scenario) == []


def test_scenario_ids_are_unique():
    assert len(BY_ID) == len(SCENARIOS) >= 80


def test_scenarios_buy_every_building():
    bought = {step[1] for s in SCENARIOS for step in s.get("steps", []) if step[0] == "buy"}
    assert bought == {tile.name for tile in BUILDINGS}


def test_scenarios_trigger_every_objective():
    triggered = {
        s["objectives"][s.get("triggered", 0)]
        for s in SCENARIOS
        if ["trigger"] in s.get("steps", []) and "objectives" in s
    }
    assert triggered == {token.name for token in OBJECTIVES}


@pytest.mark.parametrize("ability", ABILITIES, ids=lambda ability: ability.name)
def test_scenarios_use_every_ability(ability):
    assert f"Advanced Game: {ability.title}" in RULES


def test_scenarios_show_every_ruling():
    shown = {int(n) for part in re.findall(r"rulings? ([\d and,]+)", RULES)
             for n in re.findall(r"\d+", part)}  # fmt: skip
    # These are shown by scenarios that name the rulebook's section.
    assert shown | {10, 15, 18, 21} == set(range(1, 25))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"expect": {}}, "meeples: expected"),
        ({"steps": [["move", "ninja", [1, 1]]]}, "is not legal"),
        ({"steps": [["fly", "ninja"]]}, "is not legal"),
        ({"cur": 1}, "marker: expected"),
        ({"players": {"0": {"gold": 7}}}, "gold: expected"),
        ({"type": "dance"}, "none of play, setup"),
    ],
)
def test_a_scenario_that_is_wrong_fails(change, difference):
    scenario = BY_ID["take-2-gold"]
    assert run(scenario) == []
    assert any(difference in found for found in run(scenario | change))


def test_a_wrong_expectation_of_legal_steps_of_the_end_or_of_setups_is_told():
    wrong = BY_ID["end-seven-points"]
    told = run(wrong | {"expect": wrong["expect"] | {"winner": 1, "legal": {"0": {"move": []}}}})
    assert [line.split(":")[0] for line in told] == ["legal move after 0", "winner"]
    assert run(BY_ID["setup-six-buildings"] | {"options": {"buildings_dealt": 7}})


def test_a_scenario_of_an_unknown_game_is_refused(tmp_path):
    file = tmp_path / "chess.json"
    file.write_text('[{"id": "x", "type": "play", "game": "chess"}]')
    with pytest.raises(DojoError, match="there is no game 'chess'"):
        list(run_file(file))


@pytest.mark.parametrize("mode", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_scenarios_and_plays_are_the_same_in_another_mode(mode):
    program = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from dojo_core import games; from dojo_core.scenarios import run_file\n"
        "assert all(r['passed'] for r in run_file(Path(sys.argv[1])))\n"
        "game = games.load('micro_dojo')\n"
        "for player in ('random', 'greedy', {'inherits': 'planner', 'nodes': 40}):\n"
        "    setup = game.prepare(game.resolve({'player': player}))\n"
        "    out = game.out(setup, 2); game.play(setup, 5, 0, 2, out)\n"
        "    print(out.plays.tolist(), out.seats.tolist(), out.squares.tolist())\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", program, str(FILE)],
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for more in ({}, {mode: "1"})
    ]
    assert told[0] == told[1]
    assert told[0]
