"""Seats and fairness: who wins, by turn order, by player and by place at the table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import aggregates, controls, figures, results, style
from dojo_core.game import Column
from sweep import questions

LEVEL = 0.05


def page() -> None:
    """Draw the page."""
    chosen = results.chosen()
    st.title("Seats and fairness")
    table = chosen.points()
    axes = chosen.axes()
    by, color, part = _choices(chosen, table, axes)
    wins = chosen.ask(aggregates.wins, by)
    wins = wins[wins["point"].isin(table["point"])]
    rows = part[["point", "players", *[a for a in axes if a != "players"]]].merge(wins, on="point")
    if rows.empty or rows["wins"].sum() == 0:
        st.info("No finished play is stored yet for these points, so nobody has won.")
        return
    tests = aggregates.verdicts(wins)
    _verdict(tests, wins, by.name, len(table))
    facet = "players" if rows["players"].nunique() > 1 else None
    st.markdown(
        "Each mark says how often such a seat wins a finished play, and its bar is the 95%"
        " interval (Wilson's). The dashed line is the fair share: a bar that stays clear of it says"
        " that such a seat has it easier or harder than the others."
    )
    limits = [(color, controls.MOST_COLORS), (facet, controls.MOST_PANELS)]
    drawn, left_out = controls.thinned(rows, limits)
    shares = aggregates.win_shares(drawn)
    controls.chart(figures.fairness(shares, by.name, color, facet), "chart")
    others = [a for a in axes if a not in (color, facet)]
    note = controls.held(part, others)
    held = f"Held: {note}. " if note else ""
    seats = style.between(drawn["seats"], "seats of finished plays a mark")
    st.caption(f"{seats}. {held}{left_out} {style.words(by.name)}: {by.meaning}")
    if not tests.empty:
        _tests(table, tests, by.name, axes)


def _choices(
    chosen: results.Chosen, table: pd.DataFrame, axes: list[str]
) -> tuple[Column, str | None, pd.DataFrame]:
    columns = st.columns(4)
    seat_columns = {column.name: column for column in chosen.game.seat_columns}
    by = columns[0].selectbox(
        "Seats told apart by",
        questions.groupings(chosen.game, chosen.info.record),
        format_func=style.words,
        key=f"{chosen.key}/fairness/by",
        persist_state="session",
    )
    rest = [name for name in axes if name != "players"]
    few = controls.readable(table, rest, controls.MOST_COLORS)
    color = controls.axis(columns[1], "Colour", rest, f"{chosen.key}/fairness/color", few)
    kept = [name for name in ("players", color) if name in axes]
    others = aggregates.free(table, axes, kept)
    part, _ = controls.hold(table, others, f"{chosen.key}/fairness", free=columns[2:])
    return seat_columns[by], color, part


def _verdict(tests: pd.DataFrame, wins: pd.DataFrame, by: str, points: int) -> None:
    """Answer the page's question for the whole sweep, in a sentence."""
    words = style.words(by).lower()
    count = len(tests)
    unfair = int((tests["corrected"] < LEVEL).sum())
    unasked = f" Left out: {points - count:,} points, of one group or without a winner."
    left_out = unasked if count < points else ""
    if tests.empty:
        st.info(f"Every point has one group of seats by {words}: all are alike.")
    elif unfair:
        st.warning(
            f"{unfair:,} of {count:,} points are unfair by {words}, beyond chance.{left_out}",
            icon=":material/balance:",
        )
    else:
        hidden = 100 * float(aggregates.margins(wins).max())
        st.success(
            f"None of {count:,} points shows an advantage by {words} beyond chance. With so many"
            f" plays, one of less than about {hidden:.1f} percentage points can stay hidden."
            f"{left_out}",
            icon=":material/balance:",
        )


def _tests(table: pd.DataFrame, tests: pd.DataFrame, by: str, axes: list[str]) -> None:
    """List the points, the least fair ones first."""
    st.subheader("Is it fair?")
    st.markdown(
        "Each row asks whether all groups of seats win equally often at one point (Pearson's"
        f" chi-squared test), corrected for asking {len(tests):,} times (Holm): below {LEVEL:.0%}"
        " chance alone is no good explanation. How many percentage points (pp) the extremes are off"
        " the fair share tells whether it matters at the table."
    )
    merged = table[["point", "number", *axes]].merge(tests, on="point")
    merged = merged.sort_values("corrected", kind="stable")
    shown = pd.DataFrame({"#": merged["number"]})
    for name in axes:
        shown[style.words(name)] = [style.shown(value) for value in merged[name]]
    shown["Finished plays"] = merged["plays"]
    shown["Wins most"] = [
        f"{figures.seat_group(by, group)} (+{100 * off:.1f} pp)"
        for group, off in zip(merged["most"], merged["above"], strict=True)
    ]
    shown["Wins least"] = [
        f"{figures.seat_group(by, group)} (−{100 * abs(off):.1f} pp)"
        for group, off in zip(merged["least"], merged["below"], strict=True)
    ]
    shown["p, corrected"] = [f"{p:.3f}" if p >= 0.001 else "< 0.001" for p in merged["corrected"]]
    shown["Verdict"] = [
        "unfair" if p < LEVEL else "no sign of unfairness" for p in merged["corrected"]
    ]
    st.dataframe(
        shown,
        hide_index=True,
        column_config={"Finished plays": st.column_config.NumberColumn(format="localized")},
    )


page()
