"""What is wrong with the design of a board that can be built, and what is worth knowing of it.

By rotation every quadrant is the same, so errors are told for quadrant 0, the top left one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dojo_core.labirinto.quadrant import (
    DOJO,
    EAST,
    ROWS,
    SIDE_NAMES,
    SOUTH,
    SQUARES,
    TUNNELS,
    Finding,
    Square,
    tunnel_squares,
)

if TYPE_CHECKING:
    from dojo_core.labirinto.board import Board

# What a finding is, by the first letter of its code; the gravest first.
KINDS = {"F": "format error", "E": "design error", "W": "warning", "X": "remark"}

LONGEST_MOVE = 13  # two sixes and an extra step
TATAMI_PERCENT = (30, 40)


@dataclass(frozen=True)
class Tunnel:
    """The four links of one tunnel digit.

    Attributes:
        digit: The digit of the two squares in the quadrant.
        offset: Quarter turns from the first square's quadrant to its link's.
        links: Four pairs of linked squares of the board.
    """

    digit: str
    offset: int
    links: tuple[tuple[Square, Square], ...]


@dataclass(frozen=True)
class Entrance:
    """A way into the Dojo: the square outside, the side it leaves by, the Dojo's square."""

    outside: Square
    side: str
    inside: Square


@dataclass(frozen=True)
class Report:
    """What `dojo board validate` says of a board.

    Attributes:
        findings: Errors first, then warnings, then remarks.
        squares: How many squares of a quadrant have each code, all tunnels as ``T``.
        tunnels: The tunnels and their links.
        entrances: The Dojo entrances of quadrant 0.
        walks: By corner: steps of the shortest walk from the Safe Room into the Dojo, the step
            into it included, without tunnels; None when there is no way.
    """

    findings: tuple[Finding, ...]
    squares: dict[str, int]
    tunnels: tuple[Tunnel, ...] = ()
    entrances: tuple[Entrance, ...] = ()
    walks: tuple[int | None, ...] = ()

    @property
    def exit_code(self) -> int:
        """2 with a format error, 1 with an error of design, 0 otherwise."""
        kinds = {finding.code[0] for finding in self.findings}
        return 2 if "F" in kinds else 1 if "E" in kinds else 0

    @property
    def verdict(self) -> str:
        """How many findings there are of each kind, in a few words."""
        counts = Counter(KINDS[finding.code[0]] for finding in self.findings)
        told = [
            f"{counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}"
            for kind in KINDS.values()
            if counts[kind]
        ]
        return ", ".join(told) or "fine"

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data for JSON."""
        return {"exit_code": self.exit_code, **asdict(self)}


def examine(board: Board) -> Report:
    """Return everything there is to say of a board that could be built."""
    return Report(
        findings=(*design_errors(board), *_warnings(board), *_dead_ends(board)),
        squares=_square_mix(board),
        tunnels=_tunnels(board),
        entrances=tuple(_entrances(board)),
        walks=tuple(_walk_into_dojo(board, corner) for corner in range(4)),
    )


def design_errors(board: Board) -> list[Finding]:
    """Return the errors of design of a board, those that its warnings and remarks are not."""
    return [
        *_dojo_walls(board),
        *_entrance_errors(board),
        *_room_errors(board),
        *_unreachable(board),
    ]


def describe(report: Report) -> Iterator[str]:
    """Tell a report in lines of text."""
    for finding in report.findings:
        yield f"{finding.code}  {finding.message}"
    if not report.squares:
        return
    if report.findings:
        yield ""
    playable = _playable(report.squares)
    yield f"Squares of a quadrant ({playable} outside Safe Room and Dojo)"
    for code, name in SQUARES.items():
        count = report.squares[code]
        share = f"{count / playable:7.1%}" if code not in "SD" and playable else ""
        yield f"  {code}  {name:<16}{count:3}{share}"
    yield f"Tunnels: {len(report.tunnels)} pairs a quadrant"
    for tunnel in report.tunnels:
        links = ", ".join(f"{a}-{b}" for a, b in tunnel.links)
        yield f"  {tunnel.digit}  quadrant_offset {tunnel.offset}: {links}"
    yield f"Dojo entrances: {len(report.entrances)} a quadrant"
    for entrance in report.entrances:
        yield f"  from {entrance.outside} going {entrance.side}"
    walks = ", ".join("none" if steps is None else f"{steps}" for steps in report.walks)
    yield f"Shortest walk from each Safe Room into the Dojo, in steps: {walks}"


# The Dojo


def _dojo_walls(board: Board) -> Iterator[Finding]:
    for row, column in sorted(DOJO):
        for side in (EAST, SOUTH):  # the other two are another square's, or entrances
            if not board.open_sides[row, column, side]:
                seam = " on the seam" if max(board.beyond((row, column), side)) >= ROWS else ""
                yield Finding(
                    "E-DOJO-WALL",
                    f"a wall{seam} stands inside the Dojo, {SIDE_NAMES[side]} of row {row},"
                    f" column {column}: remove it",
                    row,
                    column,
                )


def _entrances(board: Board) -> Iterator[Entrance]:
    for inside in sorted(DOJO):
        for side, outside in board.neighbours(inside):
            if not board.is_dojo(outside):
                yield Entrance(outside, SIDE_NAMES[(side + 2) % 4], inside)


def _entrance_errors(board: Board) -> Iterator[Finding]:
    entrances = list(_entrances(board))
    if not entrances:
        yield Finding(
            "E-NO-ENTRANCE",
            "no side of the Dojo is open: open a wall above row 6, columns 6-7, or left of"
            " column 6, rows 6-7",
            6,
            6,
        )
    for entrance in entrances:
        if board.codes[entrance.outside] == "S":
            row, column = entrance.outside
            yield Finding(
                "E-ENTRANCE-ROOM",
                f"the Dojo entrance {entrance.side} of row {row}, column {column} opens into a"
                f" Safe Room: wall it, or give the square another code",
                row,
                column,
            )


# The Safe Room


def _room_errors(board: Board) -> Iterator[Finding]:
    room = _room(board)
    if (0, 0) not in room:
        yield Finding(
            "E-ROOM-CORNER",
            f"row 0, column 0 is {str(board.codes[0, 0])!r}, but the Safe Room must contain the"
            f" corner of the board: write 'S' there",
            0,
            0,
        )
    if not room:
        return
    main = max((set(_distances(board, [square], room)) for square in sorted(room)), key=len)
    apart = room - main
    if apart:
        row, column = min(apart)
        yield Finding(
            "E-ROOM-SPLIT",
            f"the Safe Room is not connected: {_listed(apart)} cannot be walked to inside it from"
            f" the rest: open a wall between, or give"
            f" {'the square' if len(apart) == 1 else 'the squares'} another code",
            row,
            column,
        )
    yield from _exit_errors(board, main)


def _exit_errors(board: Board, room: set[Square]) -> Iterator[Finding]:
    exits = [
        (square, side, outside)
        for square in sorted(room)
        for side, outside in board.neighbours(square)
        if outside not in room and not board.is_dojo(outside)
    ]
    row, column = exits[0][0] if exits else min(room)
    if len(exits) != 2:
        places = ", ".join(
            f"{SIDE_NAMES[side]} of row {square[0]}, column {square[1]}"
            for square, side, _ in exits
        )
        which = f" ({places})" if exits else ""
        yield Finding(
            "E-ROOM-EXITS",
            f"the Safe Room has {len(exits)} exit{'' if len(exits) == 1 else 's'}{which},"
            f" expected exactly 2: {'wall some' if len(exits) > 2 else 'open more'} of its sides",
            row,
            column,
        )
        return
    (inner, side, outer), (other_inner, other_side, other_outer) = exits
    if side == other_side:
        yield Finding(
            "E-ROOM-SIDE",
            f"both exits of the Safe Room are on its {SIDE_NAMES[side]} side, at row {row}, column"
            f" {column} and row {other_inner[0]}, column {other_inner[1]}: move one to another"
            f" side",
            row,
            column,
        )
    inside = _distances(board, [inner], room).get(other_inner)
    around = _distances(board, [outer], _outside_dojo(board) - room).get(other_outer)
    if inside is not None and (around is None or inside + 2 < around):
        way = "there is no way around" if around is None else f"walking around takes {around}"
        yield Finding(
            "E-SHORTCUT",
            f"the Safe Room is a shortcut: from row {outer[0]}, column {outer[1]} to row"
            f" {other_outer[0]}, column {other_outer[1]} walking through it takes {inside + 2}"
            f" steps, {way}: open walls outside it, or move an exit",
            row,
            column,
        )


# Walking


def _unreachable(board: Board) -> Iterator[Finding]:
    lost = _lost(board)
    if lost:
        row, column = min(lost)
        yield Finding(
            "E-UNREACHABLE",
            f"{_listed(lost)} cannot be walked to from a Safe Room: open a wall"
            f" around {'it' if len(lost) == 1 else 'them'}",
            row,
            column,
        )


def _lost(board: Board) -> set[Square]:
    """Return the squares of quadrant 0 that no walk from a Safe Room reaches."""
    walkable = _outside_dojo(board)
    starts = [square for square in walkable if board.codes[square] == "S"]
    if not starts:
        return set()
    lost = walkable - _distances(board, starts, walkable).keys()
    return {square for square in lost if max(square) < ROWS}


def _walk_into_dojo(board: Board, corner: int) -> int | None:
    distances = _distances(board, _room(board, corner), _outside_dojo(board))
    doorsteps = [
        steps
        for square, steps in distances.items()
        if any(board.is_dojo(beyond) for _, beyond in board.neighbours(square))
    ]
    return min(doorsteps) + 1 if doorsteps else None


def _dead_ends(board: Board) -> Iterator[Finding]:
    walkable = _outside_dojo(board)
    ways = {
        square: [beyond for _, beyond in board.neighbours(square) if beyond in walkable]
        for square in walkable
    }
    for square in sorted(walkable - _lost(board)):
        row, column = square
        if max(square) >= ROWS:
            continue
        if len(ways[square]) < 2:
            yield Finding(
                "X-DEAD-END",
                f"row {row}, column {column} is a dead end, with {len(ways[square])} open"
                f" side{'' if len(ways[square]) == 1 else 's'}: open another",
                row,
                column,
            )
            continue
        longest = _longest_walk(ways, square, LONGEST_MOVE)
        if longest < LONGEST_MOVE:
            yield Finding(
                "X-DEAD-END",
                f"from row {row}, column {column} no walk is longer than {longest} steps, so a"
                f" move can be boxed in: open another wall near it",
                row,
                column,
            )


def _longest_walk(ways: dict[Square, list[Square]], start: Square, steps: int) -> int:
    """Return the longest walk from `start` that enters no square twice, at most `steps`."""

    def walk(square: Square, left: int) -> int:
        longest = 0
        if left == 0:
            return 0
        visited.add(square)
        for beyond in ways[square]:
            if beyond not in visited:
                longest = max(longest, 1 + walk(beyond, left - 1))
            if longest == left:
                break
        visited.discard(square)
        return longest

    visited: set[Square] = set()
    return walk(start, steps)


def _distances(board: Board, starts: Iterable[Square], allowed: set[Square]) -> dict[Square, int]:
    """Return the steps to every square that can be walked to over `allowed` squares."""
    distances = dict.fromkeys(starts, 0)
    frontier = deque(distances)
    while frontier:
        square = frontier.popleft()
        for _, beyond in board.neighbours(square):
            if beyond in allowed and beyond not in distances:
                distances[beyond] = distances[square] + 1
                frontier.append(beyond)
    return distances


def _outside_dojo(board: Board) -> set[Square]:
    return {square for square in board.squares() if not board.is_dojo(square)}


def _room(board: Board, corner: int = 0) -> set[Square]:
    return {square for square in board.squares() if board.rooms[square] == corner}


# Warnings and facts


def _warnings(board: Board) -> Iterator[Finding]:
    room = _room(board)
    rows, columns = {row for row, _ in room}, {column for _, column in room}
    if room and not (len(room) == 9 and len(rows) == len(columns) == 3):
        yield Finding(
            "W-ROOM-SIZE",
            f"the Safe Room has {len(room)} squares in {len(rows)} rows and {len(columns)}"
            f" columns, the rules describe 3x3: mind that it is meant so",
            *min(room),
        )
    mix = _square_mix(board)
    low, high = TATAMI_PERCENT
    playable = _playable(mix)
    if not low * playable <= 100 * mix["."] <= high * playable:
        share = f" ({mix['.'] / playable:.1%})" if playable else ""
        yield Finding(
            "W-TATAMI",
            f"{mix['.']} of {playable} squares outside Safe Room and Dojo are Tatami{share},"
            f" expected {low}-{high}%: {'add' if 100 * mix['.'] < low * playable else 'replace'}"
            f" some",
        )


def _square_mix(board: Board) -> dict[str, int]:
    codes = board.codes[:ROWS, :ROWS].ravel().tolist()
    counted = Counter("T" if code in TUNNELS else code for code in codes)
    return {code: counted[code] for code in SQUARES}


def _playable(squares: dict[str, int]) -> int:
    return sum(count for code, count in squares.items() if code not in "SD")


def _tunnels(board: Board) -> tuple[Tunnel, ...]:
    return tuple(
        Tunnel(digit, board.offsets[digit], tuple(board.tunnel_links(digit)))
        for digit in tunnel_squares(board.codes[:ROWS, :ROWS])
    )


def _listed(squares: set[Square]) -> str:
    """Name a few squares in words."""
    named = [f"row {row}, column {column}" for row, column in sorted(squares)]
    more = f" and {len(named) - 4} more squares" if named[4:] else ""
    return "; ".join(named[:4]) + more
