"""Finding, reading, naming and refusing the files of a board."""

import json
import re
import shutil
from pathlib import Path

import pytest
from board_drawings import FIELD, QUADRANT, SHIPPED, with_code, with_wall

import dojo_core
from dojo_core.errors import DojoError
from dojo_core.labirinto import board
from dojo_core.labirinto.options import OPTIONS
from dojo_core.options import find


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a quadrant, which is the current one."""
    (tmp_path / "mine.txt").write_text(QUADRANT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(value, base, legend=None):
    with pytest.raises(DojoError) as error:
        board.read_option(value, base, legend)
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)
    return str(error.value)


# Finding


def test_a_short_name_finds_a_shipped_board(folder):
    for name in SHIPPED:
        read = board.read_option(name, folder)
        assert (read["label"], read["text"]) == (name, SHIPPED[name].read_text())


def test_a_shipped_board_is_found_by_its_path_from_anywhere(folder):
    read = board.read_option("board/variants/tight.txt", folder)
    assert (read["label"], read["path"]) == ("tight", "board/variants/tight.txt")


def test_the_default_is_the_shipped_quadrant(folder):
    option = find(OPTIONS, "board")
    assert option.shown(option.check(option.default, folder)) == "quadrant"


def test_a_path_starts_from_the_base_then_from_the_current_folder(folder):
    deeper = folder / "deeper"
    deeper.mkdir()
    assert board.read_option("mine.txt", deeper)["text"] == QUADRANT
    (deeper / "mine.txt").write_text(FIELD)
    read = board.read_option("mine.txt", deeper)
    assert (read["text"], read["label"], read["path"]) == (FIELD, "mine.txt", "deeper/mine.txt")


def test_a_file_of_ones_own_goes_before_a_shipped_name(folder):
    shutil.copy(folder / "mine.txt", folder / "tight")
    assert board.read_option("tight", folder)["text"] == QUADRANT


def test_a_folder_of_that_name_does_not_hide_a_shipped_board(folder):
    (folder / "tight").mkdir()
    assert board.read_option("tight", folder)["label"] == "tight"


def test_an_installed_copy_reads_its_own_boards(folder, monkeypatch):
    package = folder / "site" / "dojo_core"
    shutil.copytree(SHIPPED["quadrant"].parent, package / "board_data")
    monkeypatch.setattr(board, "_PACKAGE", package)
    assert board.shipped_boards().keys() == SHIPPED.keys()
    read = board.read_option("board/variants/linked.txt", folder)
    assert (read["label"], read["path"]) == ("linked", "board/variants/linked.txt")
    assert "quadrant_offset" in read["legend"]


def test_a_home_folder_is_understood(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    assert board.read_option("~/mine.txt", folder / "nowhere")["text"] == QUADRANT


def test_a_missing_file_is_told_with_the_nearest_name(folder):
    assert "did you mean 'tight'" in refused("tigth", folder)
    assert "did you mean 'mine.txt'" in refused("mime.txt", folder)
    assert "did you mean" not in refused("zzzzzzzzzz", folder)
    assert "quadrant, few_tunnels" in refused("zzzzzzzzzz", folder)


def test_the_key_of_a_grid_file_stands_before_the_sentence(folder):
    with pytest.raises(DojoError, match=r"^grid\.toml:7: there is no board 'nope\.txt'"):
        find(OPTIONS, "board").check("nope.txt", folder, "grid.toml:7")


@pytest.mark.parametrize("value", ["", ".", "sub"])
def test_a_folder_is_no_board(folder, value):
    (folder / "sub").mkdir()
    assert "is a folder" in refused(value, folder)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\xff", "byte 1 "),
        (QUADRANT.encode("utf-16"), "byte 1 "),
        (b"+---\x00+", "byte 5 "),
        (b"+" * 200_000, "more than 100000 bytes"),
    ],
    ids=["picture", "utf-16", "nul", "huge"],
)
def test_what_is_no_small_text_is_refused(folder, data, words):
    (folder / "odd.txt").write_bytes(data)
    assert words in refused("odd.txt", folder)


def test_a_byte_order_mark_is_no_part_of_the_board(folder):
    (folder / "bom.txt").write_bytes(b"\xef\xbb\xbf" + QUADRANT.encode())
    board.load(board.read_option("bom.txt", folder))


def test_a_file_without_permission_is_told(folder, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "mine.txt cannot be read: Permission denied" in refused("mine.txt", folder)


def test_a_path_longer_than_a_file_system_allows_is_just_missing(folder):
    assert "there is no board" in refused("x" * 5000, folder)


# The legend


def test_the_own_legend_goes_before_the_shared_one(folder):
    (folder / "legend.toml").write_text("[tunnels.1]\nquadrant_offset = 1")
    shared = board.read_option("mine.txt", folder)
    (folder / "mine.legend.toml").write_text("[tunnels.1]\nquadrant_offset = 2")
    own = board.read_option("mine.txt", folder)
    (folder / "other.toml").write_text("[tunnels.1]\nquadrant_offset = 3")
    given = board.read_option("mine.txt", folder, "other.toml")
    assert [board.load(read).offsets["1"] for read in (shared, own, given)] == [1, 2, 3]
    assert [read["legend_path"] for read in (shared, own, given)] == [
        "legend.toml",
        "mine.legend.toml",
        "other.toml",
    ]


def test_without_a_legend_there_is_none(folder):
    read = board.read_option("mine.txt", folder)
    assert (read["legend"], read["legend_path"]) == ("", "")


def test_a_missing_or_broken_legend_is_told(folder):
    assert "there is no legend 'nope.toml'" in refused("mine.txt", folder, "nope.toml")
    (folder / "mine.legend.toml").write_bytes(b"\xff\xfe")
    assert "mine.legend.toml is no text" in refused("mine.txt", folder)


def test_an_unused_section_of_a_shared_legend_is_an_error(folder):
    (folder / "legend.toml").write_text("[tunnels.3]\nquadrant_offset = 1")
    with pytest.raises(DojoError, match="F-LEGEND"):
        board.load(board.read_option("mine.txt", folder))


def test_a_section_of_a_shared_legend_that_a_neighbour_uses_is_passed_over(folder):
    (folder / "legend.toml").write_text("[tunnels.3]\nquadrant_offset = 1")
    third = with_code(with_code(QUADRANT, 0, 3, "3"), 0, 7, "3")
    (folder / "third.txt").write_text(third)
    (folder / "notes.txt").write_text("4 ideas")
    assert board.load(board.read_option("third.txt", folder)).offsets["3"] == 1
    read = json.loads(json.dumps(board.read_option("mine.txt", folder)))
    for name in ("legend.toml", "third.txt", "mine.txt"):
        (folder / name).unlink()
    assert board.load(read).offsets == {"1": 0, "2": 0}


def test_a_neighbour_with_its_own_legend_has_no_use_for_the_shared_one(folder):
    (folder / "legend.toml").write_text("[tunnels.3]\nquadrant_offset = 1")
    third = with_code(with_code(QUADRANT, 0, 3, "3"), 0, 7, "3")
    (folder / "third.txt").write_text(third)
    (folder / "third.legend.toml").write_text("")
    with pytest.raises(DojoError, match="F-LEGEND"):
        board.load(board.read_option("mine.txt", folder))


def test_a_section_of_an_own_legend_for_an_absent_digit_is_an_error(folder):
    third = with_code(with_code(QUADRANT, 0, 3, "3"), 0, 7, "3")
    (folder / "third.txt").write_text(third)
    for name in ("mine.legend.toml", "given.toml"):
        (folder / name).write_text("[tunnels.3]\nquadrant_offset = 1")
        with pytest.raises(DojoError, match="F-LEGEND"):
            board.load(board.read_option("mine.txt", folder, name))


# Loading


def test_format_errors_are_refused_with_file_code_and_place(folder):
    (folder / "bad.txt").write_text(with_code(QUADRANT, 3, 3, "X"))
    read = board.read_option("bad.txt", folder)
    for checked in (True, False):
        with pytest.raises(DojoError) as error:
            board.load(read, checked)
        assert error.value.exit_code == 2
        assert str(error.value).startswith("bad.txt: F-CODE: row 3, column 3 ")


def test_design_errors_are_refused_unless_unchecked(folder):
    (folder / "bad.txt").write_text(with_wall(QUADRANT, 6, 6, "E"))
    read = board.read_option("bad.txt", folder)
    with pytest.raises(DojoError, match=r"^bad\.txt: E-DOJO-WALL: .* row 6, column 6") as error:
        board.load(read)
    assert error.value.exit_code == 1
    assert not board.load(read, checked=False).open_sides[6, 6, 1]


def test_warnings_and_remarks_are_played(folder):
    (folder / "field.txt").write_text(FIELD)
    assert board.load(board.read_option("field.txt", folder)).codes[0, 0] == "S"


def test_more_errors_than_one_are_counted(folder):
    (folder / "bad.txt").write_text(with_code(with_code(QUADRANT, 3, 3, "X"), 3, 4, "Y"))
    with pytest.raises(DojoError, match="1 of 2 errors"):
        board.load(board.read_option("bad.txt", folder))


# Identity


def test_comments_blanks_and_default_offsets_do_not_change_identity():
    plain = board.option_identity({"text": QUADRANT})
    stripped = "\n".join(line.rstrip() for line in QUADRANT.splitlines())
    for text in ("# hello\n" + QUADRANT, QUADRANT.replace("\n", "\r\n\r\n"), stripped):
        assert board.option_identity({"text": text, "label": "x", "path": "y"}) == plain
    legend = "# none\n[tunnels.1]\nquadrant_offset = 0\nnote = 'x'"
    assert board.option_identity({"text": QUADRANT, "legend": legend}) == plain
    assert json.loads(json.dumps(plain)) == plain


@pytest.mark.parametrize(
    ("text", "legend"),
    [
        (with_code(QUADRANT, 3, 3, "A"), ""),
        (with_wall(QUADRANT, 3, 3, "E"), ""),
        (QUADRANT, "[tunnels.1]\nquadrant_offset = 1"),
    ],
    ids=["a square", "a wall", "a link"],
)
def test_a_square_a_wall_or_a_link_changes_identity(text, legend):
    changed = board.option_identity({"text": text, "legend": legend})
    assert changed != board.option_identity({"text": QUADRANT})


def test_a_board_that_cannot_be_built_has_no_identity():
    with pytest.raises(DojoError, match="F-SIZE"):
        board.option_identity({"text": "", "label": "empty"})


# The shipped boards


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_board_has_no_finding_and_says_what_it_tries(name, tmp_path):
    read = board.read_option(name, tmp_path)
    report = board.validate(read["text"], read["legend"], read["neighbours"])
    assert report.findings == ()
    comments = [line for line in read["text"].splitlines() if line.startswith("#")]
    if name != "quadrant":
        assert comments[0].startswith("# Tries: ")
        assert any(line.startswith("# Look at: ") for line in comments)


def test_shipped_boards_are_all_different(tmp_path):
    seen = {name: board.option_identity(board.read_option(name, tmp_path)) for name in SHIPPED}
    assert len({tuple(identity) for identity in seen.values()}) == len(SHIPPED) >= 6


def facts(name, folder):
    """Return what the variants are about: squares by code, ways out, entrances, offsets."""
    whole = board.load(board.read_option(name, folder))
    report = board.validate(board.read_option(name, folder)["text"])
    ways = whole.open_sides[whole.codes != "D"].sum()
    return report.squares, int(ways), len(report.entrances), dict(whole.offsets)


def test_each_variant_is_what_its_name_says(tmp_path):
    squares, ways, entrances, offsets = facts("quadrant", tmp_path)
    assert facts("tight", tmp_path)[1] < ways - 50
    assert facts("open", tmp_path)[1] > ways + 120
    assert facts("few_tunnels", tmp_path)[0]["T"] == squares["T"] - 2
    assert facts("more_fatica", tmp_path)[0]["F"] == squares["F"] + 4
    assert facts("less_fatica", tmp_path)[0]["F"] == 2 < squares["F"]
    assert facts("four_entrances", tmp_path)[2] == 4 > entrances
    assert facts("one_entrance", tmp_path)[2] == 1 < entrances
    assert facts("linked", tmp_path)[3] == {"1": 1, "2": 2} != offsets


def test_the_boards_page_names_every_shipped_board():
    page = (SHIPPED["quadrant"].parent / "README.md").read_text()
    assert all(f"| `{name}` |" in page for name in SHIPPED)


def test_the_boards_page_names_every_code_of_a_finding():
    sources = Path(dojo_core.__file__).parent / "labirinto"
    text = "".join((sources / name).read_text() for name in ("quadrant.py", "board_checks.py"))
    codes = set(re.findall(r'"([FEWX]-[A-Z-]+)"', text))
    page = (SHIPPED["quadrant"].parent / "README.md").read_text()
    assert codes == set(re.findall(r"^\| `([FEWX]-[A-Z-]+)` \|", page, re.MULTILINE))
