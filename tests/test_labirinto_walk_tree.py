"""The tree of walks answers as a search does, and as the naive twin that lists every walk."""

import itertools
import random
from collections import Counter

import labirinto_twin as twin
import numpy as np
import pytest
from board_drawings import DATA, SHIPPED
from test_labirinto_walks import SAMPLE, WALKS

from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.kernel import entry, plain_python
from dojo_core.labirinto import board as boards
from dojo_core.labirinto import walks
from dojo_core.labirinto.scenarios import _board_of
from dojo_core.labirinto.setup import TO_PLACE, TO_SQUARE, pack_maze, prepare_on
from dojo_core.labirinto.tables import ALLENAMENTO, NOWHERE, TUNNEL
from dojo_core.scenarios import read_json

GAME = games.load("labirinto")
QUADRANTS = read_json(DATA / "boards.json")
SMALL = ["SAMPLE", "CELL", "POCKET", "OPEN", *sorted(SHIPPED)]
# Plain Python plants a small tree, and walks less.
LONGEST = 5 if plain_python() else 12
WALKS_A_BOARD = 5 if plain_python() else 40


@entry
def begin(maze, tables, start, steps):
    tables[0].spared = 0
    walks.begin_walk(maze[0], tables[0], start, steps)


@entry
def legal(maze, tree, tables):
    """Return how many steps are legal, as the tree tells."""
    return walks.legal_steps(maze[0], tree, tables[0])


@entry
def legal_by_search(maze, tree, tables):
    """Return how many steps are legal, as a search finds."""
    table = tables[0]
    node = table.node
    table.node = -1
    count = walks.legal_steps(maze[0], tree, table)
    table.node = node
    return count


@entry
def go(tables, option):
    """Step to an option."""
    table = tables[0]
    table.path[table.path_length] = table.options[option]
    table.path_length += 1
    table.node = table.option_nodes[option]
    table.remaining -= 1


@entry
def first_difference(maze, tree, tables, longest, times):
    """Walk from every square with every roll so many times, each step by lot.

    Returns the square, the roll and the steps walked where tree and search first differ, else -1.
    """
    table = tables[0]
    by_tree = np.zeros(4, np.int64)
    lot = 1
    for start in range(256):
        if maze[0].code[start] == 2:
            continue
        for roll in range(1, longest + 1):
            for _ in range(times):
                walks.begin_walk(maze[0], table, start, roll)
                while table.remaining > 0:
                    count = walks.legal_steps(maze[0], tree, table)
                    by_tree[:count] = table.options[:count]
                    node = table.node
                    table.node = -1
                    found = walks.legal_steps(maze[0], tree, table)
                    same = found == count
                    for k in range(count):
                        same = same and by_tree[k] == table.options[k]
                    if not same:
                        return 10000 * start + 100 * roll + table.path_length
                    table.node = node
                    if count == 0:
                        break
                    walks.legal_steps(maze[0], tree, table)
                    lot = (1103515245 * lot + 12345) & 0x7FFFFFFF
                    option = (lot >> 12) % count
                    table.path[table.path_length] = table.options[option]
                    table.path_length += 1
                    table.node = table.option_nodes[option]
                    table.remaining -= 1
    return -1


@entry
def fewest(tree, node, steps):
    return walks.fewest_fatica(tree, node, steps, 255)


class Walker:
    """A board with its tree, and a pawn that walks on it; squares are places on the whole board."""

    def __init__(self, name):
        if name == "SAMPLE":
            read = {"label": name, "path": name, "text": SAMPLE, "legend": ""}
        elif name in QUADRANTS:
            read = _board_of({"board": name}, QUADRANTS)
        else:
            read = boards.read_option(name, SHIPPED[name].parent)
        options = {"players": 3, "player": "random", "dice": 1, "die_faces": LONGEST}
        board = boards.load(read, checked=False)
        self.setup = prepare_on(board, GAME.resolve(options))
        self.grid = twin.read_quadrant(read["text"])
        self.maze, self.tree = self.setup.tables.maze, self.setup.tables.tree
        self.tables = self.setup.tables.table.copy()

    def begin(self, place, steps):
        begin(self.maze, self.tables, TO_SQUARE[place], steps)

    def options(self, count):
        return [int(TO_PLACE[square]) for square in self.tables[0].options[:count]]

    def legal(self):
        return self.options(legal(self.maze, self.tree, self.tables))

    def legal_by_search(self):
        return self.options(legal_by_search(self.maze, self.tree, self.tables))

    def fewest_fatica(self, option):
        """Return the fewest Fatica squares of a longest walk that begins with an option."""
        table = self.tables[0]
        node, steps = table.option_nodes[option], table.remaining - 1
        before = self.tree.nodes[table.node].fatica
        return int(fewest(self.tree, node, steps)) - int(before)


@pytest.fixture(scope="module", params=SMALL)
def walker(request):
    return Walker(request.param)


@pytest.fixture(scope="module")
def sample():
    return Walker("SAMPLE")


@pytest.mark.skipif(plain_python(), reason="half a million searches")
def test_tree_answers_as_a_search_from_every_square_with_every_roll(walker):
    longest = 9 if len(walker.tree.nodes) > 1_000_000 else LONGEST
    assert first_difference(walker.maze, walker.tree, walker.tables, longest, 40) == -1


def walked(walker, steps_most, count):
    """Walk at random; yield the square, the steps that remain and the squares visited so far."""
    lot = random.Random(3)
    for _ in range(count):
        square = lot.choice(walker.grid.playable)
        steps = lot.randint(1, steps_most)
        visited = frozenset({square})
        walker.begin(square, steps)
        while steps:
            yield square, steps, visited
            options = walker.legal()
            if not options:
                break
            chosen = lot.randrange(len(options))
            go(walker.tables, chosen)
            square, steps = options[chosen], steps - 1
            visited |= {square}


def steps_to_list(walker):
    """Return how long walks can be listed one by one: not as long where there are many."""
    return 6 if len(walker.tree.nodes) > 300_000 else min(LONGEST, 9)


def test_tree_and_search_answer_as_the_twin(walker):
    for square, steps, visited in walked(walker, steps_to_list(walker), WALKS_A_BOARD):
        expected = twin.legal_steps(walker.grid, square, steps, visited)
        assert set(walker.legal_by_search()) == expected
        options = walker.legal()
        assert set(options) == expected
        assert len(options) == len(expected)


def test_twin_and_tree_agree_from_every_square_of_the_sample(sample):
    for square in sample.grid.playable:
        for steps in (1, 3, 5):
            sample.begin(square, steps)
            assert set(sample.legal()) == twin.legal_steps(sample.grid, square, steps)


def test_fewest_fatica_of_each_option_is_the_twins(walker):
    for square, steps, visited in walked(walker, steps_to_list(walker), WALKS_A_BOARD):
        found = twin.longest_walks(walker.grid, square, steps, visited)
        for number, option in enumerate(walker.legal()):
            least = min(
                twin.fatica_squares(walker.grid, walk) for walk in found if walk[:1] == (option,)
            )
            assert walker.fewest_fatica(number) == least


def test_quadrants_answer_as_the_first_one_turned(walker):
    lot = random.Random(5)
    for square in [s for s in walker.grid.playable if twin.quadrant(s) == 0]:
        answers = [lot.randrange(12) for _ in range(6)]
        seen = []
        for _ in range(4):
            walker.begin(square, min(LONGEST, 6))
            path = []
            for answer in answers:
                options = walker.legal()
                path.append(options)
                if not options:
                    break
                go(walker.tables, answer % len(options))
            seen.append(path)
            square = twin.turned(square)
        for before, after in itertools.pairwise(seen):
            assert [[twin.turned(s) for s in options] for options in before] == after


def test_walks_of_the_sample_are_as_many_as_are_known(sample):
    nodes = sample.tree.nodes
    playable = [s for s in range(64) if sample.maze[0].code[s] != 2]
    depths = Counter()
    for square in playable:
        root = sample.maze[0].root[square]
        depths.update(nodes["depth"][root : nodes["skip"][root]].tolist())
    for steps in range(2, LONGEST + 1):
        assert 4 * depths[steps] == WALKS[steps]


def test_groups_hold_every_full_walk_once(sample):
    maze, tree = sample.maze[0], sample.tree
    for square in [s for s in range(64) if maze.code[s] != 2]:
        root = maze.root[square]
        for steps in range(1, LONGEST + 1):
            of_roll = slice(maze.first_group[square, steps], maze.first_group[square, steps + 1])
            leaves = []
            for group in tree.groups[of_roll]:
                ends = tree.leaves["node"][group.first : group.first + group.count]
                squares = tree.nodes["square"][ends]
                assert (maze.code[squares] == maze.code[group.square]).all()
                if maze.code[group.square] in (ALLENAMENTO, TUNNEL):
                    assert (squares == group.square).all()
                assert (tree.nodes["fatica"][ends] == group.fatica).all()
                leaves.extend(ends.tolist())
            below = np.arange(root, tree.nodes["skip"][root])
            full = below[tree.nodes["depth"][below] == steps]
            assert sorted(leaves) == full.tolist()


def test_reach_holds_the_squares_of_all_longest_walks(walker):
    lot = random.Random(8)
    for _ in range(WALKS_A_BOARD):
        place = lot.choice(walker.grid.playable)
        steps = lot.randint(1, steps_to_list(walker))
        number = int(TO_SQUARE[place])
        words = walker.maze[0].reach[number & 63, steps]
        reached = {
            int(TO_PLACE[(square + (number & 192)) & 255])
            for square in range(256)
            if int(words[square >> 6]) >> (square & 63) & 1
        }
        found = twin.longest_walks(walker.grid, place, steps)
        assert reached == {square for walk in found for square in walk}


# A board with too many walks for a tree


@pytest.fixture
def few_nodes(monkeypatch):
    """Let no board have a tree."""
    walks._tree_of.cache_clear()
    pack_maze.cache_clear()
    monkeypatch.setattr(walks, "MOST_NODES", 100)
    yield
    walks._tree_of.cache_clear()
    pack_maze.cache_clear()


def rows_of(setup):
    out = GAME.out(setup, 3 if plain_python() else 50)
    GAME.play(setup, 11, 0, len(out.plays), out)
    return out


@pytest.mark.parametrize("board", ["quadrant", "open"])
def test_board_without_a_tree_is_played_by_search_to_the_same_rows(board, request):
    options = GAME.resolve(
        {"board": board, "player": "random", "start_track": 15, "max_rounds": 10, "dice": 1}
    )
    by_tree = GAME.prepare(options)
    request.getfixturevalue("few_nodes")
    by_search = GAME.prepare(options)
    assert len(by_tree.tables.tree.nodes) > 0
    assert len(by_search.tables.tree.nodes) == 0
    assert (by_search.tables.maze[0].root == NOWHERE).all()
    one, other = rows_of(by_tree), rows_of(by_search)
    assert (one.plays == other.plays).all()
    assert (one.seats == other.seats).all()
    assert (one.squares == other.squares).all()


@pytest.mark.parametrize("player", ["greedy", "wanderer", "random,random,random,greedy"])
def test_board_without_a_tree_is_refused_to_players_that_weigh_walks(player, few_nodes):
    with pytest.raises(DojoError, match="too many for a player that weighs them; use fewer dice"):
        GAME.prepare(GAME.resolve({"player": player}))
