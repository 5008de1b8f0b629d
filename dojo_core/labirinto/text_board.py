"""The board as text: its walls, what stands on its squares, and marks for what may be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# The ways out of a square: their letters in a question, and where they lead.
WAYS = {"n": (-1, 0), "e": (0, 1), "s": (1, 0), "w": (0, -1)}

Place = tuple[int, int]


class TextBoard:
    """The board of a trace's setup, square by square.

    Args:
        board: The field ``board`` of the setup: its drawing, and the pairs of tunnels.
    """

    def __init__(self, board: Mapping[str, Any]) -> None:
        self.lines: Sequence[str] = board["lines"]
        self.size = len(self.lines) // 2
        self.links: dict[Place, Place] = {}
        for a, b in board["links"]:
            self.links[a[0], a[1]] = (b[0], b[1])
            self.links[b[0], b[1]] = (a[0], a[1])

    def code(self, place: Place) -> str:
        """Return a square's letter, a digit for a tunnel."""
        return self.lines[2 * place[0] + 1][4 * place[1] + 2]

    def way(self, place: Place, to: Place) -> str:
        """Return the letter of the way between two neighbours."""
        offset = (to[0] - place[0], to[1] - place[1])
        return next(way for way, step in WAYS.items() if step == offset)

    def ways(self, place: Place) -> Iterator[Place]:
        """Yield the neighbours that no wall keeps off."""
        row, column = place
        for down, right in WAYS.values():
            wall = self.lines[2 * row + 1 + down][4 * column + 2 + 2 * right]
            if wall == " ":
                yield row + down, column + right

    def entrance(self, place: Place) -> Place | None:
        """Return the square of the Dojo that can be entered from here, if there is one."""
        if self.code(place) == "D":
            return None
        return next((to for to in self.ways(place) if self.code(to) == "D"), None)

    def draw(self, pawns: Mapping[Place, Sequence[int]], marks: Mapping[Place, str]) -> list[str]:
        """Draw the board with numbers beside it.

        Args:
            pawns: The seats on each square: ``P1`` is seat 0; ``P13`` are seats 0 and 2.
            marks: One or two characters on each square that may be chosen.
        """
        numbers = "".join(f"  {column:<2}" for column in range(self.size))
        drawn = [f"    {numbers}".rstrip()]
        for index, line in enumerate(self.lines):
            if index % 2 == 0:
                drawn.append(f"    {line}")
                continue
            row = index // 2
            cells = [
                line[4 * column]
                + _cell(
                    self.code((row, column)),
                    pawns.get((row, column), ()),
                    marks.get((row, column), ""),
                )
                for column in range(self.size)
            ]
            drawn.append(f"{row:>3} {''.join(cells)}{line[4 * self.size]}")
        return drawn


def _cell(code: str, seats: Sequence[int], mark: str) -> str:
    """Return the three characters of a square; plain ones are left empty."""
    code = " " if code == "." else code
    if mark:
        return f"{mark:>2}" + ("@" if seats else "T" if code.isdigit() else code)
    if not seats:
        return f" {code} "
    names = "".join(str(seat + 1) for seat in seats)
    if len(seats) == 1:
        return f"{code}P{names}"
    return f"P{names}" if len(seats) == 2 else names[:3]
