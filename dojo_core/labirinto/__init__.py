"""Il Labirinto del Dojo: a maze, belts, fights, cards and a Final Exam for 3 to 8 players."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """Import the compiled game only when `GAME` is asked for: its board and options need not."""
    if name == "GAME":
        from dojo_core.labirinto.game import GAME

        return GAME
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
