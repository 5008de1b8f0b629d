"""What a play writes down while it is being told, for `trace` to read.

The log is a stream of whole numbers: a code, nine arguments, and for the codes in `WITH_LIST` a
list of as many numbers as the last argument says. Nothing is written unless ``table.telling``.
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel, whole
from dojo_core.labirinto.tables import NIL, codes

(
    TURN,
    SKIP,
    ROLL,
    LEGAL,
    STEP,
    FATICA_PAID,
    STOP,
    CHOICE,
    KUMITE,
    TECNICA_SHOWN,
    KUMITE_RESULT,
    TRACK,
    START,
    UKE_SAVED,
    SQUARE,
    DRAW,
    KEPT,
    RESHUFFLE,
    TELEPORT,
    TARGETED,
    SWAP,
    PASSO_FALSO_BACK,
    MEDITATE,
    EXAM,
    EXAM_RESULT,
    QUESTION,
) = codes(26)

ARGUMENTS = 9
WITH_LIST = (ROLL, LEGAL, CHOICE, RESHUFFLE, QUESTION)
# A turn is told whole: the play pauses for the log to be read when it holds more than this.
FULL = 1 << 15


@kernel
def _write(
    table: np.record,
    code: int,
    a: int,
    b: int,
    c: int,
    d: int,
    e: int,
    f: int,
    g: int,
    h: int,
    i: int,
) -> None:
    size = table.log_size
    table.log[size] = code
    table.log[size + 1] = a
    table.log[size + 2] = b
    table.log[size + 3] = c
    table.log[size + 4] = d
    table.log[size + 5] = e
    table.log[size + 6] = f
    table.log[size + 7] = g
    table.log[size + 8] = h
    table.log[size + 9] = i
    table.log_size = size + 1 + ARGUMENTS


@inlined
def note(table: np.record, code: int, a: int, b: int = 0, c: int = 0, d: int = 0) -> None:
    """Write an event with up to four arguments down, when somebody listens."""
    if table.telling:
        _write(
            table, code, whole(a), whole(b), whole(c), whole(d),
            NIL, NIL, NIL, NIL, NIL,
        )  # fmt: skip


@kernel
def note_list(
    table: np.record, code: int, a: int, b: int, c: int, items: np.ndarray, n: int
) -> None:
    """Write an event with the first `n` of `items` down, when somebody listens."""
    if table.telling:
        _write(table, code, a, b, c, NIL, NIL, NIL, NIL, NIL, n)
        for k in range(n):
            table.log[table.log_size + k] = items[k]
        table.log_size += n


@kernel
def note_kumite(table: np.record, square: int, kind: int, number: int) -> None:
    """Write the fight on the table down, when somebody listens."""
    if table.telling:
        _write(
            table, KUMITE, table.fighter[0], table.fighter[1], square, kind, number,
            table.die[0], table.die[1], table.bonus[0], table.bonus[1],
        )  # fmt: skip


@kernel
def note_result(table: np.record, code: int, a: int, b: int, c: int, d: int, e: int) -> None:
    """Write the fight's (or Exam's) result down: its fighters and five numbers."""
    if table.telling:
        _write(table, code, table.fighter[0], table.fighter[1], a, b, c, d, e, NIL, NIL)
