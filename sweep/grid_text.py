"""A grid file as text: it is read, and every key is found again by its line for a complaint."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dojo_core.errors import DojoError, nearest

_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")
_HEADER = re.compile(r"\s*\[{1,2}([^\[\],]+)\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(_PART.pattern + r"[=.]")


@dataclass(frozen=True)
class GridText:
    """A grid file: its text, what TOML makes of it, and where its keys are.

    Attributes:
        file: The file.
        text: Its text.
        content: The parsed text.
    """

    file: Path
    text: str
    content: dict[str, Any]
    _lines: dict[tuple[str, int, str | None], int] = field(repr=False)

    @staticmethod
    def read(path: str | Path) -> GridText:
        """Read a grid file.

        Raises:
            DojoError: It is missing, unreadable, or not TOML.
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
        return GridText(file, text, content, _key_lines(text, content))

    def tables(self, section: str) -> list[dict[str, Any]]:
        """Return the tables of a section that may come several times."""
        given = self.content.get(section, [])
        return [given] if isinstance(given, dict) else given

    def line(self, section: str, key: str | None = None, number: int = 0) -> int | None:
        """Return the line of a key, else the nearest line above it that is known.

        Args:
            section: The section; with dots for a table in a table, such as ``sample.axes``.
            key: The key; None for the section's header.
            number: Which one of a section that comes several times, from 0.
        """
        above, _, last = section.rpartition(".")
        known = [(section, number, key), (section, number, None), ("", 0, section)]
        if above:
            known += [(above, number, last), (above, number, None)]
        return next((self._lines[place] for place in known if place in self._lines), None)

    def place(self, section: str, key: str | None = None, number: int = 0) -> str:
        """Return file and line, see `line`, as a complaint begins with them."""
        line = self.line(section, key, number)
        return f"{self.file}, line {line}" if line else str(self.file)

    def wrong(
        self, message: str, section: str, key: str | None = None, number: int = 0
    ) -> DojoError:
        """Return the error that says `message` about a place, see `line`."""
        return DojoError(f"{self.place(section, key, number)}: {message}")

    def check_keys(
        self, section: str, given: Mapping[str, Any], known: Sequence[str], number: int = 0
    ) -> None:
        """Refuse a key of a section that is none of the `known`."""
        for key in given:
            if key not in known:
                repeated = isinstance(self.content.get(section), list)
                shown = f"[[{section}]]" if repeated else f"[{section}]"
                raise self.wrong(
                    f"there is no key {key!r}{nearest(key, known)}; the keys of {shown} are "
                    + ", ".join(known),
                    section,
                    key,
                    number,
                )

    def whole(
        self, given: Mapping[str, Any], key: str, low: int, high: int, section: str, number: int = 0
    ) -> None:
        """Refuse a key's value unless it is a whole number from `low` to `high`."""
        value = given[key]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.wrong(
                f"{key} = {value!r} is not a whole number from {low} to {high}",
                section,
                key,
                number,
            )

    def one_of(
        self, given: Mapping[str, Any], key: str, words: Sequence[str], section: str
    ) -> None:
        """Refuse a key's value unless it is one of the `words`."""
        value = given[key]
        if value not in words:
            hint = nearest(str(value), words)
            raise self.wrong(
                f"{key} = {value!r} is not one of {', '.join(words)}{hint}", section, key
            )


def _invalid(file: Path, text: str, message: str) -> str:
    """Return the sentence for a file that is not TOML; its line number comes from `message`."""
    found = re.search(r"line (\d+)", message)
    number = int(found[1]) if found else len(text.splitlines())
    reason = message.split(" (at ")[0]
    reason = reason[:1].lower() + reason[1:]
    return f"{file}, line {number}: not valid TOML: {reason}; text values need quotes"


def _key_lines(text: str, sections: Container[str]) -> dict[tuple[str, int, str | None], int]:
    """Return the line of each key by section, the section's count (for [[...]]) and key."""
    lines: dict[tuple[str, int, str | None], int] = {}
    counts: dict[str, int] = {}
    section, number = "", 0
    for position, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        parts = [_name(part) for part in _PART.finditer(header[1])] if header else []
        if parts and parts[0] in sections:  # else it is a list that stands on lines of its own
            section = ".".join(parts)
            number = counts.get(section, 0)
            counts[section] = number + 1
            above = section.rpartition(".")[0]
            if above in counts:  # a table in the last table of that name
                number = counts[above] - 1
            lines.setdefault((section, number, None), position)
        elif key := _KEY.match(line):
            lines.setdefault((section, number, _name(key)), position)
    return lines


def _name(part: re.Match[str]) -> str:
    return next(text for text in part.groups() if text is not None)
