"""`dojo-sweep verify`, `clean`, `export` and `import`: look after what a sweep has stored."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dojo_core.errors import DojoError, nearest
from sweep.commands.terminal import INTERRUPTED, AsJson, Results, SweepName, Yes, ask, console

if TYPE_CHECKING:
    from sweep.exchange import Imported
    from sweep.places import Place
    from sweep.verify import Finding

STORED_WRONG = 3  # the exit code
FINDINGS_SHOWN = 50
EXPORTS = ("duckdb", "parquet", "csv")


def verify(
    name: SweepName,
    results: Results = "results",
    replay: Annotated[
        int, typer.Option(min=0, help="Also play so many of the stored plays again, and compare.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Chooses which plays are played again.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Read every stored file again and compare it with what was published. Writes nothing.

    With record = "summary" whole points are played again, at least one. Exits with 3 if anything is
    not as it should be, and says what to do.
    """
    from dojo_core import games
    from sweep.places import at
    from sweep.status import sweep_folder
    from sweep.store import read_plan
    from sweep.verify import make_replay
    from sweep.verify import verify as verify_sweep

    folder = sweep_folder(at(results), name)
    plan = read_plan(folder)
    game = games.load(plan.game)
    again = make_replay(folder, game, plan, replay, seed) if replay else None
    with progress("verifying", "chunks") as advanced:
        found = verify_sweep(folder, game, plan, again, advanced)
    if as_json:
        print(json.dumps({**asdict(found), "findings": [f._asdict() for f in found.findings]}))
    else:
        _tell_findings(found.findings)
        played = f", {found.replayed:,} of them played again" if again else ""
        verdict = f"{len(found.findings):,} findings" if found.findings else "all is as published"
        print(
            f"{found.files:,} files, {found.rows:,} rows, {found.plays:,} plays{played}: {verdict}"
        )
    if found.findings:
        raise typer.Exit(STORED_WRONG)


def clean(
    name: SweepName,
    results: Results = "results",
    old_plans: Annotated[
        bool, typer.Option("--old-plans", help="Forget all plans but the current one first.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Remove what no plan of a sweep refers to, after listing it and asking."""
    from sweep.clean import Cleaning
    from sweep.places import at
    from sweep.progress import size
    from sweep.status import sweep_folder

    folder = sweep_folder(at(results), name)
    with folder.lock() as lock:
        cleaning = Cleaning(folder, old_plans)
        for waste in cleaning.waste:
            print(f"{size(waste.bytes):>10}  {waste.what}")
        if not cleaning.waste:
            print("every file belongs to a plan")
            return
        total = size(sum(waste.bytes for waste in cleaning.waste))
        ask(
            f"{total} of {name} will be removed for good.",
            yes,
            declined="nothing was removed",
            otherwise="",
        )
        lock.confirm()
        cleaning.remove()
    print(f"removed {total}")


def export(
    name: SweepName,
    to: Annotated[
        Path, typer.Option("--to", help="NAME.duckdb for one file; else a folder of files.")
    ],
    results: Results = "results",
    format: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(EXPORTS)}; else by the ending of --to.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an export that is there.")
    ] = False,
) -> None:
    """Write a sweep's tables to one DuckDB file, or to a folder of Parquet or CSV files."""
    from rich.console import Console

    from dojo_core import games
    from sweep import queries
    from sweep.export import export as export_sweep
    from sweep.places import at
    from sweep.status import sweep_folder

    wanted = format or ("duckdb" if to.suffix == ".duckdb" else "parquet")
    if wanted not in EXPORTS:
        raise DojoError(
            f"--format {wanted!r} is not one of {', '.join(EXPORTS)}{nearest(wanted, EXPORTS)}"
        )
    sweep_folder(at(results), name)  # refuses a name that is none
    connection = queries.connect(results, name)
    plan = queries.plan_of(results, name)
    with Console(stderr=True).status("exporting") as status:
        rows = export_sweep(
            connection,
            games.load(plan.game),
            plan,
            to,
            wanted,
            force,
            lambda table: status.update(f"exporting {table}"),
        )
    words = ", ".join(f"{count:,} rows of {table}" for table, count in rows.items())
    print(f"exported to {to}: {words}")


def import_sweeps(
    other: Annotated[str, typer.Argument(help="Another results folder, or its address.")],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The sweep; all when left out.")
    ] = None,
    results: Results = "results",
    as_json: AsJson = False,
) -> None:
    """Take in the plays that another results folder holds of the same points.

    Every file is verified first. Exits with 3 if some there are not as they should be.
    """
    from sweep.places import at
    from sweep.status import sweep_folder, sweep_folders

    source, target = at(other).absolute(), at(results).absolute()
    if source == target:
        raise DojoError(f"{other!r} is the results folder itself; name another one")
    folders = [sweep_folder(source, name)] if name is not None else sweep_folders(source)
    if not folders:
        raise DojoError(f"there is no sweep in {other!r}; expected a results folder")
    taken = []
    for folder in folders:
        taken.append(_import(folder, target / folder.name))
        if not as_json:
            _tell_imported(taken[-1], target)
    findings = [finding for imported in taken for finding in imported.findings]
    if as_json:
        print(json.dumps([_imported(one, target) for one in taken]))
    else:
        _tell_findings(findings)
    if findings:
        raise typer.Exit(STORED_WRONG)


def _import(source: Place, folder: Place) -> Imported:
    """Take in one sweep; its findings are told with the files' full names."""
    from dojo_core import games
    from sweep.exchange import import_sweep

    try:
        with progress(f"importing {folder.name}", "chunks") as advanced:
            found = import_sweep(source, folder, games.load, advanced)
    except KeyboardInterrupt:
        print("stopped; what was taken in is kept. Go on by importing again", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    cure = "run the sweep there again"
    findings = [f._replace(file=source.path(f.file), cure=cure) for f in found.findings]
    return replace(found, findings=findings)


def _missing(imported: Imported, results: Place) -> int:
    from sweep.status import status

    return status(results / imported.name).plays_missing


def _imported(imported: Imported, results: Place) -> dict[str, Any]:
    """Return what came of a sweep as plain values."""
    findings = [finding._asdict() for finding in imported.findings]
    return {**vars(imported), "missing": _missing(imported, results), "findings": findings}


def _tell_imported(imported: Imported, results: Place) -> None:
    new = ", a new sweep" if imported.created else ""
    print(
        f"{imported.name}{new}: {imported.plays:,} plays taken in, {imported.held:,} were here"
        f" already, {imported.left:,} left there because they share a file with some that were;"
        f" {_missing(imported, results):,} are still missing"
    )


def _tell_findings(findings: list[Finding]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not findings:
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("file", "what is wrong", "what to do"):
        table.add_column(heading, overflow="fold")
    for finding in findings[:FINDINGS_SHOWN]:
        table.add_row(*map(Text, finding))
    console().print(table)
    if len(findings) > FINDINGS_SHOWN:
        print(f"{FINDINGS_SHOWN} of {len(findings):,} findings; all of them with --json")


@contextlib.contextmanager
def progress(words: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Show how far something has come, on a terminal; yield what to tell it to."""
    from rich.console import Console

    with Console(stderr=True).status(words) as status:
        yield lambda done, total: status.update(f"{words}: {done:,} of {total:,} {unit}")
