"""The command `dojo`, run as a user runs it: what it prints, where, and its exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from board_drawings import DATA
from golden_plays import FOLDER, without_engine
from test_labirinto_golden import GAME, PLAYS

from dojo_core.kernel import plain_python

ROOT = Path(__file__).parent.parent
PLAYERS = [strategy.name for strategy in GAME.strategies]
SHORT = ["player=random", "max_rounds=2"]


def dojo(*words):
    """Run the command in the project's folder; return what came of it."""
    return subprocess.run(
        [sys.executable, "-m", "dojo_core.cli", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=False,
    )


def refused(*words):
    """Run a command that must be refused; return the sentence it says."""
    done = dojo(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "",
        "board",
        "board validate",
        "board render",
        "options",
        "trace",
        "scenarios",
        "bench",
        "fairness",
    ],
)
def test_help_of_every_command(command):
    done = dojo(*command.split(), "--help")
    assert done.returncode == 0
    assert "Usage: dojo " + command in done.stdout


# trace


def test_trace_prints_json_lines_of_the_golden_play():
    name = "four_alternatives"
    done = dojo("trace", *PLAYS[name].split(), "--json")
    assert done.returncode == 0
    printed = [without_engine(line) for line in done.stdout.splitlines()]
    kept = (FOLDER / f"{name}.jsonl").read_text().splitlines()
    assert printed == [without_engine(line) for line in kept]


def test_trace_tells_a_play_in_words():
    done = dojo("trace", "--seed", 3, "--play", 5, *SHORT)
    assert done.returncode == 0
    assert "play 5 of seed 3" in done.stdout
    assert "{" not in done.stdout


def test_trace_tells_a_play_in_italian():
    done = dojo("trace", "--seed", 3, "--play", 5, "--lang", "it", *SHORT)
    assert done.returncode == 0
    assert "partita 5 del seme 3" in done.stdout


def test_trace_takes_a_player_a_seat():
    done = dojo("trace", "players=3", "player=random,greedy,wanderer", "max_rounds=1", "--json")
    assert json.loads(done.stdout.splitlines()[0])["players"] == ["random", "greedy", "wanderer"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["playrs=4"], "there is no option 'playrs'; did you mean 'players'?"),
        (["players=9"], "players = '9' is not a whole number from 3 to 8"),
        (["player=gredy"], "did you mean 'greedy'?"),
        (["players"], "'players' is not of the form option=value, for instance players=4"),
        (["board=quadrnt"], "did you mean 'quadrant'"),
        (["start_track=18"], "start_track = 18 is above the top of the track, 17"),
        (["player=greedy,greedy"], "names 2 players, but players = 4 sit at the table"),
        (["--lang", "fr", *SHORT], "language 'fr' is not one of en, it"),
        (["--game", "labirint", *SHORT], "did you mean 'labirinto'?"),
        (["--seed", "many", *SHORT], "'--seed'"),
        (["--seed", "-1", *SHORT], "'--seed'"),
        (["--play", "-1", *SHORT], "'--play'"),
    ],
)
def test_trace_refuses_with_one_sentence(words, sentence):
    assert sentence in refused("trace", *words)


def test_unknown_command_and_flag_are_refused():
    assert "trce" in refused("trce")
    assert "--jsn" in refused("trace", "--jsn")


# scenarios


def scenario(**expect):
    return {"id": "one", "type": "setup", "n": 3, "seats": [0, 1, 2], "expect": expect}


def test_scenarios_that_pass_end_with_exit_code_0():
    done = dojo("scenarios", DATA / "labirinto.json")
    *lines, last = done.stdout.splitlines()
    count = len(json.loads((DATA / "labirinto.json").read_text()))
    assert done.returncode == 0
    assert last == f"{count} passed, 0 failed"
    assert all(json.loads(line)["passed"] for line in lines)
    assert len(lines) == count


def test_scenarios_that_fail_end_with_exit_code_1(tmp_path):
    wrong, right = tmp_path / "wrong.json", tmp_path / "right.json"
    wrong.write_text(json.dumps([scenario(legal=False)]))
    right.write_text(json.dumps([scenario(legal=True)]))
    done = dojo("scenarios", wrong, right)
    assert done.returncode == 1
    first, second, last = done.stdout.splitlines()
    assert json.loads(first) == {
        "id": "one",
        "passed": False,
        "differences": ["legal: expected False, found legal"],
    }
    assert json.loads(second)["passed"]
    assert last == "1 passed, 1 failed"


@pytest.mark.parametrize("text", [None, "no JSON", "{}"])
def test_scenarios_that_cannot_be_read_end_with_exit_code_2(tmp_path, text):
    file = tmp_path / "file.json"
    if text:
        file.write_text(text)
    assert str(file) in refused("scenarios", file)


# bench and fairness


@pytest.mark.skipif(plain_python(), reason="a measure of compiled code")
def test_bench_prints_json_a_line_for_each_player_and_count():
    done = dojo(
        "bench", "max_rounds=3", "--players", "3,4", "--seconds", 0.01, "--no-compile", "--json"
    )
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["compile_seconds"] is None
    assert [(row["player"], row["players"]) for row in found["rows"]] == [
        (player, players) for player in PLAYERS for players in (3, 4)
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--players", "4;8"], "--players '4;8' is not a list of whole numbers, for instance 4,8"),
        (["--players", "9"], "players = 9 is not a whole number from 3 to 8"),
        (["--seconds", "0"], "'--seconds'"),
        (["max_round=3"], "did you mean 'max_rounds'?"),
    ],
)
def test_bench_refuses_with_one_sentence(words, sentence):
    assert sentence in refused("bench", *words)


@pytest.mark.skipif(plain_python(), reason="hundreds of plays")
def test_fairness_prints_a_verdict_for_every_player_at_4_and_8_seats():
    done = dojo("fairness", "--plays", 40)
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [
        [player, seats, "seats:"] for player in PLAYERS for seats in ("4", "8")
    ]
    assert done.returncode == any("NOT fair" in line for line in lines)


def test_fairness_of_no_plays_is_refused():
    assert "'--plays'" in refused("fairness", "--plays", "0")
