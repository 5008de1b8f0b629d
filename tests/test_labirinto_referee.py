"""The referee's own examination: honest hand-written scenes pass, and a line bent out of shape is
called out at that line by the rule it breaks."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import labirinto_scenes as scenes
import pytest
from labirinto_referee import Foul, check

SCENES = {
    "kumite": scenes.kumite_scene,
    "extra_step": scenes.extra_step_scene,
    "fatica": scenes.fatica_scene,
    "cards": scenes.cards_scene,
    "meditation": scenes.meditation_scene,
    "exam_won": scenes.exam_won_scene,
    "exam_lost": scenes.exam_lost_scene,
    "exam_refused": scenes.exam_refused_scene,
    "tecnica_at_once": lambda: scenes.tecnica_scene("at_once"),
    "tecnica_after_both": lambda: scenes.tecnica_scene("after_both"),
}


def position(events, kind, nth=0):
    """Return where the nth line of a kind stands."""
    return [i for i, event in enumerate(events) if event["event"] == kind][nth]


def set_to(kind, nth=0, /, **fields) -> Callable:
    """Return a tampering that rewrites fields of the nth line of a kind."""

    def tamper(events):
        events[position(events, kind, nth)].update(fields)

    return tamper


def drop(kind, nth=0, count=1) -> Callable:
    """Return a tampering that takes lines out, from the nth of a kind on."""

    def tamper(events):
        first = position(events, kind, nth)
        del events[first : first + count]

    return tamper


def put_before(kind, nth=0, /, **line) -> Callable:
    """Return a tampering that slips a line in before the nth of a kind."""

    def tamper(events):
        events.insert(position(events, kind, nth), dict(line))

    return tamper


def swap_with_next(kind, nth=0) -> Callable:
    """Return a tampering that exchanges the nth line of a kind and the one after it."""

    def tamper(events):
        i = position(events, kind, nth)
        events[i], events[i + 1] = events[i + 1], events[i]

    return tamper


def in_end(row, name, value) -> Callable:
    """Return a tampering with a stored column: of the play (row "play") or of a seat."""

    def tamper(events):
        end = events[-1]
        (end["play"] if row == "play" else end["seats"][row])[name] = value

    return tamper


def all_of(*tamperings) -> Callable:
    def tamper(events):
        for one in tamperings:
            one(events)

    return tamper


# What is done to an honest scene, and the rule that the referee must name.
TAMPERED = {
    "setup: another option": ("kumite", set_to("setup", options={}), "setup"),
    "setup: pawn outside its room": (
        "kumite", set_to("setup", squares=[[1, 3], [1, 13], [14, 13]]), "own Safe Room"),
    "setup: pawn in another room": (
        "kumite", set_to("setup", squares=[[1, 2], [1, 2], [14, 13]]), "own Safe Room"),
    "setup: wrong start": ("kumite", set_to("setup", track=[4, 4, 5]), "starting positions"),
    "setup: a card too many": ("cards", set_to("setup", deck=["Kiai"]), "the deck"),
    "setup: two at one corner": ("kumite", set_to("setup", corners=[0, 1, 1]), "seating"),
    "setup: a link too few": (
        "kumite", lambda events: events[0]["board"]["links"].pop(), "links"),
    "setup: a wall moved": (
        "kumite",
        lambda events: events[0]["board"]["lines"].__setitem__(
            1, events[0]["board"]["lines"][1].replace("S | .", "S   .")),
        "board"),
    "turn of another seat": ("kumite", set_to("turn", 1, seat=2), "turn order"),
    "wrong round": ("kumite", set_to("turn", 1, round=2), "turn order"),
    "a turn left out": ("kumite", drop("turn", 1, 9), "turn order"),
    "a die too large": ("kumite", set_to("roll", dice=[7, -2]), "Turn 1"),
    "a third die": ("kumite", set_to("roll", dice=[1, 2, 2]), "Turn 1"),
    "a step through a wall": (
        "kumite",
        all_of(set_to("setup", squares=[[0, 2], [1, 13], [14, 13]]), set_to("step", to=[0, 3])),
        "Turn 2: steps"),
    "a jump": ("kumite", set_to("step", 1, to=[1, 5]), "Turn 2: steps"),
    "a step back": ("kumite", set_to("step", 1, to=[1, 2]), "Turn 2: steps"),
    "a miscounted step": ("kumite", set_to("step", 1, remaining=4), "Turn 2: steps"),
    "a move too short": ("kumite", drop("step", 4), "Turn 2: steps"),
    "into the Dojo below Brown": ("fatica", set_to("step", 0, to=[6, 6]), "Turn 2: steps"),
    "a fight left out": ("kumite", drop("kumite", 0, 6), "Kumite: walk"),
    "a fight in the first round": (
        "extra_step",
        put_before("step", 11, event="kumite", attacker=1, defender=0, square=[1, 7], kind="walk",
                   bout=1, dice=[1, 1], bonuses=[0, 0]),
        "extra step"),
    "a fight at the wrong place": ("kumite", set_to("kumite", square=[1, 8]), "Kumite: walk"),
    "a Kumite die too large": ("kumite", set_to("kumite", dice=[7, 2]), "Kumite: dice"),
    "a bonus made up": ("kumite", set_to("kumite", bonuses=[1, 0]), "Kumite: walk"),
    "a wrong total": ("kumite", set_to("kumite_result", totals=[6, 2]), "totals and winner"),
    "a wrong winner": ("kumite", set_to("kumite_result", winner=0), "totals and winner"),
    "the winner gains too much": ("kumite", set_to("track", to=8), "track: kumite"),
    "the loser first": ("kumite", swap_with_next("track"), "track: kumite"),
    "the loser pays nothing": ("kumite", drop("track", 1), "track: kumite"),
    "the loser stays": ("kumite", drop("choice", 0, 2), "sent to Start"),
    "sent to another square than chosen": ("kumite", set_to("start", to=[0, 1]), "Start"),
    "sent to another room": (
        "kumite", all_of(set_to("choice", answer=[15, 15]), set_to("start", to=[15, 15])), "Start"),
    "a room with a square too few": (
        "kumite", lambda events: events[position(events, "choice")]["options"].pop(), "Start"),
    "a placing without choice": ("kumite", drop("choice"), "sent to Start"),
    "no stop": ("kumite", drop("stop"), "Turn 2: stop"),
    "stopped for another reason": ("kumite", set_to("stop", why="boxed_in"), "Turn 2: stop"),
    "no effect": ("kumite", drop("square"), "square takes effect"),
    "another square": ("kumite", set_to("square", code="A"), "square takes effect"),
    "no extra step": ("extra_step", drop("step", 11), "extra step"),
    "an extra step of the roll": ("extra_step", set_to("step", 11, extra=False), "extra step"),
    "an extra step too far": ("extra_step", set_to("step", 11, to=[3, 7]), "extra step"),
    "a Tunnel not offered": ("extra_step", drop("choice"), "Tunnel: yes or no"),
    "a Tunnel that must be taken": (
        "extra_step", set_to("choice", options=[True], answer=True), "Tunnel: yes or no"),
    "a Tunnel refused and taken": ("extra_step", set_to("tunnel", to=[7, 4]), "Tunnel: square"),
    "a Tunnel to another exit": ("tecnica_at_once", set_to("tunnel", to=[7, 4]), "Tunnel: square"),
    "a Fatica not paid": ("fatica", drop("fatica"), "Fatica"),
    "a Fatica paid at 0 left out": ("fatica", drop("fatica", 1), "Fatica"),
    "a Fatica paid twice": ("fatica", set_to("fatica", to=-1), "Fatica"),
    "a Fatica on Tatami": (
        "fatica", put_before("stop", 0, event="fatica", seat=0, **{"from": 0, "to": 0}), "stop"),
    "a card from below the top": (
        "meditation", set_to("draw", card="Kiai"), "draw"),
    "no draw": ("meditation", drop("draw"), "draw"),
    "a reshuffle left out": ("cards", drop("reshuffle"), "reshuffle"),
    "a reshuffle of other cards": ("cards", set_to("reshuffle", deck=["Irimi"]), "reshuffle"),
    "a move of Tsugi-ashi left out": ("cards", drop("roll", 1, 8), "Turn 1"),
    "a card not resolved": ("meditation", drop("meditate"), "Meditazione"),
    "two Tecnica kept": ("meditation", drop("choice", 0, 2), "second Tecnica"),
    "the wrong Tecnica kept": (
        "meditation", set_to("keep", kept="Uke", discarded="Kiai"), "second Tecnica"),
    "no turn skipped": ("meditation", drop("skip"), "Meditazione"),
    "a turn skipped for nothing": (
        "meditation", all_of(drop("roll", 5, 5), put_before("turn", 6, event="skip", seat=2)),
        "Turn 1"),
    "a target too few": ("tecnica_at_once", set_to("choice", 1, options=[0]), "target"),
    "no target": ("tecnica_at_once", set_to("target", chosen=None), "target"),
    "a holder not asked": ("tecnica_at_once", drop("choice", 3, 2), "Tecnica"),
    "a card that is not held": (
        "tecnica_at_once",
        all_of(set_to("choice", 2, options=[None, "Kiai"], answer="Kiai")),
        "Tecnica"),
    "another card than chosen": ("tecnica_at_once", set_to("tecnica", card=None), "Tecnica"),
    "a reroll without Kaeshi": ("tecnica_at_once", set_to("tecnica", reroll=3), "Kaeshi"),
    "Kaeshi without a reroll": ("tecnica_at_once", set_to("tecnica", 1, reroll=None), "Kaeshi"),
    "the second choice too early": (
        "tecnica_at_once", swap_with_next("tecnica"), "Tecnica"),
    "the second choice too late": (
        "tecnica_after_both", swap_with_next("choice", 3), "Tecnica"),
    "Uke that does not save": ("tecnica_at_once", drop("uke"), "Uke"),
    "Uke that moves the pawn": ("tecnica_at_once", set_to("uke", to=[1, 12]), "Uke"),
    "an Exam without the choice of the defender": ("exam_won", drop("choice"), "highest"),
    "a defender too few": ("exam_won", set_to("choice", options=[2]), "highest"),
    "another defender than chosen": ("exam_won", set_to("exam", defender=1), "Final Exam"),
    "an Exam bonus forgotten": ("exam_won", set_to("kumite", bonuses=[0, 0]), "Kumite: exam"),
    "an Exam not fought": ("exam_won", drop("kumite", 0, 2), "Kumite: exam"),
    "an Exam won by nobody's rule": ("exam_won", set_to("exam_result", winner=2), "result"),
    "an Exam in the first round": ("exam_refused", set_to("exam", defender=1), "nobody can defend"),
    "back from the Dojo to elsewhere": (
        "exam_refused", set_to("exam", returned=[5, 5]), "nobody can defend"),
    "a failed Exam that costs nothing": ("exam_lost", drop("track"), "track: exam"),
    "a failed Exam without Start": ("exam_lost", drop("choice", 1, 2), "Start"),
    "the wrong reason at the end": ("exam_won", set_to("end", reason="max_rounds"), "end"),
    "no end": ("kumite", drop("end"), "end"),
    "a line after the end": (
        "kumite", lambda events: events.append({"event": "skip", "seat": 0}), "end"),
    "a turn after the last": (
        "kumite", put_before("end", 0, event="turn", seat=0, turn=4, round=2), "end"),
    "a wrong column": ("kumite", in_end("play", "steps", 12), "column steps of play"),
    "a wrong column of a seat": ("kumite", in_end(1, "track", 8), "column track of seat 1"),
    "a column too many": ("kumite", in_end("play", "luck", 1), "columns of play"),
    "a line of no known kind": (
        "kumite", put_before("stop", 0, event="rest", seat=0), "stop"),
    "a field too many": ("kumite", set_to("stop", mood="tired"), "format"),
    "a flag instead of a number": ("kumite", set_to("turn", turn=True), "turn order"),
}  # fmt: skip


def honest(name):
    options, events = SCENES[name]()
    return options, json.loads(json.dumps(events))


@pytest.mark.parametrize("name", SCENES)
def test_referee_passes_an_honest_scene(name):
    options, events = honest(name)
    seen = check(events, options)
    assert seen["event turn"] == sum(event["event"] == "turn" for event in events)


@pytest.mark.parametrize("name", TAMPERED)
def test_referee_catches(name):
    scene, tamper, rule = TAMPERED[name]
    options, events = honest(scene)
    bent = copy.deepcopy(events)
    tamper(bent)
    with pytest.raises(Foul) as caught:
        check(bent, options)
    assert rule in caught.value.rule
    # Not before the first line that differs. A stored column is blamed on the last line.
    told = [json.dumps(event) for event in events]
    lines = [json.dumps(event) for event in bent]
    pairs = enumerate(zip(told, lines, strict=False), start=1)
    first = next((line for line, (one, other) in pairs if one != other), len(lines))
    assert lines != told
    assert caught.value.line >= min(first, len(bent))


def test_referee_counts_the_columns_of_a_fight():
    _, events = scenes.kumite_scene()
    play, seats = events[-1]["play"], events[-1]["seats"]
    counted = {name: value for name, value in play.items() if value and name != "seconds"}
    assert counted == {
        "winner": -1, "winner_turn_order": -1, "reason": 1, "rounds": 1, "turns": 3, "steps": 13,
        "kumite": 1, "kumite_equal": 1, "kumite_attacker": 1, "starts": 1,
    }  # fmt: skip
    assert play["seconds"] == 180 + 3 * 12 + 13 * 1 + 20
    assert seats[1]["attacks_won"] == seats[0]["defences_lost"] == seats[0]["starts"] == 1
    assert [seat["track"] for seat in seats] == [1, 7, 4]
    assert [seat["best_track"] for seat in seats] == [4, 7, 4]


def test_referee_counts_the_columns_of_a_won_exam():
    _, events = scenes.exam_won_scene()
    play = events[-1]["play"]
    counted = {name: value for name, value in play.items() if value and name != "seconds"}
    assert counted == {
        "finished": 1, "rounds": 1, "turns": 1, "steps": 9, "exams_started": 1, "exams_won": 1,
        "exam_bouts": 1, "comeback_rank": 1,
    }  # fmt: skip
    assert play["seconds"] == 180 + 12 + 9 + 20
