"""Walks kept by their ends: all are there, and the one chosen is the one looking at each leaves."""

from collections import Counter

import numpy as np
import pytest
from test_labirinto_crossings import GAME, SITUATIONS, lay_by_lot, told_apart
from test_labirinto_walk_tree import SMALL, Walker

from dojo_core.kernel import entry, plain_python, wrapping_arithmetic
from dojo_core.labirinto import weighing
from dojo_core.labirinto.greedy import WORST
from dojo_core.labirinto.table import fightable

# Few squares differ to who counts stripes alone.
INDIFFERENT = {"delay": 0, "brown": 0}


@pytest.mark.parametrize("board", SMALL)
def test_every_walk_stands_at_its_end_in_the_order_of_the_tree(board):
    walker = Walker(board)
    maze, tree = walker.maze[0], walker.tree
    for start, roll, leaves in told_apart(walker, 7):
        first, end = maze.first_end[start, roll : roll + 2]
        found = []
        for k in range(first, end):
            walks = tree.leaves["node"][tree.ended[tree.ends[k].first : tree.ends[k + 1].first]]
            assert (tree.nodes["square"][walks] == tree.ends[k].square).all()
            assert (tree.nodes["fatica"][walks] == tree.ends[k].fatica).all()
            assert (np.diff(walks) > 0).all()
            found.extend(walks.tolist())
        assert sorted(found) == sorted(leaves["node"].tolist())
        assert len(set(zip(*ends_between(tree, first, end), strict=True))) == end - first


def ends_between(tree, first, end):
    """Return the squares and the Fatica squares of some ends."""
    ends = tree.ends[first:end]
    return ends["square"].tolist(), ends["fatica"].tolist()


@entry
def last_nodes_of_both_ways(rules, mazes, tree, tables, seed, situation, top):
    """Lay a situation by lot; return where the best walk ends, by ends and by every walk.

    The other numbers tell how many walks are equally good, both ways, and how many pawns are met;
    this is -1 when each walk has to be looked at.
    """
    table, maze = tables[0], mazes[0]
    lay_by_lot(rules[0], maze, table, seed, situation, top)
    able = fightable(table, table.seat)
    met = weighing.pawns_met(rules[0], maze, tree, table, able)
    if met < 0:
        return 0, 0, 0, 0, met
    word = weighing.begin_plan(rules[0], table)
    weighing.weigh_ends(rules[0], maze, tree, table, able, met, word)
    by_ends = table.plan[table.plan_length - 1]
    ties = table.ties
    table.best = WORST
    table.ties = 0
    weighing.weigh_each_walk(rules[0], maze, tree, table, able, word)
    return by_ends, table.plan[table.plan_length - 1], ties, table.ties, met


@pytest.mark.parametrize("player", ["expert", INDIFFERENT])
@pytest.mark.parametrize("stop_only", [False, True])
def test_weighing_ends_chooses_the_walk_that_weighing_each_does(player, stop_only):
    options = {"players": 5, "player": player, "fatica_stop_only": stop_only}
    tables = GAME.prepare(GAME.resolve(options)).tables
    laid = tables.table.copy()
    equals, crowds = Counter(), Counter()
    with wrapping_arithmetic():
        for situation in range(SITUATIONS):
            by_ends, by_walks, ties, as_many, met = last_nodes_of_both_ways(
                tables.rules, tables.maze, tables.tree, laid, 7, situation, 18
            )
            assert (by_ends, ties) == (by_walks, as_many), situation
            equals[min(ties, 3)] += 1
            crowds[min(met, 2)] += 1
    assert plain_python() or len(equals) == len(crowds) == 4
