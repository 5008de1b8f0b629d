"""What `greedy` and `wanderer` do in small situations that anybody can judge."""

from collections import Counter

import labirinto_twin as twin
import numpy as np
import pytest
from labirinto_situations import GAME, QUADRANTS, Situation, at, drawn_over, far_away
from scipy.stats import chisquare

from dojo_core.kernel import plain_python
from dojo_core.labirinto import tables

MANY = 60 if plain_python() else 2000
# A fair choice fails one such test in a million.
UNLIKELY = 1e-6


# Walks of greedy


def test_greedy_prefers_allenamento_to_tatami():
    # (1,5) is the only A of the quadrant, three steps from (1,2).
    assert Situation(players={"0": at(1, 2)}).end(3) == (1, 5)


def test_greedy_goes_for_nebbia_where_there_is_nothing_better():
    assert Situation(players={"0": at(5, 5)}).end(2) == (4, 6)


@pytest.mark.parametrize("play", range(8))
def test_greedy_takes_the_way_without_fatica_to_an_equal_end(play):
    # From (3,3) to the only A two steps on: by (4,3), a Fatica, or by (3,4).
    situation = Situation(walls={(4, 4): "A", (3, 4): "."}, players={"0": at(3, 3, track=9)})
    assert situation.walk(2, play) == [(3, 4), (4, 4)]


@pytest.mark.parametrize("play", range(8))
def test_greedy_walks_on_fatica_that_costs_nothing(play):
    situation = Situation(
        walls={(4, 3): "F", (3, 4): "F", (4, 4): "A"}, players={"0": at(3, 3, track=0)}
    )
    assert situation.end(2, play) == (4, 4)


def test_greedy_pays_no_fatica_for_a_gain_no_greater():
    situation = Situation(
        walls={(4, 3): "F", (3, 4): "F", (4, 4): "A"}, players={"0": at(3, 3, track=9)}
    )
    ends = {situation.end(2, play) for play in range(20)}
    # The stripe won is the stripe lost: no better than any Tatami.
    assert len(ends) > 1


@pytest.mark.parametrize("play", range(4))
def test_greedy_enters_the_dojo_as_brown(play):
    # The entrance is at (5,6), south into (6,6).
    situation = Situation(players={"0": at(5, 5, track=15)})
    walk = situation.walk(6, play)
    assert walk[-1] == (6, 6)
    assert (6, 5) not in walk


def test_greedy_enters_the_dojo_from_where_it_stands():
    assert Situation(players={"0": at(5, 6, track=15)}).walk(6) == [(6, 6)]


def test_greedy_does_not_enter_the_dojo_below_brown():
    walk = Situation(players={"0": at(5, 6, track=14)}).walk(6)
    assert len(walk) == 6
    assert (6, 6) not in walk


@pytest.mark.parametrize("play", range(4))
def test_greedy_as_brown_comes_nearer_to_the_dojo(play):
    situation = Situation(players={"0": at(3, 1, track=15)})
    row, column = situation.end(4, play)
    # Seven steps from the squares beside the entrances at the start; three after the walk.
    assert min(abs(row - 5) + abs(column - 6), abs(row - 6) + abs(column - 5)) == 3


def test_greedy_does_not_lose_its_brown_belt_on_the_way_to_the_dojo():
    # Of the two entrances, (6,5) is a Fatica.
    walk = Situation(players={"0": at(7, 5, track=15)}).walk(5)
    assert (6, 5) not in walk


def test_greedy_attacks_an_equal_belt():
    situation = Situation(players={"0": at(5, 1, 4), "1": at(5, 3, 4), "2": far_away()})
    assert (5, 3) in situation.walk(2)


def test_greedy_attacks_a_belt_above_it():
    situation = Situation(players={"0": at(5, 1, 2), "1": at(5, 3, 3), "2": far_away()})
    assert (5, 3) in situation.walk(2)


@pytest.mark.parametrize("play", range(10))
def test_greedy_goes_round_a_fight_that_it_would_likely_lose(play):
    # An upset is worth three stripes, but ten chances in 36 do not pay for losing three.
    options = {"favourite_loss": 18}
    situation = Situation(
        options=options, players={"0": at(5, 1, 8), "1": at(5, 3, 17), "2": far_away()}
    )
    for steps in (2, 3, 4):
        assert (5, 3) not in situation.walk(steps, play)


@pytest.mark.parametrize("play", range(10))
def test_greedy_goes_round_a_weaker_pawn_that_has_nothing_to_give(play):
    # The higher belt wins nothing and may lose three.
    situation = Situation(players={"0": at(5, 1, 9), "1": at(5, 3, 8), "2": far_away()})
    assert (5, 3) not in situation.walk(4, play)


def test_greedy_with_a_kiai_attacks_where_it_would_not_without():
    def attacks(hand):
        seat = at(5, 1, 4, hand=hand)
        options = {"favourite_loss": 2, "kiai": 6}
        situation = Situation(
            options=options, players={"0": seat, "1": at(5, 3, 12), "2": far_away()}
        )
        return sum((5, 3) in situation.walk(2, play) for play in range(5))

    assert attacks(None) == 0
    assert attacks("Kiai") == 5


@pytest.mark.parametrize("play", range(5))
def test_greedy_passes_a_meditating_pawn(play):
    ahead = at(5, 3, 4, med=True)
    situation = Situation(
        walls={(5, 4): "A"}, players={"0": at(5, 2, 4), "1": ahead, "2": far_away()}
    )
    assert situation.end(2, play) == (5, 4)


def test_greedy_takes_each_of_its_best_walks_equally_often():
    # Two steps from the middle of an empty floor, no square better than another.
    plain = {(4, 3): ".", (4, 4): ".", (4, 6): ".", (1, 5): "."}
    situation = Situation(walls=plain, players={"0": at(4, 4, 4)})
    counts = Counter(tuple(situation.walk(2, play)) for play in range(MANY))
    expected = list(twin.walks(twin.read_quadrant(_text(plain)), 16 * 4 + 4, 2))
    assert len(counts) == len(expected)
    assert chisquare(list(counts.values())).pvalue > UNLIKELY


def _text(codes):
    return drawn_over("\n".join(QUADRANTS["OPEN"]["quadrant"]), codes)


# Decisions of greedy

KIAI, UKE, KAESHI = int(tables.KIAI), int(tables.UKE), int(tables.KAESHI)
NONE = int(tables.NO_CARD)


def plays_tecnica(card, side, dice, bonus=(0, 0), exam=0, **options):
    """Tell whether a fighter on a side (0: the attacker) plays a Tecnica with these dice."""
    situation = Situation(options=options)
    table = situation.table
    table.fighter[:] = (0, 1)
    table.die[:] = dice
    table.bonus[:] = bonus
    table.exam = exam
    return situation.choose(tables.TECNICA, side, [NONE, card]) == card


@pytest.mark.parametrize(
    ("card", "side", "dice", "plays"),
    [
        (KIAI, 0, (3, 2), False),  # winning
        (KIAI, 0, (3, 3), False),  # the tie is the attacker's
        (KIAI, 0, (3, 5), True),  # 5 to 5 wins
        (KIAI, 0, (3, 6), False),  # 5 to 6 does not
        (KIAI, 1, (3, 4), False),
        (KIAI, 1, (3, 3), True),
        (KIAI, 1, (4, 3), True),
        (KIAI, 1, (5, 3), False),  # 5 to 5 is the attacker's
        (UKE, 0, (3, 3), False),
        (UKE, 0, (1, 6), True),
        (UKE, 1, (2, 6), False),
        (UKE, 1, (6, 1), True),
        (KAESHI, 0, (4, 4), False),
        (KAESHI, 0, (1, 2), True),
        (KAESHI, 1, (1, 2), False),
        (KAESHI, 1, (2, 2), True),
    ],
)
def test_greedy_plays_a_tecnica_only_where_it_helps(card, side, dice, plays):
    assert plays_tecnica(card, side, dice) == plays


def test_greedy_counts_the_belts_before_it_plays_a_tecnica():
    assert plays_tecnica(UKE, 0, (3, 2), bonus=(0, 2))
    assert not plays_tecnica(UKE, 0, (3, 4), bonus=(1, 0))


def test_greedy_knows_who_wins_a_tie():
    assert plays_tecnica(UKE, 0, (3, 3), kumite_ties="defender")
    assert not plays_tecnica(UKE, 1, (3, 3), kumite_ties="defender")
    assert plays_tecnica(UKE, 0, (3, 3), exam=1, exam_ties="defender")
    assert not plays_tecnica(UKE, 0, (3, 3), exam=1, kumite_ties="defender")


def test_greedy_wastes_no_uke_as_the_defender_of_an_exam():
    assert not plays_tecnica(UKE, 1, (6, 1), exam=1)
    assert plays_tecnica(UKE, 0, (1, 6), exam=1)
    assert plays_tecnica(KAESHI, 1, (6, 1), exam=1)


@pytest.mark.parametrize(
    ("held", "drawn", "kept"),
    [
        (KIAI, UKE, KIAI),
        (UKE, KIAI, KIAI),
        (KIAI, KAESHI, KIAI),
        (KAESHI, KIAI, KIAI),
        (UKE, KAESHI, UKE),
        (KAESHI, UKE, UKE),
    ],
)
def test_greedy_keeps_kiai_over_uke_over_kaeshi(held, drawn, kept):
    assert Situation().choose(tables.KEEP, 0, [held, drawn]) == kept


@pytest.mark.parametrize("play", range(5))
def test_greedy_calls_a_defender_who_holds_no_tecnica(play):
    situation = Situation(players={"1": at(5, 1, 9, hand="Kiai"), "2": at(5, 3, 9)})
    assert situation.choose(tables.DEFENDER, 0, [1, 2], play) == 2


@pytest.mark.parametrize("play", range(5))
def test_greedy_challenges_whom_it_gains_most_from(play):
    # Against the equal belt 21 of 36 win three stripes; against the lower one there is no gain.
    situation = Situation(players={"0": at(3, 3, 7), "1": at(5, 1, 4), "2": at(5, 3, 8)})
    situation.table.target_for = tables.FOR_SFIDA
    assert situation.choose(tables.TARGET, 0, [1, 2], play) == 2


@pytest.mark.parametrize("play", range(5))
def test_greedy_as_brown_swaps_with_the_pawn_nearest_to_the_dojo(play):
    situation = Situation(players={"0": at(3, 1, 15), "1": at(5, 6, 4), "2": at(5, 1, 4)})
    situation.table.target_for = tables.FOR_IRIMI
    assert situation.choose(tables.TARGET, 0, [1, 2], play) == 1


@pytest.mark.parametrize("kind", [tables.PLACE, tables.DEFENDER, tables.ORDER])
def test_greedy_answers_equally_good_options_equally_often(kind):
    situation = Situation(n=4)
    options = (
        [int(s) for s in situation.tables.maze[0].room_squares[0, :9]]
        if kind == tables.PLACE
        else [1, 2, 3]
    )
    answers = Counter(situation.choose(kind, 0, options, play) for play in range(MANY))
    assert chisquare([answers[option] for option in options]).pvalue > UNLIKELY


# The wanderer, as its plays are told


def walks_told(events, grid):
    """Yield (track, square, steps left, squares visited, the step) for each step of a roll."""
    track = list(events[0]["track"])
    pawns = [16 * row + column for row, column in events[0]["squares"]]
    visited = frozenset()
    left = 0
    for event in events[1:]:
        kind, seat = event["event"], event.get("seat")
        if kind == "roll":
            visited, left = frozenset({pawns[seat]}), sum(event["dice"])
        elif kind == "step":
            to = 16 * event["to"][0] + event["to"][1]
            if not event["extra"]:
                yield track[seat], pawns[seat], left, visited, to
            pawns[seat], left, visited = to, event["remaining"], visited | {to}
        elif kind in ("track", "fatica"):
            track[seat] = event["to"]
        elif kind in ("start", "uke", "passo_falso", "tunnel") and event["to"]:
            pawns[seat] = 16 * event["to"][0] + event["to"][1]
        elif kind == "swap":
            for who, (row, column) in zip((seat, event["with"]), event["squares"], strict=True):
                pawns[who] = 16 * row + column
        elif kind == "exam" and event["defender"] is None:
            pawns[event["challenger"]] = 16 * event["returned"][0] + event["returned"][1]


@pytest.fixture(scope="module")
def wandered():
    """Return the board and all steps of some plays by wanderers, high on the track."""
    rounds = 2 if plain_python() else 25
    options = {"player": "wanderer", "start_track": 14, "max_rounds": rounds}
    setup = GAME.prepare(GAME.resolve(options))
    plays = [GAME.trace(setup, 1, play) for play in range(2 if plain_python() else 6)]
    grid = twin.read_board(plays[0][0]["board"]["lines"])
    return grid, [step for events in plays for step in walks_told(events, grid)]


def test_wanderer_enters_the_dojo_whenever_it_can(wandered):
    grid, steps = wandered
    chances = [
        (to, grid.doors[square])
        for track, square, left, _, to in steps
        if track >= 15 and left > 0 and grid.doors[square]
    ]
    assert chances
    assert all(to in doors for to, doors in chances)


def test_wanderer_steps_where_the_least_fatica_lies_ahead(wandered):
    grid, steps = wandered
    walked = [step for step in steps if step[4] not in grid.doors[step[1]]]
    assert len(walked) > 50
    for _, square, left, visited, to in walked:
        assert to in twin.thrifty_steps(grid, square, left, visited)


def test_wanderer_takes_no_fatica_where_a_way_without_exists(wandered):
    grid, steps = wandered
    onto_fatica = [step for step in steps if grid.codes[step[4]] == "F"]
    for _, square, left, visited, _ in onto_fatica:
        assert twin.fewest_fatica(grid, square, left, visited) > 0
    assert np.mean([grid.codes[step[4]] == "F" for step in steps]) < 0.2
