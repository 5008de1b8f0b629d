"""Answers: the sweeps of a results folder, and a DuckDB connection with their tables as views."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
from pyarrow import ipc

from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.game import Column, Game
from sweep.places import Place, at, side_by_side
from sweep.plan import Plan, plays_stored
from sweep.schemas import FAILURE_SCHEMA, coded, schema
from sweep.status import sweep_folder, sweep_folders
from sweep.store import (
    FAILURES,
    MANIFEST,
    BrokenFileError,
    Chunk,
    counted,
    covered,
    file_name,
    read_checked,
    read_manifest,
    read_plan,
)
from sweep.summary import POINTS, PointSums, points_table

if TYPE_CHECKING:
    import duckdb
    import pyarrow.dataset as ds

SWEEPS_KEPT = 256  # whose plans and manifests are not read again while they stay the same
MERGES_MET = 5  # while one connection is made, at most

# Parts of DuckDB's optimizer that go by a table's values, which it does not know of Arrow sources:
# it would join seats with points before plays, and filter 40 million rows in Arrow by the points of
# a join. Without them tables are joined in the order in which they are written.
MISLED = "join_order,join_filter_pushdown"

State = Literal["running", "done", "stopped"]


@dataclass(frozen=True)
class SweepInfo:
    """A sweep found in a results folder.

    Attributes:
        name: The sweep's name, and its folder's.
        game: The game's name, for `dojo_core.games.load`.
        title: The game's title.
        created: When its plan was last run, in seconds since 1970.
        points: Points of its current plan.
        plays_planned: Plays of all points together.
        plays_done: Plays of them that are stored.
        state: ``running`` while a process works on it, ``done``, or ``stopped`` before its end.
        axes: The options that vary, in the grid's order.
        record: ``plays`` or ``summary`` (then the views of plays and seats are empty).
        token: Changes whenever the stored rows change.
    """

    name: str
    game: str
    title: str
    created: float
    points: int
    plays_planned: int
    plays_done: int
    state: State
    axes: tuple[str, ...]
    record: str
    token: str


def sweeps(results: str | Path | Place = "results") -> list[SweepInfo]:
    """Return the sweeps of a results folder, the newest first. A folder without any gives [].

    A sweep whose plan cannot be read is left out, so that it does not hide the others; `connect`
    by its name says what is wrong with it.
    """
    found = [info for info in side_by_side(_readable, sweep_folders(at(results))) if info]
    return sorted(found, key=lambda info: (-info.created, info.name))


def connect(
    results: str | Path = "results", name: str | Sequence[str] | None = None
) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection with the views plays, seats, squares and points.

    They show what is stored of the current plan's points, also while the sweep runs; connect again
    to see what has come since. ``point`` joins them. A column that holds a code, such as a seat's
    ``player``, stays a number, and has the word beside it in ``player_name``.
    ``failures`` lists the blocks that raised, with the traceback and the command that repeats each.
    With ``record = "summary"`` the views plays and seats are empty, and ``moments`` and
    ``histograms`` hold the exact sums and counts that were kept instead.
    ``con.cursor()`` sees the same views from another thread.

    Args:
        results: The results folder.
        name: A sweep; several sweeps, or ``"all"``: then every view has a column ``sweep``;
            None: the newest one.

    Raises:
        DojoError: There is no such sweep, or a stored file is broken.
    """
    import duckdb  # which listing the sweeps needs not

    folders = _folders(at(results), name)
    several = name == "all" or not (name is None or isinstance(name, str))
    connection = duckdb.connect()
    connection.execute(f"SET GLOBAL disabled_optimizers = '{MISLED}'")
    selects: dict[str, list[str]] = {}
    for number, folder in enumerate(folders):
        for view, select in _registered(connection, folder, number).items():
            label = "'" + folder.name.replace("'", "''") + "' AS sweep, " if several else ""
            selects.setdefault(view, []).append(f"SELECT {label}* FROM ({select})")
    for view, parts in selects.items():
        connection.execute(f"CREATE VIEW {view} AS {' UNION ALL BY NAME '.join(parts)}")
    return connection


def plan_of(results: str | Path, name: str) -> Plan:
    """Return the current plan of a sweep.

    Raises:
        DojoError: There is no such sweep, or its plan cannot be read.
    """
    return read_plan(sweep_folder(at(results), name))


def _folders(results: Place, name: str | Sequence[str] | None) -> list[Place]:
    if name is not None and name != "all":
        names = [name] if isinstance(name, str) else name
        return [sweep_folder(results, one) for one in names]
    found = [results / info.name for info in sweeps(results)]
    for unreadable in sweep_folders(results) if not found else ():
        _info(unreadable)  # raises the sentence that says why
    if not found:
        raise DojoError(
            f"there is no sweep in {str(results)!r}; play one with `dojo-sweep run grid.toml`, or"
            " name another folder with --results"
        )
    return found if name == "all" else found[:1]


def _readable(folder: Place) -> SweepInfo | None:
    """Return what is known of a sweep, or None if its plan cannot be read."""
    with contextlib.suppress(DojoError):
        return _info(folder)
    return None


def _info(folder: Place) -> SweepInfo:
    info = _info_of(folder, _token(folder))
    return replace(info, state="running") if folder.is_locked() else info


@functools.lru_cache(SWEEPS_KEPT)
def _info_of(folder: Place, token: str) -> SweepInfo:
    """Return what is known of a sweep whose files have this `token`, the lock aside."""
    plan = read_plan(folder)
    try:
        stored = covered(counted(read_manifest(folder), plan))
    except DojoError:  # `connect` tells it; the next run makes the manifest anew
        stored = {}
    done = plays_stored(plan.points, stored)
    return SweepInfo(
        name=folder.name,
        game=plan.game,
        title=games.load(plan.game).title,
        created=folder.stamps(["plan.json"])["plan.json"][1] / 1e9,
        points=len(plan.points),
        plays_planned=plan.plays_planned,
        plays_done=done,
        state="done" if done == plan.plays_planned else "stopped",
        axes=tuple(plan.axes),
        record=plan.record,
        token=token,
    )


def _token(folder: Place) -> str:
    stamps = folder.stamps(["plan.json", MANIFEST, POINTS])
    return hashlib.sha256(repr(sorted(stamps.items())).encode()).hexdigest()[:16]


def is_gone(error: Exception) -> bool:
    """Tell whether a question failed for a file that is gone: put together with others meanwhile.

    A running sweep does so. DuckDB hands on what Arrow raises, or tells it in words of its own when
    it was reading already.
    """
    return isinstance(error, FileNotFoundError) or "No such file or directory" in str(error)


# One sweep's tables


def _registered(
    connection: duckdb.DuckDBPyConnection, folder: Place, number: int
) -> dict[str, str]:
    """Return what `_register` does, also when small files are merged at this very moment."""
    for _ in range(MERGES_MET):
        before = folder.stamps([MANIFEST])
        try:
            return _register(connection, folder, number)
        except (DojoError, FileNotFoundError):
            if folder.stamps([MANIFEST]) == before:
                raise
    return _register(connection, folder, number)


def _register(connection: duckdb.DuckDBPyConnection, folder: Place, number: int) -> dict[str, str]:
    """Make one sweep's tables known to DuckDB; return a SELECT for each view."""
    plan = read_plan(folder)
    game = games.load(plan.game)
    chunks = counted(read_manifest(folder), plan)
    ids = pa.array([point.id for point in plan.points])
    strangers = {p for c in chunks for p in c.ranges}.difference(ids.to_pylist())
    only_ours = f" SEMI JOIN ids_{number} USING (point)" if strangers else ""
    _source(connection, f"ids_{number}", pa.table({"point": ids}))
    _source(connection, f"points_{number}", _points(folder, game, plan))
    selects = {"points": f"SELECT * FROM points_{number}"}
    _source(connection, f"failures_{number}", _failures(folder))
    selects["failures"] = f"SELECT * FROM failures_{number}"
    tables = ["plays", "seats", "squares", "moments"]
    for table in [*tables, "histograms"] if plan.record == "summary" else tables:
        source = f"{table}_{number}"
        here = [chunk for chunk in chunks if table in chunk.rows]
        rows = sum(chunk.rows[table] for chunk in here)
        _stored_source(connection, source, _dataset(folder, game, table, here), rows)
        selects[table] = _select(game, table, f"FROM {source}{only_ours}")
    return selects


def _source(
    connection: duckdb.DuckDBPyConnection, name: str, content: pa.Table | ds.Dataset
) -> None:
    # A view of a relation, unlike a registered object, is seen by the connection's cursors too.
    connection.from_arrow(content).create_view(name)


def _stored_source(
    connection: duckdb.DuckDBPyConnection, name: str, content: pa.Table | ds.Dataset, rows: int
) -> None:
    """Make a data set known, and how large it is.

    DuckDB takes every data set for one row, and would hash 40 million seats in order to look up
    10,000 points. A second branch, without rows but expected to have many, tells it better; the
    root keeps that branch cheap and the sizes in order.
    """
    _source(connection, f"{name}_files", content)
    connection.execute(
        f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM {name}_files UNION ALL"
        f" SELECT {', '.join('NULL' for _ in content.schema)}"
        f" FROM range({1000 * math.isqrt(rows)}) WHERE range < 0"
    )


def _select(game: Game, table: str, source: str) -> str:
    """Return the SELECT of a view: tallies of different files added up, codes put in words."""
    keys = {
        "squares": ("point", "square", "row", "col"),
        "moments": ("point", "turn_order", "player", "metric"),
        "histograms": ("point", "metric", "low", "high"),
    }.get(table)
    if keys is None:
        columns = game.play_columns if table == "plays" else game.seat_columns
        return f"SELECT *{''.join(_words(c) for c in columns if c.labels)} {source}"
    values = [f for f in schema(game, table) if f.name not in keys]
    functions = {"least": "min", "greatest": "max"}
    sums = [
        f'CAST({functions.get(f.name, "sum")}("{f.name}") AS {_sql_type(f.type)}) AS "{f.name}"'
        for f in values
    ]
    listed = ", ".join(keys)
    return f"SELECT {', '.join([listed, *sums])} {source} GROUP BY {listed}"


def _sql_type(kind: pa.DataType) -> str:
    return "HUGEINT" if pa.types.is_decimal(kind) else "BIGINT"


def _words(column: Column) -> str:
    words = ", ".join("'" + label.replace("'", "''") + "'" for label in column.labels)
    return f", [{words}][{column.name} + 1] AS {column.name}_name"


def _dataset(
    folder: Place, game: Game, table: str, chunks: Sequence[Chunk]
) -> pa.Table | ds.Dataset:
    kept = schema(game, table)
    if not chunks:
        return kept.empty_table()
    expected = {file_name(chunk.name, table): chunk.files[table] for chunk in chunks}
    stamps = folder.stamps(list(expected))
    for file, stamp in expected.items():
        if stamps.get(file) != stamp:
            _check(folder, file, kept)
    return folder.dataset(list(expected), coded(kept))


def _check(folder: Place, file: str, expected: pa.Schema) -> None:
    """Refuse a broken file with one sentence."""
    try:
        read_checked(folder, file, expected)
    except BrokenFileError as problem:
        raise DojoError(
            f"{folder.path(file)} is broken ({problem}); run the sweep again: the file is set aside"
            " and its plays are played again, nothing else is lost",
            3,
        ) from problem


def _points(folder: Place, game: Game, plan: Plan) -> pa.Table:
    """Return the stored table of points if it is the current plan's, else one without plays."""
    try:
        with folder.open(POINTS) as source:
            stored = ipc.open_file(source).read_all()
    except (OSError, pa.ArrowException):
        return points_table(game, plan, PointSums())
    if stored["point"].to_pylist() != [point.id for point in plan.points]:
        return points_table(game, plan, PointSums())
    return stored


def _failures(folder: Place) -> pa.Table:
    """Return the blocks that raised in the last run: a row each."""
    try:
        lines = folder.read(FAILURES).splitlines()
    except FileNotFoundError:
        lines = []
    rows = [json.loads(line) for line in lines]
    return pa.Table.from_pylist(rows, schema=FAILURE_SCHEMA)
