"""Conformance scenarios of Micro Dojo: a situation, scripted steps, and what must come of them.

Scripted steps take the place of the players; nothing else differs from a play. A scenario is a
plain mapping, as read from JSON, with ``game`` = ``micro_dojo`` and:

    type      "play", or "setup": a play's setup is looked at over many plays
    options   options by name; all others have their defaults
    meeples, guard, market, objectives, triggered, influence, abilities, first, cur, turn, still
            the situation: spaces of meeples (the corners otherwise), the Guard House's space, the
            buildings beside the board, the objectives left to right and how many of them are done,
            whether Influence is unspent, the meeples with an ability, who began, whose turn it is,
            how many turns have been taken, how many of them in a row changed nothing
    players   {seat: {gold, food, points, owned, marker}}; missing: nothing
    steps     the steps to be taken, spelled as in TRACES.md; each must be legal
    expect    what must hold afterwards; of what lies on the table, what is not listed must be as
              before. legal: {k: {kind: [arguments ...]}} the legal steps of a kind after k steps;
              reason, winner, tie_break: how the play ended; next: whose turn it is
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dojo_core.errors import DojoError
from dojo_core.kernel import wrapping_arithmetic
from dojo_core.micro_dojo.columns import REASONS, TIE_BREAKS
from dojo_core.micro_dojo.components import MEEPLES, OBJECTIVES, SEATS
from dojo_core.micro_dojo.options import OPTIONS
from dojo_core.micro_dojo.play import lay_play, room_for_states, scored, told_step
from dojo_core.micro_dojo.setup import Tables, prepare
from dojo_core.micro_dojo.tables import FOOD, GOLD, NONE, STATE
from dojo_core.micro_dojo.trace import building_names, legal_steps, meeple_name
from dojo_core.micro_dojo.words import NAMES, place_of, space_at, step_number
from dojo_core.options import resolve

Scenario = Mapping[str, Any]

_CORNERS = {"ninja": [0, 0], "geisha": [0, 2], "samurai": [2, 0], "sumo": [2, 2]}
_OBJECTIVES = [objective.name for objective in OBJECTIVES]
_OF_SEATS = ("gold", "food", "points", "owned", "marker")
_PLAYS_LOOKED_AT = 500


def run(scenario: Scenario) -> list[str]:
    """Run one scenario; return what differs from its expectation."""
    if scenario["type"] == "play":
        return _run_play(scenario)
    if scenario["type"] == "setup":
        return _run_setup(scenario)
    return [f"type {scenario['type']!r} is none of play, setup"]


def _prepared(scenario: Scenario) -> Tables:
    tables: Tables = prepare(resolve(OPTIONS, scenario.get("options", {}))).tables
    return tables


# Plays


def _run_play(scenario: Scenario) -> list[str]:
    tables = _prepared(scenario)
    laid, states = tables.table.copy(), room_for_states()
    with wrapping_arithmetic():
        lay_play(tables.rules, laid, states, 0, 0)
        _lay_situation(tables, states[0], scenario)
        before = _situation(states[0])
        legal, fault = _take_steps(tables, laid, states, scenario["steps"])
        ending = _ending(tables, states)
    after = _situation(states[0])
    return [
        *([fault] if fault else []),
        *_changes(scenario, before, after),
        *_legal_differences(scenario["expect"].get("legal", {}), legal),
        *_ending_differences(scenario["expect"], ending),
    ]


def _lay_situation(tables: Tables, state: np.record, scenario: Scenario) -> None:
    """Lay the scenario's situation on the table, in place of a setup."""
    rules = tables.rules[0]
    meeples = _CORNERS | scenario.get("meeples", {})
    state.place[:] = [space_at(meeples[name]) for name in MEEPLES]
    state.filled = sum(1 << int(space) for space in state.place)
    guard = scenario.get("guard")
    state.guard = NONE if guard is None else space_at(guard)
    state.market = _mask(scenario.get("market", []))
    names = scenario.get("objectives", ["builder"] * int(rules.objectives_dealt))
    state.objectives = len(names)
    state.order[: len(names)] = [_OBJECTIVES.index(name) for name in names]
    state.objective = scenario.get("triggered", 0)
    state.influence = scenario.get("influence", True)
    abilities = scenario.get("abilities", MEEPLES if rules.abilities else ())
    state.abilities = sum(1 << MEEPLES.index(name) for name in abilities)
    state.first = scenario.get("first", 0)
    state.seat = scenario.get("cur", 0)
    state.turns = scenario.get("turn", 0)
    state.still = scenario.get("still", 0)
    for seat in range(SEATS):
        _lay_seat(rules, state, seat, scenario.get("players", {}).get(str(seat), {}))


def _lay_seat(rules: np.record, state: np.record, seat: int, player: Mapping[str, Any]) -> None:
    state.gold[seat] = player.get("gold", 0)
    state.food[seat] = player.get("food", 0)
    state.points[seat] = player.get("points", 0)
    owned = player.get("owned", [])
    state.owned[seat] = _mask(owned)
    for resource in (GOLD, FOOD):
        state.spent[seat, resource] = sum(rules.cost[resource, NAMES.index(o)] for o in owned)
    marker = player.get("marker")
    state.marker[seat] = NONE if marker is None else MEEPLES.index(marker)


def _mask(names: Sequence[str]) -> int:
    return sum(1 << NAMES.index(name) for name in names)


def _take_steps(
    tables: Tables, laid: Any, states: Any, steps: Sequence[Sequence[Any]]
) -> tuple[list[list[list[Any]]], str]:
    """Take the scripted steps; return what was legal before each and after all, and a fault."""
    legal = []
    for number, step in enumerate(steps):
        legal.append([] if states[0].over else legal_steps(tables, states))
        if list(step) not in legal[-1]:
            return legal, f"step {number}, {list(step)}, is not legal; legal are {legal[-1]}"
        told_step(tables.rules, laid, states, step_number(step))
    legal.append([] if states[0].over else legal_steps(tables, states))
    return legal, ""


def _situation(state: np.record) -> dict[str, Any]:
    """Return what lies on the table, in words."""
    seats = range(SEATS)
    return {
        "meeples": {name: place_of(state.place[k]) for k, name in enumerate(MEEPLES)},
        "guard": None if state.guard == NONE else place_of(state.guard),
        "market": building_names(int(state.market)),
        "triggered": int(state.objective),
        "influence": bool(state.influence),
        "next": int(state.seat),
        "gold": [int(state.gold[seat]) for seat in seats],
        "food": [int(state.food[seat]) for seat in seats],
        "points": [int(state.points[seat]) for seat in seats],
        "owned": [building_names(int(state.owned[seat])) for seat in seats],
        "marker": [meeple_name(state.marker[seat]) for seat in seats],
    }


def _changes(
    scenario: Scenario, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[str]:
    """Tell where the table is not as expected; what is not listed must be as before."""
    expected = scenario["expect"]
    for name, value in before.items():
        wanted = value
        if name == "meeples":
            wanted = value | expected.get(name, {})
        elif name in _OF_SEATS:
            given = expected.get(name, {})
            wanted = [given.get(str(seat), value[seat]) for seat in range(SEATS)]
        elif name in expected:
            wanted = expected[name]
        if _sorted(wanted) != _sorted(after[name]):
            yield f"{name}: expected {wanted}, found {after[name]}"


def _sorted(value: Any) -> Any:
    """Return a value with its lists of buildings in one order."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return sorted(value)
    return [_sorted(part) for part in value] if isinstance(value, list) else value


def _legal_differences(
    expected: Mapping[str, Any], legal: Sequence[Sequence[Sequence[Any]]]
) -> Iterator[str]:
    for number, kinds in expected.items():
        if int(number) >= len(legal):
            yield f"legal after {number}: there were not so many steps"
            continue
        for kind, arguments in kinds.items():
            found = [list(step[1:]) for step in legal[int(number)] if step[0] == kind]
            if sorted(found, key=str) != sorted(arguments, key=str):
                yield f"legal {kind} after {number}: expected {arguments}, found {found}"


def _ending(tables: Tables, states: Any) -> dict[str, Any]:
    """Return how the play ended; why, who won by scoring, and what broke a tie."""
    if not states[0].over:
        return {"reason": None}
    winner, rule = scored(tables.rules, states)
    return {
        "reason": REASONS[int(states[0].over) - 1],
        "winner": None if winner == NONE else winner,
        "tie_break": TIE_BREAKS[rule],
    }


def _ending_differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    for name, value in found.items():
        if value != expected.get(name, "none" if name == "tie_break" else None):
            yield f"{name}: expected {expected.get(name)}, found {value}"
    for name in ("winner", "tie_break"):
        if name in expected and name not in found:
            yield f"{name}: expected {expected[name]}, but the play is not over"


# Setups


def _run_setup(scenario: Scenario) -> list[str]:
    """Look at the setups of many plays: what always holds, and what takes all its values."""
    expected = scenario["expect"]
    try:
        tables = _prepared(scenario)
    except DojoError as error:
        wanted = expected.get("error")
        return [] if wanted and wanted in str(error) else [f"error: {error}"]
    if "error" in expected:
        return [f"error: expected {expected['error']!r}, but the options are taken"]
    laid, states = tables.table.copy(), room_for_states()
    seen = np.zeros(_PLAYS_LOOKED_AT, STATE)
    with wrapping_arithmetic():
        for play in range(_PLAYS_LOOKED_AT):
            lay_play(tables.rules, laid, states, 1, play)
            seen[play] = states[0]
    found = _setups(seen)
    return [
        f"{name}: expected {value}, found {found[name]}"
        for name, value in expected.items()
        if found[name] != value
    ]


def _setups(seen: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return what the setups have in common, and how far they differ."""
    orders = seen["order"]
    dealt = [int(market) for market in seen["market"]]
    slots = [
        sorted({_OBJECTIVES[code] for code in orders[:, slot]})
        for slot in range(int(seen["objectives"][0]))
    ]
    return {
        "corners": [place_of(space) for space in np.unique(seen["place"])],
        "corner_orders": len(np.unique(seen["place"], axis=0)),
        "first": sorted({int(first) for first in seen["first"]}),
        "second_has_influence": bool((seen["influence"] == 1).all()),
        "objectives": len(slots),
        "objectives_differ": bool(all(len(set(order[: len(slots)])) == len(slots)
                                      for order in orders.tolist())),
        "objectives_of_slots": slots,
        "objectives_seen": len({name for slot in slots for name in slot}),
        "buildings": sorted({mask.bit_count() for mask in dealt}),
        "buildings_seen": len(building_names(int(np.bitwise_or.reduce(dealt)))),
        "buildings_always": building_names(int(np.bitwise_and.reduce(dealt))),
        "sets_of_abilities": sorted({int(mask) for mask in seen["abilities"]}),
        "gold": _pairs(seen["gold"]),
        "points": _pairs(seen["points"]),
        "markers": bool((seen["marker"] == NONE).all()),
    }  # fmt: skip


def _pairs(values: np.ndarray[Any, Any]) -> list[list[int]]:
    """Return the pairs of both seats' values that were seen, whoever has which."""
    pairs: list[list[int]] = np.unique(np.sort(values, axis=1), axis=0).tolist()
    return pairs
