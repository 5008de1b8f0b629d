"""Told plays of Micro Dojo, judged by a referee who knows the rulebook and not the engine.

``DOJO_REFEREE_TRACES=10000`` judges so many of each player; of the planners, who think, fewer.
"""

import copy
import os

import pytest
from micro_dojo_referee import Foul, check

from dojo_core import games

GAME = games.load("micro_dojo")
(OBJECTIVES,) = [c.labels for c in GAME.play_columns if c.name == "objective_1"]
TRACES = int(os.environ.get("DOJO_REFEREE_TRACES", "80"))
SEED = 11

VARIANTS = {
    "basic": {},
    "advanced_paid": {"abilities": "paid", **{f"deal_{o}": True for o in OBJECTIVES[9:14]}},
    "advanced_free": {"abilities": "free", **{f"deal_{o}": True for o in OBJECTIVES[9:14]}},
    "one_side": {"abilities": "free", "ability_choice": "side"},
    "a_coin_each": {"abilities": "paid", "ability_choice": "each", "second_influence": False},
    "all_buildings": {"buildings_dealt": 12, "spent_on_buildings": "bought",
                      "stables_back": "forbidden"},
    "guards": {"deal_guard_house": "always", "guard_house_fee": 0, "guard_house_gold": 0,
               "guard_house_food": 0, "deal_stables": "always", "stables_fee": 0},
    "scarce": {"gold_supply": 6, "food_supply": 5, "gold_cap": 5, "second_gold": 1,
               "influence_wins_ties": False},
    "endless": {"objectives_dealt": 2, "triggers_a_turn": 0, "remove_points": 0,
                "buildings_dealt": 0, "donate_points": 0, "stall_turns": 30},
    "short": {"max_turns": 21, "points_to_win": 3, "second_points": 1, "trade_rate": 1,
              "market_rate": 2, "school_fee": 2, "objective_1": "loser", "objective_3": "miser"},
}  # fmt: skip


def traces(options, count, first=0):
    setup = GAME.prepare(GAME.resolve(options))
    return (GAME.trace(setup, SEED, play) for play in range(first, first + count))


@pytest.mark.parametrize("player", [strategy.name for strategy in GAME.strategies])
def test_referee_finds_nothing_wrong_with_plays_of(player):
    fewer = {"planner": 10, "deep_planner": 80}.get(player, 1)
    for events in traces({"player": player}, TRACES // fewer):
        check(events, OBJECTIVES)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("player", ["random", "greedy"])
def test_referee_finds_nothing_wrong_with_a_variant(variant, player):
    for events in traces(VARIANTS[variant] | {"player": player}, max(TRACES // 5, 3)):
        check(events, OBJECTIVES)


def spoilt():
    """Yield what may be wrong with a trace, and how to make it so."""

    def change(kind, name, by):
        def spoil(events):
            event = next(e for e in events if e["event"] == kind and e.get(name) is not None)
            event[name] = by(event[name])

        return spoil

    yield "a point too many", change("points", "to", lambda points: points + 1)
    yield "the other winner", change("end", "winner", lambda winner: 1 - winner)
    yield "an option less", change("choice", "options", lambda options: options[1:])
    yield "a gain too large", change("take", "gold_change", lambda gold: gold + 1)
    yield "a column off", change("end", "play", lambda play: play | {"steps": play["steps"] + 1})
    yield "the other seat scores", change("trigger", "scores", lambda seat: 1 - seat)
    yield "another marker", change("turn", "markers", lambda markers: [*markers[::-1], "sumo"])
    yield "an objective twice", change("setup", "objectives", lambda names: [names[0]] * 5)


@pytest.mark.parametrize(("name", "spoil"), list(spoilt()), ids=lambda value: str(value)[:30])
def test_referee_sees(name, spoil):
    (events,) = traces({"player": "random"}, 1, 2)
    events = copy.deepcopy(events)
    check(events, OBJECTIVES)
    spoil(events)
    with pytest.raises(Foul):
        check(events, OBJECTIVES)
