"""What the options of a grid file are: fixed, an axis, or derived; and which values they take.

The sections of the file (`grid.py`) say of an option what it is, each once, through one `Axes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dojo_core.errors import DojoError
from dojo_core.game import Game
from dojo_core.options import Option, find
from sweep.designs import Column, Condition, Row, same
from sweep.grid_text import GridText
from sweep.players import PLAYER, alternatives, read_players, refuse_unknown

PRESET = "preset"  # the axis that is a label: which preset's options a point has
MAX_VALUES = 100_000  # of one axis

Spot = tuple[str, str | None, int]  # section, key, which of a section that comes several times


class _Claim(NamedTuple):
    """What else says what an option is."""

    role: str
    words: str
    line: int | None


class Axes:
    """The options of one grid file while it is checked.

    Attributes:
        players: The grid's own players by name, see `read_players`.
        presets: The settled options of each preset, the game's and the grid's.
        options: Every option's value where nothing varies it.
        columns: What varies so far, or is derived, and its values.
        base: The positions of those values in their columns that count where nothing varies them.
        preset_rows: The positions that each preset of an axis chooses.
        derived: By option, the text of its expression in [derived].
    """

    def __init__(self, source: GridText, game: Game) -> None:
        """Read what is fixed.

        Raises:
            DojoError: A wrong name or value in [players.NAME], [presets.NAME] or [fixed].
        """
        self.source = source
        self.game = game
        self.columns: dict[str, Column] = {}
        self.base: Row = {}
        self.preset_rows: list[Row] = []
        self._claims: dict[str, list[_Claim]] = {}
        self.players = read_players(source, game)
        self.derived: dict[str, Any] = source.content.get("derived", {})
        self.presets: dict[str, dict[str, Any]] = {}
        self._read_presets()
        self.options = self._fixed()

    # [presets] and [fixed]

    def _read_presets(self) -> None:
        self.presets = {
            preset.name: self._settled(preset.options, f"the preset {preset.name!r}")
            for preset in self.game.presets
        }
        for name, options in self.source.content.get("presets", {}).items():
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
                key: self.check(self.option(key, (section, key, 0)), value, (section, key, 0))
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
        for key, value in self.source.content.get("fixed", {}).items():
            spot = ("fixed", key, 0)
            if key == PRESET:
                name = self.check(self._preset_option(spot), value, spot)
                given |= self.presets[name]
                self.claim(PRESET, "fixed", "fixed", spot)
                self._claim_preset(name, spot)
                continue
            option = self.option(key, spot)
            if isinstance(value, list) and option.kind != "per_seat":
                raise self.source.wrong(
                    f"{key} has a list of values; an axis belongs in [grid]", *spot
                )
            self.claim(key, "fixed", "fixed", spot)
            given[key] = self.check(option, value, spot)
        return self.game.resolve(given, self.source.file.parent, str(self.source.file))

    # Options and their values

    def option(self, key: str, spot: Spot) -> Option:
        """Return the option of that name, or refuse the name by its place."""
        return find(self.game.options, key, self.source.place(*spot))

    def check(self, option: Option, value: Any, spot: Spot) -> Any:
        """Return an option's settled value."""
        # `Option.check` takes a file that was read already; a player may be given by its weights
        if isinstance(value, dict) and option.kind != "per_seat":
            raise self.source.wrong(f"{option.name} = {value!r} is not {option.expected}", *spot)
        return self.settle(option, value, self.source.place(*spot))

    def settle(self, option: Option, value: Any, place: str = "") -> Any:
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

    def _preset_option(self, spot: Spot) -> Option:
        """Return the label `preset` as if it were an option: one of the presets' names."""
        if not self.presets:
            raise self.source.wrong(f"{self.game.name} has no presets, and none stands here", *spot)
        help, source = "The preset it belongs to.", "not a rule"
        names = tuple(self.presets)
        return Option(PRESET, "choice", names[0], help, source, "Table", choices=names)

    # Axes

    def axis(
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
        option = self._preset_option(spot) if key == PRESET else self.option(key, spot)
        self.claim(key, role, "an axis", spot, beside)
        values = self._axis_values(option, given, spot)
        settled = [self.check(option, value, spot) for value in values]
        column = self.columns.setdefault(key, Column(option))
        seen: dict[int, int] = {}
        positions = []
        for number, value in enumerate(settled):
            positions.append(column.position(value))
            twin = seen.setdefault(positions[-1], number)
            if twin != number and not again:
                raise self.source.wrong(
                    f"{key} has {values[number]!r} and {values[twin]!r}, which play alike; keep"
                    " one of them",
                    *spot,
                )
        if key == PRESET:
            self._vary_presets(column, spot)
        return positions

    def _axis_values(self, option: Option, given: Any, spot: Spot) -> Sequence[Any]:
        if not isinstance(given, list | dict):
            way_out = f"; write [{option.name}'s values], or move it to [fixed]"
            raise self.source.wrong(
                f"{option.name} = {given!r} is not a list of values{way_out}", *spot
            )
        values = self.listed(given, option, spot)
        if not values:
            raise self.source.wrong(
                f"the axis {option.name} is empty; give it {option.expected}", *spot
            )
        return values

    def listed(self, given: Any, option: Option, spot: Spot) -> Sequence[Any]:
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
            raise self.source.wrong(f"{key} = {given!r} is not {shape}; it takes {needs}", *spot)
        place = self.source.place(*spot)
        first, last = (
            option.check(given[end], self.source.file.parent, f"{place}: {end}")
            for end in ("from", "to")
        )
        step = given.get("step", 1)
        if not isinstance(step, int) or isinstance(step, bool) or step < 1 or first > last:
            raise self.source.wrong(
                f"{key} = {given!r} is not {shape}: from must not be above to, and step at least 1",
                *spot,
            )
        values = range(first, last + 1, step)
        if len(values) > MAX_VALUES:
            raise self.source.wrong(
                f"{key} has {len(values):,} values; expected {MAX_VALUES:,} at most: take a larger"
                " step",
                *spot,
            )
        return values

    def add_base(self, key: str, spot: Spot) -> None:
        """Give an option's column the value it has where nothing varies it."""
        column = self.columns.setdefault(key, Column(self.option(key, spot)))
        self.base[key] = column.position(self.options[key])

    def _vary_presets(self, column: Column, spot: Spot) -> None:
        for name in column.values:
            self._claim_preset(name, spot)
        varying = {key for name in column.values for key in self.presets[name]}
        for option in self.game.options:
            everywhere = all(option.name in self.presets[name] for name in column.values)
            if option.name in varying and not everywhere:
                self.add_base(option.name, spot)
        for name in column.values:
            row = {}
            for key, value in self.presets[name].items():
                option = find(self.game.options, key)
                row[key] = self.columns.setdefault(key, Column(option)).position(value)
            self.preset_rows.append(row)

    # Conditions

    def when(
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
                reason = "is derived" if key in self.derived else "varies here or further down"
                raise self.source.wrong(
                    f"{key} {reason}; a condition of [[{section}]] names axes, fixed options and"
                    f" what a [[{section}]] above it varies",
                    section,
                    "when",
                    number,
                )
        return self.condition(given, section, number, "when")

    def condition(
        self, given: Mapping[str, Any], section: str, number: int, within: str | None = None
    ) -> Condition:
        """Return the condition that these axes have these values; `within` is the key it is in."""
        wanted = {}
        for key, values in given.items():
            spot = (f"{section}.{within}" if within else section, key, number)
            option = self._preset_option(spot) if key == PRESET else self.option(key, spot)
            given_values = self.listed(values, option, spot)
            settled = [self.check(option, value, spot) for value in given_values]
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
        if key in self.derived:
            return  # its values are known when the points are listed
        if key in self.columns:
            known = self.columns[key].keys
            for one, value in zip(keys, shown, strict=True):
                if one not in known:
                    raise self.source.wrong(f"{key} has no value {value!r} in its axis", *spot)
        elif key == PRESET:
            raise self.source.wrong("preset is not an axis here; a condition names axes", *spot)
        elif same(option, self.options[key]) not in keys:
            fixed = option.shown(self.options[key])
            raise self.source.wrong(
                f"{key} is {fixed!r} at every point, so this never holds", *spot
            )

    # What may be said once

    def claim(
        self, key: str, role: str, words: str, spot: Spot, beside: tuple[str, ...] = ()
    ) -> None:
        """Note what an option is; refuse if it is something else too, but for `beside`."""
        others = self._claims.setdefault(key, [])
        for other in others:
            if other.role in beside:
                continue
            if other.words == words:
                raise self.source.wrong(f"{key} is {words} twice; keep one of them", *spot)
            line = f" (line {other.line})" if other.line else ""
            raise self.source.wrong(
                f"{key} is {words} and {other.words} too{line}; keep one", *spot
            )
        others.append(_Claim(role, words, self.source.line(*spot)))

    def _claim_preset(self, name: str, spot: Spot) -> None:
        for key in self.presets[name]:
            words = f"set by the preset {name!r}"
            self.claim(key, "preset", words, spot, beside=("preset",))
