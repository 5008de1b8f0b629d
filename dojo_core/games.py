"""The registry of games: one line a game. A game's modules are imported when it is asked for."""

from __future__ import annotations

import importlib

from dojo_core.errors import DojoError, nearest
from dojo_core.game import Game

# Name in a grid file -> the module whose GAME meets `dojo_core.game.Game`.
GAMES = {
    "labirinto": "dojo_core.labirinto",
    "micro_dojo": "dojo_core.micro_dojo",
}


def load(name: str) -> Game:
    """Return the game called `name`, or raise a `DojoError` that names the nearest one."""
    if name not in GAMES:
        raise DojoError(
            f"there is no game {name!r}{nearest(name, GAMES)}; the games are {', '.join(GAMES)}"
        )
    game: Game = importlib.import_module(GAMES[name]).GAME
    return game
