"""Making a point ready: the options are checked together, the board and the table packed."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dojo_core.errors import DojoError
from dojo_core.game import Setup
from dojo_core.labirinto import board as boards
from dojo_core.labirinto import log
from dojo_core.labirinto.board import Board
from dojo_core.labirinto.chances import attack_odds, card_odds, meeting_chances
from dojo_core.labirinto.columns import CARDS, PLAYER_LABELS
from dojo_core.labirinto.features import FEATURES, climb
from dojo_core.labirinto.options import OPTIONS
from dojo_core.labirinto.prospects import Prospects, fewest_fatica, prospects_of
from dojo_core.labirinto.tables import (
    CODES,
    DOJO,
    MAZE,
    NOWHERE,
    SQUARES,
    TABLE,
    TUNNEL,
)
from dojo_core.labirinto.walks import Tree, walk_tree
from dojo_core.options import CUSTOM, find, one_a_seat, pack

WIDTH = 16
MAZES_KEPT = 16  # a tree of walks may take megabytes

# The corners of the seats when all four corners are used first (reading 87): players who share a
# corner are never consecutive, the last and the first included.
SPREAD = {
    3: (0, 1, 2),
    4: (0, 1, 2, 3),
    5: (0, 1, 2, 3, 1),
    6: (0, 1, 2, 3, 0, 1),
    7: (0, 1, 2, 3, 0, 1, 2),
    8: (0, 1, 2, 3, 0, 1, 2, 3),
}
# The same with the corners filled two by two; 3, 4 and 8 players leave no choice.
PAIRS = SPREAD | {5: (0, 1, 0, 2, 1), 6: (0, 1, 2, 0, 1, 2)}


class Tables(NamedTuple):
    """What the compiled rules of the Labirinto need, see `tables`.

    Attributes:
        rules: The packed options, a record array of one.
        maze: The board, a record array of one.
        tree: The walks of the board.
        table: A table laid for a play, a record array of one; each block plays on a copy.
        board: The board as it was built, for pictures and traces.
    """

    rules: np.recarray[Any, Any]
    maze: np.recarray[Any, Any]
    tree: Tree
    table: np.recarray[Any, Any]
    board: Board


def _row_major() -> np.ndarray[Any, Any]:
    """Return, for each square number, its place row by row on the whole board."""
    places = np.zeros(SQUARES, np.int64)
    for square in range(SQUARES):
        row, column = square % 64 // 8, square % 8
        for _ in range(square // 64):
            row, column = column, WIDTH - 1 - row
        places[square] = WIDTH * row + column
    return places


# Square number -> place row by row, and back.
TO_PLACE = _row_major()
TO_SQUARE = np.argsort(TO_PLACE)


def prepare(options: Mapping[str, Any]) -> Setup:
    """Check resolved options together and pack them.

    Raises:
        DojoError: A board with errors, a track too short, a player list of another length, ...
    """
    return prepare_on(boards.load(options["board"]), options)


def prepare_on(board: Board, options: Mapping[str, Any]) -> Setup:
    """Prepare options on a board that need not pass the design checks."""
    _check_track(options)
    rules = pack(OPTIONS, options)
    maze, tree = pack_maze(board, options["dice"], options["die_faces"])
    players = seat_players(options)
    if len(tree.nodes) == 0 and any(player != "random" for player in players):
        longest_roll = options["dice"] * options["die_faces"]
        raise DojoError(
            f"dice = {options['dice']} of {options['die_faces']} faces: walks of {longest_roll}"
            f" steps on board {options['board']['label']!r} are too many for a player that weighs"
            " them; use fewer dice, a board with more walls, or player = random"
        )
    table = lay_table(options, players)
    if len(tree.nodes) > 0:
        table[0].prospect[:], table[0].turns_to_dojo[:] = look_ahead(board, options)
        felt = table[0].weights["prospect"] * table[0].weights["stripe"]
        table[0].promised[:] = table[0].prospect * felt[:, None] // 100
    return Setup(
        options, options["players"], SQUARES, WIDTH, Tables(rules, maze, tree, table, board)
    )


def _check_track(options: Mapping[str, Any]) -> None:
    top = 6 * options["belt_stripes"] - 1
    many = options["players"] >= options["many_players"]
    names = ["start_track_many" if many else "start_track"]
    if options["short_game"]:
        names.append("start_track_short")
    for name in names:
        if options[name] > top:
            raise DojoError(
                f"{name} = {options[name]} is above the top of the track, {top} (six belts of"
                f" {options['belt_stripes']} stripes); start lower or give belts more stripes"
            )


def seat_players(options: Mapping[str, Any]) -> list[str | Mapping[str, Any]]:
    """Return each seat's player: its name, or its weights."""
    chosen, seats = options["player"], options["players"]
    if not isinstance(chosen, list):
        return one_a_seat(chosen) * seats
    if len(chosen) != seats:
        raise DojoError(
            f"player = {chosen} names {len(chosen)} players, but players = {seats} sit at"
            " the table; name one for all, or one a seat"
        )
    return list(chosen)


def seating(options: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the corner of each seat."""
    table = SPREAD if options["seating"] == "spread" else PAIRS
    return table[options["players"]]


def seating_fault(corners: Sequence[int]) -> str:
    """Return why players may not sit so (an empty text when they may): Setup; readings 87-89."""
    count = len(corners)
    if count not in SPREAD:
        return f"{count} players; 3 to 8 can play"
    most = 1 if count <= 4 else 2
    if any(corners.count(corner) > most for corner in corners):
        return f"more than {most} in a corner"
    if any(corners[k] == corners[(k + 1) % count] for k in range(count)):
        return "two who share a corner sit next to each other"
    return ""


@functools.lru_cache(maxsize=MAZES_KEPT)
def pack_maze(board: Board, dice: int, faces: int) -> tuple[np.recarray[Any, Any], Tree]:
    """Return the board as the compiled rules read it with these dice, and the tree of its walks.

    Points on the same board share them: no rule writes to either.
    """
    packed = np.zeros(1, MAZE).view(np.recarray)
    maze = packed[0]
    codes = np.array(["T" if code.isdigit() else code for code in board.codes.ravel()])
    maze.code[:] = [CODES.index(code) for code in codes[TO_PLACE]]
    maze.room[:] = board.rooms.ravel()[TO_PLACE]
    links = board.links[TO_PLACE]
    maze.link[:] = np.where(links == NOWHERE, NOWHERE, TO_SQUARE[links])
    _pack_ways(maze, board)
    tunnels = np.flatnonzero(maze.code == TUNNEL)
    maze.tunnels[: len(tunnels)] = tunnels
    maze.tunnel_count = len(tunnels)
    for corner in range(4):
        room = np.flatnonzero(maze.room == corner)
        # The board corner comes first: it is the default of an unscripted placement.
        room = np.array(sorted(room, key=lambda square: square != 64 * corner))
        maze.room_squares[corner, : len(room)] = room
        maze.room_size[corner] = len(room)
    maze.to_dojo[:] = _steps_to_dojo(maze)
    longest_roll = dice * faces
    tree, index = walk_tree(np.array(maze.neighbour), np.array(maze.code), longest_roll)
    maze.root[:] = index.root
    maze.first_group[:, : longest_roll + 2] = index.first_group
    maze.reach[:, : longest_roll + 1] = index.reach
    maze.meeting[:] = meeting_chances(index.reach, dice, faces)
    maze.drawn[:, : longest_roll + 1] = index.drawn
    maze.first_crossing[:] = NOWHERE
    maze.first_crossing[:, : longest_roll + 1] = index.first_crossing
    maze.crossing_words[:, : longest_roll + 1] = index.crossing_words
    maze.crossing_row[:] = index.crossing_row
    maze.first_end[:, : longest_roll + 2] = index.first_end
    return packed, tree


def look_ahead(board: Board, options: Mapping[str, Any]) -> Prospects:
    """Return what the squares of a board are good for under some options."""
    matters = ("dice", "die_faces", "fatica_cost", "fatica_stop_only", "allenamento_gain")
    return _look_ahead(board, tuple((name, int(options[name])) for name in matters))


@functools.lru_cache(maxsize=MAZES_KEPT)
def _look_ahead(board: Board, rules: tuple[tuple[str, int], ...]) -> Prospects:
    options = dict(rules)
    dice, faces = options["dice"], options["die_faces"]
    maze, tree = pack_maze(board, dice, faces)
    fewest = fewest_fatica(maze[0], tree, dice * faces + 1)
    return prospects_of(maze[0], fewest, dice, faces, options)


def _pack_ways(maze: np.record, board: Board) -> None:
    """Fill the open ways, seen from the unrotated quadrant, and the Dojo's entrances."""
    offsets = ((-1, 0), (0, 1), (1, 0), (0, -1))
    maze.entrance[:] = NOWHERE
    for square in range(SQUARES):
        row, column = divmod(int(TO_PLACE[square]), WIDTH)
        for way in range(4):
            side = (way + square // 64) % 4
            maze.neighbour[square, way] = NOWHERE
            if not board.open_sides[row, column, side]:
                continue
            to = TO_SQUARE[WIDTH * (row + offsets[side][0]) + column + offsets[side][1]]
            if maze.code[square] == DOJO:
                continue
            if maze.code[to] == DOJO:
                maze.entrance[square] = to
            else:
                maze.neighbour[square, way] = to
                maze.onward[square, way] = to


def _steps_to_dojo(maze: np.record) -> np.ndarray[Any, Any]:
    """Return the fewest steps into the Dojo from each square, 0 inside, 255 when cut off."""
    steps = np.full(SQUARES, 255)
    steps[maze.code == DOJO] = 0
    reached = [square for square in range(SQUARES) if maze.entrance[square] != NOWHERE]
    distance = 1
    while reached:
        steps[reached] = distance
        onward = {int(to) for square in reached for to in maze.neighbour[square] if to != NOWHERE}
        reached = [square for square in onward if steps[square] == 255]
        distance += 1
    return steps


def lay_table(
    options: Mapping[str, Any], players: Sequence[str | Mapping[str, Any]]
) -> np.recarray[Any, Any]:
    """Return a table with its seats taken, before any play is set up."""
    packed = np.zeros(1, TABLE).view(np.recarray)
    table = packed[0]
    seats = options["players"]
    table.seats = seats
    table.everyone = (1 << seats) - 1
    table.corner[:seats] = seating(options)
    for seat, player in enumerate(players):
        table.player[seat] = PLAYER_LABELS.index(player if isinstance(player, str) else CUSTOM)
        weights = find(OPTIONS, "player").weights_of(player)
        if weights is not None:
            table.weights[seat] = pack(FEATURES, weights)[0]
            worths = climb(weights, options["belt_stripes"])
            table.climb[seat, : len(worths)] = worths
    table.copies[:] = [options[f"{key}_cards"] for key, _ in CARDS]
    table.hand[:] = -1
    table.log_full = log.FULL
    table.odds[:] = attack_odds(options["kumite_die_faces"])
    table.card_odds[:] = card_odds(options["kumite_die_faces"], options["kiai"])
    return packed
