"""The arrays that the compiled rules work on, and the codes they use.

Three records reach every rule: `rules` (the packed options), `maze` (the board) and `table` (the
state of one play and its tallies); rules that walk also receive `tree` (see `walks`).

A square's number is ``quadrant * 64 + 8 * row + column``, with row and column as they are in the
quadrant before it is rotated into place: turning the whole board by a quarter adds 64, modulo 256.
Sets of seats are bit masks: bit s stands for seat s.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dojo_core.game import Column
from dojo_core.labirinto.columns import CARDS, PLAY_COLUMNS, SEAT_COLUMNS
from dojo_core.labirinto.features import WEIGHTS
from dojo_core.labirinto.options import OPTIONS
from dojo_core.options import packed_dtype


def number(value: int) -> int:
    """Return a constant that compiled code may pass on.

    It is a whole number of NumPy's, not of Python's: for these Numba would compile a rule anew for
    every value that it is called with.
    """
    return cast(int, np.int64(value))


def codes(count: int) -> tuple[int, ...]:
    """Return the codes 0 .. count - 1 as such constants."""
    return tuple(number(code) for code in range(count))


SEATS = 8
SQUARES = 256
NOBODY = number(-1)
NOWHERE = number(-1)
NIL = number(0)

# Square codes.
TATAMI, SAFE_ROOM, DOJO, ALLENAMENTO, FATICA, NEBBIA, TUNNEL, PASSO_FALSO, SFIDA = codes(9)
CODES = ".SDAF?TPK"

# Cards, in the order of columns.CARDS; the first three are the Tecnica.
(
    KIAI,
    UKE,
    KAESHI,
    TSUGI_ASHI,
    TUNNEL_SEGRETO,
    IRIMI,
    SFIDA_CARD,
    SENSEI_OSSERVA,
    PESO_CINTURA,
    ALLENAMENTO_INTENSIVO,
    COLPO_PROIBITO,
    PASSO_FALSO_CARD,
    MEDITAZIONE,
) = codes(len(CARDS))
NO_CARD = number(-1)
DECK_ROOM = 20 * len(CARDS)

# Players, in the order of columns.STRATEGIES; from WEIGHED on they are made of weights.
RANDOM, WANDERER, GREEDY, WEIGHED = codes(4)

# The sides of a fight.
ATTACKER, DEFENDER_SIDE = codes(2)

# How a fight began.
BY_WALK, BY_EXTRA, BY_TUNNEL, BY_SEGRETO, BY_SFIDA, BY_EXAM = codes(6)

# How a movement ended.
GOES_ON, BEATEN, AT_DOJO = codes(3)
DONE, BOXED_IN, DECLINED = codes(3)

# Why a track position changed (FATICA_WALKED is told by its own event).
WHY_KUMITE, WHY_EXAM, WHY_ALLENAMENTO, WHY_SENSEI, WHY_PESO, WHY_INTENSIVO, WHY_COLPO = codes(7)

# Kinds of decisions. Steps are asked of people only; others have `players.choose_step`.
PLACE, ORDER, TARGET, TAKE_TUNNEL, SEGRETO, KEEP, TECNICA, DEFENDER, NEXT_STEP = codes(9)
FOR_SFIDA, FOR_IRIMI = codes(2)

# Streams of random numbers: two for the table, three a seat.
SETUP_STREAM, DECK_STREAM, FIRST_SEAT_STREAM = codes(3)
DICE, KUMITE_DICE, CHOICES = codes(3)
STREAMS = FIRST_SEAT_STREAM + 3 * SEATS

# Endings, in the order of columns.REASONS.
BY_WON_EXAM, BY_MAX_ROUNDS = codes(2)

# One word of a seat's choices serves so many steps of a move (see random_numbers.spend).
STEPS_A_WORD = 12

HIGHEST_ROLL = 48
# The longest track: six belts of ten stripes.
TRACK = 60
LONGEST_PATH = 512

# As many answers as people may give in a play.
MOST_ANSWERS = 1 << 16

# Rows of bits that tell which walks step onto a square (crossings.py).
CROSSING_WORDS = 64
OUT_OF_REACH = 255
# Walks that are kept as the best, in so many runs at most; of a roll with more ends each walk is
# looked at instead. An open board with 14 pips has 532.
MOST_KEPT = 64 * CROSSING_WORDS
ODDS_CENTRE = 64

# The whole of a chance.
CERTAIN = 4096

# What a card does to a fight's chances.
PLAIN, WITH_KIAI, WITH_KAESHI = codes(3)

RULES = packed_dtype(OPTIONS)

MAZE = np.dtype(
    [
        ("code", "i8", SQUARES),
        ("room", "i8", SQUARES),  # the corner of the Safe Room the square is in, else -1
        (
            "neighbour",
            "i8",
            (SQUARES, 4),
        ),  # open ways N E S W of the quadrant, Dojo closed, else -1
        ("onward", "u1", (SQUARES, 4)),  # the same for ways known to be open
        ("entrance", "i8", SQUARES),  # the Dojo square that can be entered from here, else -1
        ("link", "i8", SQUARES),  # the paired tunnel, else -1
        ("tunnels", "i8", SQUARES),
        ("tunnel_count", "i8"),
        ("room_squares", "i8", (4, SQUARES)),
        ("room_size", "i8", 4),
        (
            "to_dojo",
            "i8",
            SQUARES,
        ),  # fewest steps into the Dojo, the entering one included; 0 inside
        # meeting[a, b]: chance, in 4096ths, that some full walk of a roll from square a of the
        # quadrant steps onto b (in the quadrant's own numbering)
        ("meeting", "u2", (64, SQUARES)),
        # Where to find what in the tree of walks (walks.Index), by square of the quadrant and roll
        ("root", "i8", 64),
        ("first_group", "i4", (64, HIGHEST_ROLL + 2)),
        ("reach", "u8", (64, HIGHEST_ROLL + 1, 4)),
        ("drawn", "u8", (64, HIGHEST_ROLL + 1)),
        ("first_crossing", "i4", (64, HIGHEST_ROLL + 1)),
        ("crossing_words", "u1", (64, HIGHEST_ROLL + 1)),
        ("crossing_row", "u1", (64, SQUARES)),
        ("first_end", "i4", (64, HIGHEST_ROLL + 2)),
    ],
    align=True,
)

# What a seat and an opponent may do to each other, by their track positions.
DUEL = np.dtype(
    [
        ("known", "i4"),  # 1 once the rest is reckoned
        ("beaten", "i4"),  # chance that the opponent's attack wins; 0: it has no reason for one
        ("sent", "i8"),  # what it is worth to be beaten by it
        ("repelled", "i8"),  # what beating it off adds, times the chance
        ("stripes", "i8"),  # expected, of an attack on it; 0: better not
    ],
    align=True,
)

# The worth of an end that was weighed before: for which decision, at which track position.
ENDING = np.dtype([("plan", "i4"), ("height", "i4"), ("worth", "i8")], align=True)

# The same of an attack, see `weighing.weigh_attack`.
ATTACK = np.dtype(
    [("plan", "i4"), ("height", "i4"), ("chance", "i8"), ("won", "i8"), ("lost", "i8")], align=True
)

TABLE = np.dtype(
    [
        # Who sits here
        ("seats", "i8"),
        ("everyone", "i8"),
        ("corner", "i8", SEATS),
        ("player", "i8", SEATS),
        ("weights", WEIGHTS, SEATS),  # of players made of weights
        # The play
        ("streams", "u8", STREAMS),
        ("first", "i8"),
        ("seat", "i8"),
        ("turns", "i8"),
        ("winner", "i8"),
        ("over", "i8"),
        ("peace", "i8"),  # 1 while no Kumite may be fought (first round)
        ("at", "i8", SEATS),
        ("track", "i8", SEATS),
        ("hand", "i8", SEATS),
        ("meditating", "i8"),
        ("pawns", "i8", SQUARES),  # the seats whose pawns stand on each square
        ("deck", "i8", DECK_ROOM),  # the top card is the last one
        ("deck_size", "i8"),
        ("discard", "i8", DECK_ROOM),
        ("discard_size", "i8"),
        ("copies", "i8", len(CARDS)),  # in the whole deck
        ("face_up", "i8", len(CARDS)),  # in the discard pile, where everyone saw them go
        # The move: the moving pawn is lifted from `pawns` until its movement is over
        ("origin", "i8"),
        ("remaining", "i8"),
        ("node", "i8"),  # the walk so far, in the tree; -1 once the tree no longer describes it
        ("turn_of_tree", "i8"),  # 64 * quadrant of the origin: what to add to the tree's squares
        ("path", "i8", LONGEST_PATH),
        ("path_length", "i8"),
        ("fraction", "u8"),  # what is left of the word that serves the mover's steps
        ("steps_left_of_word", "i8"),
        ("spared", "i8"),  # defenders saved by Uke in this walk
        ("why", "i8"),  # why the walk is over: DONE, BOXED_IN or DECLINED
        ("shut", "i8"),  # 1 when the Dojo stays closed for this move (dojo_latch)
        # A search for walks, where the board has no tree
        ("seen", "i8", SQUARES),  # 1 on the squares that may not be stepped on again
        ("search_square", "i8", HIGHEST_ROLL + 1),
        ("search_way", "i8", HIGHEST_ROLL + 1),
        # What is being decided
        ("options", "i8", SQUARES),
        ("option_nodes", "i8", SQUARES),
        ("target_for", "i8"),
        # The fight on the table
        ("fighter", "i8", 2),
        ("die", "i8", 2),
        ("bonus", "i8", 2),
        ("uke", "i8"),  # seats that committed Uke in this fight
        ("exam", "i8"),  # 1 while the fight is a Final Exam
        # A plan of steps (players that weigh a whole walk)
        ("plan", "i8", LONGEST_PATH),
        ("plan_length", "i8"),
        ("plan_next", "i8"),
        ("trail", "i8", LONGEST_PATH),
        ("worth", "i8", LONGEST_PATH),
        ("alive", "i8", LONGEST_PATH),
        ("height", "i8", LONGEST_PATH),
        ("paid", "i8", LONGEST_PATH),
        ("fought", "i8", LONGEST_PATH),
        ("foes", "i8", HIGHEST_ROLL + 1),  # seats to be fought, by the fights of a walk
        ("sfida_worth", "i8"),
        # odds[t, ODDS_CENTRE + d]: chance, in 4096ths, that the attacker wins with d points more
        # than the defender; t = 1: ties are the defender's
        ("odds", "i8", (2, 2 * ODDS_CENTRE)),
        # The same when both play their cards as well as they can, by the attacker's and the
        # defender's: PLAIN (none, or Uke), WITH_KIAI, WITH_KAESHI
        ("card_odds", "i8", (2, 3, 3, 2 * ODDS_CENTRE)),
        ("climb", "i8", (SEATS, TRACK)),  # what track positions are worth, see `features.climb`
        # What a square of a quadrant is good for, see `prospects.Prospects`
        ("prospect", "i8", 64),
        ("turns_to_dojo", "i8", 64),
        ("promised", "i8", (SEATS, 64)),  # what `prospect` is worth to a seat
        # By seat, its track position and an opponent's: filled where it is asked (weighing.py)
        ("duels", DUEL, (SEATS, TRACK, TRACK)),
        # Tallies of the play
        ("steps", "i8"),
        ("skipped", "i8"),
        ("kumite", "i8"),
        ("kumite_upset", "i8"),
        ("kumite_equal", "i8"),
        ("kumite_favourite", "i8"),
        ("kumite_attacker", "i8"),
        ("exams_started", "i8"),
        ("exams_won", "i8"),
        ("exams_refused", "i8"),
        ("exam_bouts", "i8"),
        ("uke_saves", "i8"),
        ("drawn", "i8", len(CARDS)),
        ("played", "i8", 3),
        ("tunnels", "i8"),
        ("extra_steps", "i8"),
        ("boxed_in", "i8"),
        ("lead_changes", "i8"),
        ("leader", "i8"),
        ("track_moved", "i8"),
        ("seat_best", "i8", SEATS),
        ("seat_attacks_won", "i8", SEATS),
        ("seat_attacks_lost", "i8", SEATS),
        ("seat_defences_won", "i8", SEATS),
        ("seat_defences_lost", "i8", SEATS),
        ("seat_starts", "i8", SEATS),
        ("seat_exams", "i8", SEATS),
        ("seat_exam_defences", "i8", SEATS),
        ("seat_cards", "i8", SEATS),
        ("seat_fatica", "i8", SEATS),
        ("since", "i8", SEATS),  # turns over when the pawn came to its square
        # Tallies of the squares, over all plays of a block
        ("square_steps", "i8", SQUARES),
        ("square_stops", "i8", SQUARES),
        ("square_fights", "i8", SQUARES),
        ("square_sends", "i8", SQUARES),
        ("square_rest", "i8", SQUARES),
        # Weighing answers (players that look for the best)
        ("best", "i8"),  # the best worth so far, and how many answers have it
        ("ties", "i8"),
        ("met", "u8", CROSSING_WORDS),  # the walks that meet a pawn, a bit each
        ("answers", "i8"),  # how many answers were weighed
        # What was weighed, kept for the other answers of a decision (weighing.py)
        ("plans", "i8"),
        ("draw_worth", "i8"),
        ("endings", ENDING, 4 * SQUARES),
        ("attacks", ATTACK, (SEATS, 4)),
        # The walks that are worth most so far: runs of ``tree.ended`` (ends.py)
        ("kept", "i8"),
        ("kept_next", "i8", MOST_KEPT),
        ("kept_end", "i8", MOST_KEPT),
        # Decisions that are given: a bit for each seat that has a person or a script
        ("given", "i8"),
        ("said", "i2", (MOST_ANSWERS, 2)),  # of people, in order: kind, answer
        ("said_count", "i8"),
        ("answered", "i8"),  # how many of them have been used
        ("asking", "i8"),  # 1 when a person has to answer before the play can go on
        # A script in place of dice and players (scenarios); fault: the first thing it got wrong
        ("scripted", "i8"),
        ("fault", "i8"),
        ("fault_detail", "i8"),
        ("script_dice", "i8", 512),
        ("script_dice_count", "i8"),
        ("script_dice_next", "i8"),
        ("script_steps", "i8", 512),
        ("script_steps_count", "i8"),
        ("script_steps_next", "i8"),
        ("script_choices", "i8", (128, 4)),  # kind, seat, answer, used
        ("script_choices_count", "i8"),
        ("script_deals", "i8", 512),
        ("script_deals_count", "i8"),
        ("script_deals_next", "i8"),
        # What happened, for a trace: a stream of [code, arguments ...] (see `log`)
        ("telling", "i8"),
        ("log_size", "i8"),
        ("log_full", "i8"),  # the play pauses when so many numbers stand in the log
        ("paused", "i8"),  # 1 while it waits to be gone on with
        ("log", "i8", 1 << 16),
        # Track positions at the end of every round
        ("history", "u1", (100_000, SEATS)),
    ],
    align=True,
)

# What a script can get wrong.
NO_FAULT, NO_DICE, BAD_STEP, NO_STEP, NO_CHOICE, BAD_CHOICE, NO_DEAL = codes(7)


def _row_dtype(columns: tuple[Column, ...], grouped: dict[str, str]) -> np.dtype[Any]:
    """Return the columns' type with runs of fields named ``prefix_...`` as one array field each.

    Same bytes as `game.columns_dtype`, so that rows can be filled by index where a rule counts by
    card.
    """
    fields: list[tuple[Any, ...]] = []
    for column in columns:
        prefix = next((p for p in grouped if column.name.startswith(p)), None)
        if prefix is None:
            fields.append((column.name, column.dtype))
        elif fields and fields[-1][0] == grouped[prefix]:
            fields[-1] = (grouped[prefix], column.dtype, fields[-1][2] + 1)
        else:
            fields.append((grouped[prefix], column.dtype, 1))
    return np.dtype(fields, align=True)


PLAY_ROW = _row_dtype(PLAY_COLUMNS, {"drawn_": "drawn", "played_": "played"})
SEAT_ROW = _row_dtype(SEAT_COLUMNS, {})
