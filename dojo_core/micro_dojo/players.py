"""The players: each plans a whole turn on `table.plan`."""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import kernel
from dojo_core.micro_dojo.tables import FIRST_CHOICE_STREAM
from dojo_core.micro_dojo.turns import count_turns, find_turn
from dojo_core.random_numbers import below, next_word


@kernel
def plan_turn(rules: np.record, table: np.record, states: np.ndarray) -> None:
    """Let the player whose turn it is in ``states[0]`` plan it."""
    plan_random(rules, table, states)


@kernel
def plan_random(rules: np.record, table: np.record, states: np.ndarray) -> None:
    """Plan one of all the ways to play the turn, each as likely as any other."""
    ways = count_turns(rules, table, states)
    stream = FIRST_CHOICE_STREAM + states[0].seat
    find_turn(rules, table, states, below(next_word(table.streams, stream), ways))
