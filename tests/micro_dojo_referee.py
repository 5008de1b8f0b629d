"""A referee of Micro Dojo, written from the rulebook: it knows nothing of the engine.

It sets the table up from a trace's first event, then judges every line: are the steps on offer
exactly the legal ones, does each step do what the rules say, are points, ends, winners and stored
columns right. As a naive twin it also counts the ways to play (`ways`).
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field

COST = {
    "barracks": (3, 0), "broker": (2, 0), "castle": (5, 5), "gold_mine": (1, 3),
    "guard_house": (2, 1), "market": (1, 1), "rice_paddy": (3, 1), "school": (1, 1),
    "shrine": (0, 3), "stables": (1, 1), "statue": (3, 3), "yatai": (0, 2),
}  # fmt: skip
MEEPLES = ("ninja", "geisha", "samurai", "sumo")
CORNERS = {(0, 0), (0, 2), (2, 0), (2, 2)}
BOARD = {(row, column) for row in range(3) for column in range(3)}
LINES = [{(k, c) for c in range(3)} for k in range(3)] + [{(r, k) for r in range(3)}
         for k in range(3)]  # fmt: skip
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))


class Foul(AssertionError):  # noqa: N818
    """Something in a trace that the rules do not allow."""


def need(condition, message):
    if not condition:
        raise Foul(message)


def beside(square):
    return {(square[0] + r, square[1] + c) for r, c in SIDES} & BOARD


def aslant(square):
    return {(square[0] + r, square[1] + c) for r in (-1, 1) for c in (-1, 1)} & BOARD


@dataclass
class Space:
    gold: int = 0
    food: int = 0
    either: bool = False
    build: bool = False
    actions: int = 0


def read_space(text):
    space = Space(either=" or " in text)
    for part in re.split(r" \+ | or ", text):
        amount, word = part.split() if part[0].isdigit() else ("1", part)
        if word in ("gold", "food"):
            setattr(space, word, int(amount))
        elif word == "build":
            space.build = True
        else:
            space.actions = int(amount)
    return space


@dataclass
class Table:
    """What lies on the table, in plain words."""

    options: dict
    board: dict
    first: int
    objectives: list
    market: set
    meeples: dict
    abilities: set
    influence: bool
    gold: list
    food: list
    points: list
    owned: list = field(default_factory=lambda: [set(), set()])
    ever: list = field(default_factory=lambda: [set(), set()])
    markers: list = field(default_factory=lambda: [None, None])
    guard: tuple | None = None
    triggered: int = 0
    seat: int = 0
    turn: int = 1
    still: int = 0
    ended: str | None = None
    # the turn
    moved: str | None = None
    stepping: bool = False
    origin: tuple | None = None
    space: Space | None = None
    taken: bool = False
    built: bool = False
    actions: int = 0
    used: set = field(default_factory=set)
    triggers: int = 0
    guarding: bool = False
    eventful: bool = False

    def copy(self):
        twin = copy.copy(self)
        for name in ("gold", "food", "points", "markers"):
            setattr(twin, name, list(getattr(self, name)))
        twin.owned = [set(s) for s in self.owned]
        twin.ever = [set(s) for s in self.ever]
        twin.market, twin.used, twin.meeples = set(self.market), set(self.used), dict(self.meeples)
        return twin

    def cost(self, tile):
        return self.options[f"{tile}_gold"], self.options[f"{tile}_food"]

    def room(self, what, seat):
        held = getattr(self, what)
        cap = self.options[f"{what}_cap"] - held[seat]
        return max(0, min(cap, self.options[f"{what}_supply"] - sum(held)))

    def empty(self):
        return BOARD - set(self.meeples.values()) - {self.guard}

    def free(self, meeple):
        return meeple not in self.markers

    def stuck(self):
        return not any(beside(self.meeples[m]) & self.empty() for m in MEEPLES if self.free(m))

    def has(self, tile):
        return tile in self.owned[self.seat] and tile not in self.used

    # What may be done now

    def legal(self):
        if self.moved is None:
            return self.legal_moves()
        steps = [["stables", list(to)] for to in self.stable_spaces()]
        if self.guarding and self.stuck():
            return steps
        if not self.taken:
            steps += [["take", what] for what in (("gold", "food") if self.space.either
                                                   else ("all",))]  # fmt: skip
        if self.space.build and not self.built:
            steps += self.legal_builds()
        if self.actions:
            steps += self.legal_actions()
        steps += self.legal_guards()
        return steps + ([["end"]] if self.taken else [])

    def legal_moves(self):
        steps = [
            ["move", m, list(to)]
            for m in MEEPLES if self.free(m)
            for to in beside(self.meeples[m]) & self.empty()
        ]  # fmt: skip
        if self.influence and self.seat != self.first:
            steps += [["influence", seat] for seat in (0, 1) if self.markers[seat]]
        if self.options["abilities"] != "none":
            steps += self.ability_moves()
        return steps + self.legal_guards()

    def pays(self, meeple):
        if meeple not in self.abilities:
            return False
        gold, food = (self.options[f"{meeple}_ability_{what}"] for what in ("gold", "food"))
        free = self.options["abilities"] == "free"
        return free or (self.gold[self.seat] >= gold and self.food[self.seat] >= food)

    def ability_moves(self):
        at, empty, steps = self.meeples, self.empty(), []
        if self.free("sumo") and self.pays("sumo"):
            for r, c in SIDES:
                next_to = (at["sumo"][0] + r, at["sumo"][1] + c)
                behind = (next_to[0] + r, next_to[1] + c)
                steps += [["push", m] for m in MEEPLES if at[m] == next_to and behind in empty]
        if self.free("ninja") and self.pays("ninja"):
            steps += [["swap", m] for m in MEEPLES if m != "ninja"]
        if not self.free("geisha") and self.pays("geisha"):
            steps += [["slip", "geisha", list(to)] for to in beside(at["geisha"]) & empty]
        if self.free("samurai") and self.pays("samurai"):
            steps += [["diagonal", "samurai", list(to)] for to in aslant(at["samurai"]) & empty]
        return steps

    def may_go_on(self):
        fee = self.options["stables_fee"]
        return self.stepping and self.has("stables") and self.food[self.seat] >= fee

    def stable_spaces(self):
        if not self.may_go_on():
            return []
        back = {self.origin} if self.options["stables_back"] == "forbidden" else set()
        return beside(self.meeples[self.moved]) & self.empty() - back

    def legal_guards(self):
        at_hand = "guard_house" in self.owned[self.seat] and self.guard is None
        if not at_hand or self.gold[self.seat] < self.options["guard_house_fee"]:
            return []
        steps = []
        for to in self.empty():
            after = self.copy()
            after.guard = to
            if self.moved is None or self.may_go_on() or not after.stuck():
                steps.append(["guard_house", list(to)])
        return steps

    def legal_builds(self):
        me = self.seat
        return [
            ["buy", tile] for tile in self.market
            if self.cost(tile)[0] <= self.gold[me] and self.cost(tile)[1] <= self.food[me]
        ] + [["remove", tile] for tile in self.owned[me]]  # fmt: skip

    def legal_actions(self):
        me, o = self.seat, self.options
        gold, food = self.gold[me], self.food[me]
        steps = []
        if self.triggers and self.triggered < len(self.objectives):
            steps.append(["trigger"])
        steps += self.legal_trades("trade", o["trade_rate"])
        steps += [["donate", "gold"]] if gold >= o["donate_gold"] else []
        steps += [["donate", "food"]] if food >= o["donate_food"] else []
        if self.has("barracks") and gold >= o["barracks_fee"]:
            steps.append(["barracks"])
        if self.has("shrine") and food >= o["shrine_fee"]:
            steps.append(["shrine"])
        steps += [[tile] for tile in ("broker", "yatai") if self.has(tile)]
        if self.has("market"):
            steps += self.legal_trades("market", o["market_rate"])
        if self.has("school"):
            fee = o["school_fee"]
            steps += [["school", k] for k in range(fee + 1) if k <= gold and fee - k <= food]
        return steps

    def legal_trades(self, word, rate):
        me = self.seat
        return [
            [word, gained, n]
            for gained, paid in (("gold", self.food[me]), ("food", self.gold[me]))
            for n in range(1, 100)
            if n * rate <= paid and n <= self.room(gained, me)
        ]

    # What it does

    def do(self, step):
        """Do a step; return what an event of it tells besides its words."""
        before = (self.gold[self.seat], self.food[self.seat])
        me = self.seat
        told = getattr(self, f"do_{step[0]}", self.do_action)(step) or {}
        gold, food = self.gold[me] - before[0], self.food[me] - before[1]
        if step[0] not in ("trigger", "influence", "end"):
            told |= {"gold_change": gold} if gold else {}
            told |= {"food_change": food} if food else {}
        return told

    def score(self, seat, points):
        self.points[seat] += points
        self.eventful |= points != 0
        if self.points[seat] >= self.options["points_to_win"]:
            self.ended = "points"

    def gain(self, what, amount):
        getattr(self, what)[self.seat] += min(amount, self.room(what, self.seat))

    def do_guard_house(self, step):
        self.gold[self.seat] -= self.options["guard_house_fee"]
        self.guard = tuple(step[1])
        self.guarding = True
        return {"to": step[1]}

    def do_influence(self, step):
        meeple = self.markers[step[1]]
        self.markers[step[1]] = None
        self.influence = False
        return {"of": step[1], "meeple": meeple}

    def walk(self, meeple, to):
        origin = self.meeples[meeple]
        self.meeples[meeple] = to
        self.space = self.board[to]
        self.taken = not (self.space.gold or self.space.food)
        self.actions = self.space.actions
        return {"meeple": meeple, "from": list(origin), "to": list(to)}

    def begin_move(self, meeple, to):
        self.origin = self.meeples[meeple]
        told = self.walk(meeple, to)
        self.moved = meeple
        self.markers[self.seat] = meeple
        return told

    def pay(self, meeple):
        if self.options["abilities"] == "paid":
            self.gold[self.seat] -= self.options[f"{meeple}_ability_gold"]
            self.food[self.seat] -= self.options[f"{meeple}_ability_food"]

    def do_move(self, step):
        self.stepping = True
        return self.begin_move(step[1], tuple(step[2]))

    def do_slip(self, step):
        self.pay("geisha")
        self.markers = [None if m == "geisha" else m for m in self.markers]
        self.stepping = True
        return self.begin_move("geisha", tuple(step[2]))

    def do_diagonal(self, step):
        self.pay("samurai")
        return self.begin_move("samurai", tuple(step[2]))

    def do_swap(self, step):
        self.pay("ninja")
        mine, other = self.meeples["ninja"], self.meeples[step[1]]
        self.meeples[step[1]] = mine
        return {"other": step[1]} | self.begin_move("ninja", other)

    def do_push(self, step):
        self.pay("sumo")
        mine, other = self.meeples["sumo"], self.meeples[step[1]]
        self.meeples[step[1]] = (2 * other[0] - mine[0], 2 * other[1] - mine[1])
        return {"other": step[1]} | self.begin_move("sumo", other)

    def do_stables(self, step):
        self.food[self.seat] -= self.options["stables_fee"]
        self.used.add("stables")
        self.stepping = False
        return self.walk(self.moved, tuple(step[1]))

    def do_take(self, step):
        self.stepping = False
        self.taken = True
        for what, helper in (("gold", "gold_mine"), ("food", "rice_paddy")):
            amount = getattr(self.space, what)
            if amount and step[1] in ("all", what):
                extra = self.options[f"{helper}_extra"] if helper in self.owned[self.seat] else 0
                self.gain(what, amount + extra)
        return {"what": step[1]}

    def do_buy(self, step):
        self.stepping = False
        self.built = self.eventful = True
        gold, food = self.cost(step[1])
        self.gold[self.seat] -= gold
        self.food[self.seat] -= food
        self.market.remove(step[1])
        self.owned[self.seat].add(step[1])
        self.ever[self.seat].add(step[1])
        if step[1] in ("castle", "statue"):
            self.score(self.seat, self.options[f"{step[1]}_points"])
        return {"building": step[1]}

    def do_remove(self, step):
        self.stepping = False
        self.built = self.eventful = True
        self.owned[self.seat].remove(step[1])
        if step[1] == "guard_house":
            self.guard = None
        self.score(self.seat, self.options["remove_points"])
        return {"building": step[1]}

    def do_action(self, step):
        self.stepping = False
        self.actions -= 1
        return getattr(self, f"act_{step[0]}")(step)

    def act_trigger(self, step):
        name = self.objectives[self.triggered]
        winner = self.named(name)
        told = {"slot": self.triggered + 1, "objective": name, "scores": winner}
        self.triggered += 1
        self.triggers -= 1
        self.eventful = True
        if winner is not None:
            self.score(winner, self.options[f"objective_{self.triggered}_points"])
        if self.triggered == len(self.objectives):
            self.ended = self.ended or "objectives"
        return told

    def named(self, name):
        at = self.meeples
        alone = {
            "combatant": at["sumo"] in beside(at["samurai"]),
            "spymaster": at["ninja"] in beside(at["geisha"]),
            "organiser": any(line <= set(at.values()) for line in LINES),
        }
        if name in alone:
            return self.seat if alone[name] else None
        tiles = self.ever if self.options["spent_on_buildings"] == "bought" else self.owned
        spent = [[sum(self.cost(t)[k] for t in tiles[s]) for k in (0, 1)] for s in (0, 1)]
        compared = {
            "builder": [len(tiles) for tiles in self.owned],
            "farmer": [-len(tiles) for tiles in self.owned],
            "opulent": [s[0] for s in spent],
            "abundant": [s[1] for s in spent],
            "city_planner": [sum(s) for s in spent],
            "banker": self.gold,
            "hoarder": self.food,
            "resourceful": [g + f for g, f in zip(self.gold, self.food, strict=True)],
            "peasant": [f - g for g, f in zip(self.gold, self.food, strict=True)],
            "miser": [g - f for g, f in zip(self.gold, self.food, strict=True)],
            "loser": [-p for p in self.points],
        }[name]
        if compared[0] == compared[1]:
            return None
        return compared.index(max(compared))

    def act_donate(self, step):
        getattr(self, step[1])[self.seat] -= self.options[f"donate_{step[1]}"]
        self.score(self.seat, self.options["donate_points"])
        return {"resource": step[1]}

    def exchange(self, gained, amount, rate):
        paid = "food" if gained == "gold" else "gold"
        getattr(self, paid)[self.seat] -= amount * rate
        getattr(self, gained)[self.seat] += amount
        return {"gained": gained, "amount": amount}

    def act_trade(self, step):
        return self.exchange(step[1], step[2], self.options["trade_rate"])

    def act_market(self, step):
        self.used.add("market")
        return self.exchange(step[1], step[2], self.options["market_rate"])

    def act_barracks(self, step):
        self.used.add("barracks")
        self.gold[self.seat] -= self.options["barracks_fee"]
        self.score(self.seat, self.options["barracks_points"])

    def act_shrine(self, step):
        self.used.add("shrine")
        self.food[self.seat] -= self.options["shrine_fee"]
        self.score(self.seat, self.options["shrine_points"])

    def act_school(self, step):
        self.used.add("school")
        self.gold[self.seat] -= step[1]
        self.food[self.seat] -= self.options["school_fee"] - step[1]
        self.score(self.seat, self.options["school_points"])
        return {"gold": step[1]}

    def act_broker(self, step):
        self.used.add("broker")
        self.gain("gold", self.options["broker_gain"])

    def act_yatai(self, step):
        self.used.add("yatai")
        self.gain("food", self.options["yatai_gain"])

    def do_end(self, step):
        self.still = 0 if self.eventful else self.still + 1
        if self.turn >= self.options["max_turns"]:
            self.ended = "max_turns"
        elif self.still >= self.options["stall_turns"]:
            self.ended = "stall_turns"
        else:
            self.turn += 1
            self.seat = 1 - self.seat
            self.begin_turn()

    def begin_turn(self):
        if "guard_house" in self.owned[self.seat]:
            self.guard = None
        self.moved = self.space = self.origin = None
        self.stepping = self.built = self.guarding = self.eventful = False
        self.taken = False
        self.actions = 0
        self.used = set()
        self.triggers = self.options["triggers_a_turn"]

    def winner(self):
        """Return who wins by scoring, and by which rule."""
        if self.points[0] != self.points[1]:
            return int(self.points[1] > self.points[0]), "none"
        if self.influence and self.options["influence_wins_ties"]:
            return 1 - self.first, "influence"
        total = [g + f for g, f in zip(self.gold, self.food, strict=True)]
        if total[0] != total[1]:
            return int(total[1] > total[0]), "resources"
        return None, "drawn"


def ways(table, turns):
    """Return how many sequences of whole turns can follow, the naive way."""
    if table.ended or turns == 0:
        return 1
    total = 0
    for step in table.legal():
        after = table.copy()
        after.do(step)
        over = step == ["end"]
        total += ways(after, turns - over)
    return total


def table_of(setup, turn):
    """Lay the table from a trace's first two events."""
    need(setup["event"] == "setup" and turn["event"] == "turn", "a trace begins otherwise")
    options, first = setup["options"], setup["first"]
    spaces = [read_space(text) for text in setup["board"]]
    order = [first, 1 - first]
    begin = {
        what: [options[f"{'first' if seat == first else 'second'}_{what}"] for seat in (0, 1)]
        for what in ("gold", "food")
    }
    table = Table(
        options=options,
        board={square: spaces[3 * square[0] + square[1]] for square in BOARD},
        first=first,
        objectives=list(setup["objectives"]),
        market=set(setup["buildings"]),
        meeples={name: tuple(place) for name, place in turn["meeples"].items()},
        abilities=set(setup["abilities"]),
        influence=setup["influence"] is not None,
        points=[0 if seat == first else options["second_points"] for seat in (0, 1)],
        seat=order[0],
        **begin,
    )
    table.begin_turn()
    return table


def check_setup(setup, table):
    options = table.options
    need(set(table.meeples) == set(MEEPLES), "not the four meeples")
    need(set(table.meeples.values()) == CORNERS, "meeples are not on the corners")
    need(len(table.objectives) == options["objectives_dealt"], "not so many objectives")
    need(len(set(table.objectives)) == len(table.objectives), "an objective twice")
    for slot, name in enumerate(table.objectives):
        fixed = options[f"objective_{slot + 1}"]
        need(fixed in (name, "random"), f"objective {slot + 1} is not the fixed one")
        need(fixed == name or options[f"deal_{name}"], f"{name} is not to be drawn")
    need(len(table.market) == options["buildings_dealt"], "not so many buildings")
    for tile in COST:
        deal = options[f"deal_{tile}"]
        need(deal == "random" or (deal == "always") == (tile in table.market), f"{tile}: {deal}")
    second = 1 - table.first
    held = second if options["second_influence"] else None
    need(setup["influence"] == held, "Influence is the second player's")
    check_abilities(table)


def check_abilities(table):
    options, having = table.options, table.abilities
    sides = {m: options[f"{m}_side"] for m in MEEPLES}
    halves = [{m for m in MEEPLES if sides[m] == side} for side in ("coloured", "grey")]
    if options["abilities"] == "none":
        need(not having, "abilities in the basic game")
    elif options["ability_choice"] == "all":
        need(having == set(MEEPLES), "not all abilities")
    elif options["ability_choice"] == "side":
        need(having in halves, "not the abilities of one side")


def check_turn(event, table):
    need(event == {
        "event": "turn", "seat": table.seat, "turn": table.turn, "round": (table.turn + 1) // 2,
        "gold": table.gold, "food": table.food, "points": table.points,
        "meeples": {m: list(table.meeples[m]) for m in MEEPLES}, "markers": table.markers,
        "guard": None if table.guard is None else list(table.guard),
    }, f"turn {table.turn} begins otherwise: {event}")  # fmt: skip
    need(min(event["gold"] + event["food"]) >= 0, "less than nothing")
    for what in ("gold", "food"):
        need(max(event[what]) <= table.options[f"{what}_cap"], f"{what} beyond the cap")
        need(sum(event[what]) <= table.options[f"{what}_supply"], f"{what} beyond the supply")
    need(not table.stuck(), "no move is left")


class Counts:
    """What the stored columns count, by the events."""

    def __init__(self, table):
        self.table = table
        self.steps = self.handled = self.lead_changes = 0
        self.leader = None
        self.landed = None
        self.results = {}
        self.influence_turn = 0
        self.seats = [dict.fromkeys((
            "points_objectives", "points_castle", "points_statue", "points_barracks",
            "points_school", "points_shrine", "points_donated", "points_removed",
            "objectives_won", "objectives_triggered", "objectives_given", "removed", "trades",
            "donations", "ability_moves", "gold_lost", "food_lost", "supply_binds",
            *(f"bought_{tile}" for tile in COST), *(f"used_{tile}" for tile in COST),
        ), 0) for _ in (0, 1)]  # fmt: skip

    def gains(self, table, step):
        """Return what a step would gain if there were no limits."""
        if step[0] in ("broker", "yatai"):
            what = "gold" if step[0] == "broker" else "food"
            return {what: table.options[f"{step[0]}_gain"]}
        if step[0] != "take":
            return {}
        wanted = {}
        for what, helper in (("gold", "gold_mine"), ("food", "rice_paddy")):
            amount = getattr(table.space, what)
            if amount and step[1] in ("all", what):
                owned = helper in table.owned[table.seat]
                wanted[what] = amount + (table.options[f"{helper}_extra"] if owned else 0)
        return wanted

    def losses(self, table, step):
        mine = self.seats[table.seat]
        for what, amount in self.gains(table, step).items():
            held = getattr(table, what)
            cap = max(table.options[f"{what}_cap"] - held[table.seat], 0)
            supply = max(table.options[f"{what}_supply"] - sum(held), 0)
            mine[f"{what}_lost"] += max(amount - min(cap, supply), 0)
            mine["supply_binds"] += supply < amount and supply < cap

    def step(self, seat, step, told, gained):
        """Count a step of `seat`; `gained`: points by seat."""
        mine, word = self.seats[seat], step[0]
        self.steps += 1
        if word in ("push", "swap", "slip", "diagonal"):
            mine["ability_moves"] += 1
        if word in ("guard_house", "stables", "market", "barracks", "broker", "school", "shrine",
                    "yatai"):  # fmt: skip
            mine[f"used_{word}"] += 1
        if word in ("barracks", "school", "shrine"):
            mine[f"points_{word}"] += gained[seat]
        if word == "influence":
            self.influence_turn = self.table.turn
        if word in ("buy", "remove", "trigger", "trade", "donate", "market", "barracks", "broker",
                    "school", "shrine", "yatai"):  # fmt: skip
            self.handled += 1
        if word == "buy":
            mine[f"bought_{step[1]}"] += 1
            if step[1] in ("castle", "statue"):
                mine[f"points_{step[1]}"] += gained[seat]
        if word == "remove":
            mine["removed"] += 1
            mine["points_removed"] += gained[seat]
        mine["trades"] += word == "trade"
        if word == "donate":
            mine["donations"] += 1
            mine["points_donated"] += gained[seat]
        if word == "trigger":
            self.trigger(seat, told, gained)

    def trigger(self, seat, told, gained):
        winner = told["scores"]
        self.results[told["slot"]] = (seat, winner)
        self.seats[seat]["objectives_triggered"] += 1
        if winner is not None:
            self.seats[winner]["objectives_won"] += 1
            self.seats[winner]["points_objectives"] += gained[winner]
            self.seats[seat]["objectives_given"] += winner != seat

    def turn_over(self):
        points = self.table.points
        if points[0] != points[1]:
            leader = int(points[1] > points[0])
            self.lead_changes += self.leader not in (None, leader)
            self.leader = leader

    def order(self, seat):
        return -1 if seat is None else abs(seat - self.table.first)

    def play(self, objectives, abilities):
        """Return the play's row."""
        table = self.table
        scored, rule = table.winner()
        done = table.ended in ("points", "objectives")
        winner = scored if done else None
        row = {
            "winner": -1 if winner is None else winner,
            "winner_turn_order": self.order(winner),
            "scored_turn_order": self.order(scored),
            "finished": int(done),
            "reason": ("points", "objectives", "stall_turns", "max_turns").index(table.ended),
            "tie_break": ("none", "influence", "resources", "drawn").index(rule),
            "rounds": (table.turn + 1) // 2,
            "turns": table.turn,
            "steps": self.steps,
            "lead_changes": self.lead_changes,
            "objectives": table.triggered,
            "objectives_tied": sum(winner is None for _, winner in self.results.values()),
            "influence_turn": self.influence_turn,
            "abilities": sum(1 << k for k, m in enumerate(MEEPLES) if m in abilities),
            "seconds": table.options["time_setup"] + table.options["time_turn"] * table.turn
            + table.options["time_action"] * self.handled,
        }  # fmt: skip
        for slot in range(1, 6):
            by, to = self.results.get(slot, (None, None))
            row[f"objective_{slot}"] = objectives[slot - 1] if slot <= len(objectives) else "none"
            row[f"triggered_by_{slot}"] = self.order(by) + 1
            row[f"result_{slot}"] = 0 if by is None else self.order(to) + 2
        return row

    def seat(self, seat, player):
        """Return a seat's row."""
        table = self.table
        winner, _ = table.winner()
        won = table.ended in ("points", "objectives") and winner == seat
        return self.seats[seat] | {
            "turn_order": self.order(seat),
            "won": int(won),
            "points": table.points[seat],
            "gold": table.gold[seat],
            "food": table.food[seat],
            "buildings": len(table.owned[seat]),
            "influence_spent": int(self.influence_turn > 0 and seat != table.first),
        }


def check(events, objective_names):
    """Judge a whole trace; raise `Foul` at the first thing that the rules do not allow."""
    events = list(events)
    setup = events[0]
    table = table_of(setup, events[1])
    check_setup(setup, table)
    dealt = set(table.market)
    counts = Counts(table)
    at = 1
    fresh = True
    while table.ended is None:
        if fresh:
            check_turn(events[at], table)
            at += 1
        choice = events[at]
        at += 1
        need(choice["event"] == "choice" and choice["kind"] == "step", f"no choice: {choice}")
        need(choice["seat"] == table.seat, "the other seat chooses")
        offered = [tuple(map(str, step)) for step in choice["options"]]
        need(len(set(offered)) == len(offered), "a step is offered twice")
        legal = {tuple(map(str, step)) for step in table.legal()}
        need(set(offered) == legal, f"offered {sorted(set(offered) ^ legal)} wrongly")
        step, seat, before = choice["answer"], table.seat, list(table.points)
        need(step in choice["options"], f"{step} was not offered")
        counts.losses(table, step)
        was = table.turn
        told = table.do(step)
        gained = [now - then for now, then in zip(table.points, before, strict=True)]
        if step[0] != "end":
            need(events[at] == {"event": step[0], "seat": seat} | told, f"{events[at]}: {told}")
            at += 1
        for who in (0, 1):
            if gained[who]:
                need(events[at] == {"event": "points", "seat": who, "from": before[who],
                                    "to": table.points[who], "why": step[0]},
                     f"points: {events[at]}")  # fmt: skip
                at += 1
        counts.step(seat, step, told, gained)
        fresh = table.turn != was
        if fresh or table.ended:
            counts.turn_over()
    end = events[at]
    need(end["event"] == "end" and at == len(events) - 1, f"no end: {end}")
    check_end(end, setup, table, counts, dealt, objective_names)


def check_end(end, setup, table, counts, dealt, objective_names):
    play = counts.play(table.objectives, table.abilities)
    for slot in range(1, 6):
        play[f"objective_{slot}"] = objective_names.index(play[f"objective_{slot}"])
    play |= {f"dealt_{tile}": int(tile in dealt) for tile in COST}
    need(end["play"] == play, f"play: {differing(end['play'], play)}")
    for seat in (0, 1):
        row = counts.seat(seat, setup["players"][seat])
        found = {name: value for name, value in end["seats"][seat].items() if name != "player"}
        need(found == row, f"seat {seat}: {differing(found, row)}")
    winner = None if play["winner"] < 0 else play["winner"]
    need((end["winner"], end["reason"]) == (winner, table.ended), "another end")


def differing(found, expected):
    return {
        name: (found.get(name), expected.get(name))
        for name in found.keys() | expected.keys()
        if found.get(name) != expected.get(name)
    }
