"""A short trial on this machine: how long a play takes, how large it is, how large a block be."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping

import pyarrow as pa
from pyarrow import ipc

from dojo_core.game import Game, Setup
from sweep.blocks import MAX_BLOCK_BYTES, bytes_per_play, play_block
from sweep.plan import Block, Calibration, Plan

TRIAL_SECONDS = 0.3  # a point
BLOCK_SECONDS = 5.0  # what a block takes when there is work for long
BLOCKS_A_CORE = 24  # what a core gets at least, so that progress shows and cores end together
LEAST_SECONDS = 0.25  # a block shorter than that is not worth its files


def calibrate(plan: Plan, game: Game, setups: Mapping[str, Setup]) -> Calibration:
    """Play a little at some points and measure; the mean over them stands for all.

    Args:
        plan: The plan.
        game: The game.
        setups: Some of its points by id, prepared.
    """
    seconds, a_play, a_point = 0.0, 0.0, 0.0
    for point, setup in setups.items():
        game.play(setup, plan.seed, 0, 1, game.out(setup, 1))
        plays, taken = 1, 0.0
        while taken < TRIAL_SECONDS and plays * bytes_per_play(game, setup) < MAX_BLOCK_BYTES:
            plays *= 4
            started = time.perf_counter()
            tables = play_block(game, setup, plan.seed, Block(point, 0, plays), plan.record)
            taken = time.perf_counter() - started
        seconds += taken / plays
        for name, table in tables.items():
            size = _stored_bytes(table) - _stored_bytes(table.slice(0, 0))
            if name in ("plays", "seats"):
                a_play += size / plays
            else:
                a_point += size
    count = len(setups)
    return Calibration(seconds / count, a_play / count, a_point / count)


def _stored_bytes(table: pa.Table) -> int:
    file = io.BytesIO()
    options = ipc.IpcWriteOptions(compression="zstd")
    with ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)
    return len(file.getvalue())


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
    plays = min(seconds / max(calibration.seconds_per_play, 1e-9), MAX_BLOCK_BYTES / play_bytes)
    exponent = max(1, int(plays)).bit_length() - 1
    return min(exponent, (plan.plays - 1).bit_length())
