"""The planners' search finds what a plain minimax over the same turns finds."""

import pytest

from dojo_core import games
from dojo_core.kernel import entry, wrapping_arithmetic
from dojo_core.micro_dojo.play import lay_play, room_for_states, told_step
from dojo_core.micro_dojo.players import NO_LIMIT, SHUFFLE, best_worth, expand, look
from dojo_core.micro_dojo.tables import AHEAD, WIDTH
from dojo_core.micro_dojo.words import step_number

GAME = games.load("micro_dojo")
WIDE = {"inherits": "planner", "nodes": 1_000_000}


@entry
def search(rules, tables, states, ahead, judge):
    """Return the worth that the search finds; -NO_LIMIT if it is cut short."""
    tables[0].looked = 0
    expand(rules[0], tables[0], states, 0, judge)
    if not look(rules[0], tables[0], states, judge, ahead):
        return -NO_LIMIT
    return tables[0].best[0]


@entry
def kept_turns(rules, tables, states, level, judge):
    """Keep the best turns of ``states[0]`` at a level; return how many."""
    expand(rules[0], tables[0], states, level, judge)
    return tables[0].held[level]


@entry
def best_turn(rules, tables, states, judge):
    """Return the most that the turn in ``states[0]`` can come to."""
    return best_worth(rules[0], tables[0], states, judge, NO_LIMIT)


def minimax(rules, laid, states, level, ahead, judge):
    """Return the worth of ``states[0]`` to whose turn it is, without cutting anything off."""
    if level == ahead - 1:
        return best_turn(rules, laid, states, judge)
    held = kept_turns(rules, laid, states, level, judge)
    table = laid[0]
    slots = [int(slot) for slot in table.order[level, :held]]
    values = {slot: int(table.values[level, slot]) // int(SHUFFLE) for slot in slots}
    best = -int(NO_LIMIT)
    for slot in slots:
        states[0] = states[int(AHEAD) + level * WIDTH + slot]
        over = bool(states[0].over)
        worth = values[slot] if over else -minimax(rules, laid, states, level + 1, ahead, judge)
        best = max(best, worth)
    return best


def situation(seed, turns):
    """Return a random play after some turns."""
    setup = GAME.prepare(GAME.resolve({"player": [WIDE, WIDE]}))
    random = GAME.prepare(GAME.resolve({"player": "random"}))
    events = GAME.trace(random, seed, 0)
    steps = [event["answer"] for event in events if event["event"] == "choice"]
    ends = [number for number, step in enumerate(steps) if step == ["end"]]
    laid, states = setup.tables.table.copy(), room_for_states()
    lay_play(setup.tables.rules, laid, states, seed, 0)
    for step in steps[: ends[turns - 1] + 1]:
        told_step(setup.tables.rules, laid, states, step_number(step))
    return setup.tables.rules, laid, states


@pytest.mark.parametrize("ahead", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_the_worth_that_minimax_finds(seed, ahead):
    with wrapping_arithmetic():
        rules, laid, states = situation(seed, 6 + 2 * seed)
        seat = int(states[0].seat)
        here = states[:1].copy()
        streams = laid[0].streams.copy()
        by_search = search(rules, laid, states, ahead, seat)
        states[0] = here[0]
        laid[0].streams = streams
        assert by_search == minimax(rules, laid, states, 0, ahead, seat)
        assert by_search > -int(NO_LIMIT)
