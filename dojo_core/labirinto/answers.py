"""People at the table: their answers are data, and where one is missing there is a question.

Compiled code cannot wait for a person. So a play with people is a function of its seed and of the
answers they have given so far: it is told from the start until a decision of a person finds no
answer. That decision is told as a question, nothing is told after it, and the turn ends anyhow.
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import kernel
from dojo_core.labirinto import log
from dojo_core.labirinto.log import note_list
from dojo_core.labirinto.tables import NEXT_STEP, NIL, NOWHERE


@kernel
def persons_answer(table: np.record, kind: int, seat: int, count: int) -> int:
    """Return which of the first `count` of ``table.options`` a person takes.

    A single option is no question.
    """
    if count == 1:
        return 0
    return _next_answer(table, kind, seat, count)


@kernel
def persons_step(table: np.record, count: int, may_stop: bool) -> int:
    """Return which step a person takes; NOWHERE to stop, the last option where it is one."""
    table.options[count] = NOWHERE
    offered = count + 1 if may_stop else count
    chosen = _next_answer(table, NEXT_STEP, table.seat, offered)
    return chosen if chosen < count else NOWHERE


@kernel
def _next_answer(table: np.record, kind: int, seat: int, count: int) -> int:
    """Use the next answer if it is one to this question; else ask, and say anything."""
    if table.asking:
        return 0
    following = table.answered
    if following < table.said_count and table.said[following, 0] == kind:
        for option in range(count):
            if table.options[option] == table.said[following, 1]:
                table.answered = following + 1
                return option
    note_list(table, log.QUESTION, seat, kind, NIL, table.options, count)
    table.asking = 1
    table.telling = 0
    table.log_full = 0
    return 0
