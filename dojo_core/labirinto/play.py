"""Playing: a play from its setup to its last column, and block after block of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_core.game import Out, Setup
from dojo_core.kernel import entry, kernel, wrapping_arithmetic
from dojo_core.labirinto.answers import persons_answer
from dojo_core.labirinto.columns import SQUARE_COLUMNS
from dojo_core.labirinto.rules import play_turn
from dojo_core.labirinto.setup import TO_PLACE, Tables
from dojo_core.labirinto.table import (
    choice_stream,
    displace,
    hide_discards,
    set_down,
    shuffle_deck,
)
from dojo_core.labirinto.tables import (
    BY_MAX_ROUNDS,
    BY_WON_EXAM,
    NO_CARD,
    NOBODY,
    PLACE,
    PLAY_ROW,
    SEAT_ROW,
    SEATS,
    SETUP_STREAM,
    STREAMS,
)
from dojo_core.labirinto.walks import Tree
from dojo_core.random_numbers import below, next_word, stream_key


@kernel
def set_up(rules: np.record, maze: np.record, table: np.record, seed: int, play: int) -> None:
    """Set a play up: streams, first player, deck, track, pawns in their Safe Rooms (Setup)."""
    for stream in range(STREAMS):
        table.streams[stream] = stream_key(np.uint64(seed), np.uint64(play), np.uint64(stream))
    clear(table)
    table.first = below(next_word(table.streams, SETUP_STREAM), table.seats)
    table.seat = table.first
    fill_deck(rules, table)
    shuffle_deck(table)
    start_on_track(rules, table)
    for order in range(table.seats):
        seat = (table.first + order) % table.seats
        set_down(table, seat, first_square(maze, table, seat))
        table.since[seat] = 0


@kernel
def first_square(maze: np.record, table: np.record, seat: int) -> int:
    """Setup: any square of the own Safe Room; a person chooses it."""
    corner = table.corner[seat]
    room = maze.room_size[corner]
    if table.given >> seat & 1:
        for k in range(room):
            table.options[k] = maze.room_squares[corner, k]
        return int(table.options[persons_answer(table, PLACE, seat, room)])
    square = below(next_word(table.streams, choice_stream(seat)), room)
    return int(maze.room_squares[corner, square])


@kernel
def start_on_track(rules: np.record, table: np.record) -> None:
    """Setup: where everyone starts on the track."""
    start = rules.start_track
    if table.seats >= rules.many_players:
        start = rules.start_track_many
    if rules.short_game:
        start = max(start, rules.start_track_short)
    for seat in range(table.seats):
        table.track[seat] = start
    top = 6 * rules.belt_stripes - 1
    table.track[table.first] = min(start + rules.first_player_extra, top)
    for seat in range(table.seats):
        table.seat_best[seat] = table.track[seat]
    table.track_moved = 1


@kernel
def fill_deck(rules: np.record, table: np.record) -> None:
    """Lay the deck out card by card, before it is shuffled."""
    table.deck_size = 0
    copies = (
        rules.kiai_cards,
        rules.uke_cards,
        rules.kaeshi_cards,
        rules.tsugi_ashi_cards,
        rules.tunnel_segreto_cards,
        rules.irimi_cards,
        rules.sfida_cards,
        rules.sensei_osserva_cards,
        rules.peso_cintura_cards,
        rules.allenamento_intensivo_cards,
        rules.colpo_proibito_cards,
        rules.passo_falso_cards,
        rules.meditazione_cards,
    )
    for card in range(len(copies)):
        for _ in range(copies[card]):
            table.deck[table.deck_size] = card
            table.deck_size += 1


@kernel
def clear(table: np.record) -> None:
    """Clear what a play before may have left; tallies of squares stay."""
    table.turns = 0
    table.winner = NOBODY
    table.over = 0
    table.meditating = 0
    table.spared = 0
    hide_discards(table)
    table.leader = NOBODY
    table.steps = 0
    table.skipped = 0
    table.kumite = 0
    table.kumite_upset = 0
    table.kumite_equal = 0
    table.kumite_favourite = 0
    table.kumite_attacker = 0
    table.exams_started = 0
    table.exams_won = 0
    table.exams_refused = 0
    table.exam_bouts = 0
    table.uke_saves = 0
    table.tunnels = 0
    table.extra_steps = 0
    table.boxed_in = 0
    table.lead_changes = 0
    for card in range(len(table.drawn)):
        table.drawn[card] = 0
    for card in range(len(table.played)):
        table.played[card] = 0
    for seat in range(SEATS):
        table.pawns[table.at[seat]] = 0
        table.hand[seat] = NO_CARD
        table.seat_attacks_won[seat] = 0
        table.seat_attacks_lost[seat] = 0
        table.seat_defences_won[seat] = 0
        table.seat_defences_lost[seat] = 0
        table.seat_starts[seat] = 0
        table.seat_exams[seat] = 0
        table.seat_exam_defences[seat] = 0
        table.seat_cards[seat] = 0
        table.seat_fatica[seat] = 0


@kernel
def comeback_rank(table: np.record) -> int:
    """Return the winner's worst rank at the ends of the rounds after half time."""
    winner = table.winner
    if winner == NOBODY:
        return 0
    rounds = (table.turns + table.seats - 1) // table.seats
    worst = 1
    for completed in range(rounds // 2, table.turns // table.seats):
        rank = 1
        for seat in range(table.seats):
            if table.history[completed, seat] > table.history[completed, winner]:
                rank += 1
        worst = max(worst, rank)
    return worst


@kernel
def close_squares(table: np.record) -> None:
    """Count the rest of the pawns that are still standing when the play is over."""
    for seat in range(table.seats):
        table.square_rest[table.at[seat]] += table.turns - table.since[seat]


@kernel
def write_play(rules: np.record, table: np.record, row: np.record) -> None:
    """Write the play's row, see columns.PLAY_COLUMNS."""
    winner = table.winner
    seats = table.seats
    row.winner = winner
    row.winner_turn_order = -1 if winner == NOBODY else (winner - table.first + seats) % seats
    row.finished = 0 if winner == NOBODY else 1
    row.reason = BY_MAX_ROUNDS if winner == NOBODY else BY_WON_EXAM
    row.rounds = (table.turns + seats - 1) // seats
    row.turns = table.turns
    row.steps = table.steps
    row.kumite = table.kumite
    row.kumite_upset = table.kumite_upset
    row.kumite_equal = table.kumite_equal
    row.kumite_favourite = table.kumite_favourite
    row.kumite_attacker = table.kumite_attacker
    row.exams_started = table.exams_started
    row.exams_won = table.exams_won
    row.exams_refused = table.exams_refused
    row.exam_bouts = table.exam_bouts
    row.uke_saves = table.uke_saves
    starts = 0
    cards = 0
    fatica = 0
    for seat in range(seats):
        starts += table.seat_starts[seat]
        cards += table.seat_cards[seat]
        fatica += table.seat_fatica[seat]
    row.starts = starts
    row.cards = cards
    row.fatica_stripes = fatica
    for card in range(len(table.drawn)):
        row.drawn[card] = table.drawn[card]
    for card in range(len(table.played)):
        row.played[card] = table.played[card]
    row.tunnels = table.tunnels
    row.extra_steps = table.extra_steps
    row.boxed_in = table.boxed_in
    row.lead_changes = table.lead_changes
    row.comeback_rank = comeback_rank(table)
    row.seconds = (
        rules.time_setup
        + rules.time_turn * (table.turns - table.skipped)
        + rules.time_step * table.steps
        + rules.time_kumite * (table.kumite + table.exam_bouts)
        + rules.time_card * cards
    )


@kernel
def write_seat(table: np.record, seat: int, row: np.record) -> None:
    """Write a seat's row, see columns.SEAT_COLUMNS."""
    row.corner = table.corner[seat]
    row.turn_order = (seat - table.first + table.seats) % table.seats
    row.player = table.player[seat]
    row.won = 1 if table.winner == seat else 0
    row.track = table.track[seat]
    row.best_track = table.seat_best[seat]
    row.attacks_won = table.seat_attacks_won[seat]
    row.attacks_lost = table.seat_attacks_lost[seat]
    row.defences_won = table.seat_defences_won[seat]
    row.defences_lost = table.seat_defences_lost[seat]
    row.starts = table.seat_starts[seat]
    row.exams = table.seat_exams[seat]
    row.exam_defences = table.seat_exam_defences[seat]
    row.cards = table.seat_cards[seat]
    row.fatica_stripes = table.seat_fatica[seat]


@kernel
def write_rows(
    rules: np.record, table: np.record, play_row: np.record, seat_rows: np.ndarray
) -> None:
    """Write everything that is kept of a play that is over."""
    close_squares(table)
    write_play(rules, table, play_row)
    for seat in range(table.seats):
        write_seat(table, seat, seat_rows[seat])


@entry
def play_block(
    rules: np.ndarray,
    maze: np.ndarray,
    tree: Tree,
    tables: np.ndarray,
    seed: int,
    first_play: int,
    rows: np.ndarray,
    seat_rows: np.ndarray,
) -> None:
    """Play a row of plays, one after the other, on one table.

    All plays go through here, so that the rules are compiled once. A told play pauses before a turn
    when ``log_full`` numbers stand in its log; the next call goes on with it.
    """
    play_rows(rules[0], maze[0], tree, tables[0], seed, first_play, rows, seat_rows)


@kernel
def play_rows(
    rules: np.record,
    maze: np.record,
    tree: Tree,
    table: np.record,
    seed: int,
    first_play: int,
    rows: np.ndarray,
    seat_rows: np.ndarray,
) -> None:
    """See `play_block`, which counts references; this does not."""
    for k in range(len(rows)):
        if not table.paused:
            set_up(rules, maze, table, seed, first_play + k)
        while not table.over and table.log_size < table.log_full:
            play_turn(rules, maze, tree, table)
        table.paused = 1 - table.over
        if table.paused:
            return
        write_rows(rules, table, rows[k], seat_rows[k])


@entry
def put_pawn(table: np.record, seat: int, square: int) -> None:
    """Move a standing pawn to a square (a scenario's situation)."""
    displace(table, seat, square)


def play(setup: Setup, seed: int, first_play: int, plays: int, out: Out) -> None:
    """Play the plays first_play .. first_play + plays - 1, see `dojo_core.game.Game.play`."""
    tables: Tables = setup.tables
    table = tables.table.copy()
    rows = out.plays.view(PLAY_ROW).view(np.recarray)
    seat_rows = out.seats.view(SEAT_ROW).view(np.recarray)
    with wrapping_arithmetic():
        play_block(
            tables.rules, tables.maze, tables.tree, table, seed, first_play, rows[:plays], seat_rows
        )
    add_squares(table, out.squares)


def lay_play(tables: Tables, laid: np.recarray[Any, Any], seed: int = 0, play: int = 0) -> None:
    """Set a play up on the table `laid`, and pause before its first turn."""
    laid[0].paused = 0
    play_on(tables, laid, 0, seed, play)


def play_on(
    tables: Tables, laid: np.recarray[Any, Any], full: int, seed: int = 0, play: int = 0
) -> tuple[np.record, np.recarray[Any, Any]]:
    """Play on until the play is over or `full` numbers stand in the log.

    Returns the play's row and its seats' rows; they are filled when the play is over.
    """
    table = laid[0]
    table.log_full = full
    rows = np.zeros(1, PLAY_ROW).view(np.recarray)
    seat_rows = np.zeros((1, table.seats), SEAT_ROW).view(np.recarray)
    with wrapping_arithmetic():
        play_block(tables.rules, tables.maze, tables.tree, laid, seed, play, rows, seat_rows)
    return rows[0], seat_rows[0]


def add_squares(table: np.recarray[Any, Any], squares: np.ndarray[Any, Any]) -> None:
    """Add a table's tallies of squares to `squares`, which runs row by row."""
    for column in SQUARE_COLUMNS:
        squares[column.name][TO_PLACE] += table[0][f"square_{column.name}"]
