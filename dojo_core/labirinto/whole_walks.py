"""Whole walks of a roll, by where they end: so that a person may choose an end instead of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dojo_core.labirinto.text_board import Place, TextBoard

# Where there are more to look at, people walk step by step.
MOST_WALKS = 50_000


class Walk(NamedTuple):
    """A way to an end.

    Attributes:
        met: How many pawns it meets.
        fatica: How many Fatica squares it steps on.
        squares: Its steps.
    """

    met: int
    fatica: int
    squares: tuple[Place, ...]


def whole_walks(
    board: TextBoard,
    walked: Sequence[Place],
    remaining: int,
    pawns: Mapping[Place, Sequence[int]],
    brown: bool,
) -> dict[Place, Walk]:
    """Return a walk of the whole roll to each square where one can end.

    It is the one that meets the fewest pawns, then the one with the fewest Fatica squares. A walk
    that is boxed in ends where it can walk farthest.

    Args:
        board: The board.
        walked: The squares of the move so far, the one where the pawn stands last.
        remaining: The steps of the roll that are left.
        pawns: The seats on each square.
        brown: Whether the Dojo is open, which may be entered before the roll is used up.

    Returns:
        Walks by their end, the Dojo's squares among them; empty where there are too many to tell.
    """
    ends: dict[int, dict[Place, Walk]] = {}
    for looked, squares in enumerate(_walks(board, list(walked), remaining)):
        if looked >= MOST_WALKS:
            return {}
        of_length = ends.setdefault(len(squares), {})
        for way in _into_dojo(board, squares) if brown else ():
            _keep(of_length, _weighed(board, way, pawns))
        _keep(of_length, _weighed(board, squares, pawns))
    return ends[max(ends)] if ends else {}


def _walks(board: TextBoard, walked: list[Place], remaining: int) -> Iterator[tuple[Place, ...]]:
    """Yield every walk that cannot go on: the roll is used up, or it is boxed in."""
    here = walked[-1]
    onward = [to for to in board.ways(here) if to not in walked and board.code(to) != "D"]
    if remaining == 0 or not onward:
        yield ()
        return
    for to in onward:
        walked.append(to)
        for rest in _walks(board, walked, remaining - 1):
            yield (to, *rest)
        walked.pop()


def _into_dojo(board: TextBoard, squares: tuple[Place, ...]) -> Iterator[tuple[Place, ...]]:
    """Yield the ways that leave a walk for the Dojo, before its last step."""
    for k in range(1, len(squares)):
        dojo = board.entrance(squares[k - 1])
        if dojo is not None:
            yield (*squares[:k], dojo)


def _weighed(
    board: TextBoard, squares: tuple[Place, ...], pawns: Mapping[Place, Sequence[int]]
) -> Walk:
    met = sum(len(pawns.get(square, ())) for square in squares if board.code(square) != "S")
    fatica = sum(board.code(square) == "F" for square in squares)
    return Walk(met, fatica, squares)


def _keep(ends: dict[Place, Walk], walk: Walk) -> None:
    if not walk.squares:
        return
    best = ends.get(walk.squares[-1])
    if best is None or walk[:2] < best[:2]:
        ends[walk.squares[-1]] = walk
