"""What lies in the box: meeples, buildings, objectives, abilities, each with its printed numbers.

A thing's code in the compiled rules is its position in its list here.
"""

from __future__ import annotations

from typing import NamedTuple

SPACES = 9
SEATS = 2
SLOTS = 5  # places for objectives beside the track

MEEPLES = ("ninja", "geisha", "samurai", "sumo")


class Building(NamedTuple):
    """A building: its name in options and columns, its printed name, and what it costs."""

    name: str
    title: str
    gold: int
    food: int


BUILDINGS = (
    Building("barracks", "Barracks", 3, 0),
    Building("broker", "Broker", 2, 0),
    Building("castle", "Castle", 5, 5),
    Building("gold_mine", "Gold Mine", 1, 3),
    Building("guard_house", "Guard House", 2, 1),
    Building("market", "Market", 1, 1),
    Building("rice_paddy", "Rice Paddy", 3, 1),
    Building("school", "School", 1, 1),
    Building("shrine", "Shrine", 0, 3),
    Building("stables", "Stables", 1, 1),
    Building("statue", "Statue", 3, 3),
    Building("yatai", "Yatai", 0, 2),
)


class Objective(NamedTuple):
    """An objective: its name in options, its printed name, who scores, and from which game."""

    name: str
    title: str
    scores: str
    advanced: bool = False


OBJECTIVES = (
    Objective("builder", "Builder", "most buildings"),
    Objective("abundant", "Abundant", "most food spent on buildings"),
    Objective("opulent", "Opulent", "most gold spent on buildings"),
    Objective("city_planner", "City Planner", "dearest buildings, gold and food together"),
    Objective("banker", "Banker", "most gold"),
    Objective("hoarder", "Hoarder", "most food"),
    Objective("resourceful", "Resourceful", "most gold and food together"),
    Objective("peasant", "Peasant", "most food less gold"),
    Objective("miser", "Miser", "most gold less food"),
    Objective("combatant", "Combatant", "who triggers, if Samurai and Sumo are adjacent", True),
    Objective("spymaster", "Spymaster", "who triggers, if Ninja and Geisha are adjacent", True),
    Objective("organiser", "Organiser", "who triggers, if three meeples stand in a line", True),
    Objective("loser", "Loser", "fewest points", True),
    Objective("farmer", "Farmer", "fewest buildings", True),
)


class Ability(NamedTuple):
    """A meeple's alternative movement: whose it is, its printed name, what it costs."""

    name: str
    title: str
    gold: int
    food: int
    side: str


# In the order of `MEEPLES`. Which side shows which ability is not known: two and two is assumed.
ABILITIES = (
    Ability("ninja", "Ninja Dojo", 2, 0, "coloured"),
    Ability("geisha", "Geisha House", 1, 1, "grey"),
    Ability("samurai", "Samurai School", 1, 1, "grey"),
    Ability("sumo", "Sumo Stables", 0, 2, "coloured"),
)
