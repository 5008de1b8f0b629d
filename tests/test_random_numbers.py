"""The generator is SplitMix64 on keys of seed, play and stream: compared with plain whole numbers.

The same tests pass compiled and with ``NUMBA_DISABLE_JIT=1``.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from dojo_core import random_numbers
from dojo_core.kernel import entry, plain_python, wrapping_arithmetic

ALL = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15
WORDS = st.integers(0, ALL)
MANY = 20_000 if plain_python() else 200_000
# A fair generator fails one such test in a million.
UNLIKELY = 1e-6


@entry
def key(seed, play, stream):
    return random_numbers.stream_key(np.uint64(seed), np.uint64(play), np.uint64(stream))


@entry
def words(streams, stream, out):
    for k in range(len(out)):
        out[k] = random_numbers.next_word(streams, stream)


@entry
def below(word, bound):
    return random_numbers.below(np.uint64(word), bound)


@entry
def spent(word, bounds, out):
    part = random_numbers.fraction(np.uint64(word))
    for k in range(len(bounds)):
        out[k], part = random_numbers.spend(part, bounds[k])


def mix_twin(word):
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & ALL
    word = (word ^ word >> 27) * 0x94D049BB133111EB & ALL
    return word ^ word >> 31


def key_twin(seed, play, stream):
    word = mix_twin(seed + GAMMA & ALL)
    word = mix_twin(word + play * GAMMA & ALL)
    return mix_twin(word + stream * GAMMA & ALL)


def spent_twin(word, bounds):
    part, answers = word >> 4, []
    for bound in bounds:
        answers.append(part * bound >> 60)
        part = part * bound & (1 << 60) - 1
    return answers


def drawn(streams, stream, count):
    out = np.zeros(count, np.uint64)
    with wrapping_arithmetic():
        words(streams, stream, out)
    return out


def drawn_below(bound, count, seed=1):
    with wrapping_arithmetic():
        streams = np.array([key(np.uint64(seed), np.uint64(0), np.uint64(0))], np.uint64)
    return [int(below(word, bound)) for word in drawn(streams, 0, count)]


def test_first_words_of_the_published_generator():
    # SplitMix64 seeded with 0, as every implementation of it gives.
    assert drawn(np.zeros(1, np.uint64), 0, 3).tolist() == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@settings(deadline=None)  # The first example compiles.
@given(WORDS, WORDS, st.integers(0, 1000))
def test_stream_key_is_the_one_of_plain_whole_numbers(seed, play, stream):
    with wrapping_arithmetic():
        found = key(np.uint64(seed), np.uint64(play), np.uint64(stream))
    assert int(found) == key_twin(seed, play, stream)


@settings(deadline=None)
@given(WORDS, st.integers(1, 20))
def test_words_are_those_of_plain_whole_numbers(start, count):
    found = drawn(np.array([start], np.uint64), 0, count)
    assert found.tolist() == [mix_twin(start + k * GAMMA & ALL) for k in range(1, count + 1)]


@settings(deadline=None)
@given(WORDS, st.integers(1, (1 << 31) - 1))
def test_below_takes_the_upper_half_of_a_word(word, bound):
    found = int(below(np.uint64(word), bound))
    assert found == (word >> 32) * bound >> 32
    assert 0 <= found < bound


@settings(deadline=None)
@given(WORDS, st.lists(st.integers(1, 15), min_size=1, max_size=12))
def test_spend_splits_a_word_as_plain_whole_numbers_do(word, bounds):
    out = np.zeros(len(bounds), np.int64)
    spent(np.uint64(word), np.array(bounds), out)
    assert out.tolist() == spent_twin(word, bounds)
    assert all(0 <= answer < bound for answer, bound in zip(out.tolist(), bounds, strict=True))


def test_drawing_from_a_stream_leaves_the_others_alone():
    streams = np.array([1, 2, 3], np.uint64)
    drawn(streams, 1, 5)
    assert streams.tolist() == [1, (2 + 5 * GAMMA) & ALL, 3]


def test_keys_of_seeds_plays_and_streams_all_differ():
    with wrapping_arithmetic():
        keys = {
            int(key(np.uint64(seed), np.uint64(play), np.uint64(stream)))
            for seed in range(10)
            for play in range(40)
            for stream in range(26)
        }
    assert len(keys) == 10 * 40 * 26


@pytest.mark.parametrize("bound", [2, 3, 6, 10, 22])
def test_below_is_uniform(bound):
    answers = drawn_below(bound, MANY)
    assert chisquare(np.bincount(answers, minlength=bound)).pvalue > UNLIKELY


def test_successive_dice_are_independent():
    dice = np.array(drawn_below(6, MANY))
    pairs = np.bincount(6 * dice[0::2] + dice[1::2], minlength=36)
    assert chisquare(pairs).pvalue > UNLIKELY


def test_first_dice_of_successive_plays_are_uniform():
    with wrapping_arithmetic():
        keys = [key(np.uint64(1), np.uint64(play), np.uint64(2)) for play in range(MANY // 10)]
    streams = np.array(keys, np.uint64)
    first = [int(below(drawn(streams, play, 1)[0], 6)) for play in range(len(streams))]
    assert chisquare(np.bincount(first, minlength=6)).pvalue > UNLIKELY


def test_all_answers_spent_from_one_word_are_uniform_and_independent():
    bounds = np.array([4, 3, 2] * 4)
    answers = np.zeros((MANY // 10, len(bounds)), np.int64)
    for row, word in zip(answers, drawn(np.array([7], np.uint64), 0, len(answers)), strict=True):
        spent(word, bounds, row)
    for column, bound in zip(answers.T, bounds, strict=True):
        assert chisquare(np.bincount(column, minlength=bound)).pvalue > UNLIKELY
    first_and_last = 2 * answers[:, 0] + answers[:, -1]
    assert chisquare(np.bincount(first_and_last, minlength=8)).pvalue > UNLIKELY
