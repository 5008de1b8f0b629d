"""The board that four rotations of a quadrant make."""

import numpy as np
import pytest
from board_drawings import FIELD, QUADRANT, SHIPPED, built, drawn, open_names, quadrants
from hypothesis import given
from hypothesis import strategies as st

from dojo_core.labirinto import board
from dojo_core.labirinto.board import SIDE, STEPS, rotated

SQUARES = [(row, column) for row in range(SIDE) for column in range(SIDE)]


def shipped(name):
    return board.load(board.read_option(name, SHIPPED[name].parent))


def turned(square):
    row, column = square
    return column, 15 - row


@given(quadrants())
def test_a_quarter_turn_maps_the_board_onto_itself(text):
    whole = built(text)
    for square in SQUARES:
        assert whole.codes[turned(square)] == whole.codes[square]
        assert (np.roll(whole.open_sides[square], 1) == whole.open_sides[turned(square)]).all()
        assert whole.corner_of[turned(square)] == (whole.corner_of[square] + 1) % 4


@given(quadrants())
def test_a_wall_is_seen_from_both_sides_and_the_rim_is_walled(text):
    whole = built(text)
    for square in SQUARES:
        for side, (down, right) in enumerate(STEPS):
            beyond = (square[0] + down, square[1] + right)
            if min(beyond) < 0 or max(beyond) >= SIDE:
                assert not whole.open_sides[square][side]
            else:
                back = whole.open_sides[beyond][(side + 2) % 4]
                assert whole.open_sides[square][side] == back


@given(quadrants())
def test_the_first_quadrant_is_the_file(text):
    whole = built(text)
    codes, open_sides = drawn(text)
    for square, code in codes.items():
        assert whole.codes[square] == code
        assert open_names(whole.open_sides[square]) == open_sides[square]


@given(quadrants())
def test_a_rendered_board_reads_back_as_the_board(text):
    whole = built(text)
    picture = board.render(whole)
    lines = picture.splitlines()
    assert (len(lines), {len(line) for line in lines}) == (33, {65})
    codes, open_sides = drawn(picture)
    for square in SQUARES:
        assert codes[square] == whole.codes[square]
        assert open_names(whole.open_sides[square]) == open_sides[square]


@given(quadrants(), st.lists(st.integers(0, 3), min_size=9, max_size=9))
def test_tunnel_links_pair_the_tunnels_off(text, offsets):
    legend = "".join(
        f"[tunnels.{digit}]\nquadrant_offset = {offset}\n"
        for digit, offset in enumerate(offsets, 1)
        if str(digit) in parse_digits(text)
    )
    whole = built(text, legend)
    for index, code in enumerate(whole.codes.ravel()):
        link = whole.links[index]
        if not code.isdigit():
            assert link == -1
            continue
        assert link != index
        assert whole.links[link] == index
        assert whole.codes.ravel()[link] == code
        # Quarter turns from the file's first square of the digit to its second.
        here, there = whole.corner_of.ravel()[[index, link]]
        offset = offsets[int(code) - 1]
        assert (there - here) % 4 in (offset, (4 - offset) % 4)


def parse_digits(text):
    return set(board.parse(text)[0].offsets)


# The field's tunnel 1 is first on (2,7), then on (7,4); turned: (7,13) (13,8) (8,2), and (4,8)
# (8,11) (11,7).
LINKS = {
    0: {(2, 7): (7, 4), (7, 13): (4, 8), (13, 8): (8, 11), (8, 2): (11, 7)},
    1: {(2, 7): (4, 8), (7, 13): (8, 11), (13, 8): (11, 7), (8, 2): (7, 4)},
    2: {(2, 7): (8, 11), (7, 13): (11, 7), (13, 8): (7, 4), (8, 2): (4, 8)},
    3: {(2, 7): (11, 7), (7, 13): (7, 4), (13, 8): (4, 8), (8, 2): (8, 11)},
}


@pytest.mark.parametrize("offset", LINKS)
def test_links_go_clockwise_from_the_first_square(offset):
    whole = built(FIELD, f"[tunnels.1]\nquadrant_offset = {offset}")
    for first, second in LINKS[offset].items():
        assert divmod(int(whole.links[16 * first[0] + first[1]]), 16) == second
        assert divmod(int(whole.links[16 * second[0] + second[1]]), 16) == first


def test_types_and_shapes_are_the_promised_ones():
    whole = built(QUADRANT)
    assert whole.codes.shape == (16, 16)
    assert (whole.open_sides.shape, whole.open_sides.dtype) == ((16, 16, 4), np.bool_)
    assert (whole.links.shape, whole.links.dtype) == ((256,), np.int16)
    assert (whole.corner_of.shape, whole.corner_of.dtype) == ((16, 16), np.int8)
    assert (whole.rooms.shape, whole.rooms.dtype) == ((16, 16), np.int8)


def test_a_board_cannot_be_changed():
    whole = built(QUADRANT)
    for array in (whole.codes, whole.open_sides, whole.links, whole.corner_of, whole.rooms):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_rooms_and_quadrants_are_numbered_clockwise():
    whole = built(QUADRANT)
    assert [int(whole.rooms[corner]) for corner in [(0, 0), (0, 15), (15, 15), (15, 0)]] == [
        0,
        1,
        2,
        3,
    ]
    assert ((whole.rooms == -1) == (whole.codes != "S")).all()
    assert (whole.corner_of[:8, 8:] == 1).all()
    assert (whole.corner_of[8:, :8] == 3).all()


@pytest.mark.parametrize("corner", range(4))
def test_rotation_goes_round_the_corners(corner):
    assert rotated((0, 0), corner) == [(0, 0), (0, 15), (15, 15), (15, 0)][corner]
    assert rotated(rotated((2, 5), corner), 4 - corner) == (2, 5)


# Self-avoiding walks of 2 to 7 steps from all squares outside the Dojo, which counts as closed:
# counted without this code, so they check its walls.
WALKS = [1152, 2160, 3576, 5976, 9408, 14992]


def test_walks_on_the_shipped_board_are_as_many_as_known():
    whole = shipped("quadrant")

    def walks(square, steps, visited):
        if steps == 0:
            return 1
        return sum(
            walks(beyond, steps - 1, visited | {beyond})
            for _, beyond in whole.neighbours(square)
            if beyond not in visited and not whole.is_dojo(beyond)
        )

    starts = [square for square in SQUARES if not whole.is_dojo(square) and max(square) < 8]
    counted = [4 * sum(walks(start, n, {start}) for start in starts) for n in range(2, 8)]
    assert counted == WALKS
