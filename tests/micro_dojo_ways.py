"""Counting the ways to play several turns of Micro Dojo by the compiled rules."""

import numpy as np

from dojo_core.kernel import entry, kernel
from dojo_core.micro_dojo.rules import take_step
from dojo_core.micro_dojo.tables import END_TURN
from dojo_core.micro_dojo.turns import count_turns, find_turn


@entry
def ways_to_play(
    rules: np.ndarray, tables: np.ndarray, states: np.ndarray, depth: int, follow: np.ndarray
):
    """Return how many sequences of `depth` whole turns can follow ``states[0]``.

    A play that is over sooner counts once.

    Args:
        rules: The packed options and the board, one.
        tables: A table, one.
        states: Room for a turn's situations.
        depth: How many turns.
        follow: Room for the same, once for each turn, shape (depth, DEEPEST).
    """
    table = tables[0]
    if depth == 1:
        return count_turns(rules[0], table, states)
    level = 0
    total = 0
    counts = np.zeros(depth, np.int64)
    nexts = np.zeros(depth, np.int64)
    follow[0, 0] = states[0]
    counts[0] = count_turns(rules[0], table, follow[0])
    while level >= 0:
        if nexts[level] == counts[level]:
            level -= 1
            continue
        wanted = nexts[level]
        nexts[level] += 1
        count_turns(rules[0], table, follow[level])
        find_turn(rules[0], table, follow[level], wanted)
        states[0] = follow[level, 0]
        play_plan(rules[0], table, states[0])
        if states[0].over:
            total += 1
        elif level == depth - 2:
            total += count_turns(rules[0], table, states)
        else:
            level += 1
            follow[level, 0] = states[0]
            counts[level] = count_turns(rules[0], table, follow[level])
            nexts[level] = 0
    return total


@kernel
def play_plan(rules: np.record, table: np.record, state: np.record) -> None:
    """Play the planned turn to its end."""
    turn = state.turns
    for k in range(table.plan_size):
        take_step(rules, state, table.plan[k])
    if not state.over and state.turns == turn:
        take_step(rules, state, END_TURN)
