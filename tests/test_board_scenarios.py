"""Every board of the conformance suite is found right or wrong as it should be."""

import json

import pytest
from board_drawings import DATA

from dojo_core.labirinto import board

SCENARIOS = [
    scenario
    for scenario in json.loads((DATA / "labirinto.json").read_text())
    if scenario["type"] == "board"
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_scenario(scenario):
    read = board.read_option(scenario["file"], DATA, scenario.get("legend"))
    report = board.validate(read["text"], read["legend"], read["neighbours"])
    codes = {finding.code for finding in report.findings}
    expected = scenario["expect"]
    assert report.exit_code == expected["exit"]
    if expected["code"] == "OK":
        assert not {code for code in codes if code[0] in "FEW"}
    else:
        assert expected["code"] in codes


# Where the fault was put into the file; a finding of that code must point at it.
FAULTS = {
    "BD-03": (3, 3),
    "BD-05": (3, 3),
    "BD-06": (2, 2),
    "BD-08": (0, 4),
    "BD-09": (5, 0),
    "BD-10": (2, 7),
    "BD-12": (5, 6),
    "BD-13": (6, 6),
    "BD-14": (7, 1),
    "BD-18": (6, 6),
    "BD-19": (7, 7),
    "BD-22": (5, 7),
    "BD-24": (0, 0),
    "BD-26": (5, 3),
    "BD-27": (0, 0),
    "BD-35": (4, 5),
    "BD-36": (3, 0),
    "BD-45": (3, 0),
}


@pytest.mark.parametrize("name", FAULTS)
def test_finding_points_at_the_fault(name):
    scenario = next(scenario for scenario in SCENARIOS if scenario["id"] == name)
    report = board.validate((DATA / scenario["file"]).read_text())
    places = {(f.row, f.column) for f in report.findings if f.code == scenario["expect"]["code"]}
    assert FAULTS[name] in places
    assert all(
        f"row {f.row}, column {f.column}" in f.message
        for f in report.findings
        if f.row is not None and f.code not in ("F-BORDER", "E-SHORTCUT", "W-ROOM-SIZE")
    )
