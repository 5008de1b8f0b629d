"""What players made of weights do in small situations, one feature at a time."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from labirinto_situations import GAME, Situation, at, far_away
from scipy.stats import chisquare

from dojo_core.kernel import plain_python
from dojo_core.labirinto import tables
from dojo_core.labirinto.features import climb
from dojo_core.labirinto.play import lay_play, play_on
from dojo_core.labirinto.trace import read_log

KIAI, UKE, KAESHI = int(tables.KIAI), int(tables.UKE), int(tables.KAESHI)
NONE = int(tables.NO_CARD)
MANY = 60 if plain_python() else 1000
UNLIKELY = 1e-6
PLAYS = range(4)
# Nothing but stripes.
BARE = {"brown": 0, "delay": 0, "exam": 0, "again": 0, "cards": False}


def weighing(**weights):
    return {**BARE, **weights}


# The track and the board


@pytest.mark.parametrize("play", PLAYS)
def test_prospect_stops_where_more_is_to_be_had_later(play):
    # A Tatami two steps on, and nothing else anywhere near but to the east.
    situation = Situation(player=weighing(prospect=100), players={"0": at(3, 3)})
    best = situation.end(2, play)
    promised = situation.tables.table[0].prospect
    reached = {situation.end(2, other): None for other in range(12)}
    assert all(promised[square_at(best)] >= promised[square_at(end)] for end in reached)


def square_at(end):
    """Return the number of a square of the first quadrant."""
    return 8 * end[0] + end[1]


@pytest.mark.parametrize(("yellow", "climbs"), [(0, True), (-500, False)])
def test_a_belt_is_sought_or_shunned_for_what_it_is_worth(yellow, climbs):
    # (1,5) is the only A of the quadrant, three steps from (1,2); it makes a White belt Yellow.
    situation = Situation(player=weighing(yellow=yellow), players={"0": at(1, 2, track=2)})
    assert (situation.end(3) == (1, 5)) == climbs


def test_rising_makes_the_last_stripe_worth_more_than_the_first():
    stripes = np.diff(climb(GAME.weights_of({"stripe": 20, "rising": 160}), 3))
    assert (stripes[0], stripes[8], stripes[-1]) == (20, 100, 180)


@pytest.mark.parametrize(("spare", "climbs"), [(200, True), (-200, False)])
def test_spare_counts_stripes_above_the_first_of_brown(spare, climbs):
    situation = Situation(player=weighing(spare=spare), players={"0": at(1, 2, track=15)})
    assert (situation.end(3) == (1, 5)) == climbs


@pytest.mark.parametrize("play", PLAYS)
def test_delay_takes_a_brown_belt_nearer_to_the_dojo(play):
    situation = Situation(player=weighing(delay=100), players={"0": at(3, 1, track=15)})
    row, column = situation.end(4, play)
    turns = situation.table.turns_to_dojo.reshape(8, 8)
    assert turns[row, column] < turns[3, 1]


@pytest.mark.parametrize("play", PLAYS)
def test_approach_takes_lower_belts_nearer_too(play):
    plain = {(3, 3): ".", (4, 3): ".", (4, 4): ".", (1, 5): "."}
    situation = Situation(
        player=weighing(approach=100), walls=plain, players={"0": at(3, 1, track=14)}
    )
    row, column = situation.end(4, play)
    turns = situation.table.turns_to_dojo.reshape(8, 8)
    assert turns[row, column] < turns[3, 1]


@pytest.mark.parametrize(("exam", "enters"), [(20_000, True), (0, False)])
def test_exam_is_tried_for_what_it_is_worth(exam, enters):
    situation = Situation(player=weighing(exam=exam, brown=300), players={"0": at(5, 6, track=15)})
    assert (situation.walk(6) == [(6, 6)]) == enters


def test_an_exam_that_a_card_would_win_is_tried_where_a_bare_one_is_not():
    player = weighing(exam=1800, cards=True, start=200)

    def enters(hand):
        pawn = at(5, 6, track=15, hand=hand)
        return Situation(player=player, players={"0": pawn}).walk(6) == [(6, 6)]

    assert not enters(None)
    assert enters("Kiai")


# Fights


def attacks(player, own=4, theirs=4, steps=2, hand=None, play=0):
    pawns = {"0": at(5, 1, own, hand=hand), "1": at(5, 3, theirs), "2": far_away()}
    return (5, 3) in Situation(player=player, players=pawns).walk(steps, play)


def test_an_even_fight_is_sought_for_its_stripes():
    assert attacks(weighing())


def test_caution_keeps_out_of_it():
    assert not attacks(weighing(caution=300))


def test_start_keeps_out_of_it():
    assert not attacks(weighing(start=500))


@pytest.mark.parametrize("play", PLAYS)
def test_a_lower_belt_is_left_alone_unless_its_loss_counts(play):
    assert not attacks(weighing(), own=9, theirs=8, steps=4, play=play)


def test_deny_attacks_for_what_the_other_loses():
    # From Green against Blue the stripes alone are against it: every loss counts four times.
    player = {"caution": 400, "start": 100}
    assert not attacks(weighing(**player), own=9, theirs=14)
    assert attacks(weighing(**player, deny=500), own=9, theirs=14)


@pytest.mark.parametrize("play", range(8))
def test_who_weighs_no_fights_walks_into_them_unaware(play):
    # The better square lies behind a pawn that is not worth fighting.
    pawns = {"0": at(5, 1, 9), "1": at(5, 2, 8), "2": far_away()}
    walls = {(5, 3): "A"}
    options = {"upset_loss": 9}
    situation = Situation(
        player=weighing(fights=False), walls=walls, options=options, players=pawns
    )
    assert situation.walk(2, play) == [(5, 2), (5, 3)]
    careful = Situation(player=weighing(), walls=walls, options=options, players=pawns)
    assert (5, 2) not in careful.walk(2, play)


@pytest.mark.parametrize("play", PLAYS)
def test_exposure_stays_out_of_reach(play):
    # Seat 1 rolls one die: what lies within six steps of it may be attacked.
    pawns = {"0": at(3, 3, 6), "1": at(5, 7, 6), "2": far_away()}
    situation = Situation(player=weighing(exposure=100), players=pawns)
    meeting = situation.tables.maze[0].meeting

    def threat(end):
        return meeting[square_at((5, 7)), square_at(end)]

    reached = {Situation(player=weighing(), players=pawns).end(3, other) for other in range(30)}
    assert threat(situation.end(3, play)) <= min(threat(end) for end in reached)


@pytest.mark.parametrize("play", PLAYS)
def test_prey_stays_near_whom_it_may_attack(play):
    pawns = {"0": at(3, 3, 6), "1": at(5, 7, 6), "2": far_away()}
    plain = {(4, 3): ".", (4, 4): ".", (1, 5): ".", (4, 6): "."}
    situation = Situation(player=weighing(prey=100), walls=plain, players=pawns)
    meeting = situation.tables.maze[0].meeting
    near = meeting[square_at(situation.end(2, play)), square_at((5, 7))]
    assert near >= meeting[square_at((3, 3)), square_at((5, 7))]


# Cards


def plays_tecnica(card, side, dice, tried=0, **weights):
    """Tell whether a fighter on a side (0: the attacker) plays a Tecnica with these dice."""
    situation = Situation(player=weighing(**weights))
    table = situation.table
    table.fighter[:] = (0, 1)
    table.die[:] = dice
    table.bonus[:] = (0, 0)
    table.exam = tried
    return situation.choose(tables.TECNICA, side, [NONE, card]) == card


@pytest.mark.parametrize(
    ("card", "side", "dice", "plays"),
    [
        (KIAI, 0, (3, 3), False),  # the tie is the attacker's
        (KIAI, 0, (3, 5), True),  # 5 to 5 wins
        (KIAI, 0, (3, 6), False),  # 5 to 6 does not
        (KIAI, 1, (4, 3), True),
        (KIAI, 1, (5, 3), False),  # 5 to 5 is the attacker's
        (KAESHI, 0, (4, 4), False),
        (KAESHI, 0, (1, 2), True),
        (KAESHI, 1, (2, 2), True),
    ],
)
def test_a_tecnica_is_played_where_it_helps(card, side, dice, plays):
    assert plays_tecnica(card, side, dice) == plays


@pytest.mark.parametrize("side", [0, 1])
def test_a_card_worth_more_than_the_fight_is_kept(side):
    dice = (3, 5) if side == 0 else (4, 3)
    assert not plays_tecnica(KIAI, side, dice, kiai=900)
    assert plays_tecnica(KIAI, side, dice, kiai=100)


def test_no_card_is_worth_keeping_when_the_game_is_at_stake():
    assert plays_tecnica(KIAI, 0, (3, 5), tried=1, kiai=2000, exam=6400)
    assert plays_tecnica(KIAI, 1, (4, 3), tried=1, kiai=2000, exam=6400)


def test_uke_is_played_by_who_loses_and_would_be_far_from_where_it_is():
    assert plays_tecnica(UKE, 0, (1, 6), start=50)
    assert not plays_tecnica(UKE, 0, (6, 1), start=50)
    assert not plays_tecnica(UKE, 1, (6, 1), tried=1, start=50)


@pytest.mark.parametrize(("kiai", "uke", "kept"), [(100, 50, KIAI), (50, 100, UKE)])
def test_the_card_that_is_worth_more_is_kept(kiai, uke, kept):
    situation = Situation(player=weighing(kiai=kiai, uke=uke))
    assert situation.choose(tables.KEEP, 0, [KIAI, UKE]) == kept


def test_saving_raises_the_worth_of_a_card_with_the_track():
    low = Situation(player=weighing(kiai=200, saving=1000), players={"0": at(5, 1, 0)})
    high = Situation(player=weighing(kiai=200, saving=1000), players={"0": at(5, 1, 12)})
    for situation, plays in ((low, True), (high, False)):
        table = situation.table
        table.fighter[:] = (0, 1)
        table.die[:] = (3, 5)
        table.bonus[:] = (0, 0)
        table.exam = 0
        assert (situation.choose(tables.TECNICA, 0, [NONE, KIAI]) == KIAI) == plays


@pytest.mark.parametrize(
    ("own", "third", "plays"),
    [
        (12, 9, False),  # the Brown belt would call this seat
        (12, 12, False),  # or, by its choice, this seat
        (9, 12, True),  # the third seat would defend
    ],
)
def test_guard_keeps_a_card_for_an_exam_that_the_seat_would_defend(own, third, plays):
    pawns = {"0": at(5, 1, own), "1": at(5, 3, 15), "2": at(3, 3, third)}
    situation = Situation(player=weighing(guard=3000), players=pawns)
    table = situation.table
    table.fighter[:] = (0, 1)
    table.die[:] = (3, 5)
    table.bonus[:] = (0, 0)
    table.exam = 0
    assert (situation.choose(tables.TECNICA, 0, [NONE, KIAI]) == KIAI) == plays


@pytest.mark.parametrize("play", PLAYS)
def test_a_card_that_is_worth_something_is_drawn(play):
    plain = {(4, 3): ".", (4, 4): ".", (1, 5): "."}
    pawns = {"0": at(5, 5)}
    drawing = Situation(player=weighing(kiai=500), walls=plain, players=pawns)
    assert drawing.end(2, play) == (4, 6)


@pytest.mark.parametrize("play", PLAYS)
def test_the_defender_called_holds_no_card(play):
    situation = Situation(
        player="expert", players={"1": at(5, 1, 9, hand="Kiai"), "2": at(5, 3, 9)}
    )
    assert situation.choose(tables.DEFENDER, 0, [1, 2], play) == 2


@pytest.mark.parametrize("play", PLAYS)
def test_a_sfida_goes_where_most_is_to_be_won(play):
    situation = Situation(
        player=weighing(), players={"0": at(3, 3, 7), "1": at(5, 1, 4), "2": at(5, 3, 8)}
    )
    situation.table.target_for = tables.FOR_SFIDA
    assert situation.choose(tables.TARGET, 0, [1, 2], play) == 2


@pytest.mark.parametrize("play", PLAYS)
def test_irimi_takes_the_place_nearest_to_the_dojo(play):
    situation = Situation(
        player=weighing(delay=100),
        players={"0": at(3, 1, 15), "1": at(5, 6, 4), "2": at(5, 1, 4)},
    )
    situation.table.target_for = tables.FOR_IRIMI
    assert situation.choose(tables.TARGET, 0, [1, 2], play) == 1


# Chance


@pytest.mark.parametrize("kind", [tables.PLACE, tables.DEFENDER])
def test_equally_good_answers_are_equally_frequent(kind):
    situation = Situation(n=4, player=weighing())
    options = (
        [int(s) for s in situation.tables.maze[0].room_squares[0, :9]]
        if kind == tables.PLACE
        else [1, 2, 3]
    )
    answers = Counter(situation.choose(kind, 0, options, play) for play in range(MANY))
    assert chisquare([answers[option] for option in options]).pvalue > UNLIKELY


def test_temperature_takes_the_worse_answer_at_times():
    pawns = {"0": at(1, 2)}
    cold = {Situation(player=weighing(), players=pawns).end(3, play) for play in range(30)}
    warm = {
        Situation(player=weighing(temperature=400), players=pawns).end(3, play)
        for play in range(30)
    }
    assert cold == {(1, 5)}
    assert len(warm) > 1


# Hidden information


@pytest.mark.parametrize("player", ["careful", "bold", "expert", "master"])
def test_what_others_hold_face_down_changes_no_choice(player):
    """Cards in other hands and the deck change places; the mover's walk and answers do not."""
    answers = set()
    for first, second in permutations(["Kiai", "Uke", "Kaeshi"], 2):
        pawns = {
            "0": at(5, 1, 9, hand="Kiai"),
            "1": at(5, 3, 9, hand=first),
            "2": at(3, 3, 10, hand=second),
        }
        deck = ["Sfida", "Irimi", "Meditazione"]
        deck = deck if first < second else deck[::-1]
        situation = Situation(player=player, players=pawns, deck=deck)
        table = situation.table
        walks = tuple(tuple(situation.walk(steps)) for steps in range(1, 7))
        table.fighter[:] = (0, 1)
        table.die[:] = (3, 5)
        table.bonus[:] = (0, 0)
        table.exam = 0
        table.target_for = tables.FOR_SFIDA
        told = [
            situation.choose(tables.TECNICA, 0, [NONE, KIAI]),
            situation.choose(tables.TARGET, 0, [1, 2]),
            situation.choose(tables.KEEP, 0, [KIAI, UKE]),
        ]
        answers.add((walks, *told))
    assert len(answers) == 1


def until_something_is_revealed(events):
    """Return the events of a turn before a card or a fight shows what was hidden."""
    shown = []
    for event in events:
        if event["event"] in ("kumite", "draw", "exam"):
            break
        shown.append(event)
    return shown


@pytest.mark.parametrize("player", ["careful", "expert", "master"])
def test_a_turn_begins_the_same_whatever_is_hidden(player):
    """A play is stopped before a turn, all hidden cards are shuffled, and the turn is the same."""
    options = {"player": player, "kiai_cards": 6, "uke_cards": 5, "kaeshi_cards": 5}
    setup = GAME.prepare(GAME.resolve(options))
    rng = np.random.default_rng(5)
    compared = 0
    for play in range(1 if plain_python() else 6):
        laid = setup.tables.table.copy()
        laid[0].telling = 1
        lay_play(setup.tables, laid, 3, play)
        for _ in range(20 if plain_python() else 120):
            told = []
            shuffled = laid.copy()
            compared += shuffle_hidden(shuffled[0], rng)
            for table in (laid, shuffled):
                table[0].log_size = 0
                play_on(setup.tables, table, 1)
                told.append(until_something_is_revealed(read_log(table[0], 4)))
            assert told[0] == told[1]
            if not laid[0].paused:
                break
    assert compared > (3 if plain_python() else 100)


def shuffle_hidden(table, rng):
    """Deal anew what the mover has not seen: the deck and other hands; tell whether it differs."""
    others = [seat for seat in range(4) if seat != table.seat and table.hand[seat] != NONE]
    hands = [int(table.hand[seat]) for seat in others]
    deck = [int(card) for card in table.deck[: table.deck_size]]
    tecnica = rng.permutation([*hands, *(card for card in deck if card <= KAESHI)])
    dealt, rest = tecnica[: len(others)], list(tecnica[len(others) :])
    table.hand[others] = dealt
    table.deck[: len(deck)] = rng.permutation([*rest, *(card for card in deck if card > KAESHI)])
    return list(dealt) != hands


def test_a_told_play_is_the_play_that_is_counted():
    options = {"player": ["beginner", "careful", "master", "expert"], "start_track": 10}
    setup = GAME.prepare(GAME.resolve(options))
    out = GAME.out(setup, 3)
    GAME.play(setup, 4, 0, 3, out)
    for play in range(3):
        end = GAME.trace(setup, 4, play)[-1]
        assert end["play"] == {name: int(out.plays[play][name]) for name in out.plays.dtype.names}
