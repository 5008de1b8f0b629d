"""What greedy and the planners weigh: the worth of a position, in hundredths of a point.

How far a player looks is one of its numbers, too.
A position is worth what the seat has, less what the other seat has. The defaults were found by
playing them against their own variations (PLAYERS.md).
"""

from __future__ import annotations

from dojo_core.micro_dojo.components import BUILDINGS
from dojo_core.options import Option

# The order of the features in compiled code; the buildings' follow, in their order.
NODES, POINT, GOLD, FOOD, INFLUENCE, NEXT, LATER, LAST = range(8)
FIRST_BUILDING = 8

_BUILDINGS = {
    "barracks": 65,
    "broker": 117,
    "castle": 47,
    "gold_mine": 60,
    "guard_house": 80,
    "market": 60,
    "rice_paddy": 60,
    "school": 60,
    "shrine": 80,
    "stables": 97,
    "statue": 60,
    "yatai": 160,
}


def _weight(name: str, default: int, help: str) -> Option:
    return Option(
        name, "integer", default, help, "found by self-play", "Weights of players",
        unit="points/100", low=-10_000, high=10_000, assumed=True,
    )  # fmt: skip


WEIGHTS: tuple[Option, ...] = (
    Option(
        "nodes",
        "integer",
        0,
        "How many ways to play a turn it may look at before it decides; 0: those of its own turn.",
        "not a rule",
        "Weights of players",
        unit="turns",
        low=0,
        high=1_000_000,
    ),
    _weight("point", 100, "A point."),
    _weight("gold", 24, "A gold."),
    _weight("food", 26, "A food."),
    _weight("influence", 36, "The Influence token, while it is unspent."),
    _weight("next_objective", 34, "Each point of the leftmost objective, if it would score now."),
    _weight("later_objective", 12, "The same of the others but the last."),
    _weight("last_objective", 6, "The same of the last objective, unless it is the leftmost."),
    *(
        _weight(tile.name, _BUILDINGS[tile.name], f"{tile.title}, owned.")
        for tile in BUILDINGS
    ),
)  # fmt: skip

# The players that are nothing but weights.
PLAYERS: dict[str, dict[str, int]] = {
    "greedy": {},
    "planner": {"nodes": 3_000},
    "deep_planner": {"nodes": 30_000},
}
