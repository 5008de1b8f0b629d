"""The rules of Micro Dojo: which steps a situation allows, and what each does.

    list_steps        the steps that are legal now
    take_step         does one: move_meeple, advance, take_resources, buy, remove, trigger,
                      the buildings' uses, trade, donate, end_turn

A turn is a sequence of such steps up to the end of the turn or of the play. A step is a number:
its kind, and two arguments a and b of eight bits each:

    PLACE_GUARD a: space · SPEND_INFLUENCE a: the seat whose marker goes · MOVE, DIAGONAL, SLIP
    a: meeple, b: space · PUSH, SWAP a: the other meeple · ADVANCE (Stables) a: space ·
    TAKE a: 0 all of it, 1 the gold, 2 the food · BUY, REMOVE a: building · USE_MARKET, TRADE
    a: what is gained, b: how much · USE_SCHOOL a: gold of the payment · DONATE a: resource
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel
from dojo_core.micro_dojo.components import SPACES
from dojo_core.micro_dojo.tables import (
    ABUNDANT,
    ADVANCE,
    BANKER,
    BARRACKS,
    BOUGHT,
    BROKER,
    BUILDER,
    BUY,
    BY_MAX_TURNS,
    BY_OBJECTIVES,
    BY_POINTS,
    BY_STALL,
    CASTLE,
    CITY_PLANNER,
    COMBATANT,
    DIAGONAL,
    DONATE,
    END_TURN,
    FARMER,
    FOOD,
    GEISHA,
    GOLD,
    GOLD_MINE,
    GUARD_HOUSE,
    HOARDER,
    MARKET,
    MISER,
    MOVE,
    MOVED,
    NINJA,
    NO_ABILITIES,
    NONE,
    OPULENT,
    ORGANISER,
    PAID,
    PEASANT,
    PLACE_GUARD,
    PUSH,
    REMOVE,
    RESOLVING,
    RESOURCEFUL,
    RICE_PADDY,
    SAMURAI,
    SCHOOL,
    SHRINE,
    SLIP,
    SPEND_INFLUENCE,
    SPYMASTER,
    STABLES,
    STATUE,
    SUMO,
    SWAP,
    TAKE,
    TO_MOVE,
    TRADE,
    TRIGGER,
    USE_BARRACKS,
    USE_BROKER,
    USE_MARKET,
    USE_SCHOOL,
    USE_SHRINE,
    USE_YATAI,
    YATAI,
    number,
)

MEEPLES = 4
FIRST, SECOND = number(8), number(16)  # where a step's arguments stand


@inlined
def step(kind: int, a: int = 0, b: int = 0) -> int:
    """Return the number of a step."""
    return kind | a << 8 | b << 16


@inlined
def kind_of(number: int) -> int:
    """Return a step's kind."""
    return number & 255


@inlined
def first_of(number: int) -> int:
    """Return a step's first argument."""
    return number >> 8 & 255


@inlined
def second_of(number: int) -> int:
    """Return a step's second argument."""
    return number >> 16 & 255


@inlined
def owns(state: np.record, seat: int, building: int) -> bool:
    """Tell whether a seat owns a building."""
    return bool(state.owned[seat] >> building & 1)


@inlined
def ready(state: np.record, seat: int, building: int) -> bool:
    """Activate your Building: owned, and not used in this turn."""
    return bool((state.owned[seat] & ~state.used) >> building & 1)


@inlined
def gold_room(rules: np.record, state: np.record, seat: int) -> int:
    """Return how much gold a seat can still gain: the cap, and what the supply has left."""
    supply = rules.gold_supply - state.gold[0] - state.gold[1]
    return max(min(rules.gold_cap - state.gold[seat], supply), 0)


@inlined
def food_room(rules: np.record, state: np.record, seat: int) -> int:
    """Return how much food a seat can still gain: the cap, and what the supply has left."""
    supply = rules.food_supply - state.food[0] - state.food[1]
    return max(min(rules.food_cap - state.food[seat], supply), 0)


@inlined
def can_place_guard(rules: np.record, state: np.record) -> bool:
    """Tell whether the Guard House is at hand and its fee, too."""
    seat = state.seat
    return bool(
        owns(state, seat, GUARD_HOUSE)
        and state.guard == NONE
        and state.gold[seat] >= rules.guard_house_fee
    )


@inlined
def empty_spaces(state: np.record) -> int:
    """Return the spaces without a meeple and without the Guard House."""
    spaces = ~state.filled & ((1 << SPACES) - 1)
    if state.guard != NONE:
        spaces &= ~(1 << state.guard)
    return int(spaces)


@inlined
def available(state: np.record, meeple: int) -> bool:
    """Tell whether a meeple carries no Daimyo marker."""
    return bool(state.marker[0] != meeple and state.marker[1] != meeple)


@kernel
def somebody_can_move(rules: np.record, state: np.record, empty: int) -> bool:
    """Tell whether some unmarked meeple stands beside one of the `empty` spaces."""
    for meeple in range(MEEPLES):
        if available(state, meeple) and rules.near[state.place[meeple]] & empty:
            return True
    return False


# The steps of a turn


@kernel
def list_steps(rules: np.record, state: np.record, steps: np.ndarray) -> int:
    """Write the legal steps into `steps` and return how many there are.

    None at all: this way to begin the turn cannot be completed (a Guard House that would leave
    somebody without a move).
    """
    if state.stage == TO_MOVE:
        return list_moves(rules, state, steps)
    if state.guarding and not somebody_can_move(rules, state, empty_spaces(state)):
        return list_advances(rules, state, steps, 0)
    n = 0
    if state.stage == MOVED:
        n = list_advances(rules, state, steps, n)
    if state.due:
        n = list_takes(rules, state, steps, n)
    if state.build:
        n = list_builds(rules, state, steps, n)
    if state.actions > 0:
        n = list_actions(rules, state, steps, n)
    if can_place_guard(rules, state):
        n = list_guards(rules, state, steps, n)
    if not state.due:
        steps[n] = step(END_TURN)
        n += 1
    return n


@kernel
def list_moves(rules: np.record, state: np.record, steps: np.ndarray) -> int:
    """List what a turn may begin with: Move, and before it Influence and the Guard House."""
    n = 0
    empty = empty_spaces(state)
    for meeple in range(MEEPLES):
        if available(state, meeple):
            n = list_spaces(
                steps, n, step(MOVE, meeple), rules.near[state.place[meeple]] & empty, SECOND
            )
    if rules.abilities != NO_ABILITIES and state.abilities:
        n = list_ability_moves(rules, state, steps, n)
    if state.influence and state.seat != state.first:
        for seat in range(2):
            if state.marker[seat] != NONE:
                steps[n] = step(SPEND_INFLUENCE, seat)
                n += 1
    if can_place_guard(rules, state):
        n = list_spaces(steps, n, PLACE_GUARD, empty, FIRST)
    return n


@inlined
def list_spaces(steps: np.ndarray, n: int, begun: int, spaces: int, shift: int) -> int:
    """List the step `begun` for each of the `spaces`, which go into its argument at `shift`."""
    for space in range(SPACES):
        if spaces >> space & 1:
            steps[n] = begun | space << shift
            n += 1
    return n


@inlined
def can_afford_ability(rules: np.record, state: np.record, meeple: int) -> bool:
    """Tell whether a meeple's ability is on offer, and paid for if it has to be."""
    seat = state.seat
    if not state.abilities >> meeple & 1:
        return False
    if rules.abilities != PAID:
        return True
    return bool(
        state.gold[seat] >= rules.ability_cost[GOLD, meeple]
        and state.food[seat] >= rules.ability_cost[FOOD, meeple]
    )


@kernel
def list_ability_moves(rules: np.record, state: np.record, steps: np.ndarray, n: int) -> int:
    """List the alternative movements of the advanced game."""
    empty = empty_spaces(state)
    if available(state, SUMO) and can_afford_ability(rules, state, SUMO):
        for meeple in range(MEEPLES):
            beyond = rules.beyond[state.place[SUMO], state.place[meeple]]
            if beyond != NONE and empty >> beyond & 1:
                steps[n] = step(PUSH, meeple)
                n += 1
    if available(state, NINJA) and can_afford_ability(rules, state, NINJA):
        for meeple in range(MEEPLES):
            if meeple != NINJA:
                steps[n] = step(SWAP, meeple)
                n += 1
    if not available(state, GEISHA) and can_afford_ability(rules, state, GEISHA):
        n = list_spaces(
            steps, n, step(SLIP, GEISHA), rules.near[state.place[GEISHA]] & empty, SECOND
        )
    if available(state, SAMURAI) and can_afford_ability(rules, state, SAMURAI):
        spaces = rules.aslant[state.place[SAMURAI]] & empty
        n = list_spaces(steps, n, step(DIAGONAL, SAMURAI), spaces, SECOND)
    return n


@inlined
def may_advance(rules: np.record, state: np.record) -> bool:
    """Tell whether Stables may still carry the moved meeple on, if there is a space."""
    return bool(
        state.stage == MOVED
        and ready(state, state.seat, STABLES)
        and state.food[state.seat] >= rules.stables_fee
    )


@kernel
def list_advances(rules: np.record, state: np.record, steps: np.ndarray, n: int) -> int:
    """Stables: one more space for the meeple that moved, for food."""
    if not may_advance(rules, state):
        return n
    spaces = rules.near[state.place[state.mover]] & empty_spaces(state)
    if rules.stables_back:
        spaces &= ~(1 << state.origin)
    return list_spaces(steps, n, ADVANCE, spaces, FIRST)


@inlined
def list_takes(rules: np.record, state: np.record, steps: np.ndarray, n: int) -> int:
    """Gold/Food: all that is shown, or gold or food where the space says so."""
    if rules.either[state.place[state.mover]]:
        steps[n] = step(TAKE, 1)
        steps[n + 1] = step(TAKE, 2)
        return n + 2
    steps[n] = step(TAKE)
    return n + 1


@kernel
def list_builds(rules: np.record, state: np.record, steps: np.ndarray, n: int) -> int:
    """Build: take a building by paying its cost, or remove an own one."""
    seat = state.seat
    for building in range(len(rules.cost[0])):
        if state.market >> building & 1:
            if (
                rules.cost[GOLD, building] <= state.gold[seat]
                and rules.cost[FOOD, building] <= state.food[seat]
            ):
                steps[n] = step(BUY, building)
                n += 1
        elif state.owned[seat] >> building & 1:
            steps[n] = step(REMOVE, building)
            n += 1
    return n


@kernel
def list_actions(rules: np.record, state: np.record, steps: np.ndarray, n: int) -> int:
    """List the possible actions: trigger, activate a building, trade, donate."""
    seat = state.seat
    gold = state.gold[seat]
    food = state.food[seat]
    if state.triggers > 0 and state.objective < state.objectives:
        steps[n] = step(TRIGGER)
        n += 1
    n = list_trades(rules, state, steps, n, TRADE, rules.trade_rate)
    if gold >= rules.donate_gold:
        steps[n] = step(DONATE, GOLD)
        n += 1
    if food >= rules.donate_food:
        steps[n] = step(DONATE, FOOD)
        n += 1
    if not state.owned[seat]:
        return n
    if ready(state, seat, BARRACKS) and gold >= rules.barracks_fee:
        steps[n] = step(USE_BARRACKS)
        n += 1
    if ready(state, seat, BROKER):
        steps[n] = step(USE_BROKER)
        n += 1
    if ready(state, seat, MARKET):
        n = list_trades(rules, state, steps, n, USE_MARKET, rules.market_rate)
    if ready(state, seat, SCHOOL):
        fee = rules.school_fee
        for part in range(max(fee - food, 0), min(fee, gold) + 1):
            steps[n] = step(USE_SCHOOL, part)
            n += 1
    if ready(state, seat, SHRINE) and food >= rules.shrine_fee:
        steps[n] = step(USE_SHRINE)
        n += 1
    if ready(state, seat, YATAI):
        steps[n] = step(USE_YATAI)
        n += 1
    return n


@inlined
def list_trades(
    rules: np.record, state: np.record, steps: np.ndarray, n: int, kind: int, rate: int
) -> int:
    """Trade: `rate` of one resource for each of the other, never more than there is room for."""
    seat = state.seat
    for amount in range(1, min(state.food[seat] // rate, gold_room(rules, state, seat)) + 1):
        steps[n] = step(kind, GOLD, amount)
        n += 1
    for amount in range(1, min(state.gold[seat] // rate, food_room(rules, state, seat)) + 1):
        steps[n] = step(kind, FOOD, amount)
        n += 1
    return n


@kernel
def list_guards(rules: np.record, state: np.record, steps: np.ndarray, n: int) -> int:
    """Guard House after the move: any empty space that leaves the opponent a move.

    While Stables may carry the meeple on, the test waits for the end of the move.
    """
    empty = empty_spaces(state)
    waits = may_advance(rules, state)
    for space in range(SPACES):
        if empty >> space & 1 and (waits or somebody_can_move(rules, state, empty & ~(1 << space))):
            steps[n] = step(PLACE_GUARD, space)
            n += 1
    return n


# What a step does


@kernel
def take_step(rules: np.record, state: np.record, number: int) -> None:
    """Do a legal step."""
    kind = kind_of(number)
    a = first_of(number)
    b = second_of(number)
    seat = state.seat
    if kind == PLACE_GUARD:
        state.gold[seat] -= rules.guard_house_fee
        state.guard = a
        state.guarding = 1
        return
    if kind <= ADVANCE:
        if kind == SPEND_INFLUENCE:
            state.influence = 0
            state.marker[a] = NONE
        elif kind == ADVANCE:
            advance(rules, state, a)
        else:
            move_meeple(rules, state, kind, a, b)
        return
    state.stage = RESOLVING
    if kind == END_TURN:
        end_turn(rules, state)
    elif kind == TAKE:
        take_resources(rules, state, a)
    elif kind == BUY:
        buy(rules, state, a)
    elif kind == REMOVE:
        remove(rules, state, a)
    else:
        state.actions -= 1
        act(rules, state, kind, a, b)


@kernel
def move_meeple(rules: np.record, state: np.record, kind: int, a: int, b: int) -> None:
    """Move: an ordinary move, or a meeple's ability; the seat's Daimyo goes onto the meeple."""
    seat = state.seat
    meeple = a
    if kind in (PUSH, SWAP):
        meeple = SUMO if kind == PUSH else NINJA
    if kind != MOVE and rules.abilities == PAID:
        state.gold[seat] -= rules.ability_cost[GOLD, meeple]
        state.food[seat] -= rules.ability_cost[FOOD, meeple]
    if kind == SLIP:
        unmark(state, GEISHA)
    origin = state.place[meeple]
    if kind == PUSH:
        to = state.place[a]
        state.place[a] = rules.beyond[origin, to]
    elif kind == SWAP:
        to = state.place[a]
        state.place[a] = origin
    else:
        to = b
    state.place[meeple] = to
    state.filled = spaces_filled(state)
    state.mover = meeple
    state.origin = origin
    state.marker[seat] = meeple
    # Stables lengthens ordinary moves, and the Geisha's, who moves as usual.
    state.stage = MOVED if kind in (MOVE, SLIP) else RESOLVING
    arrive(rules, state, to)


@inlined
def unmark(state: np.record, meeple: int) -> None:
    """Remove the markers from a meeple."""
    for seat in range(2):
        if state.marker[seat] == meeple:
            state.marker[seat] = NONE


@inlined
def spaces_filled(state: np.record) -> int:
    """Return the spaces with a meeple."""
    filled = 0
    for meeple in range(MEEPLES):
        filled |= 1 << state.place[meeple]
    return filled


@inlined
def arrive(rules: np.record, state: np.record, space: int) -> None:
    """Lay open what the space gives."""
    state.due = 1 if rules.gold[space] + rules.food[space] > 0 else 0
    state.build = rules.build[space]
    state.actions = rules.actions[space]


@kernel
def advance(rules: np.record, state: np.record, space: int) -> None:
    """Stables: move the meeple one more space; only the final space is resolved."""
    state.food[state.seat] -= rules.stables_fee
    state.used |= 1 << STABLES
    state.place[state.mover] = space
    state.filled = spaces_filled(state)
    state.stage = RESOLVING
    arrive(rules, state, space)


@inlined
def gain_gold(rules: np.record, state: np.record, amount: int) -> None:
    """Gain gold, up to the cap and what the supply has left."""
    state.gold[state.seat] += min(amount, gold_room(rules, state, state.seat))


@inlined
def gain_food(rules: np.record, state: np.record, amount: int) -> None:
    """Gain food, up to the cap and what the supply has left."""
    state.food[state.seat] += min(amount, food_room(rules, state, state.seat))


@inlined
def score(rules: np.record, state: np.record, seat: int, points: int) -> None:
    """Gain points; enough of them end the play at once (Game End)."""
    state.points[seat] += points
    if points:
        state.changed = 1
    if state.points[seat] >= rules.points_to_win:
        state.over = BY_POINTS


@kernel
def take_resources(rules: np.record, state: np.record, choice: int) -> None:
    """Gold/Food, with Gold Mine and Rice Paddy on a space that grants their resource."""
    space = state.place[state.mover]
    seat = state.seat
    state.due = 0
    if rules.gold[space] and choice != 2:
        extra = rules.gold_mine_extra if owns(state, seat, GOLD_MINE) else 0
        gain_gold(rules, state, rules.gold[space] + extra)
    if rules.food[space] and choice != 1:
        extra = rules.rice_paddy_extra if owns(state, seat, RICE_PADDY) else 0
        gain_food(rules, state, rules.food[space] + extra)


@kernel
def buy(rules: np.record, state: np.record, building: int) -> None:
    """Build: pay for a building and take it; Castle and Statue score at once."""
    seat = state.seat
    state.build = 0
    state.gold[seat] -= rules.cost[GOLD, building]
    state.food[seat] -= rules.cost[FOOD, building]
    state.spent[seat, GOLD] += rules.cost[GOLD, building]
    state.spent[seat, FOOD] += rules.cost[FOOD, building]
    state.market &= ~(1 << building)
    state.owned[seat] |= 1 << building
    state.changed = 1
    if building == CASTLE:
        score(rules, state, seat, rules.castle_points)
    elif building == STATUE:
        score(rules, state, seat, rules.statue_points)


@kernel
def remove(rules: np.record, state: np.record, building: int) -> None:
    """Build: remove an own building from the game for a point."""
    seat = state.seat
    state.build = 0
    state.owned[seat] &= ~(1 << building)
    if rules.spent_on_buildings != BOUGHT:
        state.spent[seat, GOLD] -= rules.cost[GOLD, building]
        state.spent[seat, FOOD] -= rules.cost[FOOD, building]
    if building == GUARD_HOUSE:
        state.guard = NONE
    state.changed = 1
    score(rules, state, seat, rules.remove_points)


@kernel
def act(rules: np.record, state: np.record, kind: int, a: int, b: int) -> None:
    """Take one action."""
    seat = state.seat
    if kind == TRIGGER:
        trigger(rules, state)
    elif kind == TRADE:
        exchange(state, a, b, rules.trade_rate)
    elif kind == DONATE:
        if a == GOLD:
            state.gold[seat] -= rules.donate_gold
        else:
            state.food[seat] -= rules.donate_food
        score(rules, state, seat, rules.donate_points)
    else:
        use_building(rules, state, kind, a, b)


@kernel
def use_building(rules: np.record, state: np.record, kind: int, a: int, b: int) -> None:
    """Activate your Building."""
    seat = state.seat
    if kind == USE_BARRACKS:
        state.used |= 1 << BARRACKS
        state.gold[seat] -= rules.barracks_fee
        score(rules, state, seat, rules.barracks_points)
    elif kind == USE_BROKER:
        state.used |= 1 << BROKER
        gain_gold(rules, state, rules.broker_gain)
    elif kind == USE_MARKET:
        state.used |= 1 << MARKET
        exchange(state, a, b, rules.market_rate)
    elif kind == USE_SCHOOL:
        state.used |= 1 << SCHOOL
        state.gold[seat] -= a
        state.food[seat] -= rules.school_fee - a
        score(rules, state, seat, rules.school_points)
    elif kind == USE_SHRINE:
        state.used |= 1 << SHRINE
        state.food[seat] -= rules.shrine_fee
        score(rules, state, seat, rules.shrine_points)
    elif kind == USE_YATAI:
        state.used |= 1 << YATAI
        gain_food(rules, state, rules.yatai_gain)


@inlined
def exchange(state: np.record, gained: int, amount: int, rate: int) -> None:
    """Gain `amount` of one resource for `rate` times as much of the other."""
    seat = state.seat
    if gained == GOLD:
        state.food[seat] -= rate * amount
        state.gold[seat] += amount
    else:
        state.gold[seat] -= rate * amount
        state.food[seat] += amount


# Objectives


@kernel
def trigger(rules: np.record, state: np.record) -> None:
    """Trigger an Objective: the leftmost; its points go to whoever it names, if to anybody."""
    slot = state.objective
    winner = objective_winner(rules, state, state.order[slot])
    state.objective += 1
    state.triggers -= 1
    state.changed = 1
    if winner != NONE:
        score(rules, state, winner, rules.slot_points[slot])
    if state.objective == state.objectives and not state.over:
        state.over = BY_OBJECTIVES


@kernel
def objective_winner(rules: np.record, state: np.record, objective: int) -> int:
    """Return the seat that an objective names now, or NONE."""
    if objective == COMBATANT:
        return state.seat if adjacent(rules, state, SAMURAI, SUMO) else NONE
    if objective == SPYMASTER:
        return state.seat if adjacent(rules, state, NINJA, GEISHA) else NONE
    if objective == ORGANISER:
        for line in rules.lines:
            if state.filled & line == line:
                return int(state.seat)
        return NONE
    ahead = standing(state, 0, objective) - standing(state, 1, objective)
    if ahead == 0:
        return NONE
    return 0 if ahead > 0 else 1


@inlined
def adjacent(rules: np.record, state: np.record, one: int, other: int) -> bool:
    """Tell whether two meeples stand side by side."""
    return bool(rules.near[state.place[one]] >> state.place[other] & 1)


@kernel
def standing(state: np.record, seat: int, objective: int) -> int:
    """Return what a seat has of what an objective compares; more is better."""
    gold = state.gold[seat]
    food = state.food[seat]
    if objective == BUILDER:
        return count(state.owned[seat])
    if objective == FARMER:
        return -count(state.owned[seat])
    if objective == ABUNDANT:
        return int(state.spent[seat, FOOD])
    if objective == OPULENT:
        return int(state.spent[seat, GOLD])
    if objective == CITY_PLANNER:
        return int(state.spent[seat, GOLD] + state.spent[seat, FOOD])
    if objective == BANKER:
        return int(gold)
    if objective == HOARDER:
        return int(food)
    if objective == RESOURCEFUL:
        return int(gold + food)
    if objective == PEASANT:
        return int(food - gold)
    if objective == MISER:
        return int(gold - food)
    # LOSER
    return int(-state.points[seat])


@inlined
def count(mask: int) -> int:
    """Return how many bits are set."""
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


# Turns


@kernel
def begin_turn(rules: np.record, state: np.record) -> None:
    """Begin the turn of `state.seat`: the own Guard House comes back."""
    if state.guard != NONE and owns(state, state.seat, GUARD_HOUSE):
        state.guard = NONE
    state.stage = TO_MOVE
    state.due = 0
    state.build = 0
    state.actions = 0
    state.used = 0
    state.triggers = rules.triggers_a_turn
    state.guarding = 0
    state.changed = 0


@kernel
def end_turn(rules: np.record, state: np.record) -> None:
    """End the turn, and the play when it has gone on for too long."""
    state.turns += 1
    state.still = 0 if state.changed else state.still + 1
    if state.turns >= rules.max_turns:
        state.over = BY_MAX_TURNS
    elif state.still >= rules.stall_turns:
        state.over = BY_STALL
    else:
        state.seat = 1 - state.seat
        begin_turn(rules, state)


# The end


@kernel
def winner_of(rules: np.record, state: np.record) -> int:
    """Winning the Game: the most points; then Influence unspent; then resources; or NONE."""
    if state.points[0] != state.points[1]:
        return 0 if state.points[0] > state.points[1] else 1
    if influence_decides(rules, state):
        return 1 - int(state.first)
    ahead = state.gold[0] + state.food[0] - state.gold[1] - state.food[1]
    if ahead == 0:
        return NONE
    return 0 if ahead > 0 else 1


@inlined
def influence_decides(rules: np.record, state: np.record) -> bool:
    """Tell whether the unspent token wins ties for the second player."""
    return bool(rules.influence_wins_ties and state.influence)
