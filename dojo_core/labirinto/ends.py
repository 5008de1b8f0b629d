"""Where walks end, for players to whom no two squares are alike.

A walk that meets nobody is worth what its last square and its Fatica squares make it. So the walks
of each square and roll are kept by both, and each end is weighed once for all its walks but those
that meet somebody (`weighing.weigh_ends`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_core.kernel import inlined, kernel, whole
from dojo_core.labirinto.tables import NIL

END = np.dtype(
    [
        ("first", "i4"),  # its first walk in `Ends.walks`; the next end's first one ends them
        ("square", "u1"),  # in the quadrant's own numbering
        ("fatica", "u1"),  # Fatica squares stepped onto
    ],
    align=True,
)

# A square's Fatica squares, of which no walk has more than 63, make one number with it.
FATICA_BITS = 6


class Ends(NamedTuple):
    """The full walks by where they end.

    Attributes:
        ends: `END` records; those of a square and a roll lie together, a last one closes the list.
        walks: int32, the places in ``tree.leaves`` of the walks of each end, in the order of the
            tree.
        first: int32, (64, longest + 2), by square of the quadrant and roll: the first end; the
            next entry ends the last one.
    """

    ends: np.ndarray[Any, Any]
    walks: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]


def ends_of(
    nodes: np.ndarray[Any, Any], leaves: np.ndarray[Any, Any], counts: np.ndarray[Any, Any]
) -> Ends:
    """Return the ends of a board's walks.

    Args:
        nodes: The tree.
        leaves: `crossings.LEAF` records of all full walks.
        counts: int64, (64, longest + 1): how many of them a square and a roll have.
    """
    walks = np.zeros(len(leaves), np.int32)
    first = np.zeros((counts.shape[0], counts.shape[1] + 1), np.int32)
    parts = []
    ends = begin = 0
    for (square, roll), count in np.ndenumerate(counts):
        node = leaves["node"][begin : begin + count]
        its = np.argsort(node)
        node = node[its]
        kind = nodes["square"][node].astype(np.uint16) << FATICA_BITS | nodes["fatica"][node]
        order = np.argsort(kind, kind="stable")
        walks[begin : begin + count] = begin + its[order]
        kinds, firsts = np.unique(kind[order], return_index=True)
        part = np.zeros(len(kinds), END)
        part["first"] = begin + firsts
        part["square"] = kinds >> FATICA_BITS
        part["fatica"] = kinds & (1 << FATICA_BITS) - 1
        parts.append(part)
        begin += count
        ends += len(part)
        first[square, roll + 1 :] = ends
    first[1:, 0] = first[:-1, -1]
    parts.append(np.array([(begin, 0, 0)], END))
    return Ends(np.concatenate(parts).view(np.recarray), walks, first)


@inlined
def keep_walks(table: np.record, worth: int, first: int, end: int) -> None:
    """Keep the walks from `first` to `end` of ``tree.ended`` if none is worth more than they."""
    if worth < table.best:
        return
    if worth > table.best:
        table.best = worth
        table.ties = 0
        table.kept = 0
    table.kept_next[table.kept] = first
    table.kept_end[table.kept] = end
    table.kept += 1
    table.ties += end - first


@kernel
def kept_walk(leaves: np.ndarray, walks: np.ndarray, table: np.record, number: int) -> int:
    """Return the kept walk, as a node, that has `number` others before it in the tree."""
    while True:
        ahead = NIL
        node = whole(1 << 60)
        for k in range(table.kept):
            if table.kept_next[k] < table.kept_end[k]:
                its = whole(leaves[walks[table.kept_next[k]]].node)
                if its < node:
                    node = its
                    ahead = k
        if number == 0:
            return node
        table.kept_next[ahead] += 1
        number -= 1
