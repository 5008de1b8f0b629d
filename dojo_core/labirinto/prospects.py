"""What a square is good for, by the board alone.

That is the stripes that later moves promise from it, and how soon a Brown belt reaches the Dojo.
Worked out once for a board and its rules, in whole numbers, so that it is the same everywhere.
Squares that lie alike in the four quadrants are as good as one another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dojo_core.labirinto.chances import roll_chances
from dojo_core.labirinto.tables import (
    ALLENAMENTO,
    CERTAIN,
    FATICA,
    NEBBIA,
    NOWHERE,
    PASSO_FALSO,
    SQUARES,
    TUNNEL,
)
from dojo_core.labirinto.walks import Tree

Whole = np.ndarray[Any, np.dtype[np.int64]]

QUADRANT = 64
# A pawn is sent to Start, or swapped, every fourth turn or so: what a square promises later counts
# by so much less a turn.
LEFT_A_TURN = (3, 4)
TURNS_AHEAD = 24
# What a Nebbia card is felt to be worth on the way.
NEBBIA_CARD = CERTAIN // 4
FAR = 1 << 40


class Prospects(NamedTuple):
    """What the squares of a quadrant are good for.

    Attributes:
        stripes: int64, (64,): the stripes that later moves promise less than from the best square,
            in `CERTAIN`ths; 0 or below.
        turns: int64, (64,): the turns until a Brown belt enters the Dojo, in `CERTAIN`ths.
    """

    stripes: Whole
    turns: Whole


def fewest_fatica(maze: np.record, tree: Tree, rolls: int) -> Whole:
    """Return the fewest Fatica squares of a full walk: int64, (64, rolls, 256).

    By the square of the quadrant where it begins, the roll, and the square where it ends (in the
    quadrant's own numbering); FAR where no walk ends there.
    """
    fewest = np.full((QUADRANT, rolls, SQUARES), FAR)
    begins = np.append(tree.groups["first"], len(tree.leaves))
    for square in range(QUADRANT):
        for roll in range(1, rolls):
            first, end = maze.first_group[square, roll : roll + 2]
            leaves = tree.nodes[tree.leaves[begins[first] : begins[end]]["node"]]
            to = fewest[square, roll]
            np.minimum.at(to, leaves["square"], leaves["fatica"].astype(np.int64))
    return fewest


def prospects_of(
    maze: np.record, fewest: Whole, dice: int, faces: int, options: Mapping[str, Any]
) -> Prospects:
    """Return what squares are good for under the rules that `options` sets."""
    ways = np.array(roll_chances(dice, faces))
    price = 0 if options["fatica_stop_only"] else options["fatica_cost"]
    walks = np.where(fewest < FAR, fewest * price * CERTAIN, FAR)
    gain = np.zeros(SQUARES, np.int64)
    gain[maze.code == ALLENAMENTO] = options["allenamento_gain"] * CERTAIN
    gain[maze.code == NEBBIA] = NEBBIA_CARD
    if options["fatica_stop_only"]:
        gain[maze.code == FATICA] = -options["fatica_cost"] * CERTAIN
    stripes = np.zeros(QUADRANT, np.int64)
    for _ in range(TURNS_AHEAD):
        ends = gain + _at_best(maze, stripes, np.maximum)
        worth = ends[None, None, :] - walks
        back = np.where(maze.code == PASSO_FALSO, stripes[:, None, None] - walks, -FAR)
        worth = np.where(maze.code == PASSO_FALSO, back, worth).max(axis=2)
        promised = (np.where(worth > -FAR // 2, worth, 0) * ways).sum(axis=1)
        stripes = promised // faces**dice * LEFT_A_TURN[0] // LEFT_A_TURN[1]
    return Prospects(stripes - stripes.max(), _turns(maze, walks, ways))


def _at_best(maze: np.record, worth: Whole, better: np.ufunc) -> Whole:
    """Return what ending on each square leads to: a Tunnel may be taken, or not."""
    here = worth[np.arange(SQUARES) % QUADRANT]
    through = (maze.code == TUNNEL) & (maze.link != NOWHERE)
    there = np.where(through, here[maze.link], here)
    best: Whole = better(here, there)
    return best


def _turns(maze: np.record, walks: Whole, ways: Whole) -> Whole:
    """Return the turns until a Brown belt that takes care not to lose its belt enters the Dojo."""
    all_ways = int(ways.sum())
    short = np.arange(len(ways)) < maze.to_dojo[:QUADRANT, None]
    turns = np.zeros(QUADRANT, np.int64)
    for _ in range(TURNS_AHEAD):
        left = (_at_best(maze, turns, np.minimum)[None, None, :] + walks).min(axis=2)
        left = np.minimum(left, TURNS_AHEAD * CERTAIN)
        turns = CERTAIN + np.where(short, left * ways, 0).sum(axis=1) // all_ways
    return turns
