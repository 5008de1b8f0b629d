"""The pages that are written from, or must keep up with, the option table of Il Labirinto."""

import re
from pathlib import Path

import pytest

from dojo_core import games, options_page
from dojo_core.labirinto.options import OPTIONS
from dojo_core.options import find

FOLDER = Path(options_page.__file__).parent / "labirinto"
PAGE = (FOLDER / "OPTIONS.md").read_text(encoding="utf-8")
QUESTIONS = (FOLDER / "OPEN_QUESTIONS.md").read_text(encoding="utf-8")
# A section of the page of open questions, by the option that it names below its heading.
SECTIONS = {
    re.search(r"`(\w+) = ", text).group(1): text
    for text in QUESTIONS.split("## Part 2")[0].split("\n### ")[1:]
}
DOUBTFUL = [o for o in OPTIONS if o.group == "Open questions" or o.name == "seating"]


def row(name):
    return next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))


@pytest.mark.parametrize("game", [name for name, m in games.GAMES.items() if m[:4] == "dojo"])
def test_the_committed_page_is_the_one_written_from_the_table(game):
    written = options_page.markdown(games.load(game))
    page = FOLDER.parent / game / "OPTIONS.md"
    assert written == page.read_text(encoding="utf-8"), f"dojo options {game} --markdown"


def test_every_option_has_one_row_of_six_cells():
    page = PAGE.split("## Weights of a player")[0]
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert [re.match(r"\| `(\w+)`", line).group(1) for line in rows] == [o.name for o in OPTIONS]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {7}


def test_every_weight_has_a_row_with_that_of_every_player_made_of_weights():
    section = PAGE.split("## Weights of a player")[1]
    player = find(OPTIONS, "player")
    for feature in player.features:
        (line,) = [line for line in section.splitlines() if line.startswith(f"| `{feature.name}`")]
        weights = [str(player.weights_of(name)[feature.name]).lower() for name in player.weights]
        assert [cell.strip() for cell in line.split("|")][-1 - len(weights) : -1] == weights


def test_assumed_numbers_and_no_others_are_marked():
    marked = {option.name for option in OPTIONS if "*assumed*" in row(option.name)}
    assert marked == {option.name for option in OPTIONS if option.assumed}
    assert "time_turn" in marked


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("kiai", "| `2` | 0 to 12 | points |"),
        ("short_game", "| `false` | `false`, `true` |"),
        ("kumite_ties", "| `attacker` | `attacker`, `defender` |"),
        ("board", "| `board/quadrant.txt` | a path, or a shipped name |"),
        ("player", "; or a list, one a seat |"),
    ],
)
def test_each_kind_of_option_shows_default_and_values(name, cells):
    assert cells in row(name)


@pytest.mark.parametrize("option", DOUBTFUL, ids=lambda option: option.name)
def test_every_open_question_has_a_section_with_its_ruling_and_all_its_answers(option):
    section = SECTIONS[option.name]
    values = section.split("\n\n")[1]
    assert re.findall(r'"(\w+)"', values) == list(option.choices)
    ruling = re.search(r"ruling (\d+)", option.source).group(1)
    assert f"(ruling {ruling})" in section.split("\n")[0]
    for part in ("**Played as:**", "**Why:**", "**Otherwise:**", "**At the table:**"):
        assert part in section


def test_no_section_outlives_its_option():
    assert set(SECTIONS) == {option.name for option in DOUBTFUL}


def test_other_options_that_the_questions_name_exist():
    second_part = QUESTIONS.split("## Part 2")[1]
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)*)(?: = \d+)?`", second_part))
    assert named
    assert named <= {option.name for option in OPTIONS}
