"""The contract that every game meets. The sweep and the dashboard know games only through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dojo_core import options as option_tables
from dojo_core.options import Option

Event = dict[str, Any]

# What traces call a player that is a person.
PERSON = "person"


@dataclass(frozen=True)
class Column:
    """One stored column.

    Attributes:
        name: The name in the Arrow files and in SQL.
        dtype: A NumPy integer type, small enough to store well, wide enough never to overflow.
        meaning: The exact definition, ties included.
        unit: What a value counts, e.g. ``rounds``; empty for a code.
        labels: For a code: the word of each value from 0 on.
    """

    name: str
    dtype: str
    meaning: str
    unit: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Strategy:
    """A player that a game offers: the word for the option ``player`` and what it does.

    One that is nothing but weights over the game's features has these in ``Option.weights``.
    """

    name: str
    help: str


@dataclass(frozen=True)
class Preset:
    """Some options set together, under a name that people use.

    Attributes:
        name: The name in a grid file.
        help: What it is for, in one sentence.
        options: The values it sets; all others keep their defaults.
        source: The section of the rulebook (or the ruling) it comes from.
    """

    name: str
    help: str
    options: Mapping[str, Any]
    source: str


class Out(NamedTuple):
    """What `Game.play` fills: structured arrays whose fields are the game's columns.

    Attributes:
        plays: Shape (plays,). One row a play.
        seats: Shape (plays, seats). One row a play and seat.
        squares: Shape (squares,). Tallies that are added to, not overwritten. Empty for a game
            without squares.
    """

    plays: np.ndarray[Any, Any]
    seats: np.ndarray[Any, Any]
    squares: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Setup:
    """A point made ready to be played.

    Attributes:
        options: Every option's settled value (`dojo_core.options.resolve`).
        seats: How many sit at the table.
        squares: How many squares the board has, row by row (0 without a board).
        width: How many squares a row of the board has (0 without a board).
        tables: What the game's compiled code needs; opaque to everybody else.
    """

    options: Mapping[str, Any]
    seats: int
    squares: int
    width: int
    tables: Any = field(repr=False)


class Answer(NamedTuple):
    """What a person decides: a question's kind, and one of its options as traces tell it."""

    kind: str
    value: Any


@dataclass(frozen=True)
class Question:
    """A decision that waits for a person.

    Attributes:
        seat: Whose decision it is.
        kind: What is decided: a word of the game's traces.
        options: What may be decided, as traces tell it.
        answered: How many of the given answers have been used; any others fitted no question.
        table: What lies on the table, where the events do not tell it all.
    """

    seat: int
    kind: str
    options: tuple[Any, ...]
    answered: int
    table: Mapping[str, Any] = field(default_factory=dict)


class Offer(NamedTuple):
    """One thing that a person may say to a question.

    Attributes:
        key: The short word to type.
        words: What it means.
        answers: What it answers: the question, and perhaps some of those that follow it.
    """

    key: str
    words: str
    answers: tuple[Answer, ...]


class Page(NamedTuple):
    """What a person sees who is asked: the table, the question, and what may be said to it."""

    table: tuple[str, ...]
    question: str
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class People:
    """How people take part in a game.

    A play with people is a function of its seed and of the answers they have given so far, told
    from the start until a decision finds no answer.

    Attributes:
        ask: ``ask(setup, seed, play, seats, answers)`` tells the play in which people sit on these
            seats, up to the first decision without an answer, and returns that question; None
            with a play that is over. The events are a trace, in which these players are called
            `PERSON`.
        tell: ``tell(events, seat, language)`` renders a trace, or its beginning, in words as that
            seat may hear them: what is hidden from it stays hidden.
        show: ``show(events, question, language)`` returns what the person who is asked sees, and
            nothing that is hidden from that seat.
        help: ``help(language)`` explains what is drawn and what may be typed.
    """

    ask: Callable[
        [Setup, int, int, Sequence[int], Sequence[Answer]], tuple[list[Event], Question | None]
    ]
    tell: Callable[[Sequence[Event], int, str], Iterator[str]]
    show: Callable[[Sequence[Event], Question, str], Page]
    help: Callable[[str], Iterator[str]]


@dataclass(frozen=True)
class Game:
    """A game as the rest of the project sees it.

    Every game stores at least the play columns ``winner`` (a seat, -1 without one), ``finished``
    (1 when the game ended by its own rules, by a draw too) and ``rounds``, and the seat columns
    ``turn_order`` (0 = first player), ``player`` (a code of `strategies`; the one after them,
    labelled `CUSTOM`, for a player given by its weights) and ``won``. A play that did not finish
    has no winner.

    A game may have players that are data: the same compiled code with other weights over the
    same features (`player_features`). Wherever the option ``player`` takes a name it then also
    takes a mapping: weights by feature, ``inherits`` (a player made of weights whose others
    count) and ``name`` (what tables and traces call it). `Option.check` settles it to its name and
    every weight, so that a plan holds all that decides; `prepare` packs the weights of each seat,
    and another weight is never another compilation.

    Attributes:
        name: The word in a grid file, e.g. ``labirinto``.
        title: The name people use.
        options: The table of all options. It has ``players`` and ``player``.
        strategies: The players on offer.
        play_columns: The columns of one row a play.
        seat_columns: The columns of one row a play and seat.
        square_columns: The tallies of one row a square.
        headline: The play columns that a summary table shows, in this order.
        prepare: Checks resolved options together and packs them. Raises `DojoError`.
        play: ``play(setup, seed, first_play, plays, out)`` plays the plays numbered
            first_play .. first_play + plays - 1 and fills `out`. Compiled, without the GIL, the
            same rows for the same arguments on any machine.
        trace: ``trace(setup, seed, play)`` tells one play, event by event, by the same compiled
            rules; the last event carries every stored column of that play and its seats.
        describe: ``describe(events, language)`` renders a trace in words (``en`` or ``it``),
            from the events and nothing else.
        board: ``board(setup)`` returns the picture of the board that the dashboard draws, as a
            plain mapping: ``rows``, ``columns``, ``codes`` (a text a square, row by row),
            ``walls`` (segments ``[r0, c0, r1, c1]`` between grid corners), ``colors`` (a square
            code to a word and a CSS colour). None for a game without a board.
        presets: Options set together under a name.
        scenario: ``scenario(described, folder)`` plays a conformance scenario, as read from JSON
            in `folder`, by the compiled rules and returns what differs from its expectation. None
            for a game without scenarios.
        people: How people take part. None for a game that they cannot play here.
    """

    name: str
    title: str
    options: tuple[Option, ...]
    strategies: tuple[Strategy, ...]
    play_columns: tuple[Column, ...]
    seat_columns: tuple[Column, ...]
    square_columns: tuple[Column, ...]
    headline: tuple[str, ...]
    prepare: Callable[[Mapping[str, Any]], Setup]
    play: Callable[[Setup, int, int, int, Out], None]
    trace: Callable[[Setup, int, int], list[Event]]
    describe: Callable[[Sequence[Event], str], Iterator[str]]
    board: Callable[[Setup], dict[str, Any] | None]
    presets: tuple[Preset, ...] = ()
    scenario: Callable[[Mapping[str, Any], Path], list[str]] | None = None
    people: People | None = None

    def resolve(
        self, given: Mapping[str, Any], base: Any = None, where: str = ""
    ) -> dict[str, Any]:
        """Return every option's settled value, see `dojo_core.options.resolve`."""
        return option_tables.resolve(self.options, given, base, where)

    def out(self, setup: Setup, plays: int) -> Out:
        """Return room for `plays` plays: zeroed arrays of the right types and shapes."""
        return Out(
            np.zeros(plays, columns_dtype(self.play_columns)),
            np.zeros((plays, setup.seats), columns_dtype(self.seat_columns)),
            np.zeros(setup.squares, columns_dtype(self.square_columns)),
        )

    @property
    def player_features(self) -> tuple[Option, ...]:
        """The weights that a player may be given by; none where players are no data."""
        return option_tables.find(self.options, "player").features

    def weights_of(self, player: str | Mapping[str, Any]) -> dict[str, Any] | None:
        """Return every weight of a settled player; None of one that is not made of weights."""
        return option_tables.find(self.options, "player").weights_of(player)


def columns_dtype(columns: Sequence[Column]) -> np.dtype[Any]:
    """Return the structured type with one field a column."""
    return np.dtype([(column.name, column.dtype) for column in columns], align=True)
