"""Where the keys of a grid file are: the line that a complaint names."""

from __future__ import annotations

import pytest

from sweep.grid_text import GridText

TEXT = """\
top = 1
[sweep]
"game" = "toy"   # a remark
[grid]
player = [
  ["walker"],
  ["runner"]
]
goal = [8]
[sample.axes]
slow = [3]
[presets."short track"]
goal = 6
[[more_plays]]
when = {goal = 8}
plays = 20
[[more_plays]]
plays = 30
[more_plays.when]
players = 3
"""


@pytest.mark.parametrize(
    ("section", "key", "number", "line"),
    [
        ("top", None, 0, 1),
        ("sweep", None, 0, 2),
        ("sweep", "game", 0, 3),
        ("sweep", "plays", 0, 2),
        ("grid", "player", 0, 5),
        ("grid", "goal", 0, 9),
        ("sample.axes", "slow", 0, 11),
        ("sample", "points", 0, None),
        ("presets.short track", "goal", 0, 13),
        ("more_plays", "plays", 0, 16),
        ("more_plays", "plays", 1, 18),
        ("more_plays.when", "goal", 0, 15),
        ("more_plays.when", "players", 1, 20),
    ],
)
def test_a_key_is_found_on_its_line(tmp_path, section, key, number, line):
    path = tmp_path / "grid.toml"
    path.write_text(TEXT)
    source = GridText.read(path)
    assert source.line(section, key, number) == line
    assert source.place(section, key, number) == f"{path}" + (f", line {line}" if line else "")
