"""Il Labirinto del Dojo as the rest of the project sees it."""

from __future__ import annotations

from dojo_core.game import Game
from dojo_core.labirinto.columns import (
    HEADLINE,
    PLAY_COLUMNS,
    SEAT_COLUMNS,
    SQUARE_COLUMNS,
    STRATEGIES,
)
from dojo_core.labirinto.options import OPTIONS
from dojo_core.labirinto.picture import board_picture
from dojo_core.labirinto.play import play
from dojo_core.labirinto.presets import PRESETS
from dojo_core.labirinto.setup import prepare
from dojo_core.labirinto.story import describe
from dojo_core.labirinto.trace import trace

GAME = Game(
    name="labirinto",
    title="Il Labirinto del Dojo",
    options=OPTIONS,
    strategies=STRATEGIES,
    play_columns=PLAY_COLUMNS,
    seat_columns=SEAT_COLUMNS,
    square_columns=SQUARE_COLUMNS,
    headline=HEADLINE,
    prepare=prepare,
    play=play,
    trace=trace,
    describe=describe,
    board=board_picture,
    presets=PRESETS,
)
