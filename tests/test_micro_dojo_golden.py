"""Golden plays of Micro Dojo: told today as they were told when they were kept, line by line.

A rule that changes on purpose changes them: ``python tests/test_micro_dojo_golden.py`` writes all
files anew, and the difference shows what the change does.
"""

import json

import pytest
from golden_plays import FOLDER, differing_line, told

from dojo_core import games
from dojo_core.micro_dojo.words import KINDS

GAME = games.load("micro_dojo")
HERE = FOLDER / "micro_dojo"

# File -> arguments of `dojo trace --game micro_dojo`.
PLAYS = {
    "basic_random": "player=random --seed 2",
    "basic_greedy": "player=greedy --seed 3",
    "planner_against_greedy": "player=planner,greedy --play 4",
    "advanced_random_paid": (
        "player=random abilities=paid deal_combatant=true deal_spymaster=true deal_organiser=true"
        " deal_loser=true deal_farmer=true first_gold=3 first_food=3 second_gold=3 second_food=3"
        " --seed 3"
    ),
    "advanced_greedy_free": (
        "player=greedy abilities=free ability_choice=side objective_1=organiser"
        " objective_2=combatant objective_3=spymaster objective_4=loser objective_5=farmer"
    ),
    "all_buildings": (
        "player=random buildings_dealt=12 first_gold=6 first_food=6 second_gold=6 second_food=6"
        " spent_on_buildings=bought stables_back=forbidden --seed 22"
    ),
    "all_buildings_again": (
        "player=random buildings_dealt=12 first_gold=6 first_food=6 second_gold=6 second_food=6"
        " spent_on_buildings=bought stables_back=forbidden --seed 18"
    ),
    "stalled": "player=greedy triggers_a_turn=0 buildings_dealt=0 donate_points=0 stall_turns=12",
}


@pytest.mark.parametrize("name", PLAYS)
def test_golden_play_is_told_as_before(name):
    assert differing_line(HERE / f"{name}.jsonl", told(GAME, PLAYS[name])) is None


def test_every_golden_file_is_compared():
    assert {path.stem for path in HERE.iterdir()} == set(PLAYS)


def golden_events():
    for name in PLAYS:
        for line in (HERE / f"{name}.jsonl").read_text().splitlines():
            yield json.loads(line)


def test_golden_plays_show_every_kind_of_event():
    kinds = {event["event"] for event in golden_events()}
    assert kinds == {"setup", "turn", "choice", "points", *KINDS}


def test_golden_plays_end_in_several_ways():
    assert {e["reason"] for e in golden_events() if e["event"] == "end"} == {
        "points", "objectives", "stall_turns",
    }  # fmt: skip


def test_golden_plays_are_told_in_words_without_a_hole():
    for name in PLAYS:
        lines = (HERE / f"{name}.jsonl").read_text().splitlines()
        for language in ("en", "it"):
            words = list(GAME.describe([json.loads(line) for line in lines], language))
            assert not [line for line in words if "{" in line or "_" in line or "None" in line]


def main():
    HERE.mkdir(exist_ok=True)
    for name, arguments in PLAYS.items():
        lines = told(GAME, arguments)
        (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        print(f"{name}: {len(lines)} lines by dojo trace --game micro_dojo {arguments} --json")


if __name__ == "__main__":
    main()
