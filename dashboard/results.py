"""Which results are looked at, and how they are asked: connections and cached answers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import duckdb
import pandas as pd
import streamlit as st

from dashboard import aggregates, runs
from dashboard.runs import Told
from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep import queries
from sweep.plan import Plan
from sweep.queries import SweepInfo

Answer = TypeVar("Answer")

FOLDER_KEY = "results"
SWEEP_KEY = "sweep"
CHOSEN_KEY = "chosen"
SEEN_KEY = "seen"
# How often a running sweep is looked at again.
LOOK_EVERY_SECONDS = 3


@dataclass(frozen=True)
class Chosen:
    """The sweep the pages show, as it was when the page began to draw."""

    results: str
    info: SweepInfo
    game: Game

    def ask(self, question: Callable[..., Answer], *arguments: Any) -> Answer:
        """Return ``question(connection, *arguments)``, kept until the sweep's data change."""
        answer: Answer = _answer(
            self.results,
            self.info.name,
            self.info.token,
            question.__qualname__,
            arguments,
            question,
        )
        return answer

    def points(self) -> pd.DataFrame:
        """Return the points that have plays already."""
        table = self.ask(aggregates.points)
        return table[table["plays_n"] > 0].reset_index(drop=True)

    def axes(self) -> list[str]:
        """Return the options that vary among all points, those without plays included."""
        return aggregates.axes(self.ask(aggregates.points), self.game)

    def plan(self) -> Plan:
        """Return the sweep's frozen plan."""
        return plan_of(self.info)

    @property
    def key(self) -> str:
        """A prefix for the keys of widgets whose choices belong to this sweep."""
        return f"{self.results}/{self.info.name}"


def default_folder() -> str:
    """Return the results folder from ``--results``, from DOJO_RESULTS, or ``results``."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--results", default=os.environ.get("DOJO_RESULTS", "results"))
    return str(parser.parse_known_args(sys.argv[1:])[0].results)


def folder() -> str:
    """Return the results folder the sidebar names."""
    return str(st.session_state.get(FOLDER_KEY) or default_folder())


def chosen() -> Chosen:
    """Return the sweep chosen in the sidebar; pages are drawn only when there is one."""
    sweep: Chosen = st.session_state[CHOSEN_KEY]
    return sweep


def seen() -> list[Told]:
    """Return the sweeps as they were when the page began to draw."""
    sweeps: list[Told] = st.session_state[SEEN_KEY]
    return sweeps


def found() -> list[SweepInfo]:
    """Return the sweeps in the results folder, the newest first."""
    return list(queries.sweeps(folder()))


def plan_of(info: SweepInfo) -> Plan:
    """Return the frozen plan of a sweep in the results folder, read once while it stays."""
    plan: Plan = _plan(folder(), info.name, info.token)
    return plan


@st.cache_resource(max_entries=8, show_spinner=False)  # type: ignore[untyped-decorator]
def _plan(results: str, name: str, token: str) -> Plan:
    return queries.plan_of(results, name)


def look() -> list[Told]:
    """Look at the results folder: return its sweeps, the newest first, and how their runs went."""
    sweeps = found()
    return [
        Told(info, run, _failed(folder(), info, stamp) if stamp else [])
        for info, (run, stamp) in zip(sweeps, runs.last_runs(folder(), sweeps), strict=True)
    ]


def looks_after(first: list[Told]) -> Callable[[], list[Told]]:
    """Return a function for a fragment: it gives the `first` look once, then looks each time.

    So a page that is drawn looks once, which counts behind an address.
    """
    waiting = [first]
    return lambda: waiting.pop() if waiting else look()


@st.cache_data(max_entries=50, show_spinner=False)  # type: ignore[untyped-decorator]
def _failed(results: str, info: SweepInfo, stamp: str) -> list[dict[str, Any]]:
    return runs.failures(results, info)


def explain_empty() -> None:
    """Say that there is no sweep, and which command makes one."""
    st.info(
        f"There is no sweep in `{folder()}` yet. Run `dojo-sweep run grid.toml` in a terminal, or"
        " name another results folder in the sidebar; a sweep shows up here as soon as it starts.",
        icon=":material/search:",
    )


def sidebar() -> bool:
    """Draw the choice of results folder and sweep, follow a running sweep; tell if there is one."""
    with st.sidebar:
        st.text_input("Results folder", default_folder(), key=FOLDER_KEY, persist_state="session")
        seen = look()
        sweeps = {told.info.name: told for told in seen}
        if not sweeps:
            return False
        name = st.selectbox("Sweep", list(sweeps), key=SWEEP_KEY, bind="query-params")
        told = sweeps[name]
        if told.info.state == "running":
            st.fragment(_follow, run_every=LOOK_EVERY_SECONDS)(told, looks_after(seen))
        else:
            st.caption(progress(told))
    st.session_state[SEEN_KEY] = seen
    st.session_state[CHOSEN_KEY] = Chosen(folder(), told.info, games.load(told.info.game))
    return True


def share_done(info: SweepInfo) -> float:
    """Return the share of a sweep's plays that are stored."""
    return info.plays_done / info.plays_planned if info.plays_planned else 0.0


def progress(told: Told) -> str:
    """Return a sweep's state and progress in words."""
    info = told.info
    return (
        f"{told.mark} · {info.points:,} points · {info.plays_done:,} of"
        f" {info.plays_planned:,} plays ({share_done(info):.0%})"
    )


def _follow(drawn: Told, looked: Callable[[], list[Told]]) -> None:
    """Draw the pages again when the sweep has gone on since they were drawn."""
    now = next((told.info for told in looked() if told.info.name == drawn.info.name), None)
    if now != drawn.info:
        st.rerun()
    st.caption(progress(drawn))


@st.cache_resource(max_entries=4, show_spinner=False)  # type: ignore[untyped-decorator]
def _connection(results: str, name: str, token: str) -> duckdb.DuckDBPyConnection:
    con = queries.connect(results, name)
    # Queries come from a web page: they see the sweep, no file and no variable of this program.
    con.execute("SET python_enable_replacements = false")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")
    return con


def cursor(chosen: Chosen) -> duckdb.DuckDBPyConnection:
    """Return a cursor of the sweep's connection, for the thread that asks."""
    return _connection(chosen.results, chosen.info.name, chosen.info.token).cursor()


@st.cache_data(max_entries=200, show_spinner="Counting plays …")  # type: ignore[untyped-decorator]
def _answer(
    results: str,
    name: str,
    token: str,
    question: str,
    arguments: tuple[Any, ...],
    _question: Callable[..., Any],
) -> Any:
    asked_again = False
    while True:
        try:
            return _question(_connection(results, name, token).cursor(), *arguments)
        except (duckdb.Error, OSError) as error:
            if not _is_unreadable(error):
                raise
            if asked_again:
                raise DojoError(f"the results of {name} cannot be read: {error}") from error
            # Small files were merged into larger ones since the connection listed them.
            _connection.clear()
            asked_again = True


def _is_unreadable(error: Exception) -> bool:
    """Tell whether a question failed for the stored files, not for what it asks."""
    return queries.is_gone(error) or isinstance(error, (duckdb.IOException, OSError))
