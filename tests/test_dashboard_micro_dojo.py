"""The dashboard's page of Micro Dojo: its numbers by hand on few rows, its look on real ones."""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard import results, views_micro_dojo
from dojo_core import games
from dojo_core.micro_dojo.columns import REASONS
from dojo_core.micro_dojo.components import BUILDINGS, OBJECTIVES, SLOTS

APP = Path(dashboard.__file__).parent / "app.py"
GAME = games.load("micro_dojo")
GRID = """
[sweep]
name = "micro"
game = "micro_dojo"
plays = 400
seed = 3

[grid]
player = ["random", "greedy"]
"""
POINTS = ("p",)


def rows(columns, many):
    """Return a table of one point with these columns, 0 where `many` rows say nothing."""
    names = [column.name for column in columns]
    return pd.DataFrame([dict.fromkeys(names, 0) | row for row in many]).assign(point="p")


@pytest.fixture
def con():
    """Four plays: seat 0 always goes first; it wins three, of which two with a Castle."""
    empty = {f"objective_{slot}": len(OBJECTIVES) for slot in range(1, SLOTS + 1)}
    first = {"winner_turn_order": 0, "dealt_castle": 1}
    plays = rows(
        GAME.play_columns,
        [
            empty | first | {"objective_1": 4, "result_1": 2, "triggered_by_1": 1, "reason": 0},
            empty | first | {"objective_1": 4, "result_1": 2, "triggered_by_1": 2, "reason": 1},
            empty | {"winner_turn_order": 0, "objective_1": 4, "reason": 1},
            empty | {"winner_turn_order": 1, "dealt_castle": 1, "influence_turn": 5,
                     "tie_break": 2, "objective_1": 4, "result_1": 1, "triggered_by_1": 1},
        ],
    )  # fmt: skip
    seats = rows(
        GAME.seat_columns,
        [
            {"won": 1, "bought_castle": 1, "points_castle": 2}, {},
            {"won": 1, "bought_castle": 1, "points_castle": 2}, {},
            {"won": 1, "points_objectives": 3}, {},
            {"bought_castle": 1, "points_castle": 2}, {"won": 1},
        ],
    )  # fmt: skip
    connection = duckdb.connect()
    connection.register("plays", plays)
    connection.register("seats", seats)
    squares = pd.DataFrame(
        {
            "point": "p",
            "square": range(9),
            "visits": [10] * 9,
            "winner_visits": [4] * 9,
            "other_visits": [2] * 9,
            "points": [0] * 8 + [5],
        }
    )
    connection.register("squares", squares)
    return connection


def test_endings_are_shares_of_all_plays_and_influence_is_told_apart(con):
    table = views_micro_dojo.endings(con, POINTS).set_index("")
    assert table.loc["won by the first player", ["Share", "Plays"]].tolist() == [0.75, 4]
    assert table.loc["ended by the last objective", "Share"] == 0.5
    assert table.loc["decided by resources", "Share"] == 0.25
    spent = table.loc["won by the second player, Influence spent"]
    kept = table.loc["won by the second player, Influence kept"]
    assert [spent["Share"], spent["Plays"], kept["Share"], kept["Plays"]] == [1.0, 1, 0.0, 3]


def test_nothing_decides_between_equal_points_of_plays_that_stalled(con):
    stalled = con.table("plays").df().assign(reason=REASONS.index("stall_turns"))
    con.register("plays", stalled)
    table = views_micro_dojo.endings(con, POINTS).set_index("")
    assert table.loc["stopped: stall_turns", "Share"] == 1.0
    assert table.loc["decided by resources", "Share"] == 0.0


def test_a_building_is_worth_what_its_buyers_win_beyond_half(con):
    table = views_micro_dojo.buildings_worth(con, POINTS).set_index("Building")
    castle = table.loc["Castle"]
    assert castle["Dealt"] == 3
    assert castle["Bought, if dealt"] == 1.0
    assert castle["Lift"] == pytest.approx(100 * (2 / 3 - 1 / 2))
    assert castle["First player's wins"] == pytest.approx(100 * (2 / 3 - 1))
    assert len(table) == len(BUILDINGS)
    assert np.isnan(table.loc["Yatai", "Lift"])


def test_an_objective_is_worth_what_its_scorers_win_beyond_half(con):
    table = views_micro_dojo.objectives_worth(con, POINTS).set_index("Objective")
    banker = table.loc["Banker"]
    assert list(table.index) == ["Banker"]
    assert (banker["Dealt"], banker["Triggered"]) == (4, 0.75)
    assert banker["For nobody"] == pytest.approx(1 / 3)
    assert banker["By its scorer"] == 0.5
    assert banker["Lift"] == pytest.approx(50)
    assert views_micro_dojo.slots_worth(con, POINTS)["Dealt"].tolist() == [4]


def test_spaces_leave_visits_out_that_nobody_won(con):
    table = views_micro_dojo.spaces_worth(con, POINTS)
    assert table["winner_share"].tolist() == [0.5] * 9
    assert table["points_of_visits"].tolist() == [0.0] * 8 + [0.5]
    assert table["visits_of_turns"].sum() == pytest.approx(100)


def test_points_come_from_their_sources(con):
    table = views_micro_dojo.point_sources(con, POINTS).set_index("name")["value"]
    assert (table["Castle"], table["Objectives"], table["Donations"]) == (1.5, 0.75, 0)


def opened(folder):
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.session_state[results.FOLDER_KEY] = str(folder)
    return app.run()


@pytest.mark.parametrize("record", ["plays", "summary"])
def test_the_page_opens_on_a_sweep_of_micro_dojo(record, write_grid, command, tmp_path):
    grid = write_grid(GRID.replace("seed = 3", f'seed = 3\nrecord = "{record}"'))
    code, _, errors = command("run", grid, "--results", tmp_path / "results")
    assert code == 0, errors
    app = opened(tmp_path / "results")
    app.switch_page("views_micro_dojo.py").run()
    assert not app.exception
    assert not app.error
    assert app.title[0].value == "Micro Dojo"
    if record == "plays":
        assert [tab.label for tab in app.tabs][1:] == ["Buildings", "Objectives", "Spaces"]
        assert len(app.dataframe) == 5
        assert len(app.dataframe[1].value) == len(BUILDINGS)
    else:
        assert "summaries" in app.info[0].value


def test_the_page_says_of_another_game_that_it_is_not_for_it(write_grid, command, tmp_path):
    command("run", write_grid(), "--results", tmp_path / "results")
    app = opened(tmp_path / "results")
    app.switch_page("views_micro_dojo.py").run()
    assert not app.exception
    assert "The chosen sweep is of The Toy" in app.info[0].value
