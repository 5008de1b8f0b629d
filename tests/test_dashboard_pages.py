"""Every page of the dashboard, opened on small real results of a toy game."""

import dataclasses
import sys
from pathlib import Path

import pytest
import toy_game
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard import results
from sweep import store, summary
from sweep.blocks import play_block
from sweep.grid import read_grid
from sweep.plan import Plan, make_plan, missing_blocks, with_calibration

APP = Path(dashboard.__file__).parent / "app.py"
PAGES = ["sweeps.py", "compare.py", "fairness.py", "length.py", "board.py", "sql.py"]
GRID = """
[sweep]
name = "races"
game = "toy"
plays = 512
seed = 7
record = "{record}"

[fixed]
max_rounds = 5

[grid]
players = [2, 3]
bonus = [false, true]
"""


def strip(setup):
    codes = ["E", *(str(number % 10) for number in range(1, setup.squares))]
    colors = {code: ("step", "#eeeeee") for code in "0123456789"} | {"E": ("start", "#99cc99")}
    rows = setup.squares // setup.width
    return {
        "rows": rows,
        "columns": setup.width,
        "codes": codes,
        "walls": [[0, 0, rows, 0]],
        "colors": colors,
    }


@pytest.fixture(scope="module", autouse=True)
def toy_with_a_board():
    game = toy_game.GAME
    toy_game.GAME = dataclasses.replace(game, board=strip)
    yield
    toy_game.GAME = game


def write_sweep(folder, text=GRID.format(record="plays"), share=1.0):
    """Play a grid by the sweep's own functions, up to a share of its blocks."""
    folder.mkdir(parents=True, exist_ok=True)
    grid_file = folder / "grid.toml"
    grid_file.write_text(text)
    plan, _ = make_plan(read_grid(grid_file))
    plan = with_calibration(plan, plan.calibration, 7)
    return play(folder, plan, share)


def play(folder: Path, plan: Plan, share: float):
    home = folder / plan.name
    keeper = store.Store(home, toy_game.GAME, plan)
    with keeper.open():
        keeper.write_plan()
        blocks = list(missing_blocks(plan.points, {}, plan.plays, plan.exponent))
        for block in blocks[: round(share * len(blocks))]:
            setup = plan.setup(toy_game.GAME, plan.find(block.point))
            tables = play_block(toy_game.GAME, setup, plan.seed, block, plan.record)
            keeper.add(store.write_block(home, plan.record, block, tables))
        keeper.save()
        chunks = keeper.counted()
        sums = summary.point_sums(home, toy_game.GAME, plan, chunks)
        summary.write_points(home, toy_game.GAME, plan, sums)
    return plan


@pytest.fixture(scope="module")
def races(toy_with_a_board, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_sweep(folder)
    return folder


def opened(folder, page="sweeps.py", **choices):
    """Return the app with a page open, its widgets set by the ends of their keys."""
    app = AppTest.from_file(str(APP), default_timeout=30)
    app.session_state[results.FOLDER_KEY] = str(folder)
    app.run()
    app.switch_page(page).run()
    for ending, value in choices.items():
        widget(app, ending).set_value(value).run()
    return app


def widget(app, ending):
    everything = [*app.selectbox, *app.segmented_control, *app.text_area]
    return next(w for w in everything if (w.key or "").endswith("/" + ending))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_without_an_error(races, page):
    app = opened(races, page)
    assert not app.exception
    assert not app.error


if __name__ == "__main__":
    toy_game.GAME = dataclasses.replace(toy_game.GAME, board=strip)
    write_sweep(Path(sys.argv[1]))
