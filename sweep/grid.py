"""Reads a `grid.toml` and checks it. Every complaint names the file, the line and the key.

Its sections:
    ``[sweep]``: which game, how many plays a point, where the results go.
    ``[fixed]``: option = value, the same at every point.
    ``[grid]``: option = [values], each an axis; the points are all their combinations.
    ``[[together]]``: axes that move together, as lists of equal length read side by side.
    ``[[leave_out]]``: option = value or [values]; a point that matches all of them is left out.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dojo_core import games
from dojo_core.errors import DojoError, nearest
from dojo_core.game import Game
from dojo_core.options import Option, find

SECTIONS = ("sweep", "fixed", "grid", "together", "leave_out")
RECORDS = ("plays", "summary")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
MAX_PLAYS = 10**12
MAX_SEED = 2**63 - 1

Choice = dict[str, int]  # axis -> the position of its value in `Grid.axes`


@dataclass(frozen=True)
class Grid:
    """A checked grid file.

    Attributes:
        path: The file.
        text: Its text.
        name: The sweep's name, and its folder's.
        game: The game.
        plays: Plays of each point.
        seed: The sweep's seed.
        record: ``plays`` keeps a row a play and a row a seat, ``summary`` exact sums of them.
        results: The folder or address that holds the sweep's folder.
        options: Every option's settled value; the axes' are replaced at each point.
        axes: The settled values of each axis, without repetition.
        groups: The axes in groups that move together: for each, the rows of positions.
        left_out: Conditions: for each, the positions of every axis that match.
    """

    path: Path
    text: str
    name: str
    game: Game
    plays: int
    seed: int
    record: str
    results: str
    options: dict[str, Any]
    axes: dict[str, list[Any]]
    groups: tuple[tuple[Choice, ...], ...]
    left_out: tuple[dict[str, frozenset[int]], ...]

    @property
    def combinations(self) -> int:
        """How many points there are before any is left out, without listing them."""
        return math.prod(len(group) for group in self.groups)

    def choices(self) -> Iterator[Choice]:
        """Yield each point's positions on the axes, the last axis moving fastest."""
        for rows in itertools.product(*self.groups):
            choice = {axis: position for row in rows for axis, position in row.items()}
            if not any(self._matches(choice, condition) for condition in self.left_out):
                yield choice

    def resolved(self, choice: Choice) -> dict[str, Any]:
        """Return every option's settled value at a point."""
        chosen = {axis: self.axes[axis][position] for axis, position in choice.items()}
        return {**self.options, **chosen}

    @staticmethod
    def _matches(choice: Choice, condition: Mapping[str, frozenset[int]]) -> bool:
        return all(choice[axis] in positions for axis, positions in condition.items())


def read_grid(path: str | Path) -> Grid:
    """Read and check a grid file.

    Raises:
        DojoError: One sentence with file, line, key, what was expected and the nearest right name.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        near = nearest(file.name, (p.name for p in file.parent.glob("*.toml")))
        raise DojoError(f"there is no grid file {str(path)!r}{near}") from None
    except UnicodeDecodeError as error:
        raise DojoError(f"{path} is not text in UTF-8: {error}") from error
    except OSError as error:
        raise DojoError(f"the grid file {path} cannot be read: {error.strerror}") from error
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DojoError(_invalid(file, text, str(error))) from error
    return _Reader(file, text, content).grid()


def same(option: Option, value: Any) -> str:
    """Return a key that is equal for two settled values exactly when they play alike."""
    return json.dumps(option.identity(value) if option.identity else value, sort_keys=True)


def _invalid(file: Path, text: str, message: str) -> str:
    """Return the sentence for a file that is not TOML; its line number comes from `message`."""
    found = re.search(r"line (\d+)", message)
    number = int(found[1]) if found else len(text.splitlines())
    reason = message.split(" (at ")[0]
    reason = reason[:1].lower() + reason[1:]
    return f"{file}, line {number}: not valid TOML: {reason}; text values need quotes"


class _Reader:
    """One grid file while it is checked."""

    def __init__(self, file: Path, text: str, content: dict[str, Any]) -> None:
        self.file = file
        self.text = text
        self.content = content
        self.lines = _key_lines(text)

    def grid(self) -> Grid:
        self._check_sections()
        head = self._head()
        game: Game = head["game"]
        options = self._fixed(game)
        axes: dict[str, list[Any]] = {}
        groups = [*self._grid_axes(game, axes), *self._together(game, axes)]
        if not groups:
            groups = [({},)]
        grid = Grid(
            path=self.file,
            text=self.text,
            name=head["name"],
            game=game,
            plays=head["plays"],
            seed=head["seed"],
            record=head["record"],
            results=head["results"],
            options=options,
            axes=axes,
            groups=tuple(groups),
            left_out=tuple(self._leave_out(game, axes)),
        )
        if next(grid.choices(), None) is None:
            raise self._wrong("leave_out", None, "the conditions leave no point; remove one")
        return grid

    # [sweep]

    def _check_sections(self) -> None:
        for section, value in self.content.items():
            if section not in SECTIONS:
                raise DojoError(
                    f"{self._place(section)}: there is no section or key {section!r} here"
                    f"{nearest(section, SECTIONS)}; the sections are {', '.join(SECTIONS)}"
                )
            tables = section in ("together", "leave_out")
            fits = isinstance(value, dict) or (tables and isinstance(value, list))
            if not fits:
                header = f"[[{section}]]" if tables else f"[{section}]"
                raise DojoError(f"{self._place(section)}: write {header} on a line of its own")
        if "sweep" not in self.content:
            raise DojoError(f"{self.file}: the section [sweep] with game and plays is missing")

    def _head(self) -> dict[str, Any]:
        given: dict[str, Any] = self.content["sweep"]
        known = ("name", "game", "plays", "seed", "record", "results")
        for key in given:
            if key not in known:
                raise self._wrong(
                    "sweep",
                    key,
                    f"there is no key {key!r}{nearest(key, known)}; the keys of [sweep] are "
                    + ", ".join(known),
                )
        for key in ("game", "plays"):
            if key not in given:
                raise self._wrong("sweep", None, f"[sweep] needs the key {key!r}")
        head = {"name": self.file.stem, "seed": 1, "record": "plays", "results": "results"}
        head |= given
        for key in ("name", "game", "record", "results"):
            if not isinstance(head[key], str):
                raise self._wrong("sweep", key, f"{key} = {head[key]!r} is not text in quotes")
        if not NAME.fullmatch(str(head["name"])):
            raise self._wrong(
                "sweep",
                "name",
                f"name = {head['name']!r} is not a name made of letters, digits, '-' and '_'",
            )
        self._whole(head, "plays", 1, MAX_PLAYS)
        self._whole(head, "seed", 0, MAX_SEED)
        if head["record"] not in RECORDS:
            hint = nearest(str(head["record"]), RECORDS)
            raise self._wrong(
                "sweep",
                "record",
                f"record = {head['record']!r} is not one of {', '.join(RECORDS)}{hint}",
            )
        try:
            game = games.load(str(head["game"]))
        except DojoError as error:
            raise self._wrong("sweep", "game", str(error)) from error
        return {**head, "game": game}

    def _whole(self, head: dict[str, Any], key: str, low: int, high: int) -> None:
        value = head[key]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self._wrong(
                "sweep", key, f"{key} = {value!r} is not a whole number from {low} to {high}"
            )

    # [fixed]

    def _fixed(self, game: Game) -> dict[str, Any]:
        given = {}
        for key, value in self.content.get("fixed", {}).items():
            place = self._place("fixed", key)
            option = find(game.options, key, place)
            if isinstance(value, list) and option.kind != "per_seat":
                raise DojoError(f"{place}: {key} has a list of values; an axis belongs in [grid]")
            given[key] = option.check(value, self.file.parent, place)
        return game.resolve(given, self.file.parent, str(self.file))

    # [grid] and [[together]]

    def _grid_axes(self, game: Game, axes: dict[str, list[Any]]) -> Iterator[tuple[Choice, ...]]:
        for key, values in self.content.get("grid", {}).items():
            place = self._place("grid", key)
            settled = self._axis(game, axes, key, values, place)
            option = find(game.options, key)
            seen: dict[str, int] = {}
            for position, value in enumerate(settled):
                twin = seen.setdefault(same(option, value), position)
                if twin != position:
                    raise DojoError(
                        f"{place}: {key} has {values[position]!r} and {values[twin]!r}, which"
                        " play alike; keep one of them"
                    )
            axes[key] = settled
            yield tuple({key: position} for position in range(len(settled)))

    def _together(self, game: Game, axes: dict[str, list[Any]]) -> Iterator[tuple[Choice, ...]]:
        for number, table in enumerate(self._tables("together")):
            columns: dict[str, list[int]] = {}
            lists: dict[str, list[Any]] = {}
            for key, values in table.items():
                place = self._place("together", key, number)
                lists[key] = self._axis(game, axes, key, values, place)
                if len(lists[key]) != len(next(iter(lists.values()))):
                    first = next(iter(lists))
                    raise DojoError(
                        f"{place}: {key} has {len(lists[key])} values and {first} has"
                        f" {len(lists[first])}; axes that move together need lists of one length"
                    )
            if not lists:
                raise self._wrong("together", None, "[[together]] names no axis", number)
            for key, settled in lists.items():
                axes[key], columns[key] = _positions(find(game.options, key), settled)
            rows = [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
            for position, row in enumerate(rows):
                if row in rows[:position]:
                    raise self._wrong(
                        "together",
                        None,
                        f"rows {rows.index(row) + 1} and {position + 1} of [[together]] are the"
                        " same; keep one of them",
                        number,
                    )
            yield tuple(rows)

    def _axis(
        self, game: Game, axes: Mapping[str, Any], key: str, values: Any, place: str
    ) -> list[Any]:
        option = find(game.options, key, place)
        if key in self.content.get("fixed", {}):
            line = self.lines.get(("fixed", 0, key), 0)
            raise DojoError(f"{place}: {key} is an axis and fixed too (line {line}); keep one")
        if key in axes:
            raise DojoError(f"{place}: {key} is an axis twice; keep one of them")
        if not isinstance(values, list):
            raise DojoError(
                f"{place}: {key} = {values!r} is not a list of values; write [{key}'s values], or"
                " move it to [fixed]"
            )
        if not values:
            raise DojoError(f"{place}: the axis {key} is empty; give it {option.expected}")
        return [option.check(value, self.file.parent, place) for value in values]

    # [[leave_out]]

    def _leave_out(
        self, game: Game, axes: Mapping[str, list[Any]]
    ) -> Iterator[dict[str, frozenset[int]]]:
        for number, table in enumerate(self._tables("leave_out")):
            condition = {}
            for key, given in table.items():
                place = self._place("leave_out", key, number)
                option = find(game.options, key, place)
                if key not in axes:
                    raise DojoError(
                        f"{place}: {key} is not an axis{nearest(key, axes)}; a condition names axes"
                    )
                values = given if isinstance(given, list) else [given]
                settled = [option.check(v, self.file.parent, place) for v in values]
                known = [same(option, value) for value in axes[key]]
                for value, shown in zip(settled, values, strict=True):
                    if same(option, value) not in known:
                        raise DojoError(f"{place}: {key} has no value {shown!r} in its axis")
                condition[key] = frozenset(known.index(same(option, value)) for value in settled)
            if not condition:
                raise self._wrong("leave_out", None, "[[leave_out]] names no axis", number)
            yield condition

    # Places

    def _tables(self, section: str) -> list[dict[str, Any]]:
        given = self.content.get(section, [])
        return [given] if isinstance(given, dict) else given

    def _place(self, section: str, key: str | None = None, number: int = 0) -> str:
        line = self.lines.get((section, number, key)) or self.lines.get((section, number, None))
        line = line or self.lines.get(("", 0, section))
        return f"{self.file}, line {line}" if line else str(self.file)

    def _wrong(self, section: str, key: str | None, message: str, number: int = 0) -> DojoError:
        return DojoError(f"{self._place(section, key, number)}: {message}")


def _positions(option: Option, settled: list[Any]) -> tuple[list[Any], list[int]]:
    """Return the values without repetition, and where each of `settled` is among them."""
    keys = [same(option, value) for value in settled]
    unique = list(dict.fromkeys(keys))
    return [settled[keys.index(key)] for key in unique], [unique.index(key) for key in keys]


_HEADER = re.compile(r"\s*\[{1,2}\s*([A-Za-z0-9_-]+)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*["']?([A-Za-z0-9_-]+)["']?\s*[=.]""")


def _key_lines(text: str) -> dict[tuple[str, int, str | None], int]:
    """Return the line of each key by section, the section's count (for [[...]]) and key."""
    lines: dict[tuple[str, int, str | None], int] = {}
    counts: dict[str, int] = {}
    section, number = "", 0
    for position, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            section = header[1]
            number = counts.get(section, 0)
            counts[section] = number + 1
            lines.setdefault((section, number, None), position)
        elif key := _KEY.match(line):
            lines.setdefault((section, number, key[1]), position)
    return lines
