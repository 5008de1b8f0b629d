"""`dojo-sweep bench`: what storing costs, where the time goes, and what the driver takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dojo_core.cli import tell_bench
from dojo_core.errors import DojoError
from sweep.commands import planning
from sweep.commands.terminal import AsJson, GridFile, Results, Workers, console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dojo_core.game import Game
    from sweep.bench import Make, Report
    from sweep.plan import Plan


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
    queries: Annotated[
        bool, typer.Option("--queries", help="Only ask the stored sweep, and time the answers.")
    ] = False,
    pretend: Annotated[
        int | None,
        typer.Option(min=1, help="With --queries: of so many pretended plays, stored meanwhile."),
    ] = None,
    results: Results = "results",
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also append what was measured to a file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what storing costs: the same plays with nothing stored, in threads, and on Ray.

    Temporary folders in the results folder take the rows, so that its disk is what is measured.
    """
    import signal

    from dojo_core import games
    from sweep.backends import cores
    from sweep.places import Folder

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # so that the folders go away too
    count = workers or cores()
    if pretend and not queries:
        raise DojoError("--pretend makes plays for --queries to ask; give both")
    Folder(Path(results)).prepare(())
    frozen, _ = planning.settled(grid, results, count, yes=True)
    game = games.load(frozen.game)
    if queries:
        result, lines = _queries(frozen, game, Path(results), repeats, pretend)
    elif crowd:
        result, lines = _crowd(frozen, game, Path(results), crowd)
    else:
        tell = (lambda sentence: None) if as_json else console().print
        result, lines = _ways(frozen, game, Path(results), count, seconds, repeats, ray, tell)
    tell_bench(result, lines, keep, as_json)


def _ways(
    frozen: Plan,
    game: Game,
    folder: Path,
    workers: int,
    seconds: float,
    repeats: int,
    ray: bool,
    tell: Callable[[str], None],
) -> tuple[dict[str, Any], Iterable[str]]:
    """Play by all ways; return what was measured, as data and in lines."""
    import contextlib
    import dataclasses

    from sweep.backends import Threads
    from sweep.bench import RAY, THREADS, shortened
    from sweep.bench import bench as measure

    short = shortened(frozen, game, seconds, workers)
    ways: dict[str, Make] = {THREADS: lambda job: Threads(job, workers)}
    with contextlib.ExitStack() as stack:
        if ray:
            from sweep.on_ray import OnRay, started_here

            stack.enter_context(started_here(workers))
            ways[RAY] = lambda job: OnRay(job, workers)
        report = measure(short, game, folder, ways, workers, repeats, tell)
    return dataclasses.asdict(report), _lines(report)


def _queries(
    frozen: Plan, game: Game, folder: Path, repeats: int, pretended: int | None
) -> tuple[dict[str, Any], Iterable[str]]:
    """Ask the stored sweep, or one of pretended plays that goes away again."""
    import contextlib
    import dataclasses
    import tempfile

    from sweep.bench_queries import table, time_questions
    from sweep.places import at
    from sweep.pretended import pretend

    with contextlib.ExitStack() as stack:
        if pretended:
            made = tempfile.TemporaryDirectory(prefix=".bench-", dir=folder)
            folder = Path(stack.enter_context(made))
            pretend(frozen, game, at(folder) / frozen.name, pretended)
        rows = list(time_questions(folder, frozen.name, repeats))
    found = {"game": game.name, "sweep": frozen.name, "pretended": pretended}
    return {**found, "questions": [dataclasses.asdict(row) for row in rows]}, table(rows)


def _crowd(
    frozen: Plan, game: Game, folder: Path, workers: int
) -> tuple[dict[str, Any], Iterable[str]]:
    """Pretend workers who see the results folder, and fewer blocks of some who do not."""
    import dataclasses

    from sweep.crowd import crowd

    reports = {
        "with a shared folder": crowd(frozen, game, folder, workers, 4 * workers, shared=True),
        "blocks coming back": crowd(frozen, game, folder, workers, 40, shared=False),
    }
    lines = [
        f"{way:20} {r.blocks:,} blocks of {r.block_bytes / 1e6:.2f} MB, a window of"
        f" {2 * workers:,}: {1000 * r.seconds:.2f} ms of the driver a block, enough for"
        f" {r.served:,} workers; at most {r.memory / 1e6:,.0f} MB"
        for way, r in reports.items()
    ]
    found = {way: dataclasses.asdict(r) for way, r in reports.items()}
    return {"game": frozen.game, "sweep": frozen.name, "crowd": found}, lines


def _lines(report: Report) -> Iterator[str]:
    """Tell a report in lines of text."""
    from sweep.bench import ALONE, BARE, spread

    yield (
        f"{report.sweep}: {report.plays:,} plays in {report.blocks:,} blocks on {report.workers}"
        " workers"
    )
    yield "one block by itself: " + ", ".join(
        f"{name} {1000 * seconds:,.1f} ms" for name, seconds in report.phases.items()
    )
    for way, samples in report.samples.items():
        rate, _, _ = spread([sample.rate for sample in samples])
        line = f"{way:8} {rate:>10,.0f} plays/s"
        if way != ALONE:
            line += ", {:.3f} ({:.3f} to {:.3f}) times alone".format(
                *spread(report.times_alone(way))
            )
        yield line
        if way in (ALONE, BARE):
            continue
        parts = {p: spread([s.parts[p] for s in samples])[0] for p in samples[0].parts}
        yield (
            " " * 9
            + "the cores' time: "
            + ", ".join(f"{part} {share:.1%}" for part, share in parts.items())
        )
        storage = "{:.1%} ({:.1%} to {:.1%})".format(*spread([s.storage for s in samples]))
        yield " " * 9 + f"storage of all kinds {storage}"
        start, _, _ = spread([sample.start for sample in samples])
        driver, _, _ = spread([sample.driver for sample in samples])
        memory = max(sample.memory for sample in samples)
        yield (
            f"{'':8} {start:.1f} s to start, {1000 * driver:.1f} ms of the driver a block, at most"
            f" {memory / 1e6:,.0f} MB a process at work"
        )
    for table, room in report.room.items():
        yield (
            f"{table:8} {room.stored:.1f} bytes a play, {room.stored / room.entropy:.2f} times the"
            f" entropy of the columns ({room.entropy:.1f})"
        )
    if report.room:
        stored = sum(room.stored for room in report.room.values())
        entropy = sum(room.entropy for room in report.room.values())
        yield f"together {stored:.1f} bytes a play, {stored / entropy:.2f} times ({entropy:.1f})"
    yield "Medians of the samples; in brackets the least and the greatest."
