"""People at the table of the Labirinto: what they hear, see and may answer, in their language.

Everything here is made from the events that the asked seat may see (`seen.seen_by`). The words
stand in ``people.toml``.
"""

from __future__ import annotations

import functools
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dojo_core.game import PERSON, Answer, Event, Offer, Page, Question
from dojo_core.labirinto import story
from dojo_core.labirinto.seen import Table, seen_by
from dojo_core.labirinto.story import BELTS, HIDDEN, seat_name, square_name
from dojo_core.labirinto.text_board import Place, TextBoard
from dojo_core.labirinto.whole_walks import Walk, whole_walks

PHRASES = Path(__file__).with_suffix(".toml")
WIDTH = 78  # of a narrow terminal
HARD_SPACE = "\N{NO-BREAK SPACE}"


@functools.cache
def _phrases(language: str) -> dict[str, str]:
    """Return the phrases of stories, and those of questions, in a language."""
    asked = tomllib.loads(PHRASES.read_text(encoding="utf-8"))
    return story.phrases_in(language) | {key: words[language] for key, words in asked.items()}


def tell(events: Sequence[Event], seat: int, language: str) -> Iterator[str]:
    """Tell a play as a seat may hear it; the board is not drawn, see `show`."""
    setup, *rest = seen_by(events, seat)
    bare = {**setup, "board": {**setup["board"], "lines": []}}
    return story.describe([bare, *rest], language)


def help_lines(language: str) -> Iterator[str]:
    """Explain the drawn board, and what may be typed."""
    yield from _phrases(language)["help"].strip().splitlines()


def show(events: Sequence[Event], question: Question, language: str) -> Page:
    """Return the table as the asked seat sees it, the question, and what may be answered."""
    asking = Asking(seen_by(events, question.seat), question, language)
    sentence, offers = _ASK[question.kind](asking)
    return Page(tuple(asking.table_lines()), sentence, tuple(offers))


class Asking:
    """One question in words: the table it is asked at, and the marks on its board."""

    def __init__(self, events: Sequence[Event], question: Question, language: str) -> None:
        self.question = question
        self.seat = question.seat
        self.table = Table(events, _phrases(language))
        self.say = self.table.story.say
        self.board = TextBoard(self.table.setup["board"])
        self.begun = len(events) > 1
        self.marks: dict[Place, str] = {}
        self.pawns: dict[Place, list[int]] = {}
        for seat, square in enumerate(self.table.story.squares):
            if square is not None:
                self.pawns.setdefault(_place(square), []).append(seat)

    def ask(self, key: str, **values: object) -> str:
        """Return a question to the asked seat."""
        return self.say(f"ask_{key}", who=seat_name(self.seat), **values)

    def offer(self, key: str, words: str, *values: Any) -> Offer:
        """Return an offer that answers this question, and those of its kind that follow."""
        return Offer(key, words, tuple(Answer(self.question.kind, value) for value in values))

    def numbered(self, word: Callable[[Any], str]) -> list[Offer]:
        """Return the question's options by number."""
        options = self.question.options
        return [self.offer(str(k), word(option), option) for k, option in enumerate(options, 1)]

    def squares(self) -> list[Offer]:
        """Return the question's squares by number, marked on the board."""
        offers = self.numbered(lambda square: self.standing_on(_place(square)))
        self.marks = {_place(offer.answers[0].value): offer.key for offer in offers}
        return offers

    def opponents(self) -> list[Offer]:
        """Return the question's seats by number."""
        return self.numbered(self.opponent)

    def opponent(self, seat: int) -> str:
        """Return an opponent: belt, place on the track, square."""
        square = square_name(self.table.story.squares[seat])
        return self.say("opponent", seat=self.table.story.wearing(seat), square=square)

    def tecnica(self, card: str) -> str:
        """Return a Tecnica and what it does."""
        return self.say(f"tecnica_{card}", points=self.table.setup["options"]["kiai"])

    def kind_of(self, place: Place) -> str:
        """Return what a square is, e.g. ``(3,4) Fatica``; a plain one has no name."""
        code = self.board.code(place)
        if code == ".":
            return square_name(place)
        kind = "T" if code.isdigit() else code
        return f"{square_name(place)} {self.say(f'square_{kind}')}"

    def standing_on(self, place: Place) -> str:
        """Return what a square is, and who else stands there."""
        others = [seat for seat in self.pawns.get(place, ()) if seat != self.seat]
        square = self.kind_of(place)
        if not others:
            return square
        return self.say("with_pawns", square=square, pawns=_names(others))

    # The table

    def table_lines(self) -> Iterator[str]:
        """Draw the board, and tell who stands where and holds what."""
        yield from self.board.draw(self.pawns, self.marks)
        yield from textwrap.wrap("   ".join(self.legend()), WIDTH, break_on_hyphens=False)
        for seat in range(len(self.table.setup["players"])):
            yield self.seat_line(seat).rstrip()
        first = self.say("on_track", track="")
        for belts in (range(3), range(3, BELTS)):
            yield first + " | ".join(map(self.track, belts))
            first = " " * len(first)
        yield self.say("in_deck", cards=self.table.story.count("cards", self.table.deck))

    def legend(self) -> Iterator[str]:
        """Tell what the letters of the board stand for."""
        for code in sorted({code for line in self.board.lines[1::2] for code in line[2::4]}):
            if code != "." and not code.isdigit():
                yield f"{code} {self.say(f'square_{code}')}".replace(" ", HARD_SPACE)
        if self.board.links:
            yield self.say("tunnels").replace(" ", HARD_SPACE)

    def seat_line(self, seat: int) -> str:
        """Tell who sits on a seat, where its pawn stands, its belt, and what it holds."""
        narrator = self.table.story
        player = self.table.setup["players"][seat]
        if player == PERSON:
            player = self.say("you" if seat == self.seat else "person")
        square = narrator.squares[seat]
        where = "" if square is None else square_name(square)
        belt = f"{narrator.belt(narrator.track[seat])} {narrator.track[seat]}"
        notes = [*self.hand(seat)]
        if seat in self.table.meditating:
            notes.append(self.say("in_meditation"))
        return f"{seat_name(seat)}  {player:<10} {where:<8} {belt:<13} {', '.join(notes)}"

    def hand(self, seat: int) -> Iterator[str]:
        """Tell what a seat holds: face down, but for the own."""
        card = self.table.hands[seat]
        if card is not None:
            yield self.say("a_tecnica") if card == HIDDEN else self.say("own_tecnica", card=card)

    def track(self, belt: int) -> str:
        """Draw a belt of the track: who stands on each of its stripes."""
        narrator = self.table.story
        stripes = int(self.table.setup["options"]["belt_stripes"])
        places = []
        for position in range(belt * stripes, (belt + 1) * stripes):
            seats = [seat for seat, track in enumerate(narrator.track) if track == position]
            places.append(_names(seats, "") if seats else "·")
        return f"{narrator.belt(belt * stripes)} {' '.join(places)}"


def _place(square: Sequence[int]) -> Place:
    return square[0], square[1]


def _names(seats: Sequence[int], between: str = ", P") -> str:
    """Return seats by name: ``P1, P3``, or close together ``P13``."""
    return "P" + between.join(str(seat + 1) for seat in seats)


# The questions


def _ask_place(asking: Asking) -> tuple[str, list[Offer]]:
    return asking.ask("place" if asking.begun else "place_first"), asking.squares()


def _ask_order(asking: Asking) -> tuple[str, list[Offer]]:
    return asking.ask("order"), asking.opponents()


def _ask_target(asking: Asking) -> tuple[str, list[Offer]]:
    why = "irimi" if asking.table.drawn == "Irimi" else "sfida"
    return asking.ask(f"target_{why}"), asking.opponents()


def _ask_tunnel(asking: Asking) -> tuple[str, list[Offer]]:
    here = _place(asking.table.story.squares[asking.seat])
    there = asking.board.links[here]
    asking.marks = {there: "?"}
    offers = [
        asking.offer(asking.say(f"key_{word}"), asking.say(word), word == "yes")
        for word in ("yes", "no")
    ]
    return asking.ask("tunnel", square=asking.standing_on(there)), offers


def _ask_segreto(asking: Asking) -> tuple[str, list[Offer]]:
    return asking.ask("segreto"), asking.squares()


def _ask_keep(asking: Asking) -> tuple[str, list[Offer]]:
    return asking.ask("keep"), asking.numbered(asking.tecnica)


def _ask_tecnica(asking: Asking) -> tuple[str, list[Offer]]:
    fight = asking.table.fight
    attacks = fight["attacker"] == asking.seat
    mine, theirs = asking.table.totals if attacks else asking.table.totals[::-1]
    other = seat_name(fight["defender" if attacks else "attacker"])
    key = "tecnica_attack" if attacks else "tecnica_defend"
    offers = asking.numbered(
        lambda card: (
            asking.say("play_card", card=asking.tecnica(card)) if card else asking.say("keep_down")
        )
    )
    return asking.ask(key, other=other, mine=mine, theirs=theirs), offers


def _ask_defender(asking: Asking) -> tuple[str, list[Offer]]:
    return asking.ask("defender"), asking.opponents()


# Steps and walks


def _ask_step(asking: Asking) -> tuple[str, list[Offer]]:
    table = asking.table
    here = _place(table.story.squares[asking.seat])
    singles = [_single_step(asking, here, to) for to in asking.question.options]
    if table.remaining == 0:
        return asking.ask("extra"), singles
    steps = table.story.count("steps", table.remaining)
    walks = _ends(asking) if table.remaining > 1 else {}
    if not walks:
        return asking.ask("step", steps=steps), singles
    into = [walk for end, walk in walks.items() if asking.board.code(end) == "D"]
    key = asking.say("key_dojo")
    if into and not any(offer.key == key for offer in singles):
        words = _on_the_way(asking, asking.say("into_dojo"), min(into))
        singles.append(asking.offer(key, words, *_squares(min(into))))
    ends = [
        _walk_offer(asking, end, walk)
        for end, walk in walks.items()
        if asking.board.code(end) != "D"
    ]
    return asking.ask("walk", steps=steps), [*singles, *ends]


def _single_step(asking: Asking, here: Place, to: Sequence[int] | None) -> Offer:
    if to is None:
        return asking.offer(asking.say("key_stop"), asking.say("stop_here"), None)
    place = _place(to)
    if asking.board.code(place) == "D":
        return asking.offer(asking.say("key_dojo"), asking.say("into_dojo"), to)
    key = asking.say(f"key_{asking.board.way(here, place)}")
    asking.marks[place] = key
    return asking.offer(key, asking.standing_on(place), to)


def _ends(asking: Asking) -> dict[Place, Walk]:
    """Return whole walks by their ends, from the top left of the board."""
    table = asking.table
    brown = table.story.degree(table.story.track[asking.seat]) == BELTS - 1
    others = {
        place: [seat for seat in seats if seat != asking.seat]
        for place, seats in asking.pawns.items()
    }
    walked = [_place(square) for square in table.walked]
    return dict(sorted(whole_walks(asking.board, walked, table.remaining, others, brown).items()))


def _walk_offer(asking: Asking, end: Place, walk: Walk) -> Offer:
    """Return a whole walk by the number of its end, which is marked on the board."""
    key = str(1 + sum(mark.isdigit() for mark in asking.marks.values()))
    asking.marks[end] = key
    return asking.offer(key, _on_the_way(asking, asking.standing_on(end), walk), *_squares(walk))


def _squares(walk: Walk) -> list[list[int]]:
    return [list(square) for square in walk.squares]


def _on_the_way(asking: Asking, words: str, walk: Walk) -> str:
    """Add to an end what lies on the way to it."""
    fatica = sum(asking.board.code(square) == "F" for square in walk.squares[:-1])
    met = [
        seat
        for square in walk.squares[:-1]
        for seat in asking.pawns.get(square, ())
        if seat != asking.seat and asking.board.code(square) != "S"
    ]
    if fatica:
        words = asking.say("by_fatica", square=words, count=fatica)
    if met:
        words = asking.say("by_pawns", square=words, pawns=_names(met))
    return words


_ASK: dict[str, Callable[[Asking], tuple[str, list[Offer]]]] = {
    "place": _ask_place,
    "order": _ask_order,
    "target": _ask_target,
    "tunnel": _ask_tunnel,
    "segreto": _ask_segreto,
    "keep": _ask_keep,
    "tecnica": _ask_tecnica,
    "defender": _ask_defender,
    "step": _ask_step,
}
