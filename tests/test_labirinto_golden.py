"""Golden plays: told today as they were told when they were kept, line by line.

A rule that changes on purpose changes them: ``python tests/test_labirinto_golden.py`` writes all
files anew, and the difference shows what the change does. Each file is what
``dojo trace ARGUMENTS --json`` prints; the field ``engine`` is not compared.
"""

import json

import pytest
from golden_plays import FOLDER, differing_line, told

from dojo_core import games

GAME = games.load("labirinto")

# File -> arguments of `dojo trace`.
PLAYS = {
    "three_greedy": "player=greedy players=3 start_track=12",
    "four_wanderer": "player=wanderer players=4 start_track=15 board=less_fatica --seed 2",
    "five_random_in_pairs": (
        "player=random players=5 seating=pairs start_track=8 board=open max_rounds=6 --play 3"
    ),
    "six_mixed_linked": (
        "player=greedy,wanderer,random,greedy,wanderer,random players=6 board=linked"
        " start_track_many=13 max_rounds=10 --seed 5"
    ),
    "seven_open_questions": (
        "player=greedy players=7 start_track_many=14 max_rounds=8 extra_step_fatica=free"
        " extra_step_dojo=closed shared_square=no_effect dojo_latch=stays_closed"
        " uke_retreat=move_start kaeshi_timing=after_both first_round_ends=before_last_turn"
        " tunnel_uke=extra_step event_reach=exposed reshuffle=at_once exam_defender=exposed"
        " uke_cards=9 meditazione_cards=5"
    ),
    "eight_best_of_3": (
        "player=greedy players=8 start_track_many=15 board=four_entrances exam_wins=2"
        " exam_ties=defender max_rounds=10 --seed 4"
    ),
    "four_of_weights": (
        "player=beginner,careful,bold,expert players=4 start_track=9 max_rounds=12 --seed 3"
    ),
    "three_of_mastery": (
        "player=master,expert,master players=3 start_track=12 max_rounds=8 --seed 4"
    ),
    "four_alternatives": (
        "player=greedy players=4 short_game=true first_player_extra=1 fatica_stop_only=true"
        " first_round_kumite=true exam_own_belt=true kiai=1 exam_fail_cost=0 start_track=14"
        " board=more_fatica max_rounds=15"
    ),
    "five_cards": (
        "player=wanderer players=5 start_track=9 board=few_tunnels max_rounds=12 tsugi_ashi_cards=9"
        " tunnel_segreto_cards=6 kaeshi_cards=9 uke_cards=9 tunnel_uke=return --play 7"
    ),
}


@pytest.mark.parametrize("name", PLAYS)
def test_golden_play_is_told_as_before(name):
    assert differing_line(FOLDER / f"{name}.jsonl", told(GAME, PLAYS[name])) is None


def test_every_golden_file_is_compared():
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(PLAYS)


def golden_events():
    for name in PLAYS:
        for line in (FOLDER / f"{name}.jsonl").read_text().splitlines():
            yield json.loads(line)


def test_golden_plays_seat_three_to_eight_and_every_player():
    setups = [event for event in golden_events() if event["event"] == "setup"]
    assert {len(setup["players"]) for setup in setups} == {3, 4, 5, 6, 7, 8}
    assert {name for setup in setups for name in setup["players"]} == {
        strategy.name for strategy in GAME.strategies
    }


def test_golden_plays_show_every_kind_of_event():
    kinds = {event["event"] for event in golden_events()}
    assert kinds == {
        "setup", "turn", "skip", "roll", "step", "fatica", "stop", "choice", "kumite", "tecnica",
        "kumite_result", "track", "start", "uke", "square", "draw", "keep", "reshuffle", "tunnel",
        "target", "swap", "passo_falso", "meditate", "exam", "exam_result", "end",
    }  # fmt: skip


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, arguments in PLAYS.items():
        lines = told(GAME, arguments)
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        print(f"{name}: {len(lines)} lines by dojo trace {arguments} --json")


if __name__ == "__main__":
    main()
