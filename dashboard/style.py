"""How every chart looks: one palette, one template, one way to write numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
import plotly.graph_objects as go

# Okabe and Ito's palette, whose colours stay apart for every kind of colour blindness (its yellow
# darkened to show on white). Each goes with a marker of its own: no chart depends on colour alone.
PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#8C7A00",
)
SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "triangle-down",
    "x",
    "star",
)
HEAT = "Cividis"
DIFFERENCE = "RdBu"
INK = "#1F2933"
PALE = "#52606D"
GRID = "#E4E7EB"

TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": "Source Sans, Source Sans Pro, sans-serif", "size": 15, "color": INK},
        "title": {
            "font": {"size": 18},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 12, "l": 4},
        },
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "colorway": PALETTE,
        "xaxis": {
            "gridcolor": GRID,
            "linecolor": PALE,
            "zeroline": False,
            "ticks": "outside",
            "title": {"standoff": 12, "font": {"size": 15}},
            "automargin": True,
        },
        "yaxis": {
            "gridcolor": GRID,
            "linecolor": PALE,
            "zeroline": False,
            "title": {"standoff": 12, "font": {"size": 15}},
            "automargin": True,
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 0.93,
            "yref": "container",
            "yanchor": "top",
            "itemsizing": "constant",
        },
        "hoverlabel": {"font": {"size": 14}, "align": "left"},
        "margin": {"l": 10, "r": 10, "t": 60, "b": 10},
    }
)


def color(index: int) -> str:
    """Return the colour of the category numbered `index`."""
    return PALETTE[index % len(PALETTE)]


def symbol(index: int) -> str:
    """Return the marker of the category numbered `index`; it goes on when the colours repeat."""
    return SYMBOLS[(index + index // len(PALETTE)) % len(SYMBOLS)]


def words(name: str) -> str:
    """Return a column's or option's name as people read it: ``max_rounds`` is ``Max rounds``."""
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def shown(value: object) -> str:
    """Return an option's value as text: a switch is ``yes`` or ``no``."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return str(value)


def percent(share: float) -> str:
    """Return a share of 1 as text, short: two digits that mean something; only all is 100%."""
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f}%"
    return f"{min(value, 99):.0f}%" if value >= 9.95 else f"{value:.2g}%"


def number(value: float) -> str:
    """Return a number as text with some four digits that mean something."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 1000 else f"{value:.1f}" if size >= 100 else f"{value:.3g}"


def with_margin(mean: float, margin: float) -> str:
    """Return a mean and half the width of its interval, to one digit of the latter (1: two)."""
    if math.isnan(mean):
        return "–"
    if math.isnan(margin) or margin <= 0:
        return number(mean)
    figures, exponent = f"{margin:.1e}".split("e")
    digits = max(0, (1 if figures.startswith("1") else 0) - int(exponent))
    return f"{mean:,.{digits}f} ± {margin:,.{digits}f}"


def between(counts: Collection[int], of: str) -> str:
    """Return how many there are, for a caption: one number, or the least and the most."""
    least, most = min(counts), max(counts)
    return f"n = {least:,}{'' if least == most else f' to {most:,}'} {of}"


def ordinal(index: int) -> str:
    """Return a place in the turn order as people count it: 0 is ``1st``."""
    place = index + 1
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def codes(labels: Sequence[str]) -> str:
    """Return what each value of a code means, in brackets; nothing for other columns."""
    pairs = ", ".join(f"{value} {label}" for value, label in enumerate(labels))
    return f" ({pairs})" if labels else ""
