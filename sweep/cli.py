"""The command `dojo-sweep`: a thin layer over the grid, the plan, the runner and the queries.

What is slow to import (NumPy, Arrow, DuckDB, Ray) is imported by the command that needs it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dojo_core.errors import DojoError

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    import pyarrow as pa
    from rich.console import Console, RenderableType

    from dojo_core.game import Game, Setup
    from sweep.backends import Backend
    from sweep.grid import Grid
    from sweep.plan import Plan
    from sweep.work import Job

LARGE_POINTS = 20_000
LARGE_PLAYS = 2_000_000_000
LARGE_BYTES = 50e9
LARGE_SECONDS = 24 * 3600.0
MOST_POINTS = 10_000_000
SMALL_WORK = 20.0  # seconds of one core: less is played in this process, without Ray
ROWS_SHOWN = 100
FORMATS = ("table", "csv", "json", "parquet", "arrow")
INTERRUPTED = 130

app = typer.Typer(
    name="dojo-sweep",
    help="Plays a game for every point of a grid, stores the plays and answers questions.",
    epilog="Exit codes: 0 all went well; 1 some blocks failed; 2 the input cannot be used;"
    " 3 trouble with storage, a cluster or stored files; 130 stopped by the user.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GridFile = Annotated[str, typer.Argument(metavar="GRID", help="The grid file, e.g. grid.toml.")]
Results = Annotated[str, typer.Option(help="The folder that holds the sweeps.")]
GridResults = Annotated[
    str | None, typer.Option("--results", help="The results folder, instead of the grid's.")
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Blocks played at a time; all cores when left out.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, however large the sweep is.")]
Name = Annotated[
    str | None,
    typer.Option(help="The sweep; several with commas, or all. The newest when left out."),
]


def main() -> None:
    """Run `dojo-sweep`; a user's mistake ends in one sentence and an exit code."""
    try:
        app(prog_name="dojo-sweep")
    except DojoError as error:
        print(f"dojo-sweep: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


@app.command()
def plan(
    grid: GridFile, results: GridResults = None, workers: Workers = None, yes: Yes = False
) -> None:
    """Show what a grid file amounts to: points, plays, blocks, expected time and size."""
    from sweep import report
    from sweep.backends import cores
    from sweep.grid import read_grid

    read = read_grid(grid)
    folder = _folder(read, results)
    _ask_about_points(read, yes)
    frozen = _frozen_plan(read, folder, workers)
    console = _console()
    console.print(report.plan_table(read.game, frozen))
    for line in report.plan_lines(frozen, _stored(folder, frozen), workers or cores()):
        console.print(line, highlight=False)
    console.print(f"\nplay it with: dojo-sweep run {grid}", highlight=False)


@app.command()
def run(
    grid: GridFile,
    yes: Yes = False,
    address: Annotated[
        str | None, typer.Option(help="A Ray cluster's address; else RAY_ADDRESS, else none.")
    ] = None,
    workers: Workers = None,
    results: GridResults = None,
    ray: Annotated[
        bool | None,
        typer.Option("--ray/--no-ray", help="Play on Ray, or in this process; else by size."),
    ] = None,
) -> None:
    """Play what a grid lacks. Running again resumes; more plays or values add to what is there."""
    from sweep import report
    from sweep.backends import cores
    from sweep.grid import read_grid
    from sweep.progress import Narrator, duration
    from sweep.runner import run as run_plan
    from sweep.store import FAILURES, check_writable

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    read = read_grid(grid)
    folder = _folder(read, results)
    check_writable(folder)
    _ask_about_points(read, yes)
    console = _console()
    frozen = _frozen_plan(read, folder, workers)
    stored = _stored(folder, frozen)
    _ask_about_size(frozen, stored, folder, workers or cores(), yes)
    for line in report.plan_lines(frozen, stored, workers or cores()):
        console.print(line, highlight=False)
    work = frozen.calibration.seconds_per_play * (frozen.plays_planned - stored)
    backend = _backend(work, ray, address, workers)
    narrator = Narrator(console, frozen.plays)
    result = run_plan(frozen, read.game, folder, backend, narrator)
    if result.interrupted:
        console.print(
            f"stopped; what was finished is kept. Go on with: dojo-sweep run {grid}",
            highlight=False,
        )
        raise typer.Exit(INTERRUPTED)
    if result.plays:
        rate = result.plays / max(result.seconds, 1e-9)
        took = duration(result.seconds)
        console.print(f"{result.plays:,} plays in {took}, {rate:,.0f} plays/s\n", highlight=False)
    else:
        console.print("nothing was missing\n")
    console.print(report.findings(read.game, frozen, result.sums))
    place = "" if str(folder.parent) == "results" else f" --results {folder.parent}"
    console.print(
        f"\nask with  dojo-sweep sql --name {frozen.name}{place}"
        f"\nlook with dojo-sweep dashboard{place}"
        f"\ntell one  dojo-sweep trace {frozen.name} 1 0{place}",
        highlight=False,
    )
    if result.failures:
        console.print(
            f"{result.failures:,} blocks failed; {folder / FAILURES} has each one's traceback and"
            " the command that repeats it",
            style="yellow",
            highlight=False,
            soft_wrap=True,
        )
        raise typer.Exit(1)


@app.command()
def sql(
    query: Annotated[str | None, typer.Argument(help="The query; a prompt when left out.")] = None,
    name: Name = None,
    results: Results = "results",
    format: Annotated[str | None, typer.Option(help=f"One of {', '.join(FORMATS)}.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to a file; its ending counts.")
    ] = None,
) -> None:
    """Ask the views plays, seats, squares and points in SQL (DuckDB's)."""
    from sweep import queries

    wanted = _format(format, output)
    names = name.split(",") if name and "," in name else name
    connection = queries.connect(results, names)
    if query is None:
        _prompt(connection)
        return
    try:
        answer = _answer(connection, query)
    except FileNotFoundError:  # a running sweep has just put small files together
        answer = _answer(queries.connect(results, names), query)
    _write(answer, wanted, output)


@app.command()
def options(
    game: Annotated[str | None, typer.Argument(help="The game; all when left out.")] = None,
) -> None:
    """List all options of a game: default, values, what each changes, its source."""
    from dojo_core import games
    from sweep import report

    for name in [game] if game else games.GAMES:
        _console().print(report.options_table(games.load(name)))


@app.command()
def trace(
    name: Annotated[str, typer.Argument(help="The sweep.")],
    point: Annotated[str, typer.Argument(help="The point: its number, or how its id begins.")],
    play: Annotated[int, typer.Argument(min=0, help="The index of the play.")],
    results: Results = "results",
    lang: Annotated[str, typer.Option(help="en or it.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """Tell one play of a sweep event by event."""
    if lang not in ("en", "it"):
        raise DojoError(f"--lang {lang!r} is not one of en, it")
    frozen, game, setup = _point_of(results, name, point)
    events = game.trace(setup, frozen.seed, play)
    for line in map(json.dumps, events) if as_json else game.describe(events, lang):
        print(line)


@app.command()
def block(
    name: Annotated[str, typer.Argument(help="The sweep.")],
    point: Annotated[str, typer.Argument(help="The point: its number, or how its id begins.")],
    first: Annotated[int, typer.Argument(min=0, help="The index of the first play.")],
    plays: Annotated[int, typer.Argument(min=1, help="How many plays.")],
    results: Results = "results",
) -> None:
    """Play one block again without storing it: a block that failed shows its traceback."""
    from sweep.blocks import play_block
    from sweep.plan import Block

    frozen, game, setup = _point_of(results, name, point)
    found = frozen.find(point)
    tables = play_block(game, setup, frozen.seed, Block(found.id, first, plays), frozen.record)
    rows = ", ".join(f"{table.num_rows:,} rows of {name}" for name, table in tables.items())
    print(f"played without trouble: {rows}")


@app.command()
def dashboard(
    results: Results = "results",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8501,
) -> None:
    """Open the dashboard on the results."""
    from importlib.util import find_spec

    package = find_spec("dashboard")  # found, not imported: it stands above this package
    if package is None or package.origin is None:
        raise DojoError("the dashboard is not installed; install dojo-sweep as a whole")
    page = Path(package.origin).parent / "app.py"
    command = [sys.executable, "-m", "streamlit", "run", str(page)]
    command += ["--server.port", str(port), "--browser.gatherUsageStats", "false"]
    environment = {**os.environ, "DOJO_RESULTS": str(Path(results).absolute())}
    # Streamlit takes this process's place, so that ending the one ends the other.
    sys.stdout.flush()
    os.execve(sys.executable, command, environment)


@app.command("list")
def list_sweeps(results: Results = "results") -> None:
    """List the sweeps of a results folder."""
    from sweep import queries, report

    infos = queries.sweeps(results)
    if not infos:
        raise DojoError(
            f"there is no sweep in {results!r}; play one with `dojo-sweep run grid.toml`"
        )
    _console().print(report.sweeps_table(infos))


# Planning


def _console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 160)


def _folder(grid: Grid, results: str | None) -> Path:
    parent = results or str(grid.results)
    if "://" in parent:
        raise DojoError(f"results = {parent!r} is an address; expected a folder")
    return Path(parent) / grid.name


def _frozen_plan(grid: Grid, folder: Path, workers: int | None) -> Plan:
    """Return the grid's plan with its block size: the stored one's, or by a short trial."""
    from rich.console import Console

    from sweep.backends import cores
    from sweep.blocks import bytes_per_play
    from sweep.calibration import block_exponent, calibrate
    from sweep.plan import Plan, make_plan, with_calibration

    errors = Console(stderr=True)
    with errors.status("preparing the points") as status:
        total = grid.combinations
        made, setups = make_plan(
            grid, lambda done: status.update(f"preparing the points: {done:,} of {total:,}")
        )
        try:
            text = (folder / "plans" / f"{made.hash}.json").read_text(encoding="utf-8")
            return Plan.from_json(text)
        except (OSError, ValueError, KeyError, TypeError, DojoError):
            status.update("compiling, and trying some plays (the first time takes longer)")
        calibration = calibrate(made, grid.game, setups)
    largest = max(bytes_per_play(grid.game, setup) for setup in setups.values())
    exponent = block_exponent(made, calibration, workers or cores(), largest)
    return with_calibration(made, calibration, exponent)


def _stored(folder: Path, frozen: Plan) -> int:
    """Return how many plays of the plan are stored already."""
    from sweep.plan import gaps
    from sweep.store import counted, covered, read_manifest

    try:
        held = covered(counted(read_manifest(folder), frozen))
    except DojoError:  # the run makes the manifest anew
        return 0
    open_plays = sum(
        end - first
        for point in frozen.points
        for first, end in gaps(held.get(point.id, []), frozen.plays)
    )
    return frozen.plays_planned - open_plays


def _ask_about_points(grid: Grid, yes: bool) -> None:
    count = grid.combinations
    if count > MOST_POINTS:
        raise DojoError(
            f"{grid.path}: the axes make {count:,} points, more than the {MOST_POINTS:,} that can"
            " be planned; take values away from [grid], or split it into several sweeps"
        )
    if count > LARGE_POINTS:
        _ask(f"{grid.path}: the axes make {count:,} points.", yes)


def _ask_about_size(frozen: Plan, stored: int, folder: Path, workers: int, yes: bool) -> None:
    from sweep.progress import duration, size

    left = frozen.plays_planned - stored
    seconds = frozen.calibration.seconds_per_play * left / workers
    space = frozen.calibration.size(left, len(frozen.points))
    free = _free_bytes(folder)
    if free == 0:  # a file system that does not tell, or a full one: writing will
        free = int(LARGE_BYTES)
    large = left > LARGE_PLAYS or space > min(LARGE_BYTES, 0.9 * free) or seconds > LARGE_SECONDS
    if large:
        _ask(
            f"{frozen.name} is large: {left:,} plays, about {duration(seconds)} here and"
            f" {size(space)} of the {size(free)} that are free.",
            yes,
        )


def _free_bytes(folder: Path) -> int:
    import shutil

    from sweep.store import existing

    return shutil.disk_usage(existing(folder)).free


def _ask(words: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise DojoError(f"{words} Nobody is here to ask: add --yes to go on, or make it smaller")
    if not typer.confirm(f"{words} Go on?"):
        raise DojoError("nothing was played")


def _backend(
    work: float, ray: bool | None, address: str | None, workers: int | None
) -> Callable[[Job], Backend]:
    """Return what makes the backend: Ray for much work or a cluster, else threads in here."""
    if ray is False and address:
        raise DojoError("--address names a Ray cluster, and --no-ray does without; give one")
    address = address or os.environ.get("RAY_ADDRESS")
    if ray is None:
        ray = bool(address) or work > SMALL_WORK

    def make(job: Job) -> Backend:
        if ray:
            from sweep.on_ray import OnRay

            print(f"joining {address}" if address else "starting Ray on this machine", flush=True)
            return OnRay(job, workers, address)
        from sweep.backends import Threads

        return Threads(job, workers)

    return make


def _point_of(results: str, name: str, point: str) -> tuple[Plan, Game, Setup]:
    """Return a sweep's plan, its game and one of its points, prepared."""
    from dojo_core import games
    from dojo_core.errors import nearest
    from dojo_core.kernel import engine_hash
    from sweep import queries
    from sweep.store import read_plan

    names = [info.name for info in queries.sweeps(results)]
    if name not in names:
        raise DojoError(f"there is no sweep {name!r} in {results!r}{nearest(name, names)}")
    frozen = read_plan(Path(results) / name)
    game = games.load(frozen.game)
    if engine_hash(frozen.game) != frozen.engine:
        raise DojoError(
            f"the rules have changed since {name} was played (engine {frozen.engine}, now"
            f" {engine_hash(frozen.game)}); run its grid again first"
        )
    return frozen, game, frozen.setup(game, frozen.find(point))


# Answers


def _format(format: str | None, output: Path | None) -> str:
    from dojo_core.errors import nearest

    if format is None:
        ending = output.suffix.lstrip(".") if output else "table"
        format = ending if ending in FORMATS else "csv" if output else "table"
    if format not in FORMATS:
        raise DojoError(
            f"--format {format!r} is not one of {', '.join(FORMATS)}{nearest(format, FORMATS)}"
        )
    if format in ("parquet", "arrow") and output is None and sys.stdout.isatty():
        raise DojoError(f"{format} is not for a terminal; write it to a file with -o FILE")
    return format


def _answer(connection: duckdb.DuckDBPyConnection, query: str) -> pa.Table:
    import duckdb

    try:
        relation = connection.sql(query)
        if relation is None:
            raise DojoError("the query returns no rows; expected a SELECT")
        answer: pa.Table = relation.to_arrow_table()
        return answer
    except duckdb.Error as error:
        lines = [line for line in str(error).split("\n\n")[0].splitlines() if line]
        raise DojoError(f"the query cannot be answered: {' '.join(lines)}") from error


def _write(answer: pa.Table, format: str, output: Path | None) -> None:
    """Write an answer to a file or to the screen."""
    import io

    content = io.BytesIO()
    if format == "table" and output is None:
        _console().print(_as_table(answer))
        return
    _encode(answer, format, content)
    try:
        if output:
            output.write_bytes(content.getvalue())
        else:
            sys.stdout.buffer.write(content.getvalue())
            sys.stdout.buffer.flush()
    except OSError as error:
        raise DojoError(f"{output} cannot be written: {error.strerror}", 3) from error


def _encode(answer: pa.Table, format: str, file: Any) -> None:
    import pyarrow.csv
    import pyarrow.parquet
    from pyarrow import ipc

    if format == "parquet":
        pyarrow.parquet.write_table(answer, file, compression="zstd")
    elif format == "arrow":
        with ipc.new_file(file, answer.schema) as writer:
            writer.write_table(answer)
    elif format == "json":
        for row in answer.to_pylist():
            file.write((json.dumps(row, default=_plain) + "\n").encode())
    elif format == "csv":
        pyarrow.csv.write_csv(answer, file)
    else:
        from rich.console import Console

        text = Console(record=True, file=open(os.devnull, "w"), width=1000)  # noqa: SIM115
        text.print(_as_table(answer))
        file.write(text.export_text().encode())


def _plain(value: Any) -> Any:
    """Return what JSON has no type for: whole decimals as numbers, the rest as text."""
    import decimal

    if isinstance(value, decimal.Decimal) and value == value.to_integral_value():
        return int(value)
    return str(value)


def _as_table(answer: pa.Table) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    numbers = [
        str(field.type).startswith(("int", "uint", "double", "dec")) for field in answer.schema
    ]
    for name, number in zip(answer.column_names, numbers, strict=True):
        table.add_column(Text(name), justify="right" if number else "left")
    for row in answer.slice(0, ROWS_SHOWN).to_pylist():
        table.add_row(*(Text(_cell(value)) for value in row.values()))
    if answer.num_rows <= ROWS_SHOWN:
        return table
    return Group(table, f"{ROWS_SHOWN} of {answer.num_rows:,} rows; all of them with -o FILE")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _prompt(connection: duckdb.DuckDBPyConnection) -> None:
    """Answer queries typed in, one after the other; a query ends with a semicolon."""
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (gives input() its history and editing)

    views = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND view_name NOT LIKE '%\\_%'"
    names = [row[0] for row in connection.execute(views + " ESCAPE '\\' ORDER BY 1").fetchall()]
    print(f"views: {', '.join(names)}; end a query with ; and leave with Ctrl-D")
    lines: list[str] = []
    while True:
        try:
            lines.append(input("  ... " if lines else "sql> "))
        except EOFError:
            break
        except KeyboardInterrupt:
            lines.clear()
            print()
            continue
        if lines[-1].rstrip().endswith(";"):
            _reply(connection, "\n".join(lines))
            lines.clear()
        elif not lines[-1].strip() and len(lines) == 1:
            lines.clear()
    if "".join(lines).strip():
        _reply(connection, "\n".join(lines))
    print()


def _reply(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    try:
        _console().print(_as_table(_answer(connection, query)))
    except DojoError as error:
        print(error, file=sys.stderr)
