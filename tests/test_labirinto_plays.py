"""Plays: what is kept of them agrees with itself and with what is told, whatever the options.

Also what a play starts from: seats, track, deck, dice, and what `prepare` refuses.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from board_drawings import SHIPPED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.kernel import plain_python
from dojo_core.labirinto import play as plays_module
from dojo_core.labirinto import scenarios, walks
from dojo_core.labirinto.chances import attack_odds
from dojo_core.labirinto.columns import CARDS, PLAY_COLUMNS, SEAT_COLUMNS
from dojo_core.labirinto.options import OPTIONS
from dojo_core.labirinto.setup import pack_maze, seating, seating_fault
from dojo_core.labirinto.tables import ODDS_CENTRE
from dojo_core.labirinto.trace import read_log

GAME = games.load("labirinto")
PLAYERS = [strategy.name for strategy in GAME.strategies]
ROUNDS = 3 if plain_python() else 25
EXAMPLES = settings(
    max_examples=3 if plain_python() else 60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def prepared(**options):
    return GAME.prepare(GAME.resolve(options))


def played(setup, seed=1, first=0, count=1):
    out = GAME.out(setup, count)
    GAME.play(setup, seed, first, count, out)
    return out


def of(events, kind):
    return [event for event in events if event["event"] == kind]


# Options by lot


@st.composite
def points(draw):
    """Any options that fit together, of plays that are soon over."""
    chosen = {}
    for option in OPTIONS:
        if option.kind == "integer":
            chosen[option.name] = draw(st.integers(option.low, min(option.high, 20)))
        elif option.kind == "switch":
            chosen[option.name] = draw(st.booleans())
        elif option.kind == "choice":
            chosen[option.name] = draw(st.sampled_from(option.choices))
    chosen["board"] = draw(st.sampled_from(sorted(SHIPPED)))
    chosen["players"] = draw(st.integers(3, 8))
    one_a_seat = st.lists(
        st.sampled_from(PLAYERS), min_size=chosen["players"], max_size=chosen["players"]
    )
    chosen["player"] = draw(st.one_of(st.sampled_from(PLAYERS), one_a_seat))
    chosen["max_rounds"] = draw(st.integers(1, ROUNDS))
    # Walks of at most twelve steps, as with two ordinary dice.
    chosen["die_faces"] = draw(st.integers(2, 12 // chosen["dice"]))
    # Starts near the top, where Exams are, as often as anywhere.
    top = 6 * chosen["belt_stripes"] - 1
    for name in ("start_track", "start_track_many", "start_track_short"):
        chosen[name] = draw(st.one_of(st.integers(0, top), st.integers(top * 4 // 5, top)))
    return chosen


@EXAMPLES
@given(points(), st.integers(0, 2**63 - 1), st.integers(0, 2**40))
def test_columns_of_any_point_agree(options, seed, first):
    setup = prepared(**options)
    out = played(setup, seed, first, 6)
    check_sums(options, out)


def check_sums(options, out):
    rows, seats, squares = out
    rows = {name: rows[name].astype(np.int64) for name in rows.dtype.names}
    a_play = {name: seats[name].astype(np.int64).sum(axis=1) for name in seats.dtype.names}
    total = {name: int(squares[name].sum()) for name in squares.dtype.names}

    outcomes = rows["kumite_upset"] + rows["kumite_equal"] + rows["kumite_favourite"]
    assert (rows["kumite"] == outcomes).all()
    assert (rows["kumite"] == a_play["attacks_won"] + a_play["attacks_lost"]).all()
    assert (rows["kumite"] == a_play["defences_won"] + a_play["defences_lost"]).all()
    assert (rows["kumite_attacker"] == a_play["attacks_won"]).all()
    assert (a_play["attacks_won"] == a_play["defences_lost"]).all()
    assert total["fights"] == rows["kumite"].sum()

    assert (rows["exams_started"] == a_play["exams"]).all()
    assert (rows["exams_started"] == a_play["exam_defences"]).all()
    assert (rows["exams_won"] == rows["finished"]).all()
    assert (rows["exam_bouts"] >= options["exam_wins"] * rows["exams_started"]).all()
    assert (
        rows["exam_bouts"] < 2 * options["exam_wins"] * np.maximum(rows["exams_started"], 1)
    ).all()

    lost = rows["kumite"] + rows["exams_started"] - rows["exams_won"]
    assert (rows["starts"] + rows["uke_saves"] == lost).all()
    assert (rows["starts"] == a_play["starts"]).all()
    assert total["sends"] == rows["starts"].sum()

    assert total["steps"] == rows["steps"].sum()
    assert (rows["extra_steps"] <= rows["steps"]).all()
    assert total["rest"] == (rows["turns"] * options["players"]).sum()

    drawn = sum(rows[f"drawn_{key}"] for key, _ in CARDS)
    assert (rows["cards"] == drawn).all()
    assert (rows["cards"] == a_play["cards"]).all()
    for key in ("kiai", "uke", "kaeshi"):
        assert (rows[f"played_{key}"] <= rows[f"drawn_{key}"]).all()
    assert (rows["fatica_stripes"] == a_play["fatica_stripes"]).all()

    finished = rows["finished"] == 1
    assert ((rows["winner"] >= 0) == finished).all()
    assert ((rows["winner_turn_order"] >= 0) == finished).all()
    assert ((rows["reason"] == 0) == finished).all()
    assert (a_play["won"] == finished).all()
    assert ((rows["comeback_rank"] >= 1) == finished).all()
    assert (rows["comeback_rank"] <= options["players"]).all()

    assert (rows["rounds"] == -(-rows["turns"] // options["players"])).all()
    assert (rows["rounds"] <= options["max_rounds"]).all()
    assert (rows["turns"][~finished] == options["players"] * options["max_rounds"]).all()
    assert (seats["track"] < 6 * options["belt_stripes"]).all()
    assert (seats["best_track"] >= seats["track"]).all()
    assert (seats["best_track"] < 6 * options["belt_stripes"]).all()


# What is told is what is kept


@EXAMPLES
@given(points(), st.integers(0, 2**32), st.integers(0, 2**32))
def test_told_play_of_any_point_is_the_one_kept(options, seed, play):
    setup = prepared(**options)
    events = GAME.trace(setup, seed, play)
    row = played(setup, seed, play)
    check_told_as_kept(events, row)
    check_lead_and_comeback(events)
    check_seconds(options, events)


def check_told_as_kept(events, out):
    last = events[-1]
    assert last["play"] == {column.name: int(out.plays[0][column.name]) for column in PLAY_COLUMNS}
    assert last["seats"] == [
        {column.name: int(row[column.name]) for column in SEAT_COLUMNS} for row in out.seats[0]
    ]


def tracks_by_turn(events):
    """Yield every seat's track position at the end of each turn."""
    track = list(events[0]["track"])
    turns = 0
    for event in events[1:]:
        if event["event"] in ("turn", "end"):
            if turns:
                yield list(track)
            turns += 1
        elif event["event"] in ("track", "fatica"):
            assert track[event["seat"]] == event["from"]
            track[event["seat"]] = event["to"]


def check_lead_and_comeback(events):
    kept, tracks = events[-1]["play"], list(tracks_by_turn(events))
    seats, winner = len(events[0]["players"]), events[-1]["winner"]
    leaders = [track.index(max(track)) for track in tracks if track.count(max(track)) == 1]
    assert kept["lead_changes"] == sum(a != b for a, b in itertools.pairwise(leaders))
    rounds = tracks[seats - 1 :: seats]
    ranks = [
        1 + sum(other > track[winner] for other in track)
        for number, track in enumerate(rounds, start=1)
        if winner is not None and 2 * number > kept["rounds"]
    ]
    worst = max(ranks, default=1)
    assert kept["comeback_rank"] == (0 if winner is None else worst)


def check_seconds(options, events):
    turns = len(of(events, "turn")) - len(of(events, "skip"))
    assert events[-1]["play"]["seconds"] == (
        options["time_setup"]
        + options["time_turn"] * turns
        + options["time_step"] * len(of(events, "step"))
        + options["time_kumite"] * len(of(events, "kumite"))
        + options["time_card"] * sum(draw["card"] is not None for draw in of(events, "draw"))
    )


TOLD = [
    {"player": "random", "players": 4, "start_track": 15},
    {"player": "random", "players": 8, "max_rounds": 20},
    {"player": "wanderer", "players": 3, "board": "open"},
    {"player": "wanderer", "players": 6, "exam_wins": 2, "tunnel_uke": "extra_step"},
    {"player": "greedy", "players": 4},
    {"player": "greedy", "players": 7, "board": "linked", "kaeshi_timing": "after_both"},
    {"player": ["greedy", "random", "wanderer"], "players": 3, "board": "tight"},
]


@pytest.mark.parametrize("options", TOLD, ids=str)
def test_told_play_is_the_one_kept(options):
    limit = {"max_rounds": ROUNDS} if plain_python() else {}
    setup = prepared(**options | limit)
    out = played(setup, 9, 100, 3)
    for number in range(3):
        events = GAME.trace(setup, 9, 100 + number)
        one = type(out)(out.plays[number : number + 1], out.seats[number : number + 1], out.squares)
        check_told_as_kept(events, one)
        check_lead_and_comeback(events)


def test_told_play_shows_how_often_each_square_was_used():
    setup = prepared(player="greedy", start_track=12, max_rounds=ROUNDS)
    squares = played(setup, 2, 5).squares
    events = GAME.trace(setup, 2, 5)
    for name, kind, field in (("steps", "step", "to"), ("fights", "kumite", "square")):
        told = Counter(
            16 * event[field][0] + event[field][1]
            for event in of(events, kind)
            if event.get("kind") != "exam"
        )
        assert {square: int(n) for square, n in enumerate(squares[name]) if n} == told


# The unit of work changes nothing


@EXAMPLES
@given(points(), st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(0, 2**32))
def test_blocks_of_any_size_play_the_same_rows(options, sizes, seed):
    setup = prepared(**options)
    whole = played(setup, seed, 3, sum(sizes))
    parts = GAME.out(setup, sum(sizes))
    done = 0
    for size in sizes:
        block = type(parts)(parts.plays[done:], parts.seats[done:], parts.squares)
        GAME.play(setup, seed, 3 + done, size, block)
        done += size
    assert (parts.plays == whole.plays).all()
    assert (parts.seats == whole.seats).all()
    assert (parts.squares == whole.squares).all()


def test_play_leaves_rows_beyond_its_block_alone():
    setup = prepared(player="random", max_rounds=1)
    out = GAME.out(setup, 3)
    GAME.play(setup, 1, 0, 2, out)
    assert out.plays["turns"].tolist() == [4, 4, 0]


def test_seeds_and_plays_differ():
    setup = prepared(player="random", max_rounds=2)
    one, other = played(setup, 1, 0, 40), played(setup, 2, 0, 40)
    assert not (one.plays == other.plays).all()
    assert len(np.unique(one.plays)) > 30


def test_play_numbered_beyond_32_bits_is_another_play():
    setup = prepared(player="random", max_rounds=3)
    assert played(setup, 1, 5).plays[0] != played(setup, 1, 5 + 2**32).plays[0]


# Common random numbers


def dice_of_seats(events):
    """Return each seat's rolls and its Kumite dice, in their order."""
    rolls, fights = {}, {}
    fighters = ()
    for event in events:
        if event["event"] == "roll":
            rolls.setdefault(event["seat"], []).append(event["dice"])
        elif event["event"] == "kumite":
            fighters = (event["attacker"], event["defender"])
            for seat, die in zip(fighters, event["dice"], strict=True):
                fights.setdefault(seat, []).append(die)
        elif event["event"] == "tecnica" and event["reroll"]:
            fights.setdefault(event["seat"], []).append(event["reroll"])
    return rolls, fights


OTHER_POINTS = [
    {"player": "random"},
    {"player": "wanderer", "board": "open"},
    {"player": "greedy", "kumite_ties": "defender", "fatica_cost": 3},
    {"player": "wanderer", "belt_stripes": 5, "first_round_kumite": True, "kiai": 0},
]


@pytest.mark.parametrize("play", [0, 1, 2])
def test_same_play_meets_the_same_dice_deck_and_first_seat_at_every_point(play):
    told = [GAME.trace(prepared(max_rounds=ROUNDS, **options), 4, play) for options in OTHER_POINTS]
    for events in told[1:]:
        assert events[0]["first"] == told[0][0]["first"]
        assert events[0]["deck"] == told[0][0]["deck"]
        for here, there in zip(dice_of_seats(events), dice_of_seats(told[0]), strict=True):
            for seat in here.keys() & there.keys():
                both = min(len(here[seat]), len(there[seat]))
                assert here[seat][:both] == there[seat][:both]


def test_seats_throw_different_dice():
    rolls, _ = dice_of_seats(GAME.trace(prepared(player="random", max_rounds=20), 1, 0))
    assert len({str(dice) for dice in rolls.values()}) == 4


# Numbers with a limit


def test_unfinished_play_is_kept_as_unfinished():
    out = played(prepared(player="random", max_rounds=2), 1, 0, 50)
    assert (out.plays["finished"] == 0).all()
    assert (out.plays["reason"] == 1).all()
    assert (out.plays["winner"] == -1).all()
    assert (out.plays["turns"] == 8).all()


@pytest.mark.skipif(plain_python(), reason="800,000 turns")
def test_longest_play_of_the_most_players_fits_its_columns():
    options = {"players": 8, "player": "random", "max_rounds": 100_000}
    out = played(prepared(**options), 1)
    check_sums(GAME.resolve(options), out)
    row = {name: int(out.plays[0][name]) for name in out.plays.dtype.names}
    assert row["turns"] == 800_000
    skipped = row["drawn_meditazione"]
    spent = 180 + 12 * row["turns"] + row["steps"] + 20 * row["kumite"] + 8 * row["cards"]
    assert spent - 12 * skipped <= row["seconds"] <= spent


@pytest.mark.skipif(plain_python(), reason="800,000 turns")
def test_dearest_times_of_the_longest_play_fit_the_seconds():
    dearest = {option.name: option.high for option in OPTIONS if option.name.startswith("time_")}
    options = dearest | {"time_turn": 0, "players": 8, "player": "random", "max_rounds": 100_000}
    row = played(prepared(**options, die_faces=8)).plays[0]
    assert int(row["seconds"]) == (
        dearest["time_setup"]
        + dearest["time_step"] * int(row["steps"])
        + dearest["time_kumite"] * (int(row["kumite"]) + int(row["exam_bouts"]))
        + dearest["time_card"] * int(row["cards"])
    )


# Chances


BONUS_AHEAD = {-2: 10, -1: 15, 0: 21, 1: 26, 2: 30}
BONUS_AHEAD_TIES_LOSE = {-2: 6, -1: 10, 0: 15, 1: 21, 2: 26}


@pytest.mark.parametrize(("ties", "chances"), [(0, BONUS_AHEAD), (1, BONUS_AHEAD_TIES_LOSE)])
def test_attack_odds_are_the_exact_fractions(ties, chances):
    odds = attack_odds(6)
    for ahead, of_36 in chances.items():
        assert odds[ties, ODDS_CENTRE + ahead] == 4096 * of_36 // 36


def test_attack_odds_are_never_certain_before_they_must_be():
    odds = attack_odds(6)
    assert odds[0, ODDS_CENTRE + 5] == odds[1, ODDS_CENTRE + 6] == 4096
    assert odds[0, ODDS_CENTRE - 6] == odds[1, ODDS_CENTRE - 5] == 0


def wins_of_36(situation, **options):
    """Return in how many of the 36 throws of two dice the attacker, seat 0, wins."""
    setup = prepared(players=3, player="random", **options)
    tables = setup.tables
    won = 0
    for dice in itertools.product(range(1, 7), repeat=2):
        laid = tables.table.copy()
        scenarios.lay_situation(tables, laid, situation)
        scenarios.lay_script(laid[0], situation | {"dice": [*situation["dice"], *dice]})
        plays_module.play_on(tables, laid, 1)
        assert laid[0].fault == 0
        (result,) = of(read_log(laid[0], 3), "kumite_result")
        won += result["winner"] == 0
    return won


def a_fight(attacker_track, defender_track):
    """Seat 0 walks out of its Safe Room into seat 1."""
    return {
        "n": 3,
        "players": {
            "0": {"at": [1, 1], "pos": attacker_track},
            "1": {"at": [3, 1], "pos": defender_track},
        },
        "dice": [1, 1],
        "steps": [[2, 1], [3, 1]],
    }


def an_exam(defender_track):
    """Seat 0 steps into the Dojo from beside an entrance."""
    return {
        "n": 3,
        "players": {"0": {"at": [5, 7], "pos": 17}, "1": {"pos": defender_track}, "2": {"pos": 0}},
        "dice": [1, 1],
        "steps": [[6, 7]],
    }


@pytest.mark.parametrize(
    ("attacker_track", "defender_track", "ahead"),
    [(2, 17, -2), (2, 8, -2), (2, 3, -1), (9, 11, 0), (9, 8, 1), (9, 4, 2), (14, 0, 2)],
)
def test_attacker_wins_as_often_as_the_rules_say(attacker_track, defender_track, ahead):
    fight = a_fight(attacker_track, defender_track)
    assert wins_of_36(fight) == BONUS_AHEAD[ahead]
    assert wins_of_36(fight, kumite_ties="defender") == BONUS_AHEAD_TIES_LOSE[ahead]


@pytest.mark.parametrize(
    ("options", "defender_track", "of_36"),
    [
        ({}, 4, 15),
        ({}, 17, 15),
        ({"exam_ties": "defender"}, 4, 10),
        ({"kumite_ties": "defender"}, 4, 15),
        ({"exam_own_belt": True}, 11, 30),
        ({"exam_own_belt": True}, 12, 26),
        ({"exam_own_belt": True}, 15, 21),
        ({"exam_bonus": 0}, 4, 21),
    ],
)
def test_challenger_wins_as_often_as_the_rules_say(options, defender_track, of_36):
    assert wins_of_36(an_exam(defender_track), **options) == of_36


@pytest.mark.skipif(plain_python(), reason="thousands of plays")
@pytest.mark.parametrize(
    ("ties", "bout"), [("challenger", Fraction(15, 36)), ("defender", Fraction(10, 36))]
)
def test_best_of_three_is_won_as_often_as_its_bouts_say(ties, bout):
    chance = float(bout**2 * (3 - 2 * bout))
    no_cards = {f"{key}_cards": 0 for key, _ in CARDS}
    options = {"player": "random", "start_track": 17, "exam_wins": 2, "exam_ties": ties} | no_cards
    rows = played(prepared(max_rounds=200, **options), 1, 0, 8000).plays
    started, won = int(rows["exams_started"].sum()), int(rows["exams_won"].sum())
    assert started > 4000
    # Five standard deviations: beyond them once in two million tries.
    assert abs(won / started - chance) < 5 * (chance * (1 - chance) / started) ** 0.5


# Setup


def deck_of(**options):
    return Counter(GAME.trace(prepared(player="random", max_rounds=1, **options), 1, 0)[0]["deck"])


def test_deck_holds_the_22_printed_cards():
    assert deck_of() == {
        "Kiai": 3, "Uke": 2, "Kaeshi": 2, "Tsugi-ashi": 2, "Tunnel Segreto": 1, "Irimi": 2,
        "Sfida": 2, "Il Sensei Osserva": 1, "Il Peso della Cintura": 1,
        "Allenamento Intensivo": 2, "Colpo Proibito": 1, "Passo Falso": 2, "Meditazione": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("key", "name"), CARDS)
def test_deck_holds_as_many_copies_as_the_option_says(key, name):
    others = Counter({card: n for card, n in deck_of().items() if card != name})
    for copies in (0, 20):
        assert deck_of(**{f"{key}_cards": copies}) == others + Counter({name: copies})


def test_first_seat_is_drawn_evenly():
    out = played(prepared(player="random", max_rounds=1), 1, 0, 400 if plain_python() else 40_000)
    counts = np.bincount(np.argmin(out.seats["turn_order"], axis=1), minlength=4)
    expected = counts.sum() / 4
    # Chi-squared with three degrees of freedom: beyond 31 once in a million tries.
    assert ((counts - expected) ** 2 / expected).sum() < 31


@pytest.mark.parametrize(
    ("options", "start", "first"),
    [
        ({"players": 3}, 0, 0),
        ({"players": 5}, 0, 0),
        ({"players": 6}, 3, 3),
        ({"players": 8}, 3, 3),
        ({"players": 4, "short_game": True}, 3, 3),
        ({"players": 8, "short_game": True}, 3, 3),
        ({"players": 4, "first_player_extra": 1}, 0, 1),
        ({"players": 6, "first_player_extra": 1}, 3, 4),
        ({"players": 4, "start_track": 7}, 7, 7),
        ({"players": 6, "start_track": 7}, 3, 3),
        ({"players": 4, "many_players": 4}, 3, 3),
        ({"players": 8, "many_players": 9}, 0, 0),
        ({"players": 4, "start_track": 7, "short_game": True}, 7, 7),
        ({"players": 4, "start_track": 17, "first_player_extra": 3}, 17, 17),
        ({"players": 4, "short_game": True, "start_track_short": 6}, 6, 6),
    ],
)
def test_everyone_starts_where_setup_says(options, start, first):
    setup = GAME.trace(prepared(player="random", max_rounds=1, **options), 1, 0)[0]
    expected = [start] * options["players"]
    expected[setup["first"]] = first
    assert setup["track"] == expected


SPREAD = {
    3: (0, 1, 2),
    4: (0, 1, 2, 3),
    5: (0, 1, 2, 3, 1),
    6: (0, 1, 2, 3, 0, 1),
    7: (0, 1, 2, 3, 0, 1, 2),
    8: (0, 1, 2, 3, 0, 1, 2, 3),
}
CORNERS_OF_PAIRS = {3: 3, 4: 4, 5: 3, 6: 3, 7: 4, 8: 4}


@pytest.mark.parametrize("players", SPREAD)
def test_players_spread_over_the_corners(players):
    setup = prepared(players=players, player="random", max_rounds=1)
    assert seating(setup.options) == SPREAD[players]
    assert played(setup).seats["corner"][0].tolist() == list(SPREAD[players])


@pytest.mark.parametrize("players", CORNERS_OF_PAIRS)
def test_players_fill_corners_two_by_two(players):
    corners = seating({"players": players, "seating": "pairs"})
    assert len(corners) == players
    assert len(set(corners)) == CORNERS_OF_PAIRS[players]
    assert seating_fault(corners) == ""


@pytest.mark.parametrize(
    ("corners", "fault"),
    [
        ((0, 1), "3 to 8 can play"),
        ((0, 1, 2, 3) * 2 + (0,), "3 to 8 can play"),
        ((0, 1, 0), "more than 1 in a corner"),
        ((0, 1, 0, 1, 0), "more than 2 in a corner"),
        ((0, 0, 1, 2, 3), "next to each other"),
        ((0, 1, 2, 3, 0), "next to each other"),
    ],
)
def test_seating_against_the_rules_is_told(corners, fault):
    assert fault in seating_fault(corners)


def test_pawns_start_anywhere_in_their_own_safe_room():
    setup = prepared(player="random", max_rounds=1)
    squares = [GAME.trace(setup, 1, play)[0]["squares"] for play in range(150)]
    rooms = [{tuple(placed[seat]) for placed in squares} for seat in range(4)]
    # A square is missed by all 150 placements once in fifty million tries.
    assert rooms[0] == set(itertools.product(range(3), range(3)))
    for corner in range(3):
        assert rooms[corner + 1] == {(column, 15 - row) for row, column in rooms[corner]}


# Refusals

TOO_HIGH = "above the top of the track, 17"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"start_track": 18}, f"start_track = 18 is {TOO_HIGH}"),
        ({"players": 6, "start_track_many": 18}, f"start_track_many = 18 is {TOO_HIGH}"),
        (
            {"short_game": True, "start_track_short": 18},
            f"start_track_short = 18 is {TOO_HIGH}",
        ),
        ({"belt_stripes": 1, "start_track": 6}, "top of the track, 5 (six belts of 1 stripes)"),
        ({"player": ["greedy"] * 3}, "names 3 players, but players = 4 sit at the table"),
        ({"player": ["greedy"] * 5}, "name one for all, or one a seat"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(options, sentence):
    with pytest.raises(DojoError) as refusal:
        prepared(**options)
    assert sentence in str(refusal.value)
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize(
    "options",
    [
        {"players": 6, "start_track": 18},
        {"players": 4, "start_track_many": 18},
        {"start_track_short": 18},
        {"start_track": 17, "first_player_extra": 18},
    ],
)
def test_number_that_is_not_used_is_not_refused(options):
    assert prepared(**options).seats == options.get("players", 4)


@pytest.mark.parametrize("player", ["greedy", "wanderer", ["random", "random", "greedy"]])
def test_walks_too_many_to_weigh_are_refused(player, monkeypatch):
    monkeypatch.setattr(walks, "MOST_NODES", 1000)
    for kept in (walks._tree_of, pack_maze):
        kept.cache_clear()
    with pytest.raises(DojoError) as refusal:
        prepared(players=3, player=player)
    for kept in (walks._tree_of, pack_maze):
        kept.cache_clear()
    assert "dice = 2 of 6 faces" in str(refusal.value)
    assert "player = random" in str(refusal.value)


def test_board_against_the_rules_of_design_is_refused():
    walled = SHIPPED["quadrant"].read_text().replace("D   D", "D | D")
    with pytest.raises(DojoError, match="E-DOJO-WALL"):
        prepared(board={"label": "walled", "path": "walled", "text": walled, "legend": ""})
