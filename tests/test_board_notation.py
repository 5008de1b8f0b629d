"""Reading a quadrant: what the format allows, and every way of breaking it."""

import pytest
from board_drawings import (
    FIELD,
    QUADRANT,
    codes_of,
    drawn,
    open_names,
    quadrants,
    with_code,
    with_text,
    with_wall,
)
from hypothesis import given
from hypothesis import strategies as st

from dojo_core.labirinto import board
from dojo_core.labirinto.quadrant import notation, parse


@given(quadrants())
def test_reading_and_drawing_again_changes_nothing(text):
    quadrant, findings = parse(text)
    assert findings == []
    assert "\n".join(notation(quadrant.codes, quadrant.open_sides)) == text


@given(quadrants())
def test_arrays_hold_what_a_naive_reader_sees(text):
    quadrant, _ = parse(text)
    codes, open_sides = drawn(text)
    for square, code in codes.items():
        assert quadrant.codes[square] == code
        assert open_names(quadrant.open_sides[square]) == open_sides[square]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\n".join(line.rstrip() for line in text.splitlines()),
        lambda text: "\n".join(line + "    " for line in text.splitlines()),
        lambda text: "\n\n# a comment\n" + text.replace("\n", "\n   \n# K K K |\n") + "\n\n",
        lambda text: "\n".join(
            line[:-1] if line.startswith("+") else line for line in text.splitlines()
        ),
    ],
    ids=["windows", "old mac", "stripped", "padded", "comments", "no last corner"],
)
def test_what_does_not_matter_is_ignored(change):
    changed, plain = parse(change(QUADRANT))[0], parse(QUADRANT)[0]
    assert (changed.codes == plain.codes).all()
    assert (changed.open_sides == plain.open_sides).all()


def test_a_line_cut_short_reads_as_open():
    # The right border of row 5 and its walls on the seam are simply not there.
    cut = "\n".join(line[:31].rstrip() if "F   ." in line else line for line in FIELD.splitlines())
    assert codes_of(cut) == codes_of(FIELD)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "   \n"])
def test_nothing_to_read_is_a_size_error(text):
    assert codes_of(text) == ["F-SIZE"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n".join(QUADRANT.splitlines()[:-1]), "16 lines"),
        (QUADRANT + "\n" + "\n".join(QUADRANT.splitlines()[-2:]), "19 lines"),
        ("\n".join(line[:29] for line in QUADRANT.splitlines()), "29 characters"),
        (with_text(QUADRANT, 5, 33, "  K |"), "38 characters"),
    ],
    ids=["row missing", "row too many", "column missing", "one line too long"],
)
def test_another_size_is_told_with_its_number(text, words):
    findings = board.validate(text).findings
    assert [finding.code for finding in findings] == ["F-SIZE"]
    assert words in findings[0].message


@pytest.mark.parametrize(
    ("line", "position", "new"),
    [
        (4, 8, "*"),  # a corner
        (4, 9, "-- "),  # half a wall
        (4, 9, "==="),
        (5, 12, "!"),  # a wall between columns
        (5, 13, "x"),  # beside a code
        (5, 0, "\t"),
        (5, 32, "!"),  # on the seam
        (16, 28, " "),  # a corner that is not the last
    ],
)
def test_a_wrong_sign_is_a_glyph_error_and_no_other(line, position, new):
    text = with_text(QUADRANT, line, position, new)
    report = board.validate("# one comment above\n" + text)
    assert [finding.code for finding in report.findings] == ["F-GLYPH"]
    message = report.findings[0].message
    assert f"line {line + 2}" in message
    assert f"character {position + 1}" in message


def test_signs_of_one_line_are_one_finding():
    text = with_text(with_text(QUADRANT, 4, 8, "*"), 4, 16, "*")
    (finding,) = board.validate(text).findings
    assert "1 more" in finding.message


@pytest.mark.parametrize(
    ("code", "hint"),
    [("X", "'X'"), (" ", "missing"), ("f", "did you mean 'F'"), ("T", "digit"), ("0", "digit")],
)
def test_an_unknown_code_is_told_with_a_hint(code, hint):
    (finding,) = board.validate(with_code(QUADRANT, 3, 3, code)).findings
    assert (finding.code, finding.row, finding.column) == ("F-CODE", 3, 3)
    assert hint in finding.message


def test_a_seam_is_compared_at_every_index():
    for index in range(8):
        right = with_wall(FIELD, index, 7, "E")
        bottom = with_wall(FIELD, 7, index, "S")
        both = with_wall(right, 7, index, "S")
        assert codes_of(right) == ["F-SEAM"]
        assert codes_of(bottom) == ["F-SEAM"]
        assert "F-SEAM" not in codes_of(both)


def test_a_digit_on_three_squares_is_no_pair():
    (finding,) = board.validate(with_code(QUADRANT, 3, 3, "2")).findings
    assert finding.code == "F-TUNNEL"
    assert "3 squares" in finding.message


def test_all_format_errors_are_told_at_once():
    text = with_code(QUADRANT, 3, 3, "X")
    text = with_code(text, 5, 5, "D")
    text = with_code(text, 6, 6, ".")
    text = with_code(text, 0, 3, "7")
    text = with_wall(text, 0, 5, "N", wall=False)
    text = with_wall(text, 2, 7, "E")
    text = with_text(text, 6, 4, "*")
    codes = codes_of(text, "[tunnels.5]")
    assert sorted(codes) == [
        "F-BORDER",
        "F-CODE",
        "F-DOJO",
        "F-DOJO",
        "F-GLYPH",
        "F-LEGEND",
        "F-SEAM",
        "F-TUNNEL",
    ]


def test_a_broken_legend_is_told_beside_a_wrong_size():
    assert codes_of("+---+", "[tunnels.1]\nquadrant_offset = 9") == ["F-SIZE", "F-SIZE", "F-LEGEND"]


@given(st.text())
def test_any_text_is_answered(text):
    assert board.validate(text, text).exit_code == 2


@given(st.integers(0, 16), st.integers(0, 32), st.characters(codec="utf-8"))
def test_any_misprint_is_answered(line, position, character):
    quadrant, findings = parse(with_text(QUADRANT, line, position, character))
    assert (quadrant is None) == bool(findings)
    assert {finding.code[0] for finding in findings} <= {"F"}


@pytest.mark.parametrize(
    ("legend", "words"),
    [
        ("[tunnels.1]\nquadrant_offset = 4", "4"),
        ("[tunnels.1]\nquadrant_offset = -1", "-1"),
        ("[tunnels.1]\nquadrant_offset = 1.0", "1.0"),
        ("[tunnels.1]\nquadrant_offset = '1'", "'1'"),
        ("[tunnels.1]\nquadrant_offset = true", "True"),
        ("[tunnels.3]\nquadrant_offset = 1", "no tunnel 3"),
        ("[tunnels.12]\nquadrant_offset = 1", "no tunnel 12"),
        ("[tunnels.A]", "no tunnel A"),
        ("[tunnels]\n1 = 2", "[tunnels.1]"),
        ("tunnels = 3", "[tunnels.1]"),
        ("[tunnels.1]\noffset == 1", "line 2"),
    ],
)
def test_a_wrong_legend_is_told(legend, words):
    (finding,) = board.validate(QUADRANT, legend).findings
    assert finding.code == "F-LEGEND"
    assert words in finding.message


@pytest.mark.parametrize(
    ("legend", "offsets"),
    [
        ("", {"1": 0, "2": 0}),
        ("[tunnels.2]\nquadrant_offset = 3", {"1": 0, "2": 3}),
        ("[tunnels.1]\n", {"1": 0, "2": 0}),
        ("[tunnels.1]\nquadrant_offset = 1\ncolour = 'red'\n[map]\nname = 'x'", {"1": 1, "2": 0}),
        ("[tunnels.1]\r\nquadrant_offset = 2\r\n", {"1": 2, "2": 0}),
    ],
)
def test_a_legend_sets_offsets_and_may_say_more(legend, offsets):
    assert parse(QUADRANT, legend)[0].offsets == offsets


def test_a_section_for_a_tunnel_of_a_neighbour_is_passed_over():
    legend = "[tunnels.2]\nquadrant_offset = 1\n[tunnels.3]\nquadrant_offset = 1"
    assert parse(QUADRANT, legend, neighbours="34")[0].offsets == {"1": 0, "2": 1}
    assert codes_of(QUADRANT, legend, neighbours="4") == ["F-LEGEND"]
    assert codes_of(QUADRANT, "[tunnels.34]", neighbours="34") == ["F-LEGEND"]
