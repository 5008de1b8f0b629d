"""`dojo-sweep list`, `status` and `dashboard`: what there is, and how far it has come."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dojo_core.errors import DojoError
from sweep.commands.terminal import AsJson, Results, console

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sweep.journal import Run
    from sweep.status import Status

WATCH_SECONDS = 2.0


def list_sweeps(results: Results = "results") -> None:
    """List the sweeps of a results folder."""
    from sweep import listing, queries

    infos = queries.sweeps(results)
    if not infos:
        raise DojoError(
            f"there is no sweep in {results!r}; play one with `dojo-sweep run grid.toml`"
        )
    console().print(listing.sweeps_table(infos))


def status(
    name: Annotated[str | None, typer.Argument(help="The sweep; all when left out.")] = None,
    results: Results = "results",
    as_json: AsJson = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Tell it again every 2 seconds until nothing runs.")
    ] = False,
) -> None:
    """Tell how far sweeps have come. Exits with 1 if blocks of them failed."""
    try:
        found = _watch(results, name, as_json) if watch else _statuses(results, name)
    except KeyboardInterrupt:  # leaves the watching, and the sweep as it is
        return
    if not watch:
        _tell(found, name, as_json)
    if any(one.blocks_failed for one in found):
        raise typer.Exit(1)


def _statuses(results: str, name: str | None) -> list[Status]:
    from sweep.places import at
    from sweep.status import status, sweep_folder, sweep_folders

    if name is not None:
        return [status(sweep_folder(at(results), name))]
    found = []
    for folder in sweep_folders(at(results)):
        try:
            found.append(status(folder))
        except DojoError as error:  # one that cannot be read hides no other
            print(f"dojo-sweep: {error}", file=sys.stderr)
    return found


def _watch(results: str, name: str | None, as_json: bool) -> list[Status]:
    """Tell the status again and again until no sweep runs; return the last one."""
    from rich.live import Live

    screen = console()
    with Live(console=screen, auto_refresh=False) as live:
        while True:
            found = _statuses(results, name)
            if screen.is_terminal and not as_json:
                live.update(_shown(found, name), refresh=True)
            else:
                _tell(found, name, as_json)
            if not any(one.state == "running" for one in found):
                return found
            time.sleep(WATCH_SECONDS)


def _tell(found: list[Status], name: str | None, as_json: bool) -> None:
    if as_json:
        content: Any = [one.to_json() for one in found]
        print(json.dumps(content[0] if name is not None else content), flush=True)
    else:
        console().print(_shown(found, name), highlight=False, soft_wrap=name is not None)


def _shown(found: list[Status], name: str | None) -> RenderableType:
    from rich.text import Text

    if name is not None:
        return Text("\n".join(_status_lines(found[0])))
    return _status_table(found)


def _status_table(found: list[Status]) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("name", "state", "last run"):
        table.add_column(heading)
    for heading in ("points", "plays", "", "failed", "plays/s", "left"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in found:
        table.add_row(
            one.name,
            one.state,
            one.last_run.outcome if one.last_run else "",
            f"{one.points_complete:,}/{one.points:,}",
            f"{one.plays_done:,} of {one.plays_planned:,}",
            _percent(one),
            f"{one.blocks_failed:,}" if one.blocks_failed else "",
            *_pace(one),
        )
    return table


def _status_lines(one: Status) -> list[str]:
    """Return what there is to say of one sweep."""
    untouched = one.points - one.points_complete - one.points_begun
    rate, left = _pace(one)
    lines = [
        f"{one.name}  {one.state}",
        f"plays    {one.plays_done:,} of {one.plays_planned:,} stored ({_percent(one)}),"
        f" {one.plays_missing:,} missing",
        f"points   {one.points_complete:,} of {one.points:,} complete, {one.points_begun:,} begun,"
        f" {untouched:,} not begun",
        f"blocks   {one.blocks_missing:,} missing, {one.blocks_running:,} of them being played,"
        f" {one.blocks_failed:,} failed ({one.plays_failed:,} plays)",
    ]
    if rate:
        lines.append(f"pace     {rate} plays/s, {left or 'unknown time'} left")
    if one.last_run:
        lines.append(f"last run {run_words(one.last_run)}")
    return lines + ([f"trouble  {one.trouble}"] if one.trouble else [])


def run_words(run: Run) -> str:
    """Return how a run went, in a line."""
    from sweep.progress import duration

    failures = f", {run.failures:,} blocks failed" if run.failures else ""
    retries = f", {run.retries:,} played again" if run.retries else ""
    error = f": {run.error}" if run.error else ""
    return (
        f"{run.number}, {run.outcome}, {run.plays:,} plays in {duration(run.seconds)}"
        f"{failures}{retries}{error}"
    )


def _percent(one: Status) -> str:
    """Return the share of the plays that is stored; only all of them are 100%."""
    return (
        f"{min(99.9, 100 * one.plays_done / one.plays_planned):.1f}%"
        if one.plays_missing
        else "100%"
    )


def _pace(one: Status) -> tuple[str, str]:
    from sweep.progress import duration

    rate = f"{one.rate:,.0f}" if one.rate else ""
    return rate, duration(one.seconds_left) if one.seconds_left is not None else ""


def dashboard(
    results: Results = "results",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8501,
) -> None:
    """Open the dashboard on the results."""
    from importlib.util import find_spec

    from sweep.places import at

    package = find_spec("dashboard")  # found, not imported: it stands above this package
    if package is None or package.origin is None:
        raise DojoError("the dashboard is not installed; install dojo-sweep as a whole")
    page = Path(package.origin).parent / "app.py"
    command = [sys.executable, "-m", "streamlit", "run", str(page)]
    command += ["--server.port", str(port), "--browser.gatherUsageStats", "false"]
    environment = {**os.environ, "DOJO_RESULTS": str(at(results).absolute())}
    # Streamlit takes this process's place, so that ending the one ends the other.
    sys.stdout.flush()
    os.execve(sys.executable, command, environment)
