"""`dojo-sweep chaos`: a disturbed sweep comes to the same rows. `bench`: what storing costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sweep.commands import planning
from sweep.commands.terminal import AsJson, GridFile, Results, Workers, console

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dojo_core.game import Game
    from sweep.bench import Make, Report
    from sweep.plan import Plan


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


def bench(
    grid: GridFile,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long a sample takes.")] = 20.0,
    repeats: Annotated[int, typer.Option(min=1, help="Samples of each way.")] = 3,
    workers: Workers = None,
    ray: Annotated[bool, typer.Option("--ray/--no-ray", help="Measure Ray as well.")] = True,
    crowd: Annotated[
        int | None,
        typer.Option(min=1, help="Only pretend so many workers, and measure the driver."),
    ] = None,
    results: Results = "results",
    as_json: AsJson = False,
) -> None:
    """Measure what storing costs: the same plays with nothing stored, in threads, and on Ray.

    Temporary folders in the results folder take the rows, so that its disk is what is measured.
    """
    import contextlib
    import dataclasses
    import json
    import signal
    from pathlib import Path

    from dojo_core import games
    from sweep.backends import Threads, cores
    from sweep.bench import RAY, THREADS, shortened
    from sweep.bench import bench as measure
    from sweep.places import Folder

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # so that the folders go away too
    screen = console()
    count = workers or cores()
    Folder(Path(results)).prepare(())
    frozen, _ = planning.settled(grid, results, count, yes=True)
    game = games.load(frozen.game)
    if crowd:
        _bench_crowd(frozen, game, Path(results), crowd, as_json)
        return
    short = shortened(frozen, game, seconds, count)
    tell = (lambda sentence: None) if as_json else screen.print
    ways: dict[str, Make] = {THREADS: lambda job: Threads(job, count)}
    with contextlib.ExitStack() as stack:
        if ray:
            from sweep.on_ray import OnRay, started_here

            stack.enter_context(started_here(count))
            ways[RAY] = lambda job: OnRay(job, count)
        report = measure(short, game, Path(results), ways, count, repeats, tell)
    if as_json:
        print(json.dumps(dataclasses.asdict(report), indent=1))
    else:
        screen.print("\n".join(_bench_lines(report)), highlight=False)


def _bench_crowd(frozen: Plan, game: Game, folder: Path, workers: int, as_json: bool) -> None:
    """Pretend workers who see the results folder, and fewer blocks of some who do not."""
    import dataclasses
    import json

    from sweep.crowd import crowd

    reports = {
        "with a shared folder": crowd(frozen, game, folder, workers, 4 * workers, shared=True),
        "blocks coming back": crowd(frozen, game, folder, workers, 40, shared=False),
    }
    if as_json:
        print(json.dumps({way: dataclasses.asdict(r) for way, r in reports.items()}, indent=1))
        return
    for way, r in reports.items():
        console().print(
            f"{way:20} {r.blocks:,} blocks of {r.block_bytes / 1e6:.2f} MB, a window of"
            f" {2 * workers:,}: {1000 * r.seconds:.2f} ms of the driver a block, enough for"
            f" {r.served:,} workers; at most {r.memory / 1e6:,.0f} MB",
            highlight=False,
            soft_wrap=True,
        )


def _bench_lines(report: Report) -> Iterator[str]:
    from sweep.bench import spread

    yield (
        f"{report.sweep}: {report.plays:,} plays in {report.blocks:,} blocks on {report.workers}"
        f" workers, {report.block_seconds:.3f} s of play a block"
    )
    yield "one block by itself:   " + ", ".join(
        f"{name} {1000 * seconds:,.1f} ms" for name, seconds in report.phases.items()
    )
    for way, samples in report.samples.items():
        rate, _, _ = spread([sample.rate for sample in samples])
        ratio = "{:.1%} ({:.1%} to {:.1%})".format(*spread(report.ratios(way)))
        share = "{:.1%} ({:.1%} to {:.1%})".format(*spread([s.share for s in samples]))
        yield f"{way:8} {rate:>10,.0f} plays/s, of bare {ratio}; in compiled play {share}"
        if samples[0].play_bytes:
            inside, _, _ = spread([sample.inside for sample in samples])
            between, _, _ = spread([sample.between for sample in samples])
            yield (
                f"{'':8} a block: {1000 * inside:,.1f} ms besides play in its worker,"
                f" {1000 * between:,.1f} ms of a core between blocks;"
                f" {samples[0].play_bytes:,.1f} bytes a play"
            )
    yield "Medians of the samples; in brackets the least and the greatest."
