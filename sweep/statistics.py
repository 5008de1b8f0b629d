"""Statistics, as pure functions of counts and exact sums. No randomness, no files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Z95 = 1.959963984540054  # the 97.5% quantile of the normal distribution


class Mean(NamedTuple):
    """A mean of `n` values and its standard error (nan when it cannot be told)."""

    mean: float
    se: float
    n: int

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval, by the normal approximation."""
        return Z95 * self.se


def mean_of(n: int, total: int, squares: int) -> Mean:
    """Return the mean from exact sums, without cancellation: all differences are whole numbers.

    Args:
        n: How many values.
        total: Their sum.
        squares: The sum of their squares.
    """
    if n == 0:
        return Mean(math.nan, math.nan, 0)
    if n == 1:
        return Mean(float(total), math.nan, 1)
    variance = (n * squares - total * total) / (n * (n - 1))
    return Mean(total / n, math.sqrt(variance / n), n)


def share(hits: int, n: int) -> Mean:
    """Return `hits` of `n` as a mean of zeros and ones."""
    return mean_of(n, hits, hits)


def wilson(hits: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's interval (1927) for a share: sensible at 0, at 1 and for small `n`."""
    if n == 0:
        return 0.0, 1.0
    p = hits / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def chi_squared_tail(x: float, freedom: int) -> float:
    """Return the probability that a chi-squared variable of `freedom` degrees exceeds `x`.

    By the finite sums for whole numbers of degrees (Abramowitz and Stegun 26.4.4 and 26.4.5).
    """
    if x <= 0:
        return 1.0
    if freedom % 2 == 0:
        term, tail = math.exp(-x / 2), 0.0
        for i in range(freedom // 2):
            tail += term
            term *= x / (2 * (i + 1))
        return min(1.0, tail)
    tail = math.erfc(math.sqrt(x / 2))
    term = math.sqrt(2 * x / math.pi) * math.exp(-x / 2)
    for i in range((freedom - 1) // 2):
        tail += term
        term *= x / (2 * i + 3)
    return min(1.0, tail)


def fairness(wins: Sequence[int]) -> float:
    """Return the p-value of "all win equally often": Pearson's chi-squared test.

    Args:
        wins: Plays won by each turn order, or seat; unfinished plays are in none of them.
    """
    if sum(wins) == 0 or len(wins) < 2:
        return 1.0
    expected = sum(wins) / len(wins)
    statistic = sum((count - expected) ** 2 for count in wins) / expected
    return chi_squared_tail(statistic, len(wins) - 1)


def normal_p(difference: float, se: float) -> float:
    """Return the two-sided p-value of "no difference" for one whose error is normal."""
    if difference == 0 or math.isnan(se):
        return 1.0
    return math.erfc(abs(difference) / se / math.sqrt(2)) if se > 0 else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for being several, by Holm's step-down method (1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    worst = 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = worst
    return corrected
