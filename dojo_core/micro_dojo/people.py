"""People at the table of Micro Dojo: what they see and may answer, in their language.

Nothing is hidden in this game, so everybody hears the whole story. The words stand in
``people.toml``.
"""

from __future__ import annotations

import functools
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dojo_core.game import PERSON, Answer, Event, Offer, Page, Question
from dojo_core.micro_dojo import story
from dojo_core.micro_dojo.components import BUILDINGS, OBJECTIVES, SEATS
from dojo_core.micro_dojo.layout import SIDE, spaces_of_texts
from dojo_core.micro_dojo.picture import space_code
from dojo_core.micro_dojo.words import RESOURCES

PHRASES = Path(__file__).with_suffix(".toml")
CELL = 18
WIDTH = 78  # of a narrow terminal

_BUILDINGS = {tile.name: tile for tile in BUILDINGS}
_OBJECTIVES = {objective.name: objective for objective in OBJECTIVES}


@functools.cache
def _phrases(language: str) -> dict[str, str]:
    """Return the phrases of stories, and those of questions, in a language."""
    asked = tomllib.loads(PHRASES.read_text(encoding="utf-8"))
    return story.phrases_in(language) | {key: words[language] for key, words in asked.items()}


def tell(events: Sequence[Event], seat: int, language: str) -> Iterator[str]:
    """Tell a play; every seat hears the same."""
    return story.describe(events, language)


def help_lines(language: str) -> Iterator[str]:
    """Explain the drawn board, and what may be typed."""
    yield from _phrases(language)["help"].strip().splitlines()


def show(events: Sequence[Event], question: Question, language: str) -> Page:
    """Return the table, the question, and the steps by number."""
    phrases = _phrases(language)
    table, setup = question.table, events[0]
    offers = (
        Offer(str(k), step_in_words(step, table, setup, phrases), (Answer(question.kind, step),))
        for k, step in enumerate(question.options, 1)
    )
    market = phrases["market_holds"].format(names="; ".join(_priced(setup, table, phrases)))
    left = phrases["objectives_left"].format(names="; ".join(_objectives(setup, table, phrases)))
    lines = [*_board(setup, table, phrases), *_seats(setup, question, phrases)]
    for line in (market, left):
        lines += textwrap.wrap(line, WIDTH, subsequent_indent="    ")
    return Page(tuple(lines), phrases["ask_step"].format(who=_name(question.seat)), tuple(offers))


def _name(seat: int) -> str:
    return f"P{seat + 1}"


# The table


def _board(setup: Event, table: Mapping[str, Any], phrases: Mapping[str, str]) -> Iterator[str]:
    """Draw the spaces: what they give, who stands there and whose marker that carries."""
    codes = [space_code(space) for space in spaces_of_texts(setup["board"])]
    edge = "+" + ("-" * CELL + "+") * SIDE
    yield edge
    for row in range(SIDE):
        spaces = [[row, column] for column in range(SIDE)]
        cells = [f"({row},{column}) {codes[SIDE * row + column]}" for column in range(SIDE)]
        yield _row(cells)
        yield _row([_standing(space, table) for space in spaces])
        guard = table["guard"]
        yield _row([phrases["guard"] if space == guard else "" for space in spaces])
        yield edge


def _row(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {cell:<{CELL - 1}}|" for cell in cells)


def _standing(space: list[int], table: Mapping[str, Any]) -> str:
    for meeple, where in table["meeples"].items():
        if where == space:
            marks = [_name(seat) for seat in range(SEATS) if table["markers"][seat] == meeple]
            return meeple.title() + (f" ({', '.join(marks)})" if marks else "")
    return ""


def _seats(setup: Event, question: Question, phrases: Mapping[str, str]) -> Iterator[str]:
    """Tell what everybody has."""
    table = question.table
    for seat, player in enumerate(setup["players"]):
        if player == PERSON:
            player = phrases["you" if seat == question.seat else "person"]
        owned = [_BUILDINGS[name].title for name in table["owned"][seat]]
        owned = owned or [phrases["no_building"]]
        if table["influence"] == seat:
            owned.append(phrases["with_influence"])
        yield phrases["seat"].format(
            who=_name(seat),
            player=player,
            gold=table["gold"][seat],
            food=table["food"][seat],
            points=table["points"][seat],
            owned=", ".join(owned),
        )


def _priced(setup: Event, table: Mapping[str, Any], phrases: Mapping[str, str]) -> Iterator[str]:
    for name in table["market"]:
        yield f"{_BUILDINGS[name].title} ({_cost(name, setup, phrases)})"


def _cost(building: str, setup: Event, phrases: Mapping[str, str]) -> str:
    prices = {resource: setup["options"][f"{building}_{resource}"] for resource in RESOURCES}
    return phrases["cost"].format(**prices)


def _objectives(
    setup: Event, table: Mapping[str, Any], phrases: Mapping[str, str]
) -> Iterator[str]:
    for name in setup["objectives"][table["triggered"] :]:
        yield f"{_OBJECTIVES[name].title} ({phrases[f'scores_{name}']})"


# Steps


def step_in_words(
    step: Sequence[Any], table: Mapping[str, Any], setup: Event, phrases: Mapping[str, str]
) -> str:
    """Return what a step would do, e.g. ``move the Ninja to (0,1)``."""
    word, *arguments = step
    values: dict[str, Any] = dict(zip(_VALUES.get(word, ()), arguments, strict=True))
    if word == "trigger":
        values["objective"] = next(_objectives(setup, table, phrases))
    told = {name: story.word_of(value, phrases) for name, value in values.items()}
    if word == "influence":
        told["who"] = _name(values["seat"])
    if word == "buy":
        told["cost"] = _cost(values["building"], setup, phrases)
    return phrases[f"do_{word}"].format(**told)


# What a step's arguments are in its phrase.
_VALUES: dict[str, tuple[str, ...]] = {
    "guard_house": ("space",),
    "influence": ("seat",),
    "move": ("meeple", "space"),
    "push": ("meeple",),
    "swap": ("meeple",),
    "slip": ("meeple", "space"),
    "diagonal": ("meeple", "space"),
    "stables": ("space",),
    "take": ("what",),
    "buy": ("building",),
    "remove": ("building",),
    "market": ("resource", "amount"),
    "school": ("amount",),
    "trade": ("resource", "amount"),
    "donate": ("resource",),
}
