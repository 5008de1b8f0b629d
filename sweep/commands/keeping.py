"""`dojo-sweep list` and `dashboard`: what there is, and a look at it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dojo_core.errors import DojoError
from sweep.commands.terminal import Results, console


def list_sweeps(results: Results = "results") -> None:
    """List the sweeps of a results folder."""
    from sweep import queries, report

    infos = queries.sweeps(results)
    if not infos:
        raise DojoError(
            f"there is no sweep in {results!r}; play one with `dojo-sweep run grid.toml`"
        )
    console().print(report.sweeps_table(infos))


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
