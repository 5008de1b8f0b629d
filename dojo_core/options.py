"""Options: what may vary in a game. One table of them feeds checking, packing, help and docs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dojo_core.errors import DojoError, nearest

Kind = Literal["integer", "switch", "choice", "file", "per_seat"]

# What a player given by its weights is called when it has no name of its own.
CUSTOM = "custom"


@dataclass(frozen=True)
class Option:
    """One thing that may vary: a number of the rules, a switch, a board, a player.

    Attributes:
        name: The name in a grid file and on the command line.
        kind: ``integer`` (low..high), ``switch`` (true/false), ``choice`` (one of `choices`),
            ``file`` (a path or short name, read by `read`), ``per_seat`` (a player for all
            seats, or a list with one a seat; a player is one of `choices` or a mapping of
            weights, see `weigh`).
        default: The value of the rulebook, or of the shipped material.
        help: What it changes, in one sentence.
        source: The section of the rulebook (or the ruling) it comes from.
        group: The heading it stands under on the options page and in the dashboard.
        unit: The unit of a number.
        low: The least value of an integer.
        high: The greatest value of an integer.
        choices: The words of a choice; a packed choice is its position here.
        read: For a file: reads the path into a plain mapping with at least ``label`` and
            ``text``, which is what a plan keeps, so that a play can be told again when the
            file is gone.
        identity: The part of a settled value that decides plays, where that is not all of it: a
            file's comments and a player's name do not.
        features: For players: the weights that a player may be given by, each an option of its
            own (``integer`` or ``switch``).
        weights: For players: the weights of those among `choices` that are nothing but weights;
            features left out have their default.
        assumed: True when the default is nobody's measurement and no rulebook's number.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    source: str
    group: str
    unit: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    read: Callable[[str, Path], dict[str, Any]] | None = None
    identity: Callable[[Any], Any] | None = None
    features: tuple[Option, ...] = ()
    weights: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    assumed: bool = False

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.kind == "integer":
            return f"a whole number from {self.low} to {self.high}"
        if self.kind == "switch":
            return "true or false"
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "per_seat":
            weighed = ", the weights of a player" if self.features else ""
            return "one of " + ", ".join(self.choices) + weighed + ", or a list with one a seat"
        return "the path of a file, or the short name of a shipped one"

    def check(self, value: Any, base: Path, where: str = "") -> Any:
        """Return `value` in its settled form, or raise a `DojoError` that says what was expected.

        Args:
            value: As it came from a grid file, a command line or Python.
            base: The folder that relative paths start from.
            where: The file and line or key it came from, put in front of the message.
        """
        return getattr(self, f"_check_{self.kind}")(value, base, where)

    def shown(self, value: Any) -> Any:
        """Return the settled `value` as one plain cell of a table: a number, a flag or a word."""
        if self.kind == "file":
            return value["label"]
        if self.kind == "per_seat":
            return " ".join(called(player) for player in one_a_seat(value))
        return value

    def _refuse(self, value: Any, where: str, hint: str = "") -> DojoError:
        place = f"{where}: " if where else ""
        return DojoError(f"{place}{self.name} = {value!r} is not {self.expected}{hint}")

    def _check_integer(self, value: Any, base: Path, where: str) -> int:
        number = _integer(value)
        if number is None or not self.low <= number <= self.high:
            raise self._refuse(value, where)
        return number

    def _check_switch(self, value: Any, base: Path, where: str) -> bool:
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise self._refuse(value, where)

    def _check_choice(self, value: Any, base: Path, where: str) -> str:
        if value in self.choices:
            return str(value)
        raise self._refuse(value, where, nearest(str(value), self.choices))

    def _check_per_seat(self, value: Any, base: Path, where: str) -> Any:
        if isinstance(value, str) and not value.replace(",", " ").split()[1:]:
            return self._check_choice(value, base, where)
        if isinstance(value, Mapping):
            return self.weigh(value, base, where)
        names = value.replace(",", " ").split() if isinstance(value, str) else value
        if not isinstance(names, Sequence):
            raise self._refuse(value, where)
        return [
            self.weigh(player, base, where)
            if isinstance(player, Mapping)
            else self._check_choice(player, base, where)
            for player in names
        ]

    def weigh(self, given: Mapping[str, Any], base: Path, where: str = "") -> dict[str, Any]:
        """Return a player given by its weights in its settled form: a name and every weight.

        Args:
            given: Weights by feature; ``inherits``: one of `choices` that has `weights`, which
                count where none is given (the features' defaults without it); ``name``: what the
                player is called in tables and traces (`CUSTOM` without it).
            base: See `check`.
            where: Put in front of an error message.

        Raises:
            DojoError: An unknown feature, a weight out of its range, ...
        """
        place = f"{where}: " if where else ""
        if not self.features:
            raise self._refuse(dict(given), where)
        name = given.get("name", CUSTOM)
        if not isinstance(name, str) or not re.fullmatch(r"[\w.-]+", name):
            raise DojoError(
                f"{place}name = {name!r} does not name a player; take one word of letters, digits,"
                " '_', '-' and '.'"
            )
        if name in self.choices:
            raise DojoError(f"{place}there is a player {name!r} already; take another name")
        weights = self._inherited(given.get("inherits"), place)
        known = {feature.name: feature for feature in self.features}
        for key in given.keys() - {"name", "inherits"}:
            if key not in known:
                hint = nearest(key, list(known))
                raise DojoError(
                    f"{place}players have no weight {key!r}{hint}; `dojo options` lists them all"
                )
            weights[key] = known[key].check(given[key], base, where)
        return {"name": name, **weights}

    def _inherited(self, parent: Any, place: str) -> dict[str, Any]:
        if parent is None:
            return {feature.name: feature.default for feature in self.features}
        if parent not in self.weights:
            hint = nearest(str(parent), list(self.weights))
            raise DojoError(
                f"{place}inherits = {parent!r} is not a player made of weights{hint}; inherit from"
                f" one of {', '.join(self.weights)}"
            )
        return self.weights_of(parent) or {}

    def weights_of(self, player: str | Mapping[str, Any]) -> dict[str, Any] | None:
        """Return every weight of a settled player; None of one that is not made of weights."""
        if isinstance(player, str) and player not in self.weights:
            return None
        given = self.weights[player] if isinstance(player, str) else player
        return {feature.name: given.get(feature.name, feature.default) for feature in self.features}

    def _check_file(self, value: Any, base: Path, where: str) -> dict[str, Any]:
        if isinstance(value, Mapping):
            return dict(value)
        if not isinstance(value, str) or self.read is None:
            raise self._refuse(value, where)
        try:
            return self.read(value, base)
        except DojoError as error:
            place = f"{where}: " if where else ""
            raise DojoError(f"{place}{error}", error.exit_code) from error


def one_a_seat(players: Any) -> list[Any]:
    """Return a settled player, or list of players, as a list."""
    return [players] if isinstance(players, str | Mapping) else list(players)


def players_identity(players: Any) -> Any:
    """Return what decides plays of a settled player or list of them: not what it is called."""
    if isinstance(players, Mapping):
        return {key: weight for key, weight in players.items() if key != "name"}
    return players if isinstance(players, str) else [players_identity(one) for one in players]


def called(player: str | Mapping[str, Any]) -> str:
    """Return what tables and traces call a settled player."""
    return player if isinstance(player, str) else str(player["name"])


def _integer(value: Any) -> int | None:
    """Return `value` as an int when it is one (or text that spells one), else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        try:
            return int(value.strip().replace("_", ""))
        except ValueError:
            return None
    return None


def find(options: Sequence[Option], name: str, where: str = "") -> Option:
    """Return the option called `name`, or raise a `DojoError` with the nearest right name."""
    for option in options:
        if option.name == name:
            return option
    place = f"{where}: " if where else ""
    hint = nearest(name, [option.name for option in options])
    raise DojoError(f"{place}there is no option {name!r}{hint}; `dojo options` lists them all")


def resolve(
    options: Sequence[Option],
    given: Mapping[str, Any],
    base: Path | None = None,
    where: str = "",
) -> dict[str, Any]:
    """Return every option's settled value: the given ones checked, the others at their default.

    Args:
        options: The game's table.
        given: Values by option name; unknown names are refused.
        base: The folder relative paths start from; the current one when left out.
        where: Put in front of an error message.
    """
    for name in given:
        find(options, name, where)
    folder = base or Path.cwd()
    return {o.name: o.check(given.get(o.name, o.default), folder, where) for o in options}


def packed_dtype(options: Sequence[Option]) -> np.dtype[Any]:
    """Return the record type that carries the numbers, switches and choices to compiled code."""
    fields = [(o.name, np.int64) for o in options if o.kind in ("integer", "switch", "choice")]
    return np.dtype(fields, align=True)


def pack(options: Sequence[Option], resolved: Mapping[str, Any]) -> np.recarray[Any, Any]:
    """Return a one-element record array of every number, switch and choice (its position).

    Options are data: another value is never another compilation.
    """
    packed = np.zeros(1, packed_dtype(options))
    for option in options:
        if option.kind in ("integer", "switch"):
            packed[option.name] = resolved[option.name]
        elif option.kind == "choice":
            packed[option.name] = option.choices.index(resolved[option.name])
    return packed.view(np.recarray)
