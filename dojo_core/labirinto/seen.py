"""What a seat may see of a play: the events without what is hidden, and the table they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dojo_core.game import Event
from dojo_core.labirinto.columns import CARDS, TECNICA
from dojo_core.labirinto.story import HIDDEN, Narrator, Phrases

_NAMES = dict(CARDS)
_TECNICA = frozenset(_NAMES[key] for key in TECNICA)


def seen_by(events: Sequence[Event], seat: int) -> list[Event]:
    """Return the events as a seat sees them (reading 110).

    The deck's order and the others' face-down Tecnica are `HIDDEN`; their choices between hidden
    cards are left out, since what comes of them is told anyhow.
    """
    return [seen for event in events if (seen := _seen(event, seat)) is not None]


def _seen(event: Event, seat: int) -> Event | None:
    kind = event["event"]
    if kind in ("setup", "reshuffle"):
        return {**event, "deck": [HIDDEN] * len(event["deck"])}
    if event.get("seat") == seat:
        return event
    if kind == "draw" and event["card"] in _TECNICA:
        return {**event, "card": HIDDEN}
    if kind == "keep":
        return {**event, "kept": HIDDEN, "discarded": HIDDEN}
    if kind == "choice" and event["kind"] in ("keep", "tecnica"):
        return None
    return event


class Table:
    """The table after some events, as far as they tell it.

    Attributes:
        setup: The first event.
        story: A narrator who has told them: it knows who stands where, on board and track.
        hands: The Tecnica each seat holds: its name, `HIDDEN`, or None.
        meditating: The seats that meditate.
        deck: How many cards are in the deck.
        walked: The squares of the present move, the one where it began first.
        remaining: How many steps of the roll are left.
        drawn: The card of the present move, if one was drawn.
        bonuses: What each fighter of the present fight adds to its die, the attacker first.
        fight: The present fight's event.
    """

    def __init__(self, events: Sequence[Event], phrases: Phrases) -> None:
        self.setup = events[0]
        self.story = Narrator(phrases)
        self.hands: list[str | None] = [None] * len(self.setup["players"])
        self.meditating: set[int] = set()
        self.deck = len(self.setup["deck"])
        self.walked: list[Sequence[int]] = []
        self.remaining = 0
        self.drawn: str | None = None
        self.fight: Event = {}
        self.dice: list[int] = []
        self.bonuses: list[int] = []
        for event in events:
            if event["event"] == "roll":
                self.walked = [self.story.squares[event["seat"]]]
            for _ in self.story.tell(event):
                pass
            self._follow(event)

    def _follow(self, event: Event) -> None:
        match event["event"]:
            case "roll":
                self.remaining, self.drawn = sum(event["dice"]), None
            case "step":
                self.walked.append(event["to"])
                self.remaining = event["remaining"]
            case "stop":
                self.remaining = 0
            case "draw":
                self._draw(event["seat"], event["card"])
            case "keep":
                self.hands[event["seat"]] = event["kept"]
            case "reshuffle":
                self.deck = len(event["deck"])
            case "meditate":
                self.meditating.add(event["seat"])
            case "skip":
                self.meditating.discard(event["seat"])
            case "kumite":
                self.fight, self.dice = event, list(event["dice"])
                self.bonuses = list(event["bonuses"])
            case "tecnica":
                self._play(event)

    def _draw(self, seat: int, card: str | None) -> None:
        self.drawn = card
        self.deck -= card is not None
        if (card == HIDDEN or card in _TECNICA) and self.hands[seat] is None:
            self.hands[seat] = card

    def _play(self, event: Event) -> None:
        """Lay a Tecnica open: what it adds counts, and the hand is empty."""
        if event["card"] is None:
            return
        side = 0 if event["seat"] == self.fight["attacker"] else 1
        self.hands[event["seat"]] = None
        if event["reroll"]:
            self.dice[side] = event["reroll"]
        if event["card"] == _NAMES["kiai"]:
            self.bonuses[side] += int(self.setup["options"]["kiai"])

    @property
    def totals(self) -> list[int]:
        """The totals of the present fight as it stands, the attacker's first."""
        return [die + bonus for die, bonus in zip(self.dice, self.bonuses, strict=True)]

    def standing(self, square: Any) -> list[int]:
        """Return the seats whose pawns stand on a square."""
        return [
            seat
            for seat, where in enumerate(self.story.squares)
            if where is not None and list(where) == list(square)
        ]
