"""The numbers of a ladder, on made-up outcomes whose truth is known."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

from sweep.ladder import (
    Seated,
    edge,
    interval,
    matchups,
    paired,
    skill,
    standing,
    strength,
)
from sweep.outcomes import DRAWN, MISSING, UNFINISHED
from sweep.seatings import MIXES
from sweep.statistics import Mean, normal_p

NAMES = ("low", "middle", "high")
RUNGS = tuple((name,) for name in NAMES)


def seated(strengths, seats, mix, plays, seed=1, dice=None):
    """Return seatings whose winners are drawn in proportion to strength, from the same dice."""
    names = list(strengths)
    random = np.random.default_rng(seed)
    dice = random.random(plays) if dice is None else dice
    found = []
    for seating in MIXES[mix](len(names), seats):
        weights = np.cumsum([strengths[names[k]] for k in seating])
        won = np.searchsorted(weights, dice * weights[-1], side="right")
        found.append(Seated(tuple(names[k] for k in seating), won.astype(np.int8)))
    return found


def ladder(strengths, seats=4, plays=2_000, mixes=("one", "half"), seed=1):
    return [s for mix in mixes for s in seated(strengths, seats, mix, plays, seed)]


# Matchups


def test_seatings_of_the_same_players_are_one_matchup():
    found = matchups(ladder(dict.fromkeys(NAMES, 1.0), mixes=("one",)))
    assert len(found) == 6
    assert all(m.seatings == 4 and m.mix == "one" and m.plays == 8_000 for m in found)


def test_a_play_counts_when_it_is_stored_in_every_seating():
    outcomes = np.array([0, 1, MISSING, UNFINISHED, DRAWN, 1], np.int8)
    other = np.array([0, 0, 0, 1, MISSING], np.int8)
    (found,) = matchups([Seated(("a", "b"), outcomes), Seated(("b", "a"), other)])
    assert found.index.tolist() == [0, 1, 3]
    assert found.wins["a"].tolist() == [1, 0, 1]
    assert found.wins["b"].tolist() == [1, 2, 0]
    assert found.unfinished.tolist() == [0, 0, 1]


# Means of plays on the same dice


def test_the_error_of_one_part_is_that_of_its_values():
    values = np.random.default_rng(2).random(500)
    found = paired([(np.arange(500), values)], 500)
    assert found.mean == pytest.approx(values.mean())
    assert found.se == pytest.approx(stats.sem(values))


def test_parts_on_the_same_dice_do_not_count_twice():
    values = np.random.default_rng(2).random(500)
    once = paired([(np.arange(500), values)], 500)
    twice = paired([(np.arange(500), values)] * 2, 1000)
    apart = paired([(np.arange(500), values), (np.arange(500, 1000), values)], 1000)
    assert twice.se == pytest.approx(once.se)
    assert apart.se == pytest.approx(once.se / math.sqrt(2), rel=0.01)


def test_equal_players_on_the_same_dice_have_exactly_their_fair_share():
    found = matchups(ladder(dict.fromkeys(NAMES, 1.0), mixes=("one",)))
    for matchup in found:
        name = next(n for n, seats in matchup.seats.items() if seats == 1)
        share = paired([(matchup.index, matchup.share(name))], matchup.plays)
        assert (share.mean, share.se) == (0.25, 0.0)


def test_a_share_without_spread_has_wilsons_interval():
    low, high = interval(Mean(1.0, 0.0, 100))
    assert high == 1.0
    assert 0.95 < low < 0.97


def test_the_normal_p_value_is_scipys():
    assert normal_p(1.5, 0.7) == pytest.approx(2 * stats.norm.sf(1.5 / 0.7))
    assert (normal_p(0.0, 0.0), normal_p(0.1, 0.0), normal_p(0.1, math.nan)) == (1.0, 0.0, 1.0)


# Strength


@pytest.mark.parametrize("mixes", [("one",), ("half",), ("one", "half")])
def test_strengths_are_found_again(mixes):
    true = {"low": 1.0, "middle": 2.0, "high": 4.0}
    theta, covariance = strength(NAMES, matchups(ladder(true, plays=20_000, mixes=mixes)))
    expected = np.log(list(true.values())) - np.mean(np.log(list(true.values())))
    assert theta == pytest.approx(expected, abs=0.05)
    assert np.abs(theta - expected).max() < 4 * np.sqrt(np.diag(covariance)).max()


def test_two_at_a_table_have_the_strengths_of_their_wins():
    won = np.array([0] * 75 + [1] * 25, np.int8)
    found = matchups([Seated(("a", "b"), won), Seated(("b", "a"), 1 - won)])
    theta, _ = strength(("a", "b"), found)
    assert theta[0] - theta[1] == pytest.approx(math.log(3), rel=0.02)


def test_the_error_of_a_strength_is_its_spread_over_samples():
    true = {"low": 1.0, "middle": 2.0, "high": 5.0}
    samples = [strength(NAMES, matchups(ladder(true, plays=400, seed=seed))) for seed in range(60)]
    spread = np.std([theta for theta, _ in samples], axis=0)
    told = np.mean([np.sqrt(np.diag(covariance)) for _, covariance in samples], axis=0)
    assert told == pytest.approx(spread, rel=0.35)


def test_who_never_wins_has_a_strength_too():
    never = np.ones(50, np.int8)
    theta, covariance = strength(("a", "b"), matchups([Seated(("a", "b"), never)]))
    assert -10 < theta[0] < -1
    assert np.isfinite(covariance).all()


def test_more_plays_make_the_error_smaller():
    true = {"low": 1.0, "middle": 2.0, "high": 4.0}
    few, many = (strength(NAMES, matchups(ladder(true, plays=n)))[1][0, 0] for n in (500, 8_000))
    assert many == pytest.approx(few / 16, rel=0.3)


# Steps


def test_a_better_rung_counts_and_an_equal_one_does_not():
    found = standing(RUNGS, ladder({"low": 1.0, "middle": 1.0, "high": 2.0}))
    equal, better = found.steps
    assert not equal.counts
    assert better.counts
    assert better.share.share > better.share.low > better.share.fair == 0.25
    assert (better.upper, better.lower, better.share.mix) == ("high", "middle", "one")
    assert better.rating > 1.96 * better.rating_se


def test_a_worse_rung_does_not_count_however_sure_it_is():
    found = standing((("high",), ("low",)), ladder({"high": 3.0, "low": 1.0}))
    assert found.steps[0].p < 0.001
    assert not found.steps[0].counts


def test_players_of_one_rung_are_beside_those_below_not_each_other():
    found = standing((("low",), ("middle", "high")), ladder({"low": 1, "middle": 2, "high": 2}))
    assert [(step.upper, step.lower) for step in found.steps] == [
        ("middle", "low"),
        ("high", "low"),
    ]


def test_the_p_values_of_the_steps_are_corrected_for_their_number():
    strengths = {"low": 1.0, "middle": 1.05, "high": 1.1}
    found = standing(RUNGS, ladder(strengths, plays=300))
    raw = sorted(normal_p(step.edge, step.edge_se) for step in found.steps)
    assert sorted(step.p for step in found.steps)[0] == pytest.approx(min(1, 2 * raw[0]))


def test_the_false_steps_of_equal_players_are_rare():
    false = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        seatings = [
            Seated(players, random.integers(0, 4, 200).astype(np.int8))
            for players in itertools.chain(
                *[
                    [tuple(a if k == s else b for k in range(4)) for s in range(4)]
                    for a, b in itertools.permutations(NAMES, 2)
                ]
            )
        ]
        false += any(step.p < 0.05 for step in standing(RUNGS, seatings).steps)
    assert false <= 12


def test_unfinished_plays_are_nobodys_and_told():
    outcomes = np.array([0, UNFINISHED, 0, UNFINISHED, DRAWN], np.int8)
    found = standing((("b",), ("a",)), [Seated(("a", "b"), outcomes)])
    assert (found.unfinished, found.drawn) == (0.4, 0.2)
    share = next(s for s in found.shares if s.name == "a")
    assert (share.share, share.fair) == (0.4, 0.2)


def test_all_different_compares_two_rungs_seat_by_seat():
    strengths = {"low": 1.0, "middle": 2.0, "high": 4.0}
    seatings = seated(strengths, 3, "different", 30_000)
    found = standing(RUNGS, seatings)
    assert found.steps[1].share.mix == "different"
    assert found.steps[1].edge == pytest.approx(4 / 7 - 2 / 7, abs=0.01)
    assert edge(matchups(seatings), "low", "high").mean == pytest.approx(-3 / 7, abs=0.01)


def test_an_average_is_over_all_matchups_of_a_mix():
    found = standing(RUNGS, ladder({"low": 1.0, "middle": 2.0, "high": 4.0}))
    (average,) = (a for a in found.averages if (a.name, a.mix) == ("high", "one"))
    parts = [s for s in found.shares if (s.name, s.mix) == ("high", "one")]
    assert average.share == pytest.approx(sum(s.share for s in parts) / 2)
    assert (average.n, average.against) == (sum(s.n for s in parts), ("low", "middle"))


def test_a_player_that_has_not_played_yet_is_left_out():
    seatings = [s for s in ladder(dict.fromkeys(NAMES, 1.0)) if "middle" not in s.players]
    found = standing(RUNGS, seatings)
    assert [rating.name for rating in found.ratings] == ["low", "high"]
    assert found.steps == []


def test_nothing_stored_is_no_standing():
    assert standing(RUNGS, [Seated(NAMES, np.zeros(0, np.int8))]) is None


def test_a_standing_is_plain_values():
    found = standing(RUNGS, ladder(dict.fromkeys(NAMES, 1.0), plays=50)).to_json()
    assert json.loads(json.dumps(found))["steps"][0]["counts"] is False


# Skill


def test_skill_explains_nothing_of_luck_and_everything_of_certainty():
    assert skill(matchups(ladder(dict.fromkeys(NAMES, 1.0)))).mean == pytest.approx(0, abs=1e-9)
    sure = [Seated(seats, np.full(90, seats.index("a"), np.int8)) for seats in ("abb", "bab")]
    assert skill(matchups([Seated(tuple(s.players), s.outcomes) for s in sure])).mean == 1.0


def test_skill_is_the_entropy_that_is_missing():
    won = np.repeat(np.array([0, 1], np.int8), [900, 100])
    found = skill(matchups([Seated(("a", "b"), won)]))
    assert found.mean == pytest.approx(1 - stats.entropy([0.9, 0.1]) / math.log(2))


def test_the_error_of_skill_is_its_spread_over_samples():
    true = {"low": 1.0, "middle": 2.0, "high": 4.0}
    samples = [skill(matchups(seated(true, 4, "one", 500, seed))) for seed in range(60)]
    told = np.mean([mean.se for mean in samples])
    assert told == pytest.approx(np.std([mean.mean for mean in samples]), rel=0.3)


def test_skill_of_plays_nobody_won_is_not_told():
    assert math.isnan(skill(matchups([Seated(("a", "b"), np.full(5, DRAWN, np.int8))])).mean)


def test_seatings_of_players_that_stand_on_no_rung_tell_nothing():
    names = ["lower", "upper"]
    seated = ladder({"lower": 1, "upper": 2}, seats=2, plays=100)
    assert standing([[name] for name in names], seated) is not None
    assert standing([], seated) is None
