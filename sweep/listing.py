"""The tables on the screen of what there is: sweeps, options, presets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from dojo_core.options_page import settings
from sweep.progress import date

if TYPE_CHECKING:
    from dojo_core.game import Game
    from dojo_core.options import Option
    from sweep.queries import SweepInfo


def sweeps_table(infos: Iterable[SweepInfo]) -> Table:
    """Return the sweeps of a results folder."""
    table = titled("Sweeps")
    for heading in ("name", "game", "last run", "state"):
        table.add_column(heading)
    for heading in ("points", "plays"):
        table.add_column(heading, justify="right")
    for info in infos:
        table.add_row(
            info.name,
            info.title,
            date(info.created),
            info.state,
            f"{info.points:,}",
            f"{info.plays_done:,} of {info.plays_planned:,}",
        )
    return table


def options_table(game: Game) -> Table:
    """Return all options of a game under their groups."""
    table = titled(f"{game.title}: options")
    for heading in ("option", "default", "values", "what it changes", "source"):
        table.add_column(heading, overflow="fold")
    group = ""
    for option in game.options:
        if option.group != group:
            group = option.group
            table.add_section()
            table.add_row(Text(group, style="bold"))
        assumed = " (assumed)" if option.assumed else ""
        table.add_row(
            option.name, _default(option), option.expected, option.help, option.source + assumed
        )
    return table


def presets_table(game: Game) -> Table:
    """Return the presets of a game: what each sets, what it is, and its source."""
    table = titled(f"{game.title}: presets")
    for heading in ("preset", "sets", "what it is", "source"):
        table.add_column(heading, overflow="fold")
    for preset in game.presets:
        sets = settings(preset) or "nothing"
        table.add_row(preset.name, sets, preset.help, preset.source)
    return table


def _default(option: Option) -> str:
    shown = option.default
    if isinstance(shown, bool):
        return str(shown).lower()
    if isinstance(shown, dict):
        shown = option.shown(shown)
    return f"{shown} {option.unit}".strip()


def titled(title: str) -> Table:
    """Return an empty table in the style of all of them."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        box=None,
        padding=(0, 2, 0, 0),
    )
