"""Length: how long plays last, how much that varies, and how many never end."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from dashboard import aggregates, controls, figures, metrics, results, style
from dashboard.metrics import Metric

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 50


def page() -> None:
    """Draw the page."""
    chosen = results.chosen()
    st.title("Length")
    table = chosen.points()
    axes = chosen.axes()
    metric, cumulative, color, part = _choices(chosen, table, axes)
    counts = chosen.ask(aggregates.lengths, metric, chosen.info.record)
    rows = part[["point", *axes]].merge(counts, on="point")
    if rows.empty:
        st.info("No play is stored yet for these points.")
        return
    st.markdown(_how_to_read(cumulative))
    drawn, left_out = controls.thinned(rows, [(color, controls.MOST_COLORS)])
    drawn = drawn if cumulative else figures.binned(drawn, BINS)
    controls.chart(figures.lengths(drawn, metric, color, cumulative), "chart")
    note = controls.held(part, [name for name in axes if name != color])
    held = f"Held: {note}. " if note else ""
    groups = [figures.where(drawn, color, value) for value in figures.levels(drawn, color)]
    plays = style.between([int(group["plays"].sum()) for group in groups], "plays a line")
    st.caption(f"{plays}. {held}{left_out} {metric.title}: {metric.meaning}")
    if chosen.info.record == "summary":
        st.caption("This sweep keeps summaries: the longest plays are taken for the unfinished.")
    st.subheader("Quantiles")
    st.markdown(
        "Each number is the length by which that share of all plays is over; unfinished plays count"
        " as longer than any. Half of the plays lie between 25% and 75%, nine in ten between 5%"
        " and 95%."
    )
    _quantiles(rows, color, metric)


def _choices(
    chosen: results.Chosen, table: pd.DataFrame, axes: list[str]
) -> tuple[Metric, bool, str | None, pd.DataFrame]:
    columns = st.columns(4)
    metric = columns[0].selectbox(
        "Length in",
        metrics.length_metrics(chosen.game),
        format_func=lambda metric: metric.title,
        key=f"{chosen.key}/length/metric",
        persist_state="session",
    )
    color = controls.axis(
        columns[1],
        "Colour",
        axes,
        f"{chosen.key}/length/color",
        "players" if "players" in axes else controls.readable(table, axes, controls.MOST_COLORS),
    )
    drawn = columns[2].segmented_control(
        "Drawn as",
        ["Histogram", "Cumulative"],
        default="Histogram",
        required=True,
        key=f"{chosen.key}/length/drawn",
        persist_state="session",
    )
    others = aggregates.free(table, axes, [color] if color else [])
    part, _ = controls.hold(table, others, f"{chosen.key}/length", free=columns[3:])
    return metric, drawn == "Cumulative", color, part


def _how_to_read(cumulative: bool) -> str:
    if cumulative:
        return (
            "Each line climbs to the share of plays that are over by then: where it crosses 50%"
            " lies the median. It ends below 100% by the plays that never ended, the bars at the"
            " right."
        )
    return (
        "Each line shows how many plays lasted that long: a narrow hump is a game of predictable"
        " length, a long tail to the right an evening that drags. Plays that reached their limit"
        " are not in the hump, they are the bars at the right."
    )


def _quantiles(rows: pd.DataFrame, color: str | None, metric: Metric) -> None:
    shown = []
    for group in figures.levels(rows, color):
        part = figures.where(rows, color, group)
        plays = int(part["plays"].sum())
        unfinished = int(part.loc[part["finished"] == 0, "plays"].sum())
        values = aggregates.quantiles(part, QUANTILES)
        shown.append(
            ({style.words(color): style.shown(group)} if color else {})
            | {
                f"{share:.0%}": style.number(value) if math.isfinite(value) else "unfinished"
                for share, value in zip(QUANTILES, values, strict=True)
            }
            | {"Unit": metric.unit, "Plays": plays, "Unfinished": unfinished / plays}
        )
    st.dataframe(
        pd.DataFrame(shown),
        hide_index=True,
        column_config={
            "Plays": st.column_config.NumberColumn(format="localized"),
            "Unfinished": st.column_config.NumberColumn(format="percent"),
        },
    )


page()
