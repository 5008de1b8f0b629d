"""A play told in words, from its trace and nothing else; the phrases stand in ``story.toml``."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dojo_core.errors import DojoError, nearest
from dojo_core.game import Event
from dojo_core.micro_dojo.components import BUILDINGS, OBJECTIVES

_PHRASES = Path(__file__).with_suffix(".toml")
# Names as they are printed, in every language.
_TITLES = {tile.name: tile.title for tile in BUILDINGS} | {o.name: o.title for o in OBJECTIVES}

Phrases = Mapping[str, str]


@functools.cache
def _table() -> dict[str, dict[str, str]]:
    """Return every phrase by key and language."""
    return tomllib.loads(_PHRASES.read_text(encoding="utf-8"))


def languages() -> list[str]:
    """Return the languages in which every phrase can be said."""
    return sorted(set.intersection(*(set(words) for words in _table().values())))


def describe(events: Sequence[Event], language: str) -> Iterator[str]:
    """Tell a play in words, line by line.

    Args:
        events: A trace as TRACES.md defines it, the setup first.
        language: ``en`` or ``it``.

    Raises:
        DojoError: For a language without a table, and, while telling, for an event that is
            unknown or incomplete.
    """
    return _tell(events, phrases_in(language))


def phrases_in(language: str) -> dict[str, str]:
    """Return every phrase in a language, or raise a `DojoError` that names those there are."""
    known = languages()
    if language not in known:
        raise DojoError(
            f"language {language!r} is not one of {', '.join(known)}{nearest(language, known)}"
        )
    return {key: words[language] for key, words in _table().items()}


def _tell(events: Sequence[Event], phrases: Phrases) -> Iterator[str]:
    players: Sequence[str] = ()
    for number, event in enumerate(events, 1):
        try:
            if event["event"] == "setup":
                players = event["players"]
                yield from _setup(event, phrases)
            elif event["event"] != "choice":
                yield _line(event, phrases, players)
        except KeyError as error:
            raise DojoError(
                f"line {number} of the trace: event {event.get('event')!r} lacks or does not know"
                f" {error}; TRACES.md lists the fields of every event"
            ) from error


def _setup(event: Event, phrases: Phrases) -> Iterator[str]:
    yield phrases["setup"].format(
        players=", ".join(f"P{seat + 1} {name}" for seat, name in enumerate(event["players"]))
    )
    yield phrases["objectives"].format(names=_titles(event["objectives"]))
    yield phrases["buildings"].format(names=_titles(event["buildings"]))
    if event["abilities"]:
        names = ", ".join(phrases[name] for name in event["abilities"])
        yield phrases["abilities"].format(names=names)
    yield phrases["begins"].format(who=f"P{event['first'] + 1}")
    if event["influence"] is not None:
        yield phrases["holds_influence"].format(who=f"P{event['influence'] + 1}")


def _titles(names: Sequence[str]) -> str:
    return ", ".join(_TITLES[name] for name in names)


def _line(event: Event, phrases: Phrases, players: Sequence[str]) -> str:
    """Return the one line of an event."""
    kind = event["event"]
    if kind == "turn":
        return phrases["turn"].format(turn=event["turn"], **_purse(event, players))
    if kind == "end":
        return _ending(event, phrases)
    if kind == "points":
        return "    " + phrases["points"].format(who=f"P{event['seat'] + 1}", total=event["to"])
    if kind == "trigger":
        return "  " + _trigger(event, phrases)
    words = {name: word_of(value, phrases) for name, value in event.items()}
    return "  " + phrases[kind].format(**words) + _changes(event, phrases)


def _purse(event: Event, players: Sequence[str]) -> dict[str, Any]:
    seat = event["seat"]
    return {
        "who": f"P{seat + 1} ({players[seat]})",
        "gold": event["gold"][seat],
        "food": event["food"][seat],
        "points": event["points"][seat],
    }


def word_of(value: Any, phrases: Phrases) -> Any:
    """Return an event's value as it is said: a place, a meeple, a building, a resource."""
    if isinstance(value, list):
        return f"({value[0]},{value[1]})"
    if isinstance(value, str):
        return _TITLES.get(value) or phrases.get(value, value)
    return value


def _trigger(event: Event, phrases: Phrases) -> str:
    title = _TITLES[event["objective"]]
    if event["scores"] is None:
        return phrases["trigger_nobody"].format(slot=event["slot"], objective=title)
    who = f"P{event['scores'] + 1}"
    return phrases["trigger"].format(slot=event["slot"], objective=title, who=who)


def _changes(event: Event, phrases: Phrases) -> str:
    """Return what gold and food a step gained or cost, in brackets."""
    parts = [
        f"{event[f'{resource}_change']:+d} {phrases[resource]}"
        for resource in ("gold", "food")
        if f"{resource}_change" in event
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _ending(event: Event, phrases: Phrases) -> str:
    points = "-".join(str(seat["points"]) for seat in event["seats"])
    reason = phrases[f"reason_{event['reason']}"]
    if event["winner"] is None:
        return phrases["drawn"].format(points=points, turns=event["turns"], reason=reason)
    who = f"P{event['winner'] + 1}"
    return phrases["won"].format(who=who, points=points, turns=event["turns"], reason=reason)
