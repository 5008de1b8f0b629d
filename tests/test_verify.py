"""`dojo-sweep verify`: what is found in stored files, and what is not."""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pytest
import toy_game
from conftest import GRID
from sweep_runs import frozen, play

from sweep.clean import Cleaning
from sweep.places import at
from sweep.schemas import narrowed, schema
from sweep.store import (
    FORMAT,
    Chunk,
    arrow_file,
    file_name,
    read_checked,
    read_manifest,
    read_plan,
    write_chunk,
)
from sweep.verify import make_replay, verify

SUMMARY = GRID.replace("seed = 7", 'seed = 7\nrecord = "summary"')


def check(folder, plays=0, seed=0):
    place = at(folder)
    plan = read_plan(place)
    again = make_replay(place, toy_game.GAME, plan, plays, seed) if plays else None
    return verify(place, toy_game.GAME, plan, again)


def state(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def problems(found):
    return [(finding.file.split("/")[0], finding.problem) for finding in found.findings]


def stored_tables(place, chunk):
    return {
        t: read_checked(place, file_name(chunk.name, t), schema(toy_game.GAME, t))
        for t in chunk.rows
    }


def rewrite(folder, table, change, **metadata):
    """Publish a chunk anew, a table's rows changed but its checksum right, and list it."""
    place = at(folder)
    (chunk,) = read_manifest(place)
    tables = stored_tables(place, chunk)
    own = schema(toy_game.GAME, table)
    tables[table] = narrowed(change(tables[table].cast(own)).cast(own))
    changed = write_chunk(
        place, chunk.record, chunk.name, metadata.get("ranges", chunk.ranges), tables
    )
    entry = Chunk(chunk.name, chunk.record, chunk.ranges, chunk.rows, changed.files)
    manifest = {"format": FORMAT, "chunks": [entry.to_json()]}
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("grid", [GRID, SUMMARY])
def test_a_sound_sweep_is_sound_and_nothing_is_written(write_grid, tmp_path, grid):
    _, _, folder = play(write_grid(grid), tmp_path)
    before = state(folder)
    found = check(folder, plays=20)
    assert found.findings == []
    assert found.plays == 400
    assert found.files == (4 if grid is GRID else 3)
    assert state(folder) == before


def test_plays_of_earlier_plans_are_verified_too(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    _, _, folder = play(write_grid(GRID.replace("= 7", "= 8")), tmp_path)
    found = check(folder)
    assert (found.findings, found.plays) == ([], 800)


def test_a_torn_file(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    (file,) = (folder / "seats").iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    found = check(folder)
    assert [finding.file for finding in found.findings] == [f"seats/{file.name}"]
    assert "remove the file and run the sweep again" in found.findings[0].cure


def test_a_flipped_bit_that_changes_neither_size_nor_time(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    (file,) = (folder / "plays").iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    times = file.stat()
    file.write_bytes(content)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    (finding,) = check(folder).findings
    assert finding.file == f"plays/{file.name}"
    file.unlink()  # as it says
    result, _, _ = play(write_grid(), tmp_path)
    assert result.plays == 400
    assert check(folder).findings == []


def test_a_missing_file(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    next((folder / "squares").iterdir()).unlink()
    assert problems(check(folder)) == [("squares", "it is missing")]


def test_a_missing_file_of_an_earlier_plan_is_forgotten_by_cleaning(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    next((folder / "squares").iterdir()).unlink()
    play(write_grid(GRID.replace("seed = 7", "seed = 8")), tmp_path)
    (finding,) = check(folder).findings
    assert finding.problem == "it is missing"
    assert "clean with --old-plans" in finding.cure
    with at(folder).lock():
        Cleaning(at(folder), old_plans=True).remove()
    assert check(folder).findings == []


def test_a_file_that_the_manifest_does_not_name(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    at(folder).publish("plays/plays-foreign.arrow", arrow_file(pa.table({"a": [1]})))
    assert problems(check(folder)) == [
        ("plays", "the manifest does not name it, so no query sees it")
    ]


def test_while_it_runs_new_files_are_nothing_to_tell_of(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    at(folder).publish("plays/plays-new.arrow", arrow_file(pa.table({"a": [1]})))
    with at(folder).lock():
        assert check(folder).findings == []


def test_plays_stored_twice(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    place = at(folder)
    (chunk,) = read_manifest(place)
    tables = stored_tables(place, chunk)
    again = write_chunk(place, "plays", "plays-again", chunk.ranges, tables)
    entries = [again.to_json(), chunk.to_json()]
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT, "chunks": entries}))
    found = [problem for _, problem in problems(check(folder))]
    twice = [problem for problem in found if "are in" in problem]
    assert len(twice) == 4
    assert all(problem.startswith("plays from 0 of point ") for problem in twice)
    assert "it does not agree with the stored sums" in found


def drop_last(rows):
    return rows.slice(0, rows.num_rows - 1)


def repeat_first(rows):
    return pa.concat_tables([rows.slice(0, 1), rows.slice(0, 1), rows.slice(2)])


@pytest.mark.parametrize("table", ["plays", "seats"])
@pytest.mark.parametrize("change", [drop_last, repeat_first])
def test_rows_that_are_not_those_of_its_plays(write_grid, tmp_path, table, change):
    _, _, folder = play(write_grid(), tmp_path)
    rows = {}

    def changed(content):
        rows["n"] = change(content).num_rows
        return change(content)

    rewrite(folder, table, changed)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["chunks"][0]["rows"][table] = rows["n"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    ((where, problem),) = problems(check(folder))
    assert where == table
    assert problem in (
        "it holds other plays than it says",
        "it holds other seats than its plays have",
        "it lacks seats",
    )


def test_sums_of_other_plays(write_grid, tmp_path):
    def add(rows):
        column = rows.column_names.index("n")
        return rows.set_column(
            column, rows.field("n"), pa.array([n + 1 for n in rows["n"].to_pylist()])
        )

    _, _, folder = play(write_grid(), tmp_path)
    rewrite(folder, "moments", add)
    assert problems(check(folder)) == [("moments", "its sums are of other plays than it says")]


@pytest.mark.parametrize(
    ("column", "by"), [("squares", -5000), ("total", -5000), ("least", 50), ("greatest", -50)]
)
def test_sums_of_no_values_that_there_can_be(write_grid, tmp_path, column, by):
    def move(rows):
        values = [value + by for value in rows[column].to_pylist()]
        place, field = rows.column_names.index(column), rows.field(column)
        return rows.set_column(place, field, pa.array(values, field.type))

    _, _, folder = play(write_grid(), tmp_path)
    rewrite(folder, "moments", move)
    assert problems(check(folder)) == [("moments", "its sums are of no values that there can be")]


def test_a_file_that_says_otherwise_of_itself_than_the_manifest(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    (chunk,) = read_manifest(at(folder))
    fewer = {point: [(0, 99)] for point in chunk.ranges}
    rewrite(folder, "plays", lambda rows: rows, ranges=fewer)
    ((_, problem),) = problems(check(folder))
    assert problem == "it says otherwise of itself than the manifest does"


def test_a_table_of_points_that_does_not_agree(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    kept = (folder / "points.arrow").read_bytes()
    play(write_grid(GRID.replace("= 100", "= 120")), tmp_path)
    (folder / "points.arrow").write_bytes(kept)
    assert problems(check(folder)) == [("points.arrow", "it does not agree with the stored sums")]
    (folder / "points.arrow").unlink()
    assert problems(check(folder)) == [("points.arrow", "it is missing")]


# Playing again


def add_a_round(rows):
    column = rows.column_names.index("rounds")
    values = pa.array([n + 1 for n in rows["rounds"].to_pylist()], rows["rounds"].type)
    return rows.set_column(column, rows.field("rounds"), values)


def test_plays_that_are_another_when_played_again(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    rewrite(folder, "plays", add_a_round)
    assert check(folder).findings == []
    found = check(folder, plays=7, seed=3)
    assert found.replayed == 7
    assert len(found.findings) == 7
    assert all(
        "is another when it is played again" in finding.problem for finding in found.findings
    )


def test_seats_are_played_again_too(write_grid, tmp_path):
    def swap(rows):
        column = rows.column_names.index("place")
        values = pa.array([n + 1 for n in rows["place"].to_pylist()], rows["place"].type)
        return rows.set_column(column, rows.field("place"), values)

    _, _, folder = play(write_grid(), tmp_path)
    rewrite(folder, "seats", swap)
    assert {where for where, _ in problems(check(folder, plays=3))} == {"seats"}


def test_the_seed_chooses_the_plays(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    rewrite(folder, "plays", add_a_round)
    told = [problems(check(folder, plays=5, seed=seed)) for seed in (1, 1, 2)]
    assert told[0] == told[1] != told[2]


def test_with_summaries_whole_points_are_played_again(write_grid, tmp_path):
    def add(rows):
        column = rows.column_names.index("greatest")
        values = pa.array([n + 1 for n in rows["greatest"].to_pylist()], pa.int64())
        return rows.set_column(column, rows.field("greatest"), values)

    _, _, folder = play(write_grid(SUMMARY), tmp_path)
    assert check(folder, plays=1).replayed == 100
    assert check(folder, plays=101).replayed == 200
    rewrite(folder, "moments", add)
    found = check(folder, plays=1)
    assert ("moments", "the sum") in [(w, p[:7]) for w, p in problems(found)]


def test_more_plays_than_there_are_is_all_of_them(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    assert check(folder, plays=10_000).replayed == 400


# The command


def test_it_exits_0_when_all_is_sound(command, write_grid):
    command("run", write_grid())
    code, output, _ = command("verify", "toy", "--replay", "10")
    assert code == 0
    assert "400 plays, 10 of them played again: all is as published" in output


def test_it_exits_3_with_what_to_do(command, write_grid, tmp_path):
    command("run", write_grid())
    file = next((tmp_path / "results/toy/plays").iterdir())
    file.unlink()
    code, output, _ = command("verify", "toy")
    assert code == 3
    assert "it is missing" in output
    assert "run the sweep again" in output
    code, output, _ = command("verify", "toy", "--json")
    assert code == 3
    assert json.loads(output)["findings"][0]["file"] == f"plays/{file.name}"


def test_other_rules_cannot_play_again(command, write_grid, monkeypatch):
    command("run", write_grid())
    monkeypatch.setattr("sweep.verify.engine_hash", lambda game: "another")
    code, _, errors = command("verify", "toy", "--replay", "1")
    assert code == 2
    assert "was played by other rules than are installed here" in errors
    assert command("verify", "toy")[0] == 0


def test_it_verifies_behind_an_address(command, write_grid, bucket):
    command("run", write_grid(), "--results", bucket)
    assert command("verify", "toy", "--results", bucket, "--replay", "5")[0] == 0
    folder = at(bucket) / "toy"
    folder.remove(f"plays/{folder.files('plays')[0]}")
    assert command("verify", "toy", "--results", bucket)[0] == 3


def test_a_plan_that_was_never_run_holds_nothing_wrong(write_grid, tmp_path):
    plan = frozen(write_grid())
    assert verify(at(tmp_path / "none"), toy_game.GAME, plan).findings[0].file == "points.arrow"
