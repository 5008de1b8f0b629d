"""Steps in words, and words as steps: how traces and scenarios spell what a player does.

A step is a list: its word, then what it is about. TRACES.md shows all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dojo_core.errors import DojoError
from dojo_core.micro_dojo.components import BUILDINGS, MEEPLES
from dojo_core.micro_dojo.layout import SIDE

RESOURCES = ("gold", "food")
TAKES = ("all", "gold", "food")
NAMES = tuple(tile.name for tile in BUILDINGS)


class Argument(NamedTuple):
    """One kind of argument: how it is told, and how it is read."""

    tell: Callable[[int], Any]
    read: Callable[[Any], int]


def place_of(space: int) -> list[int]:
    """Return [row, column] of a space."""
    return list(divmod(int(space), SIDE))


def space_at(place: Sequence[int]) -> int:
    """Return the number of the space at [row, column]."""
    return SIDE * int(place[0]) + int(place[1])


def _words(names: Sequence[str]) -> Argument:
    return Argument(lambda code: names[code], lambda word: list(names).index(word))


_PLACE = Argument(place_of, space_at)
_NUMBER = Argument(int, int)
_MEEPLE = _words(MEEPLES)
_BUILDING = _words(NAMES)
_RESOURCE = _words(RESOURCES)

# The words of steps, in the order of their kinds in `tables`, and what their arguments are.
STEPS: tuple[tuple[str, tuple[Argument, ...]], ...] = (
    ("guard_house", (_PLACE,)),
    ("influence", (_NUMBER,)),
    ("move", (_MEEPLE, _PLACE)),
    ("push", (_MEEPLE,)),
    ("swap", (_MEEPLE,)),
    ("slip", (_MEEPLE, _PLACE)),
    ("diagonal", (_MEEPLE, _PLACE)),
    ("stables", (_PLACE,)),
    ("take", (_words(TAKES),)),
    ("buy", (_BUILDING,)),
    ("remove", (_BUILDING,)),
    ("trigger", ()),
    ("barracks", ()),
    ("broker", ()),
    ("market", (_RESOURCE, _NUMBER)),
    ("school", (_NUMBER,)),
    ("shrine", ()),
    ("yatai", ()),
    ("trade", (_RESOURCE, _NUMBER)),
    ("donate", (_RESOURCE,)),
    ("end", ()),
)
KINDS = tuple(word for word, _ in STEPS)


def step_words(step: int) -> list[Any]:
    """Return a step in words, e.g. ``["move", "ninja", [0, 1]]``."""
    word, arguments = STEPS[step & 255]
    return [word, *(a.tell(step >> 8 * (k + 1) & 255) for k, a in enumerate(arguments))]


def step_number(words: Sequence[Any]) -> int:
    """Return the step that the words spell.

    Raises:
        DojoError: There is no such step.
    """
    try:
        kind = KINDS.index(words[0])
        arguments = STEPS[kind][1]
        values = [a.read(word) for a, word in zip(arguments, words[1:], strict=True)]
    except (ValueError, IndexError, TypeError) as error:
        raise DojoError(
            f"{words!r} is not a step of Micro Dojo; TRACES.md lists them, for instance"
            ' ["move", "ninja", [0, 1]]'
        ) from error
    return kind | sum(value << 8 * (k + 1) for k, value in enumerate(values))
