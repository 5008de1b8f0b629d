"""The board: nine spaces and what each gives, read from a small TOML file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dojo_core.errors import DojoError
from dojo_core.micro_dojo.components import SPACES

SIDE = 3
MOST_OF_A_KIND = 3  # gold, food or actions of one space

_PACKAGE = Path(__file__).resolve().parent.parent
_FORM = re.compile(r"([1-9])?\s*(gold|food|build|actions?)")
_EXPECTED = 'for instance "2 gold", "1 gold + 1 food", "1 gold or 1 food + build", "2 actions"'


class Space(NamedTuple):
    """What a space gives.

    Attributes:
        text: As the file says it.
        gold: Gold taken there.
        food: Food taken there.
        either: 1 when it is gold or food, as the player likes.
        build: 1 when a building may be bought or removed there.
        actions: Actions that may be taken there.
    """

    text: str
    gold: int
    food: int
    either: int
    build: int
    actions: int


def read_option(path: str, base: Path) -> dict[str, Any]:
    """Read a board's file, or a shipped board by its short name (`Option.read`).

    Raises:
        DojoError: There is no such file, or it is no board of nine spaces.
    """
    shipped = [folder / f"{Path(path).stem}.toml" for folder in _shipped_folders()]
    for file in [Path(base, path).expanduser(), *(shipped if _is_short(path) else [])]:
        if file.is_file():
            return _read(file)
    raise DojoError(
        f"there is no board {path!r}; give a TOML file with spaces = [...] as in"
        " board/micro_dojo.toml"
    )


def _shipped_folders() -> list[Path]:
    """Return where shipped boards lie: in an installed package, and in a clone."""
    return [_PACKAGE / "board_data", _PACKAGE.parent / "board"]


def _is_short(path: str) -> bool:
    return "/" not in path or path.startswith("board/")


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
        spaces_of(text)
    except (OSError, UnicodeDecodeError) as error:
        raise DojoError(f"{file} cannot be read: {error}; give another board") from error
    except DojoError as error:
        raise DojoError(f"{file}: {error}") from error
    return {"label": file.stem, "text": text}


def identity(content: dict[str, Any]) -> list[list[int]]:
    """Return what of a board decides plays: numbers, not wording or comments."""
    return [list(space[1:]) for space in spaces_of(content["text"])]


def spaces_of(text: str) -> list[Space]:
    """Return the nine spaces, row by row, of a board file's text."""
    try:
        rows = tomllib.loads(text)["spaces"]
    except tomllib.TOMLDecodeError as error:
        raise DojoError(f"this is no TOML: {error}") from error
    except KeyError as error:
        raise DojoError("there is no spaces = [...]; expected three rows of three") from error
    if not isinstance(rows, list) or [len(row) for row in rows if isinstance(row, list)] != [3] * 3:
        raise DojoError("spaces must be three rows of three texts")
    if [str] * SPACES != [type(space) for row in rows for space in row]:
        raise DojoError("spaces must be three rows of three texts")
    return spaces_of_texts([space for row in rows for space in row])


def spaces_of_texts(texts: Sequence[str]) -> list[Space]:
    """Return the spaces that these texts describe."""
    return [_space(text) for text in texts]


def _space(text: str) -> Space:
    """Return what a space's text says."""
    amounts = dict.fromkeys(("gold", "food", "build", "action"), 0)
    resources = 0
    for part in re.split(r"\s*\+\s*|\s+or\s+", text.strip().lower()):
        found = _FORM.fullmatch(part)
        if found is None:
            raise DojoError(f"space {text!r}: {part!r} is not known; expected {_EXPECTED}")
        kind = found.group(2).rstrip("s")
        amounts[kind] += int(found.group(1) or 1)
        resources += kind in ("gold", "food")
    either = bool(re.search(r"gold\s+or\s+\S*\s*food|food\s+or\s+\S*\s*gold", text.lower()))
    if text.lower().count(" or ") != either:
        raise DojoError(f"space {text!r}: only gold or food can be chosen between; {_EXPECTED}")
    if either and resources > 2:
        raise DojoError(f"space {text!r}: gold or food leaves no more of them to give; {_EXPECTED}")
    if max(amounts.values()) > MOST_OF_A_KIND or amounts["build"] > 1:
        raise DojoError(
            f"space {text!r} gives too much; at most {MOST_OF_A_KIND} of a kind, and one build"
        )
    return Space(text, amounts["gold"], amounts["food"], int(either), amounts["build"],
                 amounts["action"])  # fmt: skip
