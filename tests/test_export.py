"""`dojo-sweep export`: the same rows in one DuckDB file, or in Parquet or CSV files."""

from __future__ import annotations

import duckdb
import pyarrow.parquet as pq
import pytest
from conftest import GRID

from sweep.queries import connect

TABLES = ("plays", "seats", "squares", "moments", "points")


def views(results, table):
    return connect(results).sql(f"SELECT * FROM {table} ORDER BY ALL").fetchall()


def test_one_file_has_every_row_and_what_columns_mean(command, write_grid, tmp_path):
    command("run", write_grid())
    code, output, _ = command("export", "toy", "--to", "toy.duckdb")
    assert code == 0
    assert "400 rows of plays" in output
    with duckdb.connect(str(tmp_path / "toy.duckdb"), read_only=True) as exported:
        for table in TABLES:
            rows = exported.sql(f"SELECT * FROM {table} ORDER BY ALL").fetchall()
            assert rows == views("results", table), table
        comments = exported.sql(
            "SELECT comment FROM duckdb_columns() WHERE table_name = 'plays' AND"
            " column_name = 'rounds'"
        )
        assert comments.fetchall() == [("Rounds begun. [rounds]",)]
    assert [path.name for path in tmp_path.iterdir() if "toy." in path.name] == ["toy.duckdb"]


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_folder_has_a_file_a_table(command, write_grid, tmp_path, format):
    command("run", write_grid())
    assert command("export", "toy", "--to", "out", "--format", format)[0] == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{table}.{format}" for table in TABLES
    }
    here = duckdb.connect()
    for table in TABLES:
        rows = here.sql(f"SELECT * FROM 'out/{table}.{format}' ORDER BY ALL").fetchall()
        assert rows == views("results", table), table


def test_exact_sums_stay_exact_in_parquet(command, write_grid, tmp_path):
    command("run", write_grid())
    command("export", "toy", "--to", "out")
    kind = pq.read_schema(tmp_path / "out/moments.parquet").field("squares").type
    assert str(kind) == "decimal128(38, 0)"


def test_summaries_have_their_histograms(command, write_grid, tmp_path):
    command("run", write_grid(GRID.replace("seed = 7", 'seed = 7\nrecord = "summary"')))
    code, output, _ = command("export", "toy", "--to", "toy.duckdb")
    assert code == 0
    assert "0 rows of plays" in output
    with duckdb.connect(str(tmp_path / "toy.duckdb"), read_only=True) as exported:
        rows = exported.sql("SELECT * FROM histograms ORDER BY ALL").fetchall()
    assert rows == views("results", "histograms")


@pytest.mark.parametrize("to", ["toy.duckdb", "out"])
def test_an_export_is_written_over_only_when_asked(command, write_grid, tmp_path, to):
    command("run", write_grid())
    assert command("export", "toy", "--to", to)[0] == 0
    code, _, errors = command("export", "toy", "--to", to)
    assert code == 2
    assert f"{to} exists already; name another place, or add --force" in errors
    assert command("export", "toy", "--to", to, "--force")[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"grid.toml", "results", to}


def test_anything_else_is_never_written_over(command, write_grid, tmp_path):
    command("run", write_grid())
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    code, _, errors = command("export", "toy", "--to", "home", "--force")
    assert code == 2
    assert "home is not an export as parquet, so it is not written over" in errors
    assert (tmp_path / "home" / "letter.txt").read_text() == "dear"


def test_what_fails_leaves_nothing_behind(command, write_grid, tmp_path, monkeypatch):
    def full(temporary, target):
        raise OSError(28, "No space left on device")

    command("run", write_grid())
    monkeypatch.setattr("sweep.export._put", full)
    for to in ("toy.duckdb", "out"):
        code, _, errors = command("export", "toy", "--to", to)
        assert code == 3
        assert f"{to} cannot be written" in errors
    assert {path.name for path in tmp_path.iterdir()} == {"grid.toml", "results"}


def test_other_words_are_refused(command, write_grid):
    command("run", write_grid())
    assert (
        "did you mean 'parquet'?" in command("export", "toy", "--to", "a", "--format", "parqet")[2]
    )
    assert "there is no folder nowhere" in command("export", "toy", "--to", "nowhere/a")[2]
    assert "did you mean 'toy'?" in command("export", "tou", "--to", "a")[2]


def test_it_exports_what_lies_behind_an_address(command, write_grid, bucket, tmp_path):
    command("run", write_grid(), "--results", bucket)
    assert command("export", "toy", "--to", "out", "--results", bucket)[0] == 0
    assert pq.read_metadata(tmp_path / "out/plays.parquet").num_rows == 400
