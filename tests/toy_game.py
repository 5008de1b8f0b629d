"""A tiny game that meets the contract: a race over a strip of squares. No rulebook needed.

Each seat in turn throws a die and moves on; who first reaches the last square wins. It proves that
the sweep knows no game by name, and plays fast enough for tests of the store and the runner.
Importing this module registers the game as ``toy``.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.game import Column, Event, Game, Out, Setup, Strategy
from dojo_core.kernel import entry, wrapping_arithmetic
from dojo_core.options import CUSTOM, Option, one_a_seat, pack, players_identity
from dojo_core.random_numbers import below, next_word, stream_key

STRATEGIES = (Strategy("walker", "Adds the die."), Strategy("runner", "Adds the die and one."))
PLAYERS = tuple(s.name for s in STRATEGIES)
FEATURES = (
    Option(
        "stride",
        "integer",
        0,
        "Squares that it adds to the die.",
        "toy",
        "Players",
        unit="squares",
        low=0,
        high=3,
    ),
)
WIDTH = 4


def read_track(path: str, base: Path) -> dict[str, Any]:
    file = base / path
    if not file.exists():
        raise DojoError(f"there is no board {path!r} in {base}")
    return {"label": file.stem, "text": file.read_text()}


def track_identity(content: dict[str, Any]) -> str:
    lines = [line for line in content["text"].splitlines() if not line.startswith("#")]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


OPTIONS = (
    Option("players", "integer", 3, "How many sit.", "toy", "Table", unit="players", low=2, high=6),
    Option(
        "player", "per_seat", "walker", "Who decides.", "toy", "Table",
        choices=PLAYERS, features=FEATURES, weights={"walker": {}, "runner": {"stride": 1}},
        identity=players_identity,
    ),
    Option("goal", "integer", 12, "The last square.", "toy", "Track", low=4, high=39),
    Option("bonus", "switch", False, "A six moves twice.", "toy", "Track"),
    Option("die", "choice", "cube", "The die.", "toy", "Track", choices=("cube", "coin")),
    Option("max_rounds", "integer", 20, "Then it ends.", "toy", "Table", low=1, high=1000),
    Option(
        "track", "file", {"label": "plain", "text": ""}, "A board.", "toy", "Track",
        read=read_track, identity=track_identity,
    ),
    Option("fails_at", "integer", -1, "A play that raises.", "toy", "Test", low=-1, high=10**9),
    Option("slow", "integer", 0, "Sleep a call.", "toy", "Test", unit="ms", low=0, high=10_000),
)  # fmt: skip

PLAY_COLUMNS = (
    Column("winner", "i1", "The winner's seat, -1 without one.", "seat"),
    Column("finished", "u1", "1 when somebody arrived."),
    Column("reason", "u1", "Why it ended.", "", ("arrived", "max_rounds")),
    Column("rounds", "u4", "Rounds begun.", "rounds"),
    Column("turns", "u4", "Turns taken.", "turns"),
)
SEAT_COLUMNS = (
    Column("turn_order", "u1", "0 for the first player."),
    Column("player", "u1", "Who decides.", "", (*PLAYERS, CUSTOM)),
    Column("won", "u1", "1 for the winner."),
    Column("place", "u1", "The square at the end.", "squares"),
)
SQUARE_COLUMNS = (Column("steps", "i8", "Moves onto it.", "moves"),)


@entry
def _play_all(options, players, strides, seed, first_play, plays, seats, squares):
    count = seats.shape[1]
    streams = np.zeros(1, np.uint64)
    places = np.zeros(count, np.int64)
    for i in range(plays.shape[0]):
        streams[0] = stream_key(np.uint64(seed), np.uint64(first_play + i), np.uint64(1))
        first = below(next_word(streams, 0), count)
        places[:] = 0
        winner = -1
        turns = 0
        while winner < 0 and turns < count * options[0].max_rounds:
            seat = (first + turns) % count
            turns += 1
            faces = 2 if options[0].die == 1 else 6
            die = 1 + below(next_word(streams, 0), faces) + strides[seat]
            if options[0].bonus and die >= 6:
                die *= 2
            places[seat] = min(places[seat] + die, options[0].goal)
            squares[places[seat]].steps += 1
            if places[seat] == options[0].goal:
                winner = seat
        plays[i].winner = winner
        plays[i].finished = winner >= 0
        plays[i].reason = winner < 0
        plays[i].rounds = (turns + count - 1) // count
        plays[i].turns = turns
        for seat in range(count):
            seats[i, seat].turn_order = (seat - first) % count
            seats[i, seat].player = players[seat]
            seats[i, seat].won = seat == winner
            seats[i, seat].place = places[seat]


def prepare(options: Mapping[str, Any]) -> Setup:
    players = options["players"]
    given = options["player"]
    names = given if isinstance(given, list) else one_a_seat(given) * players
    if len(names) != players:
        raise DojoError(f"player has {len(names)} names for players = {players}; give one a seat")
    codes = [PLAYERS.index(name) if name in PLAYERS else len(PLAYERS) for name in names]
    strides = [GAME.weights_of(name)["stride"] for name in names]
    seats = np.array(codes, np.int64), np.array(strides, np.int64)
    return Setup(options, players, 40, WIDTH, (pack(OPTIONS, options), *seats))


def play(setup: Setup, seed: int, first_play: int, plays: int, out: Out) -> None:
    fails = setup.options["fails_at"]
    if sys.argv[0].endswith("default_worker.py"):  # in a worker of Ray only
        if fails == 10**9:
            os.kill(os.getpid(), signal.SIGKILL)
        if fails == 10**9 - 1:
            _eat_memory()
    if first_play <= fails < first_play + plays:
        raise RuntimeError(f"play {fails} went wrong")
    if setup.options["slow"]:
        time.sleep(setup.options["slow"] / 1000)
    options, codes, strides = setup.tables
    with wrapping_arithmetic():
        _play_all(options, codes, strides, seed, first_play, out.plays, out.seats, out.squares)


def _eat_memory() -> None:
    """Take a quarter of the machine's memory, and wait for what comes."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    taken = np.ones(total // 4, np.uint8)
    time.sleep(60)
    del taken


def trace(setup: Setup, seed: int, play_number: int) -> list[Event]:
    out = GAME.out(setup, 1)
    play(setup, seed, play_number, 1, out)
    row = {c.name: int(out.plays[0][c.name]) for c in PLAY_COLUMNS}
    seats = [{c.name: int(s[c.name]) for c in SEAT_COLUMNS} for s in out.seats[0]]
    return [
        {"event": "setup", "play": play_number, "seed": seed},
        {"event": "end", "play": row, "seats": seats},
    ]


def describe(events: Sequence[Event], language: str) -> Iterator[str]:
    for event in events:
        yield f"{'evento' if language == 'it' else 'event'}: {event['event']}"


GAME = Game(
    "toy", "The Toy", OPTIONS, STRATEGIES, PLAY_COLUMNS, SEAT_COLUMNS, SQUARE_COLUMNS,
    ("rounds", "turns"), prepare, play, trace, describe, lambda setup: None,
)  # fmt: skip

games.GAMES["toy"] = "toy_game"
