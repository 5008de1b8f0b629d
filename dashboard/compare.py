"""Compare: any metric over any axis of the grid, with the uncertainty of each mean."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import aggregates, controls, figures, metrics, results, style
from dashboard.metrics import Metric

PANELS = 3  # an axis with so few values begins with a panel each; others can be asked for


def page() -> None:
    """Draw the page."""
    chosen = results.chosen()
    st.title("Compare")
    table = chosen.points()
    axes = chosen.axes()
    if not axes:
        st.info(
            "All finished plays belong to one point of the grid, so there is nothing to compare"
            " yet. Give an option several values under `[grid]` and run the sweep again."
        )
        return
    metric, x, color, facet = _choices(chosen, table, axes)
    kept = [name for name in (x, color, facet) if name]
    others = aggregates.free(table, axes, kept)
    part, averaged = controls.hold(table, others, f"{chosen.key}/compare", average=True)
    rows = chosen.ask(aggregates.means, metric, table)
    rows = part.merge(rows[["point", "mean", "low", "high", "n"]], on="point")
    if rows.empty:
        st.info("No point of the grid has all these values; change one of the choices above.")
        return
    rows["unfinished"] = rows["unfinished_n"] / rows["plays_n"]
    rows = aggregates.averaged(rows, kept)
    st.markdown(_how_to_read(table, rows, part, axes, kept, averaged))
    limits = [(color, controls.MOST_COLORS), (facet, controls.MOST_PANELS)]
    drawn, note = controls.thinned(rows, limits)
    controls.chart(figures.compare(drawn, metric, x, color, facet), "chart")
    plays = style.between(drawn["n"], "plays a mark")
    st.caption(f"{plays}. {note} {metric.title}: {metric.meaning}")
    with st.expander("The numbers"):
        _numbers(rows, kept, metric)


def _choices(
    chosen: results.Chosen, table: pd.DataFrame, axes: list[str]
) -> tuple[Metric, str, str | None, str | None]:
    columns = st.columns(4)
    key = f"{chosen.key}/compare"
    metric = columns[0].selectbox(
        "Metric",
        metrics.metrics(chosen.game, chosen.info.record),
        format_func=lambda metric: metric.title,
        key=f"{key}/metric",
        persist_state="session",
    )
    first = "players" if "players" in axes else axes[0]
    x = columns[1].selectbox(
        "Along the bottom",
        axes,
        index=axes.index(first),
        format_func=style.words,
        key=f"{key}/x",
        persist_state="session",
    )
    rest = [name for name in axes if name != x]
    few = controls.readable(table, rest, controls.MOST_COLORS)
    color = controls.axis(columns[2], "Colour", rest, f"{key}/color", few)
    rest = [name for name in rest if name != color]
    few = controls.readable(table, rest, PANELS)
    facet = controls.axis(columns[3], "A panel each", rest, f"{key}/facet", few)
    return metric, x, color, facet


def _how_to_read(
    table: pd.DataFrame,
    rows: pd.DataFrame,
    part: pd.DataFrame,
    axes: list[str],
    kept: list[str],
    averaged: list[str],
) -> str:
    sentences = [
        "Each mark is the mean over all plays of its points, and its bar the 95% interval: marks"
        " whose bars stay clear of each other differ by more than chance.",
        "The strip below shows how many plays reached their limit unfinished; where they are many,"
        " a mean says more about the limit than about the game."
        if figures.unfinished(rows)
        else "All these plays were finished.",
    ]
    if averaged:
        names = ", ".join(style.words(name).lower() for name in averaged)
        sentences.append(
            f"Averaged over **{names}** (each value counts alike; the interval is the average"
            " one, never too narrow)."
        )
    held = controls.held(part, [a for a in axes if a not in kept and a not in averaged])
    if held:
        sentences.append(f"Held: **{held}**.")
    moving = controls.moving(table, axes, kept)
    if moving:
        names = ", ".join(style.words(name).lower() for name in moving)
        sentences.append(f"Moving along with the axes shown: **{names}**.")
    return " ".join(sentences)


def _numbers(rows: pd.DataFrame, kept: list[str], metric: Metric) -> None:
    shown = rows[[*kept, "mean", "low", "high", "n", "points", "unfinished"]]
    names = {name: style.words(name) for name in kept}
    names |= {
        "mean": f"Mean ({metric.unit})",
        "low": "95% from",
        "high": "to",
        "n": "Plays",
        "points": "Points",
        "unfinished": "Unfinished",
    }
    st.dataframe(
        shown.rename(columns=names),
        hide_index=True,
        column_config={
            names["mean"]: st.column_config.NumberColumn(format="%.4g"),
            "95% from": st.column_config.NumberColumn(format="%.4g"),
            "to": st.column_config.NumberColumn(format="%.4g"),
            "Plays": st.column_config.NumberColumn(format="localized"),
            "Unfinished": st.column_config.NumberColumn(format="percent"),
        },
    )


page()
