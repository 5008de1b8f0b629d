"""Writes a sweep's views to one DuckDB file, or to a folder of Parquet or CSV files."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import duckdb

from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep.axes import PRESET
from sweep.places import STORAGE_TROUBLE
from sweep.plan import Plan
from sweep.schemas import points_schema, schema, table_names
from sweep.summary import most_seats

COPY = {"parquet": "FORMAT parquet, COMPRESSION zstd", "csv": "FORMAT csv, HEADER"}
EXACT = "DECIMAL(38, 0)"  # Parquet knows no whole numbers of 128 bits, and would round them


def export(
    connection: duckdb.DuckDBPyConnection,
    game: Game,
    plan: Plan,
    target: Path,
    format: str,
    replace: bool = False,
    advanced: Callable[[str], None] = lambda table: None,
) -> dict[str, int]:
    """Write the views of a sweep to `target`, whole or not at all; return the rows of each table.

    Args:
        connection: The sweep, connected by `sweep.connect`.
        game: Its game.
        plan: Its current plan.
        target: The DuckDB file, or the folder of Parquet or CSV files.
        format: ``duckdb``, ``parquet`` or ``csv``.
        replace: Replace an export that is there.
        advanced: Called with the name of each table before it is written.

    Raises:
        DojoError: Something is there already, or `target` cannot be written.
    """
    tables = [*dict.fromkeys((*table_names("plays"), *table_names(plan.record))), "points"]
    _check_free(target, format, replace)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.tmp")
    connection.execute("SET preserve_insertion_order = false")  # else large tables pile up
    connection.execute("SET enable_progress_bar = false")
    try:
        with _removed_at_last(temporary):
            if format == "duckdb":
                meanings = {table: _meanings(game, plan, table) for table in tables}
                rows = _to_database(connection, meanings, temporary, advanced)
            else:
                rows = _to_folder(connection, tables, temporary, format, advanced)
            _put(temporary, target)
    except (duckdb.Error, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DojoError(
            f"{target} cannot be written ({reason}); free some room, or name another --to",
            STORAGE_TROUBLE,
        ) from error
    return rows


def _check_free(target: Path, format: str, replace: bool) -> None:
    """Refuse to write over anything but, on request, an export of the same kind."""
    if not target.parent.is_dir():
        raise DojoError(f"there is no folder {target.parent} to export to; make it first")
    if not os.path.lexists(target):
        return
    if not replace:
        raise DojoError(f"{target} exists already; name another place, or add --force")
    strange = (
        not target.is_file()
        if format == "duckdb"
        else not target.is_dir() or any(path.suffix != f".{format}" for path in target.iterdir())
    )
    if strange:
        raise DojoError(
            f"{target} is not an export as {format}, so it is not written over; name another place"
        )


@contextlib.contextmanager
def _removed_at_last(temporary: Path) -> Iterator[None]:
    try:
        yield
    finally:
        for path in (temporary, temporary.with_name(f"{temporary.name}.wal")):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _put(temporary: Path, target: Path) -> None:
    """Let what was written appear; what was there before goes away."""
    if target.is_dir():
        before = temporary.with_name(f"{temporary.name}.before")
        target.rename(before)
        temporary.rename(target)
        shutil.rmtree(before)
    else:
        temporary.replace(target)


def _to_database(
    connection: duckdb.DuckDBPyConnection,
    meanings: Mapping[str, Mapping[str, str]],
    temporary: Path,
    advanced: Callable[[str], None],
) -> dict[str, int]:
    """Write one file with every table, each column's meaning as its comment."""
    connection.execute(f"ATTACH {_text(str(temporary))} AS exported")
    try:
        for table, columns in meanings.items():
            advanced(table)
            select = _select(connection, table)
            connection.execute(f"CREATE TABLE exported.{table} AS {select}")
            for column, meaning in columns.items():
                words = f'COMMENT ON COLUMN exported.{table}."{column}" IS {_text(meaning)}'
                connection.execute(words)
        counts = {table: _count(connection, f"exported.{table}") for table in meanings}
    finally:
        connection.execute("DETACH exported")
    return counts


def _to_folder(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[str],
    temporary: Path,
    format: str,
    advanced: Callable[[str], None],
) -> dict[str, int]:
    """Write a folder with a file for every table."""
    temporary.mkdir()
    counts = {}
    for table in tables:
        advanced(table)
        file = _text(str(temporary / f"{table}.{format}"))
        copied = connection.execute(
            f"COPY ({_select(connection, table)}) TO {file} ({COPY[format]})"
        )
        counts[table] = copied.fetchall()[0][0]
    return counts


def _select(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    described = connection.execute(f"DESCRIBE {table}").fetchall()
    large = [name for name, kind, *_ in described if kind == "HUGEINT"]
    exact = ", ".join(f'CAST("{name}" AS {EXACT}) AS "{name}"' for name in large)
    return f"SELECT *{f' REPLACE ({exact})' if exact else ''} FROM {table}"


def _meanings(game: Game, plan: Plan, table: str) -> dict[str, str]:
    """Return what each column of a table means, with its unit."""
    if table == "points":
        kept = points_schema(game, most_seats(plan), PRESET in plan.axes)
    else:
        kept = schema(game, table)
    metadata = {field.name: field.metadata or {} for field in kept}
    units = {name: about.get(b"unit", b"").decode() for name, about in metadata.items()}
    return {
        name: f"{about[b'meaning'].decode()}{f' [{units[name]}]' if units[name] else ''}"
        for name, about in metadata.items()
        if b"meaning" in about
    }


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


def _text(words: str) -> str:
    """Return words as a text of SQL."""
    return "'" + words.replace("'", "''") + "'"
