"""The sweeps of a search for better weights: one a generation, and one that confirms the result.

Each is an ordinary grid: its points are candidates in every seat of every kind of table, all on the
same dice; two of them never share dice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dojo_core.options import find
from sweep.designs import Column, Factor, Plays
from sweep.grid import Grid
from sweep.ladder import LEVEL, Matchup, Seated, edge, matchups, paired
from sweep.outcomes import MISSING, Outcomes
from sweep.plan import Plan
from sweep.players import PLAYER
from sweep.statistics import Mean, normal_p
from sweep.tuning import Tune, Weights, seed_of

START = "start"  # what the player that was begun with is called beside the tuned one


class Entry(NamedTuple):
    """A seat of a player at one kind of table.

    Attributes:
        who: The player.
        table: The kind of table.
        seat: Its seat.
        position: Which value of the option ``player`` seats them all so.
    """

    who: int
    table: int
    seat: int
    position: int


@dataclass(frozen=True)
class Contest:
    """Players that are compared: a grid, and who sits where in it."""

    grid: Grid
    entries: tuple[Entry, ...]


def generation(grid: Grid, tune: Tune, number: int, drawn: Sequence[Weights]) -> Contest:
    """Return the contest of a generation's candidates.

    Args:
        grid: The grid that tunes.
        tune: Its [tune].
        number: The generation, from 1.
        drawn: The candidates.
    """
    players = [tune.player(weights, f"{tune.name}.{k}") for k, weights in enumerate(drawn, 1)]
    return _contest(grid, f"{number:02}", players, tune.against, tune.plays)


def confirmation(grid: Grid, tune: Tune, found: Weights) -> Contest:
    """Return the contest that confirms a result.

    Its first kind of table is the tuned player among start players, the others are those of the
    search, with the tuned player and the start player in turn.
    """
    start = tune.player({}, f"{tune.name}.{START}")
    among = (start,) * len(tune.against[0])
    players = [tune.player(found, tune.name), start]
    return _contest(grid, "confirm", players, (among, *tune.against), tune.confirm)


def _contest(
    grid: Grid,
    part: str,
    players: Sequence[Mapping[str, Any]],
    tables: Sequence[Sequence[Any]],
    plays: int,
) -> Contest:
    column = Column(find(grid.game.options, PLAYER))
    entries = []
    for who, player in enumerate(players):
        for table, others in enumerate(tables):
            for seat in range(len(others) + 1):
                sitting = [*others[:seat], player, *others[seat:]]
                entries.append(Entry(who, table, seat, column.position(sitting)))
    rows = tuple({PLAYER: position} for position in range(len(column.values)))
    design = replace(
        grid.design,
        columns={**grid.design.columns, PLAYER: column},
        factors=[*grid.design.factors, Factor("[tune]", rows)],
        plays=Plays(plays),
    )
    name, seed = f"{grid.name}-{part}", seed_of(grid.seed, part)
    return Contest(replace(grid, name=name, seed=seed, design=design, tune=None), tuple(entries))


def scores(contest: Contest, plan: Plan, outcomes: Sequence[Outcomes]) -> list[Mean]:
    """Return the share of its plays that each player won; unfinished ones are nobody's.

    Args:
        contest: Who sits where.
        plan: The plan of its grid.
        outcomes: Of each point's plays, see `sweep.outcomes`.
    """
    count = 1 + max(entry.who for entry in contest.entries)
    return [_score(contest, plan, outcomes, who) for who in range(count)]


def _score(
    contest: Contest,
    plan: Plan,
    outcomes: Sequence[Outcomes],
    who: int,
    tables: range | None = None,
) -> Mean:
    return _paired(_wins(contest, plan, outcomes, who, tables))


def _wins(
    contest: Contest,
    plan: Plan,
    outcomes: Sequence[Outcomes],
    who: int,
    tables: range | None = None,
) -> list[np.ndarray[Any, Any]]:
    """Return for each point where a player sits, at each index, whether it won."""
    at = _points_at(plan)
    return [
        outcomes[point] == entry.seat
        for entry in contest.entries
        if entry.who == who and (tables is None or entry.table in tables)
        for point in at[entry.position]
    ]


def _points_at(plan: Plan) -> dict[int, list[int]]:
    """Return the numbers of the points with each value of ``player``."""
    _, positions = plan.column(PLAYER)
    found: dict[int, list[int]] = {}
    for number, position in enumerate(positions):
        found.setdefault(position, []).append(number)
    return found


def _paired(values: Sequence[np.ndarray[Any, Any]]) -> Mean:
    parts = [(np.arange(len(value)), value) for value in values]
    return paired(parts, sum(len(value) for value in values))


@dataclass(frozen=True)
class Confirmation:
    """How good a tuned player is, on dice that no generation saw.

    Attributes:
        share: The share of its plays that it won among start players.
        fair: What it would be if all seats won equally often.
        p: The p-value of "no better than the start player".
        field: The share it won against the field.
        start: The share that the start player won in its place.
        gain: The difference of these two, on the same dice.
        gain_p: The p-value of "no difference".
    """

    share: Mean
    fair: float
    p: float
    field: Mean
    start: Mean
    gain: Mean
    gain_p: float

    @property
    def is_better(self) -> bool:
        """Whether it wins more against the field than the start player, beyond chance."""
        return self.gain.mean > 0 and self.gain_p < LEVEL


def confirmed(contest: Contest, plan: Plan, outcomes: Sequence[Outcomes]) -> Confirmation:
    """Return what a confirmation found."""
    among = _among_starts(contest, plan, outcomes)
    better = edge(among, "tuned", START)
    share = paired([(m.index, m.share("tuned")) for m in among], sum(m.plays for m in among))
    decided = [float(m.won.mean()) / m.seatings / m.players for m in among]
    field = range(1, 1 + max(entry.table for entry in contest.entries))
    tuned, start = (_wins(contest, plan, outcomes, who, field) for who in (0, 1))
    gain = _paired([a.astype(int) - b for a, b in zip(tuned, start, strict=True)])
    return Confirmation(
        share=share,
        fair=sum(decided) / len(decided),
        p=normal_p(better.mean, better.se),
        field=_paired(tuned),
        start=_paired(start),
        gain=gain,
        gain_p=normal_p(gain.mean, gain.se),
    )


def _among_starts(contest: Contest, plan: Plan, outcomes: Sequence[Outcomes]) -> list[Matchup]:
    """Return the matchups of the tuned player among start players, one for each other choice."""
    at = _points_at(plan)
    entries = [entry for entry in contest.entries if entry.who == 0 and entry.table == 0]
    found = []
    for points in zip(*(at[entry.position] for entry in entries), strict=True):
        seats = len(entries)
        seated = [
            Seated(
                tuple("tuned" if k == entry.seat else START for k in range(seats)),
                outcomes[point],
            )
            for entry, point in zip(entries, points, strict=True)
        ]
        found += matchups(seated)
    return found


def complete(outcomes: Sequence[Outcomes]) -> bool:
    """Tell whether no play is missing."""
    return all(len(found) and not (found == MISSING).any() for found in outcomes)
