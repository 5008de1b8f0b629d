"""Micro Dojo: what its buildings, objectives, spaces and Influence are worth, and how plays end."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import controls, figures, results, style
from dojo_core.micro_dojo.columns import REASONS, RESULTS, TIE_BREAKS
from dojo_core.micro_dojo.components import BUILDINGS, OBJECTIVES, SLOTS
from dojo_core.micro_dojo.layout import SIDE
from dojo_core.micro_dojo.picture import space_code
from sweep import statistics

POINT_SOURCES = {
    "objectives": "Objectives",
    "castle": "Castle",
    "statue": "Statue",
    "barracks": "Barracks",
    "school": "School",
    "shrine": "Shrine",
    "donated": "Donations",
    "removed": "Buildings removed",
}
# The code of an objective scored by the first player; that of the second player follows.
_FIRST = RESULTS.index("first")


def page() -> None:
    """Draw the page."""
    chosen = results.chosen()
    st.title("Micro Dojo")
    if chosen.game.name != "micro_dojo":
        st.info(f"The chosen sweep is of {chosen.game.title}; choose one of Micro Dojo.")
        return
    if chosen.info.record == "summary":
        st.info("This sweep keeps summaries; these tables need the rows of all plays.")
        return
    part, _ = controls.hold(chosen.points(), chosen.axes(), f"{chosen.key}/micro_dojo")
    if part.empty:
        st.info("Nothing is stored yet for this choice; try another one.")
        return
    points = tuple(part["point"])
    held = controls.held(part, chosen.axes())
    st.caption(f"{int(part['plays_n'].sum()):,} plays{': ' if held else ''}{held}.")
    endings, buildings, objectives, spaces = st.tabs(
        ["Endings and points", "Buildings", "Objectives", "Spaces"]
    )
    with endings:
        _endings(chosen, points)
    with buildings:
        _buildings(chosen, points)
    with objectives:
        _objectives(chosen, points)
    with spaces:
        _spaces(chosen, points)


def _endings(chosen: results.Chosen, points: tuple[str, ...]) -> None:
    st.markdown(
        "How plays end, and who wins them. The interval says where a share may lie by chance (95%,"
        " Wilson's)."
    )
    _table(chosen.ask(endings, points))
    st.markdown("Points a play, both players together, by what they were gained with.")
    sources = chosen.ask(point_sources, points)
    controls.chart(_bars(sources, "points a play", "Where points come from"), "sources")


def _buildings(chosen: results.Chosen, points: tuple[str, ...]) -> None:
    st.markdown(
        "A building is worth owning if those who buy it win more often than any player does: its"
        " lift, in percentage points (pp). An interval that contains 0 shows no such difference."
        " The last columns say how the first player's wins change when it is dealt."
    )
    _table(chosen.ask(buildings_worth, points))


def _objectives(chosen: results.Chosen, points: tuple[str, ...]) -> None:
    st.markdown(
        "How often an objective that was dealt is triggered, how often nobody scores it then, and"
        " how much more often whoever scores it wins the play (lift, pp)."
    )
    _table(chosen.ask(objectives_worth, points))
    st.markdown("The same by the place on the track, whichever objective lies there.")
    _table(chosen.ask(slots_worth, points))


def _spaces(chosen: results.Chosen, points: tuple[str, ...]) -> None:
    st.markdown(
        "How often each space is visited, what a visit scores at once, and which share of the"
        " visits in plays that somebody won was the winner's: above 50%, winners go there more."
    )
    table = chosen.ask(spaces_worth, points)
    plan = chosen.plan()
    spaces = plan.setup(chosen.game, plan.find(points[0])).tables.spaces
    codes = [space_code(space) for space in spaces]
    left, right = st.columns(2, gap="medium")
    for place, column, title in (
        (left, "visits_of_turns", "Percent of all visits"),
        (right, "points_of_visits", "Points a visit"),
    ):
        with place:
            controls.chart(_grid(table, column, codes, title), column, tools=False)
    _table(
        pd.DataFrame(
            {
                "Space": codes,
                "Visits": table["visits"],
                "Of all visits": table["visits_of_turns"] / 100,
                "Points a visit": table["points_of_visits"],
                "Winner's share": table["winner_share"],
                "Interval": table["interval"],
            }
        )
    )


# Questions


def _chosen_points(points: Sequence[str]) -> str:
    """Return the condition that a row is of one of these points."""
    return f"point IN ({', '.join(repr(str(point)) for point in points)})"


def share_of(hits: int, n: int) -> dict[str, object]:
    """Return a share with its interval, as cells of a table."""
    low, high = statistics.wilson(hits, n)
    return {
        "Share": hits / n if n else None,
        "Interval": f"{100 * low:.1f}% to {100 * high:.1f}%" if n else "",
    }


def lift_of(wins: int, n: int, base: float) -> dict[str, object]:
    """Return how far a share of wins lies above a base share, in percentage points."""
    if not n:
        return {"Lift": None, "Interval": ""}
    low, high = statistics.wilson(wins, n)
    return {
        "Lift": 100 * (wins / n - base),
        "Interval": f"{100 * (low - base):+.1f} to {100 * (high - base):+.1f} pp",
    }


def endings(con: duckdb.DuckDBPyConnection, points: tuple[str, ...]) -> pd.DataFrame:
    """Return how plays of these points end: a row a fact, with its share and interval."""
    rows = con.sql(
        "SELECT reason, tie_break, winner_turn_order, influence_turn > 0 AS spent,"
        f" count(*)::BIGINT AS n FROM plays WHERE {_chosen_points(points)} GROUP BY ALL"
    ).df()
    total = int(rows["n"].sum())

    def fact(words: str, hits: pd.Series, of: pd.Series | None = None) -> dict[str, object]:
        n = total if of is None else int(rows.loc[of, "n"].sum())
        hit = hits if of is None else hits & of
        return {"": words, **share_of(int(rows.loc[hit, "n"].sum()), n), "Plays": n}

    spent = rows["spent"].astype(bool)
    finished = rows["reason"].isin([REASONS.index("points"), REASONS.index("objectives")])
    second = rows["winner_turn_order"] == 1
    words = {"points": "ended by points", "objectives": "ended by the last objective"}
    tied = {"influence": "decided by unspent Influence", "resources": "decided by resources",
            "drawn": "drawn"}  # fmt: skip
    return pd.DataFrame(
        [
            fact("won by the first player", rows["winner_turn_order"] == 0),
            *(
                fact(words.get(reason, f"stopped: {reason}"), rows["reason"] == code)
                for code, reason in enumerate(REASONS)
            ),
            *(
                fact(tied[rule], finished & (rows["tie_break"] == code))
                for code, rule in enumerate(TIE_BREAKS)
                if rule in tied
            ),
            fact("Influence spent", spent),
            fact("won by the second player, Influence spent", second, spent),
            fact("won by the second player, Influence kept", second, ~spent),
        ]
    )


def point_sources(con: duckdb.DuckDBPyConnection, points: tuple[str, ...]) -> pd.DataFrame:
    """Return the points a play that each way of scoring gives: ``name``, ``value``."""
    sums = ", ".join(f"sum(points_{name})" for name in POINT_SOURCES)
    where = _chosen_points(points)
    *points_from, plays = _row(con, f"SELECT {sums}, count(*) / 2 FROM seats WHERE {where}")
    return pd.DataFrame(
        {"name": POINT_SOURCES.values(), "value": [value / plays for value in points_from]}
    )


def buildings_worth(con: duckdb.DuckDBPyConnection, points: tuple[str, ...]) -> pd.DataFrame:
    """Return what each building is worth: a row a building."""
    where = _chosen_points(points)
    names = [tile.name for tile in BUILDINGS]
    dealt = _row(
        con,
        "SELECT count(*), sum(winner_turn_order = 0), "
        + ", ".join(f"sum(dealt_{n}), sum(dealt_{n} * (winner_turn_order = 0)::INT)" for n in names)
        + f" FROM plays WHERE {where}",
    )
    owned = _row(
        con,
        "SELECT sum(won) / count(*), "
        + ", ".join(f"sum(bought_{n}), sum(bought_{n} * won), sum(used_{n})" for n in names)
        + f" FROM seats WHERE {where}",
    )
    plays, first = dealt[:2]
    rows = []
    for k, tile in enumerate(BUILDINGS):
        n, first_with = dealt[2 + 2 * k : 4 + 2 * k]
        bought, won, used = owned[1 + 3 * k : 4 + 3 * k]
        without = plays - n
        effect = first_with / n - (first - first_with) / without if n and without else None
        error = statistics.Z95 * ((0.25 / n + 0.25 / without) ** 0.5) if effect is not None else 0
        rows.append(
            {
                "Building": tile.title,
                "Dealt": int(n),
                "Bought, if dealt": bought / n if n else None,
                "Uses a buyer": used / bought if bought else None,
                **lift_of(int(won), int(bought), float(owned[0])),
                "First player's wins": None if effect is None else 100 * effect,
                "±": None if effect is None else 100 * error,
            }
        )
    return pd.DataFrame(rows).sort_values("Lift", ascending=False, na_position="last")


def objectives_worth(con: duckdb.DuckDBPyConnection, points: tuple[str, ...]) -> pd.DataFrame:
    """Return how each objective goes: a row an objective that was dealt."""
    table = _objectives_by(con, points, "objective")
    table.insert(0, "Objective", [OBJECTIVES[int(code)].title for code in table.pop("key")])
    return table.sort_values("Lift", ascending=False, na_position="last")


def slots_worth(con: duckdb.DuckDBPyConnection, points: tuple[str, ...]) -> pd.DataFrame:
    """Return how the objectives at each place on the track go: a row a place."""
    table = _objectives_by(con, points, "slot")
    table.insert(0, "Place", table.pop("key"))
    return table.sort_values("Place")


def _objectives_by(
    con: duckdb.DuckDBPyConnection, points: tuple[str, ...], key: str
) -> pd.DataFrame:
    where = _chosen_points(points)
    union = " UNION ALL ".join(
        f"SELECT {slot} AS slot, objective_{slot} AS objective, result_{slot} AS result,"
        f" triggered_by_{slot} AS trigger_by, winner_turn_order FROM plays WHERE {where}"
        for slot in range(1, SLOTS + 1)
    )
    rows = con.sql(
        f"""
        SELECT {key} AS key, count(*) AS dealt, sum((result > 0)::INT) AS triggered,
               sum((result = 1)::INT) AS nobody, sum((result > 1)::INT) AS scored,
               sum((result > 1 AND result = trigger_by + 1)::INT) AS own,
               sum((result > 1 AND result = winner_turn_order + {_FIRST})::INT) AS won,
               avg((winner_turn_order >= 0)::INT) / 2 AS base
        FROM ({union}) WHERE objective < {len(OBJECTIVES)} GROUP BY ALL
        """
    ).df()
    return pd.DataFrame(
        [
            {
                "key": int(row["key"]),
                "Dealt": int(row["dealt"]),
                "Triggered": row["triggered"] / row["dealt"],
                "For nobody": row["nobody"] / row["triggered"] if row["triggered"] else None,
                "By its scorer": row["own"] / row["scored"] if row["scored"] else None,
                **lift_of(int(row["won"]), int(row["scored"]), float(row["base"])),
            }
            for row in rows.to_dict("records")
        ]
    )


def spaces_worth(con: duckdb.DuckDBPyConnection, points: tuple[str, ...]) -> pd.DataFrame:
    """Return what is seen of each space, row by row of the board."""
    rows = con.sql(
        f"""
        SELECT square, sum(visits)::BIGINT AS visits, sum(winner_visits)::BIGINT AS winner,
               sum(visits - other_visits)::BIGINT AS decided, sum(points)::BIGINT AS points
        FROM squares WHERE {_chosen_points(points)} GROUP BY square ORDER BY square
        """
    ).df()
    intervals = [
        share_of(int(winner), int(decided))
        for winner, decided in zip(rows["winner"], rows["decided"], strict=True)
    ]
    return rows.assign(
        visits_of_turns=100 * rows["visits"] / max(int(rows["visits"].sum()), 1),
        points_of_visits=rows["points"] / rows["visits"].clip(lower=1),
        winner_share=[cells["Share"] for cells in intervals],
        interval=[cells["Interval"] for cells in intervals],
    )


def _row(con: duckdb.DuckDBPyConnection, query: str) -> list[float]:
    """Return the one row of a query, nothing as 0."""
    return [float(value or 0) for value in con.sql(query).fetchall()[0]]


# Drawing


def _table(table: pd.DataFrame) -> None:
    shares = ("Share", "Bought, if dealt", "Triggered", "For nobody", "By its scorer",
              "Of all visits", "Winner's share")  # fmt: skip
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        column_config={
            **{name: number(format="percent") for name in shares if name in table},
            **{name: number(format="localized") for name in ("Plays", "Dealt", "Visits")},
            "Lift": number("Lift (pp)", format="%+.1f"),
            "First player's wins": number("First player's wins (pp)", format="%+.1f"),
            "±": number(format="%.1f"),
            "Uses a buyer": number(format="%.2f"),
            "Points a visit": number(format="%.3f"),
        },
    )


def _bars(table: pd.DataFrame, unit: str, title: str) -> go.Figure:
    rows = table.iloc[::-1]
    figure = go.Figure(
        go.Bar(
            x=rows["value"],
            y=rows["name"],
            orientation="h",
            marker={"color": style.color(0)},
            text=[style.number(value) for value in rows["value"]],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{y}}: %{{x:,.3g}} {unit}<extra></extra>",
        )
    )
    figure.update_xaxes(title=unit, range=[0, 1.2 * float(rows["value"].max() or 1)])
    figure.update_yaxes(showgrid=False)
    return figures.finish(figure, title, 60 + 45 + 28 * len(rows))


def _grid(table: pd.DataFrame, column: str, codes: list[str], title: str) -> go.Figure:
    """Draw the three rows of three spaces, each with what it gives and its value."""
    values = table[column].to_numpy().reshape(SIDE, SIDE)
    words = [
        f"{code}<br>{style.number(value)}"
        for code, value in zip(codes, values.ravel(), strict=True)
    ]
    text = [words[SIDE * row : SIDE * (row + 1)] for row in range(SIDE)]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            text=text,
            texttemplate="%{text}",
            textfont={"size": 17},
            hovertemplate="%{text}<extra></extra>",
            colorscale=style.HEAT,
            showscale=False,
            xgap=3,
            ygap=3,
        )
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, autorange="reversed", scaleanchor="x")
    return figures.finish(figure, title, 380)


if __name__ == "__main__":
    page()
