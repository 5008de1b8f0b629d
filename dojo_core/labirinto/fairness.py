"""Whether the four corners win equally often, as they must when all players are equal.

The board looks the same from every corner and the first player is drawn, so that a corner which
wins more would mean an engine, or a player, that favours squares by how they are numbered.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dojo_core.game import Game

CORNERS = 4
BLOCK = 5_000


def corner_wins(game: Game, options: dict[str, Any], seed: int, plays: int) -> list[int]:
    """Return the plays won from each corner's Safe Room."""
    setup = game.prepare(game.resolve(options))
    wins = np.zeros(CORNERS, np.int64)
    for first in range(0, plays, BLOCK):
        count = min(BLOCK, plays - first)
        out = game.out(setup, count)
        game.play(setup, seed, first, count, out)
        wins += np.bincount(out.seats["corner"][out.seats["won"] == 1], minlength=CORNERS)
    return [int(count) for count in wins]


def chi_squared(wins: list[int]) -> tuple[float, float]:
    """Return the chi-squared statistic of equal shares, and its probability.

    The probability is the exact upper tail with three degrees of freedom:
    erfc(sqrt(x/2)) + sqrt(2x/pi) exp(-x/2).
    """
    expected = sum(wins) / CORNERS
    if expected == 0:
        return 0.0, 1.0
    statistic = sum((count - expected) ** 2 for count in wins) / expected
    tail = math.erfc(math.sqrt(statistic / 2))
    tail += math.sqrt(2 * statistic / math.pi) * math.exp(-statistic / 2)
    return statistic, tail
