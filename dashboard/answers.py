"""Answers to queries that somebody typed: read-only, bounded, and ready to be taken away."""

from __future__ import annotations

import io
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from pyarrow import parquet

# A page holds no more; `dojo-sweep sql` writes answers of any size.
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Answer:
    """What a query gave when it was run; it is kept while a running sweep goes on.

    Attributes:
        sweep: The key of the sweep that was asked.
        query: The query.
        table: The answer, if there is one.
        mistake: Else what is wrong, in one sentence.
    """

    sweep: str
    query: str
    table: pa.Table | None
    mistake: str = ""


def ask(con: duckdb.DuckDBPyConnection, query: str) -> pa.Table:
    """Return the answer to one query that reads, its first `MOST_ROWS` rows.

    Raises:
        duckdb.Error: It is not one SELECT, or DuckDB refuses it.
    """
    statements = con.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise duckdb.InvalidInputException("expected one query that begins with SELECT or WITH")
    table: pa.Table = con.sql(statements[0].query).limit(MOST_ROWS).to_arrow_table()
    return table


def one_sentence(error: duckdb.Error) -> str:
    """Return DuckDB's message without the query that it repeats."""
    text = str(error).split("\n\nLINE ")[0]
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def to_csv(table: pa.Table) -> bytes:
    """Return a table as CSV; lists and records are written as they are shown."""
    text: str = table.to_pandas().to_csv(index=False)
    return text.encode()


def to_parquet(table: pa.Table) -> bytes:
    """Return a table as a Parquet file."""
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()
