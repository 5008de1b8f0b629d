"""One side of `dojo bench --peers`: plays at random, on one core, as long as it is asked to.

``python -m dojo_core.peer NAME`` says "ready", and answers each number of seconds with the seconds
it took, the plays it finished and the decisions made in them. All decide uniformly at random, so
that what is compared is the rules' speed. A decision is a moment at which a player is asked.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

Measured = tuple[float, int, float]
Play = Callable[[float], Measured]

# Where plays are finished inside a library that counts nothing, decisions are counted in so many
# plays of their own, unmeasured.
COUNTED_PLAYS = 50
# Rounds of a play of ours.
ROUNDS = 100
# Plays that pgx plays side by side, and steps a call.
ABREAST = 1024
STEPS = 50


def dojo() -> Play:
    """Il Labirinto del Dojo, 4 players, compiled or (NUMBA_DISABLE_JIT=1) plain Python.

    Among random players nobody wins, so plays are cut off, after as many rounds as are played
    in plain Python within a second.
    """
    from dojo_core import bench, games
    from dojo_core.kernel import plain_python

    game = games.load("labirinto")
    options = {"player": "random", "players": 4, "max_rounds": ROUNDS}
    setup = game.prepare(game.resolve(options))
    batch = 1 if plain_python() else 64
    a_turn = bench.decisions_per_turn(game, setup)
    game.play(setup, 1, 0, 1, game.out(setup, 1))

    def play(seconds: float) -> Measured:
        began, plays, turns = time.perf_counter(), 0, 0
        while time.perf_counter() - began < seconds:
            out = game.out(setup, batch)
            game.play(setup, 1, plays, batch, out)
            plays += batch
            turns += int(out.plays["turns"].sum())
        return time.perf_counter() - began, plays, turns * a_turn

    return play


def openspiel(name: str) -> Play:
    """OpenSpiel's C++ loop over one of its games, with its uniform random bots."""
    import pyspiel

    game = pyspiel.load_game(name)
    bots = [
        pyspiel.make_uniform_random_bot(player, 1 + player) for player in range(game.num_players())
    ]
    draw = random.Random(1)
    decisions = sum(
        _openspiel_decisions(game.new_initial_state(), draw) for _ in range(COUNTED_PLAYS)
    )
    seed = 0

    def play(seconds: float) -> Measured:
        nonlocal seed
        began, plays = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
            seed += 1
            plays += 1
        return time.perf_counter() - began, plays, plays * decisions / COUNTED_PLAYS

    return play


def _openspiel_decisions(state: Any, draw: random.Random) -> int:
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(draw.choices(actions, chances)[0])
        else:
            state.apply_action(draw.choice(state.legal_actions()))
            decisions += 1
    return decisions


def catanatron() -> Play:
    """Catan by catanatron's own loop, with 4 of its random players."""
    from catanatron import Color, Game, RandomPlayer

    def play(seconds: float) -> Measured:
        began, plays, decisions = time.perf_counter(), 0, 0
        while time.perf_counter() - began < seconds:
            game = Game([RandomPlayer(color) for color in Color])
            game.play()
            plays += 1
            decisions += len(game.state.actions)
        return time.perf_counter() - began, plays, decisions

    return play


def pgx() -> Play:
    """Backgammon by pgx on the processor, many plays side by side, each begun anew at its end."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("backgammon")
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carried: Any, _: Any) -> Any:
        state, key = carried
        key, choosing, rolling = jax.random.split(key, 3)
        chances = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        chosen = jax.random.categorical(choosing, chances, axis=1)
        state = step(state, chosen, jax.random.split(rolling, ABREAST))
        return (state, key), state.terminated.sum()

    def several(state: Any, key: Any) -> Any:
        carried, ended = jax.lax.scan(one, (state, key), None, length=STEPS)
        return *carried, ended.sum()

    many = jax.jit(several)
    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, ABREAST))
    # Compile, and come to where plays end at all times.
    for _ in range(4):
        state, key, _ = many(state, key)

    def play(seconds: float) -> Measured:
        nonlocal state, key
        began, plays, decisions = time.perf_counter(), 0, 0
        while time.perf_counter() - began < seconds:
            state, key, ended = many(state, key)
            plays += int(ended)
            decisions += ABREAST * STEPS
        return time.perf_counter() - began, plays, decisions

    return play


SIDES: dict[str, Callable[[], Play]] = {
    "dojo": dojo,
    "openspiel_maedn": lambda: openspiel("maedn"),
    "openspiel_backgammon": lambda: openspiel("backgammon"),
    "catanatron": catanatron,
    "pgx": pgx,
}


def stay_on_one_core() -> None:
    """Keep this process, and all threads it will start, on one core where the system can."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


if __name__ == "__main__":
    stay_on_one_core()
    side = SIDES[sys.argv[1]]()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(side(json.loads(line))), flush=True)
