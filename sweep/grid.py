"""Reads a `grid.toml` and checks it. Every complaint names the file, the line and the key.

`GRID.md` tells the language. A call tree:

    read_grid
      GridText.read          the text, and where its keys are
      _Reader.grid
        _head                [sweep]
        read_players         [players.NAME]
        _read_presets        the game's presets, and [presets.NAME]
        _fixed               [fixed]
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
from typing import Any, NamedTuple

from dojo_core import games
from dojo_core.errors import DojoError, nearest
from dojo_core.game import Game
from dojo_core.options import Option, find
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
from sweep.players import PLAYER, alternatives, read_players, refuse_unknown
from sweep.seatings import MIXES
from sweep.tuning import Tune, read_tune

PRESET = "preset"  # the axis that is a label: which preset's options a point has
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
MAX_VALUES = 100_000  # of one axis
MAX_SAMPLE = 2**20

Spot = tuple[str, str | None, int]  # section, key, which of a section that comes several times


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


class _Claim(NamedTuple):
    """What else says what an option is."""

    role: str
    words: str
    line: int | None


class _Reader:
    """One grid file while it is checked."""

    def __init__(self, source: GridText) -> None:
        self.source = source
        self.content = source.content
        self.columns: dict[str, Column] = {}
        self.base: Row = {}
        self.presets: dict[str, dict[str, Any]] = {}
        self.preset_rows: list[Row] = []
        self.rungs: list[list[Any]] = []
        self.ladder_plays: list[tuple[Condition, int]] = []
        self.claims: dict[str, list[_Claim]] = {}

    def grid(self) -> Grid:
        self._check_sections()
        head = self._head()
        self.game: Game = head["game"]
        self.players = read_players(self.source, self.game)
        self._read_presets()
        self.options = self._fixed()
        factors = list(self._factors())
        branches = list(self._branches())
        rules = self._rules()
        if "ladder" in self.content:
            factors.append(self._ladder(self.content["ladder"]))
        tune = self._tune() if "tune" in self.content else None
        design = Design(
            options=self.options,
            columns=_first(PRESET, self.columns),
            base=self.base,
            presets=self.preset_rows,
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
            if not fits or (repeated and not all(isinstance(t, dict) for t in self._all(section))):
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

    # Presets and [fixed]

    def _read_presets(self) -> None:
        self.presets = {
            preset.name: self._settled(preset.options, f"the preset {preset.name!r}")
            for preset in self.game.presets
        }
        for name, options in self.content.get("presets", {}).items():
            section = f"presets.{name}"
            if not isinstance(options, dict):
                raise self.source.wrong(
                    f'write [presets."{name}"] on a line of its own, and its options below it',
                    "presets",
                    name,
                )
            if name in self.presets:
                raise self.source.wrong(
                    f"the game has a preset {name!r} already; choose another name", section
                )
            self.presets[name] = {
                key: self._check(self._option(key, (section, key, 0)), value, (section, key, 0))
                for key, value in options.items()
            }

    def _settled(self, options: Mapping[str, Any], where: str) -> dict[str, Any]:
        base = self.source.file.parent
        return {
            key: find(self.game.options, key, where).check(value, base, where)
            for key, value in options.items()
        }

    def _fixed(self) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for key, value in self.content.get("fixed", {}).items():
            spot = ("fixed", key, 0)
            if key == PRESET:
                name = self._check(self._preset_option(spot), value, spot)
                given |= self.presets[name]
                self._claim(PRESET, "fixed", "fixed", spot)
                self._claim_preset(name, spot)
                continue
            option = self._option(key, spot)
            if isinstance(value, list) and option.kind != "per_seat":
                raise self._wrong(f"{key} has a list of values; an axis belongs in [grid]", spot)
            self._claim(key, "fixed", "fixed", spot)
            given[key] = self._check(option, value, spot)
        return self.game.resolve(given, self.source.file.parent, str(self.source.file))

    # What is combined: [grid], [[together]], [sample], [one_at_a_time]

    def _factors(self) -> Iterator[Factor]:
        for key, given in self.content.get("grid", {}).items():
            positions = self._axis(key, given, ("grid", key, 0))
            yield Factor("[grid]", tuple({key: position} for position in positions))
        for number, table in enumerate(self._all("together")):
            yield Factor("[[together]]", tuple(self._together(table, number)))
        if "sample" in self.content:
            yield self._sample(self.content["sample"])
        if changes := self.content.get("one_at_a_time"):
            yield Factor("[one_at_a_time]", tuple(self._changes(changes)))

    def _together(self, table: Mapping[str, Any], number: int) -> list[Row]:
        columns: dict[str, list[int]] = {}
        for key, given in table.items():
            spot = ("together", key, number)
            columns[key] = self._axis(key, given, spot, again=True)
            first = next(iter(columns))
            if len(columns[key]) != len(columns[first]):
                raise self._wrong(
                    f"{key} has {len(columns[key])} values and {first} has"
                    f" {len(columns[first])}; axes that move together need lists of one length",
                    spot,
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
        positions = {k: self._axis(k, axes[k], ("sample.axes", k, 0)) for k in axes}
        sizes = {key: len(of) for key, of in positions.items()}
        rows = sampled(method, points, settings["seed"], sizes)
        return Factor("[sample]", tuple(rows))

    def _changes(self, given: Mapping[str, Any]) -> list[Row]:
        changes = {}
        for key, values in given.items():
            spot = ("one_at_a_time", key, 0)
            if key == PRESET:
                raise self._wrong("presets are no single change; put preset in [grid]", spot)
            self._add_base(key, spot)
            changes[key] = self._axis(key, values, spot, beside=("fixed", "preset"))
        return one_at_a_time(changes)

    # [[only_when]]

    def _branches(self) -> Iterator[Branch]:
        tables = self._all("only_when")
        for number, table in enumerate(tables):
            later = {key for rest in tables[number:] for key in rest} - self.columns.keys()
            condition = self._when(table, "only_when", number, {*later, *self._derived()})
            axes = {}
            for key, given in table.items():
                if key == "when":
                    continue
                spot = ("only_when", key, number)
                if key == PRESET:
                    raise self._wrong("presets cannot vary under a condition", spot)
                self._add_base(key, spot)
                beside = ("fixed", "preset", "branch")
                axes[key] = self._axis(key, given, spot, role="branch", beside=beside)
            if not axes:
                raise self.source.wrong("[[only_when]] names no axis", "only_when", None, number)
            rows = itertools.product(*axes.values())
            yield Branch(condition, tuple(dict(zip(axes, row, strict=True)) for row in rows))

    # [derived]

    def _derived(self) -> dict[str, Any]:
        derived: dict[str, Any] = self.content.get("derived", {})
        return derived

    def _rules(self) -> list[Rule]:
        rules = {key: self._rule(key, text) for key, text in self._derived().items()}
        needs = {key: set(rule.expression.names) & rules.keys() for key, rule in rules.items()}
        for key in rules:
            self.columns[key] = Column(self._option(key, ("derived", key, 0)))
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
        option = self._option(key, spot)
        self._claim(key, "derived", "derived", spot)
        if not isinstance(text, str):
            raise self._wrong(
                f"{key} = {text!r} is not an expression in quotes, such as '200 * players'", spot
            )
        kinds = {o.name: _kind(o) for o in self.game.options}
        try:
            expression = read_expression(text, kinds)
        except ExpressionError as error:
            raise self._wrong(f"{key} = {text!r} {error}", spot) from None
        if expression.kind != _kind(option):
            raise self._wrong(
                f"{key} = {text!r} is a {expression.kind}; expected {option.expected}", spot
            )
        named = [find(self.game.options, name) for name in expression.names]
        check = functools.partial(self._settle, option)
        return Rule(self._place(spot), key, expression, named, check)

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
        column = self.columns.setdefault(PLAYER, Column(self._option(PLAYER, ("ladder", None, 0))))
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
        option = self._option(PLAYER, spot)
        if not isinstance(given, list):
            raise self._wrong(f"players = {given!r} is not a list of players, lowest first", spot)
        rungs = []
        for rung in given:
            named = self._listed(rung, option, spot)
            rungs.append([self._check(option, player, spot) for player in named])
        if len(rungs) < 2 or not all(rungs):
            raise self._wrong("a ladder needs two rungs at least, each with a player", spot)
        seen: dict[str, Any] = {}
        for player in itertools.chain(*rungs):
            twin = seen.setdefault(same(option, player), player)
            if twin is not player:
                both = f"{self._called(twin)!r} and {self._called(player)!r}"
                raise self._wrong(f"{both} play alike; keep one of them", spot)
        return rungs

    def _called(self, rung: Any) -> str:
        return str(find(self.game.options, PLAYER).shown(rung))

    def _mixes(self, given: Any, seats: int, players: int) -> dict[str, int]:
        spot = ("ladder", "plays", 0)
        if not isinstance(given, dict) or not given:
            words = "plays of each seating by mix, such as {one = 5_000, half = 2_000}"
            raise self._wrong(f"plays = {given!r} is not {words}", spot)
        for mix in given:
            if mix not in MIXES:
                raise self._wrong(
                    f"{mix!r} is not one of the mixes {', '.join(MIXES)}{nearest(mix, MIXES)}", spot
                )
            self.source.whole(given, mix, 1, MAX_PLAYS, "ladder")
        if "half" in given and (seats % 2 or seats < 4):
            raise self._wrong(f"half against half needs 4 seats, 6 or 8, not {seats}", spot)
        if "different" in given and not 3 <= seats <= players:
            raise self._wrong(
                f"all different needs 3 seats at least and as many players; here are {seats} seats"
                f" and {players} players",
                spot,
            )
        return given

    def _at_most(self, given: Any, players: Sequence[Any]) -> dict[int, int]:
        """Return the most plays of a seating in which some players sit."""
        spot = ("ladder", "at_most", 0)
        if not isinstance(given, dict):
            raise self._wrong(f"at_most = {given!r} is not plays by player", spot)
        names = [self._called(player) for player in players]
        for name in given:
            if name not in names:
                raise self._wrong(f"{name!r} is not in the ladder{nearest(name, names)}", spot)
            self.source.whole(given, name, 1, MAX_PLAYS, "ladder")
        return {names.index(name): plays for name, plays in given.items()}

    # [tune]

    def _tune(self) -> Tune:
        option = find(self.game.options, PLAYER)
        settle = functools.partial(self._settle, option)
        return read_tune(self.source, self.game, self._seats("tune"), settle)

    def _seats(self, section: str) -> int:
        """Return how many sit at the table; note that the section says who."""
        if "players" in self.columns:
            raise self.source.wrong(f"players is an axis; [{section}] needs it fixed", section)
        self._claim(PLAYER, section, f"settled by [{section}]", (section, None, 0))
        return int(self.options["players"])

    # [[leave_out]] and [[more_plays]]

    def _left_out(self) -> Iterator[Condition]:
        for number, table in enumerate(self._all("leave_out")):
            for key in table:
                if key != PRESET:
                    self._option(key, ("leave_out", key, number))
                if key not in self.columns:
                    raise self._wrong(
                        f"{key} is not an axis{nearest(key, self.columns)}; a condition names axes",
                        ("leave_out", key, number),
                    )
            yield self._condition(table, "leave_out", number)

    def _plays(self, head: Mapping[str, Any]) -> Plays:
        more = []
        for number, table in enumerate(self._all("more_plays")):
            self.source.check_keys("more_plays", table, ("when", "plays"), number)
            if "plays" not in table:
                raise self.source.wrong(
                    "[[more_plays]] needs the key 'plays'", "more_plays", None, number
                )
            self.source.whole(table, "plays", 1, MAX_PLAYS, "more_plays", number)
            more.append((self._when(table, "more_plays", number, set()), int(table["plays"])))
        in_all = "plays_in_all" in head
        if self.rungs or "tune" in self.content:
            return Plays(0, more=(*self.ladder_plays, *more))
        return Plays(head["plays_in_all" if in_all else "plays"], in_all, tuple(more))

    # Conditions

    def _when(
        self, table: Mapping[str, Any], section: str, number: int, unknown: set[str]
    ) -> Condition:
        """Return the condition of a table's ``when``, which must not name the `unknown`."""
        given = table.get("when")
        if not isinstance(given, dict) or not given:
            raise self.source.wrong(
                f"[[{section}]] needs a condition, such as when = {{players = [3, 4]}}",
                section,
                "when" if "when" in table else None,
                number,
            )
        for key in given:
            if key in unknown:
                reason = "is derived" if key in self._derived() else "varies here or further down"
                raise self.source.wrong(
                    f"{key} {reason}; a condition of [[{section}]] names axes, fixed options and"
                    f" what a [[{section}]] above it varies",
                    section,
                    "when",
                    number,
                )
        return self._condition(given, section, number, "when")

    def _condition(
        self, given: Mapping[str, Any], section: str, number: int, within: str | None = None
    ) -> Condition:
        wanted = {}
        for key, values in given.items():
            spot = (f"{section}.{within}" if within else section, key, number)
            option = self._preset_option(spot) if key == PRESET else self._option(key, spot)
            given_values = self._listed(values, option, spot)
            settled = [self._check(option, value, spot) for value in given_values]
            keys = [same(option, value) for value in settled]
            self._check_possible(key, option, keys, given_values, spot)
            if key in self.columns:
                wanted[key] = frozenset(keys)
        if not given:
            raise self.source.wrong(f"[[{section}]] names no axis", section, None, number)
        return Condition(self.source.place(section, within, number), wanted)

    def _check_possible(
        self, key: str, option: Option, keys: list[str], shown: Sequence[Any], spot: Spot
    ) -> None:
        """Refuse a condition on a value that its option never has."""
        if key in self._derived():
            return  # its values are known when the points are listed
        if key in self.columns:
            known = self.columns[key].keys
            for one, value in zip(keys, shown, strict=True):
                if one not in known:
                    raise self._wrong(f"{key} has no value {value!r} in its axis", spot)
        elif key == PRESET:
            raise self._wrong("preset is not an axis here; a condition names axes", spot)
        elif same(option, self.options[key]) not in keys:
            fixed = option.shown(self.options[key])
            raise self._wrong(f"{key} is {fixed!r} at every point, so this never holds", spot)

    # Axes and their values

    def _axis(
        self,
        key: str,
        given: Any,
        spot: Spot,
        role: str = "axis",
        beside: tuple[str, ...] = (),
        again: bool = False,
    ) -> list[int]:
        """Return the positions of an axis's values in its column.

        Args:
            key: The option, or ``preset``.
            given: The values.
            spot: Where they stand.
            role: What the option is by that.
            beside: What else it may be.
            again: Whether a value may come again.
        """
        option = self._preset_option(spot) if key == PRESET else self._option(key, spot)
        self._claim(key, role, "an axis", spot, beside)
        values = self._axis_values(option, given, spot)
        settled = [self._check(option, value, spot) for value in values]
        column = self.columns.setdefault(key, Column(option))
        seen: dict[int, int] = {}
        positions = []
        for number, value in enumerate(settled):
            positions.append(column.position(value))
            twin = seen.setdefault(positions[-1], number)
            if twin != number and not again:
                raise self._wrong(
                    f"{key} has {values[number]!r} and {values[twin]!r}, which play alike; keep"
                    " one of them",
                    spot,
                )
        if key == PRESET:
            self._vary_presets(column, spot)
        return positions

    def _axis_values(self, option: Option, given: Any, spot: Spot) -> Sequence[Any]:
        if not isinstance(given, list | dict):
            way_out = f"; write [{option.name}'s values], or move it to [fixed]"
            raise self._wrong(f"{option.name} = {given!r} is not a list of values{way_out}", spot)
        values = self._listed(given, option, spot)
        if not values:
            raise self._wrong(f"the axis {option.name} is empty; give it {option.expected}", spot)
        return values

    def _listed(self, given: Any, option: Option, spot: Spot) -> Sequence[Any]:
        """Return the values that a list, a range, or a single value stands for."""
        if not isinstance(given, dict):
            listed = given if isinstance(given, list) else [given]
            if option.name != PLAYER:
                return listed
            return [meant for value in listed for meant in alternatives(value, self.players)]
        key = option.name
        shape = f"a range such as {key} = {{from = 2, to = 8, step = 2}}"
        if option.kind != "integer" or not {"from", "to"} <= given.keys() <= {"from", "to", "step"}:
            needs = "whole numbers only" if option.kind != "integer" else "from and to"
            raise self._wrong(f"{key} = {given!r} is not {shape}; it takes {needs}", spot)
        place = self._place(spot)
        first, last = (
            option.check(given[end], self.source.file.parent, f"{place}: {end}")
            for end in ("from", "to")
        )
        step = given.get("step", 1)
        if not isinstance(step, int) or isinstance(step, bool) or step < 1 or first > last:
            raise self._wrong(
                f"{key} = {given!r} is not {shape}: from must not be above to, and step at least 1",
                spot,
            )
        values = range(first, last + 1, step)
        if len(values) > MAX_VALUES:
            raise self._wrong(
                f"{key} has {len(values):,} values; expected {MAX_VALUES:,} at most: take a larger"
                " step",
                spot,
            )
        return values

    def _add_base(self, key: str, spot: Spot) -> None:
        """Give an option's column the value it has where nothing varies it."""
        column = self.columns.setdefault(key, Column(self._option(key, spot)))
        self.base[key] = column.position(self.options[key])

    def _vary_presets(self, column: Column, spot: Spot) -> None:
        for name in column.values:
            self._claim_preset(name, spot)
        varying = {key for name in column.values for key in self.presets[name]}
        for option in self.game.options:
            everywhere = all(option.name in self.presets[name] for name in column.values)
            if option.name in varying and not everywhere:
                self._add_base(option.name, spot)
        for name in column.values:
            row = {}
            for key, value in self.presets[name].items():
                option = find(self.game.options, key)
                row[key] = self.columns.setdefault(key, Column(option)).position(value)
            self.preset_rows.append(row)

    def _preset_option(self, spot: Spot) -> Option:
        """Return the label `preset` as if it were an option: one of the presets' names."""
        if not self.presets:
            raise self._wrong(f"{self.game.name} has no presets, and none stands here", spot)
        help, source = "The preset it belongs to.", "not a rule"
        names = tuple(self.presets)
        return Option(PRESET, "choice", names[0], help, source, "Table", choices=names)

    # What may be said once

    def _claim_preset(self, name: str, spot: Spot) -> None:
        for key in self.presets[name]:
            words = f"set by the preset {name!r}"
            self._claim(key, "preset", words, spot, beside=("preset",))

    def _claim(
        self, key: str, role: str, words: str, spot: Spot, beside: tuple[str, ...] = ()
    ) -> None:
        """Note what an option is; refuse if it is something else too, but for `beside`."""
        others = self.claims.setdefault(key, [])
        for other in others:
            if other.role in beside:
                continue
            if other.words == words:
                raise self._wrong(f"{key} is {words} twice; keep one of them", spot)
            line = f" (line {other.line})" if other.line else ""
            raise self._wrong(f"{key} is {words} and {other.words} too{line}; keep one", spot)
        others.append(_Claim(role, words, self.source.line(*spot)))

    # Checks and places

    def _all(self, section: str) -> list[dict[str, Any]]:
        return self.source.tables(section)

    def _option(self, key: str, spot: Spot) -> Option:
        return find(self.game.options, key, self._place(spot))

    def _check(self, option: Option, value: Any, spot: Spot) -> Any:
        """Return an option's settled value."""
        # `Option.check` takes a file that was read already; a player may be given by its weights
        if isinstance(value, dict) and option.kind != "per_seat":
            raise self._wrong(f"{option.name} = {value!r} is not {option.expected}", spot)
        return self._settle(option, value, self._place(spot))

    def _settle(self, option: Option, value: Any, place: str = "") -> Any:
        """Return an option's settled value, the grid's own players put in for their names."""
        if option.name == PLAYER:
            refuse_unknown(value, option, self.players, place)
            meant = list(alternatives(value, self.players))
            if len(meant) > 1:
                start = f"{place}: " if place else ""
                raise DojoError(
                    f"{start}player = {value!r} stands for {len(meant)} players, as a weight has"
                    " several values; make it an axis, in [grid]"
                )
            value = meant[0]
        return option.check(value, self.source.file.parent, place)

    def _place(self, spot: Spot) -> str:
        return self.source.place(*spot)

    def _wrong(self, message: str, spot: Spot) -> DojoError:
        return self.source.wrong(message, *spot)


def _kind(option: Option) -> Kind:
    """Return what an option is in an expression."""
    if option.kind == "integer":
        return "number"
    return "truth" if option.kind == "switch" else "word"


def _first(name: str, columns: dict[str, Column]) -> dict[str, Column]:
    return {name: columns[name], **columns} if name in columns else columns
