"""The presets of the games: each can be played, and says what the rulebook names."""

from __future__ import annotations

import pytest

from dojo_core import games
from dojo_core.labirinto.presets import PRESETS

GAME = games.load("labirinto")
DEFAULTS = GAME.resolve({})


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_can_be_prepared_and_changes_all_that_it_sets(preset):
    resolved = GAME.resolve(preset.options)
    changed = {name for name in resolved if resolved[name] != DEFAULTS[name]}
    assert changed == set(preset.options)
    GAME.prepare(resolved)


def test_every_tested_alternative_is_a_preset():
    sourced = {o.name for o in GAME.options if "Tested alternatives" in o.source}
    tested = [p for p in PRESETS if p.source == "Tested alternatives"]
    assert {name for preset in tested for name in preset.options} == sourced | {"kiai"}
    assert all(len(preset.options) == 1 for preset in tested)


def test_names_are_given_once_and_the_printed_rules_come_first():
    names = [preset.name for preset in PRESETS]
    assert len(set(names)) == len(names)
    assert (names[0], PRESETS[0].options) == ("as printed", {})
