"""Figures show what their tables say."""

import itertools

import numpy as np
import pandas as pd
import pytest

from dashboard import board_figures, controls, figures, style
from dashboard.metrics import Metric

ROUNDS = Metric("rounds", "Rounds", "rounds", "Rounds begun.")
STEPS = Metric("steps", "Steps", "steps a play", "Steps onto the square.")


def means(**axes):
    rows = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    table = pd.DataFrame(rows)
    number = np.arange(len(table))
    return table.assign(
        mean=40.0 + number, low=38.0 + number, high=43.0 + number, n=100, unfinished=0.1
    )


def scatters(figure):
    return [trace for trace in figure.data if trace.type == "scatter"]


def test_compare_draws_each_mean_with_both_ends_of_its_interval():
    figure = figures.compare(means(players=[3, 4]), ROUNDS, "players", None, None)
    (marks,) = scatters(figure)
    assert marks.y.tolist() == [40.0, 41.0]
    assert marks.error_y.array.tolist() == [3.0, 3.0]
    assert marks.error_y.arrayminus.tolist() == [2.0, 2.0]


def test_compare_shows_the_unfinished_share_below():
    figure = figures.compare(means(players=[3, 4]), ROUNDS, "players", None, None)
    (bars,) = [trace for trace in figure.data if trace.type == "bar"]
    assert bars.y.tolist() == [0.1, 0.1]
    assert bars.text == ("10%", "10%")


def test_compare_has_no_strip_when_every_play_was_finished():
    table = means(players=[3, 4]).assign(unfinished=0.0)
    figure = figures.compare(table, ROUNDS, "players", None, None)
    assert [trace.type for trace in figure.data] == ["scatter"]


def test_bars_are_numbered_while_the_numbers_have_room():
    few = figures.compare(means(players=[3, 4]), ROUNDS, "players", None, None)
    many = figures.compare(means(players=list(range(17))), ROUNDS, "players", None, None)
    assert [trace.text is None for trace in (few.data[1], many.data[1])] == [False, True]


def test_compare_names_each_colour_once_and_each_panel():
    table = means(players=[3, 4], board=["open", "tight"], short=[False, True])
    figure = figures.compare(table, ROUNDS, "players", "board", "short")
    named = [trace.name for trace in scatters(figure) if trace.showlegend]
    assert named == ["board open", "board tight"]
    titles = [note.text for note in figure.layout.annotations]
    assert titles == ["without short", "with short"]


def test_compare_leaves_out_points_that_the_grid_leaves_out():
    table = means(players=[3, 4], board=["open", "tight"]).drop(index=3)
    figure = figures.compare(table, ROUNDS, "players", "board", None)
    assert [len(trace.y) for trace in scatters(figure)] == [2, 1]


def test_compare_tells_groups_apart_without_colour():
    table = means(players=[3, 4], board=[str(number) for number in range(8)])
    marks = scatters(figures.compare(table, ROUNDS, "players", "board", None))
    assert len({trace.marker.symbol for trace in marks}) == 8
    assert len({trace.marker.color for trace in marks}) == 8


def test_compare_draws_a_mean_whose_interval_is_unknown():
    table = means(players=[3, 4]).assign(low=np.nan, high=np.nan)
    figure = figures.compare(table, ROUNDS, "players", None, None)
    low, high = figure.layout.yaxis.range
    assert low < 40 < 41 < high


def test_groups_of_the_same_colour_have_other_markers():
    looks = {(style.color(index), style.symbol(index)) for index in range(24)}
    assert len(looks) == 24


def test_compare_joins_the_marks_of_numbers_only():
    numbers = scatters(figures.compare(means(players=[3, 4]), ROUNDS, "players", None, None))
    words = scatters(figures.compare(means(board=["a", "b"]), ROUNDS, "board", None, None))
    assert (numbers[0].mode, words[0].mode) == ("lines+markers", "markers")


def shares(*players):
    rows = [
        {
            "players": count,
            "seat_group": order,
            "share": 1 / count,
            "low": 1 / count - 0.01,
            "high": 1 / count + 0.01,
            "fair": 1 / count,
            "wins": 10,
            "seats": 10 * count,
        }
        for count in players
        for order in range(count)
    ]
    return pd.DataFrame(rows)


def test_fairness_draws_the_fair_share_of_each_panel():
    figure = figures.fairness(shares(3, 4), "turn_order", None, "players")
    lines = [trace for trace in scatters(figure) if trace.name == "Fair share"]
    assert [line.y[0] for line in lines] == [pytest.approx(1 / 3), pytest.approx(1 / 4)]


def test_fairness_panels_reach_equally_far_in_proportion():
    figure = figures.fairness(shares(3, 8), "turn_order", None, "players")
    ends = [figure.layout.yaxis.range[1] * 3, figure.layout.yaxis2.range[1] * 8]
    assert ends[0] == pytest.approx(ends[1])


def test_a_share_far_above_the_fair_one_is_still_inside_its_panel():
    table = shares(4)
    table.loc[0, ["share", "low", "high"]] = [0.9, 0.88, 0.92]
    figure = figures.fairness(table, "turn_order", None, None)
    assert figure.layout.yaxis.range[1] > 0.92


def test_no_panel_of_fairness_reaches_past_all_plays():
    table = shares(2, 6)
    table.loc[2, ["share", "low", "high"]] = [0.5, 0.48, 0.52]
    figure = figures.fairness(table, "turn_order", None, "players")
    assert figure.layout.yaxis.range[1] < 1.05
    assert figure.layout.yaxis2.range[1] > 0.52


def test_turn_orders_are_counted_as_people_do():
    figure = figures.fairness(shares(3), "turn_order", None, None)
    assert figure.layout.xaxis.ticktext == ("1st", "2nd", "3rd")


def lengths(unfinished=10):
    rows = [{"value": v, "width": 1, "plays": 1, "finished": 1} for v in range(90)]
    rows.append({"value": 1000, "width": 1, "plays": unfinished, "finished": 0})
    return pd.DataFrame(rows)


def test_unfinished_plays_are_a_bar_of_their_own():
    figure = figures.lengths(lengths(), ROUNDS, None, cumulative=False)
    (line,) = scatters(figure)
    (bar,) = [trace for trace in figure.data if trace.type == "bar"]
    assert max(line.x) < 100
    assert bar.y[0] == pytest.approx(0.1)


def test_the_cumulative_line_ends_at_the_finished_share():
    (line,) = scatters(figures.lengths(lengths(), ROUNDS, None, cumulative=True))
    assert line.y[-1] == pytest.approx(0.9)


def test_bins_keep_every_play_and_are_round():
    table = figures.binned(lengths(), 20)
    assert table["plays"].sum() == 100
    assert set(table["width"]) == {5}
    assert table.loc[table["finished"] == 1, "plays"].tolist() == [5] * 18


def test_bins_of_minutes_begin_at_whole_bins():
    table = lengths().assign(width=1 / 60, value=lambda t: t["value"] / 60)
    counts = figures.binned(table, 20)
    assert counts.loc[counts["finished"] == 1, "plays"].tolist() == [5] * 18


# The board


def board(rows, walls=(), kinds=None):
    kinds = kinds or {code: (f"kind {code}", "#123456") for code in "".join(rows)}
    return board_figures.picture(
        {
            "rows": len(rows),
            "columns": len(rows[0]),
            "codes": list("".join(rows)),
            "walls": walls,
            "colors": kinds,
        }
    )


TURNED = ["A.BA", "B...", "...B", "AB.A"]


def test_long_walls_are_cut_to_the_sides_of_squares():
    picture = board(["..", ".."], [[0, 0, 0, 2], [2, 1, 0, 1]])
    assert picture.walls == {(0, 0, 0, 1), (0, 1, 0, 2), (0, 1, 1, 1), (1, 1, 2, 1)}


def test_a_board_that_a_quarter_turn_keeps_can_be_folded():
    assert board(TURNED).repeats
    assert not board(["A.", ".."]).repeats
    assert not board(["...", "..."]).repeats


def test_a_wall_that_a_quarter_turn_moves_forbids_folding():
    assert not board(TURNED, [[0, 1, 1, 1]]).repeats
    walls = [[0, 1, 1, 1], [1, 3, 1, 4], [3, 3, 4, 3], [3, 0, 3, 1]]
    assert board(TURNED, walls).repeats


def test_folding_averages_the_squares_that_are_alike():
    values = np.zeros((4, 4))
    values[0, 1], values[1, 3], values[3, 2], values[2, 0] = 1, 2, 3, 6
    folded = board_figures.fold(values)
    assert folded.shape == (2, 2)
    assert folded[0, 1] == 3.0
    assert folded.sum() == 3.0


def test_a_quadrant_keeps_its_own_walls():
    walls = [[0, 1, 1, 1], [1, 3, 1, 4]]
    assert board(TURNED, walls).quadrant().walls == {(0, 1, 1, 1)}


def test_the_heat_has_a_square_for_a_square_its_code_and_its_unit():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    figure = board_figures.heat(board(["A.", "BA"]), values, STEPS, "Steps")
    heat = figure.data[0]
    assert heat.z.tolist() == values.tolist()
    assert heat.text.tolist() == [["A", ""], ["B", "A"]]
    assert heat.colorbar.title.text == "steps a play"
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # row 0 is on top


def test_a_wall_is_drawn_between_its_squares():
    figure = board_figures.heat(board(["..", ".."], [[0, 1, 1, 1]]), np.ones((2, 2)), STEPS, "")
    wall = figure.data[-1]
    assert (wall.x[:2], wall.y[:2]) == ((0.5, 0.5), (-0.5, 0.5))


def test_a_difference_is_coloured_alike_both_ways_from_zero():
    values = np.array([[-1.0, 3.0]])
    heat = board_figures.heat(board([".."]), values, STEPS, "", difference=True).data[0]
    assert (heat.zmin, heat.zmax) == (-3.0, 3.0)


def test_kinds_are_averaged_over_their_squares():
    table = board_figures.kind_means(board(["A.", "AA"]), np.array([[1.0, 5.0], [2.0, 3.0]]))
    by_kind = table.set_index("kind")
    assert by_kind.loc["kind A", ["squares", "mean", "total"]].tolist() == [3, 2.0, 6.0]
    assert table["kind"].tolist() == ["kind .", "kind A"]


def test_each_kind_is_drawn_in_its_colour():
    kinds = {"A": ("a", "#111111"), "B": ("b", "#222222")}
    figure = board_figures.kinds(board(["AB"], kinds=kinds), "")
    scale = [css for _, css in figure.data[0].colorscale]
    assert scale == ["#111111", "#111111", "#222222", "#222222"]
    assert figure.data[0].z.tolist() == [[0, 1]]


# Words and numbers


def test_small_shares_keep_digits_that_mean_something():
    shown = [style.percent(share) for share in (0, 1, 0.5, 0.0457, 0.00123)]
    assert shown == ["0%", "100%", "50%", "4.6%", "0.12%"]


def test_only_all_plays_are_100_percent():
    assert style.percent(0.9999) == "99%"


def test_a_caption_says_the_least_and_the_most_plays():
    assert style.between([2000, 2000], "plays a mark") == "n = 2,000 plays a mark"
    assert style.between([2000, 50], "plays a mark") == "n = 50 to 2,000 plays a mark"


def test_a_margin_is_written_to_the_digit_that_matters():
    pairs = [
        (33.781, 0.66),
        (32.94, 1.66),
        (40.97, 0.134),
        (2.279, 0.0241),
        (10745, 230),
        (0.0, 0.0096),
    ]
    assert [style.with_margin(*pair) for pair in pairs] == [
        "33.8 ± 0.7",
        "32.9 ± 1.7",
        "40.97 ± 0.13",
        "2.28 ± 0.02",
        "10,745 ± 230",
        "0.000 ± 0.010",
    ]


def test_a_unit_is_said_once():
    twice = Metric("exams", "Exams started", "exams", "")
    assert figures.axis_title(twice) == "Exams started"
    assert figures.axis_title(Metric("kumite", "Kumite", "fights", "")) == "Kumite (fights)"


def test_places_are_written_as_people_write_them():
    assert [style.ordinal(i) for i in (0, 1, 2, 3, 10, 20)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "21st",
    ]


def test_no_unfinished_play_is_no_share_at_all():
    table = pd.DataFrame({"value": range(1, 8), "width": 1, "finished": 1, "plays": 1})
    figure = figures.lengths(table, ROUNDS, None, cumulative=False)
    (bar,) = (trace for trace in figure.data if trace.type == "bar")
    assert list(bar.y) == [0.0]


def test_many_values_along_the_bottom_are_named_now_and_then_and_bars_lose_their_numbers():
    table = pd.DataFrame({"goal": range(100), "mean": 1.0, "low": 0.5, "high": 1.5, "n": 10})
    figure = figures.compare(table.assign(unfinished=0.1), ROUNDS, "goal", None, None)
    assert len(figure.layout.xaxis.tickvals) <= figures.MOST_TICKS
    marks, bars = figure.data
    assert len(marks.x) == len(bars.x) == 100
    assert bars.text is None


def test_more_colours_than_can_be_told_apart_are_thinned_evenly_and_said_so():
    rows = means(goal=list(range(29)), players=[3, 4])
    limits = [("goal", controls.MOST_COLORS), ("players", controls.MOST_PANELS), (None, 6)]
    drawn, note = controls.thinned(rows, limits)
    assert drawn["goal"].unique().tolist() == [0, 4, 8, 12, 16, 20, 24, 28]
    assert drawn["players"].unique().tolist() == [3, 4]
    assert note == "Drawn are 8 of the 29 values of **goal**; the table below has all."
    few = rows[rows["goal"] < 3]
    same, note = controls.thinned(few, limits)
    assert len(same) == len(few)
    assert note == ""


def test_an_axis_is_readable_when_its_values_are_few():
    rows = means(goal=list(range(29)), players=[3, 4])
    assert controls.readable(rows, ["goal", "players"], 8) == "players"
    assert controls.readable(rows, ["goal"], 8) is None
