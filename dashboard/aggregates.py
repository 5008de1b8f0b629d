"""What the pages ask of a sweep. Every aggregate is SQL; only small tables leave the database."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pandas as pd

from dashboard.metrics import Metric
from dojo_core.game import Column, Game
from sweep import statistics

# Values of a length are counted one by one up to so many different ones, in bins beyond.
LENGTH_BINS = 2000


def points(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Return the table of points: a row a point, its options and its summary columns."""
    return con.sql("SELECT * FROM points ORDER BY number").df()


def axes(table: pd.DataFrame, game: Game) -> list[str]:
    """Return the options that have several values among the points, in the game's order."""
    names = [option.name for option in game.options if option.name in table]
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
        rows = _seat_means(con, metric)
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
    grouped = table.groupby(list(keys), as_index=False, dropna=False)
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

    Returns:
        ``point``, the group under its column's name (as a word where the column has words),
        ``seats`` (seat rows counted), ``wins``, and ``fair`` (the share all seats would have).
    """
    rows = con.sql(
        f"""
        WITH unfinished AS (SELECT point, play FROM plays WHERE finished = 0),
        counted AS (
            SELECT point, {by.name} AS grouped, count(*) AS seats, sum(won) AS wins
            FROM seats ANTI JOIN unfinished USING (point, play)
            GROUP BY ALL
        )
        SELECT point, grouped AS {by.name}, seats, wins::BIGINT AS wins,
               sum(wins) OVER of_point / sum(seats) OVER of_point AS fair
        FROM counted WINDOW of_point AS (PARTITION BY point)
        ORDER BY point, grouped
        """
    ).df()
    if by.labels:
        rows[by.name] = [by.labels[int(code)] for code in rows[by.name]]
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


def verdicts(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return a test of fairness a point, corrected for there being several points.

    Args:
        table: The rows of `wins`.
        by: The column that tells the groups apart.

    Returns:
        ``point``, ``plays`` (finished), ``most`` and ``least`` (the groups furthest above and
        below their fair share), ``above`` and ``below`` (how far, shares of 1), ``p`` of
        Pearson's chi-squared test and ``corrected`` by Holm's method.
    """
    rows = []
    for point, group in table.groupby("point", sort=False):
        plays = int(group["wins"].sum())
        expected = group["seats"] * group["fair"]
        off = group["wins"] / group["seats"] - group["fair"]
        statistic = float(((group["wins"] - expected) ** 2 / expected).sum()) if plays else 0.0
        rows.append(
            {
                "point": point,
                "plays": plays,
                "most": group.loc[off.idxmax(), by],
                "above": float(off.max()),
                "least": group.loc[off.idxmin(), by],
                "below": float(off.min()),
                "p": statistics.chi_squared_tail(statistic, len(group) - 1)
                if len(group) > 1
                else 1.0,
            }
        )
    frame = pd.DataFrame(rows)
    return frame.assign(corrected=statistics.holm(frame["p"].tolist()) if rows else [])


def lengths(con: duckdb.DuckDBPyConnection, metric: Metric) -> pd.DataFrame:
    """Return how often each length occurred: a row a point, bin and whether it finished.

    Returns:
        ``point``, ``finished``, ``value`` (lower edge of the bin) and ``width`` in the shown
        unit, ``plays``.
    """
    span = con.sql(
        f"SELECT coalesce(max({metric.name})::BIGINT - min({metric.name})::BIGINT, 0) FROM plays"
    ).fetchone()
    width = max(1, (span[0] if span else 0) // LENGTH_BINS)
    rows = con.sql(
        f"""
        SELECT point, finished, {metric.name} // {width} * {width} AS value, count(*) AS plays
        FROM plays GROUP BY ALL ORDER BY ALL
        """
    ).df()
    return rows.assign(value=rows["value"] * metric.factor, width=width * metric.factor)


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


def _seat_means(con: duckdb.DuckDBPyConnection, metric: Metric) -> pd.DataFrame:
    # The seats of one play are not independent: the play's mean is the value that is averaged.
    rows = con.sql(
        f"""
        WITH means AS (
            SELECT point, play, avg({metric.name}) AS value FROM seats GROUP BY point, play
        )
        SELECT point, avg(value) AS mean, stddev_samp(value) / sqrt(count(*)) AS se,
               count(*) AS n
        FROM means GROUP BY point
        """
    ).df()
    margin = statistics.Z95 * rows["se"]
    return rows.assign(low=rows["mean"] - margin, high=rows["mean"] + margin)
