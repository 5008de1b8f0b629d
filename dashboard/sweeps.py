"""Sweeps: what is there, how far it is, and what each point of the chosen one says."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import datetime

import pandas as pd
import streamlit as st

from dashboard import aggregates, figures, metrics, results, runs, style
from dashboard.runs import Told
from sweep import journal, progress, provenance, queries

ERRORS_SHOWN = 3
BOXES = {
    "running": (st.info, "play_arrow"),
    "done": (st.success, "check_circle"),
    "stopped": (st.warning, "stop_circle"),
}


def page() -> None:
    """Draw the page."""
    st.title("Sweeps")
    st.markdown(
        "Each row is a sweep in the results folder; choose one in the sidebar to look into it."
        " Progress is kept up to date while a sweep runs."
    )
    chosen = results.chosen()
    seen = results.seen()
    running = any(told.info.state == "running" for told in seen)
    every = results.LOOK_EVERY_SECONDS if running else None
    st.fragment(_runs, run_every=every)(chosen.info.name, results.looks_after(seen))
    _points(chosen)
    _origin(chosen)


def _runs(chosen: str, looked: Callable[[], list[Told]]) -> None:
    """Draw what changes while sweeps run: the list of sweeps, and how the chosen one goes."""
    told = {told.info.name: told for told in looked()}
    _list(list(told.values()))
    if chosen in told:
        _run(told[chosen])


def _list(sweeps: list[Told]) -> None:
    rows = [
        {
            "Sweep": told.info.name,
            "Game": told.info.title,
            "State": told.mark,
            "Progress": 100 * results.share_done(told.info),
            "Plays": told.info.plays_done,
            "Planned": told.info.plays_planned,
            "Points": told.info.points,
            "Failed blocks": len(told.failed),
            "Last run": datetime.fromtimestamp(told.run.started if told.run else told.info.created),
        }
        for told in sweeps
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
            "Points": st.column_config.NumberColumn(format="localized"),
            "Failed blocks": st.column_config.NumberColumn(format="localized"),
            "Last run": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )


def _run(told: Told) -> None:
    """Tell how the last run of the chosen sweep went, and what failed in it."""
    st.subheader(f"{told.info.name}: {told.info.title}")
    box, icon = BOXES.get(told.word, (st.error, "error"))
    box(runs.sentence(told), icon=f":material/{icon}:")
    if not told.failed:
        return
    plays = sum(row["plays"] for row in told.failed)
    with st.expander(
        f"**Failed blocks: {len(told.failed):,}**, of {plays:,} plays", icon=":material/error:"
    ):
        _failures(told)


def _failures(told: Told) -> None:
    errors = runs.by_error(told.failed, ERRORS_SHOWN)
    for error in errors.itertuples():
        st.markdown(
            f"Blocks: {error.blocks:,}, the latest of point {error.number}, plays {error.first:,}"
            f" to {error.last:,}. The command plays that block again and shows where it fails:"
        )
        st.code(error.error, language=None, wrap_lines=True)
        st.code(error.command, language="bash", wrap_lines=True)
    st.caption(
        f"The latest errors, each once, {ERRORS_SHOWN} at most. All blocks, with their tracebacks,"
        " are in the view `failures`: ask for it on the page SQL."
    )


def _points(chosen: results.Chosen) -> None:
    table = chosen.points()
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


def _origin(chosen: results.Chosen) -> None:
    """Tell where the plays come from, and in what the sweep differs from another one."""
    seen = {told.info.name: told for told in results.seen()}
    run = seen[chosen.info.name].run
    with st.expander("Where it comes from", icon=":material/history:"):
        plan = chosen.plan()
        facts = {
            "plan": f"{plan.hash}, frozen {progress.date(plan.created)}",
            "seed": str(plan.seed),
            "engine": plan.engine,
            "versions": ", ".join(f"{name} {version}" for name, version in plan.versions.items()),
        } | (_run_facts(run) if run else {})
        st.dataframe(
            pd.DataFrame(facts.items(), columns=["What", "Of this sweep"]), hide_index=True
        )
        if plan.grid:
            st.code(plan.grid, language="toml")
    others = {name: told.info for name, told in seen.items() if name != chosen.info.name}
    if others:
        with st.expander("What differs from another sweep", icon=":material/difference:"):
            name = st.selectbox("The other sweep", list(others), key=f"{chosen.key}/differs")
            _differences(chosen, others[name])


def _run_facts(run: journal.Run) -> dict[str, str]:
    changed = ", changed since" if run.dirty else ""
    return {
        "last command": shlex.join(run.command),
        "on": f"{run.host}, {run.cores} cores" + (f", Ray at {run.address}" if run.address else ""),
        "sources": f"commit {run.commit}{changed}" if run.commit else "commit unknown",
    }


def _differences(chosen: results.Chosen, other: queries.SweepInfo) -> None:
    found = provenance.differences(chosen.plan(), results.plan_of(other))
    if found:
        titles = ["What differs", chosen.info.name, other.name]
        st.dataframe(pd.DataFrame(found).set_axis(titles, axis=1), hide_index=True)
    else:
        st.markdown(f"{chosen.info.name} and {other.name} have the same plan.")


page()
