"""Playing: a play from its setup to its last column, and block after block of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_core.game import Out, Setup
from dojo_core.kernel import entry, inlined, kernel, wrapping_arithmetic
from dojo_core.micro_dojo.components import BUILDINGS, SEATS, SLOTS, SPACES
from dojo_core.micro_dojo.counting import play_step
from dojo_core.micro_dojo.dealing import set_up
from dojo_core.micro_dojo.players import plan_turn
from dojo_core.micro_dojo.rules import count, influence_decides, list_steps, winner_of
from dojo_core.micro_dojo.setup import Tables
from dojo_core.micro_dojo.tables import (
    BARRACKS,
    BY_OBJECTIVES,
    BY_POINTS,
    CASTLE,
    END_TURN,
    FOOD,
    GOLD,
    NONE,
    PLAY_ROW,
    SCHOOL,
    SEAT_ROW,
    SHRINE,
    STATE,
    STATES,
    STATUE,
)


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
