"""`dojo-sweep chaos`: a disturbed sweep comes to the same rows."""

from __future__ import annotations

from typing import Annotated

import typer

from sweep.commands import planning
from sweep.commands.terminal import GridFile, console


def chaos(
    grid: GridFile,
    faults: Annotated[int, typer.Option(min=1, help="How many to inject.")] = 200,
    seed: Annotated[int, typer.Option(help="Decides kinds, victims and moments.")] = 1,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of one core each.")] = 3,
    pause: Annotated[float, typer.Option(min=0.0, help="Mean seconds between two.")] = 3.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Kill workers, nodes and drivers at random, then compare all rows with a run in peace.

    A Ray cluster is started on this machine for it, and a temporary folder takes the results.
    """
    import dataclasses
    import json
    import signal

    from dojo_core import games
    from sweep.chaos import chaos as disturb

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # so that the cluster is ended too
    screen = console()
    frozen, _ = planning.settled(grid, None, nodes, yes=True)
    tell = (lambda sentence: None) if as_json else screen.print
    report = disturb(frozen, games.load(frozen.game), faults, seed, nodes, pause, tell)
    if as_json:
        print(json.dumps(dataclasses.asdict(report), indent=1))
    else:
        kinds = ", ".join(f"{count} {kind}s" for kind, count in sorted(report.faults.items()))
        screen.print(
            f"{sum(report.faults.values())} faults (killed: {kinds}) in {report.seconds:,.0f} s\n"
            f"{report.plays:,} plays stored by {report.runs} runs in {report.rounds} rounds\n"
            f"{report.lost} lost, {report.doubled} doubled, {report.repeated:,} played again\n"
            f"tables that differ: {', '.join(report.differing) or 'none'}",
            highlight=False,
        )
    if not report.harmless:
        raise typer.Exit(1)
