"""Chances that players reckon with, made ready once: of rolls, of meetings, and in fights.

All are whole numbers of `CERTAIN`, rounded down from exact fractions.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dojo_core.labirinto.tables import CERTAIN, ODDS_CENTRE, PLAIN, WITH_KAESHI, WITH_KIAI

Whole = np.ndarray[Any, np.dtype[np.int64]]


@functools.cache
def attack_odds(faces: int) -> Whole:
    """Return the attacker's chances without cards, by who wins ties and by points ahead."""
    odds = np.zeros((2, 2 * ODDS_CENTRE), np.int64)
    attack, defence = np.mgrid[1 : faces + 1, 1 : faces + 1]
    for ahead in range(-ODDS_CENTRE, ODDS_CENTRE):
        margin = attack - defence + ahead
        odds[0, ahead] = (margin >= 0).sum() * CERTAIN // faces**2
        odds[1, ahead] = (margin > 0).sum() * CERTAIN // faces**2
    return np.roll(odds, ODDS_CENTRE, axis=1)


@functools.cache
def card_odds(faces: int, kiai: int) -> Whole:
    """Return the attacker's chances when both may play a card.

    The attacker, seeing both dice, plays its card where that raises its chance against the
    defender's; then the defender plays where that lowers it. Kaeshi is rolled at once.

    Returns:
        int64, (2, 3, 3, 2 * ODDS_CENTRE), by who wins ties (0: the attacker), the attacker's card
        and the defender's (PLAIN, WITH_KIAI, WITH_KAESHI), and points ahead without cards.
    """
    odds = np.zeros((2, 3, 3, 2 * ODDS_CENTRE), np.int64)
    for ties in range(2):
        for theirs in (PLAIN, WITH_KIAI, WITH_KAESHI):
            # Chances in parts of `faces`, by attacker's die, defender's die and points ahead.
            replied = _replied(faces, kiai, ties, theirs)
            again = replied.sum(axis=0, keepdims=True)
            for mine in (PLAIN, WITH_KIAI, WITH_KAESHI):
                chance = faces * replied
                if mine == WITH_KIAI:
                    chance = np.maximum(chance, faces * _ahead_by(replied, kiai))
                elif mine == WITH_KAESHI:
                    chance = np.maximum(chance, again)
                odds[ties, mine, theirs] = chance.sum(axis=(0, 1)) * CERTAIN // faces**4
    return odds


def _replied(faces: int, kiai: int, ties: int, theirs: int) -> Whole:
    """Return the attacker's chances, in parts of `faces`, once the defender has replied."""
    attack, defence, ahead = np.mgrid[1 : faces + 1, 1 : faces + 1, -ODDS_CENTRE:ODDS_CENTRE]
    won = (attack - defence + ahead >= ties).astype(np.int64)
    if theirs == WITH_KIAI:
        return faces * np.minimum(won, attack - defence + ahead - kiai >= ties)
    if theirs == WITH_KAESHI:
        return np.minimum(faces * won, won.sum(axis=1, keepdims=True))
    return faces * won


def _ahead_by(chances: Whole, points: int) -> Whole:
    """Return chances, whose last axis is points ahead, with so many points more."""
    last = np.minimum(np.arange(2 * ODDS_CENTRE) + points, 2 * ODDS_CENTRE - 1)
    return chances[:, :, last]


@functools.cache
def roll_chances(dice: int, faces: int) -> tuple[int, ...]:
    """Return in how many of ``faces ** dice`` ways each total comes, from 0 on."""
    ways = np.ones(1, np.int64)
    for _ in range(dice):
        ways = np.convolve(ways, np.r_[0, np.ones(faces, np.int64)])
    return tuple(int(count) for count in ways)


def meeting_chances(reach: np.ndarray[Any, Any], dice: int, faces: int) -> Whole:
    """Return the chance that some full walk of a roll steps onto a square.

    Args:
        reach: uint64, (64, rolls, 4): see `walks.Index`.
        dice: How many dice are rolled.
        faces: How many faces they have.

    Returns:
        int64, (64, 256), by the square of the quadrant where the roll begins and the square met.
    """
    reached = np.unpackbits(reach.astype("<u8").view(np.uint8), axis=2, bitorder="little")
    ways = np.array(roll_chances(dice, faces))
    return np.einsum("srq,r->sq", reached.astype(np.int64), ways) * CERTAIN // faces**dice
