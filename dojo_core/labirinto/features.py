"""What players made of weights weigh: one line a feature, and the shipped players' weights.

Worths are counted in hundredths of a stripe. A weight reaches compiled code as a field of the
record `WEIGHTS`, one record a seat; `weighing.py` holds the function of each feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dojo_core.options import Option, packed_dtype

_WORTH = "hundredths of a stripe"
_PERCENT = "percent"

_BELTS = (
    ("yellow", "Yellow"),
    ("orange", "Orange"),
    ("green", "Green"),
    ("blue", "Blue"),
    ("brown", "Brown"),
)


def _weight(name: str, default: int, low: int, high: int, unit: str, help: str) -> Option:
    return Option(
        name, "integer", default, help, "not a rule", "Players", unit=unit, low=low, high=high
    )


def _switch(name: str, default: bool, help: str) -> Option:
    return Option(name, "switch", default, help, "not a rule", "Players")


FEATURES: tuple[Option, ...] = (
    # The own place on the track and on the board
    _weight("stripe", 100, 0, 1000, _WORTH, "Worth of each stripe."),
    _weight(
        "rising",
        0,
        0,
        2000,
        _WORTH,
        "By how much the track's last stripe is worth more than its first; others in proportion.",
    ),
    *(
        _weight(
            belt, 0, -5000, 20_000, _WORTH, f"Worth of wearing the {title} belt or a higher one."
        )
        for belt, title in _BELTS
    ),
    _weight("spare", 0, -5000, 5000, _WORTH, "Worth of each stripe above the Brown belt's first."),
    _weight(
        "delay", 100, 0, 5000, _WORTH, "What each turn costs a Brown belt on its way to the Dojo."
    ),
    _weight(
        "approach",
        0,
        0,
        5000,
        _WORTH,
        "The same for lower belts, as far as they have come on the track.",
    ),
    _weight(
        "prospect",
        0,
        0,
        1000,
        _PERCENT,
        "How much the stripes count that later moves from a square promise, by the board alone.",
    ),
    _weight("exam", 6400, 0, 100_000, _WORTH, "Worth of winning the Final Exam."),
    _weight("start", 0, 0, 5000, _WORTH, "Worth that is lost by being sent to Start."),
    # Fights
    _switch("fights", True, "Whether fights on the way are weighed at all."),
    _switch("cards", True, "Whether chances in a fight count the cards that both may play."),
    _weight("caution", 100, 0, 1000, _PERCENT, "How much of what a fight may lose counts."),
    _weight(
        "exposure",
        0,
        0,
        1000,
        _PERCENT,
        "How much the attacks count that opponents who can come may make before the next turn.",
    ),
    _weight("prey", 0, 0, 1000, _PERCENT, "How much the attacks count that the next roll offers."),
    _weight(
        "deny",
        0,
        0,
        1000,
        _PERCENT,
        "How much of what an opponent at the top of the track loses counts as a gain; of others in"
        " proportion to their stripes.",
    ),
    # Nebbia del Dojo
    _weight("kiai", 0, 0, 5000, _WORTH, "Worth of holding Kiai as a White belt."),
    _weight("uke", 0, 0, 5000, _WORTH, "Worth of holding Uke as a White belt."),
    _weight("kaeshi", 0, 0, 5000, _WORTH, "Worth of holding Kaeshi as a White belt."),
    _weight(
        "saving",
        0,
        0,
        2000,
        _PERCENT,
        "By how much a held card is worth more at the top of the track; in proportion before.",
    ),
    _weight(
        "guard",
        0,
        0,
        20_000,
        _WORTH,
        "Worth of holding Kiai or Kaeshi for each Brown belt whose Exam the seat would defend.",
    ),
    _weight("again", 50, 0, 5000, _WORTH, "Worth of another move, and of a turn not skipped."),
    # Style
    _weight(
        "temperature",
        0,
        0,
        20_000,
        _WORTH,
        "Chance: up to so much, drawn anew for each answer, is added to what it is worth.",
    ),
)

WEIGHTS = packed_dtype(FEATURES)


def climb(weights: Mapping[str, Any], belt_stripes: int) -> list[int]:
    """`stripe`, `rising`, `yellow` to `brown`, `spare`: what each track position is worth.

    Args:
        weights: Every feature's weight.
        belt_stripes: The stripes of a belt.

    Returns:
        Hundredths of a stripe, from position 0 to the top of the track.
    """
    worths = []
    top = 6 * belt_stripes - 1
    for track in range(top + 1):
        worn = _BELTS[: track // belt_stripes]
        spare = max(track - 5 * belt_stripes, 0)
        belts = sum(weights[belt] for belt, _ in worn)
        rise = weights["rising"] * track * (track - 1) // (2 * max(top - 1, 1))
        worths.append(weights["stripe"] * track + rise + belts + weights["spare"] * spare)
    return worths


# The shipped players that are nothing but weights; what stands nowhere has its default. `careful`
# and `bold` are one player in two tempers, and hardly save their cards.
_STYLE = {
    "yellow": -17, "orange": -20, "green": -29, "blue": 16, "brown": 508, "spare": -16,
    "delay": 96, "prospect": 50, "exam": 7884, "start": 5, "caution": 84, "exposure": 36,
    "prey": 15, "deny": 88, "kiai": 150, "uke": 20, "kaeshi": 60, "saving": 7, "guard": 0,
    "again": 64,
}  # fmt: skip
# Those of `expert` were found by `dojo-sweep tune` from `careful` on; PLAYERS.md tells how.
_EXPERT = {
    **_STYLE, "brown": 547, "delay": 138, "prospect": 46, "exam": 7130, "caution": 118,
    "exposure": 51, "prey": 12, "deny": 97, "kiai": 528, "uke": 62, "kaeshi": 127, "guard": 21,
}  # fmt: skip
# Those of `master` were found by `dojo-sweep tune` against three `expert`; PLAYERS.md tells how.
_MASTER = {
    "stripe": 23, "rising": 66, "brown": 511, "delay": 181, "prospect": 150, "exam": 3606,
    "start": 5, "caution": 82, "exposure": 29, "prey": 75, "deny": 74, "kiai": 365, "uke": 60,
    "kaeshi": 142, "saving": 83, "guard": 83, "again": 64,
}  # fmt: skip
PLAYERS: dict[str, dict[str, int]] = {
    "beginner": {"fights": False, "cards": False, "temperature": 100},
    "careful": {**_STYLE, "caution": 110, "exposure": 60, "kiai": 250, "kaeshi": 90},
    "bold": {
        **_STYLE, "caution": 50, "exposure": 0, "prey": 40, "deny": 120, "prospect": 30,
    },
    "expert": _EXPERT,
    "master": _MASTER,
}  # fmt: skip
