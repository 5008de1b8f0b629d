"""One Arrow schema a table, made from the game's column tables. Nothing else defines a schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dojo_core.errors import DojoError
from dojo_core.game import Column, Game
from dojo_core.options import Option

MEASURE_SUFFIXES = ("_mean", "_se", "_n")
_TYPE = b"type"  # in a stored field's metadata: the type it has in its table, if that is wider

_CODED = pa.dictionary(pa.int32(), pa.string())

_FAILURE: dict[str, pa.DataType] = {
    "point": pa.string(),
    "first": pa.int64(),
    "plays": pa.int64(),
    "error": pa.string(),
    "traceback": pa.string(),
    "command": pa.string(),
}
FAILURE_SCHEMA = pa.schema(_FAILURE)

_POINT = Column("point", "", "The point of the grid: a key of the table of points.")
_PLAY = Column("play", "i8", "The index of the play: the same index meets the same dice.")
_SEAT = Column("seat", "u1", "The place at the table, from 0, clockwise.", "seat")
_SQUARE = Column("square", "i4", "The square, counted row by row from 0 at the top left.")
_ROW = Column("row", "i2", "The square's row, from 0 at the top.")
_COL = Column("col", "i2", "The square's column, from 0 at the left (`column` is a word of SQL).")

_SUMS = (
    Column("turn_order", "i1", "The turn order of the seats added up; -1 for whole plays."),
    Column("player", "i2", "The code of the seats' player; -1 for whole plays."),
    Column("metric", "", "The column of `plays` or `seats` that is added up."),
    Column("n", "i8", "How many values.", "values"),
    Column("total", "i8", "Their sum."),
    Column("squares", "decimal", "The sum of their squares, exact."),
    Column("least", "i8", "The least of them."),
    Column("greatest", "i8", "The greatest of them."),
)
_HISTOGRAM = (
    Column("metric", "", "The column of `plays` that is counted."),
    Column("low", "i8", "The least value of the class."),
    Column("high", "i8", "The greatest value of the class (exact up to 511, then within 1/256)."),
    Column("n", "i8", "Plays in the class.", "plays"),
)


def table_names(record: str) -> tuple[str, ...]:
    """Return the tables kept with ``record = "plays"`` or ``"summary"``, the first one last read.

    Every block is written to all of them. `moments` is always kept: the table of points is made
    from it.
    """
    if record == "plays":
        return ("moments", "squares", "seats", "plays")
    return ("moments", "squares", "histograms")


def schema(game: Game, table: str) -> pa.Schema:
    """Return the schema of `table`; each field's metadata carries its meaning, unit and labels."""
    own: dict[str, tuple[Column, ...]] = {
        "plays": (_POINT, _PLAY, *game.play_columns),
        "seats": (_POINT, _PLAY, _SEAT, *game.seat_columns),
        "squares": (_POINT, _SQUARE, _ROW, _COL, *game.square_columns),
        "moments": (_POINT, *_SUMS),
        "histograms": (_POINT, *_HISTOGRAM),
    }
    return pa.schema([_field(column) for column in own[table]])


def coded(kept: pa.Schema) -> pa.Schema:
    """Return the schema of `kept` in which files are read: a text stands once, rows refer to it.

    Files are several times smaller so, and DuckDB compares texts once instead of once a row.
    """
    return _retyped(kept, map(_coded_type, kept))


def narrowed(rows: pa.Table) -> pa.Table:
    """Return rows as a file holds them: texts coded, whole numbers as narrow as their values are.

    A type is wide enough for the longest play there can be; in a file mostly all its upper bytes
    are zero, which compressed still take half as much again as the values themselves. The type in
    the table stands in the field's metadata, for `plain`.
    """
    kinds = map(_narrowest, rows.columns)
    return rows.cast(_retyped(plain(rows.schema), kinds, told=True), safe=False)


def put_together(parts: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of tables that files hold as one, again as a file holds them.

    Only columns that are not equally wide in all of them are widened for it.
    """
    own = plain(parts[0].schema)
    widths = zip(coded(own).types, *(part.schema.types for part in parts), strict=True)
    common = [kinds[0] if len({*kinds}) == 1 else kind for kind, *kinds in widths]
    wanted = _retyped(own, common, told=True)
    same = (part if part.schema.types == common else part.cast(wanted) for part in parts)
    return narrowed(pa.concat_tables(same))


def plain(stored: pa.Schema) -> pa.Schema:
    """Return the schema that a file's rows have in memory, the inverse of `narrowed`."""
    return _retyped(stored, map(_plain_type, stored))


def points_schema(game: Game, seats: int, presets: bool = False) -> pa.Schema:
    """Return the schema of the table of points: its number, its options, its summary.

    Args:
        game: The game.
        seats: The most seats of any point: there is a win share for each turn order below it.
        presets: Whether each point belongs to a preset, which then has a column.
    """
    keys = [
        _POINT,
        Column("number", "i4", "The point's number in the plan, from 1."),
        *([Column("preset", "", "The preset the point belongs to.")] if presets else []),
    ]
    summary = [
        Column("plays_n", "i8", "Plays stored.", "plays"),
        Column("unfinished_n", "i8", "Plays of them that ended unfinished.", "plays"),
    ]
    fields = [_field(column) for column in keys]
    fields += [_option_field(option) for option in game.options]
    fields += [_field(column) for column in summary]
    for metric, meaning, unit in summary_metrics(game, seats):
        fields += [
            _described(f"{metric}_mean", pa.float64(), f"Mean: {meaning}", unit),
            _described(f"{metric}_se", pa.float64(), "Standard error of that mean.", unit),
            _described(f"{metric}_n", pa.int64(), "Plays behind that mean.", "plays"),
        ]
    names = [field.name for field in fields]
    clashes = sorted({name for name in names if names.count(name) > 1})
    if clashes:
        raise DojoError(f"the game {game.name} uses the reserved name {clashes[0]!r}")
    return pa.schema(fields)


def summary_metrics(game: Game, seats: int) -> list[tuple[str, str, str]]:
    """Return name, meaning and unit of every metric the table of points summarises."""
    shares = [
        (f"won_{order}", f"1 when the player of turn order {order} won (0 when nobody did).", "")
        for order in range(seats)
    ]
    return [*((c.name, c.meaning, c.unit) for c in measures(game.play_columns)), *shares]


def measures(columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose mean says something: amounts and the flag ``finished``."""
    return [c for c in columns if c.name == "finished" or (c.unit and c.name != "winner")]


def option_type(option: Option) -> pa.DataType:
    """Return the Arrow type in which an option's value is shown."""
    if option.kind == "integer":
        return pa.int64()
    return pa.bool_() if option.kind == "switch" else pa.string()


def _retyped(kept: pa.Schema, types: Iterable[pa.DataType], told: bool = False) -> pa.Schema:
    """Return the schema with other types; if `told`, its fields' metadata keep the types before."""
    fields = []
    for field, kind in zip(kept, types, strict=True):
        if kind != field.type:
            metadata: dict[Any, Any] = {**(field.metadata or {})}
            metadata.pop(_TYPE, None)
            if told and not pa.types.is_dictionary(kind):
                metadata[_TYPE] = str(field.type)
            field = field.with_type(kind).with_metadata(metadata)
        fields.append(field)
    return pa.schema(fields).with_metadata(kept.metadata)


def _coded_type(field: pa.Field[Any]) -> pa.DataType:
    return _CODED if pa.types.is_string(field.type) else field.type


def _plain_type(field: pa.Field[Any]) -> pa.DataType:
    if pa.types.is_dictionary(field.type):
        return field.type.value_type
    told = (field.metadata or {}).get(_TYPE)
    return pa.from_numpy_dtype(np.dtype(told.decode())) if told else field.type


def _narrowest(column: pa.ChunkedArray[Any]) -> pa.DataType:
    """Return the narrowest type for the values of a column of whole numbers; texts are coded."""
    if pa.types.is_string(column.type):
        return _CODED
    if not pa.types.is_integer(column.type) or not len(column):
        return column.type
    least, greatest = (value.as_py() for value in pc.min_max(column).values())
    # A signed type that holds the greatest value also holds -1 minus it.
    return pa.from_numpy_dtype(
        np.min_scalar_type(greatest if least >= 0 else min(least, -1 - greatest))
    )


def _field(column: Column) -> pa.Field[Any]:
    if column.dtype == "":
        kind: pa.DataType = pa.string()
    elif column.dtype == "decimal":
        kind = pa.decimal128(38, 0)
    else:
        kind = pa.from_numpy_dtype(np.dtype(column.dtype))
    return _described(column.name, kind, column.meaning, column.unit, ",".join(column.labels))


def _option_field(option: Option) -> pa.Field[Any]:
    return _described(option.name, option_type(option), option.help, option.unit)


def _described(
    name: str, kind: pa.DataType, meaning: str, unit: str = "", labels: str = ""
) -> pa.Field[Any]:
    metadata = {"meaning": meaning, "unit": unit, "labels": labels}
    return pa.field(name, kind, metadata={k: v for k, v in metadata.items() if v})
