"""What `dojo-sweep bench` measures, on the toy game. No test says how fast anything is."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import toy_game
from sweep_runs import frozen

from sweep import store
from sweep.backends import Threads
from sweep.bench import BARE, PHASES, THREADS, Report, Sample, bench, shortened
from sweep.crowd import crowd
from sweep.plan import Calibration


def test_ratios_pair_the_samples_of_one_turn() -> None:
    samples = {BARE: [Sample(100, 1), Sample(10, 1)], THREADS: [Sample(90, 1), Sample(8, 1)]}
    report = Report("toy", 2, 1, 1, 0.1, {}, samples)
    assert report.ratios(THREADS) == [0.9, 0.8]


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
    assert {way: len(samples) for way, samples in report.samples.items()} == {BARE: 2, THREADS: 2}
    assert tuple(report.phases) == PHASES
    assert all(0 < s.share <= 1 for samples in report.samples.values() for s in samples)
    assert all(sample.play_bytes > 0 for sample in report.samples[THREADS])
    assert list(here.iterdir()) == []
    assert told == ["warming up", "turn 1 of 2", "turn 2 of 2"]


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
    done = subprocess.run(
        [*toy_command, *words], env=toy_environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert list(report["samples"]) == ["bare", "threads", *(["ray"] if ray else [])]


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
