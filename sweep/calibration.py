"""What a play takes, by a short trial on this machine, and the blocks that a plan is cut into."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dojo_core.game import Game, Setup
from sweep.blocks import MAX_BLOCK_BYTES, bytes_per_play, play_block
from sweep.plan import (
    Block,
    Calibration,
    Plan,
    Ranges,
    guided,
    missing_blocks,
    plays_stored,
)
from sweep.store import arrow_file

TRIAL_SECONDS = 0.3  # a point
BLOCK_SECONDS = 5.0  # what a block takes when there is work for long
BLOCKS_A_CORE = 24  # what a core gets at least, so that progress shows and cores end together
UNKNOWN = (0.001, 500.0, 10_000.0)  # what is assumed when every trial raises
LEAST_SECONDS = 0.25  # a block shorter than that is not worth its files
LEAST_PART = 8  # no block is cut into more pieces when little is left
DRIVER_SECONDS = 0.01  # that the driver may need for a block, amply: many cores make it busy


def calibrate(plan: Plan, game: Game, setups: Mapping[str, Setup]) -> Calibration:
    """Play a little at some points and measure; the mean over them stands for all.

    Args:
        plan: The plan.
        game: The game.
        setups: Some of its points by id, prepared.
    """
    trials = [_trial(plan, game, point, setup) for point, setup in setups.items()]
    tried = [trial for trial in trials if trial] or [UNKNOWN]
    return Calibration(*(sum(parts) / len(tried) for parts in zip(*tried, strict=True)))


@dataclass(frozen=True)
class Estimate:
    """What a plan amounts to, by its calibration.

    Attributes:
        points: Points.
        plays: Plays of all points together.
        stored: Plays of them that are stored already.
        blocks: Blocks that the plays are cut into, the last ones not yet cut smaller.
        seconds: How long playing what is not stored takes.
        bytes: How much the whole sweep takes on disk, once merged.
    """

    points: int
    plays: int
    stored: int
    blocks: int
    seconds: float
    bytes: float


def estimate(plan: Plan, stored: int, workers: int) -> Estimate:
    """Return what a calibrated plan amounts to.

    Args:
        plan: The plan.
        stored: Plays of it that are stored already.
        workers: Cores at work.
    """
    plays = plan.plays_planned
    block = 1 << plan.exponent
    return Estimate(
        points=len(plan.points),
        plays=plays,
        stored=stored,
        blocks=sum(-(-point.plays // block) for point in plan.points),
        seconds=plan.calibration.seconds_per_play * max(0, plays - stored) / workers,
        bytes=plan.calibration.size(plays, len(plan.points)),
    )


def _trial(plan: Plan, game: Game, point: str, setup: Setup) -> tuple[float, float, float] | None:
    """Return seconds a play, bytes a play and bytes of a point; None when its plays raise."""
    most = max(1, min(plan.find(point).plays, MAX_BLOCK_BYTES // bytes_per_play(game, setup)))
    taken = 0.0
    try:
        play_block(game, setup, plan.seed, Block(point, 0, 1), plan.record)  # compiles
        for plays in itertools.takewhile(lambda n: n < 4 * most, (4**k for k in itertools.count())):
            before, started = taken, time.perf_counter()
            tables = play_block(game, setup, plan.seed, Block(point, 0, plays), plan.record)
            taken = time.perf_counter() - started
            # What does not grow with the plays is not theirs: Ray may be starting beside this.
            if plays > 1 and taken > max(TRIAL_SECONDS, 2 * before):
                break
    except Exception:  # the run will tell, with the traceback and the block
        return None
    sizes = {n: len(arrow_file(t)) - len(arrow_file(t.slice(0, 0))) for n, t in tables.items()}
    a_play = sum(size for name, size in sizes.items() if name in ("plays", "seats"))
    return taken / plays, a_play / plays, sum(sizes.values()) - a_play


def block_exponent(plan: Plan, calibration: Calibration, workers: int, play_bytes: int) -> int:
    """Return k: blocks of 2**k plays take about five seconds, less when there is little to do.

    Args:
        plan: The plan.
        calibration: What a play takes.
        workers: Cores at work.
        play_bytes: Bytes of one play's rows in memory, at the largest point.
    """
    total = calibration.seconds_per_play * plan.plays_planned
    wanted = total / (BLOCKS_A_CORE * workers)
    seconds = min(BLOCK_SECONDS, max(LEAST_SECONDS, wanted))
    plays = seconds / max(calibration.seconds_per_play, 1e-9)
    nearest = round(math.log2(max(1.0, plays)))
    fitting = int(math.log2(max(1.0, MAX_BLOCK_BYTES / play_bytes)))
    most = max(point.plays for point in plan.points)
    return min(nearest, fitting, (most - 1).bit_length())


def in_turn(plan: Plan, tried: Mapping[str, Ranges], workers: Callable[[], int]) -> Iterator[Block]:
    """Yield the blocks that are missing as cores are given them, the last ones in pieces.

    Args:
        plan: The plan, calibrated.
        tried: The ranges of plays, by point, that are not missing.
        workers: Asked how many cores are at work now.
    """
    left = plan.plays_planned - plays_stored(plan.points, tried)
    blocks = missing_blocks(plan.points, tried, plan.exponent)
    return guided(blocks, left, lambda plays: least_plays(plan, workers(), plays))


def least_plays(plan: Plan, workers: int, left: int) -> int:
    """Return how many plays a block has at least when `left` are left.

    A quarter of what each core still gets, but so many that they are worth their files, and that
    the driver keeps up.

    Args:
        plan: The plan, calibrated.
        workers: Cores at work.
        left: Plays that no core has begun.
    """
    seconds = max(LEAST_SECONDS, DRIVER_SECONDS * workers)
    worth = int(seconds / max(plan.calibration.seconds_per_play, 1e-9))
    return max((1 << plan.exponent) // LEAST_PART, worth, left // (4 * workers), 1)
