"""One small counter-based generator, used inside the compiled code.

A stream is a 64-bit key; its draw number n is ``mix(key + n * GAMMA)``: Steele, Lea and Flood's
SplitMix64 (OOPSLA 2014). A key is made of the sweep's seed, the play's index and the stream's
number, so a play never depends on the plays before it, on block sizes or on workers.
"""

from __future__ import annotations

import numpy as np

from dojo_core.kernel import inlined, whole

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)
_32 = np.uint64(32)
_4 = np.uint64(4)

FRACTION_BITS = np.uint64(60)
FRACTION_MASK = np.uint64((1 << 60) - 1)


@inlined
def mix(word: np.uint64) -> np.uint64:
    """Return `word` scrambled: a bijection of the 64-bit words."""
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@inlined
def stream_key(seed: np.uint64, play: np.uint64, stream: np.uint64) -> np.uint64:
    """Return the key of stream number `stream` of play number `play` under `seed`."""
    return mix(mix(mix(seed + GAMMA) + play * GAMMA) + stream * GAMMA)


@inlined
def next_word(streams: np.ndarray, stream: int) -> np.uint64:
    """Return the next 64-bit word of ``streams[stream]`` and move that stream on by one."""
    streams[stream] += GAMMA
    return mix(streams[stream])


@inlined
def below(word: np.uint64, bound: int) -> int:
    """Return a whole number in [0, bound) from the upper half of `word` (bound < 2**31).

    Uniform up to a bias under ``bound / 2**32``.
    """
    return whole(((word >> _32) * np.uint64(bound)) >> _32)


@inlined
def fraction(word: np.uint64) -> np.uint64:
    """Return `word` as a 60-bit fraction, to be spent by `spend`."""
    return word >> _4


@inlined
def spend(part: np.uint64, bound: int) -> tuple[int, np.uint64]:
    """Split a 60-bit fraction: a whole number in [0, bound), and the fraction that is left.

    One word serves a whole move this way: twelve choices among four leave 36 bits unused.
    `bound` may not exceed 15.
    """
    product = part * np.uint64(bound)
    return whole(product >> FRACTION_BITS), product & FRACTION_MASK
