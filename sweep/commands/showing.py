"""`dojo-sweep show`: where a sweep comes from, and in what two sweeps differ."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sweep.commands.keeping import run_words
from sweep.commands.terminal import AsJson, Results, SweepName, console

if TYPE_CHECKING:
    from sweep.journal import Run
    from sweep.plan import Plan
    from sweep.provenance import Difference

RUNS_SHOWN = 20
COMMIT_SHOWN = 10


def show(
    name: SweepName,
    other: Annotated[
        str | None, typer.Argument(help="A second sweep: show in what the two differ.")
    ] = None,
    results: Results = "results",
    boards: Annotated[bool, typer.Option("--boards", help="Print the boards' text too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show where a sweep comes from: plan, grid, sources, runs. With two, in what they differ."""
    from sweep.journal import read_runs
    from sweep.places import at
    from sweep.provenance import differences
    from sweep.status import sweep_folder
    from sweep.store import read_plan

    folder = sweep_folder(at(results), name)
    plan = read_plan(folder)
    if other is not None:
        second = read_plan(sweep_folder(at(results), other))
        _show_differences(name, other, differences(plan, second), as_json)
        return
    runs = read_runs(folder)
    if as_json:
        print(json.dumps(_content(plan, runs)))
        return
    for line in (*_lines(plan, boards), *_run_lines(runs)):
        print(line)


def _show_differences(name: str, other: str, found: list[Difference], as_json: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    if as_json:
        print(json.dumps([difference._asdict() for difference in found]))
    elif not found:
        print(f"{name} and {other} have the same plan")
    else:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("differs", name, other):
            table.add_column(Text(heading), overflow="fold")
        for difference in found:
            table.add_row(*map(Text, difference))
        console().print(table)


def _content(plan: Plan, runs: list[Run]) -> dict[str, Any]:
    """Return a sweep's provenance as plain values."""
    content: dict[str, Any] = json.loads(plan.to_json())
    return {**content, "points": len(plan.points), "runs": [asdict(run) for run in runs]}


def _lines(plan: Plan, with_boards: bool) -> Iterator[str]:
    from sweep.progress import date
    from sweep.provenance import boards, plays_a_point, shown

    yield f"sweep    {plan.name}, of the game {plan.game}"
    yield f"plan     {plan.hash}, frozen {date(plan.created)}"
    yield f"plays    {plan.plays_planned:,}, {plays_a_point(plan)} a point, record {plan.record}"
    yield f"seed     {plan.seed}"
    yield f"engine   {plan.engine}"
    yield f"versions {', '.join(f'{name} {version}' for name, version in plan.versions.items())}"
    yield f"points   {len(plan.points):,}"
    for axis, values in plan.axes.items():
        yield f"         {axis} = {', '.join(map(shown, values))}"
    if plan.grid:
        yield "\ngrid"
        yield from _indented(plan.grid)
    for board in boards(plan) if with_boards else []:
        for what, text in board.texts.items():
            yield f"\n{board.option} {board.label}, {what}"
            yield from _indented(str(text))


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}".rstrip() for line in text.strip("\n").splitlines())


def _run_lines(runs: list[Run]) -> Iterator[str]:
    """Yield what is known of each run, and the command that made it."""
    from sweep.progress import date

    yield "\nruns"
    for run in runs[-RUNS_SHOWN:]:
        yield f"    {run_words(run)}"
        began = f"began {date(run.started)} on {_place(run)}"
        yield f"        {began}; {_commit(run)}; plan {run.plan}"
        yield f"        {shlex.join(run.command)}"
    if len(runs) > RUNS_SHOWN:
        yield f"    the last {RUNS_SHOWN} of {len(runs):,}; all of them with --json"


def _commit(run: Run) -> str:
    if run.commit is None:
        return "commit unknown"
    return f"commit {run.commit[:COMMIT_SHOWN]}{', changed since' if run.dirty else ''}"


def _place(run: Run) -> str:
    """Return where a run was played, and how many blocks at a time."""
    backend = f"{run.backend} at {run.address}" if run.address else run.backend
    return f"{run.host}, {run.workers} on {backend}" if backend else run.host
