"""The choices that pages share: which axis goes where, and what the other axes are held at."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import aggregates, figures, style

AVERAGE = "(average)"
NONE = "(none)"
# More colours or panels than these cannot be told apart, or read.
MOST_COLORS = len(style.PALETTE)
MOST_PANELS = 6


def axis(
    place: DeltaGenerator, title: str, names: Sequence[str], key: str, default: str | None = None
) -> str | None:
    """Let the user choose an axis, or none of them.

    Args:
        place: The column to draw in.
        title: What the axis is for.
        names: The axes on offer.
        key: The widget's key.
        default: The axis to begin with; without it, none.
    """
    index = [*names].index(default) + 1 if default else 0
    choice = place.selectbox(
        title,
        [NONE, *names],
        index=index,
        format_func=lambda name: name if name == NONE else style.words(name),
        key=key,
        persist_state="session",
    )
    return None if choice in (NONE, None) else str(choice)


def readable(table: pd.DataFrame, names: Sequence[str], most: int) -> str | None:
    """Return the first axis with at most so many values; None when each has more."""
    return next((name for name in names if table[name].nunique() <= most), None)


def thinned(
    rows: pd.DataFrame, limits: Sequence[tuple[str | None, int]]
) -> tuple[pd.DataFrame, str]:
    """Return the rows at no more values of each axis than a chart can show, and a note if any.

    Args:
        rows: What would be drawn.
        limits: Axes, each with the number of its values that can be shown; they are chosen evenly.
    """
    notes = []
    for name, most in limits:
        values = figures.levels(rows, name)
        if name is None or len(values) <= most:
            continue
        last = len(values) - 1
        kept = [values[round(i * last / (most - 1))] for i in range(most)]
        rows = rows[rows[name].isin(kept)]
        notes.append(f"{most} of the {len(values):,} values of **{style.words(name).lower()}**")
    return rows, f"Drawn are {' and '.join(notes)}; the table below has all." if notes else ""


def hold(
    table: pd.DataFrame,
    names: Sequence[str],
    key: str,
    average: bool = False,
    across: int = 4,
    free: Sequence[DeltaGenerator] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """Let the user hold axes at a value, and return the points left and the averaged axes.

    Each choice offers only the values that the choices before it leave.

    Args:
        table: The points.
        names: The axes to hold.
        key: A prefix for the widgets' keys.
        average: Offer to average over an axis instead, and begin with that.
        across: How many controls stand side by side.
        free: Columns of the row above that take the first controls.
    """
    averaged: list[str] = []
    if not names:
        return table, averaged
    below = st.columns(across) if len(names) > len(free) else []
    for number, name in enumerate(names):
        values = figures.levels(table, name)
        place = number - len(free)
        column = free[number] if place < 0 else below[place % across]
        choices = [AVERAGE, *values] if average else values
        value = column.selectbox(
            style.words(name),
            choices,
            format_func=style.shown,
            key=f"{key}/{name}",
            persist_state="session",
        )
        if value == AVERAGE:
            averaged.append(name)
        else:
            table = table[table[name] == value]
    return table, averaged


def chart(figure: go.Figure, key: str, tools: bool = True) -> None:
    """Draw a figure in its own colours, with the buttons to zoom and to save it or without."""
    config = {"displaylogo": False, "displayModeBar": "hover" if tools else False}
    title = figure.layout.title.text.removeprefix("<b>").removesuffix("</b>")
    st.plotly_chart(figure, theme=None, key=key, config=config, alt=title)


def held(table: pd.DataFrame, names: Sequence[str]) -> str:
    """Say at which values the axes of these points are held."""
    fixed = [name for name in names if table[name].nunique() == 1]
    return ", ".join(figures.label(name, table[name].iloc[0]) for name in fixed)


def moving(table: pd.DataFrame, names: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return the axes that move together with the chosen ones and so are settled by them."""
    free = aggregates.free(table, names, chosen)
    return [name for name in names if name not in chosen and name not in free]
