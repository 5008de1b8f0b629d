"""Who sits where when players are compared: the seatings of a ladder.

Every player sits in every seat, so that no seat's advantage is taken for a player's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Seating = tuple[int, ...]  # for each seat, which of the players sits there


def one_against_rest(players: int, seats: int) -> Iterator[Seating]:
    """Yield each player among others that are all alike, in each seat."""
    for one, rest in itertools.permutations(range(players), 2):
        for seat in range(seats):
            yield tuple(one if k == seat else rest for k in range(seats))


def half_against_half(players: int, seats: int) -> Iterator[Seating]:
    """Yield every two players with half of the seats each, in all ways to sit."""
    for first, second in itertools.combinations(range(players), 2):
        for own in itertools.combinations(range(seats), seats // 2):
            yield tuple(first if k in own else second for k in range(seats))


def all_different(players: int, seats: int) -> Iterator[Seating]:
    """Yield every choice of different players, in their order and its reverse, turned round.

    So each sits in each seat as often as the others, and beside each neighbour on both sides.
    """
    for chosen in itertools.combinations(range(players), seats):
        for order in dict.fromkeys((chosen, chosen[::-1])):
            for turn in range(seats):
                yield order[turn:] + order[:turn]


MIXES: dict[str, Callable[[int, int], Iterator[Seating]]] = {
    "one": one_against_rest,
    "half": half_against_half,
    "different": all_different,
}
MIX_WORDS = {
    "one": "one against the rest",
    "half": "half against half",
    "different": "all different",
}


def mix_of(seating: Sequence[Any]) -> str:
    """Return the mix that a seating belongs to; for two seats it is ``one``."""
    counts = sorted(seating.count(player) for player in set(seating))
    if len(counts) == 2 and counts[0] == 1:
        return "one"
    return "half" if len(counts) == 2 else "different"
