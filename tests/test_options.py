"""Options: how a value is read, refused and packed, and what every table of options owes."""

import re
from pathlib import Path

import numpy as np
import pytest

from dojo_core import options
from dojo_core.errors import DojoError
from dojo_core.labirinto.options import OPTIONS
from dojo_core.options import Option

HERE = Path()


def read_text(value, base):
    if value == "missing.txt":
        raise DojoError("there is no board 'missing.txt'", exit_code=1)
    return {"label": value, "text": f"{base}/{value} # a comment"}


COUNT = Option("count", "integer", 3, "How many.", "Setup", "Table", unit="pawns", low=1, high=9)
SHORT = Option("short", "switch", False, "A shorter game.", "Setup", "Table")
TIES = Option(
    "ties", "choice", "attacker", "Who wins.", "Kumite", "Kumite", choices=("attacker", "defender")
)
BOARD = Option(
    "board",
    "file",
    "quadrant.txt",
    "The board.",
    "Components",
    "Table",
    read=read_text,
    identity=lambda read: read["text"].split(" #")[0],
)
PLAYER = Option(
    "player", "per_seat", "greedy", "Who decides.", "", "Table", choices=("random", "greedy")
)
FEATURES = (
    Option("risk", "integer", 5, "Risk.", "", "Players", unit="stripes", low=0, high=9),
    Option("cards", "switch", False, "Cards.", "", "Players"),
)
WEIGHED = Option(
    "player", "per_seat", "random", "Who decides.", "", "Table",
    choices=("random", "bold"), features=FEATURES, weights={"bold": {"risk": 9}},
    identity=options.players_identity,
)  # fmt: skip
TABLE = (COUNT, SHORT, TIES, BOARD, PLAYER)


def refusal(option, value, where=""):
    with pytest.raises(DojoError) as caught:
        option.check(value, HERE, where)
    return str(caught.value)


# Reading one value


@pytest.mark.parametrize("value", [1, 9, "5", " 7 ", 4.0, np.int64(2)])
def test_a_whole_number_in_range_is_an_int(value):
    settled = COUNT.check(value, HERE)
    assert type(settled) is int
    assert settled == int(value)


def test_digits_may_be_grouped():
    assert Option("n", "integer", 0, "", "", "", high=9999).check("1_000", HERE) == 1000


@pytest.mark.parametrize("value", [0, 10, -1, "ten", "", 2.5, True, None, [3], float("nan")])
def test_another_number_is_refused_with_the_range(value):
    assert refusal(COUNT, value) == f"count = {value!r} is not a whole number from 1 to 9"


@pytest.mark.parametrize(
    ("value", "settled"),
    [(True, True), ("TRUE", True), ("yes", True), ("on", True), (False, False), ("off", False)],
)
def test_a_switch_reads_the_usual_words(value, settled):
    assert SHORT.check(value, HERE) is settled


@pytest.mark.parametrize("value", [1, "maybe", None])
def test_another_switch_is_refused(value):
    assert refusal(SHORT, value) == f"short = {value!r} is not true or false"


def test_a_choice_is_one_of_its_words():
    assert TIES.check("defender", HERE) == "defender"


def test_a_misspelt_choice_is_refused_with_the_nearest_word():
    assert refusal(TIES, "defnder") == (
        "ties = 'defnder' is not one of attacker, defender; did you mean 'defender'?"
    )


@pytest.mark.parametrize("value", [["attacker"], {"a": 1}, None, 3])
def test_a_choice_that_is_no_word_is_refused(value):
    assert refusal(TIES, value).startswith(f"ties = {value!r} is not one of attacker, defender")


@pytest.mark.parametrize(
    ("value", "settled"),
    [
        ("random", "random"),
        (["random", "greedy"], ["random", "greedy"]),
        (("random", "greedy"), ["random", "greedy"]),
        ("random,greedy", ["random", "greedy"]),
        ("random greedy", ["random", "greedy"]),
    ],
)
def test_a_player_is_one_for_all_or_one_a_seat(value, settled):
    assert PLAYER.check(value, HERE) == settled


def test_a_misspelt_player_in_a_list_is_refused_with_the_nearest_name():
    assert refusal(PLAYER, ["random", "gredy"]) == (
        "player = 'gredy' is not one of random, greedy, or a list with one a seat;"
        " did you mean 'greedy'?"
    )


def test_a_number_is_no_player():
    assert refusal(PLAYER, 3) == (
        "player = 3 is not one of random, greedy, or a list with one a seat"
    )


# Players given by their weights


@pytest.mark.parametrize(
    ("given", "settled"),
    [
        ({}, {"name": "custom", "risk": 5, "cards": False}),
        ({"cards": "on"}, {"name": "custom", "risk": 5, "cards": True}),
        ({"inherits": "bold"}, {"name": "custom", "risk": 9, "cards": False}),
        ({"inherits": "bold", "risk": 8}, {"name": "custom", "risk": 8, "cards": False}),
        ({"name": "mine", "risk": "3"}, {"name": "mine", "risk": 3, "cards": False}),
    ],
)
def test_a_player_given_by_its_weights_has_them_all_when_settled(given, settled):
    assert WEIGHED.check(given, HERE) == settled
    assert WEIGHED.check(settled, HERE) == settled


def test_seats_may_mix_names_and_weights():
    settled = WEIGHED.check(["random", {"name": "mine"}], HERE)
    assert settled == ["random", {"name": "mine", "risk": 5, "cards": False}]
    assert WEIGHED.shown(settled) == "random mine"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"risk": 10}, "risk = 10 is not a whole number from 0 to 9"),
        ({"rsk": 1}, "players have no weight 'rsk'; did you mean 'risk'?; `dojo options` lists"),
        ({"inherits": "random"}, "inherits = 'random' is not a player made of weights"),
        ({"inherits": "blod"}, "did you mean 'bold'?; inherit from one of bold"),
        ({"name": "bold"}, "there is a player 'bold' already; take another name"),
        ({"name": "two words"}, "name = 'two words' does not name a player; take one word"),
        ({"name": 3}, "name = 3 does not name a player"),
    ],
)
def test_a_player_of_impossible_weights_is_refused(given, sentence):
    assert sentence in refusal(WEIGHED, given)
    assert refusal(WEIGHED, given, "a.toml line 2").startswith("a.toml line 2: ")


def test_weights_are_refused_where_players_have_none():
    assert refusal(PLAYER, {"risk": 1}) == (
        "player = {'risk': 1} is not one of random, greedy, or a list with one a seat"
    )


def test_weights_are_named_among_what_is_expected():
    assert "one of random, bold, the weights of a player, or a list" in refusal(WEIGHED, "boldd")


def test_players_are_the_same_when_their_weights_are_whatever_their_name():
    one, other = (WEIGHED.check({"name": name}, HERE) for name in ("one", "other"))
    assert WEIGHED.identity(one) == WEIGHED.identity(other)
    assert WEIGHED.identity([one, "bold"]) == WEIGHED.identity([other, "bold"])
    assert WEIGHED.identity(one) != WEIGHED.identity(WEIGHED.check({"risk": 1}, HERE))


def test_weights_of_a_player_are_all_of_them_and_none_of_one_with_code_of_its_own():
    assert WEIGHED.weights_of("bold") == {"risk": 9, "cards": False}
    assert WEIGHED.weights_of({"name": "mine", "risk": 1}) == {"risk": 1, "cards": False}
    assert WEIGHED.weights_of("random") is None


def test_a_file_is_read_from_the_base_folder():
    assert BOARD.check("my.txt", Path("there"))["text"] == "there/my.txt # a comment"


def test_a_file_read_before_is_taken_as_it_is():
    read = {"label": "mine", "text": "+---+"}
    assert BOARD.check(read, HERE) == read


def test_a_file_must_be_named_by_a_word():
    assert refusal(BOARD, 5) == (
        "board = 5 is not the path of a file, or the short name of a shipped one"
    )


def test_a_reading_error_keeps_its_sentence_and_exit_code_and_gains_the_place():
    with pytest.raises(DojoError, match=r"^grid.toml line 3: there is no board 'missing") as caught:
        BOARD.check("missing.txt", HERE, "grid.toml line 3")
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("option", [COUNT, SHORT, TIES, PLAYER])
def test_a_refusal_begins_with_the_place_it_came_from(option):
    assert refusal(option, 77, "grid.toml line 3").startswith(
        f"grid.toml line 3: {option.name} = 77 is not "
    )


# A table


def test_an_unknown_option_is_refused_with_the_nearest_name():
    with pytest.raises(
        DojoError, match=r"^there is no option 'tie'; did you mean 'ties'\?; `dojo options`"
    ):
        options.find(TABLE, "tie")


def test_an_unknown_option_far_from_all_names_gets_no_hint():
    with pytest.raises(DojoError, match=r"^a.toml: there is no option 'xyzzy'; `dojo options`"):
        options.resolve(TABLE, {"xyzzy": 1}, where="a.toml")


def test_what_is_not_given_has_its_default():
    resolved = options.resolve(TABLE, {"count": "4"}, Path("there"))
    assert resolved == {
        "count": 4,
        "short": False,
        "ties": "attacker",
        "board": {"label": "quadrant.txt", "text": "there/quadrant.txt # a comment"},
        "player": "greedy",
    }


def test_what_is_resolved_may_be_resolved_again():
    once = options.resolve(TABLE, {"player": ["random", "greedy"], "short": "on"})
    assert options.resolve(TABLE, once) == once


def test_packing_keeps_numbers_switches_and_positions_of_choices():
    resolved = options.resolve(TABLE, {"count": 9, "short": True, "ties": "defender"})
    packed = options.pack(TABLE, resolved)
    assert packed.dtype.names == ("count", "short", "ties")
    assert packed[0].tolist() == (9, 1, 1)
    assert (packed[0].count, packed[0].short, packed[0].ties) == (9, 1, 1)


def test_values_are_data_and_never_another_type_to_compile_for():
    one = options.pack(TABLE, options.resolve(TABLE, {}))
    other = options.pack(TABLE, options.resolve(TABLE, {"count": 9, "short": True}))
    assert one.dtype == other.dtype == options.packed_dtype(TABLE)


@pytest.mark.parametrize(
    ("option", "value", "cell"),
    [
        (COUNT, 3, 3),
        (SHORT, True, True),
        (TIES, "attacker", "attacker"),
        (BOARD, {"label": "tight", "text": ""}, "tight"),
        (PLAYER, "greedy", "greedy"),
        (PLAYER, ["random", "greedy"], "random greedy"),
    ],
)
def test_a_settled_value_is_shown_as_one_plain_cell(option, value, cell):
    assert option.shown(value) == cell


# The table of Il Labirinto del Dojo


def test_names_are_unique():
    names = [option.name for option in OPTIONS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_option_says_what_it_changes_where_it_comes_from_and_under_which_heading(option):
    assert re.fullmatch(r"[A-Z].+\.", option.help)
    assert option.source
    assert option.group
    assert re.fullmatch(r"[a-z][a-z0-9_]*", option.name)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_a_default_is_allowed_and_not_the_only_value(option):
    if option.kind == "integer":
        assert option.low <= option.default <= option.high
        assert option.low < option.high
        assert option.unit
    elif option.kind == "switch":
        assert option.default is False  # A switch turns a printed rule into something else.
    elif option.kind in ("choice", "per_seat"):
        assert option.default in option.choices
        assert len(set(option.choices)) == len(option.choices) > 1
    settled = option.check(option.default, HERE)
    assert option.check(settled, HERE) == settled


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_only_a_number_nobody_printed_or_measured_is_marked_as_assumed(option):
    assert option.assumed == option.source.startswith("assumed")


def test_groups_stand_together():
    groups = [option.group for option in OPTIONS]
    changes = [
        group for before, group in zip(["", *groups], groups, strict=False) if group != before
    ]
    assert len(changes) == len(set(changes))


def test_the_printed_deck_has_22_cards():
    copies = [option.default for option in OPTIONS if option.name.endswith("_cards")]
    assert len(copies) == 13
    assert sum(copies) == 22
