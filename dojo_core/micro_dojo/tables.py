"""The arrays that the compiled rules work on, and the codes they use.

Three things reach every rule: `rules` (packed options, costs and the board), `table` (the random
streams and tallies of one play) and `state` (what lies on the table: all that decides how a play
can go on). A player that looks ahead works on copies of `state`.

Sets of spaces, buildings and meeples are bit masks: bit k stands for number k. Spaces are numbered
row by row from 0.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dojo_core.game import Column
from dojo_core.micro_dojo.columns import PLAY_COLUMNS, SEAT_COLUMNS, STRATEGIES
from dojo_core.micro_dojo.components import (
    ABILITIES,
    BUILDINGS,
    MEEPLES,
    OBJECTIVES,
    SEATS,
    SLOTS,
    SPACES,
)
from dojo_core.micro_dojo.options import MOST_TURNS, OPTIONS
from dojo_core.micro_dojo.weights import WEIGHTS
from dojo_core.options import packed_dtype


def number(value: int) -> int:
    """Return a constant of NumPy's: for Python's, Numba compiles a function for every value."""
    return cast(int, np.int64(value))


def codes(count: int) -> tuple[int, ...]:
    """Return the codes 0 .. count - 1 as such constants."""
    return tuple(number(code) for code in range(count))


NONE = number(-1)

NINJA, GEISHA, SAMURAI, SUMO = codes(len(MEEPLES))
(
    BARRACKS,
    BROKER,
    CASTLE,
    GOLD_MINE,
    GUARD_HOUSE,
    MARKET,
    RICE_PADDY,
    SCHOOL,
    SHRINE,
    STABLES,
    STATUE,
    YATAI,
) = codes(len(BUILDINGS))
(
    BUILDER,
    ABUNDANT,
    OPULENT,
    CITY_PLANNER,
    BANKER,
    HOARDER,
    RESOURCEFUL,
    PEASANT,
    MISER,
    COMBATANT,
    SPYMASTER,
    ORGANISER,
    LOSER,
    FARMER,
) = codes(len(OBJECTIVES))
NO_OBJECTIVE = number(len(OBJECTIVES))
RANDOM, GREEDY, PLANNER, DEEP_PLANNER = codes(len(STRATEGIES))

# The packed choices, in the order of their words.
DEAL_RANDOM, DEAL_ALWAYS, DEAL_NEVER = codes(3)
NO_ABILITIES, PAID, FREE = codes(3)
CHOOSE_ALL, CHOOSE_SIDE, CHOOSE_EACH = codes(3)
OWNED, BOUGHT = codes(2)

GOLD, FOOD = codes(2)

# What a turn has come to: nothing moved yet; moved, and Stables may still carry on; resolving.
TO_MOVE, MOVED, RESOLVING = codes(3)

# Why a play is over.
GOES_ON, BY_POINTS, BY_OBJECTIVES, BY_STALL, BY_MAX_TURNS = codes(5)

# Kinds of steps. A step is a number: the kind, then two arguments of eight bits (see `rules`).
(
    PLACE_GUARD,
    SPEND_INFLUENCE,
    MOVE,
    PUSH,
    SWAP,
    SLIP,
    DIAGONAL,
    ADVANCE,
    TAKE,
    BUY,
    REMOVE,
    TRIGGER,
    USE_BARRACKS,
    USE_BROKER,
    USE_MARKET,
    USE_SCHOOL,
    USE_SHRINE,
    USE_YATAI,
    TRADE,
    DONATE,
    END_TURN,
) = codes(21)

# The longest turn has fewer steps, and no situation as many of them to choose from.
DEEPEST = 16
MOST_STEPS = 128
# A planner looks at most so many turns ahead, and at so many ways to play each.
MOST_AHEAD = 8
WIDTH = 16
# The places of `states`: the turn that is looked at, the situation of the play meanwhile, and what
# each turn ahead may come to.
KEPT = number(DEEPEST)
AHEAD = number(DEEPEST + 1)
STATES = DEEPEST + 1 + MOST_AHEAD * WIDTH
MOST_LOGGED = MOST_TURNS * DEEPEST

SETUP_STREAM, FIRST_CHOICE_STREAM = codes(2)
STREAMS = 1 + SEATS

RULES = np.dtype(
    [
        *[(name, np.int64) for name in packed_dtype(OPTIONS).names or ()],
        ("cost", "i8", (2, len(BUILDINGS))),  # gold, food
        ("deal_building", "i8", len(BUILDINGS)),
        ("deal_objective", "i8", len(OBJECTIVES)),  # 1: among those that are drawn
        ("slot", "i8", SLOTS),  # the objective of a slot, NONE: drawn
        ("slot_points", "i8", SLOTS),
        ("ability_cost", "i8", (2, len(ABILITIES))),
        ("ability_side", "i8", len(ABILITIES)),
        # The board
        ("gold", "i8", SPACES),
        ("food", "i8", SPACES),
        ("either", "i8", SPACES),
        ("build", "i8", SPACES),
        ("actions", "i8", SPACES),
        ("near", "i8", SPACES),  # the spaces beside a space
        ("aslant", "i8", SPACES),  # the spaces at its corners
        ("beyond", "i8", (SPACES, SPACES)),  # straight on from one space over another, or NONE
        ("lines", "i8", 6),  # the straight lines of three
    ],
    align=True,
)

STATE = np.dtype(
    [
        # The same for the whole play
        ("first", "i8"),
        ("order", "i8", SLOTS),
        ("objectives", "i8"),  # how many of them
        ("abilities", "i8"),  # on offer, a bit a meeple
        # What lies on the table
        ("place", "i8", len(MEEPLES)),
        ("filled", "i8"),  # the spaces with a meeple
        ("marker", "i8", SEATS),  # the meeple with a seat's Daimyo, or NONE
        ("guard", "i8"),  # the space with the Guard House, or NONE
        ("gold", "i8", SEATS),
        ("food", "i8", SEATS),
        ("points", "i8", SEATS),
        ("owned", "i8", SEATS),
        ("spent", "i8", (SEATS, 2)),  # on buildings: gold, food
        ("market", "i8"),  # the buildings beside the board
        ("objective", "i8"),  # how many have been triggered
        ("influence", "i8"),  # 1 until it is spent
        # Whose turn, and how far the play is
        ("seat", "i8"),
        ("turns", "i8"),
        ("still", "i8"),  # turns in a row that changed no points, objectives or buildings
        ("changed", "i8"),  # this turn did
        ("over", "i8"),
        # The turn
        ("stage", "i8"),
        ("origin", "i8"),
        ("mover", "i8"),
        ("due", "i8"),  # 1 while the space's gold and food are still to be taken
        ("build", "i8"),  # 1 while a building may be bought or removed
        ("actions", "i8"),  # actions left
        ("used", "i8"),  # buildings used
        ("triggers", "i8"),  # objectives that may yet be triggered
        ("guarding", "i8"),  # 1 when the Guard House was placed in this turn
    ],
    align=True,
)

TABLE = np.dtype(
    [
        ("player", "i8", SEATS),
        ("streams", "u8", STREAMS),
        # Tallies of the play
        ("steps", "i8"),
        ("leader", "i8"),
        ("lead_changes", "i8"),
        ("tied", "i8"),
        ("influence_turn", "i8"),
        ("result", "i8", SLOTS),
        ("triggered_by", "i8", SLOTS),
        ("dealt", "i8"),
        ("handled", "i8"),  # actions, purchases and removals
        ("from_objectives", "i8", SEATS),
        ("from_building", "i8", (SEATS, len(BUILDINGS))),
        ("from_donations", "i8", SEATS),
        ("from_removals", "i8", SEATS),
        ("objectives_won", "i8", SEATS),
        ("objectives_triggered", "i8", SEATS),
        ("objectives_given", "i8", SEATS),
        ("removed", "i8", SEATS),
        ("bought", "i8", SEATS),
        ("uses", "i8", (SEATS, len(BUILDINGS))),
        ("trades", "i8", SEATS),
        ("donations", "i8", SEATS),
        ("ability_moves", "i8", SEATS),
        ("lost", "i8", (SEATS, 2)),
        ("supply_binds", "i8", SEATS),
        ("visits", "i8", (SEATS, SPACES)),
        ("landed", "i8"),  # where the turn's move ended
        ("named", "i8"),  # the seat that a triggered objective names
        ("turn_points", "i8"),  # the mover's points when the turn began
        # Tallies of the spaces, over all plays of a block
        ("space_visits", "i8", SPACES),
        ("space_winner_visits", "i8", SPACES),
        ("space_other_visits", "i8", SPACES),
        ("space_points", "i8", SPACES),
        # The turn that a player has decided on
        ("plan", "i8", DEEPEST),
        ("plan_size", "i8"),
        # Going through turns, see `turns`: the steps listed at each depth, and how far it is
        ("lists", "i8", (DEEPEST, MOST_STEPS)),
        ("sizes", "i8", DEEPEST),
        ("nexts", "i8", DEEPEST),
        ("start", "i8"),
        ("before", "i8", MOST_STEPS),
        ("depth", "i8"),
        # What the players weigh, see `players`
        ("weights", "i8", (SEATS, len(WEIGHTS))),
        ("looked", "i8"),
        ("order", "i8", (MOST_AHEAD, WIDTH)),  # what a level keeps, the best first
        ("values", "i8", (MOST_AHEAD, WIDTH)),
        ("plans", "i8", (WIDTH, DEEPEST)),
        ("plan_sizes", "i8", WIDTH),
        ("held", "i8", MOST_AHEAD),  # how many ways are kept at each turn ahead
        ("tried", "i8", MOST_AHEAD),  # and how many of them have been looked into
        ("best", "i8", MOST_AHEAD),
        ("floor", "i8", MOST_AHEAD),  # values that are not between these two make no difference
        ("ceiling", "i8", MOST_AHEAD),
        # The steps of the play so far, when it is to be told
        ("telling", "i8"),
        ("log", "i4", MOST_LOGGED),
    ],
    align=True,
)


def _row_dtype(columns: tuple[Column, ...], runs: dict[str, int]) -> np.dtype[Any]:
    """Return the columns' type with each run of columns, named by its first, as one array."""
    fields: list[tuple[Any, ...]] = []
    skip = 0
    for column in columns:
        if skip:
            skip -= 1
            continue
        size = runs.get(column.name, 0)
        fields.append((column.name, column.dtype, size) if size else (column.name, column.dtype))
        skip = max(size - 1, 0)
    return np.dtype(fields, align=True)


PLAY_ROW = _row_dtype(
    PLAY_COLUMNS,
    {
        "objective_1": SLOTS,
        "result_1": SLOTS,
        "triggered_by_1": SLOTS,
        "dealt_barracks": len(BUILDINGS),
    },
)
SEAT_ROW = _row_dtype(
    SEAT_COLUMNS, {"bought_barracks": len(BUILDINGS), "used_barracks": len(BUILDINGS)}
)
