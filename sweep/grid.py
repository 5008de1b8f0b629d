"""Reads a `grid.toml` and checks it. Every complaint names the file, the line and the key.

`GRID.md` tells the language. A call tree:

    read_grid
      GridText.read          the text, and where its keys are
      _Reader.grid
        _head                [sweep]
        Axes                 [players.NAME], [presets.NAME], [fixed]; what may vary, and how
        _factors             [grid], [[together]], [sample], [one_at_a_time]
        _branches            [[only_when]]
        _rules               [derived]
        _ladder              [ladder]
        read_tune            [tune]
        _left_out, _plays    [[leave_out]], [[more_plays]]
"""

from __future__ import annotations

import functools
import graphlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dojo_core import games
from dojo_core.errors import DojoError, nearest
from dojo_core.game import Game
from dojo_core.options import Option, find
from sweep.axes import PRESET, Axes
from sweep.designs import (
    Branch,
    Column,
    Condition,
    Design,
    Factor,
    Plays,
    Row,
    Rule,
    one_at_a_time,
    same,
    sampled,
)
from sweep.expressions import ExpressionError, Kind, read_expression
from sweep.grid_text import GridText
from sweep.players import PLAYER
from sweep.seatings import MIXES
from sweep.tuning import Tune, read_tune

REPEATED = ("together", "only_when", "leave_out", "more_plays")  # written in [[...]]
SECTIONS = (
    "sweep",
    "fixed",
    "presets",
    "players",
    "grid",
    "together",
    "sample",
    "one_at_a_time",
    "only_when",
    "derived",
    "leave_out",
    "more_plays",
    "ladder",
    "tune",
)
RECORDS = ("plays", "summary")
METHODS = ("latin_hypercube", "sobol")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
MAX_PLAYS = 10**12
MAX_SEED = 2**63 - 1
MAX_SAMPLE = 2**20


@dataclass(frozen=True)
class Grid:
    """A checked grid file.

    Attributes:
        path: The file.
        text: Its text.
        name: The sweep's name, and its folder's.
        game: The game.
        seed: The sweep's seed.
        record: ``plays`` keeps a row a play and a row a seat, ``summary`` exact sums of them.
        results: The folder or address that holds the sweep's folder.
        design: How its points come about.
        ladder: The names of the players of each rung, lowest first; empty where it is no ladder.
        tune: What is tuned; its sweeps come from `sweep.generations`. None in other grids.
    """

    path: Path
    text: str
    name: str
    game: Game
    seed: int
    record: str
    results: str
    design: Design
    ladder: tuple[tuple[str, ...], ...] = ()
    tune: Tune | None = None

    @property
    def combinations(self) -> int:
        """How many points there are at most, without listing them."""
        return self.design.combinations


def read_grid(path: str | Path) -> Grid:
    """Read and check a grid file.

    Raises:
        DojoError: One sentence with file, line, key, what was expected and the nearest right name.
    """
    return _Reader(GridText.read(path)).grid()


class _Reader:
    """One grid file while it is checked."""

    def __init__(self, source: GridText) -> None:
        self.source = source
        self.content = source.content
        self.rungs: list[list[Any]] = []
        self.ladder_plays: list[tuple[Condition, int]] = []

    def grid(self) -> Grid:
        self._check_sections()
        head = self._head()
        self.game: Game = head["game"]
        self.axes = Axes(self.source, self.game)
        factors = list(self._factors())
        branches = list(self._branches())
        rules = self._rules()
        if "ladder" in self.content:
            factors.append(self._ladder(self.content["ladder"]))
        tune = self._tune() if "tune" in self.content else None
        design = Design(
            options=self.axes.options,
            columns=_first(PRESET, self.axes.columns),
            base=self.axes.base,
            presets=self.axes.preset_rows,
            factors=factors,
            branches=branches,
            rules=rules,
            left_out=list(self._left_out()),
            plays=self._plays(head),
        )
        return Grid(
            path=self.source.file,
            text=self.source.text,
            name=head["name"],
            game=self.game,
            seed=head["seed"],
            record=head["record"],
            results=head["results"],
            design=design,
            ladder=tuple(tuple(map(self._called, rung)) for rung in self.rungs),
            tune=tune,
        )

    # [sweep]

    def _check_sections(self) -> None:
        for section, value in self.content.items():
            if section not in SECTIONS:
                raise self.source.wrong(
                    f"there is no section or key {section!r} here"
                    f"{nearest(section, SECTIONS)}; the sections are {', '.join(SECTIONS)}",
                    section,
                )
            repeated = section in REPEATED
            fits = isinstance(value, dict) or (repeated and isinstance(value, list))
            if not fits or (
                repeated and not all(isinstance(t, dict) for t in self.source.tables(section))
            ):
                header = f"[[{section}]]" if repeated else f"[{section}]"
                raise self.source.wrong(f"write {header} on a line of its own", section)
        if "sweep" not in self.content:
            raise DojoError(
                f"{self.source.file}: the section [sweep] with game and plays is missing"
            )

    def _head(self) -> dict[str, Any]:
        given: dict[str, Any] = self.content["sweep"]
        known = ("name", "game", "plays", "plays_in_all", "seed", "record", "results")
        self.source.check_keys("sweep", given, known)
        if "game" not in given:
            raise self.source.wrong("[sweep] needs the key 'game'", "sweep")
        own = next((section for section in ("ladder", "tune") if section in self.content), None)
        if own:
            self._refuse_plays(given, own)
        elif ("plays" in given) == ("plays_in_all" in given):
            raise self.source.wrong(
                "[sweep] needs the key 'plays' (of each point) or 'plays_in_all' (of all points"
                " together), and one of them only",
                "sweep",
                "plays_in_all" if "plays" in given else None,
            )
        head = {"name": self.source.file.stem, "seed": 1, "record": "plays", "results": "results"}
        head |= given
        for key in ("name", "game", "record", "results"):
            if not isinstance(head[key], str):
                raise self.source.wrong(
                    f"{key} = {head[key]!r} is not text in quotes", "sweep", key
                )
        if not NAME.fullmatch(str(head["name"])):
            raise self.source.wrong(
                f"name = {head['name']!r} is not a name made of letters, digits, '-' and '_'",
                "sweep",
                "name",
            )
        for key in given.keys() & {"plays", "plays_in_all"}:
            self.source.whole(head, key, 1, MAX_PLAYS, "sweep")
        self.source.whole(head, "seed", 0, MAX_SEED, "sweep")
        self.source.one_of(head, "record", RECORDS, "sweep")
        try:
            game = games.load(str(head["game"]))
        except DojoError as error:
            raise self.source.wrong(str(error), "sweep", "game") from error
        return {**head, "game": game}

    def _refuse_plays(self, given: Mapping[str, Any], section: str) -> None:
        for key in given.keys() & {"plays", "plays_in_all"}:
            raise self.source.wrong(
                f"plays stands in [{section}] where there is one; remove {key} here", "sweep", key
            )

    # What is combined: [grid], [[together]], [sample], [one_at_a_time]

    def _factors(self) -> Iterator[Factor]:
        for key, given in self.content.get("grid", {}).items():
            positions = self.axes.axis(key, given, ("grid", key, 0))
            yield Factor("[grid]", tuple({key: position} for position in positions))
        for number, table in enumerate(self.source.tables("together")):
            yield Factor("[[together]]", tuple(self._together(table, number)))
        if "sample" in self.content:
            yield self._sample(self.content["sample"])
        if changes := self.content.get("one_at_a_time"):
            yield Factor("[one_at_a_time]", tuple(self._changes(changes)))

    def _together(self, table: Mapping[str, Any], number: int) -> list[Row]:
        columns: dict[str, list[int]] = {}
        for key, given in table.items():
            spot = ("together", key, number)
            columns[key] = self.axes.axis(key, given, spot, again=True)
            first = next(iter(columns))
            if len(columns[key]) != len(columns[first]):
                raise self.source.wrong(
                    f"{key} has {len(columns[key])} values and {first} has"
                    f" {len(columns[first])}; axes that move together need lists of one length",
                    *spot,
                )
        if not columns:
            raise self.source.wrong("[[together]] names no axis", "together", None, number)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        seen: dict[tuple[int, ...], int] = {}
        for position, row in enumerate(rows):
            twin = seen.setdefault(tuple(row.values()), position)
            if twin != position:
                raise self.source.wrong(
                    f"rows {twin + 1} and {position + 1} of [[together]] are the same; keep one of"
                    " them",
                    "together",
                    None,
                    number,
                )
        return rows

    def _sample(self, given: Mapping[str, Any]) -> Factor:
        self.source.check_keys("sample", given, ("method", "points", "seed", "axes"))
        for key in ("method", "points", "axes"):
            if key not in given:
                raise self.source.wrong(f"[sample] needs the key {key!r}", "sample")
        settings = {"seed": 1, **given}
        self.source.one_of(settings, "method", METHODS, "sample")
        self.source.whole(settings, "points", 1, MAX_SAMPLE, "sample")
        self.source.whole(settings, "seed", 0, MAX_SEED, "sample")
        method, points = settings["method"], settings["points"]
        if method == "sobol" and points & (points - 1):
            below = 1 << (points.bit_length() - 1)
            raise self.source.wrong(
                f"points = {points} is not a power of two, which Sobol's sample needs; take"
                f" {below} or {2 * below}",
                "sample",
                "points",
            )
        axes = settings["axes"]
        if not isinstance(axes, dict) or not axes:
            raise self.source.wrong(
                "write [sample.axes] on a line of its own, and the axes below it", "sample", "axes"
            )
        positions = {k: self.axes.axis(k, axes[k], ("sample.axes", k, 0)) for k in axes}
        sizes = {key: len(of) for key, of in positions.items()}
        rows = sampled(method, points, settings["seed"], sizes)
        return Factor("[sample]", tuple(rows))

    def _changes(self, given: Mapping[str, Any]) -> list[Row]:
        changes = {}
        for key, values in given.items():
            spot = ("one_at_a_time", key, 0)
            if key == PRESET:
                raise self.source.wrong("presets are no single change; put preset in [grid]", *spot)
            self.axes.add_base(key, spot)
            changes[key] = self.axes.axis(key, values, spot, beside=("fixed", "preset"))
        return one_at_a_time(changes)

    # [[only_when]]

    def _branches(self) -> Iterator[Branch]:
        tables = self.source.tables("only_when")
        for number, table in enumerate(tables):
            later = {key for rest in tables[number:] for key in rest} - self.axes.columns.keys()
            condition = self.axes.when(table, "only_when", number, {*later, *self.axes.derived})
            axes = {}
            for key, given in table.items():
                if key == "when":
                    continue
                spot = ("only_when", key, number)
                if key == PRESET:
                    raise self.source.wrong("presets cannot vary under a condition", *spot)
                self.axes.add_base(key, spot)
                beside = ("fixed", "preset", "branch")
                axes[key] = self.axes.axis(key, given, spot, role="branch", beside=beside)
            if not axes:
                raise self.source.wrong("[[only_when]] names no axis", "only_when", None, number)
            rows = itertools.product(*axes.values())
            yield Branch(condition, tuple(dict(zip(axes, row, strict=True)) for row in rows))

    # [derived]

    def _rules(self) -> list[Rule]:
        rules = {key: self._rule(key, text) for key, text in self.axes.derived.items()}
        needs = {key: set(rule.expression.names) & rules.keys() for key, rule in rules.items()}
        for key in rules:
            self.axes.columns[key] = Column(self.axes.option(key, ("derived", key, 0)))
        try:
            return [rules[key] for key in graphlib.TopologicalSorter(needs).static_order()]
        except graphlib.CycleError as error:
            cycle = error.args[1]
            raise self.source.wrong(
                f"{' needs '.join(reversed(cycle))}: derived options cannot follow from themselves",
                "derived",
                cycle[0],
            ) from None

    def _rule(self, key: str, text: Any) -> Rule:
        spot = ("derived", key, 0)
        option = self.axes.option(key, spot)
        self.axes.claim(key, "derived", "derived", spot)
        if not isinstance(text, str):
            raise self.source.wrong(
                f"{key} = {text!r} is not an expression in quotes, such as '200 * players'", *spot
            )
        kinds = {o.name: _kind(o) for o in self.game.options}
        try:
            expression = read_expression(text, kinds)
        except ExpressionError as error:
            raise self.source.wrong(f"{key} = {text!r} {error}", *spot) from None
        if expression.kind != _kind(option):
            raise self.source.wrong(
                f"{key} = {text!r} is a {expression.kind}; expected {option.expected}", *spot
            )
        named = [find(self.game.options, name) for name in expression.names]
        check = functools.partial(self.axes.settle, option)
        return Rule(self.source.place(*spot), key, expression, named, check)

    # [ladder]

    def _ladder(self, given: Mapping[str, Any]) -> Factor:
        """Return the seatings; note the rungs, and how often each seating is played."""
        self.source.check_keys("ladder", given, ("players", "plays", "at_most"))
        for key in ("players", "plays"):
            if key not in given:
                raise self.source.wrong(f"[ladder] needs the key {key!r}", "ladder")
        seats = self._seats("ladder")
        self.rungs = self._rungs(given["players"])
        players = [player for rung in self.rungs for player in rung]
        at_most = self._at_most(given.get("at_most", {}), players)
        column = self.axes.columns.setdefault(
            PLAYER, Column(self.axes.option(PLAYER, ("ladder", None, 0)))
        )
        wanted: dict[int, set[str]] = {}
        rows: dict[int, Row] = {}
        for mix, plays in self._mixes(given["plays"], seats, len(players)).items():
            for seating in MIXES[mix](len(players), seats):
                position = column.position([players[one] for one in seating])
                rows[position] = {PLAYER: position}
                fewest = min((plays, *(at_most.get(one, plays) for one in seating)))
                wanted.setdefault(fewest, set()).add(column.keys[position])
        self.ladder_plays = [
            (Condition(self.source.place("ladder", "plays"), {PLAYER: frozenset(keys)}), plays)
            for plays, keys in wanted.items()
        ]
        return Factor("[ladder]", tuple(rows.values()))

    def _rungs(self, given: Any) -> list[list[Any]]:
        """Return the players of each rung: one, or several that stand side by side."""
        spot = ("ladder", "players", 0)
        option = self.axes.option(PLAYER, spot)
        if not isinstance(given, list):
            raise self.source.wrong(
                f"players = {given!r} is not a list of players, lowest first", *spot
            )
        rungs = []
        for rung in given:
            named = self.axes.listed(rung, option, spot)
            rungs.append([self.axes.check(option, player, spot) for player in named])
        if len(rungs) < 2 or not all(rungs):
            raise self.source.wrong("a ladder needs two rungs at least, each with a player", *spot)
        seen: dict[str, Any] = {}
        for player in itertools.chain(*rungs):
            twin = seen.setdefault(same(option, player), player)
            if twin is not player:
                both = f"{self._called(twin)!r} and {self._called(player)!r}"
                raise self.source.wrong(f"{both} play alike; keep one of them", *spot)
        return rungs

    def _called(self, rung: Any) -> str:
        return str(find(self.game.options, PLAYER).shown(rung))

    def _mixes(self, given: Any, seats: int, players: int) -> dict[str, int]:
        spot = ("ladder", "plays", 0)
        if not isinstance(given, dict) or not given:
            words = "plays of each seating by mix, such as {one = 5_000, half = 2_000}"
            raise self.source.wrong(f"plays = {given!r} is not {words}", *spot)
        for mix in given:
            if mix not in MIXES:
                raise self.source.wrong(
                    f"{mix!r} is not one of the mixes {', '.join(MIXES)}{nearest(mix, MIXES)}",
                    *spot,
                )
            self.source.whole(given, mix, 1, MAX_PLAYS, "ladder")
        if "half" in given and (seats % 2 or seats < 4):
            raise self.source.wrong(f"half against half needs 4 seats, 6 or 8, not {seats}", *spot)
        if "different" in given and not 3 <= seats <= players:
            raise self.source.wrong(
                f"all different needs 3 seats at least and as many players; here are {seats} seats"
                f" and {players} players",
                *spot,
            )
        return given

    def _at_most(self, given: Any, players: Sequence[Any]) -> dict[int, int]:
        """Return the most plays of a seating in which some players sit."""
        spot = ("ladder", "at_most", 0)
        if not isinstance(given, dict):
            raise self.source.wrong(f"at_most = {given!r} is not plays by player", *spot)
        names = [self._called(player) for player in players]
        for name in given:
            if name not in names:
                raise self.source.wrong(
                    f"{name!r} is not in the ladder{nearest(name, names)}", *spot
                )
            self.source.whole(given, name, 1, MAX_PLAYS, "ladder")
        return {names.index(name): plays for name, plays in given.items()}

    # [tune]

    def _tune(self) -> Tune:
        option = find(self.game.options, PLAYER)
        settle = functools.partial(self.axes.settle, option)
        return read_tune(self.source, self.game, self._seats("tune"), settle)

    def _seats(self, section: str) -> int:
        """Return how many sit at the table; note that the section says who."""
        if "players" in self.axes.columns:
            raise self.source.wrong(f"players is an axis; [{section}] needs it fixed", section)
        self.axes.claim(PLAYER, section, f"settled by [{section}]", (section, None, 0))
        return int(self.axes.options["players"])

    # [[leave_out]] and [[more_plays]]

    def _left_out(self) -> Iterator[Condition]:
        for number, table in enumerate(self.source.tables("leave_out")):
            for key in table:
                if key != PRESET:
                    self.axes.option(key, ("leave_out", key, number))
                if key not in self.axes.columns:
                    raise self.source.wrong(
                        f"{key} is not an axis{nearest(key, self.axes.columns)}; a condition names"
                        " axes",
                        "leave_out",
                        key,
                        number,
                    )
            yield self.axes.condition(table, "leave_out", number)

    def _plays(self, head: Mapping[str, Any]) -> Plays:
        more = []
        for number, table in enumerate(self.source.tables("more_plays")):
            self.source.check_keys("more_plays", table, ("when", "plays"), number)
            if "plays" not in table:
                raise self.source.wrong(
                    "[[more_plays]] needs the key 'plays'", "more_plays", None, number
                )
            self.source.whole(table, "plays", 1, MAX_PLAYS, "more_plays", number)
            more.append((self.axes.when(table, "more_plays", number, set()), int(table["plays"])))
        in_all = "plays_in_all" in head
        if self.rungs or "tune" in self.content:
            return Plays(0, more=(*self.ladder_plays, *more))
        return Plays(head["plays_in_all" if in_all else "plays"], in_all, tuple(more))


def _kind(option: Option) -> Kind:
    """Return what an option is in an expression."""
    if option.kind == "integer":
        return "number"
    return "truth" if option.kind == "switch" else "word"


def _first(name: str, columns: dict[str, Column]) -> dict[str, Column]:
    return {name: columns[name], **columns} if name in columns else columns
