"""The picture of a board: what the dashboard draws."""

from __future__ import annotations

from typing import Any

from dojo_core.game import Setup
from dojo_core.labirinto.setup import WIDTH

# A square code: its name and a colour that colour-blind people can tell from the others
# (Okabe and Ito's palette, lightened).
COLORS = {
    ".": ("Tatami", "#f4efe2"),
    "S": ("Safe Room", "#cfe3f5"),
    "D": ("Central Dojo", "#3b3b3b"),
    "A": ("Allenamento", "#8fd1b9"),
    "F": ("Fatica", "#e8a27c"),
    "?": ("Nebbia del Dojo", "#d3d3d3"),
    "T": ("Tunnel", "#8cc8ee"),
    "P": ("Passo Falso", "#f3e48c"),
    "K": ("Sfida", "#dda6c4"),
}


def board_picture(setup: Setup) -> dict[str, Any]:
    """Return the board as `dojo_core.game.Game.board` describes it."""
    board = setup.tables.board
    codes = [str(code) for code in board.codes.ravel()]
    return {
        "rows": WIDTH,
        "columns": WIDTH,
        "codes": codes,
        "walls": _walls(board.open_sides),
        "links": [[a, int(b)] for a, b in enumerate(board.links) if a < b],
        "colors": {code: list(COLORS["T" if code.isdigit() else code]) for code in codes},
    }


def _walls(open_sides: Any) -> list[list[int]]:
    """Return each wall once, as the grid corners it runs between."""
    walls = []
    for row in range(WIDTH):
        for column in range(WIDTH):
            north, east, south, west = (bool(side) for side in open_sides[row, column])
            if not north:
                walls.append([row, column, row, column + 1])
            if not west:
                walls.append([row, column, row + 1, column])
            if not south and row == WIDTH - 1:
                walls.append([row + 1, column, row + 1, column + 1])
            if not east and column == WIDTH - 1:
                walls.append([row, column + 1, row + 1, column + 1])
    return walls
