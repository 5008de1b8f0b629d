"""The players: each plans a whole turn on `table.plan`.

plan_turn → plan_random
→ plan_ahead (greedy, planner, deep_planner, weights) → look → expand → worth
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel
from dojo_core.micro_dojo.components import BUILDINGS
from dojo_core.micro_dojo.rules import objective_winner, winner_of
from dojo_core.micro_dojo.tables import (
    AHEAD,
    FIRST_CHOICE_STREAM,
    KEPT,
    MOST_AHEAD,
    NONE,
    RANDOM,
    WIDTH,
    number,
)
from dojo_core.micro_dojo.turns import count_turns, find_turn, first_turn, next_turn
from dojo_core.micro_dojo.weights import (
    FIRST_BUILDING,
    FOOD,
    GOLD,
    INFLUENCE,
    LAST,
    LATER,
    NEXT,
    NODES,
    POINT,
)
from dojo_core.random_numbers import below, next_word

WON = number(1_000_000)
NO_LIMIT = number(1 << 40)
# Room below a value for what breaks ties.
SHUFFLE = number(1 << 12)


@kernel
def plan_turn(rules: np.record, table: np.record, states: np.ndarray) -> None:
    """Let the player whose turn it is in ``states[0]`` plan it."""
    if table.player[states[0].seat] == RANDOM:
        plan_random(rules, table, states)
    else:
        plan_ahead(rules, table, states)


@kernel
def plan_random(rules: np.record, table: np.record, states: np.ndarray) -> None:
    """Plan one of all the ways to play the turn, each as likely as any other."""
    ways = count_turns(rules, table, states)
    stream = FIRST_CHOICE_STREAM + states[0].seat
    find_turn(rules, table, states, below(next_word(table.streams, stream), ways))


# What a position is worth


@kernel
def worth(rules: np.record, state: np.record, seat: int, weights: np.ndarray) -> int:
    """Return what a position is worth to a seat, by its weights."""
    if state.over:
        winner = winner_of(rules, state)
        if winner == NONE:
            return 0
        # Sooner won, or later lost, is better.
        return WON - state.turns if winner == seat else state.turns - WON
    other = 1 - seat
    value = (
        weights[POINT] * (state.points[seat] - state.points[other])
        + weights[GOLD] * (state.gold[seat] - state.gold[other])
        + weights[FOOD] * (state.food[seat] - state.food[other])
    )
    if state.influence:
        value += weights[INFLUENCE] if seat != state.first else -weights[INFLUENCE]
    for building in range(len(BUILDINGS)):
        value += weights[FIRST_BUILDING + building] * (
            (state.owned[seat] >> building & 1) - (state.owned[other] >> building & 1)
        )
    return value + objectives_worth(rules, state, seat, weights)


@kernel
def objectives_worth(rules: np.record, state: np.record, seat: int, weights: np.ndarray) -> int:
    """Return what it is worth how the objectives to come would score now."""
    value = 0
    for slot in range(state.objective, state.objectives):
        winner = objective_winner(rules, state, state.order[slot])
        if winner == NONE:
            continue
        feature = LATER
        if slot == state.objective:
            feature = NEXT
        elif slot == state.objectives - 1:
            feature = LAST
        points = weights[feature] * rules.slot_points[slot]
        value += points if winner == seat else -points
    return value


# Looking ahead


@kernel
def plan_ahead(rules: np.record, table: np.record, states: np.ndarray) -> None:
    """Plan the turn that looks best, looking further ahead as long as the budget lasts.

    One turn ahead is always looked at whole. A search of one turn more that the budget cuts short
    does not count.
    """
    states[KEPT] = states[0]
    seat = states[0].seat
    table.looked = 0
    expand(rules, table, states, 0, seat)
    chosen = table.order[0, 0]
    for ahead in range(2, MOST_AHEAD + 1):
        if table.held[0] < 2 or not look(rules, table, states, seat, ahead):
            break
        chosen = table.order[0, 0]
    for k in range(table.plan_sizes[chosen]):
        table.plan[k] = table.plans[chosen, k]
    table.plan_size = table.plan_sizes[chosen]
    states[0] = states[KEPT]


@inlined
def place_ahead(level: int, slot: int) -> int:
    """Return where in `states` a level keeps what its turn may come to."""
    return AHEAD + level * WIDTH + slot


@kernel
def expand(rules: np.record, table: np.record, states: np.ndarray, level: int, judge: int) -> None:
    """Keep the ways to play the turn in ``states[0]`` that look best, in ``table.order``.

    Ways that come to the same are kept once. Of the play's own turn (level 0), ways of equal worth
    stand in random order.
    """
    mover = states[0].seat
    stream = FIRST_CHOICE_STREAM + mover
    table.held[level] = 0
    more = first_turn(rules, table, states)
    while more:
        table.looked += 1
        value = SHUFFLE * worth(rules, states[table.plan_size], mover, table.weights[judge])
        if level == 0:
            value += below(next_word(table.streams, stream), SHUFFLE)
        keep(table, states, level, value)
        more = next_turn(rules, table, states)


@kernel
def keep(table: np.record, states: np.ndarray, level: int, value: int) -> None:
    """Keep the way to play on ``table.plan`` if it is among the best, and new."""
    held = table.held[level]
    if held == WIDTH and value <= table.values[level, table.order[level, WIDTH - 1]]:
        return
    state = states[table.plan_size]
    for k in range(held):
        slot = table.order[level, k]
        if table.values[level, slot] // SHUFFLE == value // SHUFFLE and alike(
            states[place_ahead(level, slot)], state
        ):
            return
    slot = held
    if held == WIDTH:
        slot = table.order[level, WIDTH - 1]
        held -= 1
    table.held[level] = held + 1
    at = held
    while at > 0 and table.values[level, table.order[level, at - 1]] < value:
        table.order[level, at] = table.order[level, at - 1]
        at -= 1
    table.order[level, at] = slot
    table.values[level, slot] = value
    states[place_ahead(level, slot)] = state
    if level == 0:
        for k in range(table.plan_size):
            table.plans[slot, k] = table.plan[k]
        table.plan_sizes[slot] = table.plan_size


@kernel
def alike(one: np.record, other: np.record) -> bool:
    """Tell whether two ways to play a turn come to the same."""
    for seat in range(2):
        if (
            one.gold[seat] != other.gold[seat]
            or one.food[seat] != other.food[seat]
            or one.points[seat] != other.points[seat]
            or one.owned[seat] != other.owned[seat]
            or one.marker[seat] != other.marker[seat]
        ):
            return False
    for meeple in range(len(one.place)):
        if one.place[meeple] != other.place[meeple]:
            return False
    return bool(
        one.guard == other.guard
        and one.market == other.market
        and one.objective == other.objective
        and one.influence == other.influence
        and one.over == other.over
    )


@kernel
def look(rules: np.record, table: np.record, states: np.ndarray, judge: int, ahead: int) -> bool:
    """Search so many turns ahead (alpha-beta); put the best turn first in ``table.order[0]``.

    Returns whether the search was completed within the budget.
    """
    level = 0
    open_level(table, 0, -NO_LIMIT, NO_LIMIT)
    first = 0
    while True:
        if table.tried[level] == table.held[level] or table.best[level] >= table.ceiling[level]:
            if level == 0:
                break
            level -= 1
            value = -table.best[level + 1]
        else:
            table.tried[level] += 1
            slot = table.order[level, table.tried[level] - 1]
            states[0] = states[place_ahead(level, slot)]
            sure = max(table.best[level], table.floor[level])
            if states[0].over:
                value = table.values[level, slot] // SHUFFLE
            elif level + 2 == ahead:
                value = -best_worth(rules, table, states, judge, -sure)
            else:
                expand(rules, table, states, level + 1, judge)
                open_level(table, level + 1, -table.ceiling[level], -sure)
                level += 1
                continue
            if table.looked > table.weights[judge, NODES]:
                return False
        if value > table.best[level]:
            table.best[level] = value
            if level == 0:
                first = table.tried[0] - 1
    slot = table.order[0, first]
    for k in range(first, 0, -1):
        table.order[0, k] = table.order[0, k - 1]
    table.order[0, 0] = slot
    return True


@inlined
def open_level(table: np.record, level: int, floor: int, ceiling: int) -> None:
    """Begin to look into what is kept at a level; only values between the two matter."""
    table.tried[level] = 0
    table.best[level] = -NO_LIMIT
    table.floor[level] = floor
    table.ceiling[level] = ceiling


@kernel
def best_worth(
    rules: np.record, table: np.record, states: np.ndarray, judge: int, enough: int
) -> int:
    """Return the most that the turn in ``states[0]`` can come to, for whose turn it is.

    Something that is `enough` ends the search: more makes no difference.
    """
    mover = states[0].seat
    best = -NO_LIMIT
    more = first_turn(rules, table, states)
    while more and best < enough:
        table.looked += 1
        best = max(best, worth(rules, states[table.plan_size], mover, table.weights[judge]))
        more = next_turn(rules, table, states)
    return best
