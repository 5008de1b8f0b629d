"""Micro Dojo as the rest of the project sees it.

What stands in tables is here at once. The rules are imported when they are first called, and Numba
with them: who asks for options, columns or stories does not wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dojo_core.game import Answer, Event, Game, Out, People, Question, Setup
from dojo_core.micro_dojo import people
from dojo_core.micro_dojo.columns import (
    HEADLINE,
    PLAY_COLUMNS,
    SEAT_COLUMNS,
    SQUARE_COLUMNS,
    STRATEGIES,
)
from dojo_core.micro_dojo.options import OPTIONS
from dojo_core.micro_dojo.picture import board_picture
from dojo_core.micro_dojo.presets import PRESETS
from dojo_core.micro_dojo.story import describe


def prepare(options: Mapping[str, Any]) -> Setup:
    """Check resolved options together and pack them, see `setup.prepare`."""
    from dojo_core.micro_dojo import setup

    return setup.prepare(options)


def play(setup: Setup, seed: int, first_play: int, plays: int, out: Out) -> None:
    """Play some plays and fill `out`, see `play.play`."""
    from dojo_core.micro_dojo import play as engine

    engine.play(setup, seed, first_play, plays, out)


def trace(setup: Setup, seed: int, play: int) -> list[Event]:
    """Tell one play event by event, see `trace.trace`."""
    from dojo_core.micro_dojo import trace as teller

    return teller.trace(setup, seed, play)


def scenario(described: Mapping[str, Any], folder: Path) -> list[str]:
    """Play a conformance scenario and compare, see `scenarios.run`."""
    from dojo_core.micro_dojo import scenarios

    return scenarios.run(described)


def ask(
    setup: Setup, seed: int, play: int, seats: Sequence[int], answers: Sequence[Answer]
) -> tuple[list[Event], Question | None]:
    """Tell a play with people up to their next question, see `asking.ask`."""
    from dojo_core.micro_dojo import asking

    return asking.ask(setup, seed, play, seats, answers)


GAME = Game(
    name="micro_dojo",
    title="Micro Dojo",
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
    scenario=scenario,
    people=People(ask, people.tell, people.show, people.help_lines),
)
