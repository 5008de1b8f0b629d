"""How fast the engine plays, on one core of this machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dojo_core.errors import DojoError
from dojo_core.game import Event, Game, Setup
from dojo_core.kernel import engine_hash

# What counts as a decision: a step of a walk, or another choice among two or more options.
_DECISION_PLAYS = 20


def measure(
    game: Game, player: str, players: int, seconds: float, options: dict[str, Any]
) -> dict[str, Any]:
    """Measure how fast one kind of player plays.

    Args:
        game: The game.
        player: Who decides at every seat.
        players: How many sit at the table.
        seconds: For how long to play, at least.
        options: Other options, by name.

    Returns:
        ``plays``, ``turns``, ``seconds`` as counted, and per second of it ``plays_per_second``,
        ``turns_per_second``, ``decisions_per_second`` (turns times the decisions a turn of
        ``decision_plays`` told plays), and ``ns_per_turn``.
    """
    setup = game.prepare(game.resolve({**options, "player": player, "players": players}))
    played, turns, spent, batch = 0, 0, 0.0, 1
    while spent < seconds:
        out = game.out(setup, batch)
        began = time.perf_counter()
        game.play(setup, 1, played, batch, out)
        took = time.perf_counter() - began
        # The first play warms caches up and is not counted.
        if played:
            turns += int(out.plays["turns"].sum())
            spent += took
        played += batch
        batch = max(1, min(4 * batch, int(batch * seconds / 8 / max(took, 1e-6))))
    a_turn = decisions_per_turn(game, setup)
    return {
        "player": player,
        "players": players,
        "plays": played - 1,
        "turns": turns,
        "seconds": spent,
        "plays_per_second": (played - 1) / spent,
        "turns_per_second": turns / spent,
        "ns_per_turn": spent / turns * 1e9,
        "decisions_per_second": turns * a_turn / spent,
        "decision_plays": _DECISION_PLAYS,
    }


def decisions_per_turn(game: Game, setup: Setup) -> float:
    """Return the decisions a turn, over a few told plays."""
    told = [game.trace(setup, 1, play) for play in range(_DECISION_PLAYS)]
    turns = sum(int(events[-1]["turns"]) for events in told)
    return sum(is_decision(event) for events in told for event in events) / turns


def is_decision(event: Event) -> bool:
    """Tell whether an event is a step, or a choice among two or more options."""
    if event["event"] == "choice":
        return len(event["options"]) > 1
    return bool(event["event"] == "step")


def compile_seconds(game: str) -> float:
    """Return the seconds a new process takes to compile the game and play once, from nothing."""
    program = (
        "import time; began = time.perf_counter()\n"
        "from dojo_core import games\n"
        f"game = games.load({game!r}); setup = game.prepare(game.resolve({{}}))\n"
        "game.play(setup, 1, 0, 1, game.out(setup, 1))\n"
        "print(time.perf_counter() - began)"
    )
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "DOJO_CACHE": cache},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout)


def keep(file: Path, result: dict[str, Any]) -> None:
    """Append a result to a file of JSON lines, with when it was measured and on what.

    Raises:
        DojoError: When the file cannot be written.
    """
    context = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "engine": engine_hash(result["game"]),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    try:
        with file.open("a") as lines:
            lines.write(json.dumps({**context, **result}) + "\n")
    except OSError as error:
        raise DojoError(
            f"--keep {file}: cannot be written ({error.strerror}); name another file", 3
        ) from error


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Render measurements as lines of text."""
    yield "player     players   plays/s     turns/s  ns/turn  decisions/s"
    for row in rows:
        yield (
            f"{row['player']:10} {row['players']:7} {row['plays_per_second']:9,.0f}"
            f" {row['turns_per_second']:11,.0f} {row['ns_per_turn']:8,.0f}"
            f" {row['decisions_per_second']:12,.0f}"
        )
