"""The command `dojo-sweep`: what it prints, what it refuses, and its exit codes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import pytest
import toy_game
from conftest import GRID
from sweep_runs import frozen

from sweep import calibration, cli, work
from sweep.commands import planning, running
from sweep.queries import connect


def test_help_is_quick_and_lists_the_exit_codes():
    code = (
        "import sys; from sweep.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'pyarrow', 'ray', 'duckdb'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.rstrip().endswith("[]")
    for word in (
        "plan",
        "run",
        "sql",
        "options",
        "trace",
        "dashboard",
        "list",
        "status",
        "show",
        "verify",
        "clean",
        "export",
        "import",
        "Exit codes",
    ):
        assert word in found.stdout


def test_plan_shows_points_plays_blocks_time_and_size_and_writes_nothing(
    command, write_grid, tmp_path
):
    code, output, _ = command("plan", write_grid(), "--workers", "2")
    assert code == 0
    for words in ("points  4", "plays   400 (100 a point), 0 stored", "blocks", "time", "size"):
        assert words in output
    assert frozen(write_grid()).points[0].id in output
    assert not (tmp_path / "results").exists()


MORE = "[[more_plays]]\nwhen = {goal = 20}\nplays = 300\n[one_at_a_time]\nbonus = [true]\n"


def test_plan_lists_all_points_as_csv_without_playing(command, write_grid, monkeypatch, tmp_path):
    monkeypatch.setattr(calibration, "calibrate", None)  # it would play
    path = write_grid(GRID + MORE)
    plan = frozen(path)
    code, output, errors = command("plan", path, "--points", "csv")
    assert (code, errors) == (0, "")
    rows = list(csv.reader(output.splitlines()))
    assert rows[0] == ["number", "point", "plays", "players", "goal", "bonus"]
    assert rows[1] == ["1", plan.points[0].id, "100", "2", "10", "false"]
    assert rows[8] == ["8", plan.points[7].id, "300", "3", "20", "true"]
    assert len(rows) == 9
    assert command("plan", path, "-o", "points.csv")[:2] == (0, "")
    assert (tmp_path / "points.csv").read_text() == output


def test_plan_lists_all_points_as_a_table(command, write_grid, monkeypatch):
    monkeypatch.setattr(calibration, "calibrate", None)
    path = write_grid(GRID.replace("[10, 20]", "{from = 4, to = 39}"))
    code, output, _ = command("plan", path, "--points", "table")
    assert code == 0
    assert all(point.id in output for point in frozen(path).points)


def test_plan_tells_the_counts_as_json(command, write_grid):
    code, output, _ = command("plan", write_grid(GRID + MORE), "--json", "--workers", "2")
    assert code == 0
    found = json.loads(output)
    assert (found["points"], found["plays"], found["stored"]) == (8, 4 * 100 + 4 * 300, 0)
    assert found["origin"] == "[grid] 2 x 2 x [one_at_a_time] 2"
    assert min(found["blocks"], found["seconds"], found["bytes"]) > 0


def test_plan_says_what_each_section_contributed(command, write_grid):
    output = command("plan", write_grid(GRID + MORE), "--workers", "2")[1]
    assert "points  8 = [grid] 2 x 2 x [one_at_a_time] 2" in output
    assert "plays   1,600 (100 to 300 a point)" in output


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--points", "cvs"], 2, "--points 'cvs' is not one of table, csv; did you mean 'csv'?"),
        (["--points", "csv", "--json"], 2, "give one"),
        (["-o", "/proc/nowhere/points.csv"], 3, "/proc/nowhere/points.csv cannot be written"),
    ],
)
def test_points_that_cannot_be_listed_are_told(command, write_grid, words, code, sentence):
    found, _, errors = command("plan", write_grid(), *words)
    assert (found, errors.count("\n")) == (code, 1)
    assert sentence in errors


def test_run_ends_with_tables_and_what_to_do_next(command, write_grid):
    code, output, errors = command("run", write_grid())
    assert (code, errors) == (0, "")
    for words in ("Who wins", "1st", "unfinished", "rounds", "dojo-sweep sql --name toy"):
        assert words in output
    code, output, _ = command("run", write_grid())
    assert code == 0
    assert "400 stored already" in output
    assert "time    none: all of it is stored" in output
    assert "nothing was missing" in output
    assert command("list")[1].split()[-4:] == ["4", "400", "of", "400"]


def test_the_plan_of_an_earlier_run_keeps_its_block_size(command, write_grid, tmp_path):
    command("run", write_grid())
    kept = next((tmp_path / "results/toy/plans").iterdir()).read_text()
    command("run", write_grid("# a remark\n" + GRID))
    assert next((tmp_path / "results/toy/plans").iterdir()).read_text() == kept


def test_a_failed_block_exits_1_and_its_command_repeats_it(command, write_grid, tmp_path):
    path = write_grid(GRID + "fails_at = [-1, 50]\n")
    code, output, _ = command("run", path)
    assert code == 1
    assert "4 blocks failed" in output
    repeat = connect(tmp_path / "results").sql("SELECT command FROM failures").fetchall()[0][0]
    with pytest.raises(RuntimeError, match="play 50 went wrong"):
        command(*repeat.split()[1:])


def test_failures_can_be_left_out_of_the_exit_code_but_are_told(command, write_grid):
    code, output, _ = command("run", write_grid(GRID + "fails_at = [-1, 50]\n"), "--allow-failures")
    assert code == 0
    assert "4 blocks failed" in output


def test_a_block_that_plays_well_says_so(command, write_grid):
    command("run", write_grid())
    code, output, _ = command("block", "toy", "1", "0", "10")
    assert code == 0
    assert "10 rows of plays" in output


def test_a_mistake_in_the_grid_exits_2(command, write_grid):
    code, output, errors = command("run", write_grid(GRID.replace("goal", "gaol")))
    assert (code, output) == (2, "")
    assert errors.startswith("dojo-sweep: ")
    assert "did you mean 'goal'?" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("words", [["run"], ["run", "g", "--nonsense"], ["nonsense"]])
def test_a_wrong_command_line_exits_2(command, words):
    assert command(*words)[0] == 2


def test_an_unwritable_results_folder_exits_3(command, write_grid, tmp_path):
    (tmp_path / "taken").write_text("")
    code, _, errors = command("run", write_grid(), "--results", "taken")
    assert code == 3
    assert "taken/toy cannot be written (Not a directory)" in errors


def test_results_on_the_proc_file_system_exit_3(command, write_grid):
    code, _, errors = command("run", write_grid(), "--results", "/proc/nowhere")
    assert code == 3
    assert "cannot be written" in errors


@pytest.mark.parametrize("address", ["ftp://host/folder", "s3://bucket/x?region=eu", "s3://"])
def test_an_address_of_another_kind_is_refused(command, write_grid, address):
    code, _, errors = command("run", write_grid(), "--results", address)
    assert code == 2
    assert address in errors
    assert "s3://" in errors


def test_absurdly_many_points_are_asked_about_before_they_are_listed(command, write_grid):
    values = ", ".join(map(str, range(1, 301)))
    text = GRID + f"max_rounds = [{values}]\nslow = [{values}]\n"
    code, _, errors = command("run", write_grid(text))
    assert code == 2
    assert "the axes make 360,000 points. Nobody is here to ask: add --yes" in errors
    text += f"fails_at = [{values}]\n"
    code, _, errors = command("run", write_grid(text), "--yes")
    assert code == 2
    assert "108,000,000 points, more than the 10,000,000 that can be planned" in errors


def test_absurdly_many_plays_are_asked_about(command, write_grid, tmp_path):
    code, _, errors = command("run", write_grid(GRID.replace("= 100", "= 1_000_000_000_000")))
    assert code == 2
    assert "toy is large: 4,000,000,000,000 plays" in errors
    assert not (tmp_path / "results").exists()


def test_yes_does_not_ask(command, write_grid, monkeypatch):
    monkeypatch.setattr(planning, "LARGE_PLAYS", 10)
    assert command("run", write_grid())[0] == 2
    assert command("run", write_grid(), "--yes")[0] == 0


def test_ctrl_c_exits_130_and_says_how_to_go_on(command, write_grid, monkeypatch):
    def interrupted(self, block, stop):
        raise KeyboardInterrupt

    monkeypatch.setattr(work.Worker, "do", interrupted)
    code, output, _ = command("run", write_grid())
    assert code == 130
    assert "what was finished is kept. Go on with: dojo-sweep run" in output


def test_address_and_no_ray_contradict(command, write_grid):
    code, _, errors = command("run", write_grid(), "--no-ray", "--address", "auto")
    assert code == 2
    assert "give one" in errors


def test_options_lists_every_option_with_its_source(command):
    code, output, _ = command("options", "toy")
    assert code == 0
    for option in toy_game.OPTIONS:
        assert option.name in output
    assert command("options", "toi")[0] == 2


def test_trace_tells_the_play_that_is_stored(command, write_grid, tmp_path):
    command("run", write_grid())
    point = frozen(write_grid()).points[1]
    code, output, _ = command("trace", "toy", point.id[:6], "17", "--json")
    assert code == 0
    end = json.loads(output.splitlines()[-1])
    stored = connect(tmp_path / "results").sql(
        f"SELECT rounds, turns FROM plays WHERE point = '{point.id}' AND play = 17"
    )
    assert stored.fetchall() == [(end["play"]["rounds"], end["play"]["turns"])]
    assert command("trace", "toy", "2", "17", "--json")[1] == output
    assert command("trace", "toy", "2", "17", "--lang", "it")[1].startswith("evento: setup")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["trace", "tou", "1", "0"], "there is no sweep 'tou' in 'results'; did you mean 'toy'?"),
        (["trace", "toy", "9", "0"], "'9' names no point of toy"),
        (["trace", "toy", "1", "0", "--lang", "de"], "--lang 'de' is not one of en, it"),
        (["sql", "SELECT 1", "--name", "tou"], "there is no sweep 'tou'"),
        (["sql", "SELECT 1", "--results", "nowhere"], "no sweep in 'nowhere'; play one with"),
        (["sql", "SELECT 1", "--format", "cvs"], "not one of table, csv, json, parquet, arrow"),
        (["sql", "SELEC 1"], "the query cannot be answered: Parser Error"),
        (["sql", "SELECT round FROM plays"], "the query cannot be answered: Binder Error"),
        (["sql", "/* nothing */"], "expected a SELECT"),
        (["list", "--results", "nowhere"], "there is no sweep in 'nowhere'"),
    ],
)
def test_questions_that_cannot_be_answered_exit_2(command, write_grid, words, sentence):
    command("run", write_grid())
    code, _, errors = command(*words)
    assert code == 2
    assert sentence in errors
    assert errors.count("\n") == 1


def test_dashboard_starts_streamlit_on_the_results_and_phones_nobody(
    command, monkeypatch, tmp_path
):
    started = []

    def remember(program, words, env):
        started.append((words, env["DOJO_RESULTS"]))

    monkeypatch.setattr(os, "execve", remember)
    assert command("dashboard", "--results", "mine", "--port", "9000")[0] == 0
    ((words, results),) = started
    assert words[1:4] == ["-m", "streamlit", "run"]
    assert words[4].endswith("dashboard/app.py")
    assert words[words.index("--server.port") + 1] == "9000"
    assert words[words.index("--browser.gatherUsageStats") + 1] == "false"
    assert results == str(tmp_path / "mine")


def test_the_shipped_grid_is_a_grid():
    from sweep.grid import read_grid

    path = cli.__file__.replace("sweep/cli.py", "grid.toml")
    assert 8 <= len(frozen(path).points) < read_grid(path).combinations


def test_a_trace_by_changed_rules_is_refused(command, write_grid, monkeypatch):
    command("run", write_grid())
    monkeypatch.setattr("dojo_core.kernel.engine_hash", lambda game: "another")
    code, _, errors = command("trace", "toy", "1", "0")
    assert code == 2
    assert "the rules have changed since toy was played" in errors


def test_a_broken_file_exits_3_and_names_the_way_out(command, write_grid, tmp_path):
    command("run", write_grid())
    broken = next((tmp_path / "results/toy/plays").glob("*.arrow"))
    broken.write_bytes(broken.read_bytes()[:-100])
    code, _, errors = command("sql", "SELECT 1")
    assert code == 3
    assert f"{broken.name} is broken" in errors
    code, output, _ = command("run", write_grid())
    assert code == 0
    assert "set aside" in output
    assert command("sql", "SELECT 1")[0] == 0


@pytest.mark.parametrize(
    ("work", "workers", "much"),
    [
        (59, 1, False),
        (61, 1, True),
        (119, 2, False),
        (121, 2, True),
        (479, 64, False),
        (481, 64, True),
    ],
)
def test_a_minute_on_all_cores_is_worth_starting_ray_for(work, workers, much):
    assert running.is_much(work, workers) == much
