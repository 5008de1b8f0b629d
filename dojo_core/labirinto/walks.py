"""Walks: where a pawn may step so that it can still move exactly what it rolled.

A step is legal when it begins a longest self-avoiding continuation, capped at the steps that
remain (Turn 2; readings 3 to 7). Pawns never block and the Dojo counts as a wall, so the walks
depend on the board alone. All of them, from each square of a quadrant and as long as the highest
roll, are kept as one tree; the other quadrants use the same tree, rotated.

The tree is an array of nodes in preorder. A node stands for the walk from its root to it: its
first child is the next node, its next sibling is `skip`, and `longest` tells how many steps the
walk can still go on, so that legality is one comparison. Where a board has too many walks for a
tree, the same questions are answered by search.

For players that weigh whole walks, the full walks of each square and roll are also kept by what
they come to: groups with last squares alike and as many Fatica squares, and `ends` where alike is
not enough; `crossings` tells which of them meet a pawn. For a player that draws its steps they are
kept by what draws them, see `drawn`.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, TypeVar

import numpy as np

from dojo_core.kernel import entry, inlined, kernel, whole
from dojo_core.labirinto.crossings import LEAF, crossings_of
from dojo_core.labirinto.drawn import WALK, drawn_walks
from dojo_core.labirinto.ends import END, ends_of
from dojo_core.labirinto.tables import ALLENAMENTO, FATICA, NOWHERE, OUT_OF_REACH, TUNNEL

Records = TypeVar("Records", bound=np.ndarray[Any, Any])

NODE = np.dtype(
    [
        ("skip", "i4"),  # the node after the last descendant
        ("square", "u1"),  # in the quadrant's own numbering: add turn_of_tree, modulo 256
        ("depth", "u1"),  # steps from the root
        ("longest", "u1"),  # steps the walk can go on, capped at the highest roll
        ("fatica", "u1"),  # Fatica squares stepped onto so far
    ],
    align=True,
)

GROUP = np.dtype(
    [
        ("square", "u1"),  # one of the last squares, in the quadrant's own numbering
        ("fatica", "u1"),  # Fatica squares stepped onto
        ("count", "i4"),  # how many walks
        ("first", "i4"),  # the place of the first of them in `leaves`
    ],
    align=True,
)


class Tree(NamedTuple):
    """All walks of a board.

    Attributes:
        nodes: `NODE` records in preorder; empty when the board has too many walks.
        groups: `GROUP` records; those of a square and a roll lie together, see `Index`.
        leaves: `LEAF` records, the walks of each group.
        walks: `WALK` records, the walks to be drawn at once; empty when there are too many.
        guide: uint16, where to look for a walk, see `drawn.Drawn`.
        crossings: uint64, the walks that step onto a square, see `crossings.Crossings.words`.
        ends: `END` records, see `ends.Ends`.
        ended: int32, the walks of each end, see `ends.Ends.walks`.
    """

    nodes: np.ndarray[Any, Any]
    groups: np.ndarray[Any, Any]
    leaves: np.ndarray[Any, Any]
    walks: np.ndarray[Any, Any]
    guide: np.ndarray[Any, Any]
    crossings: np.ndarray[Any, Any]
    ends: np.ndarray[Any, Any]
    ended: np.ndarray[Any, Any]


class Index(NamedTuple):
    """Where to find what in a `Tree`, by square of the quadrant and steps rolled.

    Attributes:
        root: int64, (64,): the node where the walks from a square begin; -1 without a tree.
        first_group: int32, (64, longest + 2): the first group; the next entry ends the last one.
        reach: uint64, (64, longest + 1, 4): a bit for each square (in the quadrant's own numbering)
            that some walk steps onto.
        drawn: uint64, (64, longest + 1): see `drawn.Drawn.entry`.
        first_crossing: int32, (64, longest + 1): see `crossings.Crossings.first`.
        crossing_words: uint8, (64, longest + 1): see `crossings.Crossings.words_a_row`.
        crossing_row: uint8, (64, 256): see `crossings.Crossings.row`.
        first_end: int32, (64, longest + 2): see `ends.Ends.first`.
    """

    root: np.ndarray[Any, Any]
    first_group: np.ndarray[Any, Any]
    reach: np.ndarray[Any, Any]
    drawn: np.ndarray[Any, Any]
    first_crossing: np.ndarray[Any, Any]
    crossing_words: np.ndarray[Any, Any]
    crossing_row: np.ndarray[Any, Any]
    first_end: np.ndarray[Any, Any]


# 16 million nodes are 128 MB. An open board without inner walls has 8 million with two dice.
MOST_NODES = 1 << 24


@entry
def count_nodes(neighbour: np.ndarray, start: int, depth: int, most: int) -> int:
    """Return how many nodes the walks of up to `depth` steps from `start` have, at most `most`."""
    visited = np.zeros(256, np.bool_)
    square = np.zeros(depth + 1, np.int64)
    way = np.zeros(depth + 1, np.int64)
    square[0] = start
    visited[start] = True
    level = 0
    nodes = 1
    while level >= 0 and nodes <= most:
        if level == depth or way[level] == 4:
            visited[square[level]] = False
            level -= 1
            continue
        to = neighbour[square[level], way[level]]
        way[level] += 1
        if to != NOWHERE and not visited[to]:
            nodes += 1
            level += 1
            square[level] = to
            way[level] = 0
            visited[to] = True
    return nodes


@entry
def grow(
    neighbour: np.ndarray, code: np.ndarray, start: int, depth: int, tree: np.ndarray, first: int
) -> int:
    """Write the walks of up to `depth` steps from `start` into `tree` from node `first` on.

    Returns the node after the last one written.
    """
    visited = np.zeros(256, np.bool_)
    node = np.zeros(depth + 1, np.int64)
    way = np.zeros(depth + 1, np.int64)
    tree[first].square = start
    tree[first].depth = 0
    tree[first].longest = 0
    tree[first].fatica = 0
    node[0] = first
    visited[start] = True
    level = 0
    free = first + 1
    while level >= 0:
        here = tree[node[level]]
        if level == depth or way[level] == 4:
            here.skip = free
            visited[here.square] = False
            level -= 1
            if level >= 0:
                above = tree[node[level]]
                above.longest = max(above.longest, here.longest + 1)
            continue
        to = neighbour[here.square, way[level]]
        way[level] += 1
        if to != NOWHERE and not visited[to]:
            fatica = here.fatica + (1 if code[to] == FATICA else 0)
            level += 1
            tree[free].square = to
            tree[free].depth = level
            tree[free].longest = 0
            tree[free].fatica = fatica
            node[level] = free
            way[level] = 0
            visited[to] = True
            free += 1
    return free


@entry
def group_ends(
    nodes: np.ndarray,
    root: int,
    steps: int,
    alike: np.ndarray,
    tally: np.ndarray,
    reach: np.ndarray,
    groups: np.ndarray,
    leaves: np.ndarray,
    first_group: int,
    first_leaf: int,
) -> tuple[int, int]:
    """Group the full walks of `steps` from `root` by last square and Fatica count.

    Args:
        nodes: The tree.
        root: The node of the square.
        steps: The roll.
        alike: int64, (256,): see `squares_alike`.
        tally: int32, (256, 64): room to count in, all 0; left so.
        reach: uint64, (4,): receives the squares stepped onto.
        groups: Receives the groups, from `first_group` on.
        leaves: Receives the walks, from `first_leaf` on, without their ways.
        first_group: See `groups`.
        first_leaf: See `leaves`.

    Returns:
        The places after the last group and the last leaf.
    """
    goal = min(whole(nodes[root].longest), steps)
    end = nodes[root].skip
    # Count, then lay the groups out, then fill them.
    for filling in range(2):
        at = root + 1
        while at < end:
            depth = whole(nodes[at].depth)
            if depth + nodes[at].longest < goal:
                at = nodes[at].skip
                continue
            square = whole(nodes[at].square)
            reach[square >> 6] |= np.uint64(1) << np.uint64(square & 63)
            if depth < goal:
                at += 1
                continue
            kind = alike[square]
            fatica = whole(nodes[at].fatica)
            if filling:
                leaves[tally[kind, fatica]].node = at
            tally[kind, fatica] += 1
            at = nodes[at].skip
        if not filling:
            first_group, first_leaf = _lay_groups(tally, groups, first_group, first_leaf)
    tally[:] = 0
    return first_group, first_leaf


@kernel
def _lay_groups(tally: np.ndarray, groups: np.ndarray, group: int, leaf: int) -> tuple[int, int]:
    """Turn counts into groups; leave in `tally` where the leaves of each begin."""
    for square in range(tally.shape[0]):
        for fatica in range(tally.shape[1]):
            count = tally[square, fatica]
            if count > 0:
                groups[group].square = square
                groups[group].fatica = fatica
                groups[group].count = count
                groups[group].first = leaf
                tally[square, fatica] = leaf
                group += 1
                leaf += count
    return group, leaf


def _with_room(records: Records, size: int) -> Records:
    """Return `records`, in an array at least twice as large when it has no room for `size`."""
    if len(records) >= size:
        return records
    grown = np.zeros(max(size, 2 * len(records)), records.dtype)
    grown[: len(records)] = records
    return grown.view(type(records))


def squares_alike(code: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return for each square the first one that is the same to end on, below Brown.

    That is one with the same code; but a Tunnel leads somewhere, and on Allenamento a pawn may
    become Brown, to whom squares differ by how near the Dojo is.

    Args:
        code: int64, (256,): see `tables.MAZE`.
    """
    firsts = np.unique(code, return_index=True, return_inverse=True)
    alike = firsts[1][firsts[2]]
    own = np.isin(code, [ALLENAMENTO, TUNNEL])
    return np.where(own, np.arange(len(code)), alike)


def _ends(
    neighbour: np.ndarray[Any, Any],
    code: np.ndarray[Any, Any],
    nodes: np.ndarray[Any, Any],
    roots: np.ndarray[Any, Any],
    longest: int,
) -> tuple[Tree, Index]:
    """Return a tree with its groups, and its index."""
    first_group = np.zeros((64, longest + 2), np.int32)
    reach = np.zeros((64, longest + 1, 4), np.uint64)
    counts = np.zeros((64, longest + 1), np.int64)
    groups = np.zeros(1 << 16, GROUP).view(np.recarray)
    leaves = np.zeros(1 << 18, LEAF).view(np.recarray)
    alike = squares_alike(code)
    tally = np.zeros((256, 64), np.int32)
    group = leaf = 0
    for square, root in enumerate(roots):
        first_group[square, :2] = group
        for steps in range(1, longest + 1):
            # No more walks than nodes, and no more groups than there are tallies.
            groups = _with_room(groups, group + tally.size)
            leaves = _with_room(leaves, leaf + int(nodes[root].skip - root))
            to = reach[square, steps]
            before = leaf
            group, leaf = group_ends(
                nodes, root, steps, alike, tally, to, groups, leaves, group, leaf
            )
            first_group[square, steps + 1] = group
            counts[square, steps] = leaf - before
    groups = groups[:group].copy().view(np.recarray)
    drawn = drawn_walks(neighbour, nodes, roots, counts)
    leaves = leaves[:leaf].copy().view(np.recarray)
    crossing = crossings_of(neighbour, nodes, roots, leaves, counts, reach)
    its_ends = ends_of(nodes, leaves, counts)
    tree = Tree(
        nodes,
        groups,
        leaves,
        drawn.walks,
        drawn.guide,
        crossing.words,
        its_ends.ends,
        its_ends.walks,
    )
    return tree, Index(
        roots,
        first_group,
        reach,
        drawn.entry,
        crossing.first,
        crossing.words_a_row,
        crossing.row,
        its_ends.first,
    )


@functools.lru_cache(maxsize=4)
def _tree_of(neighbour: bytes, code: bytes, longest: int) -> tuple[Tree, Index]:
    ways = np.frombuffer(neighbour, np.int64).reshape(256, 4)
    codes = np.frombuffer(code, np.int64)
    sizes = np.zeros(64, np.int64)
    for start in range(64):
        left = MOST_NODES - int(sizes.sum())
        sizes[start] = count_nodes(ways, start, longest, left)
        if sizes[start] > left:
            return _no_tree(longest)
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    nodes = np.zeros(int(sizes.sum()), NODE).view(np.recarray)
    for start in range(64):
        grow(ways, codes, start, longest, nodes, int(roots[start]))
    return _ends(ways, codes, nodes, roots, longest)


def _no_tree(longest: int) -> tuple[Tree, Index]:
    """Return the empty tree: every question is answered by search."""
    tree = Tree(
        np.zeros(0, NODE).view(np.recarray),
        np.zeros(0, GROUP).view(np.recarray),
        np.zeros(0, LEAF).view(np.recarray),
        np.zeros(0, WALK).view(np.recarray),
        np.zeros(0, np.uint16),
        np.zeros(0, np.uint64),
        np.zeros(0, END).view(np.recarray),
        np.zeros(0, np.int32),
    )
    index = Index(
        np.full(64, NOWHERE, np.int64),
        np.zeros((64, longest + 2), np.int32),
        np.zeros((64, longest + 1, 4), np.uint64),
        np.zeros((64, longest + 1), np.uint64),
        np.full((64, longest + 1), NOWHERE, np.int32),
        np.zeros((64, longest + 1), np.uint8),
        np.full((64, 256), OUT_OF_REACH, np.uint8),
        np.zeros((64, longest + 2), np.int32),
    )
    return tree, index


def walk_tree(
    neighbour: np.ndarray[Any, Any], code: np.ndarray[Any, Any], longest: int
) -> tuple[Tree, Index]:
    """Return the tree of all walks of up to `longest` steps, and its index.

    Boards are kept between calls. The tree is empty when it would have more than `MOST_NODES`
    nodes.

    Args:
        neighbour: int64, (256, 4): see `tables.MAZE`.
        code: int64, (256,).
        longest: The longest walk, that is the highest roll.
    """
    return _tree_of(neighbour.tobytes(), code.tobytes(), longest)


@kernel
def longest_walk(maze: np.record, table: np.record, start: int, most: int) -> int:
    """Return the longest self-avoiding walk from `start` over squares not yet seen, up to `most`.

    ``table.seen`` holds `start` already and is left as it was.
    """
    visited = table.seen
    square = table.search_square
    way = table.search_way
    square[0] = start
    way[0] = 0
    level = 0
    best = 0
    while level >= 0 and best < most:
        best = max(best, level)
        if level == most or way[level] == 4:
            if level > 0:
                visited[square[level]] = 0
            level -= 1
            continue
        to = maze.neighbour[square[level], way[level]]
        way[level] += 1
        if to != NOWHERE and not visited[to]:
            level += 1
            square[level] = to
            way[level] = 0
            visited[to] = 1
    while level > 0:
        visited[square[level]] = 0
        level -= 1
    return best


@kernel
def begin_walk(maze: np.record, table: np.record, start: int, steps: int) -> None:
    """Put the moving pawn on `start` with `steps` to walk and nothing visited but `start`.

    Its steps begin with a new word of random numbers.
    """
    table.origin = start
    table.remaining = steps
    table.path[0] = start
    table.path_length = 1
    table.turn_of_tree = start & 192
    table.node = maze.root[start & 63]
    table.steps_left_of_word = 0


@kernel
def put_ways_on_path(maze: np.record, table: np.record, ways: int, steps: int) -> None:
    """Put a walk from ``table.origin`` on the path, given the ways of its steps, two bits each."""
    square = table.origin
    for k in range(steps):
        square = maze.neighbour[square, ways & 3]
        ways >>= 2
        table.path[k + 1] = square
    table.path_length = steps + 1


@kernel
def put_plan_on_path(tree: Tree, table: np.record) -> None:
    """Put the walk of ``table.plan`` on the path."""
    for k in range(table.plan_length):
        square = whole(tree.nodes[table.plan[k]].square)
        table.path[k + 1] = (square + table.turn_of_tree) & 255
    table.path_length = table.plan_length + 1


@inlined
def legal_steps(maze: np.record, tree: Tree, table: np.record) -> int:
    """Fill ``table.options`` (and ``option_nodes``) with the legal steps; return how many."""
    if table.node == NOWHERE:
        return _searched_steps(maze, table)
    nodes = tree.nodes
    node = table.node
    end = nodes[node].skip
    least = min(whole(nodes[node].longest), table.remaining) - 1
    turn = table.turn_of_tree
    count = 0
    child = node + 1
    while child < end:
        if nodes[child].longest >= least:
            table.options[count] = (nodes[child].square + turn) & 255
            table.option_nodes[count] = child
            count += 1
        child = nodes[child].skip
    return count


@kernel
def _searched_steps(maze: np.record, table: np.record) -> int:
    """Answer `legal_steps` by search."""
    visited = table.seen
    for k in range(table.path_length):
        visited[table.path[k]] = 1
    here = table.path[table.path_length - 1]
    longest = 0
    count = 0
    for way in range(4):
        to = maze.neighbour[here, way]
        if to == NOWHERE or visited[to]:
            continue
        visited[to] = 1
        length = 1 + longest_walk(maze, table, to, table.remaining - 1)
        visited[to] = 0
        if length > longest:
            longest = length
            count = 0
        if length == longest:
            table.options[count] = to
            table.option_nodes[count] = NOWHERE
            count += 1
    for k in range(table.path_length):
        visited[table.path[k]] = 0
    return count


@kernel
def in_reach(maze: np.record, table: np.record, seats: int) -> bool:
    """Tell whether a pawn of these seats stands, outside Safe Rooms, on some walk of this roll."""
    start = table.origin & 63
    for seat in range(table.seats):
        if seats >> seat & 1 and maze.room[table.at[seat]] < 0:
            square = (table.at[seat] - table.turn_of_tree) & 255
            reached = maze.reach[start, table.remaining, square >> 6]
            if reached >> np.uint64(square & 63) & np.uint64(1):
                return True
    return False


@kernel
def single_steps(maze: np.record, table: np.record) -> int:
    """Fill ``table.options`` with the unvisited neighbours (extra steps); return how many."""
    here = table.path[table.path_length - 1]
    count = 0
    for way in range(4):
        to = maze.neighbour[here, way]
        if to == NOWHERE:
            continue
        fresh = True
        for k in range(table.path_length):
            fresh = fresh and table.path[k] != to
        if fresh:
            table.options[count] = to
            table.option_nodes[count] = NOWHERE
            count += 1
    return count


@kernel
def fewest_fatica(tree: Tree, node: int, steps: int, bound: int) -> int:
    """Return the fewest Fatica squares of a longest walk on from `node`, capped at `steps`.

    Squares up to `node` count too: the same for all that is compared. A walk that has `bound` of
    them is not looked at any further; without one that has fewer, `bound` is returned.
    """
    nodes = tree.nodes
    goal = nodes[node].depth + min(whole(nodes[node].longest), steps)
    end = nodes[node].skip
    fewest = bound
    at = node
    while at < end:
        depth = nodes[at].depth
        fatica = whole(nodes[at].fatica)
        if depth + nodes[at].longest < goal or fatica >= fewest:
            at = nodes[at].skip
        elif depth == goal:
            fewest = fatica
            at = nodes[at].skip
        else:
            at += 1
    return fewest
