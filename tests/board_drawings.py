"""Boards as text, and a naive reader of the notation, for the tests of the board."""

from pathlib import Path

from hypothesis import strategies as st

from dojo_core.labirinto import board
from dojo_core.labirinto.quadrant import DOJO

DATA = Path(__file__).parent / "boards"
SHIPPED = board.shipped_boards()
QUADRANT = "\n".join(
    line for line in SHIPPED["quadrant"].read_text().splitlines() if not line.startswith("#")
)

# No inner walls but the Safe Room's, whose exits are east of (1,2) and south of (2,1).
FIELD = """\
+---+---+---+---+---+---+---+---+
| S   S   S | .   .   .   .   .
+   +   +   +   +   +   +   +   +
| S   S   S   .   .   A   .   .
+   +   +   +   +   +   +   +   +
| S   S   S | .   .   .   .   1
+---+   +---+   +   +   +   +   +
| .   .   .   .   .   .   .   .
+   +   +   +   +   +   +   +   +
| .   P   .   F   F   .   ?   .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   .   .   .
+   +   +   +   +   +   +   +---+
| .   K   .   ?   .   F   D   D
+   +   +   +   +   +   +   +   +
| .   .   2   .   1   2 | D   D
+   +   +   +   +   +   +   +   +
"""


def with_code(text, row, column, code):
    """Return a quadrant's text with another code on a square."""
    return with_text(text, 2 * row + 1, 4 * column + 2, code)


def with_text(text, line, position, new):
    """Return a text with some of a line's characters (both from 0) replaced."""
    lines = [line.ljust(33) for line in text.splitlines()]
    old = lines[line]
    lines[line] = old[:position] + new + old[position + len(new) :]
    return "\n".join(lines)


def with_wall(text, row, column, side, wall=True):
    """Return a quadrant's text with a wall put up or taken down beside a square."""
    line, position, glyph = {
        "N": (2 * row, 4 * column + 1, "---"),
        "S": (2 * row + 2, 4 * column + 1, "---"),
        "W": (2 * row + 1, 4 * column, "|"),
        "E": (2 * row + 1, 4 * column + 4, "|"),
    }[side]
    return with_text(text, line, position, glyph if wall else " " * len(glyph))


def drawn(text):
    """Read a drawing of any size: the code of each square and the set of its open sides."""
    lines = text.splitlines()
    width = max(len(line) for line in lines)
    lines = [line.ljust(width) for line in lines]
    codes, open_sides = {}, {}
    for row in range(len(lines) // 2):
        above, squares, below = lines[2 * row : 2 * row + 3]
        for column in range(width // 4):
            at = 4 * column
            codes[row, column] = squares[at + 2]
            beside = {
                "N": above[at + 1 : at + 4],
                "E": squares[at + 4],
                "S": below[at + 1 : at + 4],
                "W": squares[at],
            }
            open_sides[row, column] = {side for side, text in beside.items() if text.isspace()}
    return codes, open_sides


def built(text, legend=""):
    """Return the board of a quadrant that must be readable."""
    quadrant, findings = board.parse(text, legend)
    assert quadrant is not None, findings
    return board.build(quadrant)


def codes_of(text, legend="", **more):
    """Return the codes of the findings of a quadrant, in their order."""
    return [finding.code for finding in board.validate(text, legend, **more).findings]


def open_names(flags):
    """Return the letters of the open sides of a square, from its row of `open_sides`."""
    return {side for side, is_open in zip("NESW", flags, strict=True) if is_open}


@st.composite
def quadrants(draw):
    """Any quadrant without format errors, as text without comments."""
    walls = st.sampled_from([" ", "|"])
    horizontal = [["|"] * 8] + [[draw(walls) for _ in range(8)] for _ in range(8)]
    vertical = [["|"] + [draw(walls) for _ in range(7)] + [horizontal[8][row]] for row in range(8)]
    codes = [[draw(st.sampled_from("S.AF?PK")) for _ in range(8)] for _ in range(8)]
    free = [(row, column) for row in range(8) for column in range(8) if (row, column) not in DOJO]
    squares = draw(st.permutations(free))
    for digit in range(1, draw(st.integers(0, 9)) + 1):
        for row, column in (squares.pop(), squares.pop()):
            codes[row][column] = str(digit)
    for row, column in DOJO:
        codes[row][column] = "D"
    lines = []
    for row in range(9):
        lines.append("+" + "".join(("---" if w == "|" else "   ") + "+" for w in horizontal[row]))
        if row < 8:
            squares_line = zip(vertical[row], codes[row], strict=False)
            lines.append("".join(f"{w} {code} " for w, code in squares_line) + vertical[row][8])
    return "\n".join(lines)
