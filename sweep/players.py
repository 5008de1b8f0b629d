"""The players that a grid file gives by their weights: `[players.NAME]`, and where they sit.

A weight with several values makes several players: ``mine`` with ``stride = [0, 2]`` is
``mine.stride.0`` and ``mine.stride.2``. Where ``mine`` is named in an axis, it stands for them all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dojo_core.errors import DojoError, nearest
from dojo_core.game import Game
from dojo_core.options import Option, find
from sweep.grid_text import GridText

PLAYER = "player"  # the option that says who decides

Players = Mapping[str, Sequence[dict[str, Any]]]  # by name, the settled players that it stands for


def read_players(source: GridText, game: Game) -> dict[str, list[dict[str, Any]]]:
    """Return the players of a grid file by name: one each, or one for each choice of weights.

    Raises:
        DojoError: An unknown weight, a value out of its range, a name that is taken, ...
    """
    option = find(game.options, PLAYER)
    found: dict[str, list[dict[str, Any]]] = {}
    for name, given in source.content.get("players", {}).items():
        if not isinstance(given, dict):
            raise source.wrong(
                f"write [players.{name}] on a line of its own, and its weights below it",
                "players",
                name,
            )
        found[name] = list(_variants(name, given, option, found, source, game))
    return found


def _variants(
    name: str,
    given: Mapping[str, Any],
    option: Option,
    above: Players,
    source: GridText,
    game: Game,
) -> Iterator[dict[str, Any]]:
    """Yield the players that one table stands for."""
    section, folder = f"players.{name}", source.file.parent
    if not option.features:
        raise source.wrong(f"the players of {game.name} are not made of weights", section)
    if "name" in given:
        raise source.wrong(f"[{section}] names the player already", section, "name")
    weights: dict[str, Sequence[Any]] = {}
    for key, values in given.items():
        if key == "inherits":
            continue
        place = source.place(section, key)
        weights[key] = _values(key, values, option, place)
        for value in weights[key]:
            option.weigh({key: value}, folder, place)
    parent = _parent(given.get("inherits"), above, source, section)
    several = [key for key, values in weights.items() if len(values) > 1]
    for choice in itertools.product(*weights.values()):
        chosen = dict(zip(weights, choice, strict=True))
        words = [f".{key}.{str(chosen[key]).lower()}" for key in several]
        player = {**parent, **chosen, "name": name + "".join(words)}
        yield option.weigh(player, folder, source.place(section, "inherits"))


def _parent(inherits: Any, above: Players, source: GridText, section: str) -> dict[str, Any]:
    """Return the weights that count where none is given: of a player above, or of the game's."""
    if inherits not in above:
        return {} if inherits is None else {"inherits": inherits}
    if len(above[inherits]) > 1:
        raise source.wrong(
            f"inherits = {inherits!r} stands for {len(above[inherits])} players; inherit from one",
            section,
            "inherits",
        )
    return above[inherits][0]


def _values(key: str, given: Any, option: Option, place: str) -> Sequence[Any]:
    """Return the values of a weight: a list's, a range's, or the one."""
    if isinstance(given, Mapping):
        ends: tuple[Any, Any] = given.get("from"), given.get("to")
        (first, last), step = ends, given.get("step", 1)
        whole = all(type(number) is int for number in (first, last, step))
        if not whole or given.keys() - {"from", "to", "step"} or step < 1 or first > last:
            raise DojoError(
                f"{place}: {key} = {given!r} is not a weight, a list of weights, or a range such as"
                f" {key} = {{from = 0, to = 8, step = 2}}"
            )
        return range(first, last + 1, step)
    values = given if isinstance(given, list) else [given]
    if not values:
        raise DojoError(f"{place}: {key} has no value; give it one, or a list of several")
    return values


def alternatives(value: Any, players: Players) -> Iterator[Any]:
    """Yield what a value of ``player`` stands for, the names of the grid's players put in.

    A player that stands for several does so everywhere in the value at once.
    """
    seats = value if isinstance(value, list) else [value]
    names = dict.fromkeys(one for one in seats if isinstance(one, str) and one in players)
    for choice in itertools.product(*(players[name] for name in names)):
        chosen = dict(zip(names, choice, strict=True))
        sitting = [chosen.get(one, one) if isinstance(one, str) else one for one in seats]
        yield sitting if isinstance(value, list) else sitting[0]


def refuse_unknown(value: Any, option: Option, players: Players, place: str) -> None:
    """Refuse a name that is neither the game's nor the grid's, with the nearest right one."""
    for one in value if isinstance(value, list) else [value]:
        known = [*option.choices, *players]
        if players and isinstance(one, str) and not {*one.replace(",", " ").split()} <= {*known}:
            raise DojoError(
                f"{place}: there is no player {one!r}{nearest(one, known)}; there are"
                f" {', '.join(known)}"
            )
