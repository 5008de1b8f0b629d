"""What `dojo-sweep bench` measures, on the toy game. No test says how fast anything is."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest
import toy_game
from conftest import GRID
from sweep_runs import frozen, play, rows

from dojo_core.game import Game
from sweep import bench as sweep_bench
from sweep import pretended, store
from sweep.backends import Threads
from sweep.bench import ALONE, BARE, PARTS, PHASES, THREADS, Report, Sample, bench, shortened
from sweep.crowd import crowd
from sweep.places import at
from sweep.plan import Block, Calibration, Plan
from sweep.queries import connect, sweeps
from sweep.verify import verify


def test_times_alone_are_of_the_core_alone_just_before_and_after() -> None:
    rates = {ALONE: (90, 110, 10, 10, 30), BARE: (200, 15), THREADS: (60, 38)}
    samples = {way: [Sample(rate, {}) for rate in found] for way, found in rates.items()}
    report = Report("toy", "toy", 2, 1, 1, {}, {}, samples)
    assert report.times_alone(BARE) == [2.0, 1.5]
    assert report.times_alone(THREADS) == [1.0, 1.9]


def test_a_plan_is_shortened_to_the_seconds_asked_for(write_grid: Callable[..., Path]) -> None:
    plan = frozen(write_grid(), calibration=Calibration(0.001, 1.0, 1.0))
    short = shortened(plan, toy_game.GAME, 10.0, 2)
    assert short.plays_planned == 20_000
    assert [point.id for point in short.points] == [point.id for point in plan.points]


def test_every_way_plays_all_and_leaves_nothing_behind(
    write_grid: Callable[..., Path], tmp_path: Path
) -> None:
    plan = frozen(write_grid())
    here = tmp_path / "results"
    here.mkdir()
    told: list[str] = []
    ways = {THREADS: lambda job: Threads(job, 2)}
    report = bench(plan, toy_game.GAME, here, ways, 2, 2, told.append)
    assert (report.plays, report.blocks) == (400, 16)
    assert {way: len(samples) for way, samples in report.samples.items()} == {
        ALONE: 5,
        BARE: 2,
        THREADS: 2,
    }
    assert tuple(report.phases) == PHASES
    for sample in itertools.chain(*report.samples.values()):
        assert tuple(sample.parts) == PARTS
        assert sum(sample.parts.values()) == pytest.approx(1)
        assert all(0 <= part <= 1 for part in sample.parts.values())
    assert list(here.iterdir()) == []
    assert told == ["warming up", "turn 1 of 2", "turn 2 of 2"]


def test_one_core_alone_plays_the_same_mix_of_points(
    write_grid: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    played: dict[int, Counter[str]] = {}
    bare = sweep_bench._bare

    def noted(plan: Plan, game: Game, blocks: list[Block], workers: int) -> Sample:
        counts = played.setdefault(workers, Counter())
        for block in blocks:
            counts[block.point] += block.plays
        return bare(plan, game, blocks, workers)

    monkeypatch.setattr(sweep_bench, "_bare", noted)
    plan = frozen(write_grid())
    bench(plan, toy_game.GAME, tmp_path, {}, 2, 0, lambda turn: None)
    assert played[2] == dict.fromkeys([point.id for point in plan.points], 100)
    assert played[1] == dict.fromkeys([point.id for point in plan.points], 25)


def test_the_room_of_a_table_is_told_beside_the_entropy_of_its_columns(
    write_grid: Callable[..., Path], tmp_path: Path
) -> None:
    plan = frozen(write_grid())
    ways = {THREADS: lambda job: Threads(job, 2)}
    room = bench(plan, toy_game.GAME, tmp_path, ways, 1, 1, lambda turn: None).room
    play(write_grid(), tmp_path / "again")
    seats = rows(tmp_path / "again", "seats")
    bits = 0.0
    for point in plan.points:
        here = seats.filter(pc.field("point") == point.id)
        for column in toy_game.SEAT_COLUMNS:
            counts = pc.value_counts(here[column.name]).field("counts").to_numpy()
            bits -= (counts * np.log2(counts / counts.sum())).sum()
    assert room["seats"].entropy == pytest.approx(bits / 8 / plan.plays_planned)
    files = (tmp_path / "again" / plan.name / "seats").iterdir()
    assert room["seats"].stored == sum(map(os.path.getsize, files)) / plan.plays_planned


@pytest.mark.parametrize("ray", [False, True])
def test_the_command_compares_the_ways(
    write_grid: Callable[..., Path],
    tmp_path: Path,
    toy_command: list[str],
    toy_environment: dict[str, str],
    ray: bool,
) -> None:
    words = ["bench", str(write_grid()), "--seconds", "0.2", "--repeats", "1", "--workers", "1"]
    words += ["--results", str(tmp_path / "results"), "--json", "--ray" if ray else "--no-ray"]
    kept = tmp_path / "kept.jsonl"
    words += ["--keep", str(kept)]
    done = subprocess.run(
        [*toy_command, *words], env=toy_environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert list(report["samples"]) == ["alone", "bare", "threads", *(["ray"] if ray else [])]
    assert json.loads(kept.read_text())["samples"] == report["samples"]


@pytest.mark.parametrize("shared", [True, False])
def test_a_crowd_is_pretended_and_all_its_blocks_are_noted(
    write_grid: Callable[..., Path], tmp_path: Path, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_SMALL", 8)
    here = tmp_path / "results"
    here.mkdir()
    report = crowd(frozen(write_grid()), toy_game.GAME, here, 50, 40, shared)
    assert (report.workers, report.blocks) == (50, 40)
    assert report.block_bytes > 0
    assert report.served > 0
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("record", ["plays", "summary"])
def test_pretended_plays_make_a_sound_sweep_of_that_many(
    write_grid: Callable[..., Path],
    tmp_path: Path,
    record: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pretended, "TARGET_ROWS", 500)
    monkeypatch.setattr(pretended, "PLAYED", 64)
    text = GRID.replace("seed", f'record = "{record}"\nseed')
    plan = pretended.pretend(frozen(write_grid(text)), toy_game.GAME, at(tmp_path) / "toy", 4000)
    assert plan.plays_planned == sweeps(tmp_path)[0].plays_done == 4000
    assert verify(at(tmp_path) / "toy", toy_game.GAME, plan).findings == []
    if record == "plays":
        again = "SELECT count(DISTINCT rounds) FROM plays WHERE play IN (3, 67) GROUP BY point"
        assert connect(tmp_path).sql(again).fetchall() == [(1,)] * 4


def test_every_question_is_timed_as_often_as_asked(
    write_grid: Callable[..., Path],
    tmp_path: Path,
    toy_command: list[str],
    toy_environment: dict[str, str],
) -> None:
    words = ["bench", str(write_grid()), "--queries", "--pretend", "4000", "--repeats", "2"]
    words += ["--results", str(tmp_path / "results"), "--json"]
    done = subprocess.run(
        [*toy_command, *words], env=toy_environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    timed = json.loads(done.stdout)["questions"]
    assert {question["asked_by"] for question in timed} >= {"dashboard", "example"}
    assert all(len(question["wall"]) == len(question["cpu"]) == 2 for question in timed)
    assert list((tmp_path / "results").iterdir()) == []
