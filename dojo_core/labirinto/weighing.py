"""Players made of weights: every decision by what each answer is worth to its seat.

A worth is what the play would be worth to the seat when its movement is over: its stripes, its
square, what opponents may do to it before its next turn and what that turn offers. Walks with
fights on the way, Tunnels, cards and the Exam are weighed by expectation. How much each feature
counts is data: `table.weights`, a record a seat (see `features`).

Worths are in `CERTAIN`ths of a hundredth of a stripe and chances in `CERTAIN`ths, all whole
numbers, so that decisions are the same on every machine. What a seat may not see (an opponent's
card, the order of the deck) is never read: chances of cards come from the counts that everyone
knows (`unseen`).
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel, whole
from dojo_core.labirinto.crossings import is_met, mark_met
from dojo_core.labirinto.ends import keep_walks, kept_walk
from dojo_core.labirinto.greedy import (
    begin_choosing,
    fatica_price,
    foes_on_the_way,
    foresee_fights,
    height_after,
    keep_plan,
    last_taken,
    most_gained,
    plan_to,
    takes,
)
from dojo_core.labirinto.table import (
    fightable,
    is_brown,
    points_ahead,
    stripes_lost,
    stripes_won,
    top_of_track,
)
from dojo_core.labirinto.tables import (
    ALLENAMENTO,
    ALLENAMENTO_INTENSIVO,
    CERTAIN,
    COLPO_PROIBITO,
    DEFENDER,
    FATICA,
    FOR_SFIDA,
    KAESHI,
    KEEP,
    KIAI,
    MEDITAZIONE,
    MOST_KEPT,
    NEBBIA,
    NIL,
    NO_CARD,
    NOBODY,
    NOWHERE,
    ODDS_CENTRE,
    ORDER,
    PASSO_FALSO,
    PESO_CINTURA,
    PLACE,
    PLAIN,
    SEGRETO,
    SENSEI_OSSERVA,
    SFIDA,
    TAKE_TUNNEL,
    TARGET,
    TECNICA,
    TSUGI_ASHI,
    TUNNEL,
    UKE,
    WITH_KAESHI,
    WITH_KIAI,
)
from dojo_core.labirinto.walks import Tree, in_reach
from dojo_core.random_numbers import GAMMA, below, mix

# Where a walk's fights are weighed without a place of their own (extra steps).
FIRST = NIL + 1
NOT_YET = NIL - 1


# The track and the board


@inlined
def climb(table: np.record, seat: int, track: int) -> int:
    """Return what a track position is worth, in hundredths (`features.climb`)."""
    return whole(table.climb[seat, track])


@kernel
def place(
    rules: np.record, maze: np.record, table: np.record, seat: int, square: int, track: int
) -> int:
    """`delay`, `approach`, `prospect`: what a square is worth for where it leads."""
    weights = table.weights[seat]
    turns = table.turns_to_dojo[square & 63]
    if is_brown(rules, track):
        return int(-weights.delay * turns)
    promised = whole(table.promised[seat, square & 63])
    if weights.approach == 0:
        return promised
    return int(promised - weights.approach * turns * track // top_of_track(rules))


@kernel
def back_at_start(
    rules: np.record, maze: np.record, table: np.record, seat: int, whose: int, track: int
) -> int:
    """`start`: what it is worth to `seat` that `whose` pawn is sent to Start with that track."""
    room = maze.room_squares[table.corner[whose], 0]
    worth = climb(table, seat, track) - table.weights[seat].start
    return CERTAIN * int(worth) + place(rules, maze, table, seat, room, track)


@kernel
def denied(rules: np.record, maze: np.record, table: np.record, seat: int, foe: int) -> int:
    """`deny`: what beating an opponent is worth for what it loses."""
    share = table.weights[seat].deny
    if share == 0:
        return 0
    track = table.track[foe]
    now = CERTAIN * climb(table, seat, track)
    now += place(rules, maze, table, seat, table.at[foe], track)
    left = track - stripes_lost(rules, track, table.track[seat])
    loss = now - back_at_start(rules, maze, table, seat, foe, left)
    return int(loss * share // 100 * track // top_of_track(rules))


@inlined
def meeting(maze: np.record, start: int, square: int) -> int:
    """Return the chance that a roll from `start` has a full walk that steps onto a square."""
    return whole(maze.meeting[start & 63, (square - (start & 192)) & 255])


@kernel
def outlook(
    rules: np.record,
    maze: np.record,
    table: np.record,
    seat: int,
    square: int,
    track: int,
    here: int,
) -> int:
    """`exposure`, `prey`: what may happen from a square until the end of the own next move.

    `here` is what the square and the stripes are worth by themselves.
    """
    weights = table.weights[seat]
    exposed = weights.exposure if maze.room[square] < 0 else NIL
    if exposed == 0 and weights.prey == 0:
        return 0
    worth = 0
    for foe in range(table.seats):
        if foe == seat or table.meditating >> foe & 1:
            continue
        there = table.at[foe]
        duel = table.duels[seat, track, table.track[foe]]
        if not duel.known:
            foresee_duel(rules, maze, table, seat, track, table.track[foe])
        if exposed != 0 and duel.beaten != 0:
            comes = meeting(maze, there, square)
            attacked = (duel.beaten * (duel.sent - here) + duel.repelled) // CERTAIN
            worth += comes * attacked // CERTAIN * exposed // 100
        if weights.prey != 0 and maze.room[there] < 0:
            meets = meeting(maze, square, there)
            worth += meets * duel.stripes // CERTAIN * weights.stripe * weights.prey // 100
    return int(worth)


@kernel
def foresee_duel(
    rules: np.record, maze: np.record, table: np.record, seat: int, track: int, theirs: int
) -> None:
    """Reckon what a seat and an opponent, on these track positions, may do to each other.

    It depends on nothing else, so it is kept for all plays on this table (``duels``).
    """
    duel = table.duels[seat, track, theirs]
    duel.known = 1
    chance = table.odds[rules.kumite_ties, ODDS_CENTRE + points_ahead(rules, track, theirs)]
    stripes = chance * stripes_won(rules, track, theirs)
    stripes -= (CERTAIN - chance) * stripes_lost(rules, track, theirs)
    duel.stripes = max(stripes, NIL)
    chance = table.odds[rules.kumite_ties, ODDS_CENTRE + points_ahead(rules, theirs, track)]
    tempting = chance * stripes_won(rules, theirs, track)
    if tempting <= (CERTAIN - chance) * stripes_lost(rules, theirs, track):
        return
    duel.beaten = chance
    left = track - stripes_lost(rules, track, theirs)
    duel.sent = back_at_start(rules, maze, table, seat, seat, left)
    won = stripes_won(rules, track, theirs)
    gain = climb(table, seat, track + won) - climb(table, seat, track)
    duel.repelled = (CERTAIN - chance) * CERTAIN * gain


@kernel
def standing(
    rules: np.record, maze: np.record, table: np.record, seat: int, square: int, track: int
) -> int:
    """Return what it is worth to stand on a square with that track when the turn is over."""
    worth = CERTAIN * climb(table, seat, track)
    worth += place(rules, maze, table, seat, square, track)
    return worth + outlook(rules, maze, table, seat, square, track, worth)


# Cards


@kernel
def unseen(table: np.record, seat: int, card: int) -> int:
    """Return how many copies of a card a seat has not seen go, its own hand left out."""
    own = 1 if table.hand[seat] == card else 0
    return int(table.copies[card] - table.face_up[card] - own)


@kernel
def held(rules: np.record, table: np.record, seat: int, card: int) -> int:
    """`kiai`, `uke`, `kaeshi`, `saving`, `guard`: what holding a Tecnica is worth."""
    weights = table.weights[seat]
    worth = NIL
    if card == KIAI:
        worth = weights.kiai
    elif card == UKE:
        worth = weights.uke
    elif card == KAESHI:
        worth = weights.kaeshi
    saving = weights.saving * table.track[seat] // top_of_track(rules)
    worth = worth * (100 + saving) // 100
    if weights.guard != 0 and sort_of(card) != PLAIN:
        worth += weights.guard * guarded(rules, table, seat)
    return int(CERTAIN * worth)


@kernel
def guarded(rules: np.record, table: np.record, seat: int) -> int:
    """Return how many Brown belts would have the seat defend their Exam."""
    count = 0
    for challenger in range(table.seats):
        if challenger != seat and is_brown(rules, table.track[challenger]):
            called = True
            for other in range(table.seats):
                higher = table.track[other] > table.track[seat]
                called = called and (other == challenger or not higher)
            count += 1 if called else 0
    return count


@kernel
def drawing(rules: np.record, table: np.record, seat: int) -> int:
    """Return what drawing a Nebbia card is worth, by the cards that the seat has not seen."""
    weights = table.weights[seat]
    track = table.track[seat]
    highest = True
    lowest = True
    for other in range(table.seats):
        highest = highest and table.track[other] <= track
        lowest = lowest and table.track[other] >= track
    now = held(rules, table, seat, table.hand[seat])
    cards = 0
    worth = 0
    for card in range(len(table.copies)):
        count = unseen(table, seat, card)
        cards += count
        stripes = 0
        if card <= KAESHI:
            worth += count * max(held(rules, table, seat, card) - now, 0)
        elif card == TSUGI_ASHI:
            worth += count * CERTAIN * weights.again
        elif card == MEDITAZIONE:
            worth -= count * CERTAIN * weights.again
        elif card == SENSEI_OSSERVA and lowest:
            stripes = rules.sensei_gain
        elif card == PESO_CINTURA and highest:
            stripes = -rules.peso_loss
        elif card == ALLENAMENTO_INTENSIVO:
            stripes = rules.intensivo_gain
        elif card == COLPO_PROIBITO:
            stripes = -rules.colpo_loss
        if stripes != 0:
            after = min(max(track + stripes, 0), top_of_track(rules))
            change = climb(table, seat, after) - climb(table, seat, track)
            worth += count * CERTAIN * change
    return int(worth // max(cards, 1))


# Fights


@inlined
def sort_of(card: int) -> int:
    """Return what a card does to a fight's chances."""
    if card == KIAI:
        return WITH_KIAI
    return WITH_KAESHI if card == KAESHI else PLAIN


@kernel
def likely(table: np.record, seat: int, other: int, sort: int) -> int:
    """Return the chance, as `seat` knows, that an opponent's card is of that sort."""
    if table.hand[other] == NO_CARD or table.weights[seat].cards == 0:
        return CERTAIN if sort == PLAIN else NIL
    kiai = unseen(table, seat, KIAI)
    kaeshi = unseen(table, seat, KAESHI)
    all_kinds = max(kiai + kaeshi + unseen(table, seat, UKE), 1)
    if sort == WITH_KIAI:
        return kiai * CERTAIN // all_kinds
    if sort == WITH_KAESHI:
        return kaeshi * CERTAIN // all_kinds
    return CERTAIN - kiai * CERTAIN // all_kinds - kaeshi * CERTAIN // all_kinds


@kernel
def attack_chance(table: np.record, seat: int, foe: int, ties: int, ahead: int, sort: int) -> int:
    """Return the chance that `seat` beats `foe` before the dice, playing a card of that sort."""
    chance = 0
    for theirs in range(3):
        likelihood = likely(table, seat, foe, theirs)
        if likelihood != 0:
            chance += likelihood * table.card_odds[ties, sort, theirs, ODDS_CENTRE + ahead]
    return int(chance // CERTAIN)


@kernel
def weigh_attack(
    rules: np.record, maze: np.record, table: np.record, seat: int, foe: int, track: int
) -> tuple[int, int, int]:
    """Weigh an attack on `foe` from `track`.

    Returns the chance to win, what a win adds beside stripes, and the worth of having lost.
    """
    known = table.attacks[foe, track & 3]
    if known.plan != table.plans or known.height != track:
        known.plan = table.plans
        known.height = track
        known.chance, known.won, known.lost = attack_weighed(rules, maze, table, seat, foe, track)
    return int(known.chance), int(known.won), int(known.lost)


@kernel
def attack_weighed(
    rules: np.record, maze: np.record, table: np.record, seat: int, foe: int, track: int
) -> tuple[int, int, int]:
    """Return what `weigh_attack` keeps."""
    weights = table.weights[seat]
    theirs = table.track[foe]
    ties = rules.kumite_ties
    ahead = points_ahead(rules, track, theirs)
    now = CERTAIN * climb(table, seat, track)
    left = track - stripes_lost(rules, track, theirs)
    lost = (
        now - (now - back_at_start(rules, maze, table, seat, seat, left)) * weights.caution // 100
    )
    won = denied(rules, maze, table, seat, foe)
    chance = attack_chance(table, seat, foe, ties, ahead, PLAIN)
    card = table.hand[seat]
    sort = sort_of(card)
    if sort != PLAIN and weights.cards:
        gained = track + stripes_won(rules, track, theirs)
        stake = CERTAIN * climb(table, seat, gained) + won - lost
        keeping = held(rules, table, seat, card)
        better = attack_chance(table, seat, foe, ties, ahead, sort)
        spent = better - chance if sort == WITH_KIAI else CERTAIN - chance
        if (better - chance) * stake > spent * keeping:
            cost = spent * keeping // CERTAIN
            return better, won - cost, lost - cost
    return chance, won, lost


@kernel
def attacking(
    rules: np.record,
    maze: np.record,
    table: np.record,
    seat: int,
    foe: int,
    square: int,
    track: int,
) -> int:
    """Return the worth of attacking `foe` now and standing on `square` after a win."""
    chance, won, lost = weigh_attack(rules, maze, table, seat, foe, track)
    gained = track + stripes_won(rules, track, table.track[foe])
    won += standing(rules, maze, table, seat, square, gained)
    return (chance * won + (CERTAIN - chance) * lost) // CERTAIN


@kernel
def arriving(
    rules: np.record, maze: np.record, table: np.record, seat: int, square: int, track: int
) -> int:
    """Return the worth of arriving on a square by a tunnel: all who stand there are fought."""
    alive = CERTAIN
    worth = 0
    for foe in range(table.seats):
        if table.pawns[square] >> foe & 1 and foe != seat:
            chance, won, lost = weigh_attack(rules, maze, table, seat, foe, track)
            outcome = (chance * won + (CERTAIN - chance) * lost) // CERTAIN
            worth += alive * outcome // CERTAIN
            alive = alive * chance // CERTAIN
            track += stripes_won(rules, track, table.track[foe])
    return worth + alive * standing(rules, maze, table, seat, square, track) // CERTAIN


@kernel
def best_challenge(
    rules: np.record, maze: np.record, table: np.record, seat: int, square: int, track: int
) -> int:
    """Return the worth of a Sfida's best target, from a square; of standing there without one."""
    foes = fightable(table, seat)
    best = NIL
    found = False
    for foe in range(table.seats):
        if foes >> foe & 1 and maze.room[table.at[foe]] < 0:
            worth = attacking(rules, maze, table, seat, foe, square, track)
            best = max(best, worth) if found else worth
            found = True
    return best if found else standing(rules, maze, table, seat, square, track)


# The Exam


@kernel
def strongest(table: np.record, seat: int) -> int:
    """Return an opponent who would defend the seat's Exam, one without a card before others."""
    defender = NOBODY
    able = 0 if table.peace else int(table.everyone) & ~int(table.meditating) & ~(1 << seat)
    for other in range(table.seats):
        if not able >> other & 1:
            continue
        higher = defender == NOBODY or table.track[other] > table.track[defender]
        equal = defender != NOBODY and table.track[other] == table.track[defender]
        if higher or (equal and table.hand[other] == NO_CARD):
            defender = other
    return int(defender)


@kernel
def exam_chance(rules: np.record, table: np.record, seat: int) -> int:
    """Return the seat's chance to pass the Exam now; NOT_YET when nobody can defend."""
    defender = strongest(table, seat)
    if defender == NOBODY:
        return NOT_YET
    ahead = -rules.exam_bonus
    if rules.exam_own_belt:
        ahead = points_ahead(rules, table.track[seat], table.track[defender])
    sort = sort_of(table.hand[seat]) if table.weights[seat].cards else PLAIN
    bout = attack_chance(table, seat, defender, rules.exam_ties, ahead, sort)
    return won_match(rules.exam_wins, bout)


@kernel
def won_match(wins: int, chance: int) -> int:
    """Return the chance to win so many bouts first, each won with `chance`."""
    term = CERTAIN
    for _ in range(wins):
        term = term * chance // CERTAIN
    total = 0
    for lost in range(wins):
        total += term
        term = term * (CERTAIN - chance) // CERTAIN * (wins + lost) // (lost + 1)
    return total


@kernel
def examined(rules: np.record, maze: np.record, table: np.record, seat: int, track: int) -> int:
    """`exam`: what it is worth to enter the Dojo with that track."""
    chance = exam_chance(rules, table, seat)
    if chance == NOT_YET:
        return CERTAIN * climb(table, seat, track)
    left = max(track - rules.exam_fail_cost, 0)
    failed = back_at_start(rules, maze, table, seat, seat, left)
    return int(chance * table.weights[seat].exam + (CERTAIN - chance) * failed // CERTAIN)


# Walks


@inlined
def offers(table: np.record, seat: int, seed: np.uint64, worth: int) -> bool:
    """`temperature`: tell whether an answer comes in place of the best so far."""
    warmth = table.weights[seat].temperature
    if warmth != 0:
        table.answers += 1
        word = mix(seed - np.uint64(whole(table.answers)) * GAMMA)
        worth += below(word, warmth * CERTAIN)
    return takes(table, seed, worth, 1)


@kernel
def ending(rules: np.record, maze: np.record, table: np.record, square: int, track: int) -> int:
    """Return the worth of ending the movement on a square with that track, its effect included."""
    known = table.endings[4 * square + (track & 3)]
    if known.plan != table.plans or known.height != track:
        known.plan = table.plans
        known.height = track
        known.worth = square_effect_worth(rules, maze, table, square, track)
    return int(known.worth)


@kernel
def square_effect_worth(
    rules: np.record, maze: np.record, table: np.record, square: int, track: int
) -> int:
    """Return what `ending` keeps."""
    seat = table.seat
    code = maze.code[square]
    if code == SFIDA:
        return best_challenge(rules, maze, table, seat, square, track)
    if code == ALLENAMENTO:
        track = min(track + rules.allenamento_gain, top_of_track(rules))
    elif code == FATICA and rules.fatica_stop_only == 1:
        track = max(track - rules.fatica_cost, 0)
    elif code == PASSO_FALSO:
        square = table.origin
    worth = standing(rules, maze, table, seat, square, track)
    if code == NEBBIA:
        worth += table.draw_worth
    elif code == TUNNEL:
        to = maze.link[square]
        foes = int(table.pawns[to]) & ~(1 << seat)
        if foes & ~fightable(table, seat) == 0:
            worth = max(worth, arriving(rules, maze, table, seat, to, track))
    return int(worth)


@inlined
def begin_plan(rules: np.record, table: np.record) -> np.uint64:
    """Start to weigh answers of the mover; return the word that decides among equals."""
    seat = table.seat
    table.plans += 1
    table.answers = 0
    table.draw_worth = drawing(rules, table, seat)
    table.worth[0] = 0
    table.alive[0] = CERTAIN
    table.height[0] = table.track[seat]
    table.fought[0] = 0
    return begin_choosing(table, seat)


@kernel
def weigh_way(
    rules: np.record,
    maze: np.record,
    table: np.record,
    foes: int,
    level: int,
    since: int,
    fatica: int,
    price: int,
) -> None:
    """Weigh the fights against `foes` on a step of the walk, in the order of their seats.

    Entry `level` then describes the walk right after them: ``worth``, what all ways to have been
    beaten so far are worth in their shares; ``alive``, the chance to have come through; ``height``.
    """
    seat = table.seat
    track = height_after(table, since, fatica, price)
    worth = int(table.worth[since])
    alive = int(table.alive[since])
    for foe in range(table.seats):
        if foes >> foe & 1:
            chance, won, lost = weigh_attack(rules, maze, table, seat, foe, track)
            worth += alive * ((chance * won + (CERTAIN - chance) * lost) // CERTAIN) // CERTAIN
            alive = alive * chance // CERTAIN
            track += stripes_won(rules, track, table.track[foe])
    table.worth[level] = worth
    table.alive[level] = alive
    table.height[level] = track
    table.paid[level] = fatica


@kernel
def weigh_walks(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> None:
    """Plan the best walk of what remains, as nodes of the tree.

    A walk that ends with the step into the Dojo ends its plan with NOWHERE.
    """
    seed = begin_plan(rules, table)
    table.plan_next = 0
    able = fightable(table, table.seat) & ~int(table.spared)
    if table.weights[table.seat].fights == 0:
        able = 0
    met = pawns_met(rules, maze, tree, table, able)
    if met == NOWHERE:
        weigh_each_walk(rules, maze, tree, table, able, seed)
    else:
        weigh_ends(rules, maze, tree, table, able, met, seed)


@kernel
def pawns_met(rules: np.record, maze: np.record, tree: Tree, table: np.record, able: int) -> int:
    """Return how many pawns of `able` are met by walks of the whole roll (``table.met``).

    NOWHERE when each walk has to be looked at: later in a move, with the Dojo on the way, or where
    chance gives each one a worth of its own (`temperature`).
    """
    seat = table.seat
    start = table.origin & 63
    ends = maze.first_end[start, table.remaining + 1] - maze.first_end[start, table.remaining]
    if table.path_length > 1 or table.weights[seat].temperature != 0:
        return NOWHERE
    if ends == 0 or ends > MOST_KEPT:
        return NOWHERE
    met = NIL
    if in_reach(maze, table, able):
        if maze.first_crossing[start, table.remaining] == NOWHERE:
            return NOWHERE
        met = mark_met(maze, tree.crossings, table, able)
    # Who gains enough on the way may enter the Dojo.
    highest = table.track[seat] + met * most_gained(rules)
    if is_brown(rules, highest) and maze.to_dojo[table.origin] <= table.remaining:
        return NOWHERE
    return met


@kernel
def weigh_ends(
    rules: np.record,
    maze: np.record,
    tree: Tree,
    table: np.record,
    able: int,
    met: int,
    seed: np.uint64,
) -> None:
    """Plan the best walk of the whole roll: weigh ends, and each walk that meets somebody.

    It is the one that looking at every walk, in the order of the tree, would leave.
    """
    start = table.origin & 63
    price = fatica_price(rules)
    track = table.track[table.seat]
    table.paid[0] = 0
    ends = tree.ends
    for k in range(
        maze.first_end[start, table.remaining], maze.first_end[start, table.remaining + 1]
    ):
        square = (whole(ends[k].square) + table.turn_of_tree) & 255
        height = max(track - price * whole(ends[k].fatica), 0)
        first = whole(ends[k].first)
        end = whole(ends[k + 1].first)
        if met > 0:
            first = weigh_met(rules, maze, tree, table, able, square, height, first, end)
        if first < end:
            keep_walks(table, ending(rules, maze, table, square, height), first, end)
    last = last_taken(seed, table.ties)
    plan_to(tree, table, kept_walk(tree.leaves, tree.ended, table, last))


@kernel
def weigh_met(
    rules: np.record,
    maze: np.record,
    tree: Tree,
    table: np.record,
    able: int,
    square: int,
    height: int,
    first: int,
    end: int,
) -> int:
    """Weigh the walks of an end up to the last one that meets somebody; return the next one."""
    start = table.origin & 63
    first_leaf = whole(tree.groups[maze.first_group[start, table.remaining]].first)
    steps = min(whole(tree.nodes[table.node].longest), table.remaining)
    for k in range(first, end):
        leaf = whole(tree.ended[k])
        if is_met(table, leaf - first_leaf):
            if first < k:
                keep_walks(table, ending(rules, maze, table, square, height), first, k)
            ways = whole(tree.leaves[leaf].ways)
            keep_walks(table, walk_worth(rules, maze, table, ways, steps, able), k, k + 1)
            first = k + 1
    return first


@kernel
def walk_worth(
    rules: np.record, maze: np.record, table: np.record, ways: int, steps: int, able: int
) -> int:
    """Return the worth of a walk with fights on it."""
    price = fatica_price(rules)
    fights, square, fatica = foresee_fights(maze, table, ways, steps, able)
    for k in range(1, fights + 1):
        weigh_way(rules, maze, table, table.foes[k], k, k - 1, table.paid[k], price)
    height = height_after(table, fights, fatica, price)
    ended = int(table.alive[fights]) * ending(rules, maze, table, square, height) // CERTAIN
    return int(table.worth[fights]) + ended


@kernel
def weigh_each_walk(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, able: int, seed: np.uint64
) -> None:
    """Plan the best walk of what remains: look at each one, step by step."""
    seat = table.seat
    nodes = tree.nodes
    price = fatica_price(rules)
    root = table.node
    base = whole(nodes[root].depth)
    goal = min(whole(nodes[root].longest), table.remaining)
    brown = is_brown(rules, table.track[seat])
    turn = table.turn_of_tree
    table.paid[0] = nodes[root].fatica
    here = table.path[table.path_length - 1]
    if brown and not table.shut and maze.entrance[here] != NOWHERE:
        offers(table, seat, seed, examined(rules, maze, table, seat, table.track[seat]))
        keep_plan(table, NIL, True)
    at = root + 1
    end = nodes[root].skip
    while at < end:
        level = whole(nodes[at].depth) - base
        if level + nodes[at].longest < goal:
            at = whole(nodes[at].skip)
            continue
        square = (whole(nodes[at].square) + turn) & 255
        fatica = whole(nodes[at].fatica)
        table.trail[level] = at
        since = int(table.fought[level - 1])
        foes = foes_on_the_way(maze, table, square, able)
        if foes != 0:
            weigh_way(rules, maze, table, foes, level, since, fatica, price)
            since = level
        table.fought[level] = since
        ends = level == goal
        enters = False
        if (brown or since > 0) and level < table.remaining and not table.shut:
            enters = maze.entrance[square] != NOWHERE
        at = whole(nodes[at].skip) if ends else at + 1
        if not ends and not enters:
            continue
        height = height_after(table, since, fatica, price)
        alive = int(table.alive[since])
        worth = int(table.worth[since])
        if ends:
            stop = worth + alive * ending(rules, maze, table, square, height) // CERTAIN
            if offers(table, seat, seed, stop):
                keep_plan(table, level, False)
        if enters and is_brown(rules, height):
            exam = worth + alive * examined(rules, maze, table, seat, height) // CERTAIN
            if offers(table, seat, seed, exam):
                keep_plan(table, level, True)


@kernel
def weigh_extra_step(rules: np.record, maze: np.record, table: np.record, count: int) -> int:
    """Return the best of the options for an extra step."""
    seat = table.seat
    seed = begin_plan(rules, table)
    able = fightable(table, seat) & ~int(table.spared)
    price = 0 if rules.extra_step_fatica else fatica_price(rules)
    here = table.path[table.path_length - 1]
    table.paid[0] = 0
    chosen = 0
    for k in range(count):
        square = table.options[k]
        if maze.entrance[here] == square:
            worth = examined(rules, maze, table, seat, table.track[seat])
        else:
            fatica = 1 if maze.code[square] == FATICA else 0
            since = 0
            foes = foes_on_the_way(maze, table, square, able)
            if foes != 0:
                weigh_way(rules, maze, table, foes, FIRST, since, fatica, price)
                since = 1
            height = height_after(table, since, fatica, price)
            worth = int(table.worth[since])
            worth += table.alive[since] * ending(rules, maze, table, square, height) // CERTAIN
        if offers(table, seat, seed, worth):
            chosen = k
    return chosen


# Decisions


@kernel
def weigh_options(
    rules: np.record, maze: np.record, table: np.record, kind: int, seat: int, count: int
) -> int:
    """Return which of the first `count` of ``table.options`` is worth most to the seat."""
    table.plans += 1
    table.answers = 0
    seed = begin_choosing(table, seat)
    chosen = 0
    for k in range(count):
        worth = weighed(rules, maze, table, kind, seat, table.options[k])
        if offers(table, seat, seed, worth):
            chosen = k
    return chosen


@kernel
def weighed(
    rules: np.record, maze: np.record, table: np.record, kind: int, seat: int, option: int
) -> int:
    """Return the worth of one option of a decision."""
    track = table.track[seat]
    here = table.at[seat]
    if kind == PLACE:
        return standing(rules, maze, table, seat, option, track)
    if kind == ORDER:
        return attacking(rules, maze, table, seat, option, here, track)
    if kind == TARGET:
        if table.target_for == FOR_SFIDA:
            return attacking(rules, maze, table, seat, option, here, track)
        return swapping(rules, maze, table, seat, option)
    if kind == TAKE_TUNNEL:
        if option == 0:
            return standing(rules, maze, table, seat, here, track)
        return arriving(rules, maze, table, seat, maze.link[here], track)
    if kind == SEGRETO:
        return arriving(rules, maze, table, seat, option, track)
    if kind == KEEP:
        return held(rules, table, seat, option)
    if kind == TECNICA:
        return playing(rules, maze, table, seat, option)
    if kind == DEFENDER:
        return CERTAIN if table.hand[option] == NO_CARD else NIL
    return 0


@kernel
def swapping(rules: np.record, maze: np.record, table: np.record, seat: int, other: int) -> int:
    """Return the worth of Irimi: the own new square, and what the other's is worth to it."""
    here = table.at[seat]
    there = table.at[other]
    track = table.track[other]
    worth = standing(rules, maze, table, seat, there, table.track[seat])
    theirs = place(rules, maze, table, seat, there, track)
    theirs -= place(rules, maze, table, seat, here, track)
    return worth + theirs * int(table.weights[seat].deny) // 100 * track // top_of_track(rules)


@kernel
def wins(rules: np.record, table: np.record, ahead: int) -> bool:
    """Tell whether the attacker of the fight on the table wins with so many points ahead."""
    ties = rules.exam_ties if table.exam else rules.kumite_ties
    return bool(ahead >= ties)


@kernel
def replied(rules: np.record, table: np.record, seat: int, foe: int, ahead: int) -> int:
    """Return the attacker's chance, dice and own card on the table, before the defender replies."""
    if not wins(rules, table, ahead):
        return 0
    chance = likely(table, seat, foe, PLAIN)
    kiai = likely(table, seat, foe, WITH_KIAI)
    if kiai != 0 and wins(rules, table, ahead - rules.kiai):
        chance += kiai
    kaeshi = likely(table, seat, foe, WITH_KAESHI)
    if kaeshi != 0:
        faces = rules.kumite_die_faces
        won = 0
        for die in range(1, faces + 1):
            won += 1 if wins(rules, table, ahead + table.die[1] - die) else 0
        chance += kaeshi * won // faces
    return int(chance)


@kernel
def chance_with(rules: np.record, table: np.record, seat: int, card: int) -> int:
    """Return the seat's chance in the fight on the table when it plays a card, or none."""
    attacks = table.fighter[0] == seat
    foe = table.fighter[1] if attacks else table.fighter[0]
    ahead = table.die[0] + table.bonus[0] - table.die[1] - table.bonus[1]
    own = 1 if attacks else -1
    if card == KIAI:
        ahead += own * rules.kiai
    faces = rules.kumite_die_faces if card == KAESHI else FIRST
    old = table.die[0] if attacks else table.die[1]
    chance = 0
    for die in range(1, faces + 1):
        points = ahead + own * (die - old) if card == KAESHI else ahead
        if attacks:
            chance += replied(rules, table, seat, foe, points)
        else:
            chance += NIL if wins(rules, table, points) else CERTAIN
    return int(chance // faces)


@kernel
def playing(rules: np.record, maze: np.record, table: np.record, seat: int, card: int) -> int:
    """Return the worth of playing a Tecnica now, against keeping it; not playing is worth 0."""
    if card == NO_CARD:
        return 0
    here = table.at[seat]
    track = table.track[seat]
    attacks = table.fighter[0] == seat
    foe = table.fighter[1] if attacks else table.fighter[0]
    theirs = table.track[foe]
    won = CERTAIN * int(table.weights[seat].exam)
    left = track
    if not table.exam:
        gained = track + stripes_won(rules, track, theirs)
        won = CERTAIN * climb(table, seat, gained)
        won += place(rules, maze, table, seat, here, gained) + denied(rules, maze, table, seat, foe)
        left -= stripes_lost(rules, track, theirs)
    elif attacks:
        left = max(track - rules.exam_fail_cost, 0)
    lost = back_at_start(rules, maze, table, seat, seat, left)
    if table.exam and not attacks:
        lost = NIL
    before = chance_with(rules, table, seat, NO_CARD)
    keeping = held(rules, table, seat, card)
    if card == UKE:
        saved = CERTAIN * climb(table, seat, left) - lost
        saved += place(rules, maze, table, seat, here, left)
        if table.exam and not attacks:
            saved = NIL
        return (CERTAIN - before) * saved // CERTAIN - keeping - 1
    after = chance_with(rules, table, seat, card)
    return (after - before) * (won - lost) // CERTAIN - keeping - 1
