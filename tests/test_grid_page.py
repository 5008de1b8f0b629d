"""The page of the grid language: its examples are grids, and it names every section and key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sweep import expressions, grid
from sweep.grid import read_grid
from sweep.plan import make_plan

PAGE = (Path(grid.__file__).parent / "GRID.md").read_text(encoding="utf-8")
SEARCH = "[tune]"  # makes no points by itself
EXAMPLES = {
    re.search(r"## (.*)\n(?:(?!\n## )[\s\S])*\Z", PAGE[: found.start()]).group(1): found.group(1)
    for found in re.finditer(r"```toml\n([\s\S]*?)```", PAGE)
}
POINTS = {
    "[sweep]": 1,
    "[fixed] and [grid]": 36,
    "[[together]]": 6,
    "Presets": 6,
    "[players.NAME]": 4,
    "[sample]": 64,
    "[one_at_a_time]": 4,
    "[[only_when]]": 7,
    "[derived]": 4,
    "[[leave_out]] and [[more_plays]]": 10,
    "[ladder]": 42,
}


@pytest.mark.parametrize("heading", POINTS)
def test_an_example_makes_the_points_that_it_should(tmp_path, heading):
    path = tmp_path / "example.toml"
    path.write_text(EXAMPLES[heading])
    plan, _ = make_plan(read_grid(path))
    twice = re.search(r"(\d+) twice", plan.origin)
    assert len(plan.points) + (int(twice[1]) if twice else 0) == POINTS[heading]


def test_there_is_no_other_example():
    assert set(EXAMPLES) == {*POINTS, SEARCH}


def test_the_example_of_a_search_is_read(tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(EXAMPLES[SEARCH])
    assert read_grid(path).tune.ranges.keys() == {"gold", "food"}


@pytest.mark.parametrize("section", grid.SECTIONS)
def test_every_section_has_a_row_and_an_example(section):
    brackets = f"[[{section}]]" if section in grid.REPEATED else f"[{section}"
    assert f"| `{brackets}" in PAGE
    assert any(brackets in example for example in EXAMPLES.values())


def test_every_word_of_an_expression_is_named():
    text = PAGE.split("## [derived]")[1].split("\n## ")[0]
    assert all(f"`{name}`" in text for name in (*expressions._FUNCTIONS, "and", "or", "not"))
