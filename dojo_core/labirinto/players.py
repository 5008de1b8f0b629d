"""Who decides: `random`, `wanderer`, `greedy`, or a person or a script in a player's place.

A player answers two questions: which step (`choose_step`) and which of a decision's options
(`decide`). Ties between equally good answers are broken uniformly from the seat's own stream, so
that no corner of the board is favoured by the order in which options are listed.
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, kernel, whole
from dojo_core.labirinto import log
from dojo_core.labirinto.answers import persons_answer, persons_step
from dojo_core.labirinto.drawn import find_walk
from dojo_core.labirinto.greedy import (
    best_option,
    best_single_step,
    plan_walk,
    walk_to_best_end,
)
from dojo_core.labirinto.log import note_list
from dojo_core.labirinto.table import blame, choice_stream
from dojo_core.labirinto.tables import (
    BAD_CHOICE,
    BAD_STEP,
    FATICA,
    GREEDY,
    NIL,
    NO_CHOICE,
    NO_STEP,
    NOWHERE,
    PLACE,
    STEPS_A_WORD,
    WANDERER,
    WEIGHED,
)
from dojo_core.labirinto.walks import Tree, fewest_fatica, put_plan_on_path
from dojo_core.labirinto.weighing import weigh_extra_step, weigh_options, weigh_walks
from dojo_core.random_numbers import below, fraction, next_word, spend


@kernel
def decide(
    rules: np.record, maze: np.record, table: np.record, kind: int, seat: int, count: int
) -> int:
    """Return which of the first `count` of ``table.options`` the seat takes."""
    if table.given >> seat & 1:
        answer = given_answer(table, kind, seat, count)
    elif count == 1:
        answer = 0
    elif table.player[seat] == GREEDY:
        answer = best_option(rules, maze, table, kind, seat, count)
    elif table.player[seat] >= WEIGHED:
        answer = weigh_options(rules, maze, table, kind, seat, count)
    else:
        answer = below(next_word(table.streams, choice_stream(seat)), count)
    note_list(table, log.CHOICE, seat, kind, table.options[answer], table.options, count)
    return answer


@kernel
def choose_step(
    rules: np.record,
    maze: np.record,
    tree: Tree,
    table: np.record,
    count: int,
    may_stop: bool,
) -> int:
    """Return which of the first `count` of ``table.options`` the mover steps to.

    NOWHERE means stop, which is only an answer when `may_stop`.
    """
    player = table.player[table.seat]
    if table.given >> table.seat & 1:
        return given_step(table, count, may_stop)
    if player >= GREEDY:
        return next_planned_step(rules, maze, tree, table, count)
    if player == WANDERER:
        return wandering_step(maze, tree, table, count)
    return uniform_step(table, count, may_stop)


@kernel
def plan_steps(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> None:
    """Keep the best walk of what remains in ``table.plan``, as nodes of the tree.

    A walk that ends with the step into the Dojo ends its plan with NOWHERE.
    """
    if table.player[table.seat] >= WEIGHED:
        weigh_walks(rules, maze, tree, table)
    else:
        plan_walk(rules, maze, tree, table)


@kernel
def next_planned_step(
    rules: np.record, maze: np.record, tree: Tree, table: np.record, count: int
) -> int:
    """Return which option the plan takes next; plan first when there is no plan."""
    if table.node == NOWHERE:
        if table.player[table.seat] >= WEIGHED:
            return weigh_extra_step(rules, maze, table, count)
        return best_single_step(rules, maze, table, count)
    if table.plan_length == 0:
        plan_steps(rules, maze, tree, table)
    if table.plan_length == 0:
        return count - 1
    node = table.plan[table.plan_next]
    table.plan_next += 1
    for k in range(count):
        if table.option_nodes[k] == node:
            return k
    return count - 1


@inlined
def draw_step(table: np.record, bound: int) -> int:
    """Return a whole number in [0, bound) for the mover's next step.

    A move begins with a new word of the seat's choices; one word serves `STEPS_A_WORD` steps.
    """
    if table.steps_left_of_word == 0:
        table.fraction = fraction(next_word(table.streams, choice_stream(table.seat)))
        table.steps_left_of_word = STEPS_A_WORD
    table.steps_left_of_word -= 1
    drawn, table.fraction = spend(table.fraction, bound)
    return drawn


@kernel
def uniform_step(table: np.record, count: int, may_stop: bool) -> int:
    """`random`: uniform over the steps, and stopping where it may."""
    chosen = draw_step(table, count + 1 if may_stop else count)
    return chosen if chosen < count else NOWHERE


@inlined
def draw_walk(tree: Tree, table: np.record, entry: np.uint64) -> int:
    """`random`: return the walk that drawing the whole roll step by step would make.

    Returns NOWHERE where the steps have to tell. The word that serves them is taken up, nothing of
    it is spent. `entry` is the one of ``maze.drawn`` for the roll.
    """
    table.fraction = fraction(next_word(table.streams, choice_stream(table.seat)))
    table.steps_left_of_word = STEPS_A_WORD
    return find_walk(tree.walks, tree.guide, entry, table.fraction)


@kernel
def uniform_walk(tree: Tree, table: np.record) -> int:
    """`random`, where nothing can happen on the way: put the whole walk on the path.

    Draws exactly what `uniform_step` would, step by step. Returns the walk's Fatica squares.
    """
    nodes = tree.nodes
    node = table.node
    remaining = table.remaining
    length = 0
    while remaining > 0 and nodes[node].longest > 0:
        least = min(whole(nodes[node].longest), remaining) - 1
        end = nodes[node].skip
        count = NIL
        child = node + 1
        while child < end:
            table.option_nodes[count] = child
            count += 1 if nodes[child].longest >= least else 0
            child = whole(nodes[child].skip)
        node = table.option_nodes[draw_step(table, count)]
        table.plan[length] = node
        length += 1
        remaining -= 1
    table.plan_length = length
    put_plan_on_path(tree, table)
    return whole(nodes[node].fatica)


@kernel
def choose_walk(rules: np.record, maze: np.record, tree: Tree, table: np.record) -> int:
    """Put the mover's whole walk on the path, where nothing but Fatica can happen on the way.

    Returns its Fatica squares.
    """
    if table.player[table.seat] == GREEDY:
        return walk_to_best_end(rules, maze, tree, table)
    if table.player[table.seat] >= WEIGHED:
        weigh_walks(rules, maze, tree, table)
        put_plan_on_path(tree, table)
        return whole(tree.nodes[table.plan[table.plan_length - 1]].fatica)
    return uniform_walk(tree, table)


@kernel
def wandering_step(maze: np.record, tree: Tree, table: np.record, count: int) -> int:
    """`wanderer`: the Dojo when it can; else uniform over the steps with the fewest Fatica."""
    here = table.path[table.path_length - 1]
    if table.options[count - 1] == maze.entrance[here]:
        return count - 1
    fewest = 255
    good = 0
    for k in range(count):
        fatica = fatica_of_step(maze, tree, table, k, fewest + 1)
        if fatica < fewest:
            fewest = fatica
            good = 0
        if fatica == fewest:
            table.trail[good] = k
            good += 1
    return int(table.trail[draw_step(table, good)])


@kernel
def fatica_of_step(maze: np.record, tree: Tree, table: np.record, option: int, bound: int) -> int:
    """Return the fewest Fatica squares of a longest walk that begins with this option.

    Where that is not less than `bound`, it returns `bound` or more.
    """
    node = table.option_nodes[option]
    if node == NOWHERE:
        return 1 if maze.code[table.options[option]] == FATICA else 0
    return fewest_fatica(tree, node, table.remaining - 1, bound)


# Scripts and people


@kernel
def given_answer(table: np.record, kind: int, seat: int, count: int) -> int:
    """Return which option the script, or the person, takes."""
    if table.scripted:
        return scripted_answer(table, kind, seat, count)
    return persons_answer(table, kind, seat, count)


@kernel
def given_step(table: np.record, count: int, may_stop: bool) -> int:
    """Return which step the script, or the person, takes."""
    if table.scripted:
        return scripted_step(table, count, may_stop)
    return persons_step(table, count, may_stop)


@kernel
def scripted_step(table: np.record, count: int, may_stop: bool) -> int:
    """Take the script's next step; when the Dojo may be declined, no such step declines it."""
    wanted = NOWHERE
    if table.script_steps_next < table.script_steps_count:
        wanted = table.script_steps[table.script_steps_next]
    for k in range(count):
        if table.options[k] == wanted:
            table.script_steps_next += 1
            return k
    if may_stop:
        return NOWHERE
    blame(table, NO_STEP if wanted == NOWHERE else BAD_STEP, wanted)
    return 0


@kernel
def scripted_answer(table: np.record, kind: int, seat: int, count: int) -> int:
    """Take the script's next answer of this kind and seat.

    Unscripted, a pawn is placed on its board corner and a forced decision takes its option.
    """
    for k in range(table.script_choices_count):
        entry = table.script_choices[k]
        if entry[3] == 0 and entry[0] == kind and entry[1] == seat:
            entry[3] = 1
            for option in range(count):
                if table.options[option] == entry[2]:
                    return option
            blame(table, BAD_CHOICE, k)
            return 0
    if kind != PLACE and count > 1:
        blame(table, NO_CHOICE, kind)
    return 0
