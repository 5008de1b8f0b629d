"""The store: what is whole, what is merged, what is recovered, and that rows never change."""

from __future__ import annotations

import functools
import json
import math
import os

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import toy_game
from conftest import GRID
from pyarrow import ipc
from sweep_runs import frozen, play, rows

from dojo_core.errors import DojoError
from sweep import store as store_module
from sweep.blocks import classes, play_block
from sweep.places import Folder, at
from sweep.plan import Block
from sweep.queries import connect
from sweep.schemas import coded, narrowed, plain, put_together, schema, table_names
from sweep.store import (
    FORMAT,
    KEY,
    BrokenFileError,
    Merged,
    Store,
    arrow_file,
    checksum,
    merge_chunks,
    read_checked,
    read_manifest,
    read_metadata,
    write_block,
)

GAME = toy_game.GAME


def a_block(plan, first=0, plays=64, point=0, record="plays"):
    chosen = plan.points[point]
    block = Block(chosen.id, first, plays)
    return block, play_block(GAME, plan.setup(GAME, chosen), plan.seed, block, record)


def files(folder, table="plays"):
    return sorted((folder / table).glob("*.arrow"))


# Files


def test_a_file_carries_schema_meaning_units_labels_and_what_it_holds(write_grid, tmp_path):
    plan = frozen(write_grid())
    for table in table_names("plays"):
        (tmp_path / table).mkdir()
    block, tables = a_block(plan)
    write_block(at(tmp_path), "plays", block, tables)
    reader = ipc.open_file(files(tmp_path)[0])
    assert plain(reader.schema).equals(schema(GAME, "plays"))
    assert reader.schema.field("rounds").metadata == {
        b"meaning": b"Rounds begun.",
        b"unit": b"rounds",
        b"type": b"uint32",
    }
    assert reader.schema.field("reason").metadata[b"labels"] == b"arrived,max_rounds"
    assert reader.schema.field("rounds").type == pa.uint8()
    said = json.loads(reader.schema.metadata[KEY])
    assert said["rows"] == reader.read_all().num_rows == 64
    assert said["ranges"] == {block.point: [[0, 64]]}


def test_the_checksum_sees_content_and_not_how_it_is_cut(write_grid):
    _, tables = a_block(frozen(write_grid()))
    for table in tables.values():
        cut = pa.concat_tables([table.slice(0, 3), table.slice(3)])
        assert checksum(cut) == checksum(table)
        assert checksum(table.slice(1)) != checksum(table)


def test_the_checksum_sees_texts_and_not_how_they_are_coded():
    def texts(*words):
        return narrowed(pa.table({"point": pa.array(words)}))

    told = checksum(texts("b", "b", "a", "c"))
    pieces = pa.concat_tables([texts("b", "b"), texts("a", "c")])
    backwards = pa.DictionaryArray.from_arrays(pa.array([1, 1, 2, 0], pa.int32()), ["c", "b", "a"])
    for same in (pieces, pa.table({"point": backwards})):
        assert checksum(same) == told
    assert checksum(texts("b", "a", "a", "c")) != told


def test_the_checksum_sees_of_what_type_bytes_are():
    one, other = (pa.table({"n": pa.array([1], kind)}) for kind in (pa.int8(), pa.uint8()))
    assert checksum(one) != checksum(other)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda content: b"", "it cannot be read"),
        (lambda content: content[: len(content) // 2], "it cannot be read"),
        (lambda content: b"nonsense" * 100, "it cannot be read"),
    ],
)
def test_a_torn_file_is_recognised(write_grid, tmp_path, harm, words):
    _, tables = a_block(frozen(write_grid()))
    path = tmp_path / "x.arrow"
    said = {"format": FORMAT, "rows": 64, "ranges": {}, "checksum": checksum(tables["plays"])}
    at(tmp_path).publish("x.arrow", arrow_file(tables["plays"], said))
    assert read_checked(at(tmp_path), "x.arrow", schema(GAME, "plays")).num_rows == 64
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(BrokenFileError, match=words):
        read_checked(at(tmp_path), "x.arrow", schema(GAME, "plays"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 1}, f"its format is 1, not {FORMAT}"),
        ({"rows": 63}, "it has 64 rows, not 63"),
        ({"checksum": "0"}, "its checksum does not match its content"),
    ],
)
def test_a_file_that_says_something_else_than_it_holds_is_recognised(
    write_grid, tmp_path, changes, words
):
    _, tables = a_block(frozen(write_grid()))
    said = {"format": FORMAT, "rows": 64, "ranges": {}, "checksum": checksum(tables["plays"])}
    at(tmp_path).publish("x.arrow", arrow_file(tables["plays"], {**said, **changes}))
    with pytest.raises(BrokenFileError, match=words):
        read_checked(at(tmp_path), "x.arrow", schema(GAME, "plays"))


@pytest.mark.parametrize("key", ["table", "record", "rows", "ranges", "checksum"])
def test_a_file_that_does_not_say_what_it_holds_is_recognised(tmp_path, key):
    said = {"table": "plays", "record": "plays", "rows": 1, "ranges": {}, "checksum": ""}
    del said[key]
    at(tmp_path).publish("x.arrow", arrow_file(pa.table({"n": [1]}), said))
    with pytest.raises(BrokenFileError, match="it cannot be read"):
        read_metadata(at(tmp_path), "x.arrow")


def test_a_file_of_other_code_with_a_damaged_type_is_recognised(tmp_path):
    rows = narrowed(pa.table({"n": pa.array([1], pa.uint32())}))
    (field,) = rows.schema
    damaged = pa.schema([field.with_metadata({b"type": b"uinp32"})])
    said = {"format": FORMAT, "rows": 1, "ranges": {}, "checksum": checksum(rows)}
    at(tmp_path).publish("x.arrow", arrow_file(rows.cast(damaged), said))
    with pytest.raises(BrokenFileError, match="it cannot be read"):
        read_checked(at(tmp_path), "x.arrow", None)


def test_a_file_of_other_columns_is_recognised(write_grid, tmp_path):
    _, tables = a_block(frozen(write_grid()))
    said = {"format": FORMAT, "rows": 64, "ranges": {}, "checksum": checksum(tables["plays"])}
    at(tmp_path).publish("x.arrow", arrow_file(tables["plays"], said))
    with pytest.raises(BrokenFileError, match="columns are not those of its table"):
        read_checked(at(tmp_path), "x.arrow", schema(GAME, "seats"))


# The rows


def test_rows_do_not_depend_on_block_size_workers_or_order(write_grid, tmp_path):
    path = write_grid()
    views = ("plays", "seats", "squares", "moments")
    play(path, tmp_path / "a", workers=1, exponent=7)
    play(path, tmp_path / "b", workers=3, exponent=2)
    for view in (*views, "points"):
        assert rows(tmp_path / "a", view).equals(rows(tmp_path / "b", view)), view


def test_playing_the_same_grid_again_plays_nothing(write_grid, tmp_path):
    path = write_grid()
    play(path, tmp_path)
    result, listener, _ = play(path, tmp_path)
    assert (result.plays, listener.begun_plays) == (0, 0)


def test_rows_are_those_of_the_trace(write_grid, tmp_path):
    path = write_grid()
    play(path, tmp_path)
    plan = frozen(path)
    point = plan.points[2]
    end = GAME.trace(plan.setup(GAME, point), plan.seed, 41)[-1]
    stored = connect(tmp_path).sql(
        f"SELECT * EXCLUDE (point, play, reason_name) FROM plays WHERE point = '{point.id}'"
        " AND play = 41"
    )
    assert stored.to_arrow_table().to_pylist() == [end["play"]]


def test_the_table_of_points_is_the_mean_of_the_plays(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    con = connect(tmp_path)
    found = con.sql(
        "SELECT number, rounds_mean, rounds_se, rounds_n, finished_mean, plays_n, unfinished_n,"
        " won_1_mean FROM points ORDER BY number"
    ).fetchall()
    expected = con.sql(
        "SELECT number, avg(rounds), stddev_samp(rounds) / sqrt(count(*)), count(*),"
        " avg(plays.finished), count(*), sum(1 - plays.finished),"
        " avg(CASE WHEN s.won = 1 THEN 1.0 ELSE 0 END)"
        " FROM plays JOIN points USING (point)"
        " JOIN (SELECT * FROM seats WHERE turn_order = 1) s USING (point, play)"
        " GROUP BY number ORDER BY number"
    ).fetchall()
    assert len(found) == 4
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other)


def test_a_summary_keeps_what_the_rows_would_have_told(write_grid, tmp_path):
    path = write_grid()
    play(path, tmp_path / "rows")
    play(path, tmp_path / "sums", record="summary", exponent=3)
    for view in ("moments", "squares", "points"):
        assert rows(tmp_path / "rows", view).equals(rows(tmp_path / "sums", view)), view
    con = connect(tmp_path / "sums")
    assert con.sql("SELECT count(*) FROM plays").fetchall() == [(0,)]
    assert con.sql("SELECT count(*) FROM seats").fetchall() == [(0,)]
    counted = con.sql(
        "SELECT point, low AS rounds, n FROM histograms WHERE metric = 'rounds' ORDER BY ALL"
    )
    truth = connect(tmp_path / "rows").sql(
        "SELECT point, rounds, count(*) AS n FROM plays GROUP BY ALL ORDER BY ALL"
    )
    assert counted.fetchall() == truth.fetchall()


def test_sums_are_exact_beyond_64_bits(write_grid):
    plan = frozen(write_grid())
    setup = plan.setup(GAME, plan.points[0])

    def huge(setup, seed, first, plays, out):
        out.plays["rounds"] = 2**32 - 1

    game = toy_game.GAME.__class__(**{**vars(GAME), "play": huge})
    tables = play_block(game, setup, 1, Block("p", 0, 1000), "plays")
    row = tables["moments"].filter(pa.compute.field("metric") == "rounds").to_pylist()[0]
    assert int(row["squares"]) == 1000 * (2**32 - 1) ** 2


def test_histogram_classes_are_single_values_and_then_narrow():
    values = np.array([-1, 0, 511, 512, 1023, 1024, 10**6])
    low, high = classes(values)
    assert low.tolist()[:4] == [-1, 0, 511, 512]
    assert all(a <= v <= b for a, v, b in zip(low, values, high, strict=True))
    assert ((high - low)[2:] * 256 < values[2:]).all()


# More plays, more values


def test_more_plays_and_values_reuse_what_is_there(write_grid, tmp_path):
    play(write_grid(GRID), tmp_path)
    grown = GRID.replace("100", "150").replace("[10, 20]", "[10, 15, 20]")
    path = write_grid(grown)
    result, _, _ = play(path, tmp_path, exponent=4)
    assert result.plays == 6 * 150 - 4 * 100
    play(path, tmp_path / "fresh")
    for view in ("plays", "seats", "squares", "points"):
        assert rows(tmp_path, view).equals(rows(tmp_path / "fresh", view)), view


def test_a_shorter_axis_hides_the_other_points_and_a_longer_one_finds_them(write_grid, tmp_path):
    play(write_grid(GRID), tmp_path)
    result, _, _ = play(write_grid(GRID.replace("[10, 20]", "[20]")), tmp_path)
    assert result.plays == 0
    assert connect(tmp_path).sql("SELECT count(*) FROM plays").fetchall() == [(200,)]
    assert connect(tmp_path).sql("SELECT DISTINCT goal FROM points").fetchall() == [(20,)]
    result, _, _ = play(write_grid(GRID), tmp_path)
    assert result.plays == 0


def test_another_seed_never_mixes(write_grid, tmp_path):
    play(write_grid(GRID), tmp_path)
    result, _, _ = play(write_grid(GRID.replace("seed = 7", "seed = 8")), tmp_path)
    assert result.plays == 400
    assert connect(tmp_path).sql("SELECT count(*) FROM plays").fetchall() == [(400,)]


def test_keeping_sums_beside_rows_plays_again_and_never_mixes(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    result, _, _ = play(write_grid(), tmp_path, record="summary")
    assert result.plays == 400
    result, _, _ = play(write_grid(), tmp_path)
    assert result.plays == 0
    assert connect(tmp_path).sql("SELECT count(*) FROM plays").fetchall() == [(400,)]


# Recovery


def harmed(path):
    content = bytearray(path.read_bytes())
    third = len(content) // 3
    content[third : 2 * third] = bytes(255 - byte for byte in content[third : 2 * third])
    path.write_bytes(content)


@pytest.mark.parametrize("table", ["plays", "seats", "squares", "moments"])
@pytest.mark.parametrize("harm", [harmed, lambda p: p.write_bytes(b""), lambda p: p.unlink()])
def test_a_broken_file_is_set_aside_named_and_played_again(write_grid, tmp_path, table, harm):
    path = write_grid()
    _, _, folder = play(path, tmp_path)
    before = rows(tmp_path), rows(tmp_path, "squares")
    broken = files(folder, table)[0]
    harm(broken)
    with pytest.raises(DojoError, match=f"{broken.name} is broken .*run the sweep again"):
        connect(tmp_path) if table != "moments" else play_nothing(folder, path)
    result, listener, _ = play(path, tmp_path)
    assert result.plays == 400
    assert str(broken) in listener.notes[0]
    assert "set aside" in listener.notes[0]
    assert (rows(tmp_path), rows(tmp_path, "squares")) == before


def play_nothing(folder, path):
    connect(folder.parent)


def test_only_the_broken_block_is_played_again(write_grid, tmp_path, monkeypatch):
    monkeypatch.setattr(Store, "merge", lambda self, finish=False: None)
    path = write_grid()
    _, _, folder = play(path, tmp_path)
    harmed(files(folder)[3])
    result, _, _ = play(path, tmp_path)
    assert 0 < result.plays <= 32


def test_a_deleted_manifest_is_made_anew_from_the_files(write_grid, tmp_path):
    path = write_grid()
    _, _, folder = play(path, tmp_path)
    (folder / "manifest.json").unlink()
    result, _, _ = play(path, tmp_path)
    assert result.plays == 0


def test_a_broken_manifest_is_told_and_made_anew(write_grid, tmp_path):
    path = write_grid()
    _, _, folder = play(path, tmp_path)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(DojoError, match=r"manifest\.json is broken; run the sweep again"):
        connect(tmp_path)
    result, listener, _ = play(path, tmp_path)
    assert result.plays == 0
    assert "manifest.json is broken" in listener.notes[0]


def test_files_with_a_dot_and_half_published_blocks_are_never_read(write_grid, tmp_path):
    path = write_grid()
    plan = frozen(path)
    store = Store(at(tmp_path / "toy"), GAME, plan)
    with store.open():
        store.write_plan()
        block, tables = a_block(plan)
        write_block(store.folder, "plays", block, tables)
        files(store.folder.here)[0].unlink()  # the last table never appeared
        (store.folder.here / "plays" / ".x.arrow.123.tmp").write_bytes(b"half")
    with Store(at(tmp_path / "toy"), GAME, plan).open() as again:
        assert again.covered() == {}
    assert [p.name for p in (tmp_path / "toy").glob("*/*") if p.suffix != ".json"] == []


def test_a_sweep_of_an_older_format_is_played_again(write_grid, tmp_path):
    path = write_grid()
    _, _, folder = play(path, tmp_path)
    before, place = rows(tmp_path), at(folder)
    manifest = json.loads(place.read("manifest.json"))
    for entry in manifest["chunks"]:
        for table in entry["files"]:
            file = f"{table}/{entry['name']}.arrow"
            content = read_checked(place, file, None)
            told = {**json.loads(content.schema.metadata[KEY]), "format": 1}
            place.publish(file, arrow_file(content, told))
            entry["files"][table] = place.stamps([file])[file]
    place.publish_text("manifest.json", json.dumps({**manifest, "format": 1}))
    with pytest.raises(DojoError, match=rf"format 1, not {FORMAT}\); run the sweep again"):
        connect(tmp_path)
    result, listener, _ = play(path, tmp_path)
    assert result.plays == 400
    assert f"its format is 1, not {FORMAT}); it was set aside" in listener.notes[1]
    assert rows(tmp_path).equals(before)


def test_a_finished_block_that_no_manifest_names_is_kept(write_grid, tmp_path):
    plan = frozen(write_grid())
    with Store(at(tmp_path / "toy"), GAME, plan).open() as store:
        block, tables = a_block(plan)
        write_block(store.folder, "plays", block, tables)
    with Store(at(tmp_path / "toy"), GAME, plan).open() as again:
        assert again.covered() == {block.point: [(0, 64)]}


class CutShortError(Exception):
    pass


class Crash:
    """Stands in for a function until `when` says so; from then on nothing succeeds any more."""

    def __init__(self, function, when):
        self.function, self.when, self.happened = function, when, False

    def __get__(self, owner, kind=None):
        return functools.partial(self, owner)

    def __call__(self, owner, name, *rest):
        self.happened = self.happened or self.when(name)
        if self.happened:
            raise CutShortError
        self.function(owner, name, *rest)


def merge_all(store):
    with store.open():
        store.merge(finish=True)


@pytest.mark.parametrize("step", ["first file", "last file", "manifest", "removal"])
def test_a_merge_cut_short_at_any_step_loses_and_doubles_nothing(
    write_grid, tmp_path, monkeypatch, step
):
    path = write_grid()
    with monkeypatch.context() as patch:
        patch.setattr(Store, "merge", lambda self, finish=False: None)
        _, _, folder = play(path, tmp_path)
    before = rows(tmp_path)
    assert len(files(folder)) == 16
    merged = folder / "plays"
    when = {
        "first file": lambda name: "merged" in name,
        "last file": lambda name: name.startswith("plays/") and "merged" in name,
        "manifest": lambda name: name == "manifest.json" and any(merged.glob("*merged*")),
        "removal": lambda name: False,
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "publish", Crash(Folder.publish, when))
        if step == "removal":
            patch.setattr(Store, "_remove", Crash(print, lambda name: True))
        with pytest.raises(CutShortError):
            merge_all(Store(at(folder), GAME, frozen(path)))
    assert rows(tmp_path).equals(before)
    result, listener, _ = play(path, tmp_path)
    assert (result.plays, listener.notes) == (0, [])
    assert rows(tmp_path).equals(before)
    assert len(files(folder)) == len(read_manifest(at(folder))) == 1


def test_small_files_become_few(write_grid, tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "MAX_SMALL", 8)
    _, _, folder = play(write_grid(), tmp_path, exponent=2)
    assert len(files(folder)) == 1
    assert rows(tmp_path).num_rows == 400


def test_what_waits_is_merged_beside_the_last_blocks_if_it_is_worth_a_file(
    write_grid, tmp_path, monkeypatch
):
    monkeypatch.setattr(store_module, "WORTH_ROWS", 200)  # of seats: 100 plays of two players
    plan = frozen(write_grid())
    with Store(at(tmp_path / "toy"), GAME, plan).open() as store:
        for first in (0, 30, 60):
            block, tables = a_block(plan, first, 30)
            store.add(write_block(store.folder, "plays", block, tables))
            assert store.group_to_merge() is None
        assert store.group_to_merge(10) is None
        block, tables = a_block(plan, 90, 10)
        store.add(write_block(store.folder, "plays", block, tables))
        assert store.group_to_merge() is None
        assert store.group_to_merge(10**6) is None  # which fill a file with what waits
        group = store.group_to_merge(10)
        assert sum(chunk.plays for chunk in group.chunks) == 100


def test_files_of_which_several_fill_one_are_merged_at_the_end_whatever_their_size(
    write_grid, tmp_path, monkeypatch
):
    monkeypatch.setattr(store_module, "WORTH_ROWS", 50)
    monkeypatch.setattr(store_module, "TARGET_ROWS", 200)
    plan = frozen(write_grid())
    with Store(at(tmp_path / "toy"), GAME, plan).open() as store:
        for first in range(0, 100, 25):
            block, tables = a_block(plan, first, 25)
            store.add(write_block(store.folder, "plays", block, tables))
        store.merge()
        assert [chunk.plays for chunk in store.counted()] == [100]


def test_a_block_stored_again_does_not_leave_with_the_files_merged_before(write_grid, tmp_path):
    plan = frozen(write_grid())
    with Store(at(tmp_path / "toy"), GAME, plan).open() as store:
        for first in (0, 50):
            block, tables = a_block(plan, first, 50)
            store.add(write_block(store.folder, "plays", block, tables))
        store.merge()
        (merged,) = store.counted()
        store.replace(Merged(None, (), ((merged.name, f"plays/{merged.name}.arrow", "harmed"),)))
        again = write_block(store.folder, "plays", block, tables)
        store.add(again)
        store.merge(finish=True)
        assert [file.stem for file in files(store.folder.here)] == [again.name]


def test_what_is_worth_a_file_stays_as_it_is_at_the_end(write_grid, tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "WORTH_ROWS", 100)
    plan = frozen(write_grid())
    with Store(at(tmp_path / "toy"), GAME, plan).open() as store:
        for first, plays in ((0, 50), (50, 20), (70, 20)):
            block, tables = a_block(plan, first, plays)
            store.add(write_block(store.folder, "plays", block, tables))
        store.merge()
        assert sorted(chunk.plays for chunk in store.counted()) == [40, 50]


def test_a_row_is_rewritten_a_few_times_only_however_many_blocks_come(
    write_grid, tmp_path, monkeypatch
):
    monkeypatch.setattr(store_module, "MAX_SMALL", 8)
    plan = frozen(write_grid())
    blocks, rewritten = 128, []
    with Store(at(tmp_path / "toy"), GAME, plan).open() as store:
        for number in range(blocks):
            block, tables = a_block(plan, 2 * number, 2)
            store.add(write_block(store.folder, "plays", block, tables))
            while group := store.group_to_merge():
                rewritten.extend(group.chunks)
                store.replace(merge_chunks(store.folder, GAME, "plays", group))
        waiting = len(store.chunks)
    assert waiting < 8
    assert sum(chunk.plays for chunk in rewritten) <= 2 * blocks * math.log2(blocks)


def test_merged_files_stop_growing_at_the_target(write_grid, tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "TARGET_ROWS", 400)
    _, _, folder = play(write_grid(), tmp_path, exponent=3)
    sizes = [ipc.open_file(path).read_all().num_rows for path in files(folder, "seats")]
    assert 2 <= len(sizes) <= 6
    assert max(sizes) < 800


def test_a_file_damaged_while_the_sweep_runs_is_not_merged(write_grid, tmp_path):
    plan = frozen(write_grid())
    with Store(at(tmp_path / "toy"), GAME, plan).open() as store:
        for first in (0, 64):
            block, tables = a_block(plan, first)
            store.add(write_block(store.folder, "plays", block, tables))
        harmed(files(store.folder.here)[0])
        store.merge()
        assert len(store.notes) == 1
        assert sum(chunk.plays for chunk in store.counted()) == 64


def test_a_second_process_on_the_same_sweep_is_refused(write_grid, tmp_path):
    plan = frozen(write_grid())
    with Store(at(tmp_path / "toy"), GAME, plan).open():
        other = Store(at(tmp_path / "toy"), GAME, plan)
        with pytest.raises(DojoError, match="is being run by another process"), other.open():
            pass


def test_a_results_folder_that_cannot_be_made_is_one_sentence(write_grid, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DojoError, match=r"cannot be written .*--results") as caught:
        play(write_grid(), tmp_path / "file")
    assert caught.value.exit_code == 3


def test_stored_files_are_compressed_with_zstd(write_grid, tmp_path):
    _, _, folder = play(write_grid(), tmp_path)
    message = ipc.open_file(files(folder)[0]).get_batch(0)
    raw = sum(column.nbytes for column in message.columns)
    assert os.path.getsize(files(folder)[0]) < raw + 10_000


def test_a_files_texts_stand_once_and_its_rows_are_read_as_they_were(tmp_path):
    table = pa.table({"point": ["b", "a", "b"], "n": [1, 2, 3]})
    place = at(tmp_path)
    place.prepare(["plays"])
    tables = {"plays": narrowed(table)}
    store_module.write_chunk(place, "plays", "some", {"a": [(0, 1)]}, tables)
    with place.open("plays/some.arrow") as file:
        stored = ipc.open_file(file).read_all()
    assert stored["point"].chunk(0).dictionary.to_pylist() == ["b", "a"]
    read = store_module.read_checked(place, "plays/some.arrow", table.schema)
    assert read.cast(table.schema).equals(table)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 255], "uint8"),
        ([0, 256], "uint16"),
        ([-1, 127], "int8"),
        ([-1, 128], "int16"),
        ([-1, 2**63 - 1], "int64"),
        ([-(2**63), 0], "int64"),
        ([], "int64"),
    ],
)
def test_a_files_whole_numbers_are_as_narrow_as_their_values(values, kind):
    table = pa.table({"n": pa.array(values, pa.int64())})
    stored = narrowed(table)
    assert str(stored.schema.field("n").type) == kind
    assert stored.cast(plain(stored.schema)).equals(table)
    assert plain(stored.schema).equals(table.schema, check_metadata=True)


def test_files_of_different_widths_are_read_and_filtered_as_one_table(tmp_path):
    place = at(tmp_path)
    place.prepare(["plays"])
    kept = pa.schema([("n", pa.uint32())])
    for name, values in (("narrow", [1, 2]), ("wide", [2, 70_000])):
        table = narrowed(pa.table({"n": values}, schema=kept))
        store_module.write_chunk(place, "plays", name, {"a": [(0, 1)]}, {"plays": table})
    data = place.dataset(["plays/narrow.arrow", "plays/wide.arrow"], coded(kept))
    con = duckdb.connect()
    con.from_arrow(data).create_view("plays")
    found = con.sql("SELECT n FROM plays WHERE n >= 2 ORDER BY n").to_arrow_table()
    assert found.schema.field("n").type == pa.uint32()
    assert found["n"].to_pylist() == [2, 2, 70_000]


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([[1], [2]], "uint8"),
        ([[200], [300]], "uint16"),
        ([[-1], [200]], "int16"),
        ([[-1], [100]], "int8"),
        ([[-1], [2**63 - 1]], "int64"),
        ([[], [7]], "uint8"),
    ],
)
def test_rows_put_together_are_as_narrow_as_all_their_values(parts, kind):
    tables = [pa.table({"n": pa.array(values, pa.int64())}) for values in parts]
    together = put_together([narrowed(table) for table in tables])
    assert str(together.schema.field("n").type) == kind
    assert together.equals(narrowed(pa.concat_tables(tables)))
    assert plain(together.schema).equals(tables[0].schema, check_metadata=True)
