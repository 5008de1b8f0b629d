"""`greedy`: a sensible beginner who weighs one move by the stripes it promises.

At the start of a move, and again after each fight, it looks at every walk and takes the one with
the highest expected worth: Fatica costs, what each fight on the way may win or lose, the square at
the end. As a Brown belt it walks into the Dojo when it can and towards it when it cannot. It does
not think about other players' turns, nor about the cards they may hold.

Worths are whole numbers, `STRIPE` to a stripe of the progress track, and chances are in 4096ths,
so that decisions are the same on every machine.
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel, whole
from dojo_core.labirinto.crossings import bits_set, mark_met, met_among, unmet_walk
from dojo_core.labirinto.drawn import BITS_OF_WAY, LOWEST_WAY
from dojo_core.labirinto.table import (
    choice_stream,
    fightable,
    is_brown,
    points_ahead,
    stripes_lost,
    stripes_won,
    top_of_track,
)
from dojo_core.labirinto.tables import (
    ALLENAMENTO,
    DEFENDER,
    FATICA,
    FOR_SFIDA,
    KAESHI,
    KEEP,
    KIAI,
    NEBBIA,
    NIL,
    NO_CARD,
    NOWHERE,
    ODDS_CENTRE,
    ORDER,
    PASSO_FALSO,
    PLACE,
    SEGRETO,
    SFIDA,
    TAKE_TUNNEL,
    TARGET,
    TECNICA,
    TUNNEL,
    UKE,
)
from dojo_core.labirinto.walks import Tree, in_reach, put_plan_on_path, put_ways_on_path
from dojo_core.random_numbers import GAMMA, below, mix, next_word

# A stripe's worth; also the whole of a chance.
STRIPE = 4096
# What a beginner feels the rest is worth, in stripes: the step into the Dojo outweighs all else; a
# Brown belt is worth three stripes, and a quarter of one for each step nearer to the Dojo; a
# Nebbia card a quarter.
ENTERING = 64 * STRIPE
BROWN_BELT = 3 * STRIPE
STEP_NEARER = STRIPE // 4
NEBBIA_CARD = STRIPE // 4

WORST = -(1 << 60)


# Fights


@kernel
def fight_chance(rules: np.record, table: np.record, track: int, seat: int, foe: int) -> int:
    """Return the chance, in 4096ths, that `seat`, standing on `track`, beats `foe` attacking it.

    A held Kiai counts, as the attacker would play it.
    """
    ahead = points_ahead(rules, track, table.track[foe])
    if table.hand[seat] == KIAI:
        ahead += rules.kiai
    return int(table.odds[rules.kumite_ties, ODDS_CENTRE + ahead])


@kernel
def fight_gain(rules: np.record, table: np.record, track: int, foe: int) -> int:
    """Return the stripes gained by beating `foe` from `track`."""
    return stripes_won(rules, track, table.track[foe])


@kernel
def fight_loss(rules: np.record, table: np.record, track: int, foe: int) -> int:
    """Return the worth of the stripes lost by being beaten by `foe` on `track`."""
    return stripes_lost(rules, track, table.track[foe]) * STRIPE


@kernel
def fight_worth(rules: np.record, table: np.record, seat: int, foe: int) -> int:
    """Return the expected worth of attacking `foe` from where the seat stands on the track."""
    track = table.track[seat]
    chance = fight_chance(rules, table, track, seat, foe)
    lost = fight_loss(rules, table, track, foe)
    return chance * fight_gain(rules, table, track, foe) - (STRIPE - chance) * lost // STRIPE


@kernel
def best_sfida_worth(rules: np.record, maze: np.record, table: np.record) -> int:
    """Return the worth of the mover's best Sfida; 0 when there is nobody to challenge.

    Kept in ``table.sfida_worth`` for the other walks of a plan.
    """
    if table.sfida_worth == WORST:
        seat = table.seat
        foes = fightable(table, seat)
        best = WORST
        for foe in range(table.seats):
            if foes >> foe & 1 and maze.room[table.at[foe]] < 0:
                best = max(best, fight_worth(rules, table, seat, foe))
        table.sfida_worth = 0 if best == WORST else best
    return int(table.sfida_worth)


@kernel
def exit_worth(rules: np.record, table: np.record, seat: int, square: int) -> int:
    """Return the worth of fighting everyone on a tunnel's exit."""
    worth = 0
    for foe in range(table.seats):
        if table.pawns[square] >> foe & 1 and foe != seat:
            worth += fight_worth(rules, table, seat, foe)
    return worth


# Squares


@kernel
def nearness(rules: np.record, maze: np.record, track: int, square: int) -> int:
    """Return what standing on a square is worth to a Brown belt: being near the Dojo."""
    if not is_brown(rules, track):
        return 0
    return BROWN_BELT - STEP_NEARER * int(maze.to_dojo[square])


@kernel
def square_worth(
    rules: np.record, maze: np.record, table: np.record, square: int, track: int
) -> int:
    """Return the worth of ending a movement on a square with that track position."""
    code = maze.code[square]
    if code == ALLENAMENTO:
        gained = min(track + rules.allenamento_gain, top_of_track(rules))
        return (gained - track) * STRIPE + nearness(rules, maze, gained, square)
    if code == FATICA and rules.fatica_stop_only == 1:
        left = max(track - rules.fatica_cost, 0)
        return (left - track) * STRIPE + nearness(rules, maze, left, square)
    if code == PASSO_FALSO:
        return nearness(rules, maze, track, table.origin)
    if code == TUNNEL:
        return tunnel_worth(rules, maze, table, square, track)
    worth = nearness(rules, maze, track, square)
    if code == NEBBIA:
        worth += NEBBIA_CARD
    elif code == SFIDA:
        worth += best_sfida_worth(rules, maze, table)
    return worth


@kernel
def tunnel_worth(
    rules: np.record, maze: np.record, table: np.record, square: int, track: int
) -> int:
    """Return the worth of a Tunnel square: staying, or the exit when that is better."""
    stay = nearness(rules, maze, track, square)
    to = maze.link[square]
    foes = int(table.pawns[to]) & ~(1 << table.seat)
    if foes & ~fightable(table, table.seat):
        return stay
    if foes == 0:
        return max(stay, nearness(rules, maze, track, to))
    through = nearness(rules, maze, track, to) + exit_worth(rules, table, table.seat, to)
    return max(stay, through)


# Walks


@inlined
def begin_choosing(table: np.record, seat: int) -> np.uint64:
    """Start to look for the best of some answers; return the word that decides among equals."""
    table.best = WORST
    table.ties = 0
    return next_word(table.streams, choice_stream(seat))


@inlined
def takes(table: np.record, seed: np.uint64, worth: int, count: int) -> bool:
    """Tell whether `count` answers that are worth so much come in place of the best so far.

    Among equals each answer is as likely to stay in the end.
    """
    if worth < table.best:
        return False
    if worth > table.best:
        table.best = worth
        table.ties = 0
    table.ties += count
    if table.ties == count:
        return True
    ties = whole(table.ties)
    return below(mix(seed + np.uint64(ties) * GAMMA), ties) < count


@inlined
def last_taken(seed: np.uint64, ties: int) -> int:
    """Return which of so many equally good answers `takes` would leave in the end, from 0 on."""
    number = ties
    while number > 1 and below(mix(seed + np.uint64(number) * GAMMA), number) > 0:
        number -= 1
    return number - 1


@inlined
def begin_weighing(table: np.record, fatica: int) -> None:
    """Start to weigh from where the mover stands.

    Entry 0 of ``worth``, ``alive``, ``height`` and ``paid`` describes the walk before any fight,
    each other one right after the fights on a step. It is the step's own where walks are looked at
    that share their first steps: ``fought[level]`` is then the step of the last fights, 0 before
    any. Where one walk is looked at, it is the k-th for the k-th step with fights.
    """
    table.worth[0] = 0
    table.alive[0] = STRIPE
    table.height[0] = table.track[table.seat]
    table.paid[0] = fatica
    table.fought[0] = 0


@inlined
def fatica_price(rules: np.record) -> int:
    """Return what stepping onto a Fatica square costs."""
    return 0 if rules.fatica_stop_only else int(rules.fatica_cost)


@inlined
def height_after(table: np.record, since: int, fatica: int, price: int) -> int:
    """Return the track position of a walk whose last fights are described by entry `since`.

    `fatica` counts the Fatica squares of the whole walk.
    """
    return max(int(table.height[since]) - price * (fatica - int(table.paid[since])), 0)


@inlined
def worth_after(table: np.record, since: int, height: int) -> int:
    """Return the worth of the same walk, now at track position `height`."""
    return int(table.worth[since]) - int(table.alive[since]) * (int(table.height[since]) - height)


@kernel
def weigh_fights(
    rules: np.record, table: np.record, foes: int, level: int, since: int, fatica: int, price: int
) -> None:
    """Weigh the fights against `foes` on a step of the walk, in the order of their seats.

    `since` is the entry of the fights before, `level` the one to describe these.
    """
    seat = table.seat
    track = height_after(table, since, fatica, price)
    worth = worth_after(table, since, track)
    alive = int(table.alive[since])
    for foe in range(table.seats):
        if foes >> foe & 1:
            chance = fight_chance(rules, table, track, seat, foe)
            gain = fight_gain(rules, table, track, foe)
            lost = fight_loss(rules, table, track, foe)
            outcome = chance * gain - (STRIPE - chance) * lost // STRIPE
            worth += alive * outcome // STRIPE
            alive = alive * chance // STRIPE
            track += gain
    table.worth[level] = worth
    table.alive[level] = alive
    table.height[level] = track
    table.paid[level] = fatica


@inlined
def foes_on_the_way(maze: np.record, table: np.record, square: int | np.uint64, able: int) -> int:
    """Return the seats of `able` that stepping onto a square would have to be fought."""
    if table.pawns[square] == 0 or maze.room[square] >= 0:
        return 0
    return int(table.pawns[square]) & able


@inlined
def foresee_fights(
    maze: np.record, table: np.record, ways: int, steps: int, able: int
) -> tuple[int, int, int]:
    """Go along a walk from ``table.origin``, given the ways of its steps, and note its fights.

    Entry `k` of ``foes`` and ``paid`` is for the k-th step with fights, from 1 on. Returns how many
    there are, the last square, and the Fatica squares of the whole walk.
    """
    square = np.uint64(table.origin)
    to_come = np.uint64(ways)
    fatica = 0
    fights = 0
    for _ in range(steps):
        square = np.uint64(maze.onward[square, to_come & LOWEST_WAY])
        to_come >>= BITS_OF_WAY
        fatica += 1 if maze.code[square] == FATICA else 0
        foes = foes_on_the_way(maze, table, square, able)
        if foes != 0:
            fights += 1
            table.foes[fights] = foes
            table.paid[fights] = fatica
    return fights, whole(square), fatica


@kernel
def plan_walk(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> None:
    """Choose the best walk of what remains, and keep it in ``table.plan`` as nodes of the tree.

    A walk that ends with the step into the Dojo ends its plan with NOWHERE.
    """
    table.plan_next = 0
    table.sfida_worth = WORST
    seat = table.seat
    able = fightable(table, seat) & ~int(table.spared)
    told_apart = maze.first_crossing[table.origin & 63, table.remaining] != NOWHERE
    by_walk = table.path_length > 1 or is_brown(rules, table.track[seat])
    met = NIL
    if not by_walk and told_apart:
        met = mark_met(maze, tree.crossings, table, able)
        # Who gains enough on the way may enter the Dojo.
        if met > 0 and maze.to_dojo[table.origin] <= table.remaining:
            by_walk = is_brown(rules, table.track[seat] + met * most_gained(rules))
    elif not by_walk:
        by_walk = in_reach(maze, table, able)
    if by_walk:
        weigh_every_walk(rules, maze, tree, table, able)
    else:
        leaf = weigh_every_end(rules, maze, tree, table, met, able)
        plan_to(tree, table, whole(tree.leaves[leaf].node))


@kernel
def walk_to_best_end(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> int:
    """Put the best walk of the whole roll on the path; return its Fatica squares.

    May only be asked below Brown and where nobody is in reach.
    """
    table.sfida_worth = WORST
    leaf = weigh_every_end(rules, maze, tree, table, NIL, NIL)
    node = whole(tree.leaves[leaf].node)
    if maze.first_crossing[table.origin & 63, table.remaining] == NOWHERE:
        plan_to(tree, table, node)
        put_plan_on_path(tree, table)
    else:
        put_ways_on_path(maze, table, whole(tree.leaves[leaf].ways), whole(tree.nodes[node].depth))
    return whole(tree.nodes[node].fatica)


@inlined
def most_gained(rules: np.record) -> int:
    """Return the most stripes that a fight can gain."""
    return max(int(rules.equal_gain), int(rules.upset_gain), int(rules.favourite_gain))


@kernel
def weigh_every_end(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, met: int, able: int
) -> int:
    """Choose a walk of the whole roll that cannot enter the Dojo; return its place in the leaves.

    Of walks that meet nobody only the last square and the Fatica count matter. Those that meet one
    of the `met` pawns are marked in ``table.met``; they are weighed one by one.
    """
    seed = begin_choosing(table, table.seat)
    price = fatica_price(rules)
    track = table.track[table.seat]
    start = table.origin & 63
    turn = table.turn_of_tree
    groups = tree.groups
    first = maze.first_group[start, table.remaining]
    first_leaf = whole(groups[first].first)
    chosen = NIL
    unmet = NIL
    for group in range(first, maze.first_group[start, table.remaining + 1]):
        square = (whole(groups[group].square) + turn) & 255
        count = whole(groups[group].count)
        if met > 0:
            count -= met_among(table, whole(groups[group].first) - first_leaf, count)
            if count == 0:
                continue
        height = max(track - price * whole(groups[group].fatica), 0)
        worth = (height - track) * STRIPE + square_worth(rules, maze, table, square, height)
        if takes(table, seed, worth * STRIPE, count):
            chosen = whole(groups[group].first) - first_leaf
            unmet = count
    if met > 0:
        walk = best_met_walk(rules, maze, tree, table, first_leaf, able, seed)
        if walk != NOWHERE:
            chosen = walk
            unmet = NIL
    if unmet > 0:
        place = below(mix(seed), unmet)
        chosen = unmet_walk(table, chosen, place) if met > 0 else chosen + place
    return first_leaf + chosen


@kernel
def best_met_walk(
    rules: np.record,
    maze: np.record,
    tree: Tree,
    table: np.record,
    first_leaf: int,
    able: int,
    seed: np.uint64,
) -> int:
    """Return the best of the walks marked in ``table.met``; NOWHERE when another one stays."""
    start = table.origin & 63
    steps = min(whole(tree.nodes[table.node].longest), table.remaining)
    chosen = whole(NOWHERE)
    begin_weighing(table, NIL)
    for k in range(whole(maze.crossing_words[start, table.remaining])):
        word = table.met[k]
        while word != np.uint64(0):
            rest = word & (word - np.uint64(1))
            walk = 64 * k + bits_set((word ^ rest) - np.uint64(1))
            word = rest
            ways = whole(tree.leaves[first_leaf + walk].ways)
            if takes(table, seed, walk_worth(rules, maze, table, ways, steps, able), 1):
                chosen = walk
    return chosen


@kernel
def walk_worth(
    rules: np.record, maze: np.record, table: np.record, ways: int, steps: int, able: int
) -> int:
    """Return the worth of a walk with fights on it, in stripes times ``STRIPE * STRIPE``."""
    price = fatica_price(rules)
    fights, square, fatica = foresee_fights(maze, table, ways, steps, able)
    for k in range(1, fights + 1):
        weigh_fights(rules, table, table.foes[k], k, k - 1, table.paid[k], price)
    height = height_after(table, fights, fatica, price)
    ended = int(table.alive[fights]) * square_worth(rules, maze, table, square, height)
    return worth_after(table, fights, height) * STRIPE + ended


@kernel
def plan_to(tree: Tree, table: np.record, leaf: int) -> None:
    """Plan the walk that ends in a node of the tree."""
    node = table.node
    length = 0
    while node != leaf:
        node += 1
        while tree.nodes[node].skip <= leaf:
            node = whole(tree.nodes[node].skip)
        table.plan[length] = node
        length += 1
    table.plan_length = length


@kernel
def weigh_every_walk(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, able: int
) -> None:
    """Plan a walk with fights on it, or with the Dojo near: look at each one, step by step."""
    seed = begin_choosing(table, table.seat)
    nodes = tree.nodes
    price = fatica_price(rules)
    root = table.node
    base = whole(nodes[root].depth)
    goal = min(whole(nodes[root].longest), table.remaining)
    track = table.track[table.seat]
    brown = is_brown(rules, track)
    turn = table.turn_of_tree
    # Before a fight a walk is worth no more than the best end, and on the way to one what it gains.
    most = ENTERING
    gains = NIL
    if not brown and table.path_length == 1:
        most = best_end_worth(rules, maze, tree, table)
        gains = most_gained(rules) * bits_set(np.uint64(able))
        if is_brown(rules, track + gains):
            gains = ENTERING
    fatica_before = whole(nodes[root].fatica)
    begin_weighing(table, fatica_before)
    here = table.path[table.path_length - 1]
    if brown and not table.shut and maze.entrance[here] != NOWHERE:
        takes(table, seed, ENTERING * STRIPE, 1)
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
            weigh_fights(rules, table, foes, level, since, fatica, price)
            since = level
        table.fought[level] = since
        ends = level == goal
        if since == 0:
            hoped = most if ends else most + gains * STRIPE
            paid = min(price * (fatica - fatica_before), track)
            if STRIPE * (hoped - paid * STRIPE) < table.best:
                at = whole(nodes[at].skip)
                continue
        enters = False
        if (brown or since > 0) and level < table.remaining and not table.shut:
            enters = maze.entrance[square] != NOWHERE
        at = whole(nodes[at].skip) if ends else at + 1
        if not ends and not enters:
            continue
        height = height_after(table, since, fatica, price)
        worth = worth_after(table, since, height) * STRIPE
        if enters and is_brown(rules, height):
            worth += table.alive[since] * ENTERING
        elif ends:
            enters = False
            worth += table.alive[since] * square_worth(rules, maze, table, square, height)
        else:
            continue
        if takes(table, seed, worth, 1):
            keep_plan(table, level, enters)


@kernel
def best_end_worth(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> int:
    """Return what the best last square of the whole roll is worth to who meets nobody."""
    start = table.origin & 63
    groups = tree.groups
    price = fatica_price(rules)
    track = table.track[table.seat]
    best = WORST
    for group in range(
        maze.first_group[start, table.remaining], maze.first_group[start, table.remaining + 1]
    ):
        square = (whole(groups[group].square) + table.turn_of_tree) & 255
        height = max(track - price * whole(groups[group].fatica), 0)
        best = max(best, square_worth(rules, maze, table, square, height))
    return best


@kernel
def keep_plan(table: np.record, level: int, enters: bool) -> None:
    """Keep the walk of the first `level` steps of the trail, and the step into the Dojo."""
    for k in range(level):
        table.plan[k] = table.trail[k + 1]
    table.plan_length = level
    if enters:
        table.plan[level] = NOWHERE
        table.plan_length = level + 1


@kernel
def best_single_step(rules: np.record, maze: np.record, table: np.record, count: int) -> int:
    """Return the best of the options for an extra step."""
    seed = begin_choosing(table, table.seat)
    able = fightable(table, table.seat) & ~int(table.spared)
    price = 0 if rules.extra_step_fatica else fatica_price(rules)
    here = table.path[table.path_length - 1]
    chosen = 0
    table.sfida_worth = WORST
    begin_weighing(table, NIL)
    for k in range(count):
        square = table.options[k]
        if maze.entrance[here] == square:
            return k
        fatica = 1 if maze.code[square] == FATICA else 0
        since = 0
        foes = foes_on_the_way(maze, table, square, able)
        if foes != 0:
            weigh_fights(rules, table, foes, NIL + 1, since, fatica, price)
            since = 1
        height = height_after(table, since, fatica, price)
        worth = worth_after(table, since, height) * STRIPE
        worth += table.alive[since] * square_worth(rules, maze, table, square, height)
        if takes(table, seed, worth, 1):
            chosen = k
    return chosen


# Decisions


@kernel
def best_option(
    rules: np.record, maze: np.record, table: np.record, kind: int, seat: int, count: int
) -> int:
    """Return which of the first `count` of ``table.options`` is worth most."""
    seed = begin_choosing(table, seat)
    chosen = 0
    for k in range(count):
        worth = option_worth(rules, maze, table, kind, seat, table.options[k])
        if takes(table, seed, worth, 1):
            chosen = k
    return chosen


@kernel
def option_worth(
    rules: np.record, maze: np.record, table: np.record, kind: int, seat: int, option: int
) -> int:
    """Return the worth of one option of a decision."""
    track = table.track[seat]
    if kind == PLACE:
        return nearness(rules, maze, track, option)
    if kind == ORDER:
        return fight_worth(rules, table, seat, option)
    if kind == TARGET:
        if table.target_for == FOR_SFIDA:
            return fight_worth(rules, table, seat, option)
        return swap_worth(rules, maze, table, seat, option)
    if kind == TAKE_TUNNEL:
        to = maze.link[table.at[seat]] if option == 1 else table.at[seat]
        foes = exit_worth(rules, table, seat, to) if option == 1 else 0
        return nearness(rules, maze, track, to) + foes
    if kind == SEGRETO:
        return nearness(rules, maze, track, option) + exit_worth(rules, table, seat, option)
    if kind == KEEP:
        return KAESHI - option
    if kind == TECNICA:
        return tecnica_worth(rules, table, seat, option)
    if kind == DEFENDER:
        return 1 if table.hand[option] == NO_CARD else 0
    return 0


@kernel
def swap_worth(rules: np.record, maze: np.record, table: np.record, seat: int, other: int) -> int:
    """Return the worth of Irimi with an opponent: what the mover gains and the opponent loses."""
    here = table.at[seat]
    there = table.at[other]
    mine = nearness(rules, maze, table.track[seat], there)
    theirs = nearness(rules, maze, table.track[other], here)
    theirs_now = nearness(rules, maze, table.track[other], there)
    return mine + theirs_now - theirs


@kernel
def tecnica_worth(rules: np.record, table: np.record, seat: int, card: int) -> int:
    """Return the worth of playing a Tecnica now: only when losing, and only when it helps.

    Not playing is worth 0; a wasted card is worth less than nothing.
    """
    if card == NO_CARD:
        return 0
    side = 0 if table.fighter[0] == seat else 1
    ahead = table.die[0] + table.bonus[0] - table.die[1] - table.bonus[1]
    ties = rules.exam_ties if table.exam else rules.kumite_ties
    attacker_wins = ahead > 0 or (ahead == 0 and ties == 0)
    if attacker_wins == (side == 0):
        return -1
    if card == KIAI:
        ahead += rules.kiai if side == 0 else -rules.kiai
        turned = ahead > 0 or (ahead == 0 and ties == 0)
        return 1 if turned == (side == 0) else -1
    if card == UKE and table.exam and side == 1:
        return -1
    return 1
