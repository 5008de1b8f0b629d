"""The command `dojo`: exit codes, what is printed where, and what is not imported."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from board_drawings import FIELD, QUADRANT, SHIPPED, built, drawn, open_names, with_code, with_wall

from dojo_core import cli, games
from dojo_core.labirinto.options import OPTIONS


@pytest.fixture
def dojo(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder; returns exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["dojo", *arguments])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        printed = capsys.readouterr()
        return stop.value.code or 0, printed.out, printed.err

    return run


def is_sentence(error):
    return error.startswith("dojo: ") and error.count("\n") == 1 and "Traceback" not in error


# dojo board validate


def test_validate_checks_the_shipped_quadrant_by_default(dojo):
    code, out, err = dojo("board", "validate")
    assert (code, err) == (0, "")
    assert out.startswith("board/quadrant.txt, links from board/legend.toml: fine\n")
    for fact in ("Tatami           19  37.3%", "Tunnels: 2 pairs", "(1, 3)-(6, 5)", "13, 13, 13"):
        assert fact in out


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (QUADRANT, 0),
        (FIELD, 0),
        (with_wall(QUADRANT, 6, 6, "E"), 1),
        (with_code(QUADRANT, 3, 3, "X"), 2),
        ("", 2),
    ],
    ids=["fine", "warning", "design", "format", "empty"],
)
def test_validate_ends_with_the_code_of_the_gravest_finding(dojo, tmp_path, text, code):
    (tmp_path / "quadrant.txt").write_text(text)
    assert dojo("board", "validate", "quadrant.txt")[0] == code
    told = dojo("board", "validate", "quadrant.txt", "--json")
    assert told[0] == code
    assert json.loads(told[1])["exit_code"] == code


def test_validate_tells_findings_with_code_and_place(dojo, tmp_path):
    (tmp_path / "bad.txt").write_text("# mine\n" + with_code(QUADRANT, 3, 3, "X"))
    _, out, _ = dojo("board", "validate", "bad.txt")
    assert out.startswith("bad.txt: 1 format error\nF-CODE  row 3, column 3 (line 9): 'X'")


def test_validate_as_json_is_complete(dojo):
    told = json.loads(dojo("board", "validate", "linked", "--json")[1])
    assert told["file"] == "board/variants/linked.txt"
    assert told["legend"] == "board/variants/linked.legend.toml"
    assert told["findings"] == []
    assert told["squares"]["."] == 19
    assert told["tunnels"][0]["offset"] == 1
    assert len(told["tunnels"][0]["links"]) == 4
    assert told["entrances"][0] == {"outside": [5, 7], "side": "south", "inside": [6, 7]}
    assert told["walks"] == [13, 13, 13, 13]


def test_validate_reads_the_given_legend(dojo, tmp_path):
    (tmp_path / "mine.txt").write_text(QUADRANT)
    (tmp_path / "links.toml").write_text("[tunnels.1]\nquadrant_offset = 3")
    code, out, _ = dojo("board", "validate", "mine.txt", "--legend", "links.toml")
    assert code == 0
    assert "1  quadrant_offset 3" in out
    (tmp_path / "links.toml").write_text("[tunnels.1]\nquadrant_offset = 4")
    code, out, _ = dojo("board", "validate", "mine.txt", "--legend", "links.toml")
    assert code == 2
    assert "F-LEGEND" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("nope.txt",),
        ("tigth",),
        (".",),
        ("binary.txt",),
        ("mine.txt", "--legend", "nope.toml"),
        ("mine.txt", "--legend", "binary.txt"),
    ],
)
def test_files_that_cannot_be_used_end_in_one_sentence(dojo, tmp_path, arguments):
    (tmp_path / "mine.txt").write_text(QUADRANT)
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)))
    code, out, err = dojo("board", "validate", *arguments)
    assert (code, out) == (2, "")
    assert is_sentence(err)


# dojo board render


@pytest.mark.parametrize("name", SHIPPED)
def test_a_rendered_file_reads_back_as_the_board(dojo, tmp_path, name):
    code, _, err = dojo("board", "render", name, "-o", "out.txt")
    assert (code, err) == (0, "")
    text = (tmp_path / "out.txt").read_text()
    codes, open_sides = drawn(
        "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    )
    whole = built(SHIPPED[name].read_text())
    assert len(codes) == 256
    for square, code in codes.items():
        assert code == whole.codes[square]
        assert open_sides[square] == open_names(whole.open_sides[square])


def test_a_rendered_board_is_refused_and_names_its_quadrant(dojo, tmp_path):
    (tmp_path / "my quadrant.txt").write_text(QUADRANT)
    dojo("board", "render", "my quadrant.txt", "--output", "out.txt")
    code, out, _ = dojo("board", "validate", "out.txt")
    assert code == 2
    assert "F-SIZE" in out
    assert "give my quadrant.txt instead" in out
    bare = [line for line in (tmp_path / "out.txt").read_text().splitlines() if line[0] != "#"]
    (tmp_path / "bare.txt").write_text("\n".join(bare))
    code, out, _ = dojo("board", "validate", "bare.txt")
    assert code == 2
    assert "board/quadrant.txt" in out
    assert dojo("board", "render", "out.txt", "-o", "again.txt")[0] == 2


def test_a_rendered_file_tells_the_tunnel_links(dojo, tmp_path):
    dojo("board", "render", "linked", "-o", "out.txt")
    assert "# Tunnel 2: (1, 6)-(8, 14), " in (tmp_path / "out.txt").read_text()


def test_a_board_with_design_errors_is_drawn_and_told(dojo, tmp_path):
    (tmp_path / "bad.txt").write_text(with_wall(QUADRANT, 6, 6, "E"))
    code, _, err = dojo("board", "render", "bad.txt", "-o", "out.txt")
    assert code == 1
    assert err.startswith("E-DOJO-WALL")
    assert (tmp_path / "out.txt").exists()


def test_a_board_with_format_errors_is_not_drawn(dojo, tmp_path):
    (tmp_path / "bad.txt").write_text(with_code(QUADRANT, 3, 3, "X"))
    code, _, err = dojo("board", "render", "bad.txt", "-o", "out.txt")
    assert code == 2
    assert is_sentence(err)
    assert "F-CODE" in err
    assert not (tmp_path / "out.txt").exists()


def test_render_writes_over_a_rendered_board_and_nothing_else(dojo, tmp_path):
    (tmp_path / "mine.txt").write_text(QUADRANT)
    assert dojo("board", "render", "mine.txt", "-o", "out.txt")[0] == 0
    assert dojo("board", "render", "tight", "-o", "out.txt")[0] == 0
    code, _, err = dojo("board", "render", "mine.txt", "-o", "mine.txt")
    assert code == 2
    assert is_sentence(err)
    assert (tmp_path / "mine.txt").read_text() == QUADRANT


@pytest.mark.parametrize("target", ["nowhere/out.txt", "."])
def test_a_file_that_cannot_be_written_ends_in_one_sentence(dojo, target):
    code, _, err = dojo("board", "render", "-o", target)
    assert code == 2
    assert is_sentence(err)


def test_render_needs_a_file_to_write(dojo):
    code, _, err = dojo("board", "render")
    assert code == 2
    assert "--output" in err


# dojo options


def fake_game():
    return SimpleNamespace(
        name="labirinto", title="Il Labirinto", options=OPTIONS, presets=(), player_features=()
    )


@pytest.fixture
def labirinto(monkeypatch):
    """The game's option table without its compiled rules."""
    monkeypatch.setattr(games, "load", lambda name: fake_game())


def test_options_are_listed_under_their_groups(dojo, labirinto):
    code, out, _ = dojo("options")
    assert code == 0
    lines = out.splitlines()
    for option in OPTIONS:
        assert any(line.startswith(f"  {option.name} = ") for line in lines)
        assert option.help in out
    assert lines.index("Table") < lines.index("Kumite") < lines.index("Time at the table")
    assert "  kiai = 2 points  (0-12)" in lines
    assert "  short_game = false  (true or false)" in lines
    assert "assumed" in next(line for line in lines if "time_turn" in line)


def test_options_as_json_hold_the_whole_table(dojo, labirinto):
    told = json.loads(dojo("options", "labirinto", "--json")[1])
    assert [record["name"] for record in told] == [option.name for option in OPTIONS]
    kiai = next(record for record in told if record["name"] == "kiai")
    assert kiai == {
        "name": "kiai",
        "group": "Deck",
        "kind": "integer",
        "default": 2,
        "expected": "a whole number from 0 to 12",
        "unit": "points",
        "help": "Points that Kiai adds.",
        "source": "Deck: Kiai",
        "assumed": False,
        "low": 0,
        "high": 12,
    }
    ties = next(record for record in told if record["name"] == "kumite_ties")
    assert ties["choices"] == ["attacker", "defender"]


def test_options_as_markdown_are_the_options_page(dojo, labirinto):
    options_page = pytest.importorskip("dojo_core.options_page")
    assert dojo("options", "--markdown")[1] == options_page.markdown(fake_game())


def test_options_of_a_game_that_does_not_exist(dojo):
    code, _, err = dojo("options", "labirint")
    assert code == 2
    assert is_sentence(err)
    assert "did you mean 'labirinto'" in err


def test_options_in_two_formats_at_once(dojo, labirinto):
    code, _, err = dojo("options", "--json", "--markdown")
    assert code == 2
    assert is_sentence(err)


# The frame


@pytest.mark.parametrize(
    "arguments",
    [
        ("bord",),
        ("board", "validat"),
        ("board", "validate", "--jsn"),
        ("board", "validate", "a", "b"),
        ("options", "--xml"),
        (),
        ("board",),
    ],
)
def test_a_mistyped_command_does_not_pass(dojo, arguments):
    assert dojo(*arguments)[0] == 2


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ("board", "--help")])
def test_help_is_given(dojo, arguments):
    code, out, _ = dojo(*arguments)
    assert code == 0
    assert "dojo" in out


def imported_by(*arguments):
    """Return the modules that a run of the command imports, in a process of its own."""
    program = (
        "import sys; from dojo_core import cli; sys.argv = ['dojo', *sys.argv[1:]]\n"
        "try: cli.main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return set(run.stderr.split())


def test_help_imports_nothing_slow():
    assert not imported_by("--help") & {"numpy", "numba", "dojo_core.labirinto"}


def test_board_commands_compile_nothing():
    modules = imported_by("board", "validate")
    assert "numba" not in modules
    assert "dojo_core.labirinto.board" in modules


def test_the_module_runs_as_a_command(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "dojo_core.cli", "board", "validate", "nope"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 2
    assert is_sentence(run.stderr)
