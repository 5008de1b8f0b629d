"""`dojo-sweep sql`: questions in SQL, one or a prompt, answered on the screen or in a file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dojo_core.errors import DojoError
from sweep.commands.terminal import Name, Results, console

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from rich.console import RenderableType

ROWS_SHOWN = 100
FORMATS = ("table", "csv", "json", "parquet", "arrow")


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

    from sweep import queries

    try:
        relation = connection.sql(query)
        if relation is None:
            raise DojoError("the query returns no rows; expected a SELECT")
        answer: pa.Table = relation.to_arrow_table()
        return answer
    except duckdb.Error as error:
        if queries.is_gone(error):
            raise FileNotFoundError(str(error)) from error
        lines = [line for line in str(error).split("\n\n")[0].splitlines() if line]
        raise DojoError(f"the query cannot be answered: {' '.join(lines)}") from error


def _write(answer: pa.Table, format: str, output: Path | None) -> None:
    """Write an answer to a file or to the screen."""
    import io

    content = io.BytesIO()
    if format == "table" and output is None:
        console().print(_as_table(answer))
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
        console().print(_as_table(_answer(connection, query)))
    except DojoError as error:
        print(error, file=sys.stderr)
