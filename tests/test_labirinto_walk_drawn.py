"""A walk drawn at once from the table is the one that drawing its steps one by one makes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from test_labirinto_walk_tree import LONGEST, SMALL, Walker

from dojo_core import games, kernel
from dojo_core.kernel import entry, plain_python, wrapping_arithmetic
from dojo_core.labirinto import drawn, players, walks
from dojo_core.labirinto.setup import pack_maze
from dojo_core.labirinto.tables import FATICA, NOWHERE, STEPS_A_WORD
from dojo_core.random_numbers import fraction, mix

GAME = games.load("labirinto")
DRAWS = 2 if plain_python() else 2000
PLAYS = 1 if plain_python() else 300


@entry
def found(mazes, tree, start, roll, part):
    """Return the walk that the table finds, counted over the whole table; -1 for none."""
    entry = mazes[0].drawn[start & 63, roll]
    return drawn.find_walk(tree.walks, tree.guide, entry, part)


@kernel.kernel
def same_by_steps(maze, tree, table, start, roll, part):
    """Tell whether the steps drawn one by one are the walk of the table, if it finds one."""
    entry = maze.drawn[start & 63, roll]
    at = drawn.find_walk(tree.walks, tree.guide, entry, part)
    if at == NOWHERE:
        return False
    walk = tree.walks[at]
    walks.begin_walk(maze, table, start, roll)
    table.fraction = part
    table.steps_left_of_word = STEPS_A_WORD
    fatica = 0
    while table.remaining > 0:
        count = walks.legal_steps(maze, tree, table)
        if count == 0:
            break
        option = players.uniform_step(table, count, False)
        square = table.options[option]
        table.path[table.path_length] = square
        table.path_length += 1
        table.node = table.option_nodes[option]
        table.remaining -= 1
        fatica += 1 if maze.code[square] == FATICA else 0
    length = table.path_length - 1
    same = fatica == drawn.fatica_of(walk) and length == drawn.steps_of(entry)
    ways = kernel.whole(walk.ways)
    square = start
    for k in range(length):
        square = kernel.whole(maze.onward[square, ways & 3])
        ways >>= 2
        same = same and square == table.path[k + 1]
    return same


@entry
def first_wrong_draw(mazes, tree, tables, start, roll, draws):
    """Return the first of so many fractions drawn by lot whose walk is another, else -1."""
    for k in range(draws):
        part = fraction(mix(np.uint64(1_000_003 * (256 * roll + start) + k)))
        if not same_by_steps(mazes[0], tree, tables[0], start, roll, part):
            return k
    return -1


@pytest.fixture(scope="module", params=SMALL)
def walker(request):
    return Walker(request.param)


def tabled(walker):
    """Return the squares of the quadrant and rolls whose walks are drawn, and where they begin."""
    maze, nodes = walker.maze[0], walker.tree.nodes
    found = []
    begin = 0
    for square, roll in np.argwhere(maze.drawn > 0):
        found.append((int(square), int(roll), begin))
        below = nodes[maze.root[square] : nodes["skip"][maze.root[square]]]
        begin += int((below["depth"] == int(maze.drawn[square, roll]) & 0xFF).sum())
    assert begin == len(walker.tree.walks)
    return found


def least_fractions(walker, square, roll):
    """Return the least 60-bit fraction that draws each walk, worked out with exact fractions."""
    nodes, root = walker.tree.nodes, walker.maze[0].root[square]
    goal = min(roll, int(nodes["longest"][root]))
    firsts = []

    def go_on(node, first, size):
        if nodes["depth"][node] == goal:
            firsts.append(math.ceil(first * 2**60))
            return
        children = []
        child = node + 1
        while child < nodes["skip"][node]:
            if int(nodes["depth"][child]) + int(nodes["longest"][child]) >= goal:
                children.append(child)
            child = int(nodes["skip"][child])
        for k, child in enumerate(children):
            go_on(child, first + size * Fraction(k, len(children)), size / len(children))

    go_on(int(root), Fraction(0), Fraction(1))
    return firsts


def test_every_square_and_roll_with_a_walk_has_a_table(walker):
    if len(walker.tree.leaves) > drawn.MOST_WALKS:
        pytest.skip("a board with too many walks")
    maze = walker.maze[0]
    for square in range(64):
        for roll in range(1, LONGEST + 1):
            walks_of_it = maze.first_group[square, roll] < maze.first_group[square, roll + 1]
            root = maze.root[square]
            goes = walker.tree.nodes["longest"][root] > 0
            assert (maze.drawn[square, roll] > 0) == (walks_of_it and goes)
    assert len(walker.tree.walks) == len(walker.tree.leaves)


def test_walks_begin_where_the_exact_fractions_say(walker):
    for square, roll, begin in tabled(walker)[::17]:
        firsts = least_fractions(walker, square, roll)
        stored = walker.tree.walks["first"][begin : begin + len(firsts)]
        assert stored.tolist() == [first >> 28 for first in firsts]


def test_a_fraction_that_cannot_be_told_from_a_bound_finds_no_walk(walker):
    for square, roll, _ in tabled(walker)[::37]:
        for first in least_fractions(walker, square, roll)[:50]:
            for part in (first, first >> 28 << 28, first | (1 << 28) - 1):
                assert found(walker.maze, walker.tree, square, roll, np.uint64(part)) == NOWHERE


def test_fractions_next_to_a_bound_find_the_walks_on_either_side(walker):
    for square, roll, begin in tabled(walker)[::37]:
        firsts = least_fractions(walker, square, roll)
        for k in range(1, min(len(firsts), 50)):
            below = np.uint64((firsts[k] >> 28 << 28) - 1)
            above = np.uint64((firsts[k] >> 28) + 1 << 28)
            assert found(walker.maze, walker.tree, square, roll, below) == begin + k - 1
            assert found(walker.maze, walker.tree, square, roll, above) == begin + k


def test_fractions_by_lot_draw_the_walk_that_their_steps_make(walker):
    draws = 0
    with wrapping_arithmetic():
        for square, roll, _ in tabled(walker):
            start = square + 64 * (square % 4)
            wrong = first_wrong_draw(walker.maze, walker.tree, walker.tables, start, roll, DRAWS)
            assert wrong == -1, (square, roll, wrong)
            draws += DRAWS
    if not plain_python() and len(walker.tree.walks) == len(walker.tree.leaves) > 10_000:
        assert draws > 1_000_000


@pytest.fixture
def by_steps(monkeypatch):
    """Let no board have a table, so that every walk is drawn step by step."""

    def forget():
        walks._tree_of.cache_clear()
        pack_maze.cache_clear()

    forget()
    monkeypatch.setattr(drawn, "MOST_WALKS", 0)
    yield
    forget()


def rows_of(setup):
    out = GAME.out(setup, PLAYS)
    GAME.play(setup, 17, 5, PLAYS, out)
    return out


@pytest.mark.parametrize(
    "given",
    [
        {"players": 4},
        {"players": 8, "start_track_many": 12, "max_rounds": 200},
        {"players": 6, "start_track_many": 12, "uke_cards": 12, "tunnel_uke": "extra_step"},
        {"players": 3, "fatica_stop_only": True, "start_track": 10, "board": "more_fatica"},
        {"players": 5, "fatica_cost": 0, "meditazione_cards": 20, "board": "linked"},
        {"players": 4, "player": ["random", "greedy", "wanderer", "random"], "start_track": 12},
        {"players": 4, "dice": 2, "die_faces": 7, "board": "tight", "max_rounds": 100},
    ],
)
def test_plays_with_and_without_a_table_are_the_same(given, request):
    options = {"player": "random", "max_rounds": 900} | given
    if plain_python():
        options |= {"dice": 1, "die_faces": 4, "max_rounds": 8}
    elif options["player"] != "random":
        options |= {"max_rounds": 60}
    at_once = GAME.prepare(GAME.resolve(options))
    request.getfixturevalue("by_steps")
    stepwise = GAME.prepare(GAME.resolve(options))
    assert len(at_once.tables.tree.walks) > 0
    assert len(stepwise.tables.tree.walks) == 0
    one, other = rows_of(at_once), rows_of(stepwise)
    assert (one.plays == other.plays).all()
    assert (one.seats == other.seats).all()
    assert (one.squares == other.squares).all()


@pytest.mark.skipif(plain_python(), reason="three million nodes")
def test_board_with_too_many_walks_has_a_tree_and_no_table():
    setup = GAME.prepare(GAME.resolve({"board": "open", "player": "random"}))
    assert len(setup.tables.tree.nodes) > 0
    assert len(setup.tables.tree.walks) == 0
    assert (setup.tables.maze[0].drawn == 0).all()


def test_walks_longer_than_a_word_serves_have_no_table():
    dice = {"dice": 2, "die_faces": 7, "board": "tight", "player": "random"}
    if plain_python():
        pytest.skip("a tree of long walks")
    setup = GAME.prepare(GAME.resolve(dice))
    maze, nodes = setup.tables.maze[0], setup.tables.tree.nodes
    long = np.array([int(nodes["longest"][root]) > STEPS_A_WORD for root in maze.root])
    assert long.any()
    assert (maze.drawn[long, STEPS_A_WORD + 1] == 0).all()
    assert (maze.drawn[long, STEPS_A_WORD] > 0).all()
