"""How good players are, beside each other: pure functions of who sat where and who won.

    standing
      matchups        seatings of the same players, side by side
      ratings         one strength a player, from all matchups
      steps           is each rung better than the one below?
      skill           how much of the result is explained by who plays

Plays of one index meet the same dice in every seating, so they are not independent: an index, with
all its plays, counts as one observation everywhere (`paired`). LADDER.md tells each number.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from sweep.outcomes import DRAWN, MISSING, UNFINISHED, Outcomes
from sweep.seatings import MIXES, mix_of
from sweep.statistics import Mean, holm, normal_p, wilson

LEVEL = 0.05  # a step counts below it, corrected
POINTS_TENFOLD = 400.0  # a rating higher by so much means ten times the strength

Numbers = np.ndarray[Any, Any]


class Seated(NamedTuple):
    """A point: who sits in each seat, and the outcome of each play."""

    players: tuple[str, ...]
    outcomes: Outcomes


@dataclass(frozen=True)
class Matchup:
    """All seatings of the same players, as far as their plays are stored in all of them.

    Attributes:
        seats: How many seats each player has.
        seatings: How many seatings there are.
        index: The indexes of the plays.
        wins: For each player and index, in how many seatings it won.
        unfinished: For each index, how many seatings ended unfinished.
        drawn: For each index, in how many nobody won by the rules.
    """

    seats: Mapping[str, int]
    seatings: int
    index: Numbers
    wins: Mapping[str, Numbers]
    unfinished: Numbers
    drawn: Numbers

    @property
    def players(self) -> int:
        """How many sit at the table."""
        return sum(self.seats.values())

    @property
    def mix(self) -> str:
        """The word of `sweep.seatings.MIXES` for who sits there."""
        return mix_of([name for name, count in self.seats.items() for _ in range(count)])

    @property
    def plays(self) -> int:
        """How many plays there are."""
        return self.seatings * len(self.index)

    @property
    def won(self) -> Numbers:
        """For each index, in how many seatings somebody won."""
        return self.seatings - self.unfinished - self.drawn

    def share(self, name: str) -> Numbers:
        """Return for each index the share of its plays that a player won, in any of its seats."""
        return self.wins[name] / self.seatings


@dataclass(frozen=True)
class Rating:
    """A player's strength: `POINTS_TENFOLD` times its decimal logarithm, 0 on average.

    Attributes:
        name: The player.
        rating: The points.
        se: Their standard error.
    """

    name: str
    rating: float
    se: float


@dataclass(frozen=True)
class Share:
    """How often a player won in a matchup, or on average over several of one mix.

    Attributes:
        name: The player.
        against: The others.
        mix: Who sits there, a word of `sweep.seatings.MIXES`.
        share: Plays it won, of all; unfinished and drawn ones are nobody's.
        fair: What it would be if all seats won equally often.
        low: The lower end of its 95% interval.
        high: The upper end.
        n: Plays.
    """

    name: str
    against: tuple[str, ...]
    mix: str
    share: float
    fair: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Step:
    """Whether a player is better than one of the rung below.

    Attributes:
        upper: The player.
        lower: The one of the rung below.
        share: The share of the plays that `upper` won in the matchups it is judged by: those of the
            first of the mixes that were played.
        edge: How many more of the plays a seat of `upper` won than one of `lower`.
        edge_se: The standard error of that.
        rating: By how much its rating is higher.
        rating_se: The standard error of that.
        explained: The share of the result that is explained by who plays, there.
        p: The p-value of "no difference", corrected for all the steps (Holm).
    """

    upper: str
    lower: str
    share: Share
    edge: float
    edge_se: float
    rating: float
    rating_se: float
    explained: float
    p: float

    @property
    def counts(self) -> bool:
        """Whether the upper one is better, beyond chance."""
        return self.edge > 0 and self.p < LEVEL


@dataclass(frozen=True)
class Standing:
    """How the players of a ladder stand at one kind of table.

    Attributes:
        rungs: The players of each rung, the lowest rung first.
        seats: How many sit at the table.
        plays: How many plays it rests on.
        unfinished: The share of them that ended unfinished.
        drawn: The share of them that nobody won by the rules.
        ratings: In the order of the rungs.
        steps: For each rung but the lowest, its players beside those of the rung below.
        shares: Every player in every matchup.
        averages: Every player in every mix, on average over its matchups.
        skill: By mix, the share of the result that is explained by who plays.
    """

    rungs: tuple[tuple[str, ...], ...]
    seats: int
    plays: int
    unfinished: float
    drawn: float
    ratings: list[Rating]
    steps: list[Step]
    shares: list[Share]
    averages: list[Share]
    skill: dict[str, Mean]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        skill = {mix: mean._asdict() for mix, mean in self.skill.items()}
        steps = [{**asdict(step), "counts": step.counts} for step in self.steps]
        return {**asdict(self), "steps": steps, "skill": skill}


def standing(rungs: Sequence[Sequence[str]], seated: Iterable[Seated]) -> Standing | None:
    """Return how the players stand; None as long as no play is stored in all its seatings.

    Args:
        rungs: The players of each rung, the lowest rung first.
        seated: The points of one kind of table.
    """
    known = {name for rung in rungs for name in rung}
    found = [matchup for matchup in matchups(seated) if matchup.seats.keys() <= known]
    if not found:
        return None
    plays = sum(matchup.plays for matchup in found)
    names = _names(rungs, found)
    strengths, covariance = strength(names, found)
    mixes = {mix: [m for m in found if m.mix == mix] for mix in MIXES}
    return Standing(
        rungs=tuple(map(tuple, rungs)),
        seats=found[0].players,
        plays=plays,
        unfinished=sum(int(matchup.unfinished.sum()) for matchup in found) / plays,
        drawn=sum(int(matchup.drawn.sum()) for matchup in found) / plays,
        ratings=_ratings(names, strengths, covariance),
        steps=_steps(rungs, found, strengths, covariance),
        shares=_shares(found),
        averages=_averages(names, found),
        skill={mix: skill(there) for mix, there in mixes.items() if there},
    )


def _names(rungs: Sequence[Sequence[str]], found: Sequence[Matchup]) -> list[str]:
    """Return the players that have played by now, lowest rung first."""
    return [name for rung in rungs for name in rung if any(name in m.seats for m in found)]


def matchups(seated: Iterable[Seated]) -> list[Matchup]:
    """Return seatings of the same players together, with the plays that all of them have."""
    together: dict[tuple[tuple[str, int], ...], list[Seated]] = {}
    for seating in seated:
        counts = Counter(seating.players)
        together.setdefault(tuple(sorted(counts.items())), []).append(seating)
    found = (_matchup(dict(counts), seatings) for counts, seatings in together.items())
    return [matchup for matchup in found if len(matchup.index)]


def _matchup(seats: dict[str, int], seatings: Sequence[Seated]) -> Matchup:
    length = min(len(seating.outcomes) for seating in seatings)
    outcomes = np.stack([seating.outcomes[:length] for seating in seatings])
    index = np.flatnonzero((outcomes != MISSING).all(axis=0))
    outcomes = outcomes[:, index]
    wins = {}
    for name in seats:
        own = [[sits == name for sits in seating.players] for seating in seatings]
        sides = np.array(own)[np.arange(len(seatings))[:, None], outcomes]
        wins[name] = (sides & (outcomes >= 0)).sum(axis=0)
    unfinished, drawn = ((outcomes == code).sum(axis=0) for code in (UNFINISHED, DRAWN))
    return Matchup(seats, len(seatings), index, wins, unfinished, drawn)


def paired(parts: Sequence[tuple[Numbers, Numbers]], n: int) -> Mean:
    """Return the mean of the parts' means; values of one index are not taken for independent.

    Args:
        parts: For each part the indexes and, at each, a value.
        n: How many plays they are of.
    """
    mean = math.fsum(float(values.mean()) for _, values in parts) / len(parts)
    pull = np.zeros(1 + max(int(index.max()) for index, _ in parts))
    seen = np.zeros(len(pull), bool)
    for index, values in parts:
        pull[index] += (values - values.mean()) / (len(values) * len(parts))
        seen[index] = True
    count = int(seen.sum())
    if count < 2:
        return Mean(mean, math.nan, n)
    return Mean(mean, math.sqrt(float((pull**2).sum()) * count / (count - 1)), n)


def interval(share: Mean) -> tuple[float, float]:
    """Return a share's 95% interval: Wilson's where all values are alike, as none tells a width."""
    if share.se > 0:
        return max(0.0, share.mean - share.margin), min(1.0, share.mean + share.margin)
    return wilson(round(share.mean * share.n), share.n)


# Strength


def strength(names: Sequence[str], found: Sequence[Matchup]) -> tuple[Numbers, Numbers]:
    """Return the logarithm of each player's strength, 0 on average, and their covariance.

    A seat wins with a probability in proportion to its player's strength among those seated
    (Bradley and Terry 1952 for two, Luce 1959 for more). The strengths are the most likely ones for
    the plays that somebody won, with one more play won and one lost by each player against a
    player of average strength, so that who never wins has a strength too. The covariance is the
    sandwich of that likelihood (Huber 1967) with an index of plays as one observation, so it
    holds for plays on the same dice, and where the model is not quite true.
    """
    from scipy.optimize import minimize

    seats = np.array([[matchup.seats.get(name, 0) for name in names] for matchup in found], float)
    wins = np.array(
        [[matchup.wins[n].sum() if n in matchup.wins else 0 for n in names] for matchup in found],
        float,
    )
    decided = wins.sum(axis=1)

    def chances(theta: Numbers) -> Numbers:
        weights = seats * np.exp(theta - theta.max())
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def loss(theta: Numbers) -> tuple[float, Numbers]:
        tables = np.log((seats * np.exp(theta)).sum(axis=1))
        ghost = 2 * np.logaddexp(0, theta) - theta
        value = decided @ tables - (wins @ theta).sum() + ghost.sum()
        slope = decided @ chances(theta) - wins.sum(axis=0) + 2 / (1 + np.exp(-theta)) - 1
        return float(value), slope

    def curvature(theta: Numbers) -> Numbers:
        p = chances(theta)
        own = 1 / (1 + np.exp(-theta))
        tables = np.diag(decided @ p) - (p * decided[:, None]).T @ p
        return np.asarray(tables + np.diag(2 * own * (1 - own)))

    start = np.zeros(len(names))
    theta = minimize(loss, start, method="trust-exact", jac=True, hess=curvature).x
    bread = np.linalg.inv(curvature(theta))
    pull = np.zeros((1 + max(int(matchup.index.max()) for matchup in found), len(names)))
    for matchup, p in zip(found, chances(theta), strict=True):
        for k, name in enumerate(names):
            if name in matchup.wins:
                pull[matchup.index, k] += matchup.wins[name] - matchup.won * p[k]
    centre = np.eye(len(names)) - 1 / len(names)
    moved = pull @ bread @ centre  # by how much each index moves the strengths
    return centre @ theta, moved.T @ moved


def _ratings(names: Sequence[str], strengths: Numbers, covariance: Numbers) -> list[Rating]:
    scale = POINTS_TENFOLD / math.log(10)
    errors = np.sqrt(np.diag(covariance))
    return [
        Rating(name, scale * float(value), scale * float(error))
        for name, value, error in zip(names, strengths, errors, strict=True)
    ]


# Shares and steps


def _shares(found: Sequence[Matchup]) -> list[Share]:
    """Return the shares of the players that each matchup is about."""
    return [_share([m], name) for m in found for name in m.seats if _is_about(m, name)]


def _averages(names: Sequence[str], found: Sequence[Matchup]) -> list[Share]:
    """Return each player's share on average over the matchups of a mix, whoever the others are."""
    there = {
        (name, mix): [m for m in found if m.mix == mix and name in m.seats and _is_about(m, name)]
        for name in names
        for mix in MIXES
    }
    return [_share(parts, name) for (name, _), parts in there.items() if parts]


def _is_about(matchup: Matchup, name: str) -> bool:
    """Tell whether a player is what a matchup is about, not the rest of the table."""
    return matchup.mix != "one" or matchup.seats[name] == 1


def _share(parts: Sequence[Matchup], name: str) -> Share:
    """Return a player's share on average over matchups of one mix."""
    mean = paired([(m.index, m.share(name)) for m in parts], sum(m.plays for m in parts))
    others = tuple(dict.fromkeys(other for m in parts for other in m.seats if other != name))
    decided = (float(m.won.mean()) / m.seatings * m.seats[name] / m.players for m in parts)
    fair = math.fsum(decided) / len(parts)
    return Share(name, others, parts[0].mix, mean.mean, fair, *interval(mean), mean.n)


def _steps(
    rungs: Sequence[Sequence[str]],
    found: Sequence[Matchup],
    strengths: Numbers,
    covariance: Numbers,
) -> list[Step]:
    """Return each player beside those of the rung below, where they met."""
    names = _names(rungs, found)
    pairs = [
        pair for below, rung in itertools.pairwise(rungs) for pair in itertools.product(rung, below)
    ]
    met = [(upper, lower, _evidence(upper, lower, found)) for upper, lower in pairs]
    met = [(upper, lower, there) for upper, lower, there in met if there]
    edges = [edge(there, upper, lower) for upper, lower, there in met]
    corrected = holm([normal_p(mean.mean, mean.se) for mean in edges])
    scale = POINTS_TENFOLD / math.log(10)
    steps = []
    for (upper, lower, there), mean, p in zip(met, edges, corrected, strict=True):
        a, b = names.index(upper), names.index(lower)
        variance = float(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
        steps.append(
            Step(
                upper=upper,
                lower=lower,
                share=_share(there, upper),
                edge=mean.mean,
                edge_se=mean.se,
                rating=scale * float(strengths[a] - strengths[b]),
                rating_se=scale * math.sqrt(max(0.0, variance)),
                explained=skill(there).mean,
                p=p,
            )
        )
    return steps


def _evidence(upper: str, lower: str, found: Sequence[Matchup]) -> list[Matchup]:
    """Return the matchups that compare two rungs, of the first mix that has any."""
    for mix in MIXES:
        there = [
            matchup
            for matchup in found
            if matchup.mix == mix and {upper, lower} <= matchup.seats.keys()
        ]
        if mix == "one":
            there = [matchup for matchup in there if matchup.seats[upper] == 1]
        if there:
            return there
    return []


def edge(found: Sequence[Matchup], name: str, other: str) -> Mean:
    """Return how many more of the plays a seat of one player wins than a seat of another."""
    parts = [
        (m.index, m.share(name) / m.seats[name] - m.share(other) / m.seats[other]) for m in found
    ]
    return paired(parts, sum(matchup.plays for matchup in found))


# Skill


def skill(found: Sequence[Matchup]) -> Mean:
    """Return the share of the result that is explained by who plays, 0 (all luck) to 1.

    The result is which seat wins, in the plays that somebody won. Without knowing who plays it has
    the entropy of n equal chances; with the chances of these players it has less. The part by
    which it is less, on average over the matchups, is Theil's uncertainty coefficient (1972), and
    McFadden's measure (1974) of a model that knows the players beside one that does not.
    """
    parts = []
    plays = 0
    for matchup in found:
        decided = int(matchup.won.sum())
        plays += decided
        if decided == 0:
            continue
        full = math.log(matchup.players)
        # At each index, what the play says of the sum below, in such units that their mean is it.
        values = np.ones(len(matchup.index))
        for name, seats in matchup.seats.items():
            chance = int(matchup.wins[name].sum()) / decided
            if chance > 0:
                gain = chance * math.log(chance / seats) / full
                pull = (matchup.wins[name] - chance * matchup.won) * len(matchup.index) / decided
                values += gain + math.log(chance / seats) / full * pull
        parts.append((matchup.index, values))
    return paired(parts, plays) if parts else Mean(math.nan, math.nan, 0)
