"""Whole turns: how many ways there are to play one, and which is the n-th.

A way to play a turn is a sequence of legal steps (`rules.list_steps`) up to the end of the turn or
of the play. Two sequences that differ in order are two ways, even if they come to the same.
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel
from dojo_core.micro_dojo.rules import (
    kind_of,
    list_steps,
    may_advance,
    take_step,
)
from dojo_core.micro_dojo.tables import (
    END_TURN,
    GUARD_HOUSE,
    NONE,
    PLACE_GUARD,
    TO_MOVE,
    number,
)

ALL = number((1 << 62) - 1)


@inlined
def last_choice(rules: np.record, state: np.record) -> bool:
    """Tell whether every legal step of a turn under way completes it.

    So it is when one thing only is left to resolve, the meeple stands still, and the Guard House
    cannot come between. The step END_TURN after it is understood.
    """
    if state.due + state.build + state.actions != 1:
        return False
    if may_advance(rules, state):
        return False
    at_hand = state.owned[state.seat]
    if state.build:
        at_hand |= state.market
    return bool(state.guard != NONE or not at_hand >> GUARD_HOUSE & 1)


@kernel
def walk_turns(rules: np.record, table: np.record, states: np.ndarray, stop: int) -> int:
    """Go through the ways to play the turn that begins in ``states[0]``.

    Args:
        rules: The packed options and the board.
        table: Its `plan` is filled with the way numbered `stop`, if there is one (an END_TURN at
            the end is left out).
        states: Room for the situations of a turn, the present one first.
        stop: How many ways to pass by; `ALL` counts them.

    Returns:
        How many ways were passed: `stop`, or all there are. ``table.before`` then says how many
        came before each of the first steps.
    """
    passed = 0
    depth = 0
    first = table.start
    table.sizes[0] = list_steps(rules, states[0], table.lists[0])
    table.nexts[0] = first
    passed = table.before[first] if first else 0
    while depth >= 0:
        k = table.nexts[depth]
        if k == table.sizes[depth]:
            depth -= 1
            continue
        table.nexts[depth] = k + 1
        if depth == 0:
            table.before[k] = passed
        step = table.lists[depth, k]
        table.plan[depth] = step
        if kind_of(step) == END_TURN:
            if passed == stop:
                table.plan_size = depth
                return passed
            passed += 1
            continue
        states[depth + 1] = states[depth]
        state = states[depth + 1]
        take_step(rules, state, step)
        if state.over:
            if passed == stop:
                table.plan_size = depth + 1
                return passed
            passed += 1
            continue
        size = list_steps(rules, state, table.lists[depth + 1])
        if state.stage and last_choice(rules, state):
            if passed + size > stop:
                chosen = table.lists[depth + 1, stop - passed]
                table.plan[depth + 1] = chosen
                table.plan_size = depth + 1 if kind_of(chosen) == END_TURN else depth + 2
                return stop
            passed += size
            continue
        depth += 1
        table.sizes[depth] = size
        table.nexts[depth] = 0
    return passed


@kernel
def first_turn(rules: np.record, table: np.record, states: np.ndarray) -> bool:
    """Go to the first sensible way to play the turn that begins in ``states[0]``, if any.

    See `next_turn`.
    """
    table.depth = 0
    table.sizes[0] = list_steps(rules, states[0], table.lists[0])
    table.nexts[0] = 0
    return next_turn(rules, table, states)


@kernel
def next_turn(rules: np.record, table: np.record, states: np.ndarray) -> bool:
    """Go to the next sensible way to play the turn; return whether there is one.

    Its steps are then on ``table.plan``, what it comes to is in ``states[table.plan_size]``.
    """
    depth = table.depth
    while depth >= 0:
        k = table.nexts[depth]
        if k == table.sizes[depth]:
            depth -= 1
            continue
        table.nexts[depth] = k + 1
        step = table.lists[depth, k]
        if pointless(states[depth], step):
            continue
        table.plan[depth] = step
        states[depth + 1] = states[depth]
        state = states[depth + 1]
        take_step(rules, state, step)
        if state.over or kind_of(step) == END_TURN:
            table.depth = depth
            table.plan_size = depth + 1
            return True
        depth += 1
        table.sizes[depth] = list_steps(rules, state, table.lists[depth])
        table.nexts[depth] = 0
    return False


@inlined
def pointless(state: np.record, step: int) -> bool:
    """Tell whether a player who weighs turns passes a step by.

    The Guard House is left to the end of the turn: then all gains are in, and where it may stand
    is the same.
    """
    if kind_of(step) == PLACE_GUARD:
        return bool(state.stage == TO_MOVE or state.due)
    return bool(state.guarding and kind_of(step) != END_TURN)


@kernel
def count_turns(rules: np.record, table: np.record, states: np.ndarray) -> int:
    """Return how many ways there are to play the turn that begins in ``states[0]``."""
    table.start = 0
    return walk_turns(rules, table, states, ALL)


@kernel
def find_turn(rules: np.record, table: np.record, states: np.ndarray, wanted: int) -> None:
    """Plan the way numbered `wanted` of those that `count_turns` has just counted."""
    first = table.sizes[0] - 1
    while table.before[first] > wanted:
        first -= 1
    table.start = first
    walk_turns(rules, table, states, wanted)
