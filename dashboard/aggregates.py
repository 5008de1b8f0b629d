"""What the pages ask of a sweep. Every aggregate is SQL; only small tables leave the database."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pandas as pd

from dashboard.metrics import Metric
from dojo_core.game import Column, Game
from sweep import statistics
from sweep.grid import PRESET

# Values of a length are counted one by one up to so many different ones, in bins beyond.
LENGTH_BINS = 2000
# So many plays of a point tell a standard deviation to half a percent. Of many points fewer are
# looked at, so many of all of them together, but never under the least, which tell it to 7%.
SPREAD_PLAYS = 20_000
SPREAD_PLAYS_OF_ALL = 1_000_000
SPREAD_PLAYS_LEAST = 100

_SUMMED_BY = ("turn_order", "player")
# Who sits where is settled by the point: so the unfinished plays hold as many seats of each group
# as the finished ones, in proportion.
_WINS_SUMMED = """
    SELECT point, moments.{by} AS seat_group, sum(total)::BIGINT AS wins,
           (sum(n) * (any_value(plays_n) - any_value(unfinished_n))
               // any_value(plays_n))::BIGINT AS seats
    FROM moments JOIN points USING (point)
    WHERE metric = 'won' AND turn_order >= 0
    GROUP BY ALL
"""
_WINS_COUNTED = """
    SELECT point, {by} AS seat_group, sum(won)::BIGINT AS wins, count(*) AS seats
    FROM seats ANTI JOIN (FROM plays WHERE finished = 0) AS unfinished USING (point, play)
    GROUP BY ALL
"""
_COUNTED = """
    SELECT point, finished, {column}::BIGINT AS value, count(*) AS plays FROM plays GROUP BY ALL
"""
_SUMMED = """
    WITH ranked AS (
        SELECT point, low, n, sum(n) OVER (PARTITION BY point ORDER BY low) AS up_to,
               plays_n - unfinished_n AS finished_n
        FROM histograms JOIN points USING (point) WHERE metric = '{column}'
    ),
    parted AS (
        SELECT point, low, n, greatest(0, least(n, finished_n - (up_to - n))) AS done FROM ranked
    )
    SELECT point, 1 AS finished, low AS value, done AS plays FROM parted
    UNION ALL SELECT point, 0, low, n - done FROM parted
"""


def points(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Return the table of points: a row a point, its options and its summary columns."""
    return con.sql("SELECT * FROM points ORDER BY number").df()


def axes(table: pd.DataFrame, game: Game) -> list[str]:
    """Return what varies among the points: the preset, then options in the game's order."""
    names = [name for name in (PRESET, *(o.name for o in game.options)) if name in table]
    return [name for name in names if table[name].nunique() > 1]


def free(table: pd.DataFrame, names: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return those axes of `names` that still vary when the `chosen` ones are set.

    An axis that moves together with a chosen one is settled by it and needs no control.
    """
    others = [name for name in names if name not in chosen]
    if not chosen:
        return others
    within = table.groupby(list(chosen), dropna=False)
    return [name for name in others if within[name].nunique().max() > 1]


def means(con: duckdb.DuckDBPyConnection, metric: Metric, table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of a metric a point, in its shown unit, with its 95% interval.

    Args:
        con: The sweep.
        metric: What to average.
        table: The table of points.

    Returns:
        A row a point with plays: ``point``, ``mean``, ``se``, ``low``, ``high``, ``n``.
        Shares have Wilson's interval, other means the normal one.
    """
    if metric.source == "share":
        rows = _shares(metric, table)
    elif metric.source == "seat":
        rows = _seat_means(con, metric, len(table))
    else:
        names = [f"{metric.name}_{part}" for part in ("mean", "se", "n")]
        rows = table[["point", *names]].set_axis(["point", "mean", "se", "n"], axis=1)
        rows = rows.assign(
            low=rows["mean"] - statistics.Z95 * rows["se"],
            high=rows["mean"] + statistics.Z95 * rows["se"],
        )
    rows = rows[rows["n"] > 0].copy()
    rows[["mean", "se", "low", "high"]] *= metric.factor
    return rows


def averaged(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return the mean over the points that agree on `keys`, each point counting alike.

    Points of a sweep share their dice, so their errors are not independent. The margin is
    therefore the mean of the points' margins, which is never too narrow, however they depend.

    Args:
        table: A row a point: the `keys`, ``mean``, ``low``, ``high``, ``n``, ``unfinished``.
        keys: The axes that are kept.
    """
    grouped = table.groupby(list(keys), as_index=False, dropna=False, sort=False)
    return grouped.agg(
        mean=("mean", "mean"),
        low=("low", "mean"),
        high=("high", "mean"),
        n=("n", "sum"),
        points=("point", "size"),
        unfinished=("unfinished", "mean"),
    )


def wins(con: duckdb.DuckDBPyConnection, by: Column) -> pd.DataFrame:
    """Return how often each group of seats won, a row a point and group, finished plays only.

    By turn order and player the answer is in the stored sums, whatever the number of plays; by
    other columns the rows of all seats are counted.

    Returns:
        ``point``, ``seat_group`` (a value of the column, as a word where it has words),
        ``seats`` (seat rows counted), ``wins``, and ``fair`` (the share all seats would have).
    """
    counted = _WINS_SUMMED if by.name in _SUMMED_BY else _WINS_COUNTED
    rows = con.sql(
        f"""
        WITH counted AS ({counted.format(by=by.name)})
        SELECT point, seat_group, seats, wins,
               sum(wins) OVER of_point / sum(seats) OVER of_point AS fair
        FROM counted WHERE seats > 0 WINDOW of_point AS (PARTITION BY point)
        ORDER BY point, seat_group
        """
    ).df()
    if by.labels:
        rows["seat_group"] = [by.labels[int(code)] for code in rows["seat_group"]]
    return rows


def groupings(game: Game, record: str) -> list[str]:
    """Return the seat columns that tell seats apart: the codes without a unit.

    Of a sweep that keeps summaries, those that its sums are kept by.
    """
    names = [c.name for c in game.seat_columns if not c.unit and c.name not in _SUMMED_BY]
    others = [name for name in names if name != "won"]
    return [*_SUMMED_BY, *(others if record == "plays" else [])]


def win_shares(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `wins` with ``share``, and ``low`` and ``high`` of Wilson's interval."""
    pairs = [
        statistics.wilson(int(won), int(seats))
        for won, seats in zip(table["wins"], table["seats"], strict=True)
    ]
    return table.assign(
        share=table["wins"] / table["seats"],
        low=[low for low, _ in pairs],
        high=[high for _, high in pairs],
    )


def margins(table: pd.DataFrame) -> pd.Series:
    """Return half the width of the 95% interval about each fair share of the rows of `wins`."""
    return statistics.Z95 * (table["fair"] * (1 - table["fair"]) / table["seats"]) ** 0.5


def verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Return a test of fairness a point, corrected for there being several points.

    Points at which nobody won, or that have one group only, are left out: there is no question.

    Args:
        table: The rows of `wins`.

    Returns:
        ``point``, ``plays`` (finished), ``most`` and ``least`` (the groups furthest above and
        below their fair share), ``above`` and ``below`` (how far, shares of 1), ``p`` of
        Pearson's chi-squared test and ``corrected`` by Holm's method.
    """
    expected = table["seats"] * table["fair"]
    rows = table.assign(
        off=table["wins"] / table["seats"] - table["fair"],
        distance=(table["wins"] - expected) ** 2 / expected,
    )
    points = rows.groupby("point", sort=False)
    rows = rows[(points["wins"].transform("sum") > 0) & (points["wins"].transform("size") > 1)]
    points = rows.groupby("point", sort=False)
    tests = points.agg(
        plays=("wins", "sum"), statistic=("distance", "sum"), groups=("wins", "size")
    )
    most, least = rows.loc[points["off"].idxmax()], rows.loc[points["off"].idxmin()]
    tests = tests.reset_index().assign(
        most=most["seat_group"].to_numpy(),
        above=most["off"].to_numpy(),
        least=least["seat_group"].to_numpy(),
        below=least["off"].to_numpy(),
    )
    tests["p"] = [
        statistics.chi_squared_tail(float(statistic), int(groups) - 1)
        for statistic, groups in zip(tests["statistic"], tests["groups"], strict=True)
    ]
    return tests.assign(corrected=statistics.holm(tests["p"].tolist()))


def lengths(con: duckdb.DuckDBPyConnection, metric: Metric, record: str) -> pd.DataFrame:
    """Return how often each length occurred: a row a point, bin and whether it finished.

    Args:
        con: The sweep.
        metric: The length.
        record: What the sweep keeps. Summaries do not say which plays were unfinished: these are
            taken to be the longest ones, as they were cut at a limit.

    Returns:
        ``point``, ``finished``, ``value`` (lower edge of the bin) and ``width`` in the shown
        unit, ``plays``.
    """
    source = (_COUNTED if record == "plays" else _SUMMED).format(column=metric.name)
    rows = con.sql(
        f"""
        WITH counted AS ({source}),
        bins AS (
            SELECT greatest(1, ceil((max(value) - min(value)) / {LENGTH_BINS}))::BIGINT AS width
            FROM counted
        )
        SELECT point, finished, value // width * width AS value, width,
               sum(plays)::BIGINT AS plays
        FROM counted, bins WHERE plays > 0 GROUP BY ALL ORDER BY ALL
        """
    ).df()
    return rows.assign(value=rows["value"] * metric.factor, width=rows["width"] * metric.factor)


def quantiles(table: pd.DataFrame, shares: Sequence[float]) -> list[float]:
    """Return the lengths by which these shares of all plays are over; infinity when never.

    Unfinished plays stay in the count: leaving them out would make every quantile too short.

    Args:
        table: Rows of `lengths` of the same width.
        shares: Shares of 1.
    """
    done = table[table["finished"] == 1].groupby("value")["plays"].sum().sort_index()
    over = done.cumsum() / table["plays"].sum()
    found = []
    for share in shares:
        reached = over.index[over >= share - 1e-12]
        found.append(float(reached[0]) if len(reached) else float("inf"))
    return found


def tallies(con: duckdb.DuckDBPyConnection, point: str, tally: str) -> list[float]:
    """Return a tally of every square of a point's board, row by row, as stored."""
    rows = con.execute(
        f"SELECT sum({tally})::DOUBLE FROM squares WHERE point = ? GROUP BY square ORDER BY square",
        [point],
    ).fetchall()
    return [row[0] for row in rows]


def _shares(metric: Metric, table: pd.DataFrame) -> pd.DataFrame:
    plays, unfinished = table["plays_n"], table["unfinished_n"]
    if metric.name == "unfinished":
        hits, n = unfinished, plays
    else:
        n = plays - unfinished
        hits = (table["won_0_mean"] * table["won_0_n"]).fillna(0).round()
    pairs = [statistics.wilson(int(h), int(k)) for h, k in zip(hits, n, strict=True)]
    return pd.DataFrame(
        {
            "point": table["point"],
            "mean": hits / n,
            "se": [statistics.share(int(h), int(k)).se for h, k in zip(hits, n, strict=True)],
            "low": [low for low, _ in pairs],
            "high": [high for _, high in pairs],
            "n": n,
        }
    )


def _seat_means(con: duckdb.DuckDBPyConnection, metric: Metric, points: int) -> pd.DataFrame:
    # The seats of one play are not independent, so a play's mean counts as one value. The mean of
    # all is exact, from the stored sums; how much plays differ is told well by the first ones.
    share = SPREAD_PLAYS_OF_ALL // max(points, 1)
    looked_at = min(SPREAD_PLAYS, max(SPREAD_PLAYS_LEAST, share))
    rows = con.sql(
        f"""
        WITH plays_means AS (
            SELECT point, play, avg({metric.name}) AS value
            FROM seats WHERE play < {looked_at} GROUP BY point, play
        ),
        spread AS (SELECT point, stddev_samp(value) AS deviation FROM plays_means GROUP BY point),
        totals AS (
            SELECT point, sum(total) / sum(n) AS mean
            FROM moments WHERE metric = '{metric.name}' AND turn_order >= 0 GROUP BY point
        )
        SELECT point, mean, deviation / sqrt(plays_n) AS se, plays_n AS n
        FROM totals JOIN points USING (point) LEFT JOIN spread USING (point)
        """
    ).df()
    margin = statistics.Z95 * rows["se"]
    return rows.assign(low=rows["mean"] - margin, high=rows["mean"] + margin)
