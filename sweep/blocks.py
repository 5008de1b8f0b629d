"""Plays one block and turns the filled arrays into Arrow tables. The same code runs everywhere."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from dojo_core.game import Column, Game, Out, Setup
from sweep.plan import Block
from sweep.schemas import coded, narrowed, put_together, schema, table_names

SLICES = 16  # a block is played in so many calls, so that it can be stopped between two
SMALL = 1 << 16  # squares of values below it, two thousand million of them, sum up in 64 bits
EXACT = 9  # bits: classes of a histogram are single values below 2**EXACT
MAX_BLOCK_BYTES = 64 * 2**20  # of the arrays of one block, so that a worker stays small

Tables = dict[str, pa.Table]
Indices = np.ndarray[Any, Any]


class BlockStoppedError(Exception):
    """The block was given up because the sweep is being stopped."""


def play_block(game: Game, setup: Setup, seed: int, block: Block, record: str) -> Tables:
    """Play `block` and return its rows, see `tables_of`."""
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

    The rows are as files hold them (`sweep.schemas.narrowed`).

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
    """Return the rows of `parts` as one table, as files hold it: tallies added up."""
    rows = put_together(parts)
    keys = {
        "squares": ["point", "square", "row", "col"],
        "moments": ["point", "turn_order", "player", "metric"],
        "histograms": ["point", "metric", "low", "high"],
    }.get(table)
    if keys is None:
        return rows
    kept = schema(game, table)
    extremes: dict[str, Any] = {"least": "min", "greatest": "max"} if table == "moments" else {}
    how = {name: extremes.get(name, "sum") for name in rows.column_names if name not in keys}
    grouped = rows.cast(kept).group_by(keys).aggregate(list(how.items()))
    renamed = {f"{name}_{function}": name for name, function in how.items()}
    grouped = grouped.rename_columns([renamed.get(name, name) for name in grouped.column_names])
    ordered = grouped.select(kept.names).cast(kept).sort_by([(k, "ascending") for k in keys])
    return narrowed(ordered)


def _table(game: Game, table: str, block: Block, columns: dict[str, Any]) -> pa.Table:
    kept = coded(schema(game, table))
    codes = np.zeros(len(next(iter(columns.values()))), np.int32)
    columns = {"point": pa.DictionaryArray.from_arrays(codes, [block.point]), **columns}
    return narrowed(pa.table([pa.array(columns[f.name], f.type) for f in kept], schema=kept))


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
    rows = [
        (-1, -1, column.name, *sums)
        for column in game.play_columns
        for sums in _sums(out.plays[column.name], np.zeros(1, np.int64))
    ]
    seats, starts = _grouped(out.seats.reshape(-1))
    groups = [(seats["turn_order"][at], seats["player"][at]) for at in starts]
    for column in game.seat_columns:
        if column.name not in ("turn_order", "player"):
            found = zip(groups, _sums(seats[column.name], starts), strict=True)
            rows += [(order, player, column.name, *sums) for (order, player), sums in found]
    names = ("turn_order", "player", "metric", "n", "total", "squares", "least", "greatest")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _grouped(seats: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], Indices]:
    """Return the seats in the order of turn order and player, and where each such group begins."""
    keys = ("turn_order", "player")
    order = np.lexsort([seats[key] for key in reversed(keys)])
    whole_rows = seats.view(f"V{seats.itemsize}")  # twenty times as quick as field by field
    ordered = whole_rows[order].view(seats.dtype)
    begins = [np.diff(ordered[key].astype(np.int64)) != 0 for key in keys]
    return ordered, np.flatnonzero(np.append(True, np.any(begins, axis=0)))


def _sums(
    column: np.ndarray[Any, Any], starts: Indices
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield (n, sum, sum of squares, least, greatest) of each group of rows, all exact."""
    values = column.astype(np.int64)
    least, greatest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    yield from zip(
        (end - first for first, end in itertools.pairwise([*starts.tolist(), len(values)])),
        np.add.reduceat(values, starts).tolist(),
        _squares_added(values, starts, small=least.min() > -SMALL and greatest.max() < SMALL),
        least.tolist(),
        greatest.tolist(),
        strict=True,
    )


def _squares_added(values: Indices, starts: Indices, small: bool) -> list[int]:
    """Return each group's sum of squares; of values that are not small, from their two halves.

    So it is exact for values below 2**37, of as many rows as a block has.
    """
    add = np.add.reduceat
    if small:
        return add(values * values, starts).tolist()
    high, low = values >> 16, values & 0xFFFF
    parts = (add(high * high, starts), add(high * low, starts), add(low * low, starts))
    return [(t << 32) + (m << 17) + b for t, m, b in zip(*(p.tolist() for p in parts), strict=True)]


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


def column_bytes(column: pa.ChunkedArray[Any]) -> Iterator[bytes | memoryview]:
    """Yield the uncompressed content of a column without nulls, however it is cut into chunks.

    Of texts, coded or not, it is those that differ from the one before, and where they begin.
    """
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        parts: list[Any] = column.unify_dictionaries().chunks
        texts = parts[0].dictionary.to_pylist() if parts else []
        codes = np.concatenate([np.full(1, -1, np.int32), *(part.indices for part in parts)])
        begins = np.flatnonzero(codes[1:] != codes[:-1])
        yield "\n".join(texts[code] for code in codes[begins + 1].tolist()).encode()
        yield begins.data
    elif pa.types.is_decimal(column.type):
        yield "\n".join(map(str, column.to_pylist())).encode()
    else:
        for chunk in column.chunks:
            yield chunk.to_numpy(zero_copy_only=False).data
