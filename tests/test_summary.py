"""The table of points: its sums and means against plain Python, on values of any size."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import toy_game
from sweep_runs import frozen, play

from sweep import summary
from sweep.places import at
from sweep.plan import Plan
from sweep.schemas import schema, summary_metrics
from sweep.statistics import mean_of
from sweep.store import Chunk, read_manifest, write_chunk
from sweep.summary import Tally, points_table

GAME = toy_game.GAME
Row = dict[str, Any]


def moments(plan: Plan, lots: random.Random, most: int) -> list[Row]:
    """Return random sums as a block's: most keys, and squares as large as `most` makes them."""
    rows = []
    for point in plan.points:
        for turn_order, metric in [
            *((-1, column.name) for column in GAME.play_columns),
            *((order, name) for order in range(3) for name in ("won", "place")),
        ]:
            values = [lots.randrange(most) for _ in range(lots.choice((0, 1, 1, 2, 5, 40)))]
            if values:
                row = {"point": point.id, "turn_order": turn_order, "metric": metric}
                row |= {"player": lots.randrange(2), "n": len(values), "total": sum(values)}
                squares = sum(value * value for value in values)
                rows.append(row | {"squares": squares, "least": min(values), "greatest": most})
    return rows


def stored(folder: Path, plan: Plan, name: str, rows: list[Row]) -> Chunk:
    (folder / "moments").mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(rows, schema=schema(GAME, "moments"))
    ranges = {point.id: [(0, 1)] for point in plan.points}
    return write_chunk(at(folder), plan.record, name, ranges, {"moments": table})


def naive(plan: Plan, rows: list[Row]) -> dict[str, list[Any]]:
    """Return the summary columns of the table of points, a value at a time."""
    sums: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        for i, part in enumerate(("n", "total", "squares")):
            sums[row["point"], row["turn_order"], row["metric"]][i] += row[part]
    columns: dict[str, list[Any]] = defaultdict(list)
    for point in plan.points:
        for metric, _, _ in summary_metrics(GAME, 3):
            turn_order, name = (int(metric[4:]), "won") if metric[:4] == "won_" else (-1, metric)
            found = mean_of(*sums[point.id, turn_order, name])
            columns[f"{metric}_n"].append(found.n)
            columns[f"{metric}_mean"].append(found.mean if found.n else None)
            columns[f"{metric}_se"].append(found.se if found.n > 1 else None)
    return columns


@pytest.mark.parametrize("most", [2, 1000, 2**31, 2**40])
def test_means_agree_with_plain_python_to_the_last_digit(
    write_grid: Callable[..., Path], tmp_path: Path, most: int
) -> None:
    plan = frozen(write_grid())
    lots = random.Random(most)
    parts = [moments(plan, lots, most) for _ in range(3)]
    chunks = [stored(tmp_path, plan, f"plays-{i}", part) for i, part in enumerate(parts)]
    table = points_table(GAME, plan, summary.point_sums(at(tmp_path), GAME, plan, chunks))
    for name, values in naive(plan, [row for part in parts for row in part]).items():
        assert table[name].to_pylist() == values, name


def test_sums_follow_the_chunks_that_count_and_read_each_once(
    write_grid: Callable[..., Path], tmp_path: Path
) -> None:
    plan = frozen(write_grid())
    lots = random.Random(1)
    parts = [moments(plan, lots, 50) for _ in range(3)]
    chunks = [stored(tmp_path, plan, f"plays-{i}", part) for i, part in enumerate(parts)]
    tally = Tally(at(tmp_path), GAME, plan)
    tally.sums(chunks[:2])
    (tmp_path / "moments" / "plays-1.arrow").unlink()
    later = points_table(GAME, plan, tally.sums(chunks[1:]))
    for name, values in naive(plan, parts[1] + parts[2]).items():
        assert later[name].to_pylist() == values, name


def test_each_row_shows_its_points_options(write_grid: Callable[..., Path], tmp_path: Path) -> None:
    result, _, folder = play(write_grid(), tmp_path / "results")
    plan = frozen(write_grid())
    table = points_table(GAME, plan, result.sums)
    for point, row in zip(plan.points, table.to_pylist(), strict=True):
        options = plan.resolved(point)
        assert {o.name: row[o.name] for o in GAME.options} == {
            o.name: o.shown(options[o.name]) for o in GAME.options
        }
    again = summary.point_sums(at(folder), GAME, plan, read_manifest(at(folder)))
    assert points_table(GAME, plan, again) == table
