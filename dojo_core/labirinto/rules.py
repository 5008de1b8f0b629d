"""The rules of a turn. One function a rule, named as the rulebook names it.

play_turn
  movement                 once, and again for Tsugi-ashi
    walk                   the roll, step by step
      enter                a step: Fatica, then the fights of walking in
    extra_steps            Meditazione: off a square with a pawn that cannot be fought
    square_effect          Tatami ... Sfida
      tunnel, draw_card ...
    final_exam             after a step into the Dojo
  kumite                   however it began
    bout                   dice, Tecnica, totals
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel, whole
from dojo_core.labirinto import log
from dojo_core.labirinto.drawn import BITS_OF_WAY, LOWEST_WAY, STEP_BY_STEP, fatica_of, steps_of
from dojo_core.labirinto.log import note, note_kumite, note_list, note_result
from dojo_core.labirinto.players import choose_step, choose_walk, decide, draw_walk
from dojo_core.labirinto.table import (
    allenamento,
    belt,
    change_track,
    dice_stream,
    discard,
    discard_unseen,
    displace,
    fightable,
    in_safe_room,
    is_brown,
    kumite_stream,
    lift,
    others_on,
    pay_fatica,
    reshuffle,
    roll_die,
    set_down,
)
from dojo_core.labirinto.tables import (
    ALLENAMENTO,
    ALLENAMENTO_INTENSIVO,
    AT_DOJO,
    ATTACKER,
    BEATEN,
    BOXED_IN,
    BY_EXAM,
    BY_EXTRA,
    BY_SEGRETO,
    BY_SFIDA,
    BY_TUNNEL,
    BY_WALK,
    COLPO_PROIBITO,
    DECLINED,
    DEFENDER,
    DEFENDER_SIDE,
    DONE,
    FATICA,
    FOR_IRIMI,
    FOR_SFIDA,
    GOES_ON,
    IRIMI,
    KAESHI,
    KEEP,
    KIAI,
    MEDITAZIONE,
    NEBBIA,
    NIL,
    NO_CARD,
    NOBODY,
    NOWHERE,
    ORDER,
    PASSO_FALSO,
    PASSO_FALSO_CARD,
    PESO_CINTURA,
    PLACE,
    RANDOM,
    SEGRETO,
    SENSEI_OSSERVA,
    SFIDA,
    SFIDA_CARD,
    TAKE_TUNNEL,
    TARGET,
    TECNICA,
    TSUGI_ASHI,
    TUNNEL,
    TUNNEL_SEGRETO,
    UKE,
    WANDERER,
    WHY_COLPO,
    WHY_EXAM,
    WHY_INTENSIVO,
    WHY_KUMITE,
    WHY_PESO,
    WHY_SENSEI,
)
from dojo_core.labirinto.walks import Tree, begin_walk, in_reach, legal_steps, single_steps


@kernel
def two_options(table: np.record, first: int, second: int) -> int:
    """Put two options on the table; return how many that is."""
    table.options[0] = first
    table.options[1] = second
    return 2


# Kumite


@kernel
def play_tecnica(rules: np.record, table: np.record, maze: np.record, side: int) -> int:
    """Ask a fighter that holds a Tecnica whether to play it; return the card or NO_CARD.

    `side` is ATTACKER or DEFENDER_SIDE. The caller tells the `tecnica` event.
    """
    seat = table.fighter[side]
    card = table.hand[seat]
    if card == NO_CARD:
        return NO_CARD
    if decide(rules, maze, table, TECNICA, seat, two_options(table, NO_CARD, card)) == 0:
        return NO_CARD
    table.hand[seat] = NO_CARD
    table.played[card] += 1
    discard(table, card)
    if card == KIAI:
        table.bonus[side] += rules.kiai
    elif card == UKE:
        table.uke |= 1 << seat
    return int(card)


@kernel
def reroll(rules: np.record, table: np.record, side: int) -> int:
    """Kaeshi: roll a fighter's die again; the new value stands."""
    table.die[side] = roll_die(table, kumite_stream(table.fighter[side]), rules.kumite_die_faces)
    return int(table.die[side])


@kernel
def tecnica_window(rules: np.record, maze: np.record, table: np.record) -> None:
    """Kumite 3: the attacker may play a Tecnica, then the defender, both dice in sight."""
    attacker_held = table.hand[table.fighter[0]] != NO_CARD
    defender_held = table.hand[table.fighter[1]] != NO_CARD
    attacker_reroll = 0
    defender_reroll = 0
    attacker_card = play_tecnica(rules, table, maze, ATTACKER)
    if rules.kaeshi_timing == 0:
        if attacker_card == KAESHI:
            attacker_reroll = reroll(rules, table, ATTACKER)
        if attacker_held:
            note(table, log.TECNICA_SHOWN, table.fighter[0], attacker_card, attacker_reroll)
    defender_card = play_tecnica(rules, table, maze, DEFENDER_SIDE)
    if rules.kaeshi_timing == 1:
        if attacker_card == KAESHI:
            attacker_reroll = reroll(rules, table, ATTACKER)
        if attacker_held:
            note(table, log.TECNICA_SHOWN, table.fighter[0], attacker_card, attacker_reroll)
    if defender_card == KAESHI:
        defender_reroll = reroll(rules, table, DEFENDER_SIDE)
    if defender_held:
        note(table, log.TECNICA_SHOWN, table.fighter[1], defender_card, defender_reroll)


@kernel
def bout(
    rules: np.record, maze: np.record, table: np.record, square: int, kind: int, number: int
) -> bool:
    """Kumite 1 to 5: dice, Tecnica, totals. Return whether the attacker wins.

    The fighters and their belts' bonuses are on the table; Tecnica add to these.
    """
    attacker = table.fighter[0]
    defender = table.fighter[1]
    table.die[0] = roll_die(table, kumite_stream(attacker), rules.kumite_die_faces)
    table.die[1] = roll_die(table, kumite_stream(defender), rules.kumite_die_faces)
    note_kumite(table, square, kind, number)
    tecnica_window(rules, maze, table)
    attack = table.die[0] + table.bonus[0]
    defence = table.die[1] + table.bonus[1]
    ties = rules.exam_ties if kind == BY_EXAM else rules.kumite_ties
    won = attack > defence or (attack == defence and ties == 0)
    winner = attacker if won else defender
    note_result(table, log.KUMITE_RESULT, attack, defence, winner, NIL, NIL)
    return won


@kernel
def belt_bonuses(rules: np.record, table: np.record, attacker: int, defender: int) -> None:
    """Kumite 2: the higher belt adds points for each belt of difference, up to the cap."""
    difference = belt(rules, table.track[attacker]) - belt(rules, table.track[defender])
    points = min(abs(difference) * rules.belt_bonus, rules.bonus_cap)
    table.bonus[0] = points if difference > 0 else 0
    table.bonus[1] = points if difference < 0 else 0


@kernel
def consequences(
    rules: np.record, table: np.record, winner: int, loser: int, difference: int
) -> None:
    """Consequences: what the winner gains and the loser loses, by belts before the fight.

    `difference` is the winner's belt less the loser's.
    """
    gain = rules.equal_gain
    loss = rules.equal_loss
    if difference < 0:
        gain = rules.upset_gain
        loss = rules.upset_loss
        table.kumite_upset += 1
    elif difference > 0:
        gain = rules.favourite_gain
        loss = rules.favourite_loss
        table.kumite_favourite += 1
    else:
        table.kumite_equal += 1
    change_track(rules, table, winner, gain, WHY_KUMITE)
    change_track(rules, table, loser, -loss, WHY_KUMITE)


@kernel
def send_to_start(rules: np.record, maze: np.record, table: np.record, seat: int) -> int:
    """Safe areas: choose any square of the own Safe Room. Return it; the caller moves the pawn."""
    corner = table.corner[seat]
    count = maze.room_size[corner]
    for k in range(count):
        table.options[k] = maze.room_squares[corner, k]
    to = table.options[decide(rules, maze, table, PLACE, seat, count)]
    table.seat_starts[seat] += 1
    note(table, log.START, seat, to)
    return int(to)


@kernel
def kumite(
    rules: np.record,
    maze: np.record,
    table: np.record,
    attacker: int,
    defender: int,
    square: int,
    kind: int,
    retreat: int,
) -> bool:
    """Fight a Kumite on `square`; return whether the attacker wins.

    A beaten defender is sent to Start, or stays when Uke saves it (then it is in ``table.spared``).
    A beaten attacker's lifted pawn is set down: in its Safe Room, or on `retreat` with Uke.
    """
    difference = belt(rules, table.track[attacker]) - belt(rules, table.track[defender])
    table.fighter[0] = attacker
    table.fighter[1] = defender
    table.uke = 0
    table.exam = 0
    belt_bonuses(rules, table, attacker, defender)
    won = bout(rules, maze, table, square, kind, NIL + 1)
    table.kumite += 1
    table.square_fights[square] += 1
    if won:
        table.kumite_attacker += 1
        table.seat_attacks_won[attacker] += 1
        table.seat_defences_lost[defender] += 1
        consequences(rules, table, attacker, defender, difference)
        beaten_defender(rules, maze, table, defender)
    else:
        table.seat_attacks_lost[attacker] += 1
        table.seat_defences_won[defender] += 1
        consequences(rules, table, defender, attacker, -difference)
        beaten_attacker(rules, maze, table, attacker, square, retreat)
    return won


@kernel
def beaten_defender(rules: np.record, maze: np.record, table: np.record, seat: int) -> None:
    """Uke keeps a losing defender on its square; otherwise it is sent to Start."""
    square = table.at[seat]
    if table.uke >> seat & 1:
        table.spared |= 1 << seat
        table.uke_saves += 1
        note(table, log.UKE_SAVED, seat, square)
        return
    table.square_sends[square] += 1
    displace(table, seat, send_to_start(rules, maze, table, seat))


@kernel
def beaten_attacker(
    rules: np.record, maze: np.record, table: np.record, seat: int, square: int, retreat: int
) -> None:
    """Uke takes a losing attacker back to `retreat`; otherwise it is sent to Start."""
    if table.uke >> seat & 1:
        table.uke_saves += 1
        note(table, log.UKE_SAVED, seat, retreat)
        set_down(table, seat, retreat)
        return
    table.square_sends[square] += 1
    set_down(table, seat, send_to_start(rules, maze, table, seat))


@kernel
def fight_everyone(
    rules: np.record, maze: np.record, table: np.record, square: int, kind: int, retreat: int
) -> bool:
    """Fight all fightable opponents on a square, the attacker choosing the order (reading 20).

    Returns whether the attacker, whose pawn is lifted, is still standing.
    """
    seat = table.seat
    while True:
        foes = others_on(table, seat, square) & fightable(table, seat) & ~int(table.spared)
        if foes == 0:
            return True
        defender = next_foe(rules, maze, table, foes)
        if not kumite(rules, maze, table, seat, defender, square, kind, retreat):
            return False


@kernel
def next_foe(rules: np.record, maze: np.record, table: np.record, foes: int) -> int:
    """Choose whom to fight next among the seats of a mask; a single one needs no choice."""
    count = seats_of(table, foes)
    if count == 1:
        return int(table.options[0])
    return int(table.options[decide(rules, maze, table, ORDER, table.seat, count)])


@kernel
def seats_of(table: np.record, mask: int) -> int:
    """Fill ``table.options`` with the seats of a mask; return how many."""
    count = 0
    for seat in range(table.seats):
        if mask >> seat & 1:
            table.options[count] = seat
            count += 1
    return count


# Walking


@inlined
def dojo_open(rules: np.record, table: np.record) -> bool:
    """Tell whether the Dojo is open for the moving pawn: a Brown belt at this moment."""
    return is_brown(rules, table.track[table.seat]) and not table.shut


@kernel
def enter(
    rules: np.record, maze: np.record, table: np.record, square: int, node: int, kind: int
) -> int:
    """Step onto a square: Fatica, then its fights (Turn 3 and 4). Return how the movement stands.

    `kind` is BY_WALK or BY_EXTRA.
    """
    seat = table.seat
    previous = table.path[table.path_length - 1]
    table.path[table.path_length] = square
    table.path_length += 1
    table.node = node
    table.at[seat] = square
    table.steps += 1
    table.square_steps[square] += 1
    extra = 1 if kind == BY_EXTRA else 0
    table.extra_steps += extra
    note(table, log.STEP, seat, square, table.remaining, extra)
    if maze.entrance[previous] == square:
        return AT_DOJO
    if maze.code[square] == FATICA and rules.fatica_stop_only == 0:
        walk_onto_fatica(rules, table, extra)
    if table.pawns[square] == 0 or maze.room[square] >= 0:
        return GOES_ON
    retreat = previous if rules.uke_retreat == 0 else table.origin
    fights_before = table.kumite
    standing = fight_everyone(rules, maze, table, square, kind, retreat)
    if table.kumite != fights_before:
        table.plan_length = 0
    return GOES_ON if standing else BEATEN


@kernel
def walk_onto_fatica(rules: np.record, table: np.record, extra: int) -> None:
    """Turn 4: every Fatica square stepped onto costs; below Brown the Dojo closes at once."""
    if extra == 1 and rules.extra_step_fatica == 1:
        return
    seat = table.seat
    was_brown = is_brown(rules, table.track[seat])
    pay_fatica(rules, table, seat, NIL + 1)
    if rules.dojo_latch == 1 and was_brown and not is_brown(rules, table.track[seat]):
        table.shut = 1


@inlined
def add_entrance(rules: np.record, maze: np.record, table: np.record, count: int) -> int:
    """Add the step into the Dojo to the options, when it is open here; return how many."""
    dojo = maze.entrance[table.path[table.path_length - 1]]
    if dojo != NOWHERE and dojo_open(rules, table):
        table.options[count] = dojo
        table.option_nodes[count] = NOWHERE
        return count + 1
    return count


@kernel
def walk(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> int:
    """Turn 2 and 3: walk what was rolled, step by step. Return how the movement stands.

    ``table.why`` tells why a walk that goes on to its square effect is over.
    """
    table.why = DONE
    if walked_at_once(rules, maze, tree, table):
        return GOES_ON
    while table.remaining > 0:
        longer = legal_steps(maze, tree, table)
        count = add_entrance(rules, maze, table, longer)
        note_list(table, log.LEGAL, table.seat, NIL, NIL, table.options, count)
        if longer == 0:
            table.why = BOXED_IN
            if count == 0:
                return GOES_ON
        # With nothing but the Dojo left a Brown may also stop (reading 6).
        chosen = choose_step(rules, maze, tree, table, count, longer == 0)
        if chosen == NOWHERE:
            table.why = DECLINED
            return GOES_ON
        table.remaining -= 1
        state = enter(
            rules, maze, table, table.options[chosen], table.option_nodes[chosen], BY_WALK
        )
        if state != GOES_ON:
            return state
    return GOES_ON


@kernel
def walked_at_once(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> bool:
    """Walk the whole roll at once where nothing but Fatica happens on the way.

    The steps are the same as one by one, without looking around. Returns whether it was done. A
    Brown belt might enter the Dojo; a told or scripted play is walked step by step.
    """
    seat = table.seat
    start = table.origin & 63
    if table.telling or table.scripted or table.node == NOWHERE:
        return False
    if table.player[seat] == WANDERER or is_brown(rules, table.track[seat]):
        return False
    if table.player[seat] == RANDOM:
        drawn = maze.drawn[start, table.remaining]
        if drawn != STEP_BY_STEP:
            return walked_as_drawn(rules, maze, tree, table, drawn)
    if tree.nodes[table.node].longest == 0:
        return False
    if in_reach(maze, table, int(table.everyone) & ~(1 << seat)):
        return False
    walk_as_chosen(rules, maze, tree, table)
    return True


@inlined
def walked_as_drawn(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, entry: np.uint64
) -> bool:
    """Draw the whole walk; walk it unless a pawn stands on it. Return whether it was walked.

    Otherwise the steps are drawn one by one with the same word. Of the path only its end is kept:
    nothing looks back on a walk that met nobody.
    """
    drawn = draw_walk(tree, table, entry)
    if drawn == NOWHERE:
        return False
    walk = tree.walks[drawn]
    steps = steps_of(entry)
    square, pawns = count_steps(maze, table, walk, steps, NIL + 1)
    if pawns != 0:
        count_steps(maze, table, walk, steps, NIL - 1)
        return False
    table.path[steps] = square
    table.path_length = steps + 1
    arrive(rules, table, square, steps, fatica_of(walk))
    return True


@inlined
def count_steps(
    maze: np.record, table: np.record, walk: np.record, steps: int, times: int
) -> tuple[int, int]:
    """Count the steps of a drawn walk so many times; return its last square and whom it meets."""
    ways = np.uint64(walk.ways)
    square = np.uint64(table.origin)
    pawns = NIL
    for _ in range(steps):
        square = np.uint64(maze.onward[square, ways & LOWEST_WAY])
        ways >>= BITS_OF_WAY
        pawns |= table.pawns[square]
        table.square_steps[square] += times
    return whole(square), pawns


@kernel
def walk_as_chosen(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> None:
    """Choose the whole walk, and walk it."""
    fatica = choose_walk(rules, maze, tree, table)
    steps = int(table.path_length) - 1
    for k in range(steps):
        table.square_steps[table.path[k + 1]] += 1
    arrive(rules, table, table.path[steps], steps, fatica)


@inlined
def arrive(rules: np.record, table: np.record, square: int, steps: int, fatica: int) -> None:
    """Stand at the end of a walk, on `square`, and pay for its Fatica squares all at once."""
    table.at[table.seat] = square
    table.steps += steps
    remaining = int(table.remaining) - steps
    table.remaining = remaining
    if remaining > 0:
        table.why = BOXED_IN
    if fatica > 0 and rules.fatica_stop_only == 0:
        pay_fatica(rules, table, table.seat, fatica)


@kernel
def extra_steps(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> int:
    """Meditazione: while the pawn would end beside a pawn it cannot fight, take an extra step.

    Returns how the movement stands; ``table.why`` becomes BOXED_IN when the pawn has to stay, and
    DECLINED when nothing but the Dojo was left and it does not enter.
    """
    seat = table.seat
    while True:
        square = table.path[table.path_length - 1]
        if others_on(table, seat, square) == 0 or maze.room[square] >= 0:
            return GOES_ON
        walkable = single_steps(maze, table)
        count = walkable
        if rules.extra_step_dojo == 0:
            count = add_entrance(rules, maze, table, count)
        note_list(table, log.LEGAL, seat, NIL, NIL, table.options, count)
        if count == 0:
            table.why = BOXED_IN
            return GOES_ON
        table.plan_length = 0
        chosen = choose_step(rules, maze, tree, table, count, walkable == 0)
        if chosen == NOWHERE:
            table.why = DECLINED
            return GOES_ON
        state = enter(rules, maze, table, table.options[chosen], NOWHERE, BY_EXTRA)
        if state != GOES_ON:
            return state


@kernel
def movement(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> bool:
    """One full move, from its roll to its square's effect. Return whether another one follows."""
    seat = table.seat
    total = 0
    for die in range(rules.dice):
        table.options[die] = roll_die(table, dice_stream(seat), rules.die_faces)
        total += table.options[die]
    note_list(table, log.ROLL, seat, NIL, NIL, table.options, rules.dice)
    begin_walk(maze, table, table.at[seat], total)
    table.spared = 0
    table.shut = 0
    table.plan_length = 0
    lift(table, seat)
    state = walk(rules, maze, tree, table)
    stays = False
    if table.why != DONE:
        table.boxed_in += 1 if state == GOES_ON else 0
    elif state == GOES_ON:
        state = extra_steps(rules, maze, tree, table)
        stays = table.why == BOXED_IN
        table.why = DONE if stays else table.why
    if state == BEATEN:
        return False
    square = table.path[table.path_length - 1]
    if state == AT_DOJO:
        final_exam(rules, maze, table, table.path[table.path_length - 2])
        return False
    set_down(table, seat, square)
    table.spared = 0
    table.square_stops[square] += 1
    note(table, log.STOP, seat, table.remaining, table.why)
    if stays and rules.shared_square == 1:
        return False
    return square_effect(rules, maze, tree, table, square)


# Squares


@kernel
def square_effect(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, square: int
) -> bool:
    """Turn 5: resolve the square stopped on. Return whether another full move follows."""
    seat = table.seat
    code = maze.code[square]
    note(table, log.SQUARE, seat, code)
    if code == ALLENAMENTO:
        allenamento(rules, table, seat)
    elif code == FATICA and rules.fatica_stop_only == 1:
        pay_fatica(rules, table, seat, NIL + 1)
    elif code == NEBBIA:
        return draw_card(rules, maze, tree, table)
    elif code == TUNNEL:
        tunnel(rules, maze, tree, table)
    elif code == PASSO_FALSO:
        passo_falso(table, 0)
    elif code == SFIDA:
        sfida(rules, maze, table)
    return False


@kernel
def passo_falso(table: np.record, by_card: int) -> None:
    """Return to the square where this move started."""
    note(table, log.PASSO_FALSO_BACK, table.seat, table.origin, by_card)
    displace(table, table.seat, table.origin)


@inlined
def usable_exit(table: np.record, seat: int, square: int) -> bool:
    """Tell whether every pawn on a tunnel's exit can be fought (reading 54)."""
    return others_on(table, seat, square) & ~fightable(table, seat) == 0


@kernel
def tunnel(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> None:
    """Tunnel: the only effect that may be refused."""
    seat = table.seat
    here = table.at[seat]
    to = maze.link[here]
    taken = 0
    if usable_exit(table, seat, to):
        taken = decide(rules, maze, table, TAKE_TUNNEL, seat, two_options(table, NIL, NIL + 1))
    if taken == 0:
        note(table, log.TELEPORT, seat, 0, here, NOWHERE)
        return
    table.tunnels += 1
    note(table, log.TELEPORT, seat, 0, here, to)
    teleport(rules, maze, tree, table, to, BY_TUNNEL)


@kernel
def teleport(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, to: int, kind: int
) -> None:
    """Arrive at a tunnel's exit: fight whoever is there; the square has no effect."""
    seat = table.seat
    here = table.at[seat]
    lift(table, seat)
    table.at[seat] = to
    table.spared = 0
    if not fight_everyone(rules, maze, table, to, kind, here):
        return
    if table.spared == 0 or rules.tunnel_uke == 0:
        set_down(table, seat, to)
    elif rules.tunnel_uke == 2:
        note(table, log.UKE_SAVED, seat, here)
        set_down(table, seat, here)
    else:
        step_off_exit(rules, maze, tree, table, to)


@kernel
def step_off_exit(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, exit_square: int
) -> None:
    """Ruling 55's second reading: extra steps from the exit, the square reached without effect."""
    seat = table.seat
    begin_walk(maze, table, exit_square, NIL)
    table.why = DONE
    state = extra_steps(rules, maze, tree, table)
    if state == GOES_ON:
        square = table.path[table.path_length - 1]
        set_down(table, seat, square)
        table.square_stops[square] += 1
        note(table, log.STOP, seat, 0, DECLINED if table.why == DECLINED else DONE)
    elif state == AT_DOJO:
        final_exam(rules, maze, table, table.path[table.path_length - 2])


@kernel
def exposed_targets(maze: np.record, table: np.record, mask: int) -> int:
    """Fill ``table.options`` with the seats of a mask outside Safe Rooms; return how many."""
    count = 0
    for seat in range(table.seats):
        if mask >> seat & 1 and maze.room[table.at[seat]] < 0:
            table.options[count] = seat
            count += 1
    return count


@kernel
def choose_target(rules: np.record, maze: np.record, table: np.record, mask: int, why: int) -> int:
    """Choose an opponent outside Safe Rooms among the seats of a mask; NOBODY without one."""
    seat = table.seat
    count = exposed_targets(maze, table, mask)
    chosen = NOBODY
    if count > 0:
        table.target_for = why
        chosen = table.options[decide(rules, maze, table, TARGET, seat, count)]
    note(table, log.TARGETED, seat, why, chosen)
    return int(chosen)


@kernel
def sfida(rules: np.record, maze: np.record, table: np.record) -> None:
    """Sfida, square or card: fight an opponent at any distance; nobody walks."""
    seat = table.seat
    target = choose_target(rules, maze, table, fightable(table, seat), FOR_SFIDA)
    if target == NOBODY:
        return
    here = table.at[seat]
    lift(table, seat)
    if kumite(rules, maze, table, seat, target, here, BY_SFIDA, here):
        set_down(table, seat, here)


# Nebbia del Dojo


@kernel
def draw_card(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> bool:
    """Draw a Nebbia card and resolve it. Return whether another full move follows."""
    seat = table.seat
    if table.deck_size == 0 and table.discard_size > 0:
        reshuffle(table)
    if table.deck_size == 0:
        note(table, log.DRAW, seat, NO_CARD)
        return False
    table.deck_size -= 1
    card = table.deck[table.deck_size]
    table.drawn[card] += 1
    table.seat_cards[seat] += 1
    note(table, log.DRAW, seat, card)
    if rules.reshuffle == 1 and table.deck_size == 0 and table.discard_size > 0:
        reshuffle(table)
    if card <= KAESHI:
        keep_tecnica(rules, maze, table, card)
        return False
    discard(table, card)
    return resolve_card(rules, maze, tree, table, card)


@kernel
def keeps_held(rules: np.record, maze: np.record, table: np.record, held: int, card: int) -> bool:
    """Ask which of two Tecnica to keep; tell whether it is the one held before."""
    return decide(rules, maze, table, KEEP, table.seat, two_options(table, held, card)) == 0


@kernel
def keep_tecnica(rules: np.record, maze: np.record, table: np.record, card: int) -> None:
    """Hold at most one Tecnica: with a second, keep one and discard the other face down."""
    seat = table.seat
    held = table.hand[seat]
    table.hand[seat] = card
    if held == NO_CARD:
        return
    dropped = held
    if held != card and keeps_held(rules, maze, table, held, card):
        table.hand[seat] = held
        dropped = card
    discard_unseen(table, dropped)
    note(table, log.KEPT, seat, table.hand[seat], dropped)


@kernel
def resolve_card(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, card: int
) -> bool:
    """Resolve a card that is not a Tecnica. Return whether another full move follows."""
    seat = table.seat
    if card == TSUGI_ASHI:
        return True
    if card == TUNNEL_SEGRETO:
        tunnel_segreto(rules, maze, tree, table)
    elif card == IRIMI:
        irimi(rules, maze, table)
    elif card == SFIDA_CARD:
        sfida(rules, maze, table)
    elif card == SENSEI_OSSERVA:
        event_for(rules, maze, table, -1, rules.sensei_gain, WHY_SENSEI)
    elif card == PESO_CINTURA:
        event_for(rules, maze, table, 1, -rules.peso_loss, WHY_PESO)
    elif card == ALLENAMENTO_INTENSIVO:
        change_track(rules, table, seat, rules.intensivo_gain, WHY_INTENSIVO)
    elif card == COLPO_PROIBITO:
        change_track(rules, table, seat, -rules.colpo_loss, WHY_COLPO)
    elif card == PASSO_FALSO_CARD:
        passo_falso(table, 1)
    elif card == MEDITAZIONE:
        table.meditating |= 1 << seat
        note(table, log.MEDITATE, seat)
    return False


@kernel
def tunnel_segreto(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> None:
    """Teleport to a Tunnel of your choice, any on the board whose pawns can all be fought."""
    seat = table.seat
    here = table.at[seat]
    count = 0
    for k in range(maze.tunnel_count):
        if usable_exit(table, seat, maze.tunnels[k]):
            table.options[count] = maze.tunnels[k]
            count += 1
    if count == 0:
        note(table, log.TELEPORT, seat, 1, here, NOWHERE)
        return
    to = table.options[decide(rules, maze, table, SEGRETO, seat, count)]
    note(table, log.TELEPORT, seat, 1, here, to)
    teleport(rules, maze, tree, table, to, BY_SEGRETO)


@kernel
def irimi(rules: np.record, maze: np.record, table: np.record) -> None:
    """Swap places with an opponent outside Safe Rooms; in the first round too."""
    seat = table.seat
    reachable = int(table.everyone) & ~int(table.meditating) & ~(1 << seat)
    other = choose_target(rules, maze, table, reachable, FOR_IRIMI)
    if other == NOBODY:
        return
    here = table.at[seat]
    there = table.at[other]
    displace(table, seat, there)
    displace(table, other, here)
    note(table, log.SWAP, seat, other, there, here)


@kernel
def event_for(
    rules: np.record, maze: np.record, table: np.record, end: int, stripes: int, why: int
) -> None:
    """An event for all who are highest (`end` 1) or lowest (-1) on the track."""
    reached = int(table.everyone)
    if rules.event_reach == 1:
        reached = outside_and_awake(maze, table, reached)
    extreme = -1000
    for seat in range(table.seats):
        if reached >> seat & 1:
            extreme = max(extreme, end * table.track[seat])
    concerned = 0
    for seat in range(table.seats):
        if reached >> seat & 1 and end * table.track[seat] == extreme:
            concerned |= 1 << seat
    for seat in range(table.seats):
        if concerned >> seat & 1:
            change_track(rules, table, seat, stripes, why)


@kernel
def outside_and_awake(maze: np.record, table: np.record, mask: int) -> int:
    """Return the seats of a mask that stand outside Safe Rooms and do not meditate."""
    mask &= ~int(table.meditating)
    for seat in range(table.seats):
        if in_safe_room(maze, table, seat):
            mask &= ~(1 << seat)
    return mask


# Final Exam


@kernel
def call_defender(rules: np.record, maze: np.record, table: np.record) -> int:
    """The opponent highest on the track defends; the challenger chooses among equals."""
    seat = table.seat
    able = int(table.everyone) & ~int(table.meditating) & ~(1 << seat)
    if table.peace:
        able = 0
    if rules.exam_defender == 1:
        able = outside_and_awake(maze, table, able)
    highest = -1
    for other in range(table.seats):
        if able >> other & 1:
            highest = max(highest, table.track[other])
    if highest < 0:
        return NOBODY
    count = 0
    for other in range(table.seats):
        if able >> other & 1 and table.track[other] == highest:
            table.options[count] = other
            count += 1
    return int(table.options[decide(rules, maze, table, DEFENDER, seat, count)])


@kernel
def exam_bonuses(rules: np.record, table: np.record, challenger: int, defender: int) -> None:
    """The defender fights as a Black belt, one above Brown (or with its own belt)."""
    if rules.exam_own_belt == 1:
        belt_bonuses(rules, table, challenger, defender)
    else:
        table.bonus[0] = 0
        table.bonus[1] = rules.exam_bonus


@kernel
def final_exam(rules: np.record, maze: np.record, table: np.record, outside: int) -> None:
    """Final Exam: the challenger, whose pawn is lifted, came in from the square `outside`."""
    seat = table.seat
    dojo = table.at[seat]
    defender = call_defender(rules, maze, table)
    note(table, log.EXAM, seat, defender, outside)
    if defender == NOBODY:
        table.exams_refused += 1
        set_down(table, seat, outside)
        return
    table.exams_started += 1
    table.seat_exams[seat] += 1
    table.seat_exam_defences[defender] += 1
    table.fighter[0] = seat
    table.fighter[1] = defender
    table.uke = 0
    table.exam = 1
    won = 0
    lost = 0
    while won < rules.exam_wins and lost < rules.exam_wins:
        exam_bonuses(rules, table, seat, defender)
        table.exam_bouts += 1
        if bout(rules, maze, table, dojo, BY_EXAM, won + lost + 1):
            won += 1
        else:
            lost += 1
    passed = won == rules.exam_wins
    saved = 0 if passed else int(table.uke) >> seat & 1
    cost = 0 if passed else rules.exam_fail_cost
    note_result(table, log.EXAM_RESULT, won, lost, 1 if passed else 0, cost, saved)
    if passed:
        table.exams_won += 1
        table.winner = seat
        set_down(table, seat, dojo)
    else:
        change_track(rules, table, seat, -cost, WHY_EXAM)
        beaten_attacker(rules, maze, table, seat, dojo, outside)


# Turns


@kernel
def play_turn(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> None:
    """Play the turn of ``table.seat`` and pass on to the next seat."""
    seat = table.seat
    turn = table.turns + 1
    table.turns = turn
    note(table, log.TURN, seat, turn)
    first_round = turn <= table.seats - rules.first_round_ends
    table.peace = 1 if first_round and rules.first_round_kumite == 0 else 0
    if table.meditating >> seat & 1:
        table.skipped += 1
        note(table, log.SKIP, seat)
        table.meditating &= ~(1 << seat)
    else:
        while movement(rules, maze, tree, table):
            pass
    end_turn(rules, table)


@kernel
def end_turn(rules: np.record, table: np.record) -> None:
    """Keep the books of a turn that is over, and pass on to the next seat."""
    if table.track_moved:
        table.track_moved = 0
        follow_lead(table)
    if table.turns % table.seats == 0:
        completed = table.turns // table.seats - 1
        for seat in range(table.seats):
            table.history[completed, seat] = table.track[seat]
    table.seat = (table.seat + 1) % table.seats
    if table.winner != NOBODY or table.turns == table.seats * rules.max_rounds:
        table.over = 1


@kernel
def follow_lead(table: np.record) -> None:
    """Count a lead change when a seat becomes sole leader that was not the last one."""
    highest = -1
    leader = NOBODY
    for seat in range(table.seats):
        if table.track[seat] > highest:
            highest = table.track[seat]
            leader = seat
        elif table.track[seat] == highest:
            leader = NOBODY
    if leader != NOBODY and leader != table.leader:
        if table.leader != NOBODY:
            table.lead_changes += 1
        table.leader = leader
