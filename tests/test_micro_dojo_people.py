"""Micro Dojo with people: their plays stand before the referee, and every step has its words."""

import random

import pytest
from micro_dojo_referee import check
from test_micro_dojo_referee import OBJECTIVES, VARIANTS

from dojo_core import games
from dojo_core.game import PERSON, Answer
from dojo_core.micro_dojo import people
from dojo_core.micro_dojo.words import KINDS

GAME = games.load("micro_dojo")


def played(options, seed, seats):
    """Return the trace of a play in which people take any steps, and the words of those offered."""
    setup = GAME.prepare(GAME.resolve(options))
    stream = random.Random(seed)
    answers, words = [], set()
    while True:
        events, question = GAME.people.ask(setup, seed, 0, seats, answers)
        if question is None:
            return events, words
        assert question.answered == len(answers)
        offers = GAME.people.show(events, question, "en").offers
        words |= {step[0] for step in question.options}
        answers += stream.choice(offers).answers


@pytest.mark.parametrize("variant", VARIANTS)
def test_referee_finds_nothing_wrong_with_plays_of_people(variant):
    for seed, seats in enumerate(([0], [1], [0, 1])):
        events, _ = played({"player": "greedy"} | VARIANTS[variant], seed, seats)
        assert [name == PERSON for name in events[0]["players"]] == [k in seats for k in (0, 1)]
        check(events, OBJECTIVES)


def test_people_are_offered_no_step_from_which_the_turn_cannot_be_completed():
    """A Guard House may block everybody: whoever was asked after it would find no step."""
    for seed in range(4):
        events, words = played({"player": "random"} | VARIANTS["guards"], seed, [0, 1])
        assert events[-1]["event"] == "end"
        assert "guard_house" in words


def test_an_answer_from_which_the_turn_cannot_be_completed_fits_no_question():
    """A Guard House that is legal so far may leave no way to complete the turn."""
    setup = GAME.prepare(GAME.resolve({"player": "random"} | VARIANTS["guards"]))
    refused = 0
    stream, answers = random.Random(4), []
    while len(answers) < 12:
        question = GAME.people.ask(setup, 4, 0, [0, 1], answers)[1]
        offered = [step for step in question.options if step[0] == "guard_house"]
        for to in empty_spaces(question.table) if offered else []:
            if ["guard_house", to] not in offered:
                tried = [*answers, Answer(question.kind, ["guard_house", to])]
                assert GAME.people.ask(setup, 4, 0, [0, 1], tried)[1] == question
                refused += 1
        answers.append(Answer(question.kind, stream.choice(question.options)))
    assert refused == 2


def empty_spaces(table):
    """Return the spaces without a meeple."""
    spaces = [list(divmod(space, 3)) for space in range(9)]
    return [space for space in spaces if space not in table["meeples"].values()]


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_step_and_objective_has_its_words(language):
    phrases = people._phrases(language)
    assert {f"do_{word}" for word in KINDS} <= phrases.keys()
    assert {f"scores_{name}" for name in people._OBJECTIVES} <= phrases.keys()
