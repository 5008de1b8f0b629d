"""Stories of real plays: whatever the engine tells can be told on in words."""

import itertools
import json
import re
from collections import Counter

import pytest

from dojo_core import games
from dojo_core.kernel import plain_python
from dojo_core.labirinto import story
from dojo_core.labirinto.options import OPTIONS

GAME = games.load("labirinto")
ROUNDS = 6 if plain_python() else 120  # Plain Python plays some hundred times slower.
# Every answer to every open question but the default, with the switches of the rules in turn.
ANSWERS = [
    {option.name: answer}
    for option in OPTIONS
    if option.group == "Open questions"
    for answer in option.choices[1:]
]
SWITCHES = [{option.name: True} for option in OPTIONS if option.kind == "switch"]
OTHERS = [
    {"exam_wins": 2, "exam_ties": "defender", "kumite_ties": "defender"},
    {"belt_stripes": 2, "dice": 1, "die_faces": 8, "kiai": 1, "exam_fail_cost": 0},
    {"tunnel_segreto_cards": 9, "uke_cards": 9, "tunnel_uke": "return"},
    {"meditazione_cards": 20, "tsugi_ashi_cards": 20},
    {option.name: 0 for option in OPTIONS if option.name.endswith("_cards")},
]
POINTS = [
    {"players": players, "player": player, "max_rounds": ROUNDS} | options
    for options, (players, player) in zip(
        [{}, *ANSWERS, *SWITCHES, *OTHERS],
        itertools.cycle([(4, "wanderer"), (3, "greedy"), (8, "wanderer"), (5, "random")]),
        strict=False,
    )
]


def trace(options, seed=5, play=0):
    return GAME.trace(GAME.prepare(GAME.resolve(options)), seed, play)


def label(options):
    return "-".join(f"{name}={value}" for name, value in options.items() if name != "max_rounds")


@pytest.mark.parametrize("options", POINTS, ids=label)
def test_every_play_can_be_told_in_every_language(options):
    events = trace(options)
    for language in story.languages():
        lines = list(story.describe(events, language))
        assert not [line for line in lines if "\n" in line or re.search(r"[{}]|None|np\.", line)]
        assert len(lines) > len([e for e in events if e["event"] == "turn"])


@pytest.mark.parametrize("options", POINTS, ids=label)
def test_every_decision_of_a_play_is_told_with_what_it_led_to(options):
    lines = list(story.describe(trace(options), "en"))
    assert not [line for line in lines if " decides: " in line]


def test_the_story_of_a_play_has_its_fights_rounds_and_cards():
    events = trace({"player": "wanderer", "players": 4, "max_rounds": ROUNDS})
    text = "\n".join(story.describe(events, "en"))
    count = Counter(event["event"] for event in events)
    rounds = len({e["round"] for e in events if e["event"] == "turn"})
    assert len(re.findall(r"^Round \d+", text, re.MULTILINE)) == rounds
    assert len(re.findall(r"^\d+\. P", text, re.MULTILINE)) == count["turn"]
    assert len(re.findall(r"^ +(?:Kumite|Bout) .*; dice \d", text, re.MULTILINE)) == count["kumite"]
    assert text.count(" draws ") == count["draw"]
    assert text.count(" is sent to Start") == count["start"]
    assert text.count("[Fatica: ") == count["fatica"]


def test_a_trace_kept_as_json_lines_gives_the_same_story():
    events = trace({"player": "wanderer", "players": 3, "max_rounds": ROUNDS})
    kept = [json.loads(json.dumps(event)) for event in events]
    assert list(story.describe(kept, "it")) == list(story.describe(events, "it"))


def test_the_game_tells_its_plays_by_this_story():
    events = trace({"player": "greedy", "players": 3, "max_rounds": 3})
    assert list(GAME.describe(events, "it")) == list(story.describe(events, "it"))
