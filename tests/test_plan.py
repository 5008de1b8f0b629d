"""The plan: its identity, its blocks, and how it survives being written."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import toy_game
from conftest import GRID
from hypothesis import given
from hypothesis import strategies as st
from sweep_runs import frozen

from dojo_core.errors import DojoError
from sweep import calibration
from sweep.blocks import play_block
from sweep.calibration import block_exponent, least_plays
from sweep.plan import (
    Block,
    Calibration,
    Plan,
    Point,
    gaps,
    guided,
    joined,
    missing_blocks,
    with_calibration,
)


def test_the_same_grid_gives_the_same_hash_and_remarks_do_not_count(write_grid):
    first = frozen(write_grid(GRID))
    second = frozen(write_grid("# a remark\n" + GRID))
    assert first.hash == second.hash
    assert first.points == second.points


def test_block_size_and_time_of_making_do_not_change_the_hash(write_grid):
    plan = frozen(write_grid())
    assert replace(plan, exponent=3, created=0.0).hash == plan.hash


@pytest.mark.parametrize(
    ("old", "new"),
    [("seed = 7", "seed = 8"), ("plays = 100", "plays = 99"), ("[10, 20]", "[10, 21]")],
)
def test_what_changes_rows_changes_the_hash(write_grid, old, new):
    before = frozen(write_grid(GRID)).hash
    assert frozen(write_grid(GRID.replace(old, new))).hash != before


def test_more_plays_or_values_keep_the_ids_of_the_points_there_were(write_grid):
    before = frozen(write_grid(GRID))
    after = frozen(write_grid(GRID.replace("[10, 20]", "[10, 15, 20]").replace("100", "200")))
    assert {p.id for p in before.points} < {p.id for p in after.points}


def test_another_seed_or_engine_makes_other_points(write_grid, monkeypatch):
    before = {p.id for p in frozen(write_grid(GRID)).points}
    assert before.isdisjoint(p.id for p in frozen(write_grid(GRID.replace("= 7", "= 8"))).points)
    monkeypatch.setattr("dojo_core.kernel.engine_hash", lambda game: "another")
    assert before.isdisjoint(p.id for p in frozen(write_grid(GRID)).points)


def test_a_points_id_is_a_hash_of_all_that_decides_its_plays(write_grid, tmp_path):
    (tmp_path / "mine.txt").write_text("# a remark\nxx\n")
    plan = frozen(write_grid(GRID + '[fixed]\ntrack = "mine.txt"\nplayer = "runner"\n'))
    for point in plan.points:
        options = plan.resolved(point)
        options["track"] = hashlib.sha256(b"xx").hexdigest()  # without its remarks
        parts = json.dumps(["toy", options, plan.engine, 7], sort_keys=True)
        digest = hashlib.sha256(parts.encode()).digest()
        assert point.id == base64.b32encode(digest).decode()[:12].lower()


def test_a_plan_is_read_back_as_it_was_written(write_grid):
    text = GRID + '[fixed]\nplayer = "runner"\n[[together]]\ndie = ["coin"]\nbonus = [true]\n'
    plan = frozen(write_grid(text))
    assert Plan.from_json(plan.to_json()) == plan


def test_an_altered_plan_is_refused(write_grid):
    text = frozen(write_grid()).to_json().replace('"seed": 7', '"seed": 8')
    with pytest.raises(DojoError, match="was altered"):
        Plan.from_json(text)


def test_the_plan_does_not_grow_with_its_blocks(write_grid):
    short = frozen(write_grid(GRID))
    long = frozen(write_grid(GRID.replace("plays = 100", "plays = 100_000_000")))
    assert len(long.to_json()) - len(short.to_json()) < 100


def test_a_point_is_found_by_number_or_by_the_beginning_of_its_id(write_grid):
    plan = frozen(write_grid())
    assert plan.find("2") == plan.points[1]
    assert plan.find(plan.points[3].id[:8]) == plan.points[3]
    with pytest.raises(DojoError, match="'5' names no point of toy: expected a number from 1 to 4"):
        plan.find("5")
    with pytest.raises(DojoError, match="names no point"):
        plan.find("")


RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=6)


@given(RANGES, st.integers(1, 70), st.integers(0, 5))
def test_missing_blocks_and_what_is_there_are_every_play_once(pairs, plays, exponent):
    held = joined([(first, first + length) for first, length in pairs])
    point = Point("p", (), plays)
    blocks = list(missing_blocks([point], {"p": held}, exponent))
    there = {play for first, end in held for play in range(first, end)}
    played = list(itertools.chain.from_iterable(range(b.first, b.end) for b in blocks))
    assert sorted(played) == [play for play in range(plays) if play not in there]
    assert all(b.first >> exponent == (b.end - 1) >> exponent for b in blocks)


@given(RANGES, st.integers(1, 70), st.integers(0, 5), st.integers(1, 4), st.integers(1, 8))
def test_pieces_of_blocks_are_the_same_plays_in_the_same_order(
    pairs, plays, exponent, workers, least
):
    held = joined([(first, first + length) for first, length in pairs])
    blocks = list(missing_blocks([Point("p", (), plays)], {"p": held}, exponent))
    left = sum(block.plays for block in blocks)
    pieces = list(guided(blocks, left, lambda left: max(least, left // (4 * workers))))
    assert [play for b in pieces for play in range(b.first, b.end)] == [
        play for b in blocks for play in range(b.first, b.end)
    ]


def test_pieces_become_shorter_as_less_is_left():
    blocks = missing_blocks([Point("p", (), 64)], {}, 4)
    pieces = guided(blocks, 64, lambda left: max(2, left // 8))
    assert [b.plays for b in pieces] == [8] * 4 + [4] * 3 + [2] * 10


def test_pieces_are_aligned_as_blocks_are():
    (block,) = missing_blocks([Point("p", (), 16)], {"p": [(0, 3)]}, 4)
    pieces = guided([block], 13, lambda left: 4)
    assert [(b.first, b.end) for b in pieces] == [(3, 4), (4, 8), (8, 12), (12, 16)]


@pytest.mark.parametrize(
    ("workers", "left", "expected"),
    [
        (2, 10**6, 125_000),  # a quarter of what each of two gets
        (2, 100, 1024),  # an eighth of a block
        (400, 100, 4000),  # of a millisecond each: 400 cores make the driver busy
        (4000, 10**6, 40_000),  # so they are not cut at all
    ],
)
def test_blocks_are_cut_smaller_towards_the_end(write_grid, workers, left, expected):
    plan = with_calibration(frozen(write_grid()), Calibration(0.001, 100, 0), 13)
    assert least_plays(plan, workers, left) == expected


def test_blocks_of_a_quarter_second_are_not_cut(write_grid):
    plan = with_calibration(frozen(write_grid()), Calibration(0.001, 100, 0), 8)
    (block,) = guided([Block("p", 0, 256)], 256, lambda left: least_plays(plan, 2, left))
    assert block.plays == 256


def test_gaps_end_where_the_plan_ends():
    assert gaps([(0, 10), (20, 400)], 100) == [(10, 20)]


@pytest.mark.parametrize("seconds", [0.001, 0.0008, 0.0007])
def test_blocks_take_about_five_seconds_when_there_is_work_for_long(write_grid, seconds):
    plan = frozen(write_grid(GRID.replace("plays = 100", "plays = 10_000_000")))
    exponent = block_exponent(plan, Calibration(seconds, 100, 0), workers=2, play_bytes=100)
    assert 5 / 2**0.5 < seconds * 2**exponent < 5 * 2**0.5


def test_blocks_fit_in_memory_and_in_a_point(write_grid):
    plan = frozen(write_grid(GRID.replace("plays = 100", "plays = 10_000_000")))
    quick = Calibration(1e-7, 100, 0)
    assert 1000 * 2 ** block_exponent(plan, quick, workers=2, play_bytes=1000) <= 64 * 2**20
    short = frozen(write_grid())
    assert block_exponent(short, quick, workers=2, play_bytes=10) == 7


def test_a_trial_goes_on_while_what_it_measures_is_mostly_waiting(write_grid, monkeypatch):
    clock = [0.0]

    def waits_and_plays(game, setup, seed, block, record):
        clock[0] += 0.5 + 0.001 * block.plays
        return play_block(game, setup, seed, block, record)

    monkeypatch.setattr(calibration, "play_block", waits_and_plays)
    monkeypatch.setattr(calibration, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    plan = frozen(write_grid(GRID.replace("plays = 100", "plays = 10_000")))
    setups = {plan.points[0].id: plan.setup(toy_game.GAME, plan.points[0])}
    found = calibration.calibrate(plan, toy_game.GAME, setups)
    assert 0.001 <= found.seconds_per_play < 0.002
