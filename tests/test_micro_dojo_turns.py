"""How many ways there are to play: exact counts, kept here and counted again by a naive twin."""

import itertools

import numpy as np
import pytest
from micro_dojo_referee import table_of, ways
from micro_dojo_ways import ways_to_play

from dojo_core import games
from dojo_core.kernel import wrapping_arithmetic
from dojo_core.micro_dojo.components import BUILDINGS
from dojo_core.micro_dojo.play import lay_play, room_for_states, steps_now, told_step
from dojo_core.micro_dojo.tables import DEEPEST, MOST_STEPS, STATE
from dojo_core.micro_dojo.words import step_number

GAME = games.load("micro_dojo")

ALWAYS = ("castle", "guard_house", "market", "school", "stables", "yatai")
DEALT = {f"deal_{name}": "always" for name in ALWAYS} | {
    "objective_1": "builder", "objective_2": "banker", "objective_3": "peasant",
    "objective_4": "opulent", "objective_5": "hoarder",
}  # fmt: skip
ALL = DEALT | {f"deal_{tile.name}": "always" for tile in BUILDINGS} | {"buildings_dealt": 12}
FREE = DEALT | {"abilities": "free"}
PAID = DEALT | {"abilities": "paid"}
RICH = DEALT | {"first_gold": 5, "first_food": 5, "second_gold": 6, "second_food": 4}
CHEAP = ALL | {"guard_house_fee": 1, "first_gold": 4, "second_gold": 4, "second_food": 7,
               "first_food": 6}  # fmt: skip

# Options, seed, turns of a random play that go before, and the ways to play 1, 2 and 3 turns.
COUNTS = {
    "opening": (DEALT, 1, 0, (10, 153, 1580)),
    "opening of the advanced game": (FREE, 2, 0, (16, 436, 7004)),
    "opening, rich": (RICH, 3, 0, (118, 6716, 813892)),
    "after 7": (RICH, 4, 7, (21, 2301, 14205)),
    "after 12": (DEALT, 5, 12, (17, 123, 1512)),
    "after 15, all buildings": (CHEAP, 6, 15, (8, 775, 15313)),
    "after 16, all buildings": (CHEAP, 7, 16, (15, 576, 95948)),
    "after 9, paid abilities": (PAID | RICH, 8, 9, (6, 20, 157)),
}


def lay(options, seed, turns):
    """Return a play after some turns: its tables, and the same table of the twin."""
    setup = GAME.prepare(GAME.resolve(options | {"player": "random"}))
    events = GAME.trace(setup, seed, 0)
    twin = table_of(events[0], events[1])
    laid, states = setup.tables.table.copy(), room_for_states()
    with wrapping_arithmetic():
        lay_play(setup.tables.rules, laid, states, seed, 0)
    steps = [event["answer"] for event in events if event["event"] == "choice"]
    for step in steps:
        if twin.turn > turns:
            break
        twin.do(step)
        told_step(setup.tables.rules, laid, states, step_number(step))
    return setup.tables.rules, laid, states, twin


def counted(rules, laid, states, depth):
    here = states[0].copy()
    found = ways_to_play(rules, laid, states, depth, np.zeros((depth, DEEPEST), STATE))
    states[0] = here
    return int(found)


@pytest.mark.parametrize("name", COUNTS)
def test_the_ways_to_play_are_as_many_as_were_counted(name):
    options, seed, turns, kept = COUNTS[name]
    rules, laid, states, _ = lay(options, seed, turns)
    assert tuple(counted(rules, laid, states, depth + 1) for depth in range(len(kept))) == kept
    assert kept


@pytest.mark.parametrize("name", COUNTS)
def test_the_naive_twin_counts_as_many(name):
    options, seed, turns, kept = COUNTS[name]
    *_, twin = lay(options, seed, turns)
    for depth, count in enumerate(kept, start=1):
        if count < 100_000:
            assert ways(twin, depth) == count


@pytest.mark.parametrize("seed", range(20))
def test_the_ways_to_play_a_turn_are_those_of_the_twin_all_through_a_play(seed):
    rules, laid, states, twin = lay(CHEAP | {"abilities": "paid"}, seed, 3 * seed)
    if not twin.ended:
        assert counted(rules, laid, states, 1) == ways(twin, 1)


def test_only_the_guard_house_can_leave_somebody_without_a_move():
    rules, _, states, _ = lay({}, 1, 0)
    state, room = states[0], np.zeros(MOST_STEPS, np.int64)
    found = {"positions": 0, "with_guard": 0, "blocked": 0}
    for places in itertools.combinations(range(9), 4):
        state.place[:] = places
        state.filled = sum(1 << place for place in places)
        for marked in itertools.combinations(range(4), 2):
            state.marker[:] = marked
            for guard in (-1, *sorted(set(range(9)) - set(places))):
                state.guard = guard
                stuck = steps_now(rules, states, room) == 0
                found["with_guard"] += 1
                found["positions"] += guard == -1
                found["blocked"] += stuck
                assert not (stuck and guard == -1)
    assert found == {"positions": 756, "with_guard": 4536, "blocked": 36}


if __name__ == "__main__":
    for label, (given, number, before, _) in COUNTS.items():
        found = lay(given, number, before)[:3]
        print(label, tuple(counted(*found, depth) for depth in (1, 2, 3)))
