"""Better weights for a player, by the cross-entropy method. Pure functions; LADDER.md tells more.

    begin          the search begins at the start player
    candidates     players drawn about the middle of the search, the middle itself first
    after          the search moves to where the best candidates are, and narrows

A search follows from the grid alone: the draws from its seed, the scores from plays on seeds of
their own (`seed_of`). So it is repeated exactly, and resumed by running it again.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dojo_core.errors import nearest
from dojo_core.game import Game
from dojo_core.options import Option, find
from sweep.grid_text import GridText
from sweep.players import PLAYER

DEFAULTS = {"name": "tuned", "generations": 10, "candidates": 32, "elite": 8, "confirm": 5_000}
MOST = {"generations": 99, "candidates": 10_000, "elite": 10_000, "plays": 10**9, "confirm": 10**9}
KEYS = ("player", "against", "weights", "name", *MOST)
STEP = 0.7  # how far a generation moves the search towards its best candidates
NARROWEST = 0.5  # of its spread, in one generation
FIRST_SPREAD = 0.25  # of a range that the grid gives
FIRST_SPREAD_OF_START = 0.5  # of a weight's size, where the grid gives none; and at least:
FIRST_SPREAD_LEAST = 10.0
LEAST_SPREAD = 0.5  # units of a weight: below it, nothing new would be drawn
TRIES = 20  # draws a candidate, to find one that is new

Weights = dict[str, int]


@dataclass(frozen=True)
class Tune:
    """What a grid's [tune] says.

    Attributes:
        name: What the tuned player is called.
        start: Every weight of the player to begin with.
        against: For each kind of table, the players of all seats but the tuned one's.
        ranges: The weights that may change: the least and greatest value of each.
        spreads: The standard deviation of each in the first generation.
        switches: Those of them that are true or false.
        generations: How often candidates are drawn.
        candidates: How many each time.
        elite: How many of them the search moves to.
        plays: Plays of a candidate in each seat of each kind of table, in a generation.
        confirm: The same of the tuned player in the end.
    """

    name: str
    start: Weights
    against: tuple[tuple[Any, ...], ...]
    ranges: dict[str, tuple[int, int]]
    spreads: dict[str, float]
    switches: frozenset[str]
    generations: int
    candidates: int
    elite: int
    plays: int
    confirm: int

    def player(self, weights: Mapping[str, int], name: str) -> dict[str, Any]:
        """Return a settled player with these weights, the others as at the start."""
        chosen = {**self.start, **weights}
        flags = {key: bool(chosen[key]) for key in self.switches}
        return {"name": name, **chosen, **flags}


@dataclass(frozen=True)
class Search:
    """Where candidates are drawn: about a mean, by a standard deviation, of each weight."""

    mean: dict[str, float]
    spread: dict[str, float]

    def middle(self, tune: Tune) -> Weights:
        """Return the whole weights nearest to the mean."""
        return {key: _within(tune, key, value) for key, value in self.mean.items()}


def begin(tune: Tune) -> Search:
    """Return the search before the first generation."""
    return Search({key: float(tune.start[key]) for key in tune.ranges}, dict(tune.spreads))


def candidates(tune: Tune, search: Search, seed: int, generation: int) -> list[Weights]:
    """Return the candidates of a generation, all different: fewer if there are no more.

    Args:
        tune: What is tuned.
        search: Where to draw them.
        seed: The grid's seed.
        generation: Its number.
    """
    import numpy as np

    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, generation])))
    found = {tuple(search.middle(tune).values()): search.middle(tune)}
    for _ in range(TRIES * tune.candidates):
        if len(found) == tune.candidates:
            break
        drawn = dict(zip(search.mean, random.standard_normal(len(search.mean)), strict=True))
        weights = {
            key: _within(tune, key, search.mean[key] + search.spread[key] * float(by))
            for key, by in drawn.items()
        }
        found.setdefault(tuple(weights.values()), weights)
    return list(found.values())


def after(tune: Tune, search: Search, drawn: Sequence[Weights], scores: Sequence[float]) -> Search:
    """Return the search after a generation.

    The elite counts by rank, the best one most, so that the search does not stop short of the end
    of a range. Of equal scores the one drawn first is better. Who is worse than the middle, which
    is drawn first, is not of the elite: where all are, the spread was too wide, and only narrows.
    """
    order = sorted(range(len(drawn)), key=lambda k: -scores[k])
    best = [drawn[k] for k in order[: tune.elite] if scores[k] >= scores[0]]
    ranks = range(len(best), 0, -1)
    mean, spread = {}, {}
    for key in search.mean:
        values = [weights[key] for weights in best]
        middle = statistics.fmean(values, ranks)
        width = math.sqrt(statistics.fmean([(v - middle) ** 2 for v in values], ranks))
        mean[key] = search.mean[key] + STEP * (middle - search.mean[key])
        narrowed = search.spread[key] + STEP * (width - search.spread[key])
        spread[key] = max(LEAST_SPREAD, NARROWEST * search.spread[key], narrowed)
    return Search(mean, spread)


def seed_of(seed: int, part: str) -> int:
    """Return the seed of a part of the search: no two parts play on the same dice."""
    digest = hashlib.sha256(f"{seed} {part}".encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


def _within(tune: Tune, key: str, value: float) -> int:
    low, high = tune.ranges[key]
    return min(max(round(value), low), high)


# [tune] in a grid


def read_tune(source: GridText, game: Game, seats: int, settle: Callable[[Any, str], Any]) -> Tune:
    """Read and check a grid's [tune].

    Args:
        source: The grid file.
        game: Its game.
        seats: How many sit at the table.
        settle: Returns a player's settled form, and refuses with the place of a complaint.
    """
    given = {**DEFAULTS, **source.content["tune"]}
    source.check_keys("tune", given, KEYS)
    for key in ("player", "against", "plays"):
        if key not in given:
            raise source.wrong(f"[tune] needs the key {key!r}", "tune")
    for key, most in MOST.items():
        source.whole(given, key, 1, most, "tune")
    if not 2 <= given["elite"] < given["candidates"]:
        raise source.wrong(
            f"elite = {given['elite']} is not at least 2 and less than the"
            f" {given['candidates']} candidates",
            "tune",
            "elite" if "elite" in source.content["tune"] else "candidates",
        )
    option = find(game.options, PLAYER)
    name = given["name"]
    option.weigh({"name": name}, source.file.parent, source.place("tune", "name"))
    start = settle(given["player"], source.place("tune", "player"))
    weights = None if isinstance(start, list) else game.weights_of(start)
    if weights is None:
        raise source.wrong(
            f"player = {given['player']!r} is not a player made of weights", "tune", "player"
        )
    ranges = _ranges(source, given.get("weights"), option, weights)
    return Tune(
        name=name,
        start={key: int(value) for key, value in weights.items()},
        against=_against(source, given["against"], seats, settle),
        ranges=ranges,
        spreads={
            key: _first_spread(ends, int(weights[key]), isinstance(given.get("weights"), dict))
            for key, ends in ranges.items()
        },
        switches=frozenset(f.name for f in option.features if f.kind == "switch"),
        **{key: given[key] for key in MOST},
    )


def _against(
    source: GridText, given: Any, seats: int, settle: Callable[[Any, str], Any]
) -> tuple[tuple[Any, ...], ...]:
    if not isinstance(given, list) or not given:
        raise source.wrong(
            f"against = {given!r} is not a list of players, or of lists of {seats - 1} players",
            "tune",
            "against",
        )
    place = source.place("tune", "against")
    tables = []
    for one in given:
        if isinstance(one, list) and len(one) != seats - 1:
            raise source.wrong(
                f"against has {one!r}: {len(one)} players for the {seats - 1} other seats",
                "tune",
                "against",
            )
        sitting = settle(one, place)
        tables.append(tuple(sitting) if isinstance(one, list) else (sitting,) * (seats - 1))
    return tuple(tables)


def _first_spread(ends: tuple[int, int], start: int, is_given: bool) -> float:
    """Return how far to look at first: the whole range of a weight is seldom what is sensible."""
    quarter = FIRST_SPREAD * (ends[1] - ends[0])
    if is_given:
        return quarter
    return min(quarter, max(FIRST_SPREAD_OF_START * abs(start), FIRST_SPREAD_LEAST))


def _ranges(
    source: GridText, given: Any, option: Option, start: Mapping[str, Any]
) -> dict[str, tuple[int, int]]:
    """Return what may change: all weights in their whole range if nothing is said."""
    known = {feature.name: feature for feature in option.features}
    whole = {k: (0, 1) if f.kind == "switch" else (f.low, f.high) for k, f in known.items()}
    if given is None:
        return whole
    if isinstance(given, list):
        given = {key: {} for key in given if isinstance(key, str)}
    if not isinstance(given, dict) or not given:
        raise source.wrong(
            "weights is not a list of weights, nor [tune.weights] with a range of each", "tune",
            "weights",
        )  # fmt: skip
    ranges = {}
    for key, ends in given.items():
        spot = ("tune.weights", key)
        if key not in known:
            raise source.wrong(f"players have no weight {key!r}{nearest(key, known)}", *spot)
        low, high = whole[key]
        chosen = ends if isinstance(ends, dict) else {}
        first, last = chosen.get("from", low), chosen.get("to", high)
        fits = type(first) is int and type(last) is int and low <= first < last <= high
        if not isinstance(ends, dict) or chosen.keys() - {"from", "to"} or not fits:
            raise source.wrong(
                f"{key} = {ends!r} is not a range between {low} and {high}, such as"
                f" {key} = {{from = {low}, to = {high}}}",
                *spot,
            )
        if not first <= start[key] <= last:
            raise source.wrong(
                f"{key} = {ends!r} leaves out {start[key]}, which the start player has", *spot
            )
        ranges[key] = (first, last)
    return ranges
