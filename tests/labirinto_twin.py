"""A naive twin, in plain Python, of what the engine optimises: the board and the walks on it.

Nothing here is clever: walks are listed one by one, and everything else is read off the list. It
shares no code with the engine, so that the two can be compared.

Squares are numbers ``16 * row + column``; a walk is the tuple of squares stepped onto, the square
it starts on left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

SIZE = 16
HALF = 8
SQUARES = SIZE * SIZE


@dataclass(frozen=True)
class Grid:
    """The whole board.

    Attributes:
        codes: A code a square, as printed on the quadrant (a tunnel's is its digit).
        openings: The pairs of squares, lower one first, with no wall between them.
    """

    codes: tuple[str, ...]
    openings: frozenset[tuple[int, int]]

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours over an open side of each square, the Dojo's squares included."""
        near: list[list[int]] = [[] for _ in range(SQUARES)]
        for one, other in sorted(self.openings):
            near[one].append(other)
            near[other].append(one)
        return tuple(tuple(squares) for squares in near)

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each square with the Dojo closed; none for a square of the Dojo."""
        return tuple(
            () if self.codes[s] == "D" else tuple(t for t in self.sides[s] if self.codes[t] != "D")
            for s in range(SQUARES)
        )

    @cached_property
    def doors(self) -> tuple[tuple[int, ...], ...]:
        """The squares of the Dojo that one step from each square outside it leads to."""
        return tuple(
            () if self.codes[s] == "D" else tuple(t for t in self.sides[s] if self.codes[t] == "D")
            for s in range(SQUARES)
        )

    @cached_property
    def playable(self) -> tuple[int, ...]:
        """Every square outside the Dojo."""
        return tuple(s for s in range(SQUARES) if self.codes[s] != "D")

    def room(self, corner: int) -> tuple[int, ...]:
        """Return the squares of the Safe Room of `corner` (0 top left, then clockwise)."""
        return tuple(s for s in range(SQUARES) if self.codes[s] == "S" and quadrant(s) == corner)


def quadrant(square: int) -> int:
    """Return the quadrant a square lies in: 0 top left, then clockwise."""
    row, column = divmod(square, SIZE)
    return (0, 1, 3, 2)[2 * (row >= HALF) + (column >= HALF)]


def turned(square: int) -> int:
    """Return where a square goes when the board is turned a quarter clockwise."""
    row, column = divmod(square, SIZE)
    return SIZE * column + SIZE - 1 - row


def read_lines(lines: Sequence[str], size: int) -> Grid:
    """Read `size` rows of cells in the quadrant's notation; what lies beyond stays blank.

    A side that opens beyond the last row or column is an opening too: a seam.
    """
    codes = [" "] * SQUARES
    openings = set()
    padded = [line.ljust(4 * size + 1) for line in lines]
    for row in range(size):
        for column in range(size):
            square = SIZE * row + column
            codes[square] = padded[2 * row + 1][4 * column + 2]
            if padded[2 * row + 1][4 * column + 4] == " " and column + 1 < SIZE:
                openings.add((square, square + 1))
            if padded[2 * row + 2][4 * column + 2] == " " and row + 1 < SIZE:
                openings.add((square, square + SIZE))
    return Grid(tuple(codes), frozenset(openings))


def read_board(lines: Sequence[str]) -> Grid:
    """Read a whole board: 33 lines in the quadrant's notation."""
    return read_lines(lines, SIZE)


def read_quadrant(text: str) -> Grid:
    """Read a quadrant and turn it into a whole board."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    codes, openings = list(read_lines(lines, HALF).codes), set(read_lines(lines, HALF).openings)
    turning = {s: s for s in range(SQUARES) if codes[s] != " "}
    first, edges = dict(turning), set(openings)
    for _ in range(3):
        turning = {s: turned(t) for s, t in turning.items()}
        edges = {tuple(sorted((turned(one), turned(other)))) for one, other in edges}
        for square, image in turning.items():
            codes[image] = codes[first[square]]
        openings |= edges
    return Grid(tuple(codes), frozenset(openings))


def draw_board(grid: Grid) -> list[str]:
    """Return the 33 lines of a whole board: the opposite of `read_board`."""
    border = "+" + "---+" * SIZE
    lines = [border]
    for row in range(SIZE):
        cells, floor = "|", "+"
        for column in range(SIZE):
            square = SIZE * row + column
            cells += f" {grid.codes[square]} "
            cells += " " if (square, square + 1) in grid.openings else "|"
            floor += "   +" if (square, square + SIZE) in grid.openings else "---+"
        lines += [cells, floor]
    return lines


def walks(
    grid: Grid, square: int, steps: int, visited: frozenset[int] = frozenset()
) -> Iterator[tuple[int, ...]]:
    """List every walk of exactly `steps` steps that enters no visited square and none twice."""
    visited |= {square}
    if steps == 0:
        yield ()
        return
    for to in grid.near[square]:
        if to not in visited:
            for rest in walks(grid, to, steps - 1, visited):
                yield (to, *rest)


def longest(grid: Grid, square: int, steps: int, visited: frozenset[int] = frozenset()) -> int:
    """Return the length of the longest walk of at most `steps` steps."""
    while not any(True for _ in walks(grid, square, steps, visited)):
        steps -= 1
    return steps


def longest_walks(
    grid: Grid, square: int, steps: int, visited: frozenset[int] = frozenset()
) -> list[tuple[int, ...]]:
    """List the longest walks of at most `steps` steps."""
    return list(walks(grid, square, longest(grid, square, steps, visited), visited))


def legal_steps(
    grid: Grid, square: int, steps: int, visited: frozenset[int] = frozenset()
) -> set[int]:
    """Return the first squares of the longest walks: empty when boxed in."""
    return {walk[0] for walk in longest_walks(grid, square, steps, visited) if walk}


def ends(grid: Grid, square: int, steps: int, visited: frozenset[int] = frozenset()) -> set[int]:
    """Return the last squares of the longest walks: the square itself when boxed in."""
    return {(square, *walk)[-1] for walk in longest_walks(grid, square, steps, visited)}


def fatica_squares(grid: Grid, walk: Sequence[int]) -> int:
    """Return how many Fatica squares a walk steps onto."""
    return sum(grid.codes[square] == "F" for square in walk)


def fewest_fatica(
    grid: Grid, square: int, steps: int, visited: frozenset[int] = frozenset()
) -> int:
    """Return the fewest Fatica squares of any of the longest walks."""
    found = longest_walks(grid, square, steps, visited)
    return min(fatica_squares(grid, walk) for walk in found)


def thrifty_steps(
    grid: Grid, square: int, steps: int, visited: frozenset[int] = frozenset()
) -> set[int]:
    """Return the first squares of those longest walks that have the fewest Fatica squares."""
    found = longest_walks(grid, square, steps, visited)
    fewest = min(fatica_squares(grid, walk) for walk in found)
    return {walk[0] for walk in found if walk and fatica_squares(grid, walk) == fewest}
