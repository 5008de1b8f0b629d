"""The conformance scenarios pass, and a scenario that asks for the wrong thing fails for it."""

import json

import pytest
from board_drawings import DATA

from dojo_core.errors import DojoError
from dojo_core.labirinto import scenarios
from dojo_core.scenarios import run_file

SCENARIOS = json.loads((DATA / "labirinto.json").read_text())
QUADRANTS = json.loads((DATA / "boards.json").read_text())


def run(scenario, **changes):
    return scenarios.run(scenario | changes, QUADRANTS, DATA)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_conformance_scenario(scenario):
    assert run(scenario) == []


def test_scenario_ids_are_unique():
    assert len({scenario["id"] for scenario in SCENARIOS}) == len(SCENARIOS)


# Two steps over Tatami to an opponent who holds a Kiai, keeps it and loses.
FIGHT = {
    "type": "play",
    "board": "OPEN",
    "n": 3,
    "players": {"0": {"at": [5, 1]}, "1": {"at": [5, 3], "hand": "Kiai"}},
    "dice": [1, 1, 6, 1],
    "steps": [[5, 2], [5, 3]],
    "choices": [["tecnica", 1, None]],
    "expect": {
        "at": {"0": [5, 3], "1": [0, 15]},
        "pos": {"0": 7, "1": 1},
        "kumite": [[0, 1, 6, 1, 0]],
        "legal": {"1": [[4, 2], [5, 3], [6, 2]]},
        "offered": [["tecnica", 1, [None, "Kiai"]]],
    },
}
# Two steps to a Nebbia square while the deck is empty.
DRAW = {
    "type": "play",
    "board": "OPEN",
    "n": 3,
    "players": {"0": {"at": [5, 2]}},
    "dice": [1, 1],
    "steps": [[5, 3], [6, 3]],
    "discard": ["Colpo Proibito", "Allenamento Intensivo"],
    "shuffles": [["Colpo Proibito", "Allenamento Intensivo"]],
    "expect": {
        "at": {"0": [6, 3]},
        "pos": {"0": 3},
        "deck": ["Allenamento Intensivo"],
        "discard": ["Colpo Proibito"],
    },
}


@pytest.mark.parametrize("scenario", [FIGHT, DRAW])
def test_scenario_that_expects_what_happens_passes(scenario):
    assert run(scenario) == []


@pytest.mark.parametrize(
    ("field", "value", "difference"),
    [
        ("at", {"0": [5, 2], "1": [0, 15]}, "at: expected"),
        ("pos", {"0": 4, "1": 1}, "pos: expected [4, 1, 4], found [7, 1, 4]"),
        ("hand", {"1": None}, "hand: expected"),
        ("med", {"2": True}, "med: expected"),
        ("kumite", [[0, 1, 6, 2, 0]], "kumite: expected [[0, 1, 6, 2, 0]]"),
        ("legal", {"1": [[4, 2], [5, 3]]}, "legal after 1: expected"),
        ("legal", {"2": []}, "legal after 2: expected [], found None"),
        ("offered", [["tecnica", 1, [None]]], "offered tecnica to 1: expected"),
        ("offered", [["tecnica", 1, "none"]], "offered tecnica to 1: expected none"),
        ("offered", [["order", 0, [1, 2]]], "offered order to 0: expected [1, 2], found []"),
        ("winner", 0, "winner: expected 0, found None"),
        ("next", 2, "next: expected 2, found 1"),
        ("discard", ["Kiai"], "discard: expected ['Kiai'], found []"),
        ("deck", ["Kiai"], "deck: expected ['Kiai'], found []"),
    ],
)
def test_scenario_with_a_wrong_expectation_names_it(field, value, difference):
    found = run(FIGHT, expect=FIGHT["expect"] | {field: value})
    assert len(found) == 1
    assert found[0].startswith(difference)


@pytest.mark.parametrize("field", ["at", "pos", "kumite"])
def test_scenario_that_leaves_out_a_change_fails(field):
    expect = {name: value for name, value in FIGHT["expect"].items() if name != field}
    (difference,) = run(FIGHT, expect=expect)
    assert difference.startswith(f"{field}: expected")


@pytest.mark.parametrize(
    ("scenario", "changes", "difference"),
    [
        (FIGHT, {"dice": [1, 1, 6, 1, 3]}, "dice: 1 of the script left over"),
        (FIGHT, {"dice": [1, 1, 6]}, "the script has no die left"),
        (FIGHT, {"steps": [[5, 2], [5, 3], [5, 4]]}, "steps: 1 of the script left over"),
        (FIGHT, {"steps": [[5, 2]]}, "the script has no step left"),
        (FIGHT, {"steps": [[5, 2], [5, 1]]}, "the script's step to [5, 1] is not legal"),
        (FIGHT, {"choices": []}, "the script has no answer to a decision of kind tecnica"),
        (
            FIGHT,
            {"choices": [["tecnica", 1, "Uke"]]},
            "the script's answer 0 is not among the options",
        ),
        (FIGHT, {"choices": [*FIGHT["choices"], ["order", 0, 1]]}, "choices: 1 left over"),
        (DRAW, {"shuffles": []}, "the script deals too few cards for a reshuffle"),
        (DRAW, {"shuffles": [*DRAW["shuffles"], ["Kiai"]]}, "deals: 1 of the script left over"),
    ],
)
def test_scenario_with_a_wrong_script_names_what_is_wrong(scenario, changes, difference):
    assert difference in run(scenario, **changes)


def test_scenario_choice_of_another_seat_answers_nothing():
    found = run(FIGHT, choices=[["tecnica", 0, None]])
    assert "the script has no answer to a decision of kind tecnica" in found
    assert "choices: 1 left over" in found


SETUP = {"type": "setup", "n": 4, "seats": [0, 1, 2, 3]}


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"expect": {"legal": False}}, "legal: expected False, found legal"),
        ({"seats": [0, 0, 1, 2], "expect": {"legal": True}}, "legal: expected True, found more"),
        ({"n": 2, "seats": [0, 1], "expect": {"legal": True}}, "legal: expected True, found 2"),
        ({"expect": {"start": [3, 3, 3, 3]}}, "start: expected [3, 3, 3, 3], found [0, 0, 0, 0]"),
        ({"expect": {"deck": ["Kiai"]}}, "deck: expected"),
    ],
)
def test_setup_scenario_with_a_wrong_expectation_names_it(changes, difference):
    (found,) = run(SETUP, **changes)
    assert found.startswith(difference)


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ({"code": "OK", "exit": 2}, "findings: expected none, found ['F-SIZE'"),
        ({"code": "F-SEAM", "exit": 2}, "findings: expected F-SEAM, found ['F-SIZE'"),
        ({"code": "F-SIZE", "exit": 1}, "exit code: expected 1, found 2"),
    ],
)
def test_board_scenario_with_a_wrong_expectation_names_it(expect, difference):
    board = next(s for s in SCENARIOS if s["type"] == "board" and s["expect"]["code"] == "F-SIZE")
    (found,) = run(board, expect=expect)
    assert found.startswith(difference)


def test_scenario_of_an_unknown_type_fails():
    (found,) = run(FIGHT, type="plays")
    assert "'plays' is none of play, setup, board" in found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not JSON"),
        ("{}", "holds dict; expected a list of scenarios"),
        ("[{}]", "scenario number 0 has no id or no type"),
    ],
)
def test_file_that_holds_no_scenarios_is_refused(tmp_path, text, sentence):
    file = tmp_path / "wrong.json"
    file.write_text(text)
    with pytest.raises(DojoError, match=sentence):
        list(run_file(file))


def test_scenario_that_cannot_be_read_fails_and_the_next_one_runs(tmp_path):
    file = tmp_path / "some.json"
    broken = {"id": "broken", "type": "play", "board": "NONE", "n": 3, "expect": {}}
    file.write_text(json.dumps([broken, SETUP | {"id": "fine", "expect": {"legal": True}}]))
    first, second = run_file(file)
    assert "cannot be read" in first["differences"][0]
    assert second == {"id": "fine", "passed": True, "differences": []}
