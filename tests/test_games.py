"""What every registered game must do: the contract of `dojo_core.game.Game`."""

import itertools
import json
import random

import numpy as np
import pytest

from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.game import PERSON, Answer, columns_dtype
from dojo_core.options import CUSTOM

# Tests of the sweep register a toy; it is no game of the project.
NAMES = [name for name, module in games.GAMES.items() if module.startswith("dojo_core.")]
SEED = 3
PLAYS = 4


@pytest.fixture(params=NAMES, scope="module")
def game(request):
    return games.load(request.param)


@pytest.fixture(scope="module")
def setup(game):
    return game.prepare(game.resolve({}))


@pytest.fixture(scope="module")
def out(game, setup):
    filled = game.out(setup, PLAYS)
    game.play(setup, SEED, 0, PLAYS, filled)
    return filled


@pytest.fixture(scope="module")
def events(game, setup):
    return game.trace(setup, SEED, 1)


def names(columns):
    return [column.name for column in columns]


def test_game_is_called_as_it_is_registered(game):
    assert games.load(game.name) is game
    assert game.title


def test_game_has_the_required_columns(game):
    assert {"winner", "finished", "rounds", "turns"} <= set(names(game.play_columns))
    assert {"turn_order", "player", "won"} <= set(names(game.seat_columns))


def test_game_columns_are_unique_and_explained(game):
    for columns in (game.play_columns, game.seat_columns, game.square_columns):
        assert len(set(names(columns))) == len(columns)
        assert all(column.meaning.endswith(".") for column in columns)
        assert all(np.dtype(column.dtype).kind in "iu" for column in columns)


def test_game_headline_names_play_columns(game):
    assert game.headline
    assert set(game.headline) <= set(names(game.play_columns))


def test_game_has_unique_options_with_help_and_source(game):
    found = [option.name for option in game.options]
    assert len(set(found)) == len(found)
    assert {"players", "player"} <= set(found)
    assert all(option.help.endswith(".") and option.source for option in game.options)


def test_game_player_option_offers_the_strategies(game):
    (player,) = [option for option in game.options if option.name == "player"]
    assert player.choices == tuple(strategy.name for strategy in game.strategies)
    (column,) = [column for column in game.seat_columns if column.name == "player"]
    assert column.labels == player.choices + ((CUSTOM,) if game.player_features else ())


def test_game_plays_a_player_given_by_the_weights_of_one_it_has(game):
    for strategy in game.strategies:
        weights = game.weights_of(strategy.name)
        if weights is None:
            continue
        mine = {"name": "mine", **weights}
        rows = []
        for player in (strategy.name, mine):
            setup = game.prepare(game.resolve({"player": player}))
            out = game.out(setup, PLAYS)
            game.play(setup, SEED, 0, PLAYS, out)
            rows.append(out)
        assert (rows[0].plays == rows[1].plays).all()
        assert set(rows[1].seats["player"].ravel()) == {len(game.strategies)}


def test_game_defaults_settle_and_settle_again_to_the_same(game):
    settled = game.resolve({})
    assert list(settled) == [option.name for option in game.options]
    assert game.resolve(settled) == settled


def test_game_out_has_a_row_for_every_play_seat_and_square(game, setup, out):
    assert out.plays.shape == (PLAYS,)
    assert out.seats.shape == (PLAYS, setup.seats)
    assert out.squares.shape == (setup.squares,)
    assert out.plays.dtype == columns_dtype(game.play_columns)


def test_game_writes_every_column_of_every_row(game, setup, out):
    dirty = game.out(setup, PLAYS)
    dirty.plays.view(np.uint8)[:] = 0xA5
    dirty.seats.view(np.uint8)[:] = 0xA5
    game.play(setup, SEED, 0, PLAYS, dirty)
    assert (dirty.plays == out.plays).all()
    assert (dirty.seats == out.seats).all()


def test_game_adds_to_the_tallies_of_squares(game, setup, out):
    again = game.out(setup, PLAYS)
    again.squares[:] = out.squares
    game.play(setup, SEED, 0, PLAYS, again)
    for name in again.squares.dtype.names:
        assert (again.squares[name] == 2 * out.squares[name]).all()


def test_game_columns_with_labels_hold_their_codes(game, out):
    for columns, rows in ((game.play_columns, out.plays), (game.seat_columns, out.seats)):
        for column in columns:
            if column.labels:
                assert (rows[column.name] < len(column.labels)).all()


def test_game_has_at_most_one_winner_a_finished_play_and_none_else(out):
    won = out.plays["winner"] >= 0
    assert (won <= (out.plays["finished"] == 1)).all()
    assert (out.seats["won"].sum(axis=1) == won).all()


def test_game_marks_the_seat_that_won(out):
    for play, seats in zip(out.plays, out.seats, strict=True):
        assert [seat for seat, row in enumerate(seats) if row["won"]] == (
            [play["winner"]] if play["winner"] >= 0 else []
        )


def test_game_seats_take_turns_in_one_cycle(setup, out):
    order = np.sort(out.seats["turn_order"], axis=1)
    assert (order == np.arange(setup.seats)).all()
    steps = np.diff(out.seats["turn_order"].astype(int), axis=1) % setup.seats
    assert (steps == 1).all()


def test_game_plays_the_same_rows_again(game, setup, out):
    again = game.out(setup, PLAYS)
    game.play(setup, SEED, 0, PLAYS, again)
    assert (again.plays == out.plays).all()
    assert (again.squares == out.squares).all()


def test_game_trace_begins_with_its_setup(game, setup, events):
    first = events[0]
    assert (first["event"], first["game"]) == ("setup", game.name)
    assert (first["seed"], first["play"]) == (SEED, 1)
    assert list(first["options"]) == [option.name for option in game.options]
    assert len(first["players"]) == setup.seats


def test_game_trace_ends_with_every_stored_column(game, out, events):
    last = events[-1]
    assert last["event"] == "end"
    assert last["play"] == {name: int(out.plays[1][name]) for name in names(game.play_columns)}
    assert last["seats"] == [
        {name: int(row[name]) for name in names(game.seat_columns)} for row in out.seats[1]
    ]


def test_game_trace_is_plain_json(events):
    assert [json.loads(json.dumps(event)) for event in events] == events


@pytest.mark.parametrize("language", ["en", "it"])
def test_game_trace_is_told_in_words(game, events, language):
    lines = list(game.describe(events, language))
    assert len(lines) > 10
    assert all(isinstance(line, str) and "\n" not in line for line in lines)


def test_game_is_not_told_in_a_language_it_does_not_know(game, events):
    with pytest.raises(DojoError, match="xx"):
        list(game.describe(events, "xx"))


def test_game_board_is_a_picture_that_fits_the_squares(game, setup):
    picture = game.board(setup)
    if picture is None:
        assert setup.squares == 0
        return
    assert picture["rows"] * picture["columns"] == setup.squares == len(picture["codes"])
    assert picture["columns"] == setup.width
    assert set(picture["codes"]) <= set(picture["colors"])
    for r0, c0, r1, c1 in picture["walls"]:
        assert 0 <= r0 <= r1 <= picture["rows"]
        assert 0 <= c0 <= c1 <= picture["columns"]


@pytest.mark.parametrize("name", NAMES)
def test_unknown_game_is_refused_with_the_nearest_name(name):
    with pytest.raises(DojoError, match=f"did you mean '{name}'"):
        games.load(name + "o")


def test_unknown_game_is_refused_with_the_list_of_games():
    with pytest.raises(DojoError, match=r"the games are .*labirinto"):
        games.load("zzz")


# People


def played_by_people(game, setup, seats):
    """Yield a play's events and question, where people take any offers, until it is over."""
    stream = random.Random(SEED)
    answers = []
    while True:
        events, question = game.people.ask(setup, SEED, 1, seats, answers)
        yield events, question
        if question is None:
            return
        del answers[question.answered :]
        answers += stream.choice(game.people.show(events, question, "en").offers).answers


@pytest.fixture(scope="module")
def people_play(game):
    if game.people is None:
        pytest.skip("people cannot play it")
    short = {"max_rounds": 12} if "max_rounds" in names(game.options) else {}
    setup = game.prepare(game.resolve(short))
    return list(played_by_people(game, setup, [1]))


def test_game_with_people_asks_them_alone_until_it_is_over(game, people_play):
    assert {question.seat for _, question in people_play[:-1]} == {1}
    events, question = people_play[-1]
    assert question is None
    assert events[0]["players"][1] == PERSON != events[0]["players"][0]
    assert set(events[-1]["play"]) == set(names(game.play_columns))
    assert json.loads(json.dumps(events)) == events
    assert len(list(game.describe(events, "en"))) > 10


def test_game_with_people_only_goes_on_from_what_it_told_before(people_play):
    for (before, _), (after, _) in itertools.pairwise(people_play):
        assert after[1 : len(before)] == before[1:]


def test_game_with_people_shows_and_tells_in_both_languages(game, people_play):
    for events, question in people_play:
        for language in ("en", "it"):
            assert list(game.people.tell(events, 1, language))
            if question is not None:
                page = game.people.show(events, question, language)
                assert len({offer.key for offer in page.offers}) == len(page.offers) > 0
    assert list(game.people.help("en")) != list(game.people.help("it"))


def test_game_with_people_offers_every_option(game, people_play):
    for events, question in people_play[:-1]:
        offers = game.people.show(events, question, "en").offers
        offered = [offer.answers[0] for offer in offers]
        assert all(Answer(question.kind, option) in offered for option in question.options)
