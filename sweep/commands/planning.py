"""From a grid file to a frozen plan: `dojo-sweep plan`, and what `run` and `submit` begin with."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from dojo_core.errors import DojoError, nearest
from sweep.commands.terminal import GridFile, GridResults, Workers, Yes, ask, console

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.status import Status

    from dojo_core.game import Setup
    from sweep.grid import Grid
    from sweep.places import Place
    from sweep.plan import Plan

LISTS = ("table", "csv")  # ways to list all points
RESULTS = "results"  # where a plan's sweep goes: a plan does not say
TOLD_EVERY = 100  # points
LARGE_POINTS = 20_000
LARGE_PLAYS = 2_000_000_000
LARGE_BYTES = 50e9
LARGE_SECONDS = 24 * 3600.0
MOST_POINTS = 10_000_000


def plan(
    grid: GridFile,
    results: GridResults = None,
    workers: Workers = None,
    yes: Yes = False,
    points: Annotated[
        str | None,
        typer.Option(help=f"List all points and nothing else: {' or '.join(LISTS)}."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the points to a file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Show what a grid file amounts to: points, plays, blocks, expected time and size."""
    from dojo_core import games
    from sweep import report
    from sweep.backends import cores
    from sweep.calibration import estimate

    if points or output:
        if as_json:
            raise DojoError("--json tells the counts and --points lists the points; give one")
        _list_points(listed(grid, yes), points or "csv", output)
        return
    frozen, folder = settled(grid, results, workers, yes)
    stored = stored_plays(folder, frozen)
    if as_json:
        found = asdict(estimate(frozen, stored, workers or cores()))
        print(json.dumps({"name": frozen.name, "origin": frozen.origin, **found}))
        return
    screen = console()
    screen.print(report.plan_table(games.load(frozen.game), frozen))
    for line in report.plan_lines(frozen, stored, workers or cores()):
        screen.print(line, markup=False, highlight=False, soft_wrap=True)
    screen.print(f"\nplay it with: dojo-sweep run {grid}", highlight=False)


def _list_points(frozen: Plan, format: str, output: Path | None) -> None:
    """Print all points of a plan, or write them to a file."""
    if format not in LISTS:
        raise DojoError(
            f"--points {format!r} is not one of {', '.join(LISTS)}{nearest(format, LISTS)}"
        )
    if output is None:
        _write_points(frozen, format, sys.stdout)
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            _write_points(frozen, format, file)
    except OSError as error:
        raise DojoError(f"{output} cannot be written ({error.strerror})", 3) from error


def _write_points(frozen: Plan, format: str, file: TextIO) -> None:
    from rich.console import Console

    from dojo_core import games
    from sweep import report

    game = games.load(frozen.game)
    if format == "csv":
        csv.writer(file, lineterminator="\n").writerows(report.plan_rows(game, frozen))
    else:
        wide = None if file.isatty() else 160
        Console(file=file, width=wide).print(report.plan_table(game, frozen, most=None))


def settled(
    path: str,
    results: str | None,
    workers: int | None,
    yes: bool,
    ready: Callable[[Place], None] = lambda folder: None,
    meanwhile: Callable[[], None] | None = None,
) -> tuple[Plan, Place]:
    """Return the plan that a grid file or a plan file amounts to, and its sweep's folder.

    Args:
        path: The file.
        results: The folder that holds the sweep's; None for the one the grid names.
        workers: How many blocks will be played at a time; None for all cores.
        yes: Do not ask, however many points there are.
        ready: Called with the sweep's folder before the points are listed, which may take long.
        meanwhile: Called while a new plan is compiled and tried, which may take long.
    """
    from sweep.grid import read_grid

    if is_plan(path):
        frozen = read_plan_file(path)
        folder = sweep_folder(frozen.name, results or RESULTS)
        ready(folder)
        return frozen, folder
    grid = read_grid(path)
    folder = sweep_folder(grid.name, results or grid.results)
    ready(folder)
    ask_about_points(grid, yes)
    return frozen_plan(grid, folder, workers, meanwhile), folder


def listed(path: str, yes: bool) -> Plan:
    """Return the plan that a grid file or a plan file amounts to, not calibrated."""
    from sweep.grid import read_grid

    if is_plan(path):
        return read_plan_file(path)
    grid = read_grid(path)
    ask_about_points(grid, yes)
    with _status() as status:
        return _made(grid, status)[0]


def is_plan(path: str) -> bool:
    """Tell whether a path names a frozen plan, not a grid."""
    return path.endswith(".json")


def read_plan_file(path: str) -> Plan:
    """Read a frozen plan, to be played exactly as it stands.

    Raises:
        DojoError: There is none, it was altered, or other rules are installed than it was made by.
    """
    from dojo_core import games
    from dojo_core.kernel import engine_hash
    from sweep.plan import Plan, check_points

    try:
        frozen = Plan.from_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DojoError(f"the plan {path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise DojoError(
            f"{path} is no plan of dojo-sweep; expected a grid file ending in .toml, or a plan that"
            " a run has frozen, such as results/NAME/plans/HASH.json"
        ) from error
    here = engine_hash(games.load(frozen.game).name)
    if here != frozen.engine:
        raise DojoError(
            f"{path} was frozen for other rules than are installed here (engine {frozen.engine},"
            f" here {here}); install the dojo-sweep it was frozen by"
            f" ({frozen.versions.get('dojo-sweep', 'unknown')}), or run its grid"
        )
    check_points(frozen, games.load(frozen.game))
    return frozen


def sweep_folder(name: str, results: str) -> Place:
    """Return the folder of the sweep `name` in `results`."""
    from sweep.places import at

    return at(results) / name


def frozen_plan(
    grid: Grid,
    folder: Place,
    workers: int | None,
    meanwhile: Callable[[], None] | None = None,
) -> Plan:
    """Return the grid's plan with its block size: the stored one's, or by a short trial."""
    from sweep.backends import aside, cores
    from sweep.blocks import bytes_per_play
    from sweep.calibration import block_exponent, calibrate
    from sweep.plan import Plan, with_calibration
    from sweep.store import plan_name

    with _status() as status:
        made, setups = _made(grid, status)
        try:
            return Plan.from_json(folder.read(plan_name(made.hash)).decode())
        except (OSError, ValueError, KeyError, TypeError, DojoError):
            status.update("compiling, and trying some plays (the first time takes longer)")
        if meanwhile:
            trial = aside(lambda: calibrate(made, grid.game, setups))
            meanwhile()
            calibration = trial.result()
        else:
            calibration = calibrate(made, grid.game, setups)
    largest = max(bytes_per_play(grid.game, setup) for setup in setups.values())
    exponent = block_exponent(made, calibration, workers or cores(), largest)
    return with_calibration(made, calibration, exponent)


def _made(grid: Grid, status: Status) -> tuple[Plan, dict[str, Setup]]:
    from sweep.plan import make_plan

    total = grid.combinations

    def tell(done: int) -> None:
        if done % TOLD_EVERY == 0:
            status.update(f"preparing the points: {done:,} of {total:,}")

    return make_plan(grid, tell)


def _status() -> Status:
    """Return the line on which a terminal shows what is being done before the plays."""
    from rich.console import Console

    return Console(stderr=True).status("preparing the points")


def stored_plays(folder: Place, frozen: Plan) -> int:
    """Return how many plays of the plan are stored already."""
    from sweep.plan import plays_stored
    from sweep.store import counted, covered, read_manifest

    try:
        held = covered(counted(read_manifest(folder), frozen))
    except DojoError:  # the run makes the manifest anew
        return 0
    return plays_stored(frozen.points, held)


def ask_about_points(grid: Grid, yes: bool) -> None:
    """Ask before very many points are listed; refuse more than can be planned."""
    count = grid.combinations
    at_most = "at most " if grid.design.branches else ""
    if count > MOST_POINTS:
        raise DojoError(
            f"{grid.path}: the axes make {at_most}{count:,} points, more than the {MOST_POINTS:,}"
            " that can be planned; take values away from [grid], or split it into several sweeps"
        )
    if count > LARGE_POINTS:
        ask(f"{grid.path}: the axes make {at_most}{count:,} points.", yes)


def ask_about_size(frozen: Plan, stored: int, folder: Place, workers: int, yes: bool) -> None:
    """Ask before very many plays, much time, or most of the free space is taken."""
    from sweep.progress import duration, size

    left = frozen.plays_planned - stored
    seconds = frozen.calibration.seconds_per_play * left / workers
    space = frozen.calibration.size(left, len(frozen.points))
    free = folder.free_bytes()
    room = LARGE_BYTES if free is None else min(LARGE_BYTES, 0.9 * free)
    large = left > LARGE_PLAYS or space > room or seconds > LARGE_SECONDS
    if large:
        of_the_free = "" if free is None else f" of the {size(free)} that are free"
        ask(
            f"{frozen.name} is large: {left:,} plays, about {duration(seconds)} here and"
            f" {size(space)}{of_the_free}.",
            yes,
        )
