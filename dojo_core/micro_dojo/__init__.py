"""Micro Dojo: four meeples on nine spaces, buildings and objectives, for two players."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """Import the game only when `GAME` is asked for."""
    if name == "GAME":
        from dojo_core.micro_dojo.game import GAME

        return GAME
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
