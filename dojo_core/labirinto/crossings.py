"""Which walks step onto a square, for players that weigh whole walks.

Most pawns stand in the way of few walks. A walk that meets nobody is worth what its last square
and its Fatica squares make it, so such walks are weighed by groups (`walks.GROUP`); those that
meet somebody are looked at one by one. To tell them apart, each square in reach has a row of bits
for each square of the quadrant and roll: one bit a walk, in the order of the groups.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_core.kernel import entry, inlined, kernel, whole
from dojo_core.labirinto.drawn import begins, full_lengths
from dojo_core.labirinto.tables import CROSSING_WORDS, NOWHERE, OUT_OF_REACH

# The longest row has a bit for each of so many walks; the shipped board needs 678.
MOST_CROSSING = 64 * CROSSING_WORDS

# A walk's ways lie in 32 bits.
STEPS_OF_WAYS = 16

# All rows together: 8 MB.
MOST_WORDS = 1 << 20


LEAF = np.dtype(
    [
        ("node", "i4"),  # the node in which the walk ends
        ("ways", "u4"),  # the ways of its steps, two bits each, the first step's lowest
    ],
    align=True,
)


class Crossings(NamedTuple):
    """Which walks step onto which squares.

    Attributes:
        words: uint64, the rows of bits. Those of a square of the quadrant and a roll lie together.
        first: int32, (64, longest + 1), by square of the quadrant and roll: where their rows
            begin; -1 where walks are not told apart.
        row: uint8, (64, 256), by square of the quadrant: which row is another square's (in the
            quadrant's own numbering); OUT_OF_REACH when no walk steps onto it.
        words_a_row: uint8, (64, longest + 1): how many words a row of that square and roll has.
    """

    words: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]
    row: np.ndarray[Any, Any]
    words_a_row: np.ndarray[Any, Any]


@entry
def mark_walks(
    neighbour: np.ndarray,
    nodes: np.ndarray,
    root: int,
    goal: int,
    leaves: np.ndarray,
    row: np.ndarray,
    words: np.ndarray,
) -> None:
    """Write the rows of bits of the walks of `goal` steps in `leaves`, and their ways."""
    words_a_row = (len(leaves) + 63) // 64
    end = nodes[root].skip
    place = np.zeros(end - root, np.int64)
    for walk in range(len(leaves)):
        place[leaves[walk].node - root] = walk
    square = np.zeros(goal + 1, np.int64)
    ways_to = np.zeros(goal + 1, np.int64)
    square[0] = nodes[root].square
    at = root + 1
    while at < end:
        depth = whole(nodes[at].depth)
        if depth + nodes[at].longest < goal:
            at = whole(nodes[at].skip)
            continue
        square[depth] = nodes[at].square
        way = 0
        while neighbour[square[depth - 1], way] != square[depth]:
            way += 1
        ways_to[depth] = ways_to[depth - 1] | way << 2 * (depth - 1)
        if depth < goal:
            at += 1
            continue
        walk = place[at - root]
        leaves[walk].ways = ways_to[goal]
        for k in range(goal):
            word = whole(row[square[k + 1]]) * words_a_row + walk // 64
            words[word] |= np.uint64(1) << np.uint64(walk & 63)
        at = whole(nodes[at].skip)


@inlined
def bits_set(word: np.uint64) -> int:
    """Return how many bits of a word are set; in this form compilers know it for one instruction.

    Source: H. S. Warren, Hacker's Delight, 2nd edition, section 5-1.
    """
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return whole((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def mark_met(maze: np.record, words: np.ndarray, table: np.record, seats: int) -> int:
    """Mark in ``table.met`` the walks of this roll that meet a pawn of these seats.

    Pawns in Safe Rooms are met by nobody. Returns how many pawns are met by some walk; when it is
    0, ``table.met`` is not to be read.
    """
    start = table.origin & 63
    words_a_row = whole(maze.crossing_words[start, table.remaining])
    met = 0
    for seat in range(table.seats):
        if not seats >> seat & 1 or maze.room[table.at[seat]] >= 0:
            continue
        row = whole(maze.crossing_row[start, (table.at[seat] - table.turn_of_tree) & 255])
        if row == OUT_OF_REACH:
            continue
        first = whole(maze.first_crossing[start, table.remaining]) + row * words_a_row
        some = np.uint64(0)
        for k in range(words_a_row):
            word = words[first + k]
            some |= word
            table.met[k] = word if met == 0 else table.met[k] | word
        met += 1 if some != np.uint64(0) or met > 0 else 0
    return met


@inlined
def is_met(table: np.record, walk: int) -> bool:
    """Tell whether the walk in that place is marked in ``table.met``."""
    return bool(table.met[walk >> 6] >> np.uint64(walk & 63) & np.uint64(1))


@kernel
def met_among(table: np.record, first: int, count: int) -> int:
    """Return how many of `count` walks from the place `first` on are marked in ``table.met``."""
    end = first + count
    met = 0
    at = first
    while at < end:
        inside = at & 63
        some = min(64 - inside, end - at)
        word = table.met[at >> 6] >> np.uint64(inside)
        met += bits_set(word << np.uint64(64 - some))
        at += some
    return met


@kernel
def unmet_walk(table: np.record, first: int, number: int) -> int:
    """Return the place of the walk from `first` on that has `number` unmarked ones before it."""
    at = first
    while True:
        if not is_met(table, at):
            if number == 0:
                return at
            number -= 1
        at += 1


def crossings_of(
    neighbour: np.ndarray[Any, Any],
    nodes: np.ndarray[Any, Any],
    roots: np.ndarray[Any, Any],
    leaves: np.ndarray[Any, Any],
    counts: np.ndarray[Any, Any],
    reach: np.ndarray[Any, Any],
) -> Crossings:
    """Return which walks of a board step onto which squares; write their ways into `leaves`.

    Args:
        neighbour: int64, (256, 4): see `tables.MAZE`.
        nodes: The tree.
        roots: int64, (64,): see `walks.Index`.
        leaves: `LEAF` records: see `walks.Tree`.
        counts: int64, (64, longest + 1): the full walks of a square and roll.
        reach: uint64, (64, longest + 1, 4): see `walks.Index`.
    """
    reached = np.bitwise_or.reduce(reach, axis=1).astype("<u8").view(np.uint8)
    reached = np.unpackbits(reached, axis=1, bitorder="little")
    rows = reached.sum(axis=1, dtype=np.int64)
    row = np.where(reached, np.cumsum(reached, axis=1) - 1, OUT_OF_REACH).astype(np.uint8)
    goals = full_lengths(nodes, roots, counts.shape[1] - 1)
    told_apart = (counts > 0) & (counts <= MOST_CROSSING) & (goals <= STEPS_OF_WAYS)
    words_a_row = np.where(told_apart, (counts + 63) // 64, 0)
    sizes = words_a_row * rows[:, None]
    if sizes.sum() > MOST_WORDS:
        sizes[:] = 0
    first = np.where(sizes > 0, begins(sizes), NOWHERE).astype(np.int32)
    first_leaf = begins(counts)
    words = np.zeros(int(sizes.sum()), np.uint64)
    for at in zip(*np.nonzero(sizes), strict=True):
        its_leaves = leaves[first_leaf[at] : first_leaf[at] + counts[at]]
        its_words = words[first[at] : first[at] + sizes[at]]
        root, goal = roots[at[0]], goals[at]
        mark_walks(neighbour, nodes, root, goal, its_leaves, row[at[0]], its_words)
    return Crossings(words, first, row, words_a_row.astype(np.uint8))
