"""Every number, list and open question of Micro Dojo, in one table.

Defaults are the rulebook's. `source` names its section; "ruling N" is an entry of RULINGS.md.
"""

from __future__ import annotations

from dojo_core.micro_dojo import layout
from dojo_core.micro_dojo.columns import STRATEGIES
from dojo_core.micro_dojo.components import ABILITIES, BUILDINGS, OBJECTIVES, SLOTS
from dojo_core.micro_dojo.weights import PLAYERS, WEIGHTS
from dojo_core.options import Option, players_identity

_DEALT = ("random", "always", "never")
_OBJECTIVE_NAMES = tuple(objective.name for objective in OBJECTIVES)
MOST_TURNS = 4_000
_SLOT_POINTS = (1, 1, 2, 2, 3)


def _number(
    name: str, default: int, low: int, high: int, unit: str, group: str, source: str, help: str
) -> Option:
    return Option(name, "integer", default, help, source, group, unit=unit, low=low, high=high)


def _switch(name: str, default: bool, group: str, source: str, help: str) -> Option:
    return Option(name, "switch", default, help, source, group)


def _choice(name: str, choices: tuple[str, ...], group: str, source: str, help: str) -> Option:
    return Option(name, "choice", choices[0], help, source, group, choices=choices)


def _gold(name: str, default: int, group: str, source: str, help: str) -> Option:
    return _number(name, default, 0, 20, "gold", group, source, help)


def _food(name: str, default: int, group: str, source: str, help: str) -> Option:
    return _number(name, default, 0, 20, "food", group, source, help)


def _points(name: str, default: int, group: str, source: str, help: str) -> Option:
    return _number(name, default, 0, 20, "points", group, source, help)


def _time(name: str, default: int, help: str) -> Option:
    return Option(
        name, "integer", default, help, "assumed, no measurement at a table", "Time at the table",
        unit="s", low=0, high=600, assumed=True,
    )  # fmt: skip


OPTIONS: tuple[Option, ...] = (
    Option(
        "board",
        "file",
        "board/micro_dojo.toml",
        "What the nine spaces give.",
        "Board Reference; facts of the printed board",
        "Table",
        read=layout.read_option,
        identity=layout.identity,
    ),
    _number("players", 2, 2, 2, "players", "Table", "Components", "How many sit at the table."),
    Option(
        "player",
        "per_seat",
        "greedy",
        "Who decides: one player for both seats, or a list with one a seat.",
        "not a rule",
        "Table",
        choices=tuple(strategy.name for strategy in STRATEGIES),
        features=WEIGHTS,
        weights=PLAYERS,
        identity=players_identity,
    ),
    _number(
        "max_turns", 400, 1, MOST_TURNS, "turns", "Table", "ruling 17",
        "A play that is not over after so many turns is stopped and scored.",
    ),
    _number(
        "stall_turns", 100, 1, MOST_TURNS, "turns", "Table", "ruling 17",
        "So many turns in a row without a change of points, objectives or buildings stop a play.",
    ),
    # Setup
    _number(
        "buildings_dealt", 6, 0, 12, "tiles", "Setup", "Setup 3", "Buildings beside the board.",
    ),
    _number(
        "objectives_dealt", 5, 1, SLOTS, "tokens", "Setup", "Setup 2", "Objectives on the track.",
    ),
    _switch(
        "second_influence", True, "Setup", "Setup 5",
        "The second player begins with the Influence token.",
    ),
    _gold("first_gold", 0, "Setup", "Setup", "Gold the first player begins with."),
    _food("first_food", 0, "Setup", "Setup", "Food the first player begins with."),
    _gold("second_gold", 0, "Setup", "Setup", "Gold the second player begins with."),
    _food("second_food", 0, "Setup", "Setup", "Food the second player begins with."),
    _points("second_points", 0, "Setup", "Setup", "Points the second player begins with."),
    # Resources and points
    _gold("gold_cap", 7, "Resources and points", "Resolve the Space", "The most gold of a player."),
    _food("food_cap", 7, "Resources and points", "Resolve the Space", "The most food of a player."),
    _number(
        "gold_supply", 13, 0, 40, "gold", "Resources and points", "FAQ",
        "All the gold there is.",
    ),
    _number(
        "food_supply", 13, 0, 40, "food", "Resources and points", "FAQ",
        "All the food there is.",
    ),
    _number(
        "points_to_win", 7, 1, 40, "points", "Resources and points", "Game End",
        "A player with so many points ends the game.",
    ),
    _switch(
        "influence_wins_ties", True, "Resources and points", "Winning the Game",
        "An unspent Influence token wins a tie of points.",
    ),
    # The build space and actions
    _points(
        "remove_points", 1, "Build and actions", "Build", "Points for removing an own building.",
    ),
    _number(
        "trade_rate", 2, 1, 7, "to 1", "Build and actions", "Trade",
        "Resources paid for each one gained by trade.",
    ),
    _gold("donate_gold", 5, "Build and actions", "Donate", "Gold to donate for a point."),
    _food("donate_food", 5, "Build and actions", "Donate", "Food to donate for a point."),
    _points("donate_points", 1, "Build and actions", "Donate", "Points a donation gains."),
    _number(
        "triggers_a_turn", 1, 0, 5, "times", "Build and actions", "Trigger an Objective",
        "Objectives that may be triggered in a turn.",
    ),
    # Buildings
    *(
        _choice(
            f"deal_{tile.name}", _DEALT, "Buildings", "Setup 3",
            f"Whether {tile.title} is dealt at random, in every play, or in none.",
        )
        for tile in BUILDINGS
    ),
    *(
        make(f"{tile.name}_{what}", amount, "Buildings", f"Buildings: {tile.title}",
             f"Printed cost of {tile.title} in {what}.")
        for tile in BUILDINGS
        for make, what, amount in ((_gold, "gold", tile.gold), (_food, "food", tile.food))
    ),
    _gold("barracks_fee", 3, "Buildings", "Buildings: Barracks", "Gold to use Barracks."),
    _points("barracks_points", 1, "Buildings", "Buildings: Barracks", "Points Barracks gains."),
    _gold("broker_gain", 2, "Buildings", "Buildings: Broker", "Gold that Broker gains."),
    _points("castle_points", 2, "Buildings", "Buildings: Castle", "Points Castle gains at once."),
    _gold("gold_mine_extra", 1, "Buildings", "Buildings: Gold Mine", "Extra gold of Gold Mine."),
    _gold(
        "guard_house_fee", 2, "Buildings", "Buildings: Guard House", "Gold to place Guard House.",
    ),
    _number(
        "market_rate", 1, 1, 7, "to 1", "Buildings", "Buildings: Market",
        "Resources paid for each one gained by Market.",
    ),
    _food("rice_paddy_extra", 1, "Buildings", "Buildings: Rice Paddy", "Extra food of Rice Paddy."),
    _number(
        "school_fee", 4, 0, 14, "resources", "Buildings", "Buildings: School",
        "Resources of any kind to use School.",
    ),
    _points("school_points", 1, "Buildings", "Buildings: School", "Points that School gains."),
    _food("shrine_fee", 3, "Buildings", "Buildings: Shrine", "Food to use Shrine."),
    _points("shrine_points", 1, "Buildings", "Buildings: Shrine", "Points that Shrine gains."),
    _food("stables_fee", 1, "Buildings", "Buildings: Stables", "Food for the additional space."),
    _points("statue_points", 1, "Buildings", "Buildings: Statue", "Points Statue gains at once."),
    _food("yatai_gain", 2, "Buildings", "Buildings: Yatai", "Food that Yatai gains."),
    # Objectives
    *(
        _points(
            f"objective_{slot + 1}_points", points, "Objectives", "Setup 2",
            f"Points of objective {slot + 1} on the track.",
        )
        for slot, points in enumerate(_SLOT_POINTS)
    ),
    *(
        _choice(
            f"objective_{slot + 1}", ("random", *_OBJECTIVE_NAMES), "Objectives", "Setup 2",
            f"Objective {slot + 1} on the track: drawn, or this one in every play.",
        )
        for slot in range(SLOTS)
    ),
    *(
        _switch(
            f"deal_{token.name}", not token.advanced, "Objectives",
            "Advanced Objectives" if token.advanced else "Objectives",
            f"{token.title} ({token.scores}) is among those that are drawn.",
        )
        for token in OBJECTIVES
    ),
    # The advanced game
    _choice(
        "abilities", ("none", "paid", "free"), "Advanced game", "Advanced Game",
        "Alternative movements: none (the basic game), at their cost (1), or free (2).",
    ),
    _choice(
        "ability_choice", ("all", "side", "each"), "Advanced game", "Advanced Game; ruling 23",
        "Which abilities a play has: all (A), those of one side drawn for the play (B), or each"
        " with a coin of its own.",
    ),
    *(
        Option(
            f"{ability.name}_side", "choice", ability.side,
            f"The side of the tile on which {ability.title} is available.",
            "assumed, not public; ruling 23", "Advanced game", choices=("coloured", "grey"),
            assumed=True,
        )
        for ability in ABILITIES
    ),
    *(
        make(f"{ability.name}_ability_{what}", amount, "Advanced game",
             f"Advanced Game: {ability.title}", f"What {ability.title} costs in {what}.")
        for ability in ABILITIES
        for make, what, amount in ((_gold, "gold", ability.gold), (_food, "food", ability.food))
    ),
    # Open questions
    _choice(
        "spent_on_buildings", ("owned", "bought"), "Open questions", "ruling 5",
        "Whether spending on buildings is the cost of those owned now, or of all ever bought.",
    ),
    _choice(
        "stables_back", ("allowed", "forbidden"), "Open questions", "ruling 7",
        "Whether the additional space of Stables may lead back to where the meeple began.",
    ),
    # Time at the table
    _time("time_turn", 15, "Thinking, moving, taking: each turn."),
    _time("time_action", 5, "Each action, purchase or removal."),
    _time("time_setup", 120, "Setting the game up, once."),
)  # fmt: skip
