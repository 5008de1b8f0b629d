"""Short traces of Il Labirinto del Dojo written by hand, for the tests of the referee.

The board is nearly open, three sit at the table, and a play lasts a round or two. Each scene is a
function that returns (options, events).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labirinto_referee_columns import CARDS, Columns
from labirinto_twin import SIZE, draw_board, quadrant, read_quadrant, turned

from dojo_core import options as option_tables
from dojo_core.labirinto.options import OPTIONS

Event = dict[str, Any]
Scene = tuple[dict[str, Any], list[Event]]

OPEN = """\
+---+---+---+---+---+---+---+---+
| S   S   S | .   .   .   .   .
+   +   +   +   +   +   +   +   +
| S   S   S   .   .   A   .   .
+   +   +   +   +   +   +   +   +
| S   S   S | .   .   .   .   1
+---+   +---+   +   +   +   +   +
| .   .   .   .   .   .   .   .
+   +   +   +   +   +   +   +   +
| .   P   .   F   F   .   ?   .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   .   .   .
+   +   +   +   +   +   +   +---+
| .   K   .   ?   .   F   D   D
+   +   +   +   +   +   +   +   +
| .   .   2   .   1   2 | D   D
+   +   +   +   +   +   +   +   +
"""
GRID = read_quadrant(OPEN)
WALKED_OUT = [1, 7]  # where seat 0 waits to be met
WAY_TO_FIRST_CARD = ([1, 1], [2, 1], [3, 1], [3, 2], [4, 2], [5, 2], [5, 3], [6, 3])
WAY_TO_SECOND_CARD = ([5, 3], [5, 4], [5, 5], [5, 6], [4, 6])
TO_THE_DOJO = ([1, 3], [2, 3], [3, 3], [3, 4], [3, 5], [4, 5], [5, 5], [5, 6], [6, 6])


def event(kind: str, /, **fields: Any) -> Event:
    """Return one line."""
    return {"event": kind, **fields}


def place(square: int) -> list[int]:
    """Return a square as [row, column]."""
    return [square // SIZE, square % SIZE]


def links() -> list[list[list[int]]]:
    """Return the pairs of linked tunnel squares of the open board."""
    pairs = []
    for digit in "12":
        a, b = (s for s in range(SIZE * SIZE) if GRID.codes[s] == digit and quadrant(s) == 0)
        for _ in range(4):
            pairs.append([place(a), place(b)])
            a, b = turned(a), turned(b)
    return pairs


def room(corner: int) -> list[list[int]]:
    """Return the squares of a Safe Room."""
    return [place(square) for square in GRID.room(corner)]


def scene(deck: Sequence[str], lines: Sequence[Event], **given: Any) -> Scene:
    """Return a play of three whose deck holds only `deck`, with its first and last line added."""
    cards = {f"{key}_cards": deck.count(name) for key, name in CARDS.items()}
    table = {"board": {"label": "open", "text": OPEN}, "players": 3, "player": "random"}
    options = option_tables.resolve(OPTIONS, {**table, "max_rounds": 1, **cards, **given})
    setup = event(
        "setup",
        game="labirinto",
        engine="none",
        seed=0,
        play=0,
        options={**options, "board": "open"},
        board={"lines": draw_board(GRID), "links": links()},
        players=["random"] * 3,
        corners=[0, 1, 2],
        first=0,
        squares=[[1, 2], [1, 13], [14, 13]],
        track=[options["start_track"]] * 3,
        deck=list(deck),
    )
    return options, ended(options, [setup, *lines])


def ended(options: dict[str, Any], lines: list[Event]) -> list[Event]:
    """Return the lines with the last line that belongs to them."""
    columns = Columns(options)
    for line in lines:
        columns.feed(line)
    won = [line["winner"] for line in lines if line["event"] == "exam_result"]
    won = [seat for seat in won if seat == 0]
    turns = sum(line["event"] == "turn" for line in lines)
    end = event(
        "end",
        winner=won[0] if won else None,
        reason="exam" if won else "max_rounds",
        rounds=-(-turns // 3),
        turns=turns,
    )
    end["play"], end["seats"] = columns.results(end)
    return [*lines, end]


def turn(seat: int, number: int) -> Event:
    """Return the first line of a turn."""
    return event("turn", seat=seat, turn=number, round=-(-number // 3))


def walk(seat: int, dice: list[int], *squares: list[int]) -> list[Event]:
    """Return a roll and the steps onto these squares."""
    left = sum(dice)
    steps = [
        event("step", seat=seat, to=to, remaining=left - number, extra=False)
        for number, to in enumerate(squares, start=1)
    ]
    return [event("roll", seat=seat, dice=dice), *steps]


def stop(seat: int, code: str) -> list[Event]:
    """Return the end of a full move and the square it leads to."""
    return [
        event("stop", seat=seat, remaining=0, why="done"),
        event("square", seat=seat, code=code),
    ]


def choice(seat: int, kind: str, options: list[Any], answer: Any) -> Event:
    """Return a decision."""
    return event("choice", seat=seat, kind=kind, options=options, answer=answer)


def to_start(seat: int, to: list[int]) -> list[Event]:
    """Return how a pawn is sent to Start."""
    return [choice(seat, "place", room(seat), to), event("start", seat=seat, to=to)]


def strolls(*turns: tuple[int, int]) -> list[Event]:
    """Return turns (seat, number) of seats 1 and 2 that leave their room and stop on Tatami."""
    squares = {1: ([1, 12], [0, 12]), 2: ([14, 12], [14, 11])}
    lines = []
    for seat, number in turns:
        lines += [turn(seat, number), *walk(seat, [1, 1], *squares[seat]), *stop(seat, ".")]
    return lines


def row_1(first: int, last: int) -> list[list[int]]:
    """Return squares of row 1, walked from one column to another."""
    ahead = 1 if last > first else -1
    return [[1, column] for column in range(first, last + ahead, ahead)]


def kumite_scene(**given: Any) -> Scene:
    """Seat 1 meets seat 0 on its last step, both hold no card, and wins."""
    lines = [
        turn(0, 1),
        *walk(0, [2, 3], *row_1(3, 7)),
        *stop(0, "."),
        turn(1, 2),
        *walk(1, [3, 3], *row_1(12, 7)),
        event(
            "kumite", attacker=1, defender=0, square=WALKED_OUT, kind="walk", bout=1,
            dice=[5, 2], bonuses=[0, 0],
        ),
        event("kumite_result", attacker=1, defender=0, totals=[5, 2], winner=1),
        event("track", seat=1, **{"from": 4, "to": 7}, why="kumite"),
        event("track", seat=0, **{"from": 4, "to": 1}, why="kumite"),
        *to_start(0, [0, 0]),
        *stop(1, "."),
        *strolls((2, 3)),
    ]  # fmt: skip
    return scene([], lines, first_round_kumite=True, start_track=4, **given)


def extra_step_scene() -> Scene:
    """Seat 1 ends on seat 0 in the first round and steps on, onto a Tunnel that it refuses."""
    lines = [
        turn(0, 1),
        *walk(0, [2, 3], *row_1(3, 7)),
        *stop(0, "."),
        turn(1, 2),
        *walk(1, [3, 3], *row_1(12, 7)),
        event("step", seat=1, to=[2, 7], remaining=0, extra=True),
        *stop(1, "T"),
        choice(1, "tunnel", [False, True], False),
        event("tunnel", seat=1, source="square", **{"from": [2, 7], "to": None}),
        *strolls((2, 3)),
    ]
    return scene([], lines)


def fatica_scene() -> Scene:
    """Seat 0 walks over one Fatica and stops on another; it has one stripe to lose."""
    lines = [
        turn(0, 1),
        *walk(0, [3, 3], [1, 3], [2, 3], [3, 3], [4, 3], [4, 4], [5, 4]),
        *stop(0, "."),
        *strolls((1, 2), (2, 3)),
    ]
    for position, was, now in ((7, 1, 0), (9, 0, 0)):
        lines.insert(position - 1, event("fatica", seat=0, **{"from": was, "to": now}))
    return scene([], lines, start_track=1)


def cards_scene() -> Scene:
    """Seat 0 draws the only card, Tsugi-ashi, and draws it again on the move it gives."""
    lines = [
        turn(0, 1),
        *walk(0, [4, 4], *WAY_TO_FIRST_CARD),
        *stop(0, "?"),
        event("draw", seat=0, card="Tsugi-ashi"),
        *walk(0, [2, 3], *WAY_TO_SECOND_CARD),
        *stop(0, "?"),
        event("reshuffle", deck=["Tsugi-ashi"]),
        event("draw", seat=0, card="Tsugi-ashi"),
        *walk(0, [1, 1], [3, 6], [2, 6]),
        *stop(0, "."),
        *strolls((1, 2), (2, 3)),
    ]
    return scene(["Tsugi-ashi"], lines)


def meditation_scene() -> Scene:
    """Seat 0 draws Uke, then Kiai, keeps one; draws Meditazione and skips a turn."""
    lines = [
        turn(0, 1),
        *walk(0, [4, 4], *WAY_TO_FIRST_CARD),
        *stop(0, "?"),
        event("draw", seat=0, card="Uke"),
        *strolls((1, 2), (2, 3)),
        turn(0, 4),
        *walk(0, [2, 3], *WAY_TO_SECOND_CARD),
        *stop(0, "?"),
        event("draw", seat=0, card="Kiai"),
        choice(0, "keep", ["Uke", "Kiai"], "Kiai"),
        event("keep", seat=0, kept="Kiai", discarded="Uke"),
        turn(1, 5),
        *walk(1, [1, 1], [0, 11], [0, 10]),
        *stop(1, "."),
        turn(2, 6),
        *walk(2, [1, 1], [14, 10], [14, 9]),
        *stop(2, "."),
        turn(0, 7),
        *walk(0, [2, 3], [5, 6], [5, 5], [5, 4], [5, 3], [6, 3]),
        *stop(0, "?"),
        event("draw", seat=0, card="Meditazione"),
        event("meditate", seat=0),
        turn(1, 8),
        *walk(1, [1, 1], [0, 9], [0, 8]),
        *stop(1, "."),
        turn(2, 9),
        *walk(2, [1, 1], [14, 8], [14, 7]),
        *stop(2, "."),
        turn(0, 10),
        event("skip", seat=0),
        turn(1, 11),
        *walk(1, [1, 1], [0, 7], [0, 6]),
        *stop(1, "."),
        turn(2, 12),
        *walk(2, [1, 1], [14, 6], [14, 5]),
        *stop(2, "."),
    ]
    return scene(["Uke", "Kiai", "Meditazione"], lines, max_rounds=4)


def exam_lines(dice: list[int], totals: list[int], winner: int) -> list[Event]:
    """Return seat 0's way into the Dojo and one bout against seat 2."""
    return [
        turn(0, 1),
        *walk(0, [6, 4], *TO_THE_DOJO),
        choice(0, "defender", [1, 2], 2),
        event("exam", challenger=0, defender=2),
        event(
            "kumite", attacker=0, defender=2, square=[6, 6], kind="exam", bout=1,
            dice=dice, bonuses=[0, 1],
        ),
        event("kumite_result", attacker=0, defender=2, totals=totals, winner=winner),
    ]  # fmt: skip


def exam_won_scene() -> Scene:
    """Seat 0 enters the Dojo with a step to spare and wins the Exam by a tie."""
    lines = [
        *exam_lines([5, 4], [5, 5], 0),
        event(
            "exam_result", challenger=0, defender=2, bouts=[1, 0], winner=0, cost=0, uke=False
        ),
    ]  # fmt: skip
    return scene([], lines, first_round_kumite=True, start_track=15)


def exam_lost_scene() -> Scene:
    """Seat 0 loses the Exam."""
    lines = [
        *exam_lines([4, 4], [4, 5], 2),
        event(
            "exam_result", challenger=0, defender=2, bouts=[0, 1], winner=2, cost=3, uke=False
        ),
        event("track", seat=0, **{"from": 15, "to": 12}, why="exam"),
        *to_start(0, [2, 2]),
        *strolls((1, 2), (2, 3)),
    ]  # fmt: skip
    return scene([], lines, first_round_kumite=True, start_track=15)


def exam_refused_scene() -> Scene:
    """Seat 0 enters the Dojo in the first round, when nobody can defend."""
    lines = [
        turn(0, 1),
        *walk(0, [6, 4], *TO_THE_DOJO),
        event("exam", challenger=0, defender=None, returned=[5, 6]),
        *strolls((1, 2), (2, 3)),
    ]
    return scene([], lines, start_track=15)


def tecnica_scene(timing: str) -> Scene:
    """Seats 0 and 1 hold Kaeshi and Uke when seat 1 attacks seat 0 by a Sfida card and loses."""
    window = [
        choice(1, "tecnica", [None, "Uke"], "Uke"),
        event("tecnica", seat=1, card="Uke", reroll=None),
        choice(0, "tecnica", [None, "Kaeshi"], "Kaeshi"),
        event("tecnica", seat=0, card="Kaeshi", reroll=6),
    ]
    if timing == "after_both":
        window = [window[0], window[2], window[1], window[3]]
    mirrored = [place(turned(SIZE * row + column)) for row, column in WAY_TO_FIRST_CARD[2:]]
    again = [place(turned(SIZE * row + column)) for row, column in WAY_TO_SECOND_CARD]
    lines = [
        turn(0, 1),
        *walk(0, [4, 4], *WAY_TO_FIRST_CARD),
        *stop(0, "?"),
        event("draw", seat=0, card="Kaeshi"),
        turn(1, 2),
        *walk(1, [3, 3], *mirrored),
        *stop(1, "?"),
        event("draw", seat=1, card="Uke"),
        *strolls((2, 3)),
        turn(0, 4),
        *walk(0, [1, 1], [7, 3], [7, 2]),
        *stop(0, "T"),
        choice(0, "tunnel", [False, True], True),
        event("tunnel", seat=0, source="square", **{"from": [7, 2], "to": [7, 5]}),
        turn(1, 5),
        *walk(1, [2, 3], *again),
        *stop(1, "?"),
        event("draw", seat=1, card="Sfida"),
        choice(1, "target", [0, 2], 0),
        event("target", seat=1, why="sfida", chosen=0),
        event(
            "kumite", attacker=1, defender=0, square=again[-1], kind="sfida", bout=1,
            dice=[4, 1], bonuses=[0, 0],
        ),
        *window,
        event("kumite_result", attacker=1, defender=0, totals=[4, 6], winner=0),
        event("track", seat=0, **{"from": 4, "to": 7}, why="kumite"),
        event("track", seat=1, **{"from": 4, "to": 1}, why="kumite"),
        event("uke", seat=1, to=again[-1]),
        turn(2, 6),
        *walk(2, [1, 1], [14, 10], [14, 9]),
        *stop(2, "."),
    ]  # fmt: skip
    given = {"start_track": 4, "max_rounds": 2, "kaeshi_timing": timing}
    return scene(["Kaeshi", "Uke", "Sfida"], lines, **given)
