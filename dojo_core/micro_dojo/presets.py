"""Options of Micro Dojo set together under a name: the printed games and variants."""

from __future__ import annotations

from typing import Any

from dojo_core.game import Preset
from dojo_core.micro_dojo.components import OBJECTIVES

_ADVANCED: dict[str, Any] = {f"deal_{o.name}": True for o in OBJECTIVES if o.advanced}


def _advanced(name: str, help: str, **options: Any) -> Preset:
    return Preset(name, help, _ADVANCED | options, f"Advanced Game: {name}")


PRESETS: tuple[Preset, ...] = (
    Preset("basic", "The basic game as printed.", {}, "the rulebook"),
    Preset(
        "advanced objectives",
        "The basic game with the five advanced objectives among those drawn.",
        _ADVANCED,
        "Advanced Objectives",
    ),
    _advanced("1A", "All four abilities, at their cost.", abilities="paid"),
    _advanced("2A", "All four abilities, free.", abilities="free"),
    _advanced(
        "1B", "The abilities of a side drawn, at their cost.",
        abilities="paid", ability_choice="side",
    ),
    _advanced(
        "2B", "The abilities of a side drawn, free.", abilities="free", ability_choice="side"
    ),
    Preset(
        "without influence",
        "The second player gets no Influence token.",
        {"second_influence": False},
        "not a rule: what the token is worth",
    ),
)  # fmt: skip
