"""The picture of the board: what the dashboard draws."""

from __future__ import annotations

from typing import Any

from dojo_core.game import Setup
from dojo_core.micro_dojo.layout import SIDE, Space

# What a space is chiefly for, and a colour that colour-blind people can tell from the others.
_KINDS = {
    "actions": ("Actions", "#dda6c4"),
    "build": ("Build", "#8fd1b9"),
    "both": ("Gold and food", "#f4efe2"),
    "gold": ("Gold", "#f3e48c"),
    "food": ("Food", "#8cc8ee"),
    "nothing": ("Nothing", "#d3d3d3"),
}


def board_picture(setup: Setup) -> dict[str, Any]:
    """Return the board as `dojo_core.game.Game.board` describes it."""
    spaces = setup.tables.spaces
    codes = [space_code(space) for space in spaces]
    return {
        "rows": SIDE,
        "columns": SIDE,
        "codes": codes,
        "walls": [[0, 0, 0, SIDE], [0, 0, SIDE, 0], [SIDE, 0, SIDE, SIDE], [0, SIDE, SIDE, SIDE]],
        "colors": {space_code(space): list(_kind(space)) for space in spaces},
    }


def space_code(space: Space) -> str:
    """Return a short text for a space: ``2G``, ``1G/1F B``, ``2A``."""
    resources = [f"{amount}{letter}" for amount, letter in ((space.gold, "G"), (space.food, "F"))
                 if amount]  # fmt: skip
    parts = ["/".join(resources)] if space.either else resources
    parts += ["B"] * space.build + ([f"{space.actions}A"] if space.actions else [])
    return " ".join(parts) or "."


def _kind(space: Space) -> tuple[str, str]:
    if space.actions:
        return _KINDS["actions"]
    if space.build:
        return _KINDS["build"]
    if space.gold and space.food:
        return _KINDS["both"]
    if space.gold:
        return _KINDS["gold"]
    return _KINDS["food"] if space.food else _KINDS["nothing"]
