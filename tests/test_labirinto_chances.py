"""The chances that players reckon with, against plain enumeration by exact fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from labirinto_situations import GAME, Situation, at

from dojo_core.kernel import entry
from dojo_core.labirinto import weighing
from dojo_core.labirinto.chances import attack_odds, card_odds, meeting_chances, roll_chances
from dojo_core.labirinto.tables import (
    CERTAIN,
    KAESHI,
    KIAI,
    NO_CARD,
    ODDS_CENTRE,
    PLAIN,
    UKE,
    WITH_KAESHI,
    WITH_KIAI,
)

SORTS = (PLAIN, WITH_KIAI, WITH_KAESHI)


def wins(points, ties):
    """The attacker wins a tie when it is 0."""
    return Fraction(points >= ties)


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def after_reply(attack, defence, ahead, ties, theirs, faces, kiai):
    """The attacker's chance when the defender answers as well as it can."""
    now = wins(attack - defence + ahead, ties)
    if theirs == WITH_KIAI:
        return min(now, wins(attack - defence + ahead - kiai, ties))
    if theirs == WITH_KAESHI:
        return min(now, mean(wins(attack - d + ahead, ties) for d in range(1, faces + 1)))
    return now


def before_dice(ahead, ties, mine, theirs, faces, kiai):
    """The attacker's chance when both play their cards as well as they can."""
    chances = []
    for attack, defence in product(range(1, faces + 1), repeat=2):
        best = after_reply(attack, defence, ahead, ties, theirs, faces, kiai)
        if mine == WITH_KIAI:
            played = after_reply(attack, defence, ahead + kiai, ties, theirs, faces, kiai)
            best = max(best, played)
        elif mine == WITH_KAESHI:
            played = mean(
                after_reply(a, defence, ahead, ties, theirs, faces, kiai)
                for a in range(1, faces + 1)
            )
            best = max(best, played)
        chances.append(best)
    return mean(chances)


@pytest.mark.parametrize(("faces", "kiai"), [(6, 2), (4, 1), (3, 5)])
@pytest.mark.parametrize("ties", [0, 1])
def test_chances_with_cards_are_those_of_enumerating_dice_and_cards(faces, kiai, ties):
    odds = card_odds(faces, kiai)
    for mine, theirs, ahead in product(SORTS, SORTS, range(-8, 9)):
        exact = before_dice(ahead, ties, mine, theirs, faces, kiai)
        found = odds[ties, mine, theirs, ODDS_CENTRE + ahead]
        assert found == exact * CERTAIN // 1, (mine, theirs, ahead)


def test_without_cards_chances_are_the_bare_ones():
    assert (card_odds(6, 2)[:, PLAIN, PLAIN] == attack_odds(6)).all()


def test_rolls_come_in_the_ways_that_counting_finds():
    counted = np.bincount([a + b + c for a, b, c in product(range(1, 5), repeat=3)])
    assert list(roll_chances(3, 4)) == list(counted)


def test_meetings_are_the_rolls_whose_walks_reach_the_square():
    reach = np.zeros((64, 13, 4), np.uint64)
    reach[5, 7, 2] = 1 << 3  # square 131, by a roll of seven alone
    reach[5, 2:13, 0] |= 1 << 9
    chances = meeting_chances(reach, 2, 6)
    assert chances[5, 131] == 6 * CERTAIN // 36
    assert chances[5, 9] == CERTAIN
    assert chances.sum() == CERTAIN + 6 * CERTAIN // 36


@entry
def chance_with(rules, laid, seat, card):
    return weighing.chance_with(rules[0], laid[0], seat, card)


@entry
def likely(laid, seat, other, sort):
    return weighing.likely(laid[0], seat, other, sort)


def fight(dice, mine=None, theirs=None, **options):
    """A fight of seat 0 against seat 1, these dice on the table."""
    hands = {"0": at(5, 1, hand=mine), "1": at(5, 3, hand=theirs)}
    situation = Situation(player="expert", players=hands, options=options)
    table = situation.table
    table.fighter[:] = (0, 1)
    table.die[:] = dice
    table.bonus[:] = (0, 0)
    table.exam = 0
    return situation


def chance(situation, seat, card):
    return chance_with(situation.tables.rules, situation.laid, seat, card)


@pytest.mark.parametrize("dice", list(product((1, 2, 4, 6), repeat=2)))
@pytest.mark.parametrize("card", [NO_CARD, KIAI, UKE, KAESHI])
def test_an_attacker_reckons_with_every_card_the_defender_may_hold(dice, card):
    # Of the three Kiai, two Uke and two Kaeshi the attacker's own hand is known to it.
    names = {NO_CARD: None, KIAI: "Kiai", UKE: "Uke", KAESHI: "Kaeshi"}
    situation = fight(dice, names[card], "Uke")
    copies = {KIAI: 3, UKE: 2, KAESHI: 2}
    if card != NO_CARD:
        copies[card] -= 1
    sorts = {WITH_KIAI: copies[KIAI], WITH_KAESHI: copies[KAESHI], PLAIN: copies[UKE]}

    def reckoned(attack, ahead):
        held = sum(sorts.values())
        return sum(
            Fraction(count, held) * after_reply(attack, dice[1], ahead, 0, theirs, 6, 2)
            for theirs, count in sorts.items()
        )

    exact = reckoned(dice[0], 2 if card == KIAI else 0)
    if card == KAESHI:
        exact = mean(reckoned(attack, 0) for attack in range(1, 7))
    assert abs(chance(situation, 0, card) - exact * CERTAIN) <= 4


@pytest.mark.parametrize("dice", list(product(range(1, 7), repeat=2)))
def test_a_defender_knows_what_its_card_does(dice):
    attack, defence = dice
    situation = fight(dice, None, "Kiai")
    assert chance(situation, 1, NO_CARD) == CERTAIN * (attack < defence)
    assert chance(situation, 1, KIAI) == CERTAIN * (attack < defence + 2)
    rolled = sum(attack < again for again in range(1, 7))
    assert chance(situation, 1, KAESHI) == CERTAIN * rolled // 6


def test_cards_that_everyone_saw_go_are_no_longer_held():
    situation = fight((3, 3), None, "Kaeshi")
    situation.table.face_up[KIAI] = 3
    situation.table.face_up[KAESHI] = 1
    assert likely(situation.laid, 0, 1, WITH_KIAI) == 0
    assert likely(situation.laid, 0, 1, WITH_KAESHI) == CERTAIN // 3


def test_who_holds_nothing_can_play_nothing():
    situation = fight((3, 3))
    assert likely(situation.laid, 0, 1, PLAIN) == CERTAIN
    assert GAME.weights_of("expert")["cards"]
