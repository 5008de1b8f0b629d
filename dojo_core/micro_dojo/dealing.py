"""Setting a play up: meeples, objectives, buildings, first player, Influence."""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel
from dojo_core.micro_dojo.components import BUILDINGS, OBJECTIVES, SEATS, SLOTS, SPACES
from dojo_core.micro_dojo.rules import begin_turn, count, spaces_filled
from dojo_core.micro_dojo.tables import (
    CHOOSE_ALL,
    CHOOSE_EACH,
    DEAL_ALWAYS,
    DEAL_RANDOM,
    FOOD,
    GOLD,
    NO_ABILITIES,
    NO_OBJECTIVE,
    NONE,
    SETUP_STREAM,
    STREAMS,
)
from dojo_core.random_numbers import below, next_word, stream_key

CORNERS = (0, 2, 6, 8)
MEEPLES = 4


@kernel
def set_up(rules: np.record, table: np.record, state: np.record, seed: int, play: int) -> None:
    """Set a play up: meeples, objectives, buildings, first player, Influence (Setup)."""
    for stream in range(STREAMS):
        table.streams[stream] = stream_key(np.uint64(seed), np.uint64(play), np.uint64(stream))
    clear(table)
    place_meeples(table, state)
    deal_objectives(rules, table, state)
    state.market = deal_buildings(rules, table)
    table.dealt = state.market
    first = draw(table, SEATS)
    state.first = first
    state.abilities = choose_abilities(rules, table)
    start(rules, state)
    table.turn_points = state.points[state.seat]


@inlined
def draw(table: np.record, bound: int) -> int:
    """Return a whole number in [0, bound) from the setup's stream."""
    return below(next_word(table.streams, SETUP_STREAM), bound)


@kernel
def place_meeples(table: np.record, state: np.record) -> None:
    """Place the four meeples at random on the corners (Setup 1)."""
    for meeple in range(MEEPLES):
        state.place[meeple] = CORNERS[meeple]
    for k in range(MEEPLES - 1, 0, -1):
        other = draw(table, k + 1)
        space = state.place[k]
        state.place[k] = state.place[other]
        state.place[other] = space


@kernel
def draw_from(table: np.record, pool: int) -> int:
    """Return one of the set bits of `pool`, each as likely as any other."""
    k = draw(table, count(pool))
    while k:
        pool &= pool - 1
        k -= 1
    chosen = 0
    while not pool >> chosen & 1:
        chosen += 1
    return chosen


@kernel
def deal_objectives(rules: np.record, table: np.record, state: np.record) -> None:
    """Deal the objectives: those fixed in their slots, the others drawn (Setup 2)."""
    pool = 0
    for objective in range(len(OBJECTIVES)):
        pool |= rules.deal_objective[objective] << objective
    objectives = int(rules.objectives_dealt)
    state.objectives = objectives
    for slot in range(SLOTS):
        state.order[slot] = rules.slot[slot] if slot < objectives else NO_OBJECTIVE
        if slot < objectives and rules.slot[slot] != NONE:
            pool &= ~(1 << rules.slot[slot])
    for slot in range(objectives):
        if state.order[slot] == NONE:
            state.order[slot] = draw_from(table, pool)
            pool &= ~(1 << state.order[slot])


@kernel
def deal_buildings(rules: np.record, table: np.record) -> int:
    """Deal the buildings: those of every play, the others drawn (Setup 3)."""
    dealt = 0
    pool = 0
    for building in range(len(BUILDINGS)):
        if rules.deal_building[building] == DEAL_ALWAYS:
            dealt |= 1 << building
        elif rules.deal_building[building] == DEAL_RANDOM:
            pool |= 1 << building
    for _ in range(rules.buildings_dealt - count(dealt)):
        building = draw_from(table, pool)
        pool &= ~(1 << building)
        dealt |= 1 << building
    return dealt


@kernel
def choose_abilities(rules: np.record, table: np.record) -> int:
    """Return the abilities on offer: all, those of the side drawn, or each by its own coin."""
    if rules.abilities == NO_ABILITIES:
        return 0
    if rules.ability_choice == CHOOSE_ALL:
        return (1 << MEEPLES) - 1
    offered = 0
    side = draw(table, 2)
    for ability in range(MEEPLES):
        if rules.ability_choice == CHOOSE_EACH:
            side = draw(table, 2)
        if rules.ability_side[ability] == side:
            offered |= 1 << ability
    return offered


@kernel
def start(rules: np.record, state: np.record) -> None:
    """Lay out what does not depend on chance, and begin the first turn (Setup 4, 5)."""
    second = 1 - state.first
    state.filled = spaces_filled(state)
    state.guard = NONE
    for seat in range(SEATS):
        state.marker[seat] = NONE
        state.owned[seat] = 0
        state.spent[seat, GOLD] = 0
        state.spent[seat, FOOD] = 0
        state.gold[seat] = rules.second_gold if seat == second else rules.first_gold
        state.food[seat] = rules.second_food if seat == second else rules.first_food
        state.points[seat] = rules.second_points if seat == second else 0
    state.objective = 0
    state.influence = rules.second_influence
    state.seat = state.first
    state.turns = 0
    state.still = 0
    state.over = 0
    begin_turn(rules, state)


@kernel
def clear(table: np.record) -> None:
    """Clear what a play before may have left; tallies of spaces stay."""
    table.steps = 0
    table.leader = NONE
    table.lead_changes = 0
    table.tied = 0
    table.influence_turn = 0
    table.handled = 0
    for slot in range(SLOTS):
        table.result[slot] = 0
        table.triggered_by[slot] = 0
    for seat in range(SEATS):
        table.from_objectives[seat] = 0
        table.from_donations[seat] = 0
        table.from_removals[seat] = 0
        table.objectives_won[seat] = 0
        table.objectives_triggered[seat] = 0
        table.objectives_given[seat] = 0
        table.removed[seat] = 0
        table.bought[seat] = 0
        table.trades[seat] = 0
        table.donations[seat] = 0
        table.ability_moves[seat] = 0
        table.lost[seat, GOLD] = 0
        table.lost[seat, FOOD] = 0
        table.supply_binds[seat] = 0
        for building in range(len(BUILDINGS)):
            table.from_building[seat, building] = 0
            table.uses[seat, building] = 0
        for space in range(SPACES):
            table.visits[seat, space] = 0
