"""Facts about plays of Micro Dojo: who is random, who looks ahead, what options and boards do."""

import json
import math
from collections import Counter

import pytest

from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.micro_dojo import layout
from dojo_core.micro_dojo.picture import space_code

GAME = games.load("micro_dojo")
PRINTED = layout.read_option("board/micro_dojo.toml", layout._PACKAGE)


def played(plays, seed=1, **options):
    setup = GAME.prepare(GAME.resolve(options))
    out = GAME.out(setup, plays)
    GAME.play(setup, seed, 0, plays, out)
    return out


def lead(one, other, plays):
    """Return by how much of all plays the player `one` wins more often than `other`."""
    winners = played(plays, player=[one, other]).plays["winner"]
    return float((winners == 0).mean() - (winners == 1).mean())


def test_random_plays_each_way_to_play_its_turn_equally_often():
    setup = GAME.prepare(GAME.resolve({"player": "random", "max_turns": 1}))
    seen = Counter()
    plays = 3000
    for play in range(plays):
        events = GAME.trace(setup, 9, play)
        told = [event["answer"] for event in events if event["event"] == "choice"]
        # Which meeple stands on which corner is drawn: the space that it comes from stands for it.
        told[0] = [events[1]["meeples"][told[0][1]], told[0][2]]
        seen[json.dumps(told)] += 1
    assert len(seen) == 10
    expected = plays / 10
    # Chi-squared with 9 degrees of freedom is below this in 99.9 of 100 samples.
    assert sum((n - expected) ** 2 / expected for n in seen.values()) < 27.9


def test_the_ladder_of_players_goes_up():
    assert lead("greedy", "random", 400) > 0.8
    assert lead({"inherits": "planner", "nodes": 600}, "greedy", 150) > 0.3
    assert lead("planner", {"inherits": "planner", "nodes": 300}, 60) > 0.2


def test_weights_make_another_player():
    spender = {"inherits": "greedy", "gold": -50, "food": -50}
    assert lead("greedy", spender, 300) > 0.3
    assert "custom" in GAME.seat_columns[1].labels


def test_seats_are_alike_for_equal_players():
    first, second = (int(won) for won in played(20_000, player="random").seats["won"].sum(axis=0))
    assert abs(first - second) < 4 * math.sqrt(first + second)


def test_points_and_blocks_do_not_change_a_play():
    setup = GAME.prepare(GAME.resolve({"player": "greedy"}))
    whole, part = GAME.out(setup, 20), GAME.out(setup, 5)
    GAME.play(setup, 8, 0, 20, whole)
    GAME.play(setup, 8, 15, 5, part)
    assert (whole.plays[15:] == part.plays).all()
    assert (whole.seats[15:] == part.seats).all()


def test_stalled_plays_are_told_apart_and_have_no_winner():
    out = played(
        50, player="random", triggers_a_turn=0, buildings_dealt=0, donate_points=0, stall_turns=9
    )
    assert (out.plays["reason"] == 2).all()
    assert not out.plays["finished"].any()
    assert (out.plays["winner"] == -1).all()
    assert set(out.plays["scored_turn_order"]) == {-1, 0, 1}
    assert (out.plays["turns"] == 9).all()
    assert (out.squares["other_visits"] == out.squares["visits"]).all()


def test_no_move_is_longer_than_a_plan_has_room_for():
    options = {f"deal_{name}": "always" for name in ("stables", "guard_house", "market", "school")}
    row = '["1 gold + 2 food + build + 3 actions", "3 actions", "3 actions"]'
    board = f"spaces = [{row}, {row}, {row}]"
    content = {"label": "full", "text": board}
    out = played(300, player="random", board=content, **options, guard_house_fee=0, stables_fee=0)
    assert out.plays["steps"].max() > 0


def test_losses_have_room_for_the_longest_play_of_the_largest_gains():
    row = '["3 gold + 1 action", "3 gold + 1 action", "3 gold + build + 1 action"]'
    free = {"broker_gold": 0, "gold_mine_gold": 0, "gold_mine_food": 0}
    scoreless = {"triggers_a_turn": 0, "remove_points": 0, "donate_points": 0}
    neither = {"inherits": "greedy", "broker": -10_000, "gold_mine": -10_000}
    out = played(
        2, player=["greedy", neither],
        board={"label": "gold", "text": f"spaces = [{row}, {row}, {row}]"},
        buildings_dealt=2, deal_broker="always", deal_gold_mine="always", broker_gain=20,
        gold_mine_extra=20, gold_cap=0, max_turns=4000, stall_turns=4000, **free, **scoreless,
    )  # fmt: skip
    assert out.seats["gold_lost"].max() > 80_000


def test_the_printed_board_is_read_as_printed():
    codes = [space_code(space) for space in layout.spaces_of(PRINTED["text"])]
    assert codes == ["1G", "2G", "1F", "2F", "2A", "1G 1F", "B", "1G/1F B", "1A"]


def test_comments_and_wording_of_a_board_do_not_make_another_point():
    other = PRINTED["text"].replace("2 actions", "2  Actions").replace("#", "# Really:")
    assert layout.identity({"text": other}) == layout.identity(PRINTED)
    richer = PRINTED["text"].replace("2 gold", "3 gold")
    assert layout.identity({"text": richer}) != layout.identity(PRINTED)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spaces = 3", "three rows of three"),
        ("rows = []", "there is no spaces"),
        ("spaces = [", "no TOML"),
        ('spaces = [["1 gold", "2 gold", "1 food"]]', "three rows of three"),
        (PRINTED["text"].replace("2 gold", "2 silver"), "'2 silver' is not known"),
        (PRINTED["text"].replace("2 gold", "9 gold"), "gives too much"),
        (PRINTED["text"].replace('"build"', '"build + build"'), "gives too much"),
        (PRINTED["text"].replace('"build"', '"build or 1 gold"'), "only gold or food"),
        (PRINTED["text"].replace("food + build", "food + 1 gold"), "leaves no more of them"),
    ],
)
def test_a_board_that_is_none_is_refused_with_what_was_expected(text, message, tmp_path):
    file = tmp_path / "board.toml"
    file.write_text(text)
    with pytest.raises(DojoError, match=message) as raised:
        GAME.resolve({"board": str(file)})
    assert "board.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"player": ["greedy"]}, "names 1 players, but 2 sit"),
        ({"buildings_dealt": 3, **{f"deal_{n}": "always" for n in
          ("castle", "yatai", "school", "market")}}, "expected 4 to 12"),
        ({"objective_1": "loser", "objective_2": "loser"}, "'loser' is fixed twice"),
        ({"second_gold": 8}, "begin with less"),
        ({"second_points": 7}, "would end the play before it begins"),
        ({"board": "nowhere.toml"}, "there is no board 'nowhere.toml'"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(options, message):
    with pytest.raises(DojoError, match=message):
        GAME.prepare(GAME.resolve(options))
