"""Walks: where a pawn may step so that it can still move exactly what it rolled.

A step is legal when it begins a longest self-avoiding continuation, capped at the steps that
remain (Turn 2; readings 3 to 7). Pawns never block and the Dojo counts as a wall, so the walks
depend on the board alone. All of them, from each square of a quadrant and as long as the highest
roll, are kept as one tree; the other quadrants use the same tree, rotated.

The tree is an array of nodes in preorder. A node stands for the walk from its root to it: its
first child is the next node, its next sibling is `skip`, and `longest` tells how many steps the
walk can still go on, so that legality is one comparison. Where a board has too many walks for a
tree, the same questions are answered by search.
"""

from __future__ import annotations

import functools

import numpy as np

from dojo_core.kernel import entry, inlined, kernel
from dojo_core.labirinto.tables import FATICA, NOWHERE

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


@functools.lru_cache(maxsize=4)
def _tree_of(neighbour: bytes, code: bytes, depth: int) -> tuple[np.ndarray, np.ndarray]:
    ways = np.frombuffer(neighbour, np.int64).reshape(256, 4)
    codes = np.frombuffer(code, np.int64)
    sizes = np.zeros(64, np.int64)
    for start in range(64):
        left = MOST_NODES - int(sizes.sum())
        sizes[start] = count_nodes(ways, start, depth, left)
        if sizes[start] > left:
            return np.zeros(0, NODE).view(np.recarray), np.full(64, NOWHERE, np.int64)
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    tree = np.zeros(int(sizes.sum()), NODE).view(np.recarray)
    for start in range(64):
        grow(ways, codes, start, depth, tree, int(roots[start]))
    return tree, roots


def walk_tree(neighbour: np.ndarray, code: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the tree of all walks of up to `depth` steps, and the root of each of the 64 squares.

    Boards are kept between calls. The tree is empty and the roots are -1 when it would have more
    than `MOST_NODES` nodes.

    Args:
        neighbour: int64, (256, 4): see `tables.MAZE`.
        code: int64, (256,).
        depth: The longest walk.
    """
    return _tree_of(neighbour.tobytes(), code.tobytes(), depth)


@kernel
def longest_walk(neighbour: np.ndarray, visited: np.ndarray, start: int, most: int) -> int:
    """Return the longest self-avoiding walk from `start` over squares not `visited`, up to `most`.

    `visited` (bool, (256,)) holds `start` already and is left as it was.
    """
    square = np.zeros(most + 1, np.int64)
    way = np.zeros(most + 1, np.int64)
    square[0] = start
    level = 0
    best = 0
    while level >= 0 and best < most:
        best = max(best, level)
        if way[level] == 4:
            if level > 0:
                visited[square[level]] = False
            level -= 1
            continue
        to = neighbour[square[level], way[level]]
        way[level] += 1
        if to != NOWHERE and not visited[to]:
            level += 1
            square[level] = to
            way[level] = 0
            visited[to] = True
    while level > 0:
        visited[square[level]] = False
        level -= 1
    return best


@kernel
def begin_walk(maze: np.record, table: np.record, start: int, steps: int) -> None:
    """Put the moving pawn on `start` with `steps` to walk and nothing visited but `start`."""
    table.origin = start
    table.remaining = steps
    table.path[0] = start
    table.path_length = 1
    table.turn_of_tree = start & 192
    table.node = maze.root[start & 63]


@inlined
def legal_steps(maze: np.record, tree: np.ndarray, table: np.record) -> int:
    """Fill ``table.options`` (and ``option_nodes``) with the legal steps; return how many."""
    if table.node == NOWHERE:
        return _searched_steps(maze, table)
    node = table.node
    end = tree[node].skip
    least = min(tree[node].longest, table.remaining) - 1
    turn = table.turn_of_tree
    count = 0
    child = node + 1
    while child < end:
        if tree[child].longest >= least:
            table.options[count] = (tree[child].square + turn) & 255
            table.option_nodes[count] = child
            count += 1
        child = tree[child].skip
    return count


@kernel
def _searched_steps(maze: np.record, table: np.record) -> int:
    """Answer `legal_steps` by search."""
    visited = np.zeros(256, np.bool_)
    for k in range(table.path_length):
        visited[table.path[k]] = True
    here = table.path[table.path_length - 1]
    longest = 0
    count = 0
    for way in range(4):
        to = maze.neighbour[here, way]
        if to == NOWHERE or visited[to]:
            continue
        visited[to] = True
        length = 1 + longest_walk(maze.neighbour, visited, to, table.remaining - 1)
        visited[to] = False
        if length > longest:
            longest = length
            count = 0
        if length == longest:
            table.options[count] = to
            table.option_nodes[count] = NOWHERE
            count += 1
    return count


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
def fewest_fatica(tree: np.ndarray, node: int, steps: int) -> int:
    """Return the fewest Fatica squares of a longest walk on from `node`, capped at `steps`.

    Squares up to `node` count too: the same for all that is compared.
    """
    goal = tree[node].depth + min(tree[node].longest, steps)
    end = tree[node].skip
    fewest = 255
    at = node
    while at < end:
        depth = tree[at].depth
        if depth + tree[at].longest < goal:
            at = tree[at].skip
        elif depth == goal:
            fewest = min(fewest, tree[at].fatica)
            at = tree[at].skip
        else:
            at += 1
    return fewest
