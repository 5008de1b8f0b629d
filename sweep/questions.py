"""The SQL that the dashboard asks of a sweep, its examples, and those of the documentation.

It stands here, not with the charts, so that `dojo-sweep bench --queries` asks the very same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dojo_core.game import Game
from sweep.schemas import measures

# Values of a length are counted one by one up to so many different ones, in bins beyond.
LENGTH_BINS = 2000
# So many plays of a point tell a standard deviation to half a percent. Of many points fewer are
# looked at, so many of all of them together, but never under the least, which tell it to 7%.
SPREAD_PLAYS = 20_000
SPREAD_PLAYS_OF_ALL = 1_000_000
SPREAD_PLAYS_LEAST = 100

SUMMED_BY = ("turn_order", "player")  # the seat columns that the stored sums are kept by

POINTS = "SELECT * FROM points ORDER BY number"
UNFINISHED = "SELECT coalesce(sum(n) - sum(total), 0) FROM moments WHERE metric = 'finished'"

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
    FROM seats{finished}
    GROUP BY ALL
"""
_FINISHED = " ANTI JOIN (FROM plays WHERE finished = 0) AS unfinished USING (point, play)"
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


class Question(NamedTuple):
    """A query with the place that it is asked in."""

    asked_by: str
    title: str
    sql: str


def wins(by: str, unfinished: bool) -> str:
    """Return the query of how often each group of seats won, a row a point and group.

    Args:
        by: The seat column that groups them.
        unfinished: Whether there may be unfinished plays, which are left out.
    """
    counted = _WINS_SUMMED if by in SUMMED_BY else _WINS_COUNTED
    return f"""
        WITH counted AS ({counted.format(by=by, finished=_FINISHED if unfinished else "")})
        SELECT point, seat_group, seats, wins,
               sum(wins) OVER of_point / sum(seats) OVER of_point AS fair
        FROM counted WHERE seats > 0 WINDOW of_point AS (PARTITION BY point)
        ORDER BY point, seat_group
        """


def lengths(column: str, record: str) -> str:
    """Return the query of how often each length occurred: a row a point, bin and `finished`."""
    return f"""
        WITH counted AS ({(_COUNTED if record == "plays" else _SUMMED).format(column=column)}),
        bins AS (
            SELECT greatest(1, ceil((max(value) - min(value)) / {LENGTH_BINS}))::BIGINT AS width
            FROM counted
        )
        SELECT point, finished, value // width * width AS value, width,
               sum(plays)::BIGINT AS plays
        FROM counted, bins WHERE plays > 0 GROUP BY ALL ORDER BY ALL
        """


def seat_means(column: str, points: int) -> str:
    """Return the query of a seat column's mean at each point, with its standard error.

    The seats of one play are not independent, so a play's mean counts as one value. The mean of all
    is exact, from the stored sums; how much plays differ is told well by the first ones.

    Args:
        column: The seat column.
        points: How many points there are.
    """
    share = SPREAD_PLAYS_OF_ALL // max(points, 1)
    looked_at = min(SPREAD_PLAYS, max(SPREAD_PLAYS_LEAST, share))
    return f"""
        WITH plays_means AS (
            SELECT point, play, avg({column}) AS value
            FROM seats WHERE play < {looked_at} GROUP BY point, play
        ),
        spread AS (SELECT point, stddev_samp(value) AS deviation FROM plays_means GROUP BY point),
        totals AS (
            SELECT point, sum(total) / sum(n) AS mean
            FROM moments WHERE metric = '{column}' AND turn_order >= 0 GROUP BY point
        )
        SELECT point, mean, deviation / sqrt(plays_n) AS se, plays_n AS n
        FROM totals JOIN points USING (point) LEFT JOIN spread USING (point)
        """


def tallies(tally: str, point: str) -> str:
    """Return the query of a tally of every square of a point's board, row by row."""
    return (
        f"SELECT sum({tally})::DOUBLE FROM squares WHERE point = '{point}' GROUP BY square"
        " ORDER BY square"
    )


def examples(game: Game, axes: Sequence[str]) -> dict[str, str]:
    """Return the queries that the SQL page offers, by title.

    Args:
        game: The sweep's game.
        axes: The options that vary.
    """
    listed = ", ".join(axes) or "point"
    head = game.headline[0]
    found = {
        "The mean of a metric at each point": (
            f"SELECT {listed}, avg({head}) AS {head}, count(*) AS plays\n"
            "FROM plays JOIN points USING (point)\nGROUP BY ALL\nORDER BY ALL"
        ),
        "Wins by turn order": (
            "SELECT players, turn_order, sum(total) / sum(n) AS share, sum(n) AS plays\n"
            "FROM moments JOIN points USING (point)\n"
            "WHERE metric = 'won' AND turn_order >= 0\nGROUP BY ALL\nORDER BY ALL"
        ),
        "The longest plays, to be told again": (
            f"SELECT number, play, {head}\nFROM plays JOIN points USING (point)\n"
            f"ORDER BY {head} DESC\nLIMIT 20"
        ),
        "The table of points": POINTS,
    }
    if game.square_columns:
        tally = game.square_columns[0].name
        found["The busiest squares"] = (
            f'SELECT "row", col, sum({tally}) AS {tally}\nFROM squares\n'
            f"GROUP BY ALL\nORDER BY {tally} DESC\nLIMIT 20"
        )
    return found


def groupings(game: Game, record: str) -> list[str]:
    """Return the seat columns that tell seats apart: the codes without a unit.

    Of a sweep that keeps summaries, those that its sums are kept by.
    """
    names = [c.name for c in game.seat_columns if not c.unit and c.name not in SUMMED_BY]
    others = [name for name in names if name != "won"]
    return [*SUMMED_BY, *(others if record == "plays" else [])]


def asked(
    game: Game, record: str, axes: Sequence[str], points: Sequence[str]
) -> Iterator[Question]:
    """Yield one query of every kind: the dashboard's, its examples, and the documentation's.

    Args:
        game: The sweep's game.
        record: What the sweep keeps.
        axes: The options that vary.
        points: The ids of its points.
    """
    head, seat = game.headline[0], measures(game.seat_columns)[0].name
    yield Question("dashboard", "points", POINTS)
    yield Question("dashboard", "whether all plays finished", UNFINISHED)
    for by in groupings(game, record):
        yield Question("dashboard", f"wins by {by}, all finished", wins(by, unfinished=False))
        if by not in SUMMED_BY:
            yield Question("dashboard", f"wins by {by}", wins(by, unfinished=True))
    yield Question("dashboard", f"lengths in {head}", lengths(head, record))
    yield Question("dashboard", f"means of {seat}", seat_means(seat, len(points)))
    for column in game.square_columns[:1]:
        yield Question("dashboard", f"squares by {column.name}", tallies(column.name, points[0]))
    for title, sql in examples(game, axes).items():
        yield Question("example", title, sql)
    both = f"SELECT won, avg({head}) FROM seats JOIN plays USING (point, play)"
    for sql in (
        "SELECT sum(total) FROM moments",
        f"SELECT avg({head}) FROM plays",
        f"SELECT players, avg({head}) FROM plays JOIN points USING (point) GROUP BY 1",
        f"SELECT players, avg({head}) FROM points JOIN plays USING (point) GROUP BY 1",
        f"SELECT avg({seat}) FROM seats",
        f"SELECT players, avg({seat}) FROM seats JOIN points USING (point) GROUP BY 1",
        f"{both} GROUP BY 1",
        f"{both} WHERE play < 100 GROUP BY 1",
    ):
        yield Question("documentation", sql, sql)
