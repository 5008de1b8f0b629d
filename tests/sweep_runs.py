"""Runs of the toy game's sweeps in this process, for several test files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from sweep import runner
from sweep.backends import Threads
from sweep.grid import read_grid
from sweep.listener import Listener
from sweep.places import at
from sweep.plan import Block, Plan, make_plan
from sweep.queries import connect


class Remembering(Listener):
    """Remembers what a run tells."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.plays = 0
        self.begun_plays = 0

    def begun(self, block: Block) -> None:
        self.begun_plays += block.plays

    def advanced(self, plays: int) -> None:
        self.plays += plays

    def noted(self, sentence: str) -> None:
        self.notes.append(sentence)


def frozen(path: Path, **changes: Any) -> Plan:
    plan, _ = make_plan(read_grid(path))
    return replace(plan, **{"exponent": 5, **changes})


def play(
    path: Path, results: Path | str, workers: int = 2, backend: Any = None, **changes: Any
) -> tuple[runner.Result, Listener, Path]:
    """Run a grid in this process; return the result, what was told, and the sweep's folder."""
    game = read_grid(path).game
    plan = frozen(path, **changes)
    listener = Remembering()
    make = backend or (lambda job: Threads(job, workers))
    folder = Path(results) / plan.name
    return runner.run(plan, game, at(results) / plan.name, make, listener), listener, folder


def rows(results: Path | str, view: str = "plays") -> pa.Table:
    """Return a view's rows in one order."""
    return connect(results).sql(f"SELECT * FROM {view} ORDER BY ALL").to_arrow_table()
