"""Questions in SQL: the views, the formats, the prompt, and from Python."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import threading
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import GRID
from pyarrow import ipc
from sweep_runs import frozen, play
from toy_game import GAME

import sweep
from dojo_core.errors import DojoError
from sweep import cli, queries
from sweep.store import Store

QUERY = "SELECT players, count(*) AS n FROM plays JOIN points USING (point) GROUP BY 1 ORDER BY 1"
ANSWER = [{"players": 2, "n": 200}, {"players": 3, "n": 200}]


@pytest.fixture
def results(write_grid, tmp_path):
    play(write_grid(), tmp_path)
    return tmp_path


@pytest.fixture
def ask(results, monkeypatch, capfdbinary):
    def run(*words):
        monkeypatch.setattr(
            sys, "argv", ["dojo-sweep", "sql", *map(str, words), "--results", str(results)]
        )
        with pytest.raises(SystemExit) as ended:
            cli.main()
        output, errors = capfdbinary.readouterr()
        assert ended.value.code == 0, errors
        return output

    return run


def test_table(ask):
    lines = ask(QUERY).decode().splitlines()
    assert [line.split() for line in lines] == [["players", "n"], ["2", "200"], ["3", "200"]]


def test_csv(ask):
    found = list(csv.DictReader(io.StringIO(ask(QUERY, "--format", "csv").decode())))
    assert found == [{k: str(v) for k, v in row.items()} for row in ANSWER]


def test_json_is_one_object_a_line_and_keeps_whole_numbers(ask):
    lines = ask(QUERY, "--format", "json").decode().splitlines()
    assert [json.loads(line) for line in lines] == ANSWER
    total = ask("SELECT sum(rounds) AS s FROM plays", "--format", "json")
    assert isinstance(json.loads(total)["s"], int)


def test_parquet_and_arrow_are_written_to_a_file_or_a_pipe(ask, tmp_path):
    ask(QUERY, "-o", tmp_path / "x.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist() == ANSWER
    ask(QUERY, "-o", tmp_path / "x.arrow")
    assert ipc.open_file(tmp_path / "x.arrow").read_all().to_pylist() == ANSWER
    assert ipc.open_file(ask(QUERY, "--format", "arrow")).read_all().to_pylist() == ANSWER


def test_the_ending_of_the_file_decides_the_format(ask, tmp_path):
    ask(QUERY, "-o", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().splitlines()[0].replace('"', "") == "players,n"
    ask(QUERY, "-o", tmp_path / "x.txt", "--format", "table")
    assert (tmp_path / "x.txt").read_text().split()[:4] == ["players", "n", "2", "200"]


def test_a_long_answer_is_cut_on_the_screen_and_says_so(ask):
    output = ask("SELECT play FROM plays").decode()
    assert "100 of 400 rows" in output


def test_the_prompt_answers_until_the_input_ends(results, toy_command, toy_environment):
    typed = "SELECT count(*) AS n\nFROM plays;\nSELECT nonsense;\nSELECT 40 + 2 AS m;\n"
    found = subprocess.run(
        [*toy_command, "sql", "--results", str(results)],
        input=typed,
        env=toy_environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "views: failures, moments, plays, points, seats, squares" in found.stdout
    assert {"400", "42"} <= set(found.stdout.split())
    assert "the query cannot be answered" in found.stderr


def test_views_have_the_columns_of_the_game(results):
    con = sweep.connect(results)
    columns = {
        view: [row[0] for row in con.sql(f"DESCRIBE {view}").fetchall()]
        for view in ("plays", "seats", "squares")
    }
    assert columns["plays"][:3] == ["point", "play", "winner"]
    assert columns["seats"][:4] == ["point", "play", "seat", "turn_order"]
    assert columns["squares"] == ["point", "square", "row", "col", "steps"]
    points = [row[0] for row in con.sql("DESCRIBE points").fetchall()]
    assert {"point", "number", "players", "goal", "rounds_mean", "rounds_se", "rounds_n"} <= {
        *points
    }


def test_points_name_their_preset_where_presets_are_an_axis(write_grid, tmp_path):
    text = GRID + 'preset = ["long", "short"]\n[presets.long]\n[presets.short]\nmax_rounds = 5\n'
    play(write_grid(text), tmp_path)
    found = sweep.connect(tmp_path).sql(
        "SELECT preset, max_rounds, count(*) FROM plays JOIN points USING (point) GROUP BY ALL"
    )
    assert sorted(found.fetchall()) == [("long", 20, 400), ("short", 5, 400)]
    assert sweep.sweeps(tmp_path)[0].axes == ("preset", "players", "goal", "max_rounds")


def test_points_may_have_plays_of_their_own_number(write_grid, tmp_path):
    path = write_grid(GRID + "[[more_plays]]\nwhen = {goal = 20}\nplays = 130\n")
    play(path, tmp_path)
    found = sweep.connect(tmp_path).sql("SELECT goal, plays_n FROM points ORDER BY number")
    assert found.fetchall() == [(10, 100), (20, 130), (10, 100), (20, 130)]
    assert sweep.sweeps(tmp_path)[0].state == "done"
    assert play(path, tmp_path)[0].plays == 0


def test_no_name_of_points_hides_one_of_plays(results):
    con = sweep.connect(results)
    plays = {row[0] for row in con.sql("DESCRIBE plays").fetchall()}
    points = {row[0] for row in con.sql("DESCRIBE points").fetchall()}
    assert plays & points == {"point"}


def test_codes_have_their_words_beside_them(results):
    con = sweep.connect(results)
    assert con.sql("SELECT DISTINCT player, player_name FROM seats").fetchall() == [(0, "walker")]
    pairs = con.sql("SELECT DISTINCT finished, reason_name FROM plays ORDER BY 1").fetchall()
    assert pairs == [(0, "max_rounds"), (1, "arrived")] or pairs == [(1, "arrived")]


def test_squares_have_one_row_a_point_and_square_with_row_and_column(results):
    con = sweep.connect(results)
    assert con.sql("SELECT count(*) FROM squares").fetchall() == [(160,)]
    assert con.sql("SELECT DISTINCT row, col FROM squares WHERE square = 6").fetchall() == [(1, 2)]
    moves = con.sql("SELECT sum(steps) FROM squares").fetchall()
    assert moves == con.sql("SELECT sum(turns) FROM plays").fetchall()


def test_a_cursor_in_another_thread_sees_the_views(results):
    con = sweep.connect(results)
    found = []
    thread = threading.Thread(
        target=lambda: found.extend(con.cursor().sql("SELECT count(*) FROM seats").fetchall())
    )
    thread.start()
    thread.join()
    assert found == [(1000,)]


def test_the_newest_sweep_one_by_name_several_and_all(write_grid, results):
    other = GRID.replace('"toy"\ngame', '"later"\ngame').replace("= 100", "= 10")
    play(write_grid(other), results)
    count = "SELECT count(*) FROM plays"
    assert sweep.connect(results).sql(count).fetchall() == [(40,)]
    assert sweep.connect(results, "toy").sql(count).fetchall() == [(400,)]
    by_sweep = "SELECT sweep, count(*) FROM plays GROUP BY 1 ORDER BY 1"
    both = [("later", 40), ("toy", 400)]
    assert sweep.connect(results, "all").sql(by_sweep).fetchall() == both
    assert sweep.connect(results, ["later", "toy"]).sql(by_sweep).fetchall() == both
    assert [info.name for info in sweep.sweeps(results)] == ["later", "toy"]
    with pytest.raises(DojoError, match=r"no sweep 'latter' .*did you mean 'later'"):
        sweep.connect(results, "latter")


def test_a_sweep_is_described(results):
    (info,) = sweep.sweeps(results)
    assert (info.name, info.game, info.title, info.points) == ("toy", "toy", "The Toy", 4)
    assert (info.plays_planned, info.plays_done, info.state) == (400, 400, "done")
    assert (info.axes, info.record) == (("players", "goal"), "plays")


def test_a_plan_that_cannot_be_read_is_told_and_hides_no_other_sweep(write_grid, results):
    play(write_grid(GRID.replace('"toy"\ngame', '"torn"\ngame')), results)
    next((results / "torn" / "plans").iterdir()).write_text("{")
    assert [info.name for info in sweep.sweeps(results)] == ["toy"]
    assert sweep.connect(results).sql("SELECT count(*) FROM plays").fetchall() == [(400,)]
    with pytest.raises(DojoError, match="torn holds no readable plan; run the sweep again"):
        sweep.connect(results, "torn")


def test_no_results_is_no_sweeps(tmp_path):
    assert sweep.sweeps(tmp_path / "nowhere") == []
    with pytest.raises(DojoError, match="play one with `dojo-sweep run"):
        sweep.connect(tmp_path)


def test_fields_of_points_carry_meaning_and_unit(results):
    table = ipc.open_file(results / "toy" / "points.arrow").read_all()
    field = table.schema.field("rounds_mean")
    assert field.metadata == {b"meaning": b"Mean: Rounds begun.", b"unit": b"rounds"}
    assert table.schema.field("bonus").type == pa.bool_()
    assert table["track"].to_pylist() == ["plain"] * 4


@pytest.mark.parametrize("next_table", ["plays", "seats"])
def test_files_merged_while_a_connection_is_made_are_found_in_their_new_place(
    write_grid, tmp_path, monkeypatch, next_table
):
    path = write_grid()
    with monkeypatch.context() as patch:
        patch.setattr(Store, "merge", lambda self, finish=False: None)
        _, _, folder = play(path, tmp_path)
    find = queries._dataset

    def merge_and_find(place, game, table, chunks):
        if table == next_table and len(chunks) > 1:
            with Store(place, GAME, frozen(path)).open() as store:
                store.merge(finish=True)
        return find(place, game, table, chunks)

    monkeypatch.setattr(queries, "sweeps", lambda results: [SimpleNamespace(name="toy")])
    monkeypatch.setattr(queries, "_dataset", merge_and_find)
    con = sweep.connect(tmp_path)
    assert con.sql("SELECT count(*) FROM plays").fetchall() == [(400,)]
    assert len(list((folder / "plays").glob("*.arrow"))) == 1


def test_joins_look_plays_up_in_the_points_and_not_the_other_way(results):
    query = "SELECT goal, avg(won) FROM seats JOIN points USING (point) GROUP BY 1"
    for con in (queries.connect(results), queries.connect(results).cursor()):
        text = con.sql(f"EXPLAIN (FORMAT json) {query}").fetchall()[0][1]
        looked_through, hashed = _found(json.loads(text)[0], "HASH_JOIN")["children"]
        assert "won" in json.dumps(looked_through)
        assert "goal" in json.dumps(hashed)


def _found(node, name):
    """Return the operator of that name in a query's plan."""
    while node["name"].strip() != name:
        (node,) = node["children"]
    return node


@pytest.mark.parametrize(
    "tables",
    [
        "plays JOIN points USING (point)",
        "points JOIN plays USING (point)",
        "points LEFT JOIN seats USING (point)",
        "seats, points WHERE seats.point = points.point",
    ],
)
def test_a_join_holds_the_points_in_memory_wherever_they_stand(results, tables):
    con = queries.connect(results)
    query = f"EXPLAIN (FORMAT json) SELECT players, count(*) FROM {tables} GROUP BY 1"
    node = json.loads(con.sql(query).fetchall()[0][1])[0]
    while "JOIN" not in node["name"]:
        (node,) = node["children"]
    _, held = node["children"]
    assert "players" in json.dumps(held)


def test_a_join_of_three_tables_answers_in_any_order(results):
    con = queries.connect(results)
    question = "SELECT players, sum(rounds)::BIGINT, count(*) FROM {} GROUP BY 1 ORDER BY 1"
    answers = {
        tuple(con.sql(question.format(tables)).fetchall())
        for tables in (
            "seats JOIN plays USING (point, play) JOIN points USING (point)",
            "points JOIN plays USING (point) JOIN seats USING (point, play)",
        )
    }
    assert len(answers) == 1


def test_the_plan_of_a_sweep_is_read_without_those_of_others(results, write_grid, monkeypatch):
    play(write_grid(GRID.replace('"toy"', '"other"', 1)), results)
    read = []
    monkeypatch.setattr(queries, "read_plan", lambda folder: read.append(folder.name))
    queries.plan_of(results, "toy")
    assert read == ["toy"]
