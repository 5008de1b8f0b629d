"""Drawing a whole walk with one fraction, where it would else be drawn step by step.

A move's steps are drawn with the parts of one 60-bit fraction (`random_numbers.spend`), each
uniform over the legal ones. So each full walk owns an interval of the fraction: in the tree's
preorder they lie end to end, and each is as long as one over the product of its steps' options.
Here the walks of a square and a roll are kept in that order, each with where its interval begins. A
guide tells for each stretch of fractions where to begin looking, so that a walk is found in one or
two looks. The walk that is found is the one that the steps would have made, bit for bit. An
interval's begin is kept as its upper 32 bits: a fraction that shares them with one, which happens
about once in forty million moves, finds nothing, and its steps are drawn one by one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_core.kernel import entry, inlined, kernel, whole
from dojo_core.labirinto.tables import NOWHERE, STEPS_A_WORD
from dojo_core.random_numbers import FRACTION_BITS

# Small, for what limits drawing is how much of the table lies in a core's own cache.
WALK = np.dtype(
    [
        ("first", "u4"),  # the upper bits of the least fraction that draws it
        # The ways of its steps, two bits each, the first step's lowest; then in the upper 8 bits
        # the Fatica squares stepped onto.
        ("ways", "u4"),
    ],
    align=True,
)
_LOWER_BITS = np.uint64(int(FRACTION_BITS) - 32)
_FATICA_SHIFT = 24
LOWEST_WAY = np.uint64(3)
BITS_OF_WAY = np.uint64(2)

# A walk takes 8 bytes, and up to 4 in the guide: 12 MB. The shipped board has 87,026 walks of two
# dice, an open one 2.9 million.
MOST_WALKS = 1 << 20

# The guide counts the walks of a square and a roll in 16 bits.
MOST_GUIDED = 1 << 16

# What `Drawn.entry` tells of a square and a roll, in one word: from the lowest bits on the steps of
# a full walk, the bits that a fraction loses to be a place in the guide, then where its guide and
# its walks begin.
STEP_BY_STEP = np.uint64(0)
_ONE = np.uint64(1)
_8 = np.uint64(8)
_16 = np.uint64(16)
_40 = np.uint64(40)
_BYTE = np.uint64(0xFF)
_PLACE = np.uint64(0xFFFFFF)


class Drawn(NamedTuple):
    """The walks of a board to be drawn, and their guides.

    Attributes:
        walks: `WALK` records, those of a square and a roll together and in preorder.
        guide: uint16: for each stretch of fractions, the walk that its last one draws, counted
            from the first of that square and roll.
        entry: uint64, (64, longest + 1), by square of the quadrant and roll: where to look; 0
            where walks are drawn step by step.
    """

    walks: np.ndarray[Any, Any]
    guide: np.ndarray[Any, Any]
    entry: np.ndarray[Any, Any]


@kernel
def _legal_children(nodes: np.ndarray, node: int, goal: int) -> int:
    """Return how many children of a node begin a walk of `goal` steps from the root."""
    end = nodes[node].skip
    count = 0
    child = node + 1
    while child < end:
        count += 1 if whole(nodes[child].depth) + nodes[child].longest >= goal else 0
        child = whole(nodes[child].skip)
    return count


@entry
def write_walks(
    neighbour: np.ndarray, nodes: np.ndarray, root: int, goal: int, walks: np.ndarray
) -> None:
    """Write the full walks of `goal` steps from `root` in preorder into `walks`."""
    # Of each node on the way down: its legal children, how many of them are done, the product of
    # the options so far, and which of so many walks, were all alike, would begin here.
    legal = np.zeros(goal + 1, np.int64)
    done = np.zeros(goal + 1, np.int64)
    product = np.ones(goal + 1, np.int64)
    number = np.zeros(goal + 1, np.int64)
    square = np.zeros(goal + 1, np.int64)
    way = np.zeros(goal + 1, np.int64)
    square[0] = nodes[root].square
    legal[0] = _legal_children(nodes, root, goal)
    end = nodes[root].skip
    free = 0
    at = root + 1
    while at < end:
        depth = whole(nodes[at].depth)
        if depth + nodes[at].longest < goal:
            at = whole(nodes[at].skip)
            continue
        product[depth] = product[depth - 1] * legal[depth - 1]
        number[depth] = number[depth - 1] * legal[depth - 1] + done[depth - 1]
        done[depth - 1] += 1
        square[depth] = nodes[at].square
        way[depth] = 0
        while neighbour[square[depth - 1], way[depth]] != square[depth]:
            way[depth] += 1
        if depth < goal:
            legal[depth] = _legal_children(nodes, at, goal)
            done[depth] = 0
            at += 1
            continue
        least = _least_fraction(number[goal], product[goal])
        ways = whole(nodes[at].fatica) << _FATICA_SHIFT
        for k in range(goal):
            ways |= way[k + 1] << 2 * k
        walks[free].first = np.uint64(least) >> _LOWER_BITS
        walks[free].ways = ways
        free += 1
        at = whole(nodes[at].skip)


@kernel
def _least_fraction(number: int, product: int) -> int:
    """Return ``number / product`` as a 60-bit fraction, rounded up."""
    one = 1 << whole(FRACTION_BITS)
    # In two parts, for the product of a fraction and a number would not fit.
    return number * (one // product) + (number * (one % product) + product - 1) // product


@entry
def write_guide(walks: np.ndarray, shift: int, guide: np.ndarray) -> None:
    """Write the guide to the last of these walks, those of a square and a roll."""
    at = len(walks) - 1
    for stretch in range(len(guide) - 1, -1, -1):
        last = np.uint64(((stretch + 1) << shift) - 1) >> _LOWER_BITS
        while walks[at].first > last:
            at -= 1
        guide[stretch] = at


@inlined
def find_walk(walks: np.ndarray, guide: np.ndarray, entry: np.uint64, part: np.uint64) -> int:
    """Return the walk that the fraction `part` draws; NOWHERE if its steps have to tell.

    `entry` tells where to look, see `Drawn`. Places are unsigned: they need no look whether they
    count from the end.
    """
    stretch = part >> (entry >> _8 & _BYTE)
    at = (entry >> _40) + np.uint64(guide[(entry >> _16 & _PLACE) + stretch])
    upper = part >> _LOWER_BITS
    while walks[at].first > upper:
        at -= _ONE
    return whole(at) if walks[at].first < upper else whole(NOWHERE)


@inlined
def steps_of(entry: np.uint64) -> int:
    """Return how many steps the walks have that `entry` tells of."""
    return whole(entry & _BYTE)


@inlined
def fatica_of(walk: np.record) -> int:
    """Return how many Fatica squares a walk steps onto."""
    return whole(walk.ways) >> _FATICA_SHIFT


def drawn_walks(
    neighbour: np.ndarray[Any, Any],
    nodes: np.ndarray[Any, Any],
    roots: np.ndarray[Any, Any],
    counts: np.ndarray[Any, Any],
) -> Drawn:
    """Return the walks to be drawn at once; none when there are more than `MOST_WALKS`.

    Args:
        neighbour: int64, (256, 4): see `tables.MAZE`.
        nodes: The tree.
        roots: int64, (64,): see `walks.Index`.
        counts: int64, (64, longest + 1): the full walks of a square and roll.
    """
    goals = full_lengths(nodes, roots, counts.shape[1] - 1)
    # One fraction serves no longer walks.
    counts = np.where((goals <= STEPS_A_WORD) & (counts <= MOST_GUIDED), counts, 0)
    if counts.sum() > MOST_WALKS:
        counts = np.zeros_like(counts)
    # Each guide has as many stretches as there are walks, up to the next power of two.
    bits = np.array([max(int(count) - 1, 0).bit_length() for count in counts.flat])
    bits = bits.reshape(counts.shape)
    sizes = np.where(counts > 0, 1 << bits, 0)
    walks = np.zeros(int(counts.sum()), WALK).view(np.recarray)
    guide = np.zeros(int(sizes.sum()), np.uint16)
    first = begins(counts)
    place = begins(sizes)
    shift = int(FRACTION_BITS) - bits
    for at in zip(*np.nonzero(counts), strict=True):
        of_roll = walks[first[at] : first[at] + counts[at]]
        write_walks(neighbour, nodes, roots[at[0]], goals[at], of_roll)
        write_guide(of_roll, int(shift[at]), guide[place[at] : place[at] + sizes[at]])
    entry = goals | shift << 8 | place << 16 | first << 40
    return Drawn(walks, guide, np.where(counts > 0, entry, 0).astype(np.uint64))


def full_lengths(
    nodes: np.ndarray[Any, Any], roots: np.ndarray[Any, Any], longest: int
) -> np.ndarray[Any, Any]:
    """Return how many steps a full walk has: int64, (64, longest + 1), by square and roll."""
    return np.minimum(nodes["longest"][roots].astype(np.int64)[:, None], np.arange(longest + 1))


def begins(sizes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return where parts of these sizes begin that lie end to end."""
    return (np.cumsum(sizes) - sizes.ravel()).reshape(sizes.shape)
