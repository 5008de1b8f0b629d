"""Who won each play of a sweep, by point: what players are compared by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_core.errors import DojoError

if TYPE_CHECKING:
    import duckdb

    from sweep.plan import Plan

# In place of a winner's seat:
DRAWN, UNFINISHED, MISSING = -1, -2, -3

Outcomes = np.ndarray[Any, np.dtype[np.int8]]  # by play: the winner's seat, or one of the above

_SIZES = "SELECT number, max(play) + 1 FROM plays JOIN points USING (point) GROUP BY 1"
_WINNERS = f"""
    SELECT number, play, (CASE WHEN finished = 1 THEN winner ELSE {UNFINISHED} END)::TINYINT AS won
    FROM plays JOIN points USING (point)
"""


def outcomes(con: duckdb.DuckDBPyConnection, plan: Plan) -> list[Outcomes]:
    """Return the outcomes of each point's plays, in the order of the points.

    Args:
        con: The sweep, see `sweep.connect`.
        plan: Its plan.

    Raises:
        DojoError: The sweep keeps summaries, which do not say who won which play.
    """
    if plan.record != "plays":
        raise DojoError(
            f'{plan.name} has record = "{plan.record}", which does not keep who won which play;'
            ' write record = "plays"'
        )
    found: list[Outcomes] = [np.zeros(0, np.int8) for _ in plan.points]
    for number, size in con.sql(_SIZES).fetchall():
        found[number - 1] = np.full(size, MISSING, np.int8)
    for batch in con.sql(_WINNERS).to_arrow_reader():
        numbers, plays, won = (column.to_numpy() for column in batch.columns)
        order = np.argsort(numbers, kind="stable")
        edges = np.flatnonzero(np.diff(numbers[order])) + 1
        for rows in np.split(order, edges):
            found[numbers[rows[0]] - 1][plays[rows]] = won[rows]
    return found
