"""A sweep full of pretended plays, for measuring queries: played once, then repeated.

A real play's rows come back under many numbers, so that columns are as varied, and files as large,
as those of a sweep that took hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dojo_core.game import Game, Out
from sweep.blocks import Tables, merge_tables, play_plays, tables_of
from sweep.places import Place
from sweep.plan import Block, Plan, Ranges, joined
from sweep.schemas import table_names
from sweep.store import TARGET_ROWS, Store, write_chunk
from sweep.summary import point_sums, write_points

PLAYED = 1 << 15  # plays of a point that are really played, at most


def pretend(plan: Plan, game: Game, folder: Place, plays: int) -> Plan:
    """Fill a sweep's folder with so many plays in all; return the plan that they amount to.

    Args:
        plan: The plan whose points they are of.
        game: Its game.
        folder: The sweep's folder, which holds nothing yet.
        plays: How many, the same number at each point.

    Raises:
        DojoError: The folder cannot be written.
    """
    each = max(1, plays // len(plan.points))
    plan = replace(plan, points=tuple(point._replace(plays=each) for point in plan.points))
    store = Store(folder.absolute(), game, plan)
    with store.open():
        store.write_plan()
        for number, (ranges, tables) in enumerate(_merged(plan, game)):
            name = f"{plan.record}-pretended-{number}"
            store.add(write_chunk(store.folder, plan.record, name, ranges, tables))
        store.save()
        sums = point_sums(store.folder, game, plan, store.counted())
        write_points(store.folder, game, plan, sums)
    return plan


def _merged(plan: Plan, game: Game) -> Iterator[tuple[dict[str, Ranges], Tables]]:
    """Yield what each file holds: about as many rows as files have once merged."""
    waiting: list[tuple[Block, Tables]] = []
    rows = 0
    for block, tables in _repeated(plan, game):
        waiting.append((block, tables))
        rows += max(table.num_rows for table in tables.values())
        if rows >= TARGET_ROWS:
            yield _put_together(plan, game, waiting)
            waiting, rows = [], 0
    if waiting:
        yield _put_together(plan, game, waiting)


def _put_together(
    plan: Plan, game: Game, parts: list[tuple[Block, Tables]]
) -> tuple[dict[str, Ranges], Tables]:
    ranges: dict[str, Ranges] = {}
    for block, _ in parts:
        ranges[block.point] = joined([*ranges.get(block.point, []), (block.first, block.end)])
    tables = {
        table: merge_tables(game, table, [tables[table] for _, tables in parts])
        for table in table_names(plan.record)
    }
    return ranges, tables


def _repeated(plan: Plan, game: Game) -> Iterator[tuple[Block, Tables]]:
    """Yield blocks of each point, none larger than a file, that repeat its first plays."""
    for point in plan.points:
        setup = plan.setup(game, point)
        largest = min(point.plays, TARGET_ROWS // setup.seats)
        played = Block(point.id, 0, min(point.plays, PLAYED))
        out, _ = play_plays(game, setup, plan.seed, played)
        plays = np.resize(out.plays, largest)
        seats = np.resize(out.seats, (largest, setup.seats))
        for first in range(0, point.plays, largest):
            block = Block(point.id, first, min(largest, point.plays - first))
            part = Out(plays[: block.plays], seats[: block.plays], out.squares)
            yield block, tables_of(game, setup, block, part, plan.record)
