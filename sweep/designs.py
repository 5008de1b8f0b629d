"""The points of a grid, row by row: products, samples, conditions and derived values.

    Design.rows
      product of the factors     an axis each, axes together, a sample, one change at a time
        Branch                   [[only_when]]: more rows where a condition holds
          Rule                   [derived]: values that follow from others
            left_out             [[leave_out]]: rows that are dropped

A row says for each column (an option that varies, or ``preset``) the position of its value.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dojo_core.errors import DojoError
from dojo_core.options import Option
from sweep.expressions import Expression, ExpressionError, Value

Row = dict[str, int]
Method = Literal["latin_hypercube", "sobol"]


def same(option: Option, value: Any) -> str:
    """Return a key that is equal for two settled values exactly when they play alike."""
    return json.dumps(option.identity(value) if option.identity else value, sort_keys=True)


@dataclass
class Column:
    """What varies: an option, or ``preset``; and the values it takes, each once."""

    option: Option
    values: list[Any] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    _positions: dict[str, int] = field(default_factory=dict)

    def position(self, value: Any) -> int:
        """Return the position of a settled value, which is added if it is new."""
        key = same(self.option, value)
        if key not in self._positions:
            self._positions[key] = len(self.values)
            self.values.append(value)
            self.keys.append(key)
        return self._positions[key]


@dataclass(frozen=True)
class Condition:
    """What holds where every named column has one of the given values.

    Attributes:
        place: The file and line that a complaint about it begins with.
        wanted: By column, the keys (`same`) of the values.
    """

    place: str
    wanted: Mapping[str, frozenset[str]]

    def holds(self, row: Row, columns: Mapping[str, Column]) -> bool:
        """Tell whether it holds at a row."""
        return all(columns[name].keys[row[name]] in keys for name, keys in self.wanted.items())


@dataclass
class Tally:
    """What was counted while the rows were listed.

    Attributes:
        branched: Rows that [[only_when]] added.
        left_out: Rows that [[leave_out]] dropped.
        twice: Rows that play like an earlier one, and were dropped.
        held: At how many rows each condition held, by its place.
    """

    branched: int = 0
    left_out: int = 0
    twice: int = 0
    held: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Factor:
    """Rows of which a point takes one, combined with the rows of every other factor."""

    section: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Branch:
    """Rows of which a point takes one where the condition holds; elsewhere nothing changes."""

    condition: Condition
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Rule:
    """A value that follows from others.

    Attributes:
        place: The file and line that a complaint about it begins with.
        name: The option that is set.
        expression: How.
        named: The options in the expression.
        check: Returns the settled value, or raises a `DojoError`.
    """

    place: str
    name: str
    expression: Expression
    named: Sequence[Option]
    check: Callable[[Value], Any]


@dataclass(frozen=True)
class Plays:
    """How many plays the points get.

    Attributes:
        number: Of each point, or of all together.
        in_all: Whether it is of all together; then each point has an equal part, rounded up.
        more: Conditions with the plays of the points at which they hold.
    """

    number: int
    in_all: bool = False
    more: tuple[tuple[Condition, int], ...] = ()

    def each(self, points: int) -> int:
        """Return the plays of a point that has no more than the others."""
        return -(-self.number // points) if self.in_all else self.number


@dataclass(frozen=True)
class Design:
    """How the points of a grid come about.

    Attributes:
        options: Every option's settled value where no column says otherwise.
        columns: What varies, in order.
        base: What columns hold that not every row sets.
        presets: What each value of the column ``preset`` sets: positions in other columns.
        factors: The rows to combine, the last factor moving fastest.
        branches: What varies under a condition only, in order.
        rules: What follows from others, in an order in which it can be found.
        left_out: Conditions of the rows that are dropped.
        plays: How many plays the points get.
    """

    options: Mapping[str, Any]
    columns: Mapping[str, Column]
    base: Row
    presets: Sequence[Row]
    factors: Sequence[Factor]
    branches: Sequence[Branch]
    rules: Sequence[Rule]
    left_out: Sequence[Condition]
    plays: Plays

    @property
    def combinations(self) -> int:
        """How many rows there are at most, without listing them."""
        parts: Sequence[Factor | Branch] = [*self.factors, *self.branches]
        return math.prod(max(1, len(part.rows)) for part in parts)

    def rows(self, tally: Tally) -> Iterator[Row]:
        """Yield the rows.

        Args:
            tally: Counts what happens.

        Raises:
            DojoError: A derived value is refused at a row, or an option is set twice there.
        """
        follow = [_Follower(rule, self) for rule in self.rules]
        for parts in itertools.product(*(factor.rows for factor in self.factors)):
            chosen = {name: position for part in parts for name, position in part.items()}
            preset = self.presets[chosen["preset"]] if "preset" in chosen else {}
            for row in self._branched({**self.base, **preset, **chosen}, 0, frozenset(), tally):
                for follower in follow:
                    follower.settle(row)
                if self._is_left_out(row, tally):
                    tally.left_out += 1
                else:
                    yield row

    def resolved(self, row: Row) -> dict[str, Any]:
        """Return every option's settled value at a row."""
        chosen = {name: column.values[row[name]] for name, column in self.columns.items()}
        return {**self.options, **{name: v for name, v in chosen.items() if name in self.options}}

    def words(self, row: Row) -> str:
        """Return a row in words, such as ``players = 3, board = tight``."""
        cells = ((name, column.values[row[name]]) for name, column in self.columns.items())
        return ", ".join(f"{n} = {self.columns[n].option.shown(value)}" for n, value in cells)

    def plays_at(self, row: Row, tally: Tally) -> int:
        """Return the plays that conditions ask for at a row, 0 where none holds."""
        most = 0
        for condition, plays in self.plays.more:
            if condition.holds(row, self.columns):
                tally.held[condition.place] += 1
                most = max(most, plays)
        return most

    def never(self, tally: Tally) -> Condition | None:
        """Return the first condition that held at no row, after all rows were listed."""
        conditions = [branch.condition for branch in self.branches]
        conditions += [*self.left_out, *(condition for condition, _ in self.plays.more)]
        return next((c for c in conditions if not tally.held[c.place]), None)

    def origin(self, tally: Tally) -> str:
        """Return in words what each section contributed, after all rows were listed."""
        words: list[str] = []
        for section, factors in itertools.groupby(self.factors, lambda factor: factor.section):
            counts = " x ".join(f"{len(factor.rows):,}" for factor in factors)
            words.append(f"{section} {counts}")
        made = [" x ".join(words)] if words else []
        if tally.branched:
            made.append(f"{tally.branched:,} more by [[only_when]]")
        if tally.left_out:
            made.append(f"{tally.left_out:,} left out")
        if tally.twice:
            made.append(f"{tally.twice:,} twice")
        return ", ".join(made)

    def _branched(self, row: Row, number: int, done: frozenset[str], tally: Tally) -> Iterator[Row]:
        """Yield the rows that the branches from `number` on make of `row`."""
        if number == len(self.branches):
            yield row
            return
        branch = self.branches[number]
        if not branch.condition.holds(row, self.columns):
            yield from self._branched(row, number + 1, done, tally)
            return
        tally.held[branch.condition.place] += 1
        tally.branched += len(branch.rows) - 1
        names = frozenset(branch.rows[0])
        if twice := sorted(done & names):
            raise DojoError(
                f"{branch.condition.place}: another [[only_when]] sets {twice[0]} too where"
                f" {self.words(row)}; make their conditions exclude each other"
            )
        for part in branch.rows:
            yield from self._branched({**row, **part}, number + 1, done | names, tally)

    def _is_left_out(self, row: Row, tally: Tally) -> bool:
        found = [c for c in self.left_out if c.holds(row, self.columns)]
        for condition in found:
            tally.held[condition.place] += 1
        return bool(found)


class _Follower:
    """Finds the position of a derived value, once for each choice of what it depends on."""

    def __init__(self, rule: Rule, design: Design) -> None:
        self._rule = rule
        self._design = design
        self._column = design.columns[rule.name]
        self._varying = [name for name in rule.expression.names if name in design.columns]
        self._known: dict[tuple[int, ...], int] = {}

    def settle(self, row: Row) -> None:
        """Put the value's position into the row."""
        at = tuple(row[name] for name in self._varying)
        if at not in self._known:
            self._known[at] = self._column.position(self._value(row))
        row[self._rule.name] = self._known[at]

    def _value(self, row: Row) -> Any:
        columns, options = self._design.columns, self._design.options
        values = {}
        for option in self._rule.named:
            name = option.name
            varies = name in columns
            values[name] = option.shown(
                columns[name].values[row[name]] if varies else options[name]
            )
        words = ", ".join(f"{name} = {value}" for name, value in values.items())
        place = self._rule.place + (f": where {words}" if words else "")
        try:
            return self._rule.check(self._rule.expression.value(values))
        except ExpressionError as error:
            text = self._rule.expression.text
            raise DojoError(f"{place}: {self._rule.name} = {text!r} {error}") from None
        except DojoError as error:
            raise DojoError(f"{place}: {error}") from None


def sampled(method: Method, points: int, seed: int, sizes: Mapping[str, int]) -> list[Row]:
    """Return the rows of a sample that fills the space of some axes evenly.

    The same arguments give the same rows on any machine: the numbers are those of
    `numpy.random.PCG64`.

    Args:
        method: ``latin_hypercube`` (each axis evenly) or ``sobol`` (scrambled; also together).
        points: How many rows, a power of two for Sobol's.
        seed: The seed of the sample.
        sizes: How many values each axis has.
    """
    import numpy as np
    from scipy.stats import qmc

    random = np.random.Generator(np.random.PCG64(seed))
    if method == "sobol":
        places = qmc.Sobol(len(sizes), rng=random).random_base2(points.bit_length() - 1)
    else:
        places = qmc.LatinHypercube(len(sizes), rng=random).random(points)
    counts = np.array(list(sizes.values()))
    positions = np.minimum((places * counts).astype(np.int64), counts - 1)
    return [dict(zip(sizes, row, strict=True)) for row in positions.tolist()]


def one_at_a_time(changes: Mapping[str, Sequence[int]]) -> list[Row]:
    """Return the base, which sets nothing, and each single change from it."""
    return [{}, *({name: position} for name, of in changes.items() for position in of)]
