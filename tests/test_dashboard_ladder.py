"""The dashboard's page of a ladder, and its figures."""

from __future__ import annotations

import pytest
import sweep_runs
from test_dashboard_pages import opened, write_sweep
from test_ladder import NAMES, RUNGS, ladder
from test_ladder_command import GRID

from dashboard import ladder_figures
from sweep.ladder import standing


@pytest.fixture
def played(write_grid, tmp_path):
    sweep_runs.play(write_grid(GRID), tmp_path)
    return tmp_path


@pytest.fixture
def found():
    return standing(RUNGS, ladder({"low": 1.0, "middle": 1.0, "high": 2.0}))


def test_the_page_says_whether_every_step_is_shown(played):
    app = opened(played, "ladder.py")
    assert not app.exception
    assert "Every player is better than those of the rung below" in app.success[0].value
    assert len(app.get("plotly_chart")) == 2
    captions = [caption.value for caption in app.main.caption]
    assert "Half against half: who plays explains" in captions[0]


def test_a_sweep_that_is_no_ladder_says_what_makes_one(tmp_path):
    write_sweep(tmp_path)
    app = opened(tmp_path, "ladder.py")
    assert not app.exception
    assert "[ladder]" in app.info[0].value


def test_the_page_waits_for_the_first_plays(write_grid, tmp_path):
    write_sweep(tmp_path, GRID, share=0)
    app = opened(tmp_path, "ladder.py")
    assert not app.exception
    assert "No play is stored yet" in app.info[0].value


def test_a_step_that_is_not_shown_has_a_mark_of_its_own(found):
    better, not_shown = ladder_figures.ratings(found).data
    assert list(better.text) == ["low", "high"]
    assert list(not_shown.text) == ["middle"]
    assert better.marker.symbol != not_shown.marker.symbol
    assert better.marker.color != not_shown.marker.color


def test_the_intervals_of_ratings_are_drawn(found):
    better = ladder_figures.ratings(found).data[0]
    assert list(better.error_x.array) == pytest.approx(
        [1.959964 * rating.se for rating in found.ratings if rating.name != "middle"]
    )


def test_the_matrix_holds_every_share_and_is_pale_where_it_is_fair(found):
    figure = ladder_figures.shares(found)
    one = figure.data[0]
    row, column = list(one.y).index("high"), list(one.x).index("low")
    share = next(s for s in found.shares if (s.name, *s.against, s.mix) == ("high", "low", "one"))
    assert one.customdata[row][column][0] == share.share
    assert one.z[row][column] == pytest.approx(share.share / 0.25 - 1)
    assert one.z[row][row] is None
    axis = figure.layout.coloraxis
    assert axis.cmin == -axis.cmax
    assert [note.text for note in figure.layout.annotations] == [
        "One against the rest",
        "Half against half",
    ]


def test_figures_have_titles_and_units(found):
    ratings, shares = ladder_figures.ratings(found), ladder_figures.shares(found)
    assert "rating and 95% interval" in ratings.layout.title.text
    assert "points" in ratings.layout.xaxis.title.text
    assert "% of the plays" in shares.layout.title.text


def test_many_different_players_have_no_matrix():
    only = standing(RUNGS, ladder(dict.fromkeys(NAMES, 1.0), seats=3, mixes=("different",)))
    assert ladder_figures.shares(only) is None
