"""What is counted while a play goes on, see `columns`: steps are taken here and looked at."""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel
from dojo_core.micro_dojo.rules import first_of, kind_of, objective_winner, take_step
from dojo_core.micro_dojo.tables import (
    ADVANCE,
    BARRACKS,
    BROKER,
    BUY,
    DONATE,
    END_TURN,
    FOOD,
    GOLD,
    GOLD_MINE,
    GUARD_HOUSE,
    MARKET,
    MOVE,
    NONE,
    PLACE_GUARD,
    REMOVE,
    RICE_PADDY,
    SCHOOL,
    SHRINE,
    SPEND_INFLUENCE,
    STABLES,
    TAKE,
    TRADE,
    TRIGGER,
    USE_BARRACKS,
    USE_BROKER,
    USE_MARKET,
    USE_SCHOOL,
    USE_SHRINE,
    USE_YATAI,
    YATAI,
)


@kernel
def play_step(rules: np.record, table: np.record, state: np.record, step: int) -> None:
    """Take a step, and count what is kept of it."""
    kind = kind_of(step)
    seat = state.seat
    own = state.points[seat]
    others = state.points[1 - seat]
    turn = state.turns + 1
    if kind == TRIGGER:
        table.named = objective_winner(rules, state, state.order[state.objective])
    if kind in (TAKE, USE_BROKER, USE_YATAI):
        count_losses(rules, table, state, kind, first_of(step))
    take_step(rules, state, step)
    if table.telling:
        table.log[table.steps] = step
    table.steps += 1
    own = state.points[seat] - own
    others = state.points[1 - seat] - others
    if kind >= MOVE and kind <= ADVANCE:
        count_move(table, state, seat, kind)
    elif kind == TRIGGER:
        count_trigger(table, state, seat, own, others)
    elif kind in (BUY, REMOVE):
        table.handled += 1
        count_build(table, seat, kind, first_of(step), own)
    elif kind == SPEND_INFLUENCE:
        table.influence_turn = turn
    elif kind == PLACE_GUARD:
        table.uses[seat, GUARD_HOUSE] += 1
    elif kind != TAKE and kind != END_TURN:
        count_action(table, seat, kind, own)
    if state.over or kind == END_TURN:
        count_turn(table, state, seat)


@kernel
def count_losses(
    rules: np.record, table: np.record, state: np.record, kind: int, choice: int
) -> None:
    """Count what a gain falls short of because of the cap or the supply, before it is made."""
    seat = state.seat
    space = state.place[state.mover]
    gold = 0
    food = 0
    if kind == USE_BROKER:
        gold = rules.broker_gain
    elif kind == USE_YATAI:
        food = rules.yatai_gain
    else:
        if rules.gold[space] and choice != 2:
            mine = state.owned[seat] >> GOLD_MINE & 1
            gold = rules.gold[space] + mine * rules.gold_mine_extra
        if rules.food[space] and choice != 1:
            paddy = state.owned[seat] >> RICE_PADDY & 1
            food = rules.food[space] + paddy * rules.rice_paddy_extra
    count_loss(table, seat, GOLD, gold, rules.gold_cap, rules.gold_supply, state.gold)
    count_loss(table, seat, FOOD, food, rules.food_cap, rules.food_supply, state.food)


@kernel
def count_loss(
    table: np.record, seat: int, resource: int, gain: int, cap: int, supply: int, held: np.ndarray
) -> None:
    """Count what is lost of one gain, and whether the supply, not the cap, cut it."""
    by_cap = max(gain - max(cap - held[seat], 0), 0)
    by_supply = max(gain - max(supply - held[0] - held[1], 0), 0)
    table.lost[seat, resource] += max(by_cap, by_supply)
    if by_supply > by_cap:
        table.supply_binds[seat] += 1


@kernel
def count_move(table: np.record, state: np.record, seat: int, kind: int) -> None:
    """Count a move, or Stables carrying it on; the visit is counted when the turn is over."""
    if kind == ADVANCE:
        table.uses[seat, STABLES] += 1
    elif kind != MOVE:
        table.ability_moves[seat] += 1
    table.landed = state.place[state.mover]


@kernel
def count_trigger(table: np.record, state: np.record, seat: int, own: int, others: int) -> None:
    """Count a triggered objective."""
    slot = state.objective - 1
    table.handled += 1
    table.objectives_triggered[seat] += 1
    table.triggered_by[slot] = 1 if seat == state.first else 2
    winner = table.named
    if winner == NONE:
        table.tied += 1
        table.result[slot] = 1
        return
    table.result[slot] = 2 if winner == state.first else 3
    table.objectives_won[winner] += 1
    table.from_objectives[winner] += own + others
    if winner != seat:
        table.objectives_given[seat] += 1


@kernel
def count_build(table: np.record, seat: int, kind: int, building: int, points: int) -> None:
    """Count a building bought or removed."""
    if kind == BUY:
        table.bought[seat] |= 1 << building
        table.from_building[seat, building] += points
    else:
        table.removed[seat] += 1
        table.from_removals[seat] += points


@kernel
def count_action(table: np.record, seat: int, kind: int, points: int) -> None:
    """Count an action other than a trigger."""
    table.handled += 1
    if kind == TRADE:
        table.trades[seat] += 1
    elif kind == DONATE:
        table.donations[seat] += 1
        table.from_donations[seat] += points
    else:
        building = building_used(kind)
        table.uses[seat, building] += 1
        table.from_building[seat, building] += points


@inlined
def building_used(kind: int) -> int:
    """Return the building that a kind of step uses."""
    if kind == USE_BARRACKS:
        return BARRACKS
    if kind == USE_BROKER:
        return BROKER
    if kind == USE_MARKET:
        return MARKET
    if kind == USE_SCHOOL:
        return SCHOOL
    return SHRINE if kind == USE_SHRINE else YATAI


@kernel
def count_turn(table: np.record, state: np.record, seat: int) -> None:
    """Count a turn that is over: the visit, what it scored, and who leads."""
    table.visits[seat, table.landed] += 1
    table.space_visits[table.landed] += 1
    table.space_points[table.landed] += state.points[seat] - table.turn_points
    table.turn_points = state.points[1 - seat]
    ahead = state.points[0] - state.points[1]
    if ahead != 0:
        leader = 0 if ahead > 0 else 1
        if table.leader != NONE and table.leader != leader:
            table.lead_changes += 1
        table.leader = leader
