"""The naive twin of the walks: the exact numbers known of the sample layout, and the referee's
quicker search against the twin."""

from __future__ import annotations

import random

import labirinto_twin as twin
import pytest
from labirinto_referee_walks import Search

# A layout that passes every check of a board, with its exact numbers of walks below.
SAMPLE = """\
+---+---+---+---+---+---+---+---+
| S   S   S   . | K   A   ?   A
+   +---+---+   +   +   +   +   +
| S   S   S | 1 | A   .   2   . |
+   +   +   +   +   +   +---+---+
| S   S   S | P | . | K   ? | K
+---+   +---+   +   +   +   +   +
| ?   .   ?   .   F | . | K   .
+   +   +   +   +---+   +   +---+
| .   ?   .   ?   F | F | .   A |
+---+---+   +   +   +   +   +   +
| A   . | F   P   . | .   F   .
+   +   +   +   +---+   +---+   +
| ? | A   . | .   P | 1 | D   D
+   +   +   +---+   +   +   +   +
| .   2   F   ?   . | ?   D   D
+   +---+   +   +---+   +   +   +
"""
# A square walled in with three others: no walk from it is longer than three steps.
CELL = """\
+---+---+---+---+---+---+---+---+
| S   S   S | .   .   .   .   .
+   +   +   +   +   +   +   +   +
| S   S   S   .   .   A   .   .
+   +   +   +   +---+---+   +   +
| S   S   S | . | .   . | .   1
+---+   +---+   +   +   +   +   +
| .   .   .   . | .   . | .   .
+   +   +   +   +---+---+   +   +
| .   P   .   F   F   .   ?   .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   .   .   .
+   +   +   +   +   +   +   +---+
| .   K   .   ?   .   F   D   D
+   +   +   +   +   +   +   +   +
| .   .   2   .   1   2 | D   D
+   +   +   +   +   +   +   +   +
"""
WALKS = {
    2: 1152, 3: 2160, 4: 3576, 5: 5976, 6: 9408, 7: 14992, 8: 22872, 9: 35256, 10: 52832,
    11: 80056, 12: 119192, 13: 178832,
}  # fmt: skip


@pytest.fixture(scope="module")
def sample():
    return twin.read_quadrant(SAMPLE)


def count(grid, square, steps):
    return sum(1 for _ in twin.walks(grid, square, steps))


def test_twin_sample_has_240_squares_outside_the_dojo(sample):
    assert len(sample.playable) == 240


@pytest.mark.parametrize(("steps", "expected"), WALKS.items())
def test_twin_counts_the_walks_of_the_sample(sample, steps, expected):
    assert sum(count(sample, square, steps) for square in sample.playable) == expected


@pytest.mark.parametrize(("steps", "expected"), [(2, 3), (7, 28), (12, 328)])
def test_twin_counts_the_walks_from_the_corner(sample, steps, expected):
    assert count(sample, 0, steps) == expected


@pytest.mark.parametrize(
    ("steps", "fewest", "median", "most"), [(2, 2, 4, 7), (7, 7, 23, 29), (12, 26, 48, 70)]
)
def test_twin_counts_the_end_squares(sample, steps, fewest, median, most):
    sizes = sorted(len(twin.ends(sample, square, steps)) for square in sample.playable)
    assert (sizes[0], sizes[-1]) == (fewest, most)
    assert sizes[119] <= median <= sizes[120]


def test_twin_sample_never_shortens_a_walk(sample):
    assert all(twin.longest(sample, square, 13) == 13 for square in sample.playable)


def test_twin_drawn_board_reads_back(sample):
    assert twin.read_board(twin.draw_board(sample)) == sample


def test_twin_board_is_the_same_after_a_quarter_turn(sample):
    images = {
        tuple(sorted((twin.turned(one), twin.turned(other)))) for one, other in sample.openings
    }
    assert images == sample.openings
    assert all(sample.codes[s] == sample.codes[twin.turned(s)] for s in range(twin.SQUARES))


def test_twin_walks_never_enter_a_square_twice_nor_the_dojo(sample):
    for walk in twin.walks(sample, 0, 9):
        assert len({0, *walk}) == 10
        assert all(sample.codes[square] != "D" for square in walk)


def test_twin_walled_in_walks_are_shortened():
    cell = twin.read_quadrant(CELL)
    inside = twin.SIZE * 2 + 4
    assert twin.longest(cell, inside, 7) == 3
    assert twin.legal_steps(cell, inside, 7) == {inside + 1, inside + twin.SIZE}
    assert twin.ends(cell, inside, 7) == {inside + 1, inside + twin.SIZE}


def test_twin_a_self_made_trap_is_no_legal_step():
    cell = twin.read_quadrant(CELL)
    # In the Safe Room after (1,3) (1,2) (1,1) (0,1): (0,2) is free but leads nowhere.
    visited = frozenset({19, 18, 17, 1})
    assert twin.legal_steps(cell, 1, 4, visited) == {0}


@pytest.mark.parametrize("layout", [SAMPLE, CELL])
def test_referee_search_agrees_with_the_twin(layout):
    grid, rng = twin.read_quadrant(layout), random.Random(7)
    search = Search(grid)
    for _ in range(150):
        square = start = rng.choice(grid.playable)
        steps, visited = rng.randint(1, 9), frozenset({start})
        while steps:
            bits = sum(1 << s for s in visited)
            legal = twin.legal_steps(grid, square, steps, visited)
            assert set(search.legal(square, bits, steps)) == legal
            assert search.longest(square, bits, steps) == twin.longest(grid, square, steps, visited)
            thrifty = twin.thrifty_steps(grid, square, steps, visited)
            assert set(search.thrifty(square, bits, steps)) == thrifty
            if not legal:
                break
            square = rng.choice(sorted(legal))
            steps, visited = steps - 1, visited | {square}
