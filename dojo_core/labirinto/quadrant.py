"""The notation of a quadrant: from text to codes and walls, with every format error told, and back.

The format is described in board/README.md. A quadrant is the top left corner of the board; rows
and columns are counted from 0 at its top left.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# What a square is called, by its code. The nine tunnel digits share the code T in reports.
SQUARES = {
    ".": "Tatami",
    "A": "Allenamento",
    "F": "Fatica",
    "?": "Nebbia del Dojo",
    "T": "Tunnel",
    "P": "Passo Falso",
    "K": "Sfida",
    "S": "Safe Room",
    "D": "Central Dojo",
}
TUNNELS = "123456789"
CODES = "SD.AF?PK" + TUNNELS

# The sides of a square, in the order of the last axis of every `open_sides`.
NORTH, EAST, SOUTH, WEST = range(4)
SIDE_NAMES = ("north", "east", "south", "west")

ROWS = 8  # of a quadrant, as many as its columns
LINES = 2 * ROWS + 1
WIDTH = 4 * ROWS + 1
DOJO = frozenset((row, column) for row in (6, 7) for column in (6, 7))

# The comment that a rendered board carries, so that it can name the quadrant it was made from.
RENDERED_FROM = "# Rendered from "

Codes = npt.NDArray[np.str_]
Flags = npt.NDArray[np.bool_]
Square = tuple[int, int]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a board, or worth knowing.

    Attributes:
        code: ``F-...`` the board cannot be built, ``E-...`` it breaks a rule of design, ``W-...``
            a warning, ``X-...`` a remark.
        message: One sentence: what, where, and what to do about it.
        row: The row concerned, from 0; None when no single row is.
        column: The column concerned, from 0; None when no single column is.
    """

    code: str
    message: str
    row: int | None = None
    column: int | None = None


@dataclass(frozen=True, eq=False)
class Quadrant:
    """A quadrant without format errors.

    Attributes:
        codes: Shape (8, 8), one character a square.
        open_sides: Shape (8, 8, 4), True where a side (north, east, south, west) has no wall.
        offsets: By tunnel digit, the quarter turns from a tunnel's first square to its link.
    """

    codes: Codes
    open_sides: Flags
    offsets: Mapping[str, int]


def parse(
    text: str, legend_text: str = "", neighbours: str = ""
) -> tuple[Quadrant | None, list[Finding]]:
    """Read a quadrant and its legend.

    Args:
        text: The quadrant in notation.
        legend_text: The TOML of the tunnel links; empty without one.
        neighbours: Tunnel digits of other quadrants that share this legend; a section for one
            of them is no mistake here.

    Returns:
        The quadrant, or None when anything is wrong, and every format error that can be told.
    """
    lines = list(_notation_lines(text))
    findings = _size_findings(text, lines)
    if findings:
        return None, findings + _read_legend(legend_text, None, neighbours)[1]
    grid, findings = _read_grid(lines)
    findings += _border_findings(grid) + _seam_findings(grid) + _dojo_findings(grid)
    tunnels = tunnel_squares(grid.codes)
    findings += _tunnel_findings(tunnels)
    offsets, legend_findings = _read_legend(legend_text, sorted(tunnels), neighbours)
    findings += legend_findings
    if findings:
        return None, findings
    return Quadrant(grid.codes, grid.open_sides(), offsets), []


def notation(codes: Codes, open_sides: Flags) -> list[str]:
    """Return the lines that draw squares and walls: 2n + 1 lines of 4n + 1 characters.

    Args:
        codes: Shape (n, n), one character a square.
        open_sides: Shape (n, n, 4), in the order north, east, south, west.
    """
    lines = []
    for row_codes, row_open in zip(codes, open_sides, strict=True):
        lines.append(_wall_line(row_open[:, NORTH]))
        cells = "".join(
            f"{' ' if west else '|'} {code} "
            for code, west in zip(row_codes, row_open[:, WEST], strict=True)
        )
        lines.append(cells + (" " if row_open[-1, EAST] else "|"))
    lines.append(_wall_line(open_sides[-1, :, SOUTH]))
    return lines


def tunnel_squares(codes: Codes) -> dict[str, list[Square]]:
    """Return the squares of each tunnel digit, in reading order."""
    found: dict[str, list[Square]] = {}
    for row, column in np.argwhere(np.isin(codes, list(TUNNELS))).tolist():
        found.setdefault(str(codes[row, column]), []).append((row, column))
    return found


def is_rendered(text: str) -> bool:
    """Tell whether `text` is a whole board in notation rather than a quadrant."""
    lines = list(_notation_lines(text))
    return len(lines) == 2 * LINES - 1 and len(lines[0].text) in (2 * WIDTH - 2, 2 * WIDTH - 1)


def _wall_line(open_sides: Flags) -> str:
    return "+" + "".join("   +" if is_open else "---+" for is_open in open_sides)


# Reading the lines


class _Line(NamedTuple):
    number: int  # in the file, from 1
    text: str  # without blanks at its end


class _Misprint(NamedTuple):
    position: int  # in the line, from 0
    found: str
    expected: str


_OPEN, _WALL, _UNREADABLE = 0, 1, 2


@dataclass(frozen=True)
class _Grid:
    """What the lines say, the unreadable included: a code "" or a wall `_UNREADABLE`."""

    codes: Codes
    horizontal: npt.NDArray[np.int8]  # (9, 8): above row 0, ..., below row 7
    vertical: npt.NDArray[np.int8]  # (8, 9): left of column 0, ..., right of column 7

    def open_sides(self) -> Flags:
        sides = (
            self.horizontal[:-1],
            self.vertical[:, 1:],
            self.horizontal[1:],
            self.vertical[:, :-1],
        )
        walls: npt.NDArray[np.int8] = np.stack(sides, axis=-1)
        return np.equal(walls, _OPEN)


def _notation_lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if line.strip() and not line.startswith("#"):
            yield _Line(number, line.rstrip())


def _size_findings(text: str, lines: list[_Line]) -> list[Finding]:
    if is_rendered(text):
        return [Finding("F-SIZE", _rendered_message(text))]
    if not lines:
        return [
            Finding(
                "F-SIZE",
                f"there is no quadrant in the file, only comments and blanks: draw 8x8 squares in"
                f" {LINES} lines of {WIDTH} characters",
            )
        ]
    findings = []
    if len(lines) != LINES:
        rows = f", {len(lines) // 2} rows of squares" if len(lines) % 2 else ""
        findings.append(
            Finding(
                "F-SIZE",
                f"the quadrant has {len(lines)} lines{rows}, expected {LINES} for 8 rows: add or"
                f" remove rows so that it is 8x8",
            )
        )
    widest = max(lines, key=lambda line: len(line.text))
    columns = (len(widest.text) + 1) // 4
    if len(widest.text) > WIDTH or columns < ROWS:
        findings.append(
            Finding(
                "F-SIZE",
                f"the widest line, line {widest.number}, has {len(widest.text)} characters,"
                f" expected {WIDTH} for 8 columns of squares: add or remove columns so that the"
                f" quadrant is 8x8",
            )
        )
    return findings


def _rendered_message(text: str) -> str:
    sources = re.findall(f"^{RENDERED_FROM}(.*?)\\s*$", text, re.MULTILINE)
    source = sources[0] if sources else "the file it was rendered from (board/quadrant.txt?)"
    return f"this is a rendered 16x16 board, not a quadrant: give {source} instead"


def _read_grid(lines: list[_Line]) -> tuple[_Grid, list[Finding]]:
    grid = _Grid(
        np.full((ROWS, ROWS), "", "U1"),
        np.zeros((ROWS + 1, ROWS), np.int8),
        np.zeros((ROWS, ROWS + 1), np.int8),
    )
    findings: list[Finding] = []
    for index, line in enumerate(lines):
        row = index // 2
        if index % 2 == 0:
            misprints = _read_walls(line.text, grid.horizontal[row])
        else:
            misprints = _read_squares(line.text, grid.codes[row], grid.vertical[row])
            findings += _code_findings(line, row, grid.codes[row])
        if misprints:
            findings.append(_glyph_finding(line, min(row, ROWS - 1), misprints))
    return grid, findings


def _read_walls(text: str, walls: npt.NDArray[np.int8]) -> list[_Misprint]:
    """Fill the walls of a line between rows; the last ``+`` may be missing."""
    text = text if len(text) == WIDTH else text.ljust(WIDTH - 1) + "+"
    misprints = [
        _Misprint(at, text[at], "a corner '+'") for at in range(0, WIDTH, 4) if text[at] != "+"
    ]
    for column in range(ROWS):
        at = 4 * column + 1
        walls[column] = _wall(text[at : at + 3], "---")
        if walls[column] == _UNREADABLE:
            misprints.append(_Misprint(at, text[at : at + 3], "a wall '---' or three blanks"))
    return misprints


def _read_squares(text: str, codes: Codes, walls: npt.NDArray[np.int8]) -> list[_Misprint]:
    """Fill the codes and the walls of a row of squares, as they stand in the line."""
    text = text.ljust(WIDTH)
    misprints = []
    for column in range(ROWS + 1):
        at = 4 * column
        walls[column] = _wall(text[at], "|")
        if walls[column] == _UNREADABLE:
            misprints.append(_Misprint(at, text[at], "a wall '|' or a blank"))
    for column in range(ROWS):
        at = 4 * column + 1
        codes[column] = text[at + 1]
        misprints += [
            _Misprint(beside, text[beside], "a blank beside the code")
            for beside in (at, at + 2)
            if text[beside] != " "
        ]
    return misprints


def _wall(text: str, wall: str) -> int:
    if text == wall:
        return _WALL
    return _OPEN if text == " " * len(wall) else _UNREADABLE


def _glyph_finding(line: _Line, row: int, misprints: list[_Misprint]) -> Finding:
    position, found, expected = min(misprints)
    more = f" (and {len(misprints) - 1} more in this line)" if misprints[1:] else ""
    tab = "; a tab has no width, use blanks" if "\t" in line.text else ""
    column = min(position // 4, ROWS - 1)
    message = (
        f"line {line.number}, character {position + 1}, by row {row}, column {column}, is"
        f" {found!r}, expected {expected}{more}{tab}"
    )
    return Finding("F-GLYPH", message, row, column)


def _code_findings(line: _Line, row: int, codes: Codes) -> list[Finding]:
    """Tell the codes that do not exist, and blank them."""
    findings = []
    for column, code in enumerate(codes.tolist()):
        if code in CODES and code:
            continue
        codes[column] = ""
        found = f"{code!r} is no code" if code.strip() else "the code is missing"
        capital = f"; did you mean {code.upper()!r}?" if code.upper() in CODES and code else ""
        digit = "; a tunnel is a digit from 1 to 9" if code in ("T", "t", "0") else ""
        message = (
            f"row {row}, column {column} (line {line.number}): {found}{capital}{digit}, expected"
            f" one of {' '.join('SD.AF?PK')} or a digit from 1 to 9"
        )
        findings.append(Finding("F-CODE", message, row, column))
    return findings


# Format errors of the whole quadrant


def _border_findings(grid: _Grid) -> list[Finding]:
    top = [
        Finding(
            "F-BORDER",
            f"the outer border is open above row 0, column {column}: draw '---' there",
            0,
            column,
        )
        for column in range(ROWS)
        if grid.horizontal[0, column] == _OPEN
    ]
    left = [
        Finding(
            "F-BORDER",
            f"the outer border is open left of row {row}, column 0: draw '|' there",
            row,
            0,
        )
        for row in range(ROWS)
        if grid.vertical[row, 0] == _OPEN
    ]
    return top + left


def _seam_findings(grid: _Grid) -> list[Finding]:
    words = {_OPEN: "open", _WALL: "walled"}
    findings = []
    for i in range(ROWS):
        right, bottom = int(grid.vertical[i, ROWS]), int(grid.horizontal[ROWS, i])
        if right != bottom and _UNREADABLE not in (right, bottom):
            message = (
                f"the right border is {words[right]} at row {i}, column 7, but the bottom border"
                f" is {words[bottom]} at row 7, column {i}: rotation lays one on the other, so"
                f" make both walled or both open"
            )
            findings.append(Finding("F-SEAM", message, i, ROWS - 1))
    return findings


def _dojo_findings(grid: _Grid) -> list[Finding]:
    findings = []
    for row, column in np.ndindex(ROWS, ROWS):
        code = str(grid.codes[row, column])
        inside = (row, column) in DOJO
        if not code or (code == "D") == inside:
            continue
        message = (
            f"row {row}, column {column} is {code!r}, but the Dojo's share is rows 6-7, columns"
            f" 6-7: write 'D' there"
            if inside
            else f"row {row}, column {column} is 'D', but the Dojo's share is rows 6-7, columns"
            f" 6-7 and nothing else: give the square another code"
        )
        findings.append(Finding("F-DOJO", message, row, column))
    return findings


def _tunnel_findings(tunnels: Mapping[str, list[Square]]) -> list[Finding]:
    return [
        Finding(
            "F-TUNNEL",
            f"tunnel {digit} is on {len(squares)} square{'s' if squares[1:] else ''}"
            f" ({', '.join(f'row {row}, column {column}' for row, column in squares)}), expected"
            f" exactly two: a digit names a pair",
            *squares[0],
        )
        for digit, squares in sorted(tunnels.items())
        if len(squares) != 2
    ]


# The legend


def _read_legend(
    text: str, digits: list[str] | None, neighbours: str
) -> tuple[dict[str, int], list[Finding]]:
    """Return the offset of every digit (0 unless the legend says otherwise) and what is wrong.

    Without `digits` (the quadrant could not be read) any digit may have a section.
    """
    offsets = dict.fromkeys(digits or [], 0)
    try:
        sections = tomllib.loads(text).get("tunnels", {})
    except tomllib.TOMLDecodeError as error:
        return offsets, [_legend_finding(f"the legend is no TOML: {error}; correct it")]
    if not isinstance(sections, dict):
        return offsets, [
            _legend_finding(
                f"tunnels = {sections!r} in the legend, expected sections such as [tunnels.1]"
            )
        ]
    findings = []
    for digit, section in sections.items():
        problem = _section_problem(digit, section, digits, neighbours)
        if problem:
            findings.append(_legend_finding(problem))
        elif digit in offsets:
            offsets[digit] = section.get("quadrant_offset", 0)
    return offsets, findings


def _section_problem(digit: str, section: Any, digits: list[str] | None, neighbours: str) -> str:
    """Return what is wrong with the section of one tunnel, or nothing."""
    if not isinstance(section, dict):
        return (
            f"tunnels.{digit} = {section!r} in the legend, expected a section [tunnels.{digit}]"
            f" with quadrant_offset"
        )
    offset = section.get("quadrant_offset", 0)
    if type(offset) is not int or not 0 <= offset <= 3:
        return (
            f"quadrant_offset = {offset!r} of [tunnels.{digit}] in the legend, expected 0, 1, 2"
            f" or 3 quarter turns"
        )
    if digits is not None and digit not in {*digits, *neighbours}:
        has = f"its tunnels are {', '.join(digits)}" if digits else "it has no tunnels"
        return (
            f"the legend has a section [tunnels.{digit}], but this quadrant has no tunnel"
            f" {digit}; {has}: remove the section, or give the quadrant a legend of its own,"
            f" NAME.legend.toml"
        )
    return ""


def _legend_finding(message: str) -> Finding:
    return Finding("F-LEGEND", message)
