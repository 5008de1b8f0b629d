"""What can be charted of a game, read from its column tables, in units that people read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard import style
from dojo_core.game import Column, Game

LENGTH_UNITS = ("rounds", "turns", "s")
# Codes and flags: a mean of them is no metric, or it is offered below as a share.
_NOT_MEANS = ("winner", "finished")


@dataclass(frozen=True)
class Metric:
    """One thing a chart can show.

    Attributes:
        name: The stored column, or the name of a share.
        title: The name in titles and menus.
        unit: The unit shown.
        meaning: The exact definition.
        source: Where the mean comes from: a summary column of ``points`` (``play``), the mean
            over a play's seats (``seat``), or a share of plays (``share``).
        factor: What a stored value is multiplied by to be shown.
    """

    name: str
    title: str
    unit: str
    meaning: str
    source: Literal["play", "seat", "share"] = "play"
    factor: float = 1.0


UNFINISHED = Metric(
    "unfinished",
    "Unfinished",
    "% of plays",
    "Plays that reached their limit instead of an end by the game's rules.",
    "share",
    100,
)
FIRST_WINS = Metric(
    "first_wins",
    "First player's wins",
    "% of finished plays",
    "Finished plays won by the seat that went first.",
    "share",
    100,
)
KINDS = Metric("", "Kinds of square", "", "The squares as they are printed.")


def metrics(game: Game, record: str = "plays") -> list[Metric]:
    """Return every metric of a game: its headline first, then shares, play and seat columns.

    Args:
        game: The game.
        record: What the sweep keeps; the means over a play's seats need the rows of all plays.
    """
    plays = [_metric(column) for column in game.play_columns if _has_mean(column)]
    head = [metric for name in game.headline for metric in plays if metric.name == name]
    rest = [metric for metric in plays if metric not in head]
    seats = [
        _metric(column, "seat") for column in game.seat_columns if column.unit and _has_mean(column)
    ]
    return [*head, UNFINISHED, FIRST_WINS, *rest, *(seats if record == "plays" else [])]


def headline(game: Game) -> list[Metric]:
    """Return the metrics a summary table shows: the shares, then the game's own choice."""
    return [UNFINISHED, FIRST_WINS, *(m for m in metrics(game) if m.name in game.headline)]


def length_metrics(game: Game) -> list[Metric]:
    """Return the play columns that say how long a play lasts."""
    return [_metric(column) for column in game.play_columns if column.unit in LENGTH_UNITS]


def tally_metrics(game: Game) -> list[Metric]:
    """Return the tallies of a square, as numbers a play."""
    return [
        Metric(column.name, style.words(column.name), f"{column.unit} a play", column.meaning)
        for column in game.square_columns
    ]


def _has_mean(column: Column) -> bool:
    return bool(column.unit) and not column.labels and column.name not in _NOT_MEANS


def _metric(column: Column, source: Literal["play", "seat"] = "play") -> Metric:
    title = style.words(column.name) + (" (mean of the seats)" if source == "seat" else "")
    if column.unit == "s":
        title = "Minutes at the table" if column.name == "seconds" else title
        return Metric(column.name, title, "min", column.meaning, source, 1 / 60)
    return Metric(column.name, title, column.unit, column.meaning, source)
