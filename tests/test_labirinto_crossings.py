"""Walks that meet a pawn are told from those that do not, and `greedy` weighs both alike."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare
from test_labirinto_greedy import MANY, UNLIKELY, Situation, at, far_away
from test_labirinto_walk_tree import LONGEST, SMALL, Walker

from dojo_core import games
from dojo_core.kernel import entry, kernel, plain_python, wrapping_arithmetic
from dojo_core.labirinto import crossings, greedy
from dojo_core.labirinto import walks as walk_module
from dojo_core.labirinto.play import set_up
from dojo_core.labirinto.rules import lift
from dojo_core.labirinto.table import displace, fightable, is_brown
from dojo_core.labirinto.tables import NOWHERE, OUT_OF_REACH
from dojo_core.random_numbers import below, mix

GAME = games.load("labirinto")
SITUATIONS = 6 if plain_python() else 4000
BROWN = 15


@pytest.fixture(scope="module", params=SMALL)
def walker(request):
    return Walker(request.param)


def squares_of(maze, start, ways, steps):
    """Return the squares that a walk steps onto, in the quadrant's own numbering."""
    square, squares = start, []
    for k in range(steps):
        square = int(maze.neighbour[square, ways >> 2 * k & 3])
        squares.append(square)
    return squares


def told_apart(walker, every):
    """Yield some of the squares of the quadrant and rolls whose walks are told apart."""
    maze = walker.maze[0]
    for start, roll in np.argwhere(maze.first_crossing != NOWHERE)[::every]:
        groups = walker.tree.groups[
            maze.first_group[start, roll] : maze.first_group[start, roll + 1]
        ]
        first = groups[0].first
        leaves = walker.tree.leaves[first : first + groups["count"].sum()]
        yield int(start), int(roll), leaves


def test_the_ways_of_a_walk_lead_to_its_end(walker):
    maze, nodes = walker.maze[0], walker.tree.nodes
    for start, _, leaves in told_apart(walker, 7):
        for leaf in leaves[::5]:
            end = nodes[leaf.node]
            assert squares_of(maze, start, int(leaf.ways), end.depth)[-1] == end.square


def test_a_bit_is_set_for_the_squares_that_a_walk_steps_onto_and_no_other(walker):
    maze, tree = walker.maze[0], walker.tree
    for start, roll, leaves in told_apart(walker, 13):
        words = int(maze.crossing_words[start, roll])
        rows = np.flatnonzero(maze.crossing_row[start] != OUT_OF_REACH)
        first = maze.first_crossing[start, roll]
        its = tree.crossings[first : first + words * len(rows)].reshape(len(rows), words)
        bits = np.unpackbits(its.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        for walk in range(0, len(leaves), 3):
            leaf = leaves[walk]
            on = squares_of(maze, start, int(leaf.ways), tree.nodes[leaf.node].depth)
            assert rows[np.flatnonzero(bits[maze.crossing_row[start, rows], walk])].tolist() == (
                sorted(on)
            )
        assert not bits[:, len(leaves) :].any()


def test_walks_are_told_apart_unless_they_are_too_many(walker):
    maze = walker.maze[0]
    for start in range(64):
        for roll in range(1, LONGEST + 1):
            groups = slice(maze.first_group[start, roll], maze.first_group[start, roll + 1])
            count = walker.tree.groups["count"][groups].sum()
            apart = maze.first_crossing[start, roll] != NOWHERE
            assert apart == (0 < count <= crossings.MOST_CROSSING)


@kernel
def lay_by_lot(rules, maze, table, seed, situation, top):
    """Lay a situation by lot, a roll made and the mover's pawn lifted."""
    set_up(rules, maze, table, seed, situation)
    word = np.uint64(1_000_003 * seed + situation)
    for seat in range(table.seats):
        table.track[seat] = below(mix(word + np.uint64(100 + seat)), top)
        square = below(mix(word + np.uint64(200 + seat)), 256)
        ways = maze.neighbour[square]
        if maze.root[square & 63] >= 0 and max(ways[0], ways[1], ways[2], ways[3]) >= 0:
            displace(table, seat, square)
    roll = 2 + below(mix(word + np.uint64(300)), 11)
    table.turns = 100
    walk_module.begin_walk(maze, table, table.at[table.seat], roll)
    lift(table, table.seat)


@entry
def worths_of_both_ways(rules, mazes, tree, tables, seed, situation, top):
    """Lay a situation by lot; return the best worth by ends, by every walk, and the chosen walk's.

    The last number tells how many pawns were met; -1 when the situation is for the other way.
    """
    table, maze = tables[0], mazes[0]
    lay_by_lot(rules[0], maze, table, seed, situation, top)
    start, roll = table.origin, table.remaining
    table.sfida_worth = greedy.WORST
    able = fightable(table, table.seat)
    if maze.first_crossing[start & 63, roll] == NOWHERE:
        return 0, 0, 0, -1
    met = crossings.mark_met(maze, tree.crossings, table, able)
    if is_brown(rules[0], table.track[table.seat] + met * greedy.most_gained(rules[0])):
        return 0, 0, 0, -1
    leaf = greedy.weigh_every_end(rules[0], maze, tree, table, met, able)
    by_ends = table.best
    ways = np.int64(tree.leaves[leaf].ways)
    steps = min(np.int64(tree.nodes[table.node].longest), roll)
    greedy.begin_weighing(table, 0)
    own = greedy.walk_worth(rules[0], maze, table, ways, steps, able)
    greedy.weigh_every_walk(rules[0], maze, tree, table, able)
    return by_ends, table.best, own, met


@pytest.mark.parametrize("players", [3, 8])
@pytest.mark.parametrize("stop_only", [0, 1])
def test_weighing_by_ends_finds_what_weighing_every_walk_finds(players, stop_only):
    options = {
        "players": players,
        "player": "greedy",
        "fatica_stop_only": bool(stop_only),
        "first_round_kumite": True,
    }
    tables = GAME.prepare(GAME.resolve(options)).tables
    laid = tables.table.copy()
    crowds = Counter()
    with wrapping_arithmetic():
        for situation in range(SITUATIONS):
            by_ends, by_walks, own, met = worths_of_both_ways(
                tables.rules, tables.maze, tables.tree, laid, 7, situation, BROWN
            )
            assert by_ends == by_walks == own, situation
            crowds[met] += 1
    assert min(crowds[met] for met in (0, 1)) > SITUATIONS // 50


def test_equally_good_walks_are_equally_likely_whether_they_meet_somebody_or_not():
    # Nothing is to be won: every walk of two steps ends on Tatami, and the fight is for nothing.
    plain = {(row, column): "." for row in range(1, 6) for column in range(1, 6)}
    situation = Situation(
        walls=plain,
        options={"equal_gain": 0, "equal_loss": 0},
        players={"0": at(3, 3), "1": at(3, 5), "2": far_away()},
    )
    counts = Counter(tuple(situation.walk(2, play)) for play in range(MANY))
    meeting = [walk for walk in counts if (3, 5) in walk]
    assert 0 < len(meeting) < len(counts)
    assert chisquare(list(counts.values())).pvalue > UNLIKELY
