"""Options of the Labirinto set together under a name: the rulebook as printed, and what it names.

A grid file takes one with ``preset = "shorter game"``, or makes an axis of several.
"""

from __future__ import annotations

from typing import Any

from dojo_core.game import Preset

_TESTED = "Tested alternatives"


def _alternative(name: str, help: str, **options: Any) -> Preset:
    return Preset(name, help, options, _TESTED)


PRESETS: tuple[Preset, ...] = (
    Preset(
        "as printed", "The rules of the draft v0.9, no alternative among them.", {}, "the rulebook"
    ),
    Preset(
        "shorter game",
        "Everyone starts as a Yellow belt, with any number of players.",
        {"short_game": True},
        "Setup: shorter game",
    ),
    _alternative("exam ties to the defender", "A tied bout fails the Exam.", exam_ties="defender"),
    _alternative("exam best of 3", "The Exam takes two won bouts.", exam_wins=2),
    _alternative(
        "exam against own belt", "The defender fights as who they are.", exam_own_belt=True
    ),
    _alternative("kiai +1", "Kiai adds one point, not two.", kiai=1),
    _alternative("failed exam costs 0", "A failed Exam costs no stripe.", exam_fail_cost=0),
    _alternative("failed exam costs 1", "A failed Exam costs one stripe.", exam_fail_cost=1),
    _alternative(
        "fatica when stopping",
        "Fatica costs the pawn that stops on it, not who walks across.",
        fatica_stop_only=True,
    ),
    _alternative(
        "kumite in the first round",
        "Nobody is spared until all have had a turn.",
        first_round_kumite=True,
    ),
    _alternative("first player one ahead", "Who begins has one stripe more.", first_player_extra=1),
)
