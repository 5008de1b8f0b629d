"""A disk that really fills up, on a small file system in memory: stopped at once, then gone on."""

from __future__ import annotations

import subprocess

import pytest
from conftest import GRID
from sweep_runs import play, rows

LARGE = GRID.replace("plays = 100", "plays = 40_000")


def mount(path, size):
    options = f"size={size}" if not path.is_mount() else f"remount,size={size}"
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mount(disk, "600k"):
        pytest.skip("only root may mount a file system in memory")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("way", ["--no-ray", "--ray"])
def test_a_full_disk_stops_with_one_sentence_and_more_room_goes_on(
    write_grid, tmp_path, small_disk, toy_command, toy_environment, way
):
    path = write_grid(LARGE)

    def run(way):
        words = [*toy_command, "run", str(path), way, "--results", str(small_disk), "--yes"]
        return subprocess.run(
            words, env=toy_environment, capture_output=True, text=True, timeout=120
        )

    stopped = run(way)
    assert stopped.returncode == 3
    (sentence,) = stopped.stderr.strip().splitlines()
    assert "No space left on device" in sentence
    assert not [p for p in small_disk.rglob("*.tmp") if p.stat().st_size]
    mount(small_disk, "50m")
    assert run("--no-ray").returncode == 0
    play(path, tmp_path / "other", exponent=12)
    assert rows(small_disk).equals(rows(tmp_path / "other"))
