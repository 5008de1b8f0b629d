"""Sweeps: what is there, how far it is, and what each point of the chosen one says."""

from __future__ import annotations

from datetime import datetime

import pandas as pd
import streamlit as st

from dashboard import aggregates, figures, metrics, results, style


def page() -> None:
    """Draw the page."""
    st.title("Sweeps")
    st.markdown(
        "Each row is a sweep in the results folder; choose one in the sidebar to look into it."
        " Progress is kept up to date while a sweep runs."
    )
    running = any(info.state == "running" for info in results.found())
    every = results.LOOK_EVERY_SECONDS if running else None
    st.fragment(_list, run_every=every)()
    _points(results.chosen())


def _list() -> None:
    rows = [
        {
            "Sweep": info.name,
            "Game": info.title,
            "State": info.state,
            "Progress": 100 * results.share_done(info),
            "Plays": info.plays_done,
            "Planned": info.plays_planned,
            "Points": info.points,
            "Created": datetime.fromtimestamp(info.created),
        }
        for info in results.found()
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "Progress": st.column_config.ProgressColumn(
                format="%.0f%%", min_value=0, max_value=100
            ),
            "Plays": st.column_config.NumberColumn(format="localized"),
            "Planned": st.column_config.NumberColumn(format="localized"),
            "Created": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )


def _points(chosen: results.Chosen) -> None:
    table = chosen.points()
    st.subheader(f"{chosen.info.name}: {chosen.game.title}")
    if table.empty:
        st.info("No block of this sweep is finished yet; the first ones take a few seconds.")
        return
    axes = chosen.axes()
    st.markdown(
        "Each row is a point of the grid: its axes, then the mean of each metric over its plays."
        " The ± is half the width of the 95% interval, and unfinished plays count in every mean."
    )
    shown = pd.DataFrame({"#": table["number"]})
    for name in axes:
        shown[style.words(name)] = [style.shown(value) for value in table[name]]
    shown["Plays"] = table["plays_n"]
    for metric in metrics.headline(chosen.game):
        rows = chosen.ask(aggregates.means, metric, table).set_index("point")
        rows = rows.reindex(table["point"])
        percent = metric.source == "share"
        title = metric.title if percent else figures.axis_title(metric)
        shown[title] = [
            style.with_margin(mean, (high - low) / 2) + ("%" if percent else "")
            for mean, low, high in zip(rows["mean"], rows["low"], rows["high"], strict=True)
        ]
    st.dataframe(
        shown,
        hide_index=True,
        column_config={"Plays": st.column_config.NumberColumn(format="localized")},
    )
    fixed = {
        option.name: option.shown(option.default) != table[option.name].iloc[0]
        for option in chosen.game.options
        if option.name not in axes and option.kind != "file"
    }
    changed = [name for name, other in fixed.items() if other]
    if changed:
        values = ", ".join(f"{name} = {style.shown(table[name].iloc[0])}" for name in changed)
        st.caption(f"The same for all points, and not the rulebook's: {values}.")


page()
