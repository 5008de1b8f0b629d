"""What the pages ask of a sweep, by the SQL of `sweep.questions`; only small tables come out."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pandas as pd

from dashboard.metrics import Metric
from dojo_core.game import Column, Game
from sweep import questions, statistics
from sweep.axes import PRESET


def points(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Return the table of points: a row a point, its options and its summary columns."""
    return con.sql(questions.POINTS).df()


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
    (unfinished,) = con.sql(questions.UNFINISHED).fetchall()[0]
    rows = con.sql(questions.wins(by.name, unfinished > 0)).df()
    if by.labels:
        rows["seat_group"] = [by.labels[int(code)] for code in rows["seat_group"]]
    return rows


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
    rows = con.sql(questions.lengths(metric.name, record)).df()
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
    rows = con.sql(questions.tallies(tally, point)).fetchall()
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
    rows = con.sql(questions.seat_means(metric.name, points)).df()
    margin = statistics.Z95 * rows["se"]
    return rows.assign(low=rows["mean"] - margin, high=rows["mean"] + margin)
