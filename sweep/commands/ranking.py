"""`dojo-sweep ladder`: plays a ladder of players, and tells how they stand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dojo_core.errors import DojoError
from sweep.commands import planning, running
from sweep.commands.terminal import (
    Address,
    AsJson,
    GridFile,
    GridResults,
    UseRay,
    Workers,
    Yes,
    console,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sweep.places import Place
    from sweep.plan import Plan


def ladder(
    grid: GridFile,
    yes: Yes = False,
    address: Address = None,
    workers: Workers = None,
    results: GridResults = None,
    ray: UseRay = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw it, into an .html file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a grid's ladder, and tell who is better than whom. Running again resumes."""
    with running.stoppable(f"dojo-sweep ladder {grid}", sys.stderr if as_json else None):
        failures = _ladder(grid, yes, address, workers, results, ray, picture, as_json)
    if failures:
        raise typer.Exit(1)


def _ladder(
    grid: str,
    yes: bool,
    address: str | None,
    workers: int | None,
    results: str | None,
    ray: bool | None,
    picture: Path | None,
    as_json: bool,
) -> int:
    """Play what is missing and tell the standings; return how many blocks failed."""
    from dojo_core import games
    from sweep.ladder_report import standings_report
    from sweep.queries import connect
    from sweep.standings import standings

    screen = _out(as_json)
    where = running.place_to_play(ray, address, workers, None, screen)
    frozen, folder = planning.settled(
        grid, results, workers, yes, lambda place: place.check_writable(), where.meanwhile
    )
    if not frozen.ladder:
        raise DojoError(f"{grid} has no section [ladder]; sweep/LADDER.md tells what it says")
    make = where.backend(running.missing_work(frozen, folder))
    result = running.play(frozen, folder, make, screen, workers, yes)
    place = str(folder.parent)
    with connect(place, frozen.name) as con:
        found = standings(con, games.load(frozen.game), frozen)
    if as_json:
        print(json.dumps({words: standing.to_json() for words, standing in found.items()}))
    else:
        screen.print(standings_report(found))
    running.tell_failures(result, folder, screen)
    if picture:
        _draw(frozen, folder, picture, screen)
    return result.failures


def _out(as_json: bool) -> Console:
    """Return the screen; the other one, where the answer is for a script."""
    from rich.console import Console

    return Console(stderr=True) if as_json else console()


def _draw(frozen: Plan, folder: Place, picture: Path, screen: Console) -> None:
    """Let the dashboard, which stands above this package, draw the standings into a file."""
    import subprocess

    command = [sys.executable, "-m", "dashboard.ladder_picture"]
    command += [str(folder.parent), frozen.name, str(picture)]
    drawn = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if drawn.returncode:
        raise DojoError(drawn.stderr.strip().splitlines()[-1], drawn.returncode)
    screen.print(f"drawn in {picture}", highlight=False)
