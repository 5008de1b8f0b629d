"""Plays one block and turns the filled arrays into Arrow tables. The same code runs everywhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from dojo_core.game import Column, Game, Out, Setup
from sweep.plan import Block
from sweep.schemas import schema, table_names

SLICES = 16  # a block is played in so many calls, so that it can be stopped between two
EXACT = 9  # bits: classes of a histogram are single values below 2**EXACT
MAX_BLOCK_BYTES = 64 * 2**20  # of the arrays of one block, so that a worker stays small

Tables = dict[str, pa.Table]
Indices = np.ndarray[Any, Any]


class BlockStoppedError(Exception):
    """The block was given up because the sweep is being stopped."""


def play_block(game: Game, setup: Setup, seed: int, block: Block, record: str) -> Tables:
    """Play `block` and return its rows, one Arrow table for each name of `table_names`."""
    out, _ = play_plays(game, setup, seed, block)
    return tables_of(game, setup, block, out, record)


def play_plays(
    game: Game,
    setup: Setup,
    seed: int,
    block: Block,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[Out, float]:
    """Play `block`; return what the game filled in, and the seconds it took doing so.

    Args:
        game: The game.
        setup: The block's point, prepared.
        seed: The sweep's seed.
        block: The plays.
        stop: Asked now and then; when it says True the block is given up.

    Raises:
        BlockStoppedError: `stop` said so.
    """
    out = game.out(setup, block.plays)
    size = -(-block.plays // SLICES)
    began = time.perf_counter()
    for at in range(0, block.plays, size):
        if stop():
            raise BlockStoppedError
        part = Out(out.plays[at : at + size], out.seats[at : at + size], out.squares)
        game.play(setup, seed, block.first + at, len(part.plays), part)
    return out, time.perf_counter() - began


def tables_of(game: Game, setup: Setup, block: Block, out: Out, record: str) -> Tables:
    """Return what was played as rows, one Arrow table for each name of `table_names`.

    Args:
        game: The game.
        setup: The block's point, prepared.
        block: The plays.
        out: What the game filled in.
        record: ``plays`` or ``summary``.
    """
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "plays": lambda: _plays(game, block, out),
        "seats": lambda: _seats(game, block, out),
        "squares": lambda: _squares(game, setup, out),
        "moments": lambda: _moments(game, out),
        "histograms": lambda: _histograms(game, out),
    }
    return {table: _table(game, table, block, makers[table]()) for table in table_names(record)}


def bytes_per_play(game: Game, setup: Setup) -> int:
    """Return the bytes that one play's rows take in memory."""
    out = game.out(setup, 1)
    return int(out.plays.nbytes + out.seats.nbytes)


def merge_tables(game: Game, table: str, parts: list[pa.Table]) -> pa.Table:
    """Return the rows of `parts`, whose texts may be coded, as one table: tallies added up."""
    rows = pa.concat_tables(parts)
    keys = {
        "squares": ["point", "square", "row", "col"],
        "moments": ["point", "turn_order", "player", "metric"],
        "histograms": ["point", "metric", "low", "high"],
    }.get(table)
    if keys is None:
        return rows
    rows = rows.cast(schema(game, table))
    extremes: dict[str, Any] = {"least": "min", "greatest": "max"} if table == "moments" else {}
    how = {name: extremes.get(name, "sum") for name in rows.column_names if name not in keys}
    grouped = rows.group_by(keys).aggregate(list(how.items()))
    renamed = {f"{name}_{function}": name for name, function in how.items()}
    grouped = grouped.rename_columns([renamed.get(name, name) for name in grouped.column_names])
    kept = schema(game, table)
    return grouped.select(kept.names).cast(kept).sort_by([(k, "ascending") for k in keys])


def _table(game: Game, table: str, block: Block, columns: dict[str, Any]) -> pa.Table:
    kept = schema(game, table)
    rows = len(next(iter(columns.values())))
    columns = {"point": pa.repeat(pa.scalar(block.point), rows), **columns}
    return pa.table([pa.array(columns[f.name], f.type) for f in kept], schema=kept)


def _fields(columns: tuple[Column, ...], rows: np.ndarray[Any, Any]) -> dict[str, Any]:
    return {c.name: np.ascontiguousarray(rows[c.name]).reshape(-1) for c in columns}


def _indices(block: Block) -> np.ndarray[Any, Any]:
    return np.arange(block.first, block.end, dtype=np.int64)


def _plays(game: Game, block: Block, out: Out) -> dict[str, Any]:
    return {"play": _indices(block), **_fields(game.play_columns, out.plays)}


def _seats(game: Game, block: Block, out: Out) -> dict[str, Any]:
    seats = out.seats.shape[1]
    return {
        "play": np.repeat(_indices(block), seats),
        "seat": np.tile(np.arange(seats, dtype=np.uint8), block.plays),
        **_fields(game.seat_columns, out.seats),
    }


def _squares(game: Game, setup: Setup, out: Out) -> dict[str, Any]:
    square = np.arange(setup.squares, dtype=np.int32)
    width = max(1, setup.width)
    return {
        "square": square,
        "row": (square // width).astype(np.int16),
        "col": (square % width).astype(np.int16),
        **_fields(game.square_columns, out.squares),
    }


def _moments(game: Game, out: Out) -> dict[str, Any]:
    """Return exact sums: of each play column, and of each seat column by turn order and player."""
    every = _grouped(np.zeros(len(out.plays), np.int64))
    rows = [
        (-1, -1, column.name, *sums)
        for column in game.play_columns
        for _, sums in _sums(out.plays[column.name], every)
    ]
    seats = out.seats.reshape(-1)
    groups = _grouped(seats["turn_order"].astype(np.int64) << 16 | seats["player"].astype(np.int64))
    for column in game.seat_columns:
        if column.name not in ("turn_order", "player"):
            for key, sums in _sums(seats[column.name], groups):
                rows.append((key >> 16, key & 0xFFFF, column.name, *sums))
    names = ("turn_order", "player", "metric", "n", "total", "squares", "least", "greatest")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


class _Groups(NamedTuple):
    """Rows put in the order of their groups: that order, each group's key, first row and length."""

    order: Indices
    keys: Indices
    starts: Indices
    counts: Indices


def _grouped(group: Indices) -> _Groups:
    order = np.argsort(group, kind="stable")
    found = np.unique(group[order], return_index=True, return_counts=True)
    return _Groups(order, *found)


def _sums(
    values: np.ndarray[Any, Any], groups: _Groups
) -> Iterator[tuple[int, tuple[int, int, int, int, int]]]:
    """Yield (group, (n, sum, sum of squares, least, greatest)), all exact.

    Squares are summed from the two halves of each value, so that 64 bits never overflow.
    """
    order, keys, starts, counts = groups
    ordered = values[order].astype(np.int64)
    high, low = ordered >> 16, ordered & 0xFFFF
    add = np.add.reduceat
    totals = add(ordered, starts)
    square_parts = (add(high * high, starts), add(high * low, starts), add(low * low, starts))
    least, greatest = np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
    for i, key in enumerate(keys):
        top, middle, bottom = (int(part[i]) for part in square_parts)
        squares = (top << 32) + (middle << 17) + bottom
        yield int(key), (int(counts[i]), int(totals[i]), squares, int(least[i]), int(greatest[i]))


def _histograms(game: Game, out: Out) -> dict[str, Any]:
    metrics: list[str] = []
    lows, highs, counts = [], [], []
    for column in game.play_columns:
        low, high = classes(out.plays[column.name].astype(np.int64))
        edges, first, count = np.unique(low, return_index=True, return_counts=True)
        metrics += [column.name] * len(edges)
        lows.append(edges)
        highs.append(high[first])
        counts.append(count)
    return {
        "metric": metrics,
        "low": np.concatenate(lows),
        "high": np.concatenate(highs),
        "n": np.concatenate(counts),
    }


def classes(values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the least and the greatest value of the class that each of `values` falls in.

    A class keeps a value's nine leading bits: the bounds depend on nothing else, so counts of
    different blocks merge exactly.
    """
    bits = np.frexp(values.astype(np.float64))[1]
    shift = np.where(values < 0, 0, np.maximum(0, bits - EXACT)).astype(np.int64)
    low = values >> shift << shift
    return low, low + (np.int64(1) << shift) - 1


def column_bytes(column: pa.ChunkedArray[Any]) -> Iterator[bytes]:
    """Yield the uncompressed content of a column without nulls, however it is cut into chunks.

    Texts are told once, in the order in which they first come, coded or not.
    """
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        parts: list[Any] = column.unify_dictionaries().chunks
        texts = parts[0].dictionary.to_pylist() if parts else []
        codes = np.concatenate([np.zeros(0, np.int32), *(part.indices for part in parts)])
        runs = codes[np.flatnonzero(np.diff(codes, prepend=-1))]
        order = list(dict.fromkeys(runs.tolist()))
        rank = np.zeros(len(texts), np.int32)
        rank[order] = np.arange(len(order))
        yield "\n".join(texts[code] for code in order).encode()
        yield rank[codes].tobytes()
    elif pa.types.is_decimal(column.type):
        yield "\n".join(map(str, column.to_pylist())).encode()
    else:
        for chunk in column.chunks:
            yield chunk.to_numpy(zero_copy_only=False).tobytes()
