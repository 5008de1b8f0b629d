"""`dojo bench --against`: what it compares, and when it speaks of a slowdown."""

import random
import shutil

import pytest

from dojo_core import bench, bench_against
from dojo_core.bench_against import Comparison
from dojo_core.errors import DojoError
from dojo_core.kernel import PACKAGE, engine_hash
from dojo_core.taking_turns import Side, interval_of_median


@pytest.mark.parametrize(("count", "rank"), [(6, 1), (10, 2), (20, 6), (31, 10)])
def test_interval_of_a_median_has_the_ranks_of_the_tables(count, rank):
    # Conover's ranks at 95%; the upper one counts from the other end.
    values = [float(k) for k in range(1, count + 1)]
    random.Random(3).shuffle(values)
    assert interval_of_median(values, 0.95) == (rank, count + 1 - rank)


def test_interval_of_a_median_is_the_range_when_there_are_too_few():
    assert interval_of_median([3.0, 1.0, 2.0], 0.95) == (1.0, 3.0)


def test_interval_of_a_median_holds_it_as_often_as_it_says():
    draw = random.Random(11)
    held = 0
    for _ in range(2000):
        low, high = interval_of_median([draw.gauss(0, 1) for _ in range(20)], 0.95)
        held += low <= 0 <= high
    # The ranks of 20 hold it in 95.9% of samples; five standard errors are 2.2%.
    assert held / 2000 == pytest.approx(0.959, abs=0.022)


@pytest.mark.parametrize(
    ("ratio", "high", "slower"),
    [(0.80, 0.90, True), (0.80, 1.10, False), (0.90, 0.95, False), (1.20, 1.30, False)],
)
def test_only_a_large_slowdown_that_is_no_chance_counts(ratio, high, slower):
    row = Comparison("random", 4, 100.0, 100.0 * ratio, ratio, 0.7, high, 31, True)
    assert row.slower == slower


def test_the_table_marks_what_is_slower():
    rows = [
        Comparison("random", 4, 250.0, 200.0, 0.8, 0.75, 0.85, 31, True),
        Comparison("greedy", 4, 1000.0, 1350.0, 1.35, 1.33, 1.38, 31, False),
    ]
    lines = list(bench_against.table("abc", rows, 3))
    assert lines[2].endswith("0.80 [0.75, 0.85]      yes  SLOWER")
    assert lines[3].endswith("1.35 [1.33, 1.38]      no")
    assert lines[4] == "abc cannot play 1 of the 3 lines asked for"


def test_a_revision_that_git_does_not_know_is_refused(tmp_path):
    with pytest.raises(DojoError, match=r"no-such-commit.*name a commit, a tag or a branch"):
        bench_against.unpack("no-such-commit", tmp_path)


def test_the_sources_of_a_revision_are_those_of_git(tmp_path):
    bench_against.unpack("HEAD", tmp_path)
    assert (tmp_path / "dojo_core" / "games.py").is_file()
    assert (tmp_path / "board" / "quadrant.txt").is_file()


def test_an_engine_plays_the_same_as_itself():
    rows = [{"player": "random", "players": 3, "max_rounds": 2}]
    with (
        bench_against.side("one", PACKAGE.parent, "labirinto", rows) as one,
        bench_against.side("other", PACKAGE.parent, "labirinto", rows) as other,
    ):
        assert one.answer() == other.answer() == [engine_hash("labirinto"), [0]]
        played = bench_against.compared(one, other, 0, rows[0], 6, 0.001, 1)
    assert played.same
    assert played.low <= played.ratio <= played.high
    assert played.here > 0


def test_a_side_leaves_out_what_its_engine_does_not_know():
    rows = [{"player": "nobody", "players": 3}, {"player": "random", "players": 3}]
    with bench_against.side("one", PACKAGE.parent, "labirinto", rows) as one:
        assert one.answer()[1] == [1]


@pytest.mark.parametrize(
    ("edited", "comparisons"),
    [("cli.py", []), ("micro_dojo/rules.py", []), ("labirinto/rules.py", ["measured"])],
)
def test_only_an_edit_of_the_game_s_engine_is_worth_a_comparison(monkeypatch, edited, comparisons):
    def unpack(revision, folder):
        for part in ("dojo_core", "board"):
            shutil.copytree(PACKAGE.parent / part, folder / part)
        file = folder / "dojo_core" / edited
        file.write_text(file.read_text() + "# older\n")

    monkeypatch.setattr(bench_against, "unpack", unpack)
    monkeypatch.setattr(bench_against, "compared", lambda *_: "measured")
    rows = [{"player": "random", "players": 3}]
    assert list(bench_against.compare("v0", "labirinto", rows, 6, 0.001)) == comparisons


def test_the_table_says_that_the_engine_is_the_same():
    lines = list(bench_against.table("v0", [], 2))
    assert lines == ["the engine is the same at v0: nothing to compare"]


def test_what_this_engine_cannot_play_is_refused():
    with pytest.raises(DojoError, match="nobody"):
        bench_against.refuse("labirinto", [{"player": "random"}, {"player": "nobody"}])


def test_a_side_that_cannot_go_on_is_told_in_a_sentence(tmp_path):
    (tmp_path / "dojo_core").mkdir()
    (tmp_path / "dojo_core" / "__init__.py").write_text("")
    with (
        bench_against.side("the engine of v0", tmp_path, "labirinto", []) as side,
        pytest.raises(DojoError, match=r"the engine of v0 ended: ImportError"),
    ):
        side.answer()


def test_a_side_is_ended_with_its_block(tmp_path):
    with Side("a side", ["-c", "input()"], tmp_path, {}) as side:
        assert side.process.poll() is None
    assert side.process.poll() is not None


def test_what_was_measured_is_kept_line_by_line(tmp_path):
    file = tmp_path / "bench.jsonl"
    for number in range(2):
        bench.keep(file, {"game": "labirinto", "rows": [number]})
    lines = file.read_text().splitlines()
    assert len(lines) == 2
    assert '"rows": [1]' in lines[1]
    assert '"engine": ' in lines[1]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(DojoError, match=r"--keep .*nowhere.*cannot be written"):
        bench.keep(tmp_path / "nowhere" / "bench.jsonl", {"game": "labirinto"})
