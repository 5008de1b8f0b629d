"""`dojo-sweep submit`: a sweep as a job of a Ray cluster, handed over, followed or stopped."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dojo_core.errors import DojoError
from sweep.commands import planning
from sweep.commands.terminal import INTERRUPTED, Workers, Yes, ask

if TYPE_CHECKING:
    from sweep.plan import Plan
    from sweep.submit import Jobs


def submit(
    grid: Annotated[
        str | None, typer.Argument(metavar="[GRID]", help="The grid file, or a frozen plan.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(help="The cluster's dashboard, http://HOST:8265; else RAY_ADDRESS."),
    ] = None,
    results: Annotated[
        str | None,
        typer.Option(help="Where the cluster puts the results: an absolute path, or s3://..."),
    ] = None,
    workers: Workers = None,
    yes: Yes = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Follow the job's log until it ends.")
    ] = True,
    follow: Annotated[
        str | None, typer.Option(metavar="ID", help="Only follow a job submitted before.")
    ] = None,
    stop: Annotated[
        str | None, typer.Option(metavar="ID", help="Only stop a job submitted before.")
    ] = None,
) -> None:
    """Hand a sweep to a Ray cluster as a job; it goes on when this terminal closes."""
    from sweep.submit import Jobs, dashboard_address

    if [grid, follow, stop].count(None) != 2:
        raise DojoError("give one of a grid file, --follow ID and --stop ID")
    place = dashboard_address(address or os.environ.get("RAY_ADDRESS"))
    if stop:
        running = Jobs(place).stop(stop)
        print(f"{stop} is stopped; what it finished is kept" if running else f"{stop} had ended")
        return
    if grid:
        jobs, job = _handed_over(grid, place, results, workers, yes)
    else:
        jobs, job = Jobs(place), str(follow)
    if wait or follow:
        _follow(jobs, job)


def _handed_over(
    grid: str, place: str, results: str | None, workers: int | None, yes: bool
) -> tuple[Jobs, str]:
    """Freeze the grid here and hand the plan over; return the cluster's jobs and this one's id."""
    from sweep.backends import cores
    from sweep.submit import Jobs, check_lasting

    jobs = Jobs(place)
    # An autoscaled cluster may have no core yet, and will not have fewer than this machine.
    at_a_time = workers or max(jobs.cores(), cores())
    frozen, folder = planning.settled(grid, results, at_a_time, yes, check_lasting)
    _ask_about_size(frozen, yes)
    job = jobs.submit(frozen, str(folder.parent), workers)
    print(
        f"submitted as {job}: {len(frozen.points):,} points, {frozen.plays_planned:,} plays,"
        f" results in {folder} as the cluster sees it"
        f"\nfollow it with: dojo-sweep submit --follow {job} --address {place}"
        f"\nstop it with:   dojo-sweep submit --stop {job} --address {place}",
        flush=True,
    )
    return jobs, job


def _ask_about_size(frozen: Plan, yes: bool) -> None:
    """Ask here before very much is played there, where nobody could answer."""
    from sweep.progress import size

    space = frozen.calibration.size(frozen.plays_planned, len(frozen.points))
    if frozen.plays_planned > planning.LARGE_PLAYS or space > planning.LARGE_BYTES:
        ask(f"{frozen.name} is large: {frozen.plays_planned:,} plays, {size(space)}.", yes)


def _follow(jobs: Jobs, job: str) -> None:
    """Write the job's log until it ends, and exit as it did."""
    try:
        end = jobs.follow(job, _write)
    except KeyboardInterrupt:
        print(
            f"\nno longer following; {job} goes on. Follow it again with:"
            f" dojo-sweep submit --follow {job} --address {jobs.address}, stop it with --stop {job}"
        )
        raise typer.Exit(INTERRUPTED) from None
    if end.sentence:
        print(f"dojo-sweep: {end.sentence}", file=sys.stderr)
    if end.code:
        raise typer.Exit(end.code)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
