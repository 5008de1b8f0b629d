"""Plays a game for every point of a grid, stores the rows and answers questions about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sweep.queries import SweepInfo, connect, sweeps

__all__ = ["SweepInfo", "connect", "sweeps"]


def __getattr__(name: str) -> Any:
    """Import the queries, and DuckDB with them, when they are first asked for."""
    if name in __all__:
        from sweep import queries

        return getattr(queries, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
