"""The shipped grids of Micro Dojo are grids, and their pages exist."""

import re
from pathlib import Path

import pytest

import sweep
from dojo_core.games import GAMES
from sweep.grid import read_grid
from sweep.plan import make_plan

EXAMPLES = Path(sweep.__file__).parent / "examples"
ROOT = EXAMPLES.parent.parent
PAGES = Path(GAMES["micro_dojo"].replace(".", "/"))


@pytest.mark.parametrize(("name", "points"), [("micro_dojo", 11), ("micro_dojo_ladder", 42)])
def test_a_shipped_grid_makes_its_points(name, points):
    plan, _ = make_plan(read_grid(EXAMPLES / f"{name}.toml"))
    assert plan.name == name
    assert len(plan.points) == points


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *(ROOT / PAGES).glob("*.md")], ids=lambda page: page.name
)
def test_pages_link_to_files_that_exist(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
