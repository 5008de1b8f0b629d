"""The statistics, against SciPy and against the definitions."""

from __future__ import annotations

import math
import statistics as stdlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sweep.statistics import chi_squared_tail, fairness, holm, mean_of, share, wilson


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=50))
def test_mean_and_error_from_exact_sums(values):
    found = mean_of(len(values), sum(values), sum(v * v for v in values))
    assert found.mean == pytest.approx(stdlib.fmean(values), abs=1e-6)
    error = stdlib.stdev(values) / math.sqrt(len(values))
    assert found.se == pytest.approx(error, rel=1e-9, abs=1e-9)


def test_equal_values_have_no_error_however_large():
    assert mean_of(10**6, 10**15, 10**24).se == 0.0


def test_no_value_has_no_mean_and_one_value_no_error():
    assert math.isnan(mean_of(0, 0, 0).mean)
    assert math.isnan(share(1, 1).se)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(case):
    hits, n = case
    expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_nothing_known_about_a_share_is_the_whole_range():
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.floats(0, 200), st.integers(1, 12))
def test_chi_squared_tail_agrees_with_scipy(x, freedom):
    assert chi_squared_tail(x, freedom) == pytest.approx(stats.chi2.sf(x, freedom), rel=1e-9)


@given(st.lists(st.integers(1, 500), min_size=2, max_size=8))
def test_fairness_is_pearsons_test(wins):
    assert fairness(wins) == pytest.approx(stats.chisquare(wins).pvalue, rel=1e-9)


def test_fairness_without_wins_has_nothing_to_say():
    assert fairness([0, 0, 0]) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_the_step_down_method(p_values):
    order = np.argsort(p_values, kind="stable")
    expected = np.empty(len(p_values))
    stepped = np.sort(p_values) * np.arange(len(p_values), 0, -1)
    expected[order] = np.minimum(1, np.maximum.accumulate(np.minimum(1, stepped)))
    assert holm(p_values) == pytest.approx(list(expected))
