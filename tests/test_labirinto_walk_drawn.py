"""A walk drawn at once from the table is the one that drawing its steps one by one makes."""

from fractions import Fraction

import numpy as np
import pytest
from test_labirinto_walk_tree import LONGEST, SMALL, Walker

from dojo_core import games, kernel
from dojo_core.kernel import entry, plain_python, wrapping_arithmetic
from dojo_core.labirinto import drawn, players, walks
from dojo_core.labirinto.setup import pack_maze
from dojo_core.labirinto.tables import STEPS_A_WORD
from dojo_core.random_numbers import fraction, mix

GAME = games.load("labirinto")
DRAWS = 2 if plain_python() else 2000
PLAYS = 1 if plain_python() else 300


@entry
def found(maze, tree, table, start, roll, part):
    """Find the walk by the table; leave on `table` what is left of the fraction."""
    table.fraction = part
    at = drawn.find_walk(maze, tree.walks, tree.guide, start & 63, roll, part)
    steps = min(kernel.whole(tree.nodes[maze.root[start & 63]].longest), roll)
    players.spend_walk(table, tree.walks[at], steps)
    return at


@entry
def same_by_steps(maze, tree, table, start, roll, part):
    """Tell whether the steps drawn one by one are the walk of the table and leave the same."""
    walk = tree.walks[found(maze, tree, table, start, roll, part)]
    left = table.fraction
    steps_left = table.steps_left_of_word
    table.fraction = part
    table.steps_left_of_word = STEPS_A_WORD
    walks.begin_walk(maze, table, start, roll)
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
        fatica += 1 if maze.code[square] == 4 else 0
    length = table.path_length - 1
    same = fatica == walk.fatica
    same = same and left == table.fraction and steps_left == table.steps_left_of_word
    ways = drawn.ways_of(walk)
    square = start
    for k in range(length):
        square = maze.neighbour[square, ways & 3]
        ways >>= 2
        same = same and square == table.path[k + 1]
    return same and ways == 0


@entry
def first_wrong_part(mazes, tree, tables, start, roll, parts):
    """Return the first of these fractions whose walk is another by steps, else -1."""
    for k in range(len(parts)):
        if not same_by_steps(mazes[0], tree, tables[0], start, roll, parts[k]):
            return k
    return -1


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
    """Yield the squares of the quadrant and rolls whose walks are drawn, with their walks."""
    maze, tree = walker.maze[0], walker.tree
    begin = 0
    for square, roll in np.argwhere(maze.first_walk >= 0):
        nodes, root = tree.nodes, maze.root[square]
        below = nodes[root : nodes["skip"][root]]
        count = int((below["depth"] == min(roll, nodes["longest"][root])).sum())
        yield int(square), int(roll), tree.walks[begin : begin + count]
        begin += count
    assert begin == len(tree.walks)


def test_every_square_and_roll_with_a_walk_has_a_table(walker):
    if len(walker.tree.leaves) > drawn.MOST_WALKS:
        pytest.skip("a board with too many walks")
    maze = walker.maze[0]
    for square in range(64):
        for roll in range(1, LONGEST + 1):
            walks_of_it = maze.first_group[square, roll] < maze.first_group[square, roll + 1]
            root = maze.root[square]
            goes = walker.tree.nodes["longest"][root] > 0
            assert (maze.first_walk[square, roll] >= 0) == (walks_of_it and goes)
    assert len(walker.tree.walks) == len(walker.tree.leaves)


def test_first_and_last_fraction_of_every_walk_draw_it_by_steps_too(walker):
    with wrapping_arithmetic():
        for square, roll, of_roll in tabled(walker):
            if plain_python() and (square % 7 or roll % 2):
                continue
            first = of_roll["first"].astype(np.uint64)
            last = np.append(first[1:], np.uint64(1 << 60)) - np.uint64(1)
            assert first[0] == 0
            assert (first <= last).all()
            parts = np.concatenate([first, last])
            start = square + 64 * (roll % 4)
            wrong = first_wrong_part(walker.maze, walker.tree, walker.tables, start, roll, parts)
            assert wrong == -1, (square, roll, int(parts[wrong]))


def test_neighbours_of_a_bound_draw_neighbouring_walks(walker):
    maze, tree, table = walker.maze[0], walker.tree, walker.tables[0]
    with wrapping_arithmetic():
        for square, roll, of_roll in list(tabled(walker))[::23]:
            at = [found(maze, tree, table, square, roll, walk) for walk in of_roll["first"]]
            before = of_roll["first"][1:] - np.uint64(1)
            assert np.diff(at).tolist() == [1] * (len(at) - 1)
            assert [found(maze, tree, table, square, roll, part) for part in before] == at[:-1]


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


def test_chances_of_the_walks_of_a_square_and_roll_make_one(walker):
    for _, _, of_roll in list(tabled(walker))[::11]:
        assert sum(Fraction(1, int(options)) for options in of_roll["options"]) == 1


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
    assert (setup.tables.maze[0].first_walk == -1).all()


def test_walks_longer_than_a_word_serves_have_no_table():
    dice = {"dice": 2, "die_faces": 7, "board": "tight", "player": "random"}
    if plain_python():
        pytest.skip("a tree of long walks")
    setup = GAME.prepare(GAME.resolve(dice))
    maze, nodes = setup.tables.maze[0], setup.tables.tree.nodes
    long = np.array([int(nodes["longest"][root]) > STEPS_A_WORD for root in maze.root])
    assert long.any()
    assert (maze.first_walk[long, STEPS_A_WORD + 1] == -1).all()
    assert (maze.first_walk[long, STEPS_A_WORD] >= 0).all()
