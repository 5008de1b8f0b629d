"""Playing: a play from its setup to its last column, and block after block of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_core.game import Out, Setup
from dojo_core.kernel import entry, inlined, kernel, wrapping_arithmetic
from dojo_core.micro_dojo.components import BUILDINGS, OBJECTIVES, SEATS, SLOTS, SPACES
from dojo_core.micro_dojo.players import plan_turn
from dojo_core.micro_dojo.rules import (
    begin_turn,
    count,
    first_of,
    influence_decides,
    kind_of,
    list_steps,
    objective_winner,
    spaces_filled,
    take_step,
    winner_of,
)
from dojo_core.micro_dojo.setup import Tables
from dojo_core.micro_dojo.tables import (
    ADVANCE,
    BARRACKS,
    BROKER,
    BUY,
    BY_OBJECTIVES,
    BY_POINTS,
    CASTLE,
    CHOOSE_ALL,
    CHOOSE_EACH,
    DEAL_ALWAYS,
    DEAL_RANDOM,
    DONATE,
    END_TURN,
    FOOD,
    GOLD,
    GOLD_MINE,
    GUARD_HOUSE,
    MARKET,
    MOVE,
    NO_ABILITIES,
    NO_OBJECTIVE,
    NONE,
    PLACE_GUARD,
    PLAY_ROW,
    REMOVE,
    RICE_PADDY,
    SCHOOL,
    SEAT_ROW,
    SETUP_STREAM,
    SHRINE,
    SPEND_INFLUENCE,
    STABLES,
    STATE,
    STATES,
    STATUE,
    STREAMS,
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
from dojo_core.random_numbers import below, next_word, stream_key

CORNERS = (0, 2, 6, 8)
MEEPLES = 4


# Setup


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


# A turn, and what is counted of it


@kernel
def play_turn(rules: np.record, table: np.record, states: np.ndarray) -> None:
    """Let a player plan a turn, and play it."""
    plan_turn(rules, table, states)
    state = states[0]
    turn = state.turns
    for k in range(table.plan_size):
        play_step(rules, table, state, table.plan[k])
    if not state.over and state.turns == turn:
        play_step(rules, table, state, END_TURN)


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


# What is kept


@kernel
def tie_break(rules: np.record, state: np.record, winner: int) -> int:
    """Return what decided between equal points, see columns.TIE_BREAKS."""
    if state.points[0] != state.points[1]:
        return 0
    if influence_decides(rules, state):
        return 1
    return 3 if winner == NONE else 2


@inlined
def finished(state: np.record) -> int:
    """Return 1 when a play ended by points or objectives, 0 when it stalled."""
    return 1 if state.over == BY_POINTS or state.over == BY_OBJECTIVES else 0


@inlined
def turns_taken(state: np.record) -> int:
    """Return the turns of a play that is over; its last one may have been cut short."""
    return int(state.turns) + finished(state)


@inlined
def play_winner(rules: np.record, state: np.record) -> int:
    """Return the seat that won a play that is over, NONE after a draw or a stall."""
    return winner_of(rules, state) if finished(state) else NONE


@kernel
def write_play(rules: np.record, table: np.record, state: np.record, row: np.record) -> None:
    """Write the play's row, see columns.PLAY_COLUMNS."""
    winner = play_winner(rules, state)
    scored = winner_of(rules, state)
    turns = turns_taken(state)
    row.winner = winner
    row.winner_turn_order = NONE if winner == NONE else abs(winner - state.first)
    row.scored_turn_order = NONE if scored == NONE else abs(scored - state.first)
    row.finished = finished(state)
    row.reason = state.over - 1
    row.tie_break = tie_break(rules, state, scored)
    row.rounds = (turns + 1) // 2
    row.turns = turns
    row.steps = table.steps
    row.lead_changes = table.lead_changes
    row.objectives = state.objective
    row.objectives_tied = table.tied
    row.influence_turn = table.influence_turn
    row.abilities = state.abilities
    for slot in range(SLOTS):
        row.objective_1[slot] = state.order[slot]
        row.result_1[slot] = table.result[slot]
        row.triggered_by_1[slot] = table.triggered_by[slot]
    for building in range(len(BUILDINGS)):
        row.dealt_barracks[building] = table.dealt >> building & 1
    row.seconds = rules.time_setup + rules.time_turn * turns + rules.time_action * table.handled


@kernel
def write_seat(
    rules: np.record, table: np.record, state: np.record, seat: int, row: np.record
) -> None:
    """Write a seat's row, see columns.SEAT_COLUMNS."""
    row.turn_order = abs(seat - state.first)
    row.player = table.player[seat]
    row.won = 1 if play_winner(rules, state) == seat else 0
    row.points = state.points[seat]
    row.gold = state.gold[seat]
    row.food = state.food[seat]
    row.points_objectives = table.from_objectives[seat]
    row.points_castle = table.from_building[seat, CASTLE]
    row.points_statue = table.from_building[seat, STATUE]
    row.points_barracks = table.from_building[seat, BARRACKS]
    row.points_school = table.from_building[seat, SCHOOL]
    row.points_shrine = table.from_building[seat, SHRINE]
    row.points_donated = table.from_donations[seat]
    row.points_removed = table.from_removals[seat]
    row.objectives_won = table.objectives_won[seat]
    row.objectives_triggered = table.objectives_triggered[seat]
    row.objectives_given = table.objectives_given[seat]
    row.buildings = count(state.owned[seat])
    row.removed = table.removed[seat]
    for building in range(len(BUILDINGS)):
        row.bought_barracks[building] = table.bought[seat] >> building & 1
        row.used_barracks[building] = table.uses[seat, building]
    row.trades = table.trades[seat]
    row.donations = table.donations[seat]
    row.influence_spent = 1 if table.influence_turn and seat != state.first else 0
    row.ability_moves = table.ability_moves[seat]
    row.gold_lost = table.lost[seat, GOLD]
    row.food_lost = table.lost[seat, FOOD]
    row.supply_binds = table.supply_binds[seat]


@kernel
def write_rows(
    rules: np.record,
    table: np.record,
    state: np.record,
    play_row: np.record,
    seat_rows: np.ndarray,
) -> None:
    """Write everything that is kept of a play that is over."""
    winner = play_winner(rules, state)
    for space in range(SPACES):
        if winner == NONE:
            table.space_other_visits[space] += table.visits[0, space] + table.visits[1, space]
        else:
            table.space_winner_visits[space] += table.visits[winner, space]
    write_play(rules, table, state, play_row)
    for seat in range(SEATS):
        write_seat(rules, table, state, seat, seat_rows[seat])


@entry
def play_block(
    rules: np.ndarray,
    tables: np.ndarray,
    states: np.ndarray,
    seed: int,
    first_play: int,
    rows: np.ndarray,
    seat_rows: np.ndarray,
) -> None:
    """Play a row of plays, one after the other, on one table."""
    play_row(rules[0], tables[0], states, seed, first_play, rows, seat_rows)


@kernel
def play_row(
    rules: np.record,
    table: np.record,
    states: np.ndarray,
    seed: int,
    first_play: int,
    rows: np.ndarray,
    seat_rows: np.ndarray,
) -> None:
    """See `play_block`, which counts references; this does not."""
    for k in range(len(rows)):
        set_up(rules, table, states[0], seed, first_play + k)
        while not states[0].over:
            play_turn(rules, table, states)
        write_rows(rules, table, states[0], rows[k], seat_rows[k])


@entry
def play_on(
    rules: np.ndarray,
    tables: np.ndarray,
    states: np.ndarray,
    rows: np.ndarray,
    seat_rows: np.ndarray,
) -> None:
    """Let the player whose turn it is play it; write the rows of a play that is over by then.

    So goes a play with people: their turns are taken step by step, by `told_step`.
    """
    if not states[0].over:
        play_turn(rules[0], tables[0], states)
    if states[0].over:
        write_rows(rules[0], tables[0], states[0], rows[0], seat_rows[0])


@entry
def lay_play(
    rules: np.ndarray, tables: np.ndarray, states: np.ndarray, seed: int, play: int
) -> None:
    """Set up a play that is to be told."""
    set_up(rules[0], tables[0], states[0], seed, play)


@entry
def scored(rules: np.ndarray, states: np.ndarray) -> tuple[int, int]:
    """Return the seat that scoring names (NONE: neither), and what decided (a told play)."""
    winner = winner_of(rules[0], states[0])
    return winner, tie_break(rules[0], states[0], winner)


@entry
def steps_now(rules: np.ndarray, states: np.ndarray, steps: np.ndarray) -> int:
    """Write the legal steps into `steps`, and return how many there are (a told play)."""
    return list_steps(rules[0], states[0], steps)


@entry
def told_step(rules: np.ndarray, tables: np.ndarray, states: np.ndarray, step: int) -> None:
    """Take a step of a told play."""
    play_step(rules[0], tables[0], states[0], step)


def room_for_states() -> np.recarray[Any, Any]:
    """Return room for the situation of a play, and for those of a turn that is looked at."""
    return np.zeros(STATES, STATE).view(np.recarray)


def play(setup: Setup, seed: int, first_play: int, plays: int, out: Out) -> None:
    """Play the plays first_play .. first_play + plays - 1, see `dojo_core.game.Game.play`."""
    tables: Tables = setup.tables
    table = tables.table.copy()
    rows = out.plays.view(PLAY_ROW).view(np.recarray)
    seat_rows = out.seats.view(SEAT_ROW).view(np.recarray)
    with wrapping_arithmetic():
        play_block(
            tables.rules, table, room_for_states(), seed, first_play, rows[:plays], seat_rows
        )
    for name in ("visits", "winner_visits", "other_visits", "points"):
        out.squares[name] += table[0][f"space_{name}"]
