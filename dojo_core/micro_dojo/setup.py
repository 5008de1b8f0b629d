"""Making a point ready: the options are checked together, and packed with the board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dojo_core.errors import DojoError
from dojo_core.game import Setup
from dojo_core.micro_dojo import layout
from dojo_core.micro_dojo.columns import STRATEGIES
from dojo_core.micro_dojo.components import ABILITIES, BUILDINGS, OBJECTIVES, SEATS, SLOTS, SPACES
from dojo_core.micro_dojo.layout import SIDE, Space
from dojo_core.micro_dojo.options import OPTIONS
from dojo_core.micro_dojo.tables import NONE, RULES, TABLE
from dojo_core.micro_dojo.weights import WEIGHTS
from dojo_core.options import find, pack

_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


class Tables(NamedTuple):
    """What the compiled rules of Micro Dojo need, see `tables`.

    Attributes:
        rules: The packed options and the board, a record array of one.
        table: A table laid for a play, a record array of one; each block plays on a copy.
        spaces: The board as it was read, for pictures and traces.
    """

    rules: np.recarray[Any, Any]
    table: np.recarray[Any, Any]
    spaces: list[Space]


def prepare(options: Mapping[str, Any]) -> Setup:
    """Check resolved options together and pack them.

    Raises:
        DojoError: Too few tiles or tokens to deal, an objective twice, a player list of another
            length, more resources at the start than there are.
    """
    _check_buildings(options)
    _check_objectives(options)
    _check_resources(options)
    spaces = layout.spaces_of(options["board"]["text"])
    rules = _pack_rules(options, spaces)
    table = np.zeros(1, TABLE).view(np.recarray)
    _seat(table[0], options)
    return Setup(options, SEATS, SPACES, SIDE, Tables(rules, table, spaces))


def seat_players(options: Mapping[str, Any]) -> list[Any]:
    """Return each seat's player: its name, or the mapping of its weights."""
    chosen = options["player"]
    if isinstance(chosen, str | Mapping):
        return [chosen] * SEATS
    if len(chosen) != SEATS:
        raise DojoError(
            f"player = {list(chosen)} names {len(chosen)} players, but {SEATS} sit at the table;"
            " name one for both, or one a seat"
        )
    return list(chosen)


def player_name(player: Any) -> str:
    """Return what a settled player is called."""
    return player if isinstance(player, str) else str(player["name"])


def _seat(table: np.record, options: Mapping[str, Any]) -> None:
    """Seat the players: who they are, and what they weigh."""
    names = [strategy.name for strategy in STRATEGIES]
    option = find(OPTIONS, "player")
    for seat, player in enumerate(seat_players(options)):
        table.player[seat] = names.index(player) if isinstance(player, str) else len(names)
        weights = option.weights_of(player) or {}
        table.weights[seat] = [weights.get(feature.name, 0) for feature in WEIGHTS]


def _check_buildings(options: Mapping[str, Any]) -> None:
    deals = [options[f"deal_{tile.name}"] for tile in BUILDINGS]
    wanted, always = options["buildings_dealt"], deals.count("always")
    most = len(deals) - deals.count("never")
    if not always <= wanted <= most:
        raise DojoError(
            f"buildings_dealt = {wanted}, but {always} buildings are dealt always and {most} may"
            f" be dealt at all (deal_...); expected {always} to {most}"
        )


def _check_objectives(options: Mapping[str, Any]) -> None:
    wanted = options["objectives_dealt"]
    fixed = [options[f"objective_{slot + 1}"] for slot in range(wanted)]
    fixed = [name for name in fixed if name != "random"]
    for name in fixed:
        if fixed.count(name) > 1:
            raise DojoError(f"objective {name!r} is fixed twice; there is only one token of it")
    drawn = [o.name for o in OBJECTIVES if options[f"deal_{o.name}"] and o.name not in fixed]
    if len(drawn) < wanted - len(fixed):
        raise DojoError(
            f"objectives_dealt = {wanted}, but only {len(fixed) + len(drawn)} objectives are fixed"
            " or drawn from; deal more of them (deal_...)"
        )


def _check_resources(options: Mapping[str, Any]) -> None:
    for resource in ("gold", "food"):
        held = [options[f"{seat}_{resource}"] for seat in ("first", "second")]
        if max(held) > options[f"{resource}_cap"] or sum(held) > options[f"{resource}_supply"]:
            raise DojoError(
                f"first_{resource} = {held[0]} and second_{resource} = {held[1]} are more than"
                f" {resource}_cap or {resource}_supply allows; begin with less"
            )
    if options["second_points"] >= options["points_to_win"]:
        raise DojoError(
            f"second_points = {options['second_points']} would end the play before it begins;"
            f" expected less than points_to_win = {options['points_to_win']}"
        )


def _pack_rules(options: Mapping[str, Any], spaces: list[Space]) -> np.recarray[Any, Any]:
    packed = pack(OPTIONS, options)
    rules = np.zeros(1, RULES).view(np.recarray)
    for name in packed.dtype.names or ():
        rules[name] = packed[name]
    record = rules[0]
    for resource, word in enumerate(("gold", "food")):
        record.cost[resource] = [options[f"{tile.name}_{word}"] for tile in BUILDINGS]
        record.ability_cost[resource] = [options[f"{a.name}_ability_{word}"] for a in ABILITIES]
    record.deal_building[:] = [packed[0][f"deal_{tile.name}"] for tile in BUILDINGS]
    record.deal_objective[:] = [packed[0][f"deal_{token.name}"] for token in OBJECTIVES]
    record.ability_side[:] = [packed[0][f"{ability.name}_side"] for ability in ABILITIES]
    for slot in range(SLOTS):
        # The first word of the choice is "random".
        record.slot[slot] = packed[0][f"objective_{slot + 1}"] - 1
        record.slot_points[slot] = options[f"objective_{slot + 1}_points"]
    for field in ("gold", "food", "either", "build", "actions"):
        record[field][:] = [getattr(space, field) for space in spaces]
    _pack_grid(record)
    return rules


def _pack_grid(record: np.record) -> None:
    """Fill what lies beside what on three rows of three."""
    record.beyond[:] = NONE
    for space in range(SPACES):
        row, column = divmod(space, SIDE)
        for down, right in _STEPS:
            beside = _space(row + down, column + right)
            if beside != NONE:
                record.near[space] |= 1 << beside
                record.beyond[space, beside] = _space(row + 2 * down, column + 2 * right)
        for down, right in _CORNERS:
            corner = _space(row + down, column + right)
            if corner != NONE:
                record.aslant[space] |= 1 << corner
    rows = [sum(1 << _space(row, column) for column in range(SIDE)) for row in range(SIDE)]
    columns = [sum(1 << _space(row, column) for row in range(SIDE)) for column in range(SIDE)]
    record.lines[:] = rows + columns


def _space(row: int, column: int) -> int:
    """Return a space's number, NONE beside the board."""
    inside = 0 <= row < SIDE and 0 <= column < SIDE
    return SIDE * row + column if inside else int(NONE)
