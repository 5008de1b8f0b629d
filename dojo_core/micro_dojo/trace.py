"""Telling a play event by event (TRACES.md), by the compiled rules that play it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dojo_core.game import Event, Setup
from dojo_core.kernel import engine_hash, wrapping_arithmetic
from dojo_core.micro_dojo.columns import PLAY_COLUMNS, REASONS, SEAT_COLUMNS
from dojo_core.micro_dojo.components import MEEPLES, OBJECTIVES, SEATS, SLOTS
from dojo_core.micro_dojo.options import OPTIONS
from dojo_core.micro_dojo.play import (
    lay_play,
    play_block,
    room_for_states,
    steps_now,
    told_step,
)
from dojo_core.micro_dojo.setup import Tables, player_name, seat_players
from dojo_core.micro_dojo.tables import (
    END_TURN,
    MOST_STEPS,
    NO_OBJECTIVE,
    NONE,
    PLAY_ROW,
    SEAT_ROW,
)
from dojo_core.micro_dojo.words import NAMES, place_of, step_words
from dojo_core.options import Option

# What a step is about, by its word: the fields of its event after `seat`.
_FIELDS = {
    "guard_house": ("to",),
    "influence": ("of",),
    "move": ("meeple", "to"),
    "push": ("other",),
    "swap": ("other",),
    "slip": ("meeple", "to"),
    "diagonal": ("meeple", "to"),
    "stables": ("to",),
    "take": ("what",),
    "buy": ("building",),
    "remove": ("building",),
    "trigger": (),
    "barracks": (),
    "broker": (),
    "market": ("gained", "amount"),
    "school": ("gold",),
    "shrine": (),
    "yatai": (),
    "trade": ("gained", "amount"),
    "donate": ("resource",),
    "end": (),
}


def trace(setup: Setup, seed: int, play: int) -> list[Event]:
    """Return one play event by event: it is played once, and its steps are then told."""
    tables: Tables = setup.tables
    laid = tables.table.copy()
    laid[0].telling = 1
    states = room_for_states()
    rows = np.zeros(1, PLAY_ROW).view(np.recarray)
    seat_rows = np.zeros((1, SEATS), SEAT_ROW).view(np.recarray)
    with wrapping_arithmetic():
        play_block(tables.rules, laid, states, seed, play, rows, seat_rows)
        steps = laid[0].log[: laid[0].steps].tolist()
        lay_play(tables.rules, laid, states, seed, play)
        events = [setup_event(setup, states[0], seed, play), turn_event(states[0])]
        for step in steps:
            events.extend(tell_step(tables, laid, states, step))
            if step == END_TURN and not states[0].over:
                events.append(turn_event(states[0]))
    return [*events, end_event(rows[0], seat_rows[0])]


def turn_event(state: np.record) -> Event:
    """Tell how a turn begins: what both seats have, and where everything lies."""
    turn = int(state.turns)
    return {
        "event": "turn",
        "seat": int(state.seat),
        "turn": turn + 1,
        "round": turn // SEATS + 1,
        "gold": state.gold.tolist(),
        "food": state.food.tolist(),
        "points": state.points.tolist(),
        "meeples": {name: place_of(state.place[k]) for k, name in enumerate(MEEPLES)},
        "markers": [meeple_name(marker) for marker in state.marker],
        "guard": None if state.guard == NONE else place_of(state.guard),
    }


def meeple_name(meeple: int) -> str | None:
    """Return a meeple's name; None for none."""
    return None if meeple == NONE else MEEPLES[meeple]


def building_names(mask: int) -> list[str]:
    """Return the names of a set of buildings."""
    return [name for k, name in enumerate(NAMES) if mask >> k & 1]


def legal_steps(tables: Tables, states: Any) -> list[list[Any]]:
    """Return the steps that are legal now, in words."""
    room = np.zeros(MOST_STEPS, np.int64)
    count = steps_now(tables.rules, states, room)
    return [step_words(step) for step in room[:count].tolist()]


def tell_step(tables: Tables, laid: Any, states: Any, step: int) -> Iterator[Event]:
    """Take a step and tell the choice, the step and what it changed."""
    state = states[0]
    seat = int(state.seat)
    words = step_words(step)
    yield {
        "event": "choice",
        "seat": seat,
        "kind": "step",
        "options": legal_steps(tables, states),
        "answer": words,
    }
    before = state.copy()
    told_step(tables.rules, laid, states, step)
    word, *arguments = words
    event = {"event": word, "seat": seat}
    event |= dict(zip(_FIELDS[word], arguments, strict=True))
    event |= _what_happened(word, before, state, int(laid[0].named))
    if word != "end":
        yield event
    for who in range(SEATS):
        points = int(state.points[who]), int(before.points[who])
        if points[0] != points[1]:
            yield {"event": "points", "seat": who, "from": points[1], "to": points[0], "why": word}


def _what_happened(word: str, before: np.record, after: np.record, named: int) -> dict[str, Any]:
    """Return what an event tells besides the step's own words."""
    if word == "influence":
        gone = next(seat for seat in range(SEATS) if before.marker[seat] != after.marker[seat])
        return {"meeple": meeple_name(before.marker[gone])}
    if word in ("move", "push", "swap", "slip", "diagonal", "stables"):
        mover = int(after.mover)
        return {
            "meeple": MEEPLES[mover],
            "from": place_of(before.place[mover]),
            "to": place_of(after.place[mover]),
            **_resources(before, after),
        }
    if word == "trigger":
        slot = int(before.objective)
        return {
            "slot": slot + 1,
            "objective": OBJECTIVES[int(before.order[slot])].name,
            "scores": None if named == NONE else named,
        }
    return _resources(before, after)


def _resources(before: np.record, after: np.record) -> dict[str, Any]:
    """Return how the mover's gold and food changed, if they did."""
    seat = int(before.seat)
    changes = {
        "gold_change": int(after.gold[seat] - before.gold[seat]),
        "food_change": int(after.food[seat] - before.food[seat]),
    }
    return {name: change for name, change in changes.items() if change}


def setup_event(setup: Setup, state: np.record, seed: int, play: int) -> Event:
    """Tell how a play begins."""
    return {
        "event": "setup",
        "game": "micro_dojo",
        "engine": engine_hash("micro_dojo"),
        "seed": seed,
        "play": play,
        "options": {option.name: _told(option, setup.options[option.name]) for option in OPTIONS},
        "board": [space.text for space in setup.tables.spaces],
        "players": [player_name(player) for player in seat_players(setup.options)],
        "first": int(state.first),
        "influence": 1 - int(state.first) if state.influence else None,
        "objectives": objective_names(state),
        "buildings": building_names(int(state.market)),
        "abilities": [name for k, name in enumerate(MEEPLES) if state.abilities >> k & 1],
    }


def objective_names(state: np.record) -> list[str]:
    """Return the names of a play's objectives, left to right."""
    codes = [int(code) for code in state.order[:SLOTS] if code != NO_OBJECTIVE]
    return [OBJECTIVES[code].name for code in codes]


def _told(option: Option, value: Any) -> Any:
    return option.shown(value) if option.kind == "file" else value


def end_event(row: np.record, seat_rows: Any) -> Event:
    """Tell how a play ended, with every stored column."""
    play = _values(row, [column.name for column in PLAY_COLUMNS])
    names = [column.name for column in SEAT_COLUMNS]
    return {
        "event": "end",
        "winner": None if play["winner"] == NONE else play["winner"],
        "reason": REASONS[play["reason"]],
        "rounds": play["rounds"],
        "turns": play["turns"],
        "play": play,
        "seats": [_values(seat, names) for seat in seat_rows],
    }


def _values(row: np.record, names: list[str]) -> dict[str, int]:
    """Return a row's values by column name; arrays of a row are runs of columns."""
    values = [int(value) for field in row.item() for value in np.ravel(field)]
    return dict(zip(names, values, strict=True))
