"""Plays with people: told up to the decision that waits for one of them."""

from __future__ import annotations

from collections.abc import Sequence

from dojo_core.errors import DojoError
from dojo_core.game import Answer, Event, Question, Setup
from dojo_core.labirinto.columns import PLAYER_LABELS
from dojo_core.labirinto.tables import MOST_ANSWERS
from dojo_core.labirinto.trace import KINDS_OF_CHOICE, answer_code, tell
from dojo_core.options import CUSTOM
from dojo_core.playing import name_people


def ask(
    setup: Setup, seed: int, play: int, seats: Sequence[int], answers: Sequence[Answer]
) -> tuple[list[Event], Question | None]:
    """Tell a play in which people sit on `seats`, see `dojo_core.game.People`."""
    if len(answers) > MOST_ANSWERS:
        raise DojoError(f"a play takes at most {MOST_ANSWERS} answers of people")
    laid = setup.tables.table.copy()
    table = laid[0]
    for seat in seats:
        table.given |= 1 << seat
        table.player[seat] = PLAYER_LABELS.index(CUSTOM)
    for k, answer in enumerate(answers):
        code = KINDS_OF_CHOICE.index(answer.kind)
        table.said[k] = code, answer_code(answer.kind, answer.value)
    table.said_count = len(answers)
    events = tell(setup, laid, seed, play)
    name_people(events[0], seats)
    if not table.asking:
        return events, None
    asked = events.pop()
    if len(events) == 1:
        _lift_pawns(events[0], asked["seat"])
    options = tuple(asked["options"])
    return events, Question(asked["seat"], asked["kind"], options, int(table.answered))


def _lift_pawns(setup: Event, asked: int) -> None:
    """Take off the board, while `asked` places its pawn, those that are placed after it."""
    count = len(setup["players"])
    first = setup["first"]
    for order in range((asked - first) % count, count):
        setup["squares"][(first + order) % count] = None
