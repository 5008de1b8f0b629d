"""The table: dice, pawns, the progress track and the deck, as the rules handle them."""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel
from dojo_core.labirinto import log
from dojo_core.labirinto.log import note, note_list
from dojo_core.labirinto.tables import (
    CHOICES,
    DECK_STREAM,
    DICE,
    FIRST_SEAT_STREAM,
    KUMITE_DICE,
    NIL,
    NO_DEAL,
    NO_DICE,
    NO_FAULT,
    WHY_ALLENAMENTO,
)
from dojo_core.random_numbers import below, next_word


@inlined
def dice_stream(seat: int) -> int:
    """Return the number of the stream of the seat's movement dice."""
    return FIRST_SEAT_STREAM + 3 * seat + DICE


@inlined
def kumite_stream(seat: int) -> int:
    """Return the number of the stream of the seat's Kumite dice."""
    return FIRST_SEAT_STREAM + 3 * seat + KUMITE_DICE


@inlined
def choice_stream(seat: int) -> int:
    """Return the number of the stream of the seat's choices."""
    return FIRST_SEAT_STREAM + 3 * seat + CHOICES


@kernel
def blame(table: np.record, fault: int, detail: int) -> None:
    """Remember the first thing that a script got wrong."""
    if table.fault == NO_FAULT:
        table.fault = fault
        table.fault_detail = detail


@inlined
def roll_die(table: np.record, stream: int, faces: int) -> int:
    """Roll one die of `faces` faces from the stream, or take it from the script."""
    if table.scripted:
        return _scripted_die(table)
    return 1 + below(next_word(table.streams, stream), faces)


@kernel
def _scripted_die(table: np.record) -> int:
    if table.script_dice_next >= table.script_dice_count:
        blame(table, NO_DICE, table.script_dice_next)
        return 1
    value = table.script_dice[table.script_dice_next]
    table.script_dice_next += 1
    return int(value)


# The track


@inlined
def belt(rules: np.record, track: int) -> int:
    """Return the belt of a track position: 0 White to 5 Brown."""
    return track // rules.belt_stripes


@inlined
def top_of_track(rules: np.record) -> int:
    """Return the highest track position."""
    return 6 * rules.belt_stripes - 1


@inlined
def is_brown(rules: np.record, track: int) -> bool:
    """Tell whether a pawn on this track position wears the Brown belt."""
    return bool(track >= 5 * rules.belt_stripes)


@inlined
def points_ahead(rules: np.record, track: int, other: int) -> int:
    """Return the points that a fighter on `track` has more than one on `other` (Kumite 2)."""
    difference = belt(rules, track) - belt(rules, other)
    points = min(abs(difference) * rules.belt_bonus, rules.bonus_cap)
    return int(points if difference > 0 else -points)


@inlined
def stripes_won(rules: np.record, track: int, other: int) -> int:
    """Return the stripes that a fighter on `track` gains by beating one on `other`."""
    difference = belt(rules, track) - belt(rules, other)
    gain = rules.equal_gain
    if difference < 0:
        gain = rules.upset_gain
    elif difference > 0:
        gain = rules.favourite_gain
    return min(int(gain), top_of_track(rules) - track)


@inlined
def stripes_lost(rules: np.record, track: int, other: int) -> int:
    """Return the stripes that a fighter on `track` loses when beaten by one on `other`."""
    difference = belt(rules, track) - belt(rules, other)
    loss = rules.equal_loss
    if difference > 0:
        loss = rules.upset_loss
    elif difference < 0:
        loss = rules.favourite_loss
    return min(int(loss), track)


@kernel
def change_track(rules: np.record, table: np.record, seat: int, stripes: int, why: int) -> None:
    """Move a seat on the track by `stripes`, never below 0 nor above the top."""
    if stripes == 0:
        return
    before = table.track[seat]
    after = min(max(before + stripes, 0), top_of_track(rules))
    table.track[seat] = after
    table.seat_best[seat] = max(table.seat_best[seat], after)
    table.track_moved = 1
    note(table, log.TRACK, seat, before, after, why)


@kernel
def pay_fatica(rules: np.record, table: np.record, seat: int, squares: int) -> None:
    """Take the stripes that so many Fatica squares cost, as far as there are any.

    A told play pays one square at a time.
    """
    if rules.fatica_cost == 0:
        return
    before = table.track[seat]
    after = max(before - squares * rules.fatica_cost, 0)
    if after != before:
        table.track[seat] = after
        table.seat_fatica[seat] += before - after
        table.track_moved = 1
    note(table, log.FATICA_PAID, seat, before, after)


@kernel
def allenamento(rules: np.record, table: np.record, seat: int) -> None:
    """Give the stripes of an Allenamento square."""
    change_track(rules, table, seat, rules.allenamento_gain, WHY_ALLENAMENTO)


# Pawns


@inlined
def lift(table: np.record, seat: int) -> None:
    """Take a seat's pawn off its square."""
    square = table.at[seat]
    table.pawns[square] &= ~(1 << seat)
    table.square_rest[square] += table.turns - 1 - table.since[seat]


@inlined
def set_down(table: np.record, seat: int, square: int) -> None:
    """Put a seat's lifted pawn on a square."""
    table.pawns[square] |= 1 << seat
    table.at[seat] = square
    table.since[seat] = table.turns - 1


@inlined
def displace(table: np.record, seat: int, square: int) -> None:
    """Move a standing pawn without walking."""
    lift(table, seat)
    set_down(table, seat, square)


@inlined
def others_on(table: np.record, seat: int, square: int) -> int:
    """Return the seats other than `seat` that stand on a square."""
    return int(table.pawns[square]) & ~(1 << seat)


@inlined
def fightable(table: np.record, seat: int) -> int:
    """Return the seats that `seat` may fight: nobody in the first round, no meditating pawn."""
    if table.peace:
        return 0
    return int(table.everyone) & ~int(table.meditating) & ~(1 << seat)


@inlined
def in_safe_room(maze: np.record, table: np.record, seat: int) -> bool:
    """Tell whether a seat's pawn stands in a Safe Room."""
    return bool(maze.room[table.at[seat]] >= 0)


# The deck


@kernel
def discard(table: np.record, card: int) -> None:
    """Put a card on the discard pile, face up."""
    table.discard[table.discard_size] = card
    table.discard_size += 1
    table.face_up[card] += 1


@kernel
def discard_unseen(table: np.record, card: int) -> None:
    """Put a card on the discard pile, face down."""
    discard(table, card)
    table.face_up[card] -= 1


@kernel
def hide_discards(table: np.record) -> None:
    """Forget which cards lie in the discard pile: they are taken up, or a play begins."""
    table.discard_size = 0
    for card in range(len(table.face_up)):
        table.face_up[card] = 0


@kernel
def shuffle_deck(table: np.record) -> None:
    """Shuffle the deck (Fisher and Yates), from the deck's own stream."""
    for k in range(table.deck_size - 1, 0, -1):
        other = below(next_word(table.streams, DECK_STREAM), k + 1)
        card = table.deck[k]
        table.deck[k] = table.deck[other]
        table.deck[other] = card


@kernel
def reshuffle(table: np.record) -> None:
    """Make the shuffled discard pile the deck."""
    table.deck_size = table.discard_size
    for k in range(table.discard_size):
        table.deck[k] = table.discard[k]
    hide_discards(table)
    if table.scripted:
        _deal_scripted(table)
    else:
        shuffle_deck(table)
    note_deck(table, log.RESHUFFLE)


@kernel
def _deal_scripted(table: np.record) -> None:
    """Put the deck into the order that the script deals, top first."""
    size = table.deck_size
    if table.script_deals_next + size > table.script_deals_count:
        blame(table, NO_DEAL, table.script_deals_next)
        return
    for k in range(size):
        table.deck[size - 1 - k] = table.script_deals[table.script_deals_next + k]
    table.script_deals_next += size


@kernel
def note_deck(table: np.record, code: int) -> None:
    """Write the deck down, top first, when somebody listens."""
    if table.telling:
        size = table.deck_size
        note_list(table, code, NIL, NIL, NIL, table.deck[:size][::-1], size)
