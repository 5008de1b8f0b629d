"""Telling a play event by event: the log of the compiled rules, read into TRACES.md's events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dojo_core.game import Event, Setup
from dojo_core.kernel import engine_hash
from dojo_core.labirinto import board as boards
from dojo_core.labirinto import log
from dojo_core.labirinto.columns import CARDS, PLAY_COLUMNS, REASONS, SEAT_COLUMNS
from dojo_core.labirinto.options import OPTIONS
from dojo_core.labirinto.play import lay_play, play_on
from dojo_core.labirinto.setup import TO_PLACE, TO_SQUARE, WIDTH, Tables, seat_players
from dojo_core.labirinto.tables import (
    CODES,
    KEEP,
    NEXT_STEP,
    NO_CARD,
    NOBODY,
    NOWHERE,
    PLACE,
    SEGRETO,
    TAKE_TUNNEL,
    TECNICA,
)
from dojo_core.options import Option, called

KINDS_OF_KUMITE = ("walk", "extra", "tunnel", "segreto", "sfida", "exam")
KINDS_OF_CHOICE = (
    "place",
    "order",
    "target",
    "tunnel",
    "segreto",
    "keep",
    "tecnica",
    "defender",
    "step",
)
WHYS_OF_TRACK = (
    "kumite",
    "exam",
    "allenamento",
    "sensei_osserva",
    "peso_cintura",
    "allenamento_intensivo",
    "colpo_proibito",
)
WHYS_OF_STOP = ("done", "boxed_in", "declined")
WHYS_OF_TARGET = ("sfida", "irimi")

CARD_CODES = {name: code for code, (_, name) in enumerate(CARDS)}


def trace(setup: Setup, seed: int, play: int) -> list[Event]:
    """Return one play event by event (TRACES.md), by the same compiled rules as `play.play`."""
    return tell(setup, setup.tables.table.copy(), seed, play)


def tell(setup: Setup, laid: np.recarray[Any, Any], seed: int, play: int) -> list[Event]:
    """Return a play on the table `laid` event by event: whole, or up to a person's question."""
    tables: Tables = setup.tables
    table = laid[0]
    table.telling = 1
    lay_play(tables, laid, seed, play)
    events = [_setup_event(setup, table, seed, play), *read_log(table, setup.seats)]
    while table.paused and not table.asking:
        table.log_size = 0
        row, seat_rows = play_on(tables, laid, log.FULL)
        events.extend(read_log(table, setup.seats))
    if not table.asking:
        events.append(_end_event(row, seat_rows))
    return events


def square_of(number: int) -> list[int] | None:
    """Return [row, column] of a square's number; None for nowhere."""
    if number == NOWHERE:
        return None
    return list(divmod(int(TO_PLACE[number]), WIDTH))


def card_name(card: int) -> str | None:
    """Return the name printed on a card; None for no card."""
    return None if card == NO_CARD else CARDS[card][1]


def number_of(square: Sequence[int] | None) -> int:
    """Return a square's number from its [row, column]; NOWHERE from None."""
    return NOWHERE if square is None else int(TO_SQUARE[WIDTH * square[0] + square[1]])


def answer_code(kind: str, answer: Any) -> int:
    """Return the number that stands for an answer in the compiled rules."""
    if kind in ("place", "segreto", "step"):
        return number_of(answer)
    if kind in ("keep", "tecnica"):
        return int(NO_CARD) if answer is None else CARD_CODES[answer]
    return int(answer)


def _setup_event(setup: Setup, table: np.record, seed: int, play: int) -> Event:
    board = setup.tables.board
    seats = range(setup.seats)
    links = [[a, int(b)] for a, b in enumerate(board.links) if a < b]
    return {
        "event": "setup",
        "game": "labirinto",
        "engine": engine_hash("labirinto"),
        "seed": seed,
        "play": play,
        "options": {option.name: _told(option, setup.options[option.name]) for option in OPTIONS},
        "board": {
            "lines": boards.render(board).splitlines(),
            "links": [[list(divmod(place, WIDTH)) for place in link] for link in links],
        },
        "players": [called(player) for player in seat_players(setup.options)],
        "corners": [int(table.corner[seat]) for seat in seats],
        "first": int(table.first),
        "squares": [square_of(table.at[seat]) for seat in seats],
        "track": [int(table.track[seat]) for seat in seats],
        "deck": [card_name(int(card)) for card in table.deck[: table.deck_size][::-1]],
    }


def _told(option: Option, value: Any) -> Any:
    return option.shown(value) if option.kind == "file" else value


def _end_event(row: np.record, seat_rows: np.recarray[Any, Any]) -> Event:
    play = _values(row, [column.name for column in PLAY_COLUMNS])
    names = [column.name for column in SEAT_COLUMNS]
    return {
        "event": "end",
        "winner": _seat(play["winner"]),
        "reason": REASONS[play["reason"]],
        "rounds": play["rounds"],
        "turns": play["turns"],
        "play": play,
        "seats": [_values(row, names) for row in seat_rows],
    }


def _values(row: np.record, names: list[str]) -> dict[str, int]:
    """Return a row's values by column name; arrays of a row are runs of columns."""
    values = [int(value) for field in row.item() for value in np.ravel(field)]
    return dict(zip(names, values, strict=True))


def _seat(seat: int) -> int | None:
    return None if seat == NOBODY else int(seat)


# The log, read


def read_log(table: np.record, seats: int, legal: bool = False) -> Iterator[Event]:
    """Yield the events in a table's log.

    Args:
        table: The table whose log is read.
        seats: How many sit at it.
        legal: Also yield ``legal`` events: the squares a step may go to, before each step.
    """
    numbers = np.array(table.log[: table.log_size]).tolist()
    at = 0
    while at < len(numbers):
        code, *arguments = numbers[at : at + 1 + log.ARGUMENTS]
        at += 1 + log.ARGUMENTS
        items: list[int] = []
        if code in log.WITH_LIST:
            items = numbers[at : at + arguments[-1]]
            at += arguments[-1]
        if code == log.TURN:
            arguments[2] = (arguments[1] - 1) // seats + 1
        if code != log.LEGAL or legal:
            yield READERS[code](arguments, items)


def _turn(a: list[int], _: list[int]) -> Event:
    return {"event": "turn", "seat": a[0], "turn": a[1], "round": a[2]}


def _skip(a: list[int], _: list[int]) -> Event:
    return {"event": "skip", "seat": a[0]}


def _roll(a: list[int], dice: list[int]) -> Event:
    return {"event": "roll", "seat": a[0], "dice": dice}


def _legal(a: list[int], squares: list[int]) -> Event:
    return {"event": "legal", "seat": a[0], "squares": [square_of(square) for square in squares]}


def _step(a: list[int], _: list[int]) -> Event:
    to = square_of(a[1])
    return {"event": "step", "seat": a[0], "to": to, "remaining": a[2], "extra": bool(a[3])}


def _fatica(a: list[int], _: list[int]) -> Event:
    return {"event": "fatica", "seat": a[0], "from": a[1], "to": a[2]}


def _stop(a: list[int], _: list[int]) -> Event:
    return {"event": "stop", "seat": a[0], "remaining": a[1], "why": WHYS_OF_STOP[a[2]]}


def _choice(a: list[int], options: list[int]) -> Event:
    return {**_question(a, options), "event": "choice", "answer": _answer(a[1])(a[2])}


def _question(a: list[int], options: list[int]) -> Event:
    answer = _answer(a[1])
    return {
        "event": "question",
        "seat": a[0],
        "kind": KINDS_OF_CHOICE[a[1]],
        "options": [answer(option) for option in options],
    }


def _answer(kind: int) -> Callable[[int], Any]:
    """Return how an answer to a decision of this kind is told."""
    words: dict[int, Callable[[int], Any]] = {
        PLACE: square_of,
        SEGRETO: square_of,
        NEXT_STEP: square_of,
        TAKE_TUNNEL: bool,
        KEEP: card_name,
        TECNICA: card_name,
    }
    return words.get(kind, int)


def _kumite(a: list[int], _: list[int]) -> Event:
    return {
        "event": "kumite",
        "attacker": a[0],
        "defender": a[1],
        "square": square_of(a[2]),
        "kind": KINDS_OF_KUMITE[a[3]],
        "bout": a[4],
        "dice": a[5:7],
        "bonuses": a[7:9],
    }


def _tecnica(a: list[int], _: list[int]) -> Event:
    return {"event": "tecnica", "seat": a[0], "card": card_name(a[1]), "reroll": a[2] or None}


def _kumite_result(a: list[int], _: list[int]) -> Event:
    return {
        "event": "kumite_result",
        "attacker": a[0],
        "defender": a[1],
        "totals": a[2:4],
        "winner": a[4],
    }


def _track(a: list[int], _: list[int]) -> Event:
    return {"event": "track", "seat": a[0], "from": a[1], "to": a[2], "why": WHYS_OF_TRACK[a[3]]}


def _start(a: list[int], _: list[int]) -> Event:
    return {"event": "start", "seat": a[0], "to": square_of(a[1])}


def _uke(a: list[int], _: list[int]) -> Event:
    return {"event": "uke", "seat": a[0], "to": square_of(a[1])}


def _square(a: list[int], _: list[int]) -> Event:
    return {"event": "square", "seat": a[0], "code": CODES[a[1]]}


def _draw(a: list[int], _: list[int]) -> Event:
    return {"event": "draw", "seat": a[0], "card": card_name(a[1])}


def _keep(a: list[int], _: list[int]) -> Event:
    kept, discarded = card_name(a[1]), card_name(a[2])
    return {"event": "keep", "seat": a[0], "kept": kept, "discarded": discarded}


def _reshuffle(_: list[int], deck: list[int]) -> Event:
    return {"event": "reshuffle", "deck": [card_name(card) for card in deck]}


def _tunnel(a: list[int], _: list[int]) -> Event:
    return {
        "event": "tunnel",
        "seat": a[0],
        "source": "segreto" if a[1] else "square",
        "from": square_of(a[2]),
        "to": square_of(a[3]),
    }


def _target(a: list[int], _: list[int]) -> Event:
    return {"event": "target", "seat": a[0], "why": WHYS_OF_TARGET[a[1]], "chosen": _seat(a[2])}


def _swap(a: list[int], _: list[int]) -> Event:
    squares = [square_of(a[2]), square_of(a[3])]
    return {"event": "swap", "seat": a[0], "with": a[1], "squares": squares}


def _passo_falso(a: list[int], _: list[int]) -> Event:
    source = "card" if a[2] else "square"
    return {"event": "passo_falso", "seat": a[0], "to": square_of(a[1]), "source": source}


def _meditate(a: list[int], _: list[int]) -> Event:
    return {"event": "meditate", "seat": a[0]}


def _exam(a: list[int], _: list[int]) -> Event:
    event: Event = {"event": "exam", "challenger": a[0], "defender": _seat(a[1])}
    if a[1] == NOBODY:
        event["returned"] = square_of(a[2])
    return event


def _exam_result(a: list[int], _: list[int]) -> Event:
    return {
        "event": "exam_result",
        "challenger": a[0],
        "defender": a[1],
        "bouts": a[2:4],
        "winner": a[0] if a[4] else a[1],
        "cost": a[5],
        "uke": bool(a[6]),
    }


READERS: dict[int, Callable[[list[int], list[int]], Event]] = {
    log.TURN: _turn,
    log.SKIP: _skip,
    log.ROLL: _roll,
    log.LEGAL: _legal,
    log.STEP: _step,
    log.FATICA_PAID: _fatica,
    log.STOP: _stop,
    log.CHOICE: _choice,
    log.KUMITE: _kumite,
    log.TECNICA_SHOWN: _tecnica,
    log.KUMITE_RESULT: _kumite_result,
    log.TRACK: _track,
    log.START: _start,
    log.UKE_SAVED: _uke,
    log.SQUARE: _square,
    log.DRAW: _draw,
    log.KEPT: _keep,
    log.RESHUFFLE: _reshuffle,
    log.TELEPORT: _tunnel,
    log.TARGETED: _target,
    log.SWAP: _swap,
    log.PASSO_FALSO_BACK: _passo_falso,
    log.MEDITATE: _meditate,
    log.EXAM: _exam,
    log.EXAM_RESULT: _exam_result,
    log.QUESTION: _question,
}
