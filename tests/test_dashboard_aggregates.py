"""The dashboard's questions, asked of small tables whose answers are known."""

import math

import duckdb
import pandas as pd
import pytest

from dashboard import aggregates, metrics
from dashboard.metrics import Metric
from dojo_core.game import Column
from sweep import questions, statistics

TURN_ORDER = Column("turn_order", "u1", "0 for the first player.")
CORNER = Column("corner", "u1", "The seat's corner.")
PLAYER = Column("player", "u1", "Who decides.", "", ("random", "greedy"))
ROUNDS = Metric("rounds", "Rounds", "rounds", "Rounds begun.")
MINUTES = Metric("rounds", "Minutes", "min", "", factor=1 / 60)


@pytest.fixture
def con():
    """Point a: 4 plays of 2 seats, one of them unfinished. Point b: 1 play of 2 seats."""
    con = duckdb.connect()
    con.execute(
        """
        CREATE TABLE plays AS SELECT * FROM (VALUES
            ('a', 0, 1, 10), ('a', 1, 1, 20), ('a', 2, 1, 30), ('a', 3, 0, 100), ('b', 0, 1, 7)
        ) t(point, play, finished, rounds);
        CREATE TABLE seats AS SELECT * FROM (VALUES
            ('a', 0, 0, 0, 0, 1, 4), ('a', 0, 1, 1, 1, 0, 8),
            ('a', 1, 0, 0, 0, 1, 2), ('a', 1, 1, 1, 1, 0, 2),
            ('a', 2, 0, 1, 0, 0, 6), ('a', 2, 1, 0, 1, 1, 6),
            ('a', 3, 0, 1, 0, 0, 1), ('a', 3, 1, 0, 1, 0, 1),
            ('b', 0, 0, 0, 0, 0, 0), ('b', 0, 1, 1, 1, 1, 9)
        ) t(point, play, seat, turn_order, player, won, track);
        CREATE TABLE squares AS SELECT * FROM (VALUES
            ('a', 1, 5), ('a', 0, 3), ('a', 0, 4), ('b', 0, 100), ('b', 1, 100)
        ) t(point, square, steps);
        ALTER TABLE seats ADD COLUMN corner INTEGER;
        UPDATE seats SET corner = seat;
        CREATE TABLE points AS
            SELECT point, count(*) AS plays_n, count_if(finished = 0) AS unfinished_n
            FROM plays GROUP BY point;
        CREATE TABLE moments AS
            SELECT point, turn_order, player, 'won' AS metric, count(*) AS n, sum(won) AS total
            FROM seats GROUP BY ALL
            UNION ALL SELECT point, turn_order, player, 'track', count(*), sum(track)
            FROM seats GROUP BY ALL
            UNION ALL SELECT point, -1, -1, 'finished', count(*), sum(finished)
            FROM plays GROUP BY ALL;
        CREATE TABLE histograms AS
            SELECT point, 'rounds' AS metric, rounds AS low, rounds AS high, count(*) AS n
            FROM plays GROUP BY ALL;
        """
    )
    return con


def point_row(**values):
    return {"point": "a", "plays_n": 100, "unfinished_n": 20, **values}


def test_an_axis_is_an_option_with_several_values(toy_options):
    table = pd.DataFrame({"players": [3, 4], "board": ["x", "x"], "rule": [True, False]})
    assert aggregates.axes(table, toy_options("players", "board", "rule")) == ["players", "rule"]


def test_presets_are_an_axis_that_comes_first(toy_options):
    table = pd.DataFrame({"players": [3, 4], "preset": ["as printed", "shorter game"]})
    assert aggregates.axes(table, toy_options("players")) == ["preset", "players"]


@pytest.fixture
def toy_options():
    class Named:
        def __init__(self, *names):
            self.options = [Column(name, "", "") for name in names]

    return Named


def test_an_axis_that_moves_with_a_chosen_one_needs_no_control():
    table = pd.DataFrame({"players": [3, 4, 3, 4], "start": [0, 3, 0, 3], "board": list("xxyy")})
    assert aggregates.free(table, ["players", "start", "board"], ["players"]) == ["board"]
    assert aggregates.free(table, ["players", "start"], []) == ["players", "start"]


def test_a_mean_comes_from_the_summary_with_its_interval():
    table = pd.DataFrame([point_row(rounds_mean=50.0, rounds_se=1.0, rounds_n=100)])
    row = aggregates.means(None, ROUNDS, table).iloc[0]
    assert (row["mean"], row["n"]) == (50.0, 100)
    assert row["high"] - row["mean"] == pytest.approx(statistics.Z95)


def test_a_mean_and_its_interval_are_shown_in_the_metrics_unit():
    table = pd.DataFrame([point_row(rounds_mean=120.0, rounds_se=6.0, rounds_n=100)])
    row = aggregates.means(None, MINUTES, table).iloc[0]
    assert row["mean"] == pytest.approx(2.0)
    assert row["high"] - row["low"] == pytest.approx(2 * statistics.Z95 / 10)


def test_the_unfinished_share_has_wilsons_interval():
    row = aggregates.means(None, metrics.UNFINISHED, pd.DataFrame([point_row()])).iloc[0]
    assert row["mean"] == pytest.approx(20.0)
    expected = [100 * bound for bound in statistics.wilson(20, 100)]
    assert [row["low"], row["high"]] == pytest.approx(expected)


def test_the_first_players_share_is_of_the_finished_plays():
    table = pd.DataFrame([point_row(won_0_mean=0.4, won_0_n=100)])
    row = aggregates.means(None, metrics.FIRST_WINS, table).iloc[0]
    assert (row["mean"], row["n"]) == (pytest.approx(50.0), 80)


def test_a_point_without_a_finished_play_has_no_win_share():
    table = pd.DataFrame([point_row(unfinished_n=100, won_0_mean=0.0, won_0_n=100)])
    assert aggregates.means(None, metrics.FIRST_WINS, table).empty


def test_a_seat_metric_takes_a_play_as_one_value(con):
    metric = Metric("track", "Track", "stripes", "", "seat")
    rows = aggregates.means(con, metric, pd.DataFrame()).set_index("point")
    plays = pd.Series([6.0, 2.0, 6.0, 1.0])
    assert rows.loc["a", "mean"] == pytest.approx(plays.mean())
    assert rows.loc["a", "se"] == pytest.approx(plays.std() / math.sqrt(4))
    assert rows.loc["a", "n"] == 4


def test_of_many_points_fewer_plays_tell_the_spread_but_all_the_mean(con, monkeypatch):
    metric = Metric("track", "Track", "stripes", "", "seat")
    table = pd.DataFrame({"point": ["a", "b"]})
    all_plays = aggregates.means(con, metric, table).set_index("point")
    monkeypatch.setattr(questions, "SPREAD_PLAYS_OF_ALL", 1)
    monkeypatch.setattr(questions, "SPREAD_PLAYS_LEAST", 2)
    fewer = aggregates.means(con, metric, table).set_index("point")
    assert fewer["mean"].equals(all_plays["mean"])
    assert fewer.loc["a", "se"] != all_plays.loc["a", "se"]


def test_an_average_counts_points_alike_and_its_interval_is_never_too_narrow():
    rows = pd.DataFrame(
        {
            "point": ["a", "b"],
            "board": ["x", "x"],
            "mean": [10.0, 20.0],
            "low": [9.0, 16.0],
            "high": [11.0, 24.0],
            "n": [1000, 10],
            "unfinished": [0.0, 0.5],
        }
    )
    row = aggregates.averaged(rows, ["board"]).iloc[0]
    assert (row["mean"], row["low"], row["high"], row["n"]) == (15.0, 12.5, 17.5, 1010)
    assert (row["points"], row["unfinished"]) == (2, 0.25)


def test_wins_leave_unfinished_plays_out(con):
    rows = aggregates.wins(con, TURN_ORDER)
    first = rows[(rows["point"] == "a") & (rows["seat_group"] == 0)].iloc[0]
    assert (first["seats"], first["wins"], first["fair"]) == (3, 3, 0.5)


def test_wins_by_any_seat_column_leave_unfinished_plays_out_too(con):
    rows = aggregates.wins(con, CORNER)
    at_a = rows[rows["point"] == "a"]
    assert at_a["seats"].tolist() == [3, 3]
    assert at_a["wins"].tolist() == [2, 1]


def test_a_code_is_shown_as_its_word(con):
    assert set(aggregates.wins(con, PLAYER)["seat_group"]) == {"random", "greedy"}


def test_win_shares_have_wilsons_interval(con):
    rows = aggregates.win_shares(aggregates.wins(con, PLAYER))
    row = rows[(rows["point"] == "a") & (rows["seat_group"] == "random")].iloc[0]
    assert row["share"] == pytest.approx(2 / 3)
    assert (row["low"], row["high"]) == pytest.approx(statistics.wilson(2, 3))


def wins_table(*counts):
    rows = [
        {
            "point": f"p{number}",
            "seat_group": order,
            "seats": sum(wins),
            "wins": count,
            "fair": 1 / len(wins),
        }
        for number, wins in enumerate(counts)
        for order, count in enumerate(wins)
    ]
    return pd.DataFrame(rows)


def test_the_margin_is_that_of_a_fair_share():
    half = aggregates.margins(wins_table([2500, 2600, 2400, 2500]))
    assert half.tolist() == pytest.approx([statistics.Z95 * (0.25 * 0.75 / 10000) ** 0.5] * 4)


def test_the_verdict_is_the_chi_squared_test_of_equal_wins():
    scipy_stats = pytest.importorskip("scipy.stats")
    wins = [300, 250, 240, 210]
    row = aggregates.verdicts(wins_table(wins)).iloc[0]
    assert row["p"] == pytest.approx(scipy_stats.chisquare(wins).pvalue)
    assert (row["most"], row["least"], row["plays"]) == (0, 3, 1000)
    assert row["above"] == pytest.approx(0.05)
    assert row["below"] == pytest.approx(-0.04)


def test_verdicts_are_corrected_for_the_number_of_points():
    wins = [280, 250, 240, 230]
    alone = aggregates.verdicts(wins_table(wins)).iloc[0]
    among = aggregates.verdicts(wins_table(wins, [250] * 4, [250] * 4)).iloc[0]
    assert alone["corrected"] == alone["p"]
    assert among["corrected"] == pytest.approx(3 * among["p"])


def test_a_point_nobody_won_at_gets_no_verdict():
    assert aggregates.verdicts(wins_table([0, 0, 0]).fillna(0)).empty


def test_lengths_keep_unfinished_plays_apart(con):
    rows = aggregates.lengths(con, ROUNDS, "plays")
    at_a = rows[rows["point"] == "a"]
    assert at_a.loc[at_a["finished"] == 1, "value"].tolist() == [10, 20, 30]
    assert at_a.loc[at_a["finished"] == 0, "plays"].tolist() == [1]


def test_summaries_take_the_longest_plays_for_the_unfinished_ones(con):
    counted = aggregates.lengths(con, ROUNDS, "plays")
    summed = aggregates.lengths(con, ROUNDS, "summary")
    pd.testing.assert_frame_equal(summed, counted, check_dtype=False)


def test_long_ranges_are_counted_in_bins():
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE plays AS SELECT 'a' AS point, 1 AS finished, range rounds FROM range(10000)"
    )
    rows = aggregates.lengths(con, ROUNDS, "plays")
    assert len(rows) <= questions.LENGTH_BINS + 1
    assert rows["plays"].sum() == 10000
    assert set(rows["width"]) == {5}


def test_quantiles_count_unfinished_plays_as_longer_than_any(con):
    rows = aggregates.lengths(con, ROUNDS, "plays")
    at_a = rows[rows["point"] == "a"]
    assert aggregates.quantiles(at_a, [0.25, 0.5, 0.75, 0.95]) == [10, 20, 30, math.inf]


def test_tallies_add_up_the_rows_of_a_square_in_order(con):
    assert aggregates.tallies(con, "a", "steps") == [7.0, 5.0]
