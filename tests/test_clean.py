"""`dojo-sweep clean`: what goes, and what stays."""

from __future__ import annotations

import pytest
from conftest import GRID
from sweep_runs import frozen, play, rows

from dojo_core.errors import DojoError
from sweep.clean import Cleaning
from sweep.places import at
from sweep.status import status

OTHER_SEED = GRID.replace("seed = 7", "seed = 8")


def waste(folder, old_plans=False):
    with at(folder).lock():
        return {one.what.split(" (")[0]: one for one in Cleaning(at(folder), old_plans).waste}


def clean(folder, old_plans=False):
    with at(folder).lock():
        Cleaning(at(folder), old_plans).remove()


def test_what_plans_refer_to_stays(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    _, _, folder = play(write_grid(OTHER_SEED), tmp_path)
    assert waste(folder) == {}


def test_old_plans_are_forgotten_on_request_with_their_plays(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    _, _, folder = play(write_grid(OTHER_SEED), tmp_path)
    before = rows(tmp_path)
    found = waste(folder, old_plans=True)
    assert list(found) == ["plans before the current one", "plays of points that no plan has"]
    assert found["plans before the current one"].files == [
        f"plans/{frozen(write_grid()).hash}.json"
    ]
    gone = found["plays of points that no plan has"]
    assert len(gone.files) == 4
    assert gone.bytes == sum((folder / file).stat().st_size for file in gone.files)
    clean(folder, old_plans=True)
    assert waste(folder, old_plans=True) == {}
    assert not any((folder / file).exists() for file in gone.files)
    assert rows(tmp_path).equals(before)
    result, _, _ = play(write_grid(), tmp_path)
    assert result.plays == 400


def test_a_file_with_a_point_of_any_plan_stays(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)  # one merged file
    play(write_grid(GRID.replace("[10, 20]", "[10]")), tmp_path)
    assert list(waste(folder, old_plans=True)) == ["plans before the current one"]
    clean(folder, old_plans=True)
    assert status(at(folder)).plays_done == 200


def test_what_is_kept_in_the_other_way_goes_with_its_plan(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    summary = GRID.replace("seed = 7", 'seed = 7\nrecord = "summary"')
    _, _, folder = play(write_grid(summary), tmp_path)
    clean(folder, old_plans=True)
    assert list((folder / "plays").iterdir()) == []
    assert status(at(folder)).plays_done == 400


def test_files_set_aside_and_strangers_go_but_not_finished_blocks(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    (folder / "plays" / "plays-torn.arrow").write_bytes(b"torn")
    (folder / "set_aside" / "plays").mkdir(parents=True)
    (folder / "set_aside" / "plays" / "old.arrow").write_bytes(b"12345")
    (folder / ".plays.tmp").write_bytes(b"half")
    (folder / "manifest.json").unlink()  # a run that was killed before its first manifest
    found = waste(folder)
    assert list(found) == [
        "files that the manifest does not name",
        "broken files that were set aside",
    ]
    assert found["files that the manifest does not name"].files == ["plays/plays-torn.arrow"]
    assert found["broken files that were set aside"].bytes == 5
    clean(folder)
    assert waste(folder) == {}
    assert not (folder / ".plays.tmp").exists()
    result, _, _ = play(write_grid(), tmp_path)
    assert result.plays == 0


def test_a_plan_that_cannot_be_read_stops_it(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    _, _, folder = play(write_grid(OTHER_SEED), tmp_path)
    (folder / "plans" / f"{frozen(write_grid()).hash}.json").write_text("{")
    with pytest.raises(DojoError, match="forget it with --old-plans") as caught:
        waste(folder)
    assert caught.value.exit_code == 3
    assert len(waste(folder, old_plans=True)) == 2


# The command


def test_it_asks(command, write_grid, tmp_path):
    command("run", write_grid())
    command("run", write_grid(OTHER_SEED))
    assert "every file belongs to a plan" in command("clean", "toy")[1]
    code, output, errors = command("clean", "toy", "--old-plans")
    assert code == 2
    assert "plays of points that no plan has (4 files)" in output
    assert "of toy will be removed for good. Nobody is here to ask: add --yes to go on\n" in errors
    assert status(at(tmp_path / "results/toy")).plays_done == 400
    code, output, _ = command("clean", "toy", "--old-plans", "--yes")
    assert code == 0
    assert "removed" in output
    assert len(list((tmp_path / "results/toy/plans").iterdir())) == 1


def test_a_sweep_that_runs_is_not_cleaned(command, write_grid, tmp_path):
    command("run", write_grid())
    with at(tmp_path / "results/toy").lock():
        code, _, errors = command("clean", "toy")
    assert code == 3
    assert "is being run by another process" in errors


def test_it_cleans_behind_an_address(command, write_grid, bucket):
    command("run", write_grid(), "--results", bucket)
    command("run", write_grid(OTHER_SEED), "--results", bucket)
    assert command("clean", "toy", "--old-plans", "--yes", "--results", bucket)[0] == 0
    assert len((at(bucket) / "toy").files("plays")) == 1
    assert command("verify", "toy", "--results", bucket)[0] == 0
