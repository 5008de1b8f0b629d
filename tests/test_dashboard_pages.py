"""Every page of the dashboard, opened on small real results of a toy game."""

import base64
import dataclasses
import io
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sweep_runs
import toy_game
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard import answers, controls, metrics, results
from sweep import queries, store, summary
from sweep.blocks import play_block
from sweep.grid import read_grid
from sweep.places import at
from sweep.plan import Plan, make_plan, missing_blocks, with_calibration

TURNS = next(m for m in metrics.metrics(toy_game.GAME) if m.name == "turns")
APP = Path(dashboard.__file__).parent / "app.py"
PAGES = ["sweeps.py", "compare.py", "fairness.py", "length.py", "board.py", "sql.py"]
PLAYS = """
[sweep]
name = "races"
game = "toy"
plays = 512
seed = 7
record = "plays"

[fixed]
max_rounds = 3

[grid]
players = [2, 3]
bonus = [false, true]
"""


def strip(setup):
    codes = ["E", *(str(number % 10) for number in range(1, setup.squares))]
    colors = dict.fromkeys("0123456789", ("step", "#eeeeee")) | {"E": ("start", "#99cc99")}
    rows = setup.squares // setup.width
    return {
        "rows": rows,
        "columns": setup.width,
        "codes": codes,
        "walls": [[0, 0, rows, 0]],
        "colors": colors,
    }


@pytest.fixture(scope="module", autouse=True)
def toy_with_a_board():
    game = toy_game.GAME
    toy_game.GAME = dataclasses.replace(game, board=strip)
    yield
    toy_game.GAME = game


def write_sweep(folder, text=PLAYS, share=1.0):
    """Play a grid by the sweep's own functions, up to a share of its blocks."""
    folder.mkdir(parents=True, exist_ok=True)
    grid_file = folder / "grid.toml"
    grid_file.write_text(text)
    plan, _ = make_plan(read_grid(grid_file))
    plan = with_calibration(plan, plan.calibration, 7)
    return play(folder, plan, share)


def play(folder: Path, plan: Plan, share: float):
    home = at(folder / plan.name)
    keeper = store.Store(home, toy_game.GAME, plan)
    with keeper.open():
        keeper.write_plan()
        blocks = list(missing_blocks(plan.points, keeper.covered(), plan.exponent))
        for block in blocks[: round(share * len(blocks))]:
            setup = plan.setup(toy_game.GAME, plan.find(block.point))
            tables = play_block(toy_game.GAME, setup, plan.seed, block, plan.record)
            keeper.add(store.write_block(home, plan.record, block, tables))
        keeper.save()
        chunks = keeper.counted()
        sums = summary.point_sums(home, toy_game.GAME, plan, chunks)
        summary.write_points(home, toy_game.GAME, plan, sums)
    return plan


@pytest.fixture(scope="module")
def summaries(toy_with_a_board, tmp_path_factory):
    folder = tmp_path_factory.mktemp("summaries")
    write_sweep(folder, PLAYS.replace('"plays"', '"summary"'))
    return folder


@pytest.fixture(scope="module")
def half(toy_with_a_board, tmp_path_factory):
    folder = tmp_path_factory.mktemp("half")
    write_sweep(folder, share=0.5)
    return folder


@pytest.fixture(scope="module")
def races(toy_with_a_board, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_sweep(folder)
    return folder


def opened(folder, page="sweeps.py", **choices):
    """Return the app with a page open, its widgets set by the ends of their keys."""
    app = AppTest.from_file(str(APP), default_timeout=30)
    app.session_state[results.FOLDER_KEY] = str(folder)
    app.run()
    app.switch_page(page).run()
    for ending, value in choices.items():
        widget(app, ending).set_value(value).run()
    return app


def widget(app, ending):
    everything = [*app.selectbox, *app.segmented_control, *app.text_area]
    return next(w for w in everything if (w.key or "").endswith("/" + ending))


def picture(app, number=0):
    """Return the figure numbered `number` of a page as plain data."""
    return json.loads(app.get("plotly_chart")[number].proto.spec)


def numbers(values):
    """Return the numbers of a figure's list, which may be packed."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()
    return values


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_without_an_error(races, page):
    app = opened(races, page)
    assert not app.exception
    assert not app.error
    assert app.title[0].value


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_on_a_sweep_that_keeps_summaries(summaries, page):
    app = opened(summaries, page)
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_on_a_sweep_of_one_point(tmp_path, page):
    write_sweep(tmp_path, PLAYS.split("[grid]")[0])
    app = opened(tmp_path, page)
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_before_the_first_block_is_finished(tmp_path, page):
    write_sweep(tmp_path, share=0)
    app = opened(tmp_path, page)
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("page", PAGES)
def test_without_a_sweep_a_page_names_the_command(tmp_path, page):
    app = opened(tmp_path, page)
    assert not app.exception
    assert "dojo-sweep run grid.toml" in app.info[0].value


def test_the_sweeps_are_listed_with_their_progress(half):
    row = opened(half).dataframe[0].value.iloc[0]
    assert row[["Sweep", "Game", "State"]].tolist() == ["races", "The Toy", "■ stopped"]
    assert (row["Plays"], row["Planned"], row["Progress"]) == (1024, 2048, 50)


def test_a_running_sweep_is_shown_as_running(tmp_path):
    plan = write_sweep(tmp_path, share=0.25)
    with store.Store(at(tmp_path / plan.name), toy_game.GAME, plan).open():
        app = opened(tmp_path)
    assert app.dataframe[0].value.iloc[0]["State"] == "▶ running"
    assert not app.exception


FAILING = PLAYS.replace("bonus = [false, true]", "fails_at = [-1, 100]")


def test_failures_are_told_once_an_error_with_the_command_that_repeats_one(tmp_path, write_grid):
    sweep_runs.play(write_grid(FAILING), tmp_path)
    app = opened(tmp_path)
    row = app.dataframe[0].value.iloc[0]
    assert (row["State"], row["Failed blocks"]) == ("✗ failed", 2)
    assert app.error[0].value.startswith("**failed** · run 1 ended")
    assert "Failed blocks: 2**, of 64 plays" in app.expander[0].label
    error, command = (code.value for code in app.code[:2])
    assert error == "RuntimeError: play 100 went wrong"
    assert command.startswith("dojo-sweep block races ")


def test_a_run_that_is_done_says_how_it_went(tmp_path, write_grid):
    sweep_runs.play(write_grid(PLAYS), tmp_path)
    app = opened(tmp_path)
    assert app.dataframe[0].value["State"].tolist() == ["✓ done"]
    for words in ("**done** · run 1 ended", "2,048 plays in", "2 at a time on threads", "in play"):
        assert words in app.success[0].value
    assert app.dataframe[0].value["Failed blocks"].tolist() == [0]


def test_the_pages_say_where_a_sweep_comes_from_and_in_what_it_differs(tmp_path):
    write_sweep(tmp_path)
    write_sweep(tmp_path, PLAYS.replace("seed = 7", "seed = 8").replace("races", "others"))
    app = opened(tmp_path)
    assert app.code[-1].value.startswith("[sweep]")
    found = app.dataframe[-1].value
    row = found[found["What differs"] == "seed"].iloc[0]
    assert sorted(row[["races", "others"]]) == ["7", "8"]


def test_an_axis_is_offered_before_its_second_value_is_played(half):
    app = opened(half, "compare.py")
    assert widget(app, "x").options == ["Players", "Bonus"]
    assert not app.exception


def test_new_plays_show_up_without_a_restart(tmp_path):
    plan = write_sweep(tmp_path, share=0.25)
    app = opened(tmp_path)
    assert len(app.dataframe[1].value) == 1
    play(tmp_path, plan, 1.0)
    app.run()
    assert len(app.dataframe[1].value) == 4


def test_every_point_has_its_means_with_intervals(races):
    table = opened(races).dataframe[1].value
    assert table["Players"].tolist() == ["2", "2", "3", "3"]
    assert table["Bonus"].tolist() == ["no", "yes", "no", "yes"]
    assert table["Rounds"].str.fullmatch(r"[\d.]+ ± [\d.]+").all()
    assert table["Unfinished"].str.endswith("%").all()


def test_compare_draws_the_means_of_the_plays(races):
    app = opened(races, "compare.py", metric=TURNS)
    shown = app.dataframe[0].value
    query = "SELECT avg(turns) FROM plays JOIN points USING (point) GROUP BY number ORDER BY number"
    expected = [row[0] for row in queries.connect(races).execute(query).fetchall()]
    assert sorted(shown["Mean (turns)"]) == pytest.approx(sorted(expected))
    assert set(shown["Plays"]) == {512}


def test_compare_says_what_is_averaged_and_what_is_held(races):
    app = opened(races, "compare.py", color=controls.NONE)
    assert "Averaged over **bonus**" in app.markdown[0].value
    widget(app, "bonus").set_value(True).run()
    assert "Held: **with bonus**" in app.markdown[0].value
    assert set(app.dataframe[0].value["Points"]) == {1}


def test_compare_moves_an_axis_that_depends_on_another_along(tmp_path):
    text = PLAYS.replace("bonus = [false, true]", "")
    text = text.replace("players = [2, 3]", "")
    write_sweep(tmp_path, text + "[[together]]\nplayers = [2, 3]\ngoal = [8, 20]\n")
    app = opened(tmp_path, "compare.py", color=controls.NONE)
    assert "Moving along with the axes shown: **goal**" in app.markdown[0].value


def test_the_advantage_of_the_first_player_is_called_unfair(races):
    app = opened(races, "fairness.py")
    assert "4 of 4 points are unfair by turn order" in app.warning[0].value
    assert app.dataframe[0].value["Wins most"].str.startswith("1st (+").all()


def test_fairness_has_a_panel_for_each_number_of_players(races):
    notes = [
        note["text"] for note in picture(opened(races, "fairness.py"))["layout"]["annotations"]
    ]
    assert notes == ["2 players", "3 players"]


def test_players_of_one_kind_are_not_compared(races):
    app = opened(races, "fairness.py", by="player")
    assert "one group of seats by player" in app.info[0].value


def test_mixed_players_are_compared(tmp_path):
    text = PLAYS.replace("players = [2, 3]", "")
    text = text.replace("[fixed]", '[fixed]\nplayers = 2\nplayer = ["walker", "runner"]')
    write_sweep(tmp_path, text)
    app = opened(tmp_path, "fairness.py", by="player")
    assert app.dataframe[0].value["Wins most"].str.startswith("runner").all()


def test_mixed_players_may_be_an_axis(tmp_path):
    text = PLAYS.replace(
        "players = [2, 3]", 'player = [["walker", "runner"], ["runner", "walker"]]'
    )
    write_sweep(tmp_path, text.replace("[fixed]", "[fixed]\nplayers = 2"))
    app = opened(tmp_path, "fairness.py", by="player")
    assert not app.exception
    assert app.dataframe[0].value["Player"].str.contains("walker runner").any()


def test_lengths_show_every_play_once(races):
    app = opened(races, "length.py", bonus=False)
    figure = picture(app)
    lines = [trace for trace in figure["data"] if trace["type"] == "scatter"]
    bars = [trace for trace in figure["data"] if trace["type"] == "bar"]
    for line, bar in zip(lines, bars, strict=True):
        assert sum(numbers(line["y"])) + numbers(bar["y"])[0] == pytest.approx(1)
        assert numbers(bar["y"])[0] > 0


def test_quantiles_beyond_the_finished_plays_say_unfinished(races):
    table = opened(races, "length.py", bonus=False).dataframe[0].value
    assert (table["95%"] == "unfinished").all()
    assert (table["Unfinished"] > 0.05).all()


def test_lengths_from_summaries_are_those_of_the_plays(races, summaries):
    tables = [opened(folder, "length.py").dataframe[0].value for folder in (races, summaries)]
    assert tables[0].equals(tables[1])


def test_fairness_from_summaries_is_that_of_the_plays(races, summaries):
    tables = [opened(folder, "fairness.py").dataframe[0].value for folder in (races, summaries)]
    assert tables[0].equals(tables[1])


def test_the_heat_of_a_tally_is_per_play(races):
    app = opened(races, "board.py", players=3, bonus=True)
    heat = picture(app)["data"][0]
    query = "SELECT turns_mean FROM points WHERE players = 3 AND bonus"
    ((turns,),) = queries.connect(races).execute(query).fetchall()
    assert sum(numbers(heat["z"])) == pytest.approx(turns)  # a turn moves onto one square


def test_the_difference_of_two_points_is_zero_where_nothing_differs(races):
    app = opened(races, "board.py", players=2, bonus=False, other="3 players")
    assert "less the same with 3 players" in picture(app)["layout"]["title"]["text"]
    assert min(numbers(picture(app)["data"][0]["z"])) < 0


def test_an_example_query_runs_when_it_is_chosen(races):
    app = opened(races, "sql.py", example="Wins by turn order")
    assert app.dataframe[-1].value["turn_order"].max() == 2
    assert not app.error


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("SELECT lenght FROM plays", "lenght"),
        ("DROP VIEW plays", "SELECT"),
        ("SELECT 1; SELECT 2", "one query"),
        ("", "SELECT"),
        ("SELECT * FROM read_csv('/etc/hostname')", "disabled"),
        ("SELECT * FROM chosen", "chosen"),
    ],
)
def test_a_query_that_cannot_be_answered_gets_one_sentence(races, query, sentence):
    app = opened(races, "sql.py")
    app.text_area[0].set_value(query).run()
    assert not app.exception
    assert sentence in app.error[0].value
    assert "\n" not in app.error[0].value


def test_an_answer_may_have_lists_and_a_name_twice(races):
    app = opened(races, "sql.py")
    app.text_area[0].set_value("SELECT [1, 2] AS a, players AS a FROM points").run()
    assert not app.exception
    assert app.dataframe[-1].value.columns.tolist() == ["a", "a_1"]


def test_downloads_are_the_whole_answer():
    table = pa.table({"a": [1, 2], "b": [[1], [2, 3]]})
    assert answers.to_csv(table) == b"a,b\n1,[1]\n2,[2 3]\n"
    assert parquet.read_table(io.BytesIO(answers.to_parquet(table))) == table


def test_an_answer_stays_while_the_sweep_goes_on(tmp_path):
    plan = write_sweep(tmp_path, share=0.25)
    app = opened(tmp_path, "sql.py")
    app.text_area[0].set_value("SELECT count(*) AS n FROM plays").run()
    play(tmp_path, plan, 1.0)
    app.run()
    assert app.dataframe[-1].value["n"].tolist() == [512]
    app.button[0].click().run()
    assert app.dataframe[-1].value["n"].tolist() == [2048]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_on_results_behind_an_address(bucket, write_grid, page):
    sweep_runs.play(write_grid(PLAYS), bucket)
    app = opened(bucket, page)
    assert not app.exception
    assert not app.error
    assert app.sidebar.caption[0].value.startswith("✓ done · 4 points")


def test_a_place_that_cannot_be_reached_is_told_in_one_sentence(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    app = opened("s3://nowhere/results")
    assert not app.exception
    assert "s3://nowhere/results" in app.error[0].value


def test_a_fragment_takes_over_the_look_of_the_page_and_then_looks_itself(monkeypatch):
    monkeypatch.setattr(results, "look", lambda: ["later"])
    looked = results.looks_after(["first"])
    assert [looked(), looked(), looked()] == [["first"], ["later"], ["later"]]


def test_a_broken_file_is_told_in_one_sentence(tmp_path):
    write_sweep(tmp_path)
    victim = next((tmp_path / "races" / "plays").glob("*.arrow"))
    victim.write_bytes(b"torn")
    app = opened(tmp_path, "length.py")
    assert not app.exception
    assert victim.name in app.error[0].value


def test_the_results_folder_can_be_changed_in_the_sidebar(races, tmp_path):
    app = opened(tmp_path)
    app.sidebar.text_input[0].set_value(str(races)).run()
    assert app.dataframe[0].value["Sweep"].tolist() == ["races"]


def test_the_results_folder_comes_from_the_command_line_or_the_environment(monkeypatch):
    monkeypatch.setenv("DOJO_RESULTS", "/from/environment")
    monkeypatch.setattr(sys, "argv", ["app.py"])
    assert results.default_folder() == "/from/environment"
    monkeypatch.setattr(sys, "argv", ["app.py", "--results", "/from/line"])
    assert results.default_folder() == "/from/line"


def test_a_game_that_draws_no_board_says_where_its_tallies_are(races, monkeypatch):
    game = dataclasses.replace(toy_game.GAME, board=lambda setup: None)
    monkeypatch.setattr(toy_game, "GAME", game)
    assert "draws no board" in opened(races, "board.py").info[0].value


def test_charts_say_how_many_plays_a_mark_stands_for(races):
    assert "n = 512 plays a mark" in opened(races, "compare.py").main.caption[-1].value
    lengths = opened(races, "length.py", bonus=False)
    assert lengths.main.caption[0].value.startswith("n = 512 plays a line")
    finished = "SELECT min(plays_n - unfinished_n) FROM points"
    ((least,),) = queries.connect(races).execute(finished).fetchall()
    assert f"n = {least} to" in opened(races, "fairness.py").main.caption[-1].value


def test_the_kinds_of_squares_are_counted(races):
    app = opened(races, "board.py", metric=metrics.KINDS)
    bars = picture(app, 1)["data"][0]
    assert dict(zip(bars["y"], numbers(bars["x"]), strict=True)) == {"start": 1, "step": 39}
