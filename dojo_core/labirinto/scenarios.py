"""Conformance scenarios: hand-written situations, played by the compiled rules and compared.

Scripted dice, steps, choices and deals take the place of the random numbers and of the players;
nothing else differs from a play. A scenario is a plain mapping, as read from JSON:

    type    "play", "setup" or "board"
    board   a name in boards.json beside the file; board files are found beside it too
    n, seats, players, cur, turns, turns_done, deck, discard, shuffles, options
            the situation; a player's missing fields are the own corner, track 4, no card, awake
    dice, steps, choices    the script
    expect  what must hold afterwards; what is not listed must be unchanged
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dojo_core.labirinto import board as boards
from dojo_core.labirinto.options import OPTIONS
from dojo_core.labirinto.play import lay_play, play_on, put_pawn
from dojo_core.labirinto.setup import Tables, prepare_on, seating_fault
from dojo_core.labirinto.tables import (
    BAD_CHOICE,
    BAD_STEP,
    NO_CARD,
    NO_CHOICE,
    NO_DEAL,
    NO_DICE,
    NO_FAULT,
    NO_STEP,
    NOBODY,
)
from dojo_core.labirinto.trace import (
    CARD_CODES,
    KINDS_OF_CHOICE,
    answer_code,
    card_name,
    number_of,
    read_log,
    square_of,
)
from dojo_core.options import resolve
from dojo_core.scenarios import read_json

Scenario = Mapping[str, Any]

# The switch names of scenarios, as the project's own options.
SWITCHES: dict[str, Callable[[bool], dict[str, Any]]] = {
    "exam_ties_defender": lambda on: {"exam_ties": "defender" if on else "challenger"},
    "exam_best_of_3": lambda on: {"exam_wins": 2 if on else 1},
}

FAULTS = {
    NO_DICE: "the script has no die left",
    NO_STEP: "the script has no step left",
    BAD_STEP: "the script's step to {detail} is not legal",
    NO_CHOICE: "the script has no answer to a decision of kind {detail}",
    BAD_CHOICE: "the script's answer {detail} is not among the options",
    NO_DEAL: "the script deals too few cards for a reshuffle",
}


def run_beside(scenario: Scenario, folder: Path) -> list[str]:
    """Run one scenario whose boards are found in `folder`; return what differs."""
    return run(scenario, _quadrants(folder / "boards.json"), folder)


@functools.cache
def _quadrants(path: Path) -> dict[str, Any]:
    quadrants: dict[str, Any] = read_json(path) if path.exists() else {}
    return quadrants


def run(scenario: Scenario, quadrants: Mapping[str, Any], folder: Path) -> list[str]:
    """Run one scenario; return what differs from its expectation."""
    if scenario["type"] == "board":
        return run_board(scenario, folder)
    if scenario["type"] == "setup":
        return run_setup(scenario)
    if scenario["type"] == "play":
        return run_play(scenario, quadrants)
    return [f"type {scenario['type']!r} is none of play, setup, board"]


# Boards


def run_board(scenario: Scenario, folder: Path) -> list[str]:
    """Compare the findings of ``dojo board validate`` with the expected code and exit code."""
    legend = str(folder / scenario["legend"]) if "legend" in scenario else None
    read = boards.read_option(str(folder / scenario["file"]), folder, legend)
    report = boards.validate(read["text"], read["legend"])
    codes = [finding.code for finding in report.findings]
    expected = scenario["expect"]
    differences = []
    if expected["code"] == "OK":
        if any(code[0] in "FEW" for code in codes):
            differences.append(f"findings: expected none, found {codes}")
    elif expected["code"] not in codes:
        differences.append(f"findings: expected {expected['code']}, found {codes}")
    if report.exit_code != expected["exit"]:
        differences.append(f"exit code: expected {expected['exit']}, found {report.exit_code}")
    return differences


# Setups


def scenario_options(scenario: Scenario) -> dict[str, Any]:
    """Return the given options of a scenario under the project's own names."""
    given: dict[str, Any] = {"players": scenario["n"], "player": "random"}
    for name, value in scenario.get("options", {}).items():
        given |= SWITCHES[name](value) if name in SWITCHES else {name: value}
    return given


def run_setup(scenario: Scenario) -> list[str]:
    """Compare whether a seating is legal, where everyone starts, and the deck."""
    expected = scenario["expect"]
    differences = []
    if "legal" in expected and "seats" in scenario:
        fault = seating_fault(scenario["seats"])
        if (not fault) != expected["legal"]:
            differences.append(f"legal: expected {expected['legal']}, found {fault or 'legal'}")
    if not {"start", "deck"} & expected.keys():
        return differences
    options = resolve(OPTIONS, scenario_options(scenario))
    table = _first_player_of(prepare_on(boards.load(options["board"]), options).tables, scenario)
    found = [int(track) for track in table.track[: scenario["n"]]]
    if "start" in expected and found != expected["start"]:
        differences.append(f"start: expected {expected['start']}, found {found}")
    deck = Counter(card_name(int(card)) for card in table.deck[: table.deck_size])
    if "deck" in expected and deck != Counter(expected["deck"]):
        differences.append(f"deck: expected {Counter(expected['deck'])}, found {deck}")
    return differences


def _first_player_of(tables: Tables, scenario: Scenario) -> np.record:
    """Return a table set up for the first play in which the wanted seat begins."""
    laid = tables.table.copy()
    play = 0
    lay_play(tables, laid, play=play)
    while "first" in scenario and laid[0].first != scenario["first"]:
        play += 1
        lay_play(tables, laid, play=play)
    table: np.record = laid[0]
    return table


# Plays


def run_play(scenario: Scenario, quadrants: Mapping[str, Any]) -> list[str]:
    """Lay the situation, play its turns by the script, and compare."""
    options = resolve(OPTIONS, scenario_options(scenario))
    board = boards.load(_board_of(scenario, quadrants), checked=False)
    tables: Tables = prepare_on(board, options).tables
    laid = tables.table.copy()
    table = laid[0]
    lay_situation(tables, laid, scenario)
    before = state_of(table)
    lay_script(table, scenario)
    events: list[dict[str, Any]] = []
    for _ in range(scenario.get("turns", 1)):
        table.log_size = 0
        # One turn: the log counts as full as soon as something stands in it.
        if table.paused:
            play_on(tables, laid, 1)
        events.extend(read_log(table, scenario["n"], legal=True))
    return [
        *script_differences(table),
        *state_differences(scenario, before, state_of(table)),
        *event_differences(scenario["expect"], events),
    ]


def _board_of(scenario: Scenario, quadrants: Mapping[str, Any]) -> dict[str, Any]:
    name = scenario.get("board", "OPEN")
    entry = quadrants[name]
    legend = "".join(
        f"[tunnels.{digit}]\nquadrant_offset = {offset}\n"
        for digit, offset in entry.get("offsets", {}).items()
    )
    return {"label": name, "path": name, "text": "\n".join(entry["quadrant"]), "legend": legend}


def lay_situation(
    tables: Tables, laid: np.recarray[Any, Any], scenario: Scenario, seed: int = 0, play: int = 0
) -> None:
    """Lay the scenario's situation on the table `laid`, in place of a setup.

    Its random numbers are those of play number `play` under `seed`.
    """
    lay_play(tables, laid, seed, play)
    table = laid[0]
    seats = scenario["n"]
    table.corner[:seats] = scenario.get("seats", table.corner[:seats])
    table.turns = scenario.get("turns_done", 3 * seats)
    table.seat = scenario.get("cur", 0)
    for seat in range(seats):
        player = scenario.get("players", {}).get(str(seat), {})
        corner = tables.maze[0].room_squares[table.corner[seat], 0]
        put_pawn(table, seat, number_of(player["at"]) if "at" in player else corner)
        table.track[seat] = player.get("pos", 4)
        hand = player.get("hand")
        table.hand[seat] = NO_CARD if hand is None else CARD_CODES[hand]
        if player.get("med"):
            table.meditating |= 1 << seat
    deck = [CARD_CODES[card] for card in scenario.get("deck", [])][::-1]
    discard = [CARD_CODES[card] for card in scenario.get("discard", [])]
    table.deck[: len(deck)] = deck
    table.deck_size = len(deck)
    table.discard[: len(discard)] = discard
    table.discard_size = len(discard)


def lay_script(table: np.record, scenario: Scenario) -> None:
    """Put the scenario's script in place of dice and players, and listen."""
    table.scripted = 1
    table.given = table.everyone
    table.telling = 1
    dice = scenario.get("dice", [])
    steps = [number_of(square) for square in scenario.get("steps", [])]
    deals = [CARD_CODES[card] for deal in scenario.get("shuffles", []) for card in deal]
    choices = scenario.get("choices", [])
    table.script_dice[: len(dice)] = dice
    table.script_dice_count = len(dice)
    table.script_steps[: len(steps)] = steps
    table.script_steps_count = len(steps)
    table.script_deals[: len(deals)] = deals
    table.script_deals_count = len(deals)
    for k, (kind, seat, answer) in enumerate(choices):
        code = KINDS_OF_CHOICE.index(kind)
        table.script_choices[k] = [code, seat, answer_code(kind, answer), 0]
    table.script_choices_count = len(choices)


def state_of(table: np.record) -> dict[str, Any]:
    """Return the whole state of a table in plain words."""
    seats = range(table.seats)
    return {
        "at": [square_of(table.at[seat]) for seat in seats],
        "pos": [int(table.track[seat]) for seat in seats],
        "hand": [card_name(int(table.hand[seat])) for seat in seats],
        "med": [bool(table.meditating >> seat & 1) for seat in seats],
        "deck": [card_name(int(card)) for card in table.deck[: table.deck_size][::-1]],
        "discard": [card_name(int(card)) for card in table.discard[: table.discard_size]],
        "winner": None if table.winner == NOBODY else int(table.winner),
        "next": int(table.seat),
    }


def script_differences(table: np.record) -> list[str]:
    """Return what the script got wrong, and what of it was left over."""
    differences = []
    if table.fault != NO_FAULT:
        detail: Any = int(table.fault_detail)
        if table.fault == BAD_STEP:
            detail = square_of(detail)
        elif table.fault == NO_CHOICE:
            detail = KINDS_OF_CHOICE[detail]
        differences.append(FAULTS[int(table.fault)].format(detail=detail))
    for name in ("dice", "steps", "deals"):
        left = table[f"script_{name}_count"] - table[f"script_{name}_next"]
        if left:
            differences.append(f"{name}: {left} of the script left over")
    used = table.script_choices[: table.script_choices_count, 3].sum()
    if used != table.script_choices_count:
        differences.append(f"choices: {table.script_choices_count - used} left over")
    return differences


def state_differences(
    scenario: Scenario, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[str]:
    """Return where the state is not the one expected; what is not listed must be unchanged."""
    expected = scenario["expect"]
    wanted = {field: list(before[field]) for field in ("at", "pos", "hand", "med")}
    for field, values in wanted.items():
        for seat, value in expected.get(field, {}).items():
            values[int(seat)] = value
    wanted["discard"] = sorted(expected.get("discard", before["discard"]))
    found = dict(after) | {"discard": sorted(after["discard"])}
    if "deck" in expected:
        wanted["deck"] = expected["deck"]
    turns = scenario.get("turns", 1)
    wanted["winner"] = expected.get("winner")
    if wanted["winner"] is None:
        wanted["next"] = expected.get("next", (before["next"] + turns) % scenario["n"])
    return [
        f"{field}: expected {value}, found {found[field]}"
        for field, value in wanted.items()
        if found[field] != value
    ]


def event_differences(
    expected: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return where the fights, the legal steps or the options offered are not as expected."""
    differences = []
    fights = [
        [event["attacker"], event["defender"], *event["totals"], event["winner"]]
        for event in events
        if event["event"] == "kumite_result"
    ]
    if fights != expected.get("kumite", []):
        differences.append(f"kumite: expected {expected.get('kumite', [])}, found {fights}")
    legal = legal_by_steps(events)
    for steps, squares in expected.get("legal", {}).items():
        found = legal.get(int(steps))
        if found is None or sorted(found) != sorted(squares):
            differences.append(f"legal after {steps}: expected {squares}, found {found}")
    for kind, seat, options in expected.get("offered", []):
        offers = [
            event["options"]
            for event in events
            if event["event"] == "choice" and (event["kind"], event["seat"]) == (kind, seat)
        ]
        if not offered(options, offers):
            differences.append(f"offered {kind} to {seat}: expected {options}, found {offers}")
    return differences


def offered(options: Any, offers: Sequence[Sequence[Any]]) -> bool:
    """Tell whether some decision had these options as a set; "none": no decision occurred."""
    if options == "none":
        return not offers
    wanted = {json.dumps(option) for option in options}
    return any({json.dumps(option) for option in offer} == wanted for offer in offers)


def legal_by_steps(events: Sequence[Mapping[str, Any]]) -> dict[int, list[Any]]:
    """Return the legal steps by the number of steps taken before, over all turns."""
    legal: dict[int, list[Any]] = {}
    steps = 0
    for event in events:
        if event["event"] == "legal":
            legal[steps] = event["squares"]
        elif event["event"] == "step":
            steps += 1
    return legal
