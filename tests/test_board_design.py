"""Checks of design: each error, warning and remark on the smallest change that causes it."""

import pytest
from board_drawings import FIELD, QUADRANT, built, codes_of, with_code, with_wall

from dojo_core.labirinto import board
from dojo_core.labirinto.board_checks import describe


def walled(text, *walls):
    """Return the text with walls put up beside squares, given as (row, column, side)."""
    for wall in walls:
        text = with_wall(text, *wall)
    return text


def opened(text, *walls):
    for wall in walls:
        text = with_wall(text, *wall, wall=False)
    return text


def finding(text, code):
    """Return the only finding of that code."""
    (found,) = [found for found in board.validate(text).findings if found.code == code]
    return found


def errors(text):
    return [code for code in codes_of(text) if code[0] == "E"]


# The Dojo


@pytest.mark.parametrize("wall", [(6, 6, "E"), (6, 6, "S"), (7, 7, "N"), (7, 7, "W")])
def test_a_wall_inside_the_dojo_is_one_error(wall):
    assert errors(walled(FIELD, wall)) == ["E-DOJO-WALL"]


def test_a_walled_seam_inside_the_dojo_is_told_on_both_borders():
    assert errors(walled(FIELD, (6, 7, "E"), (7, 6, "S"))) == ["E-DOJO-WALL", "E-DOJO-WALL"]


def test_a_closed_dojo_has_no_entrance_and_no_walk():
    closed = walled(FIELD, (6, 6, "N"), (6, 6, "W"))
    report = board.validate(closed)
    assert errors(closed) == ["E-NO-ENTRANCE"]
    assert report.entrances == ()
    assert report.walks == (None,) * 4


def test_an_entrance_into_a_safe_room_is_told_at_its_square():
    text = with_code(FIELD, 6, 5, "S")
    assert "E-ENTRANCE-ROOM" in errors(text)
    assert (finding(text, "E-ENTRANCE-ROOM").row, finding(text, "E-ENTRANCE-ROOM").column) == (6, 5)


def test_every_open_side_of_the_dojo_is_an_entrance():
    report = board.validate(opened(FIELD, (6, 7, "N"), (7, 6, "W")))
    told = [(e.outside, e.side, e.inside) for e in report.entrances]
    assert told == [
        ((5, 6), "south", (6, 6)),
        ((6, 5), "east", (6, 6)),
        ((5, 7), "south", (6, 7)),
        ((7, 5), "east", (7, 6)),
    ]


# The Safe Room


def without_room(text):
    for row in range(3):
        for column in range(3):
            text = with_code(text, row, column, "K")
    return text


def test_without_a_safe_room_only_the_missing_corner_is_told():
    assert errors(without_room(FIELD)) == ["E-ROOM-CORNER"]
    assert board.validate(without_room(FIELD)).walks == (None,) * 4


def test_a_closed_room_has_no_exit_and_reaches_nothing():
    closed = walled(FIELD, (1, 2, "E"), (2, 1, "S"))
    assert errors(closed) == ["E-ROOM-EXITS", "E-UNREACHABLE"]
    assert "0 exits" in finding(closed, "E-ROOM-EXITS").message


def test_exits_are_openings_so_one_square_can_have_both():
    corner = walled(opened(FIELD, (2, 2, "E"), (2, 2, "S")), (1, 2, "E"), (2, 1, "S"))
    assert errors(corner) == []


def test_both_exits_on_the_south_side():
    both = opened(walled(FIELD, (1, 2, "E")), (2, 2, "S"))
    assert errors(both) == ["E-ROOM-SIDE"]


def test_an_opening_across_the_seam_is_an_exit():
    # A room of one row along the top: its last square opens into the next quadrant.
    text = FIELD
    for column in range(3, 8):
        text = with_code(text, 0, column, "S")
    text = opened(text, (0, 2, "E"))
    text = walled(text, *((0, column, "S") for column in range(3, 8)))
    message = finding(text, "E-ROOM-EXITS").message
    assert "3 exits" in message
    assert "east of row 0, column 7" in message


def test_an_opening_into_the_dojo_is_an_entrance_and_no_exit():
    # A room that reaches down column 1 and along row 6 to the Dojo's western entrance.
    text = FIELD
    for square in [(3, 1), (4, 1), (5, 1), *((6, column) for column in range(1, 6))]:
        text = with_code(text, *square, "S")
    assert {"E-ENTRANCE-ROOM", "E-ROOM-EXITS"} <= set(errors(text))
    message = finding(text, "E-ROOM-EXITS").message
    assert "north of row 6, column 5" in message
    assert "east of row 6, column 5" not in message


def test_a_split_room_is_judged_by_its_largest_part():
    assert errors(with_code(FIELD, 4, 6, "S")) == ["E-ROOM-SPLIT"]


def test_a_room_as_short_as_the_way_around_is_no_shortcut():
    # Through: (1,3) (1,2) (1,1) (2,1) (3,1), 4 steps; around by (3,3): 4 steps as well.
    assert errors(FIELD) == []
    longer = walled(FIELD, (2, 3, "S"))
    assert errors(longer) == ["E-SHORTCUT"]
    assert "takes 4 steps, walking around takes 6" in finding(longer, "E-SHORTCUT").message


def test_a_room_without_a_way_around_is_a_shortcut():
    closed = walled(FIELD, (2, 3, "S"), *((3, column, "N") for column in range(4, 8)))
    closed = walled(closed, *((row, 7, "E") for row in range(3)), *((7, c, "S") for c in range(3)))
    assert errors(closed) == ["E-SHORTCUT"]
    assert "no way around" in finding(closed, "E-SHORTCUT").message


# Reach


def test_squares_walled_in_are_listed_in_one_error():
    cell = walled(
        FIELD,
        *((2, column, "N") for column in (4, 5)),
        *((3, column, "S") for column in (4, 5)),
        *((row, 4, "W") for row in (2, 3)),
        *((row, 5, "E") for row in (2, 3)),
    )
    assert errors(cell) == ["E-UNREACHABLE"]
    assert "X-DEAD-END" not in codes_of(cell)
    message = finding(cell, "E-UNREACHABLE").message
    for square in ("row 2, column 4", "row 2, column 5", "row 3, column 4", "row 3, column 5"):
        assert square in message


def test_tunnels_and_the_dojo_do_not_make_a_square_reachable():
    tunnel = walled(FIELD, (2, 7, "N"), (2, 7, "E"), (2, 7, "S"), (2, 7, "W"), (7, 2, "S"))
    assert errors(tunnel) == ["E-UNREACHABLE"]
    behind = walled(FIELD, (6, 5, "N"), (6, 5, "S"), (6, 5, "W"))
    assert errors(behind) == ["E-UNREACHABLE"]


# Warnings and remarks


def with_tatami(text, count):
    """Return the text with that many Tatami among its playable squares, the rest Sfida."""
    tatami = 0
    for row in range(8):
        for column in range(8):
            if text.splitlines()[2 * row + 1].ljust(33)[4 * column + 2] in ".AF?PK":
                tatami += 1
                text = with_code(text, row, column, "." if tatami <= count else "K")
    return text


# Of 51 squares 30% and 40% are no whole numbers; of 50 (with a tenth Safe Room square) they are.
@pytest.mark.parametrize(
    ("text", "count", "told"),
    [
        (FIELD, 15, True),
        (FIELD, 16, False),
        (FIELD, 20, False),
        (FIELD, 21, True),
        (with_code(FIELD, 3, 1, "S"), 14, True),
        (with_code(FIELD, 3, 1, "S"), 15, False),
        (with_code(FIELD, 3, 1, "S"), 20, False),
        (with_code(FIELD, 3, 1, "S"), 21, True),
    ],
)
def test_tatami_share_includes_its_bounds(text, count, told):
    assert ("W-TATAMI" in codes_of(with_tatami(text, count))) == told


def test_a_board_of_safe_rooms_alone_is_answered():
    text = FIELD
    for row in range(8):
        for column in range(8):
            if min(row, column) < 6:
                text = with_code(text, row, column, "S")
    report = board.validate(text.replace("2", "S").replace("1", "S").replace("K", "S"))
    assert report.exit_code == 1
    assert "0 outside Safe Room and Dojo" in "\n".join(describe(report))


@pytest.mark.parametrize(
    ("row", "column", "code", "told"), [(2, 2, "A", True), (3, 0, "S", True), (4, 6, "F", False)]
)
def test_a_room_that_is_not_three_by_three_is_a_warning(row, column, code, told):
    assert ("W-ROOM-SIZE" in codes_of(with_code(FIELD, row, column, code))) == told


def test_a_dead_end_is_a_remark_at_its_square():
    pocket = walled(FIELD, (3, 5, "N"), (3, 6, "N"), (3, 5, "S"), (3, 6, "S"), (3, 6, "E"))
    remark = finding(pocket, "X-DEAD-END")
    assert (remark.row, remark.column) == (3, 6)
    assert board.validate(pocket).exit_code == 0


def test_the_dojo_does_not_open_a_dead_end():
    behind = walled(FIELD, (6, 5, "N"), (6, 5, "S"))
    assert (finding(behind, "X-DEAD-END").row, finding(behind, "X-DEAD-END").column) == (6, 5)


def test_too_small_a_maze_boxes_moves_in():
    # A corridor of five squares joins the exits; nothing else can be reached.
    ring = walled(
        FIELD,
        (1, 3, "N"), (1, 3, "E"), (2, 3, "E"), (3, 3, "E"),
        (3, 1, "W"), (3, 1, "S"), (3, 2, "S"), (3, 3, "S"),
    )  # fmt: skip
    remarks = [f.message for f in board.validate(ring).findings if f.code == "X-DEAD-END"]
    assert any("no walk is longer than" in remark for remark in remarks)


# The report


def test_the_report_counts_squares_tunnels_entrances_and_walks():
    report = board.validate(QUADRANT, "[tunnels.2]\nquadrant_offset = 2")
    assert report.squares == dict(zip(".AF?TPKSD", (19, 6, 6, 9, 4, 3, 4, 9, 4), strict=True))
    assert [(t.digit, t.offset) for t in report.tunnels] == [("1", 0), ("2", 2)]
    assert report.tunnels[0].links[0] == ((1, 3), (6, 5))
    assert report.tunnels[1].links[0] == ((1, 6), (8, 14))
    assert [entrance.outside for entrance in report.entrances] == [(5, 7), (7, 5)]
    assert report.walks == (13, 13, 13, 13)
    assert report.exit_code == 0


def test_the_report_tells_the_verdict_by_kind():
    assert board.validate(QUADRANT).verdict == "fine"
    assert board.validate(FIELD).verdict == "1 warning"
    two = walled(FIELD, (6, 6, "E"), (6, 6, "S"))
    assert board.validate(two).verdict == "2 design errors, 1 warning"


def test_a_shortest_walk_counts_the_step_into_the_dojo():
    # From (2,1): south to (6,1), then east to (6,6).
    assert board.validate(FIELD).walks == (9, 9, 9, 9)


def test_checks_of_quadrant_0_hold_for_all_corners():
    whole = built(QUADRANT)
    for corner in range(4):
        room = {square for square in whole.squares() if whole.rooms[square] == corner}
        exits = [
            beyond
            for square in room
            for _, beyond in whole.neighbours(square)
            if beyond not in room
        ]
        assert sorted(exits) == sorted(board.rotated(square, corner) for square in ((0, 3), (3, 1)))
