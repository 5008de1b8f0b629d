"""A play told in words, from its trace and nothing else.

The narrator sees everything, face-down cards too, and says what is secret at the table, unless the
events hide it (`seen`). A turn is
one line (who, belt and track position, the roll) and, indented below it, the walk and what came of
it. The words stand in ``story.toml``, the languages side by side.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dojo_core.errors import DojoError, nearest
from dojo_core.game import Event
from dojo_core.labirinto.columns import CARDS, TECNICA
from dojo_core.labirinto.options import OPTIONS

PHRASES = Path(__file__).with_suffix(".toml")
BELTS = 6
MANY = 4  # More choices than this are counted, not listed.
HIDDEN = "?"  # In place of a card that whoever listens may not see.

_NAMES = dict(CARDS)
_KIAI, _UKE, _KAESHI = (_NAMES[key] for key in TECNICA)
_TECNICA = frozenset((_KIAI, _UKE, _KAESHI))

Square = Sequence[int]
Phrases = Mapping[str, str]


@functools.cache
def _table() -> dict[str, dict[str, str]]:
    """Return every phrase by key and language."""
    return tomllib.loads(PHRASES.read_text(encoding="utf-8"))


def languages() -> list[str]:
    """Return the languages in which every phrase can be said, e.g. ``["en", "it"]``."""
    return sorted(set.intersection(*(set(words) for words in _table().values())))


def describe(events: Sequence[Event], language: str) -> Iterator[str]:
    """Tell a play in words, line by line.

    Args:
        events: A trace of Il Labirinto del Dojo as TRACES.md defines it, the setup first.
        language: ``en`` or ``it``.

    Raises:
        DojoError: For a language without a table, and, while telling, for an event that is
            unknown, incomplete, or comes before the setup.
    """
    return _tell(events, phrases_in(language))


def phrases_in(language: str) -> dict[str, str]:
    """Return every phrase in a language, or raise a `DojoError` that names those there are."""
    known = languages()
    if language not in known:
        raise DojoError(
            f"language {language!r} is not one of {', '.join(known)}{nearest(language, known)}"
        )
    return {key: words[language] for key, words in _table().items()}


def _tell(events: Sequence[Event], phrases: Phrases) -> Iterator[str]:
    narrator = Narrator(phrases)
    for number, event in enumerate(events, 1):
        try:
            yield from narrator.tell(event)
        except KeyError as error:
            raise DojoError(
                f"line {number} of the trace: event {event.get('event')!r} lacks or does not know"
                f" {error}; TRACES.md lists the fields of every event"
            ) from error
        except DojoError as error:
            raise DojoError(f"line {number} of the trace: {error}", error.exit_code) from error
    yield from narrator.finish()


def square_name(square: Square) -> str:
    """Return how a square is called, e.g. ``(3,14)``."""
    return f"({square[0]},{square[1]})"


def seat_name(seat: int) -> str:
    """Return how a seat is called: ``P1`` is seat 0."""
    return f"P{seat + 1}"


def _sum(dice: Sequence[int]) -> str:
    """Return ``3 + 4 = 7``; one die stands alone."""
    return f"{' + '.join(map(str, dice))} = {sum(dice)}" if len(dice) > 1 else str(dice[0])


def _picture(lines: Sequence[str]) -> Iterator[str]:
    """Draw the board (four characters a square across, two lines down) with numbers beside it."""
    columns = len(lines[0]) // 4
    yield ("    " + "".join(f"  {column:<2}" for column in range(columns))).rstrip()
    for index, line in enumerate(lines):
        row = f"{index // 2:>3} " if index % 2 else "    "
        yield (row + line).rstrip()


class Narrator:
    """Tells events in order, and remembers what a listener would: who stands where, and so on.

    A line that later events may continue (a roll, a walk) stays open until one of another kind
    comes. A choice is told with the event it leads to.
    """

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.options: Mapping[str, Any] = {}
        self.players: Sequence[str] = ()
        self.squares: list[Square] = []
        self.track: list[int] = []
        self.round = 0
        self.open = ""  # The line not yet given away.
        self.kind = ""  # What the open line is: head, walk, extra, stop, or nothing.
        self.moved = False  # True once a step of the present move has been told.
        self.choices: dict[tuple[str, int], Event] = {}  # By kind and seat, until told.
        self.fight: Event = {}  # The last Kumite or bout.
        self.winner: int | None = None  # Who won it.

    def tell(self, event: Event) -> Iterator[str]:
        """Yield the lines that `event` completes."""
        teller = _TELLERS.get(event["event"])
        if teller is None:
            hint = nearest(event["event"], _TELLERS)
            raise DojoError(f"there is no event {event['event']!r}{hint}")
        if not self.players and event["event"] != "setup":
            raise DojoError(f"event {event['event']!r} comes before the setup")
        yield from teller(self, event)

    def close(self) -> Iterator[str]:
        """Yield the open line, if there is one."""
        if self.open:
            yield self.open
        self.open = self.kind = ""

    def finish(self) -> Iterator[str]:
        """Yield the open line, and choices that no event has told."""
        yield from self.close()
        for choice in self.choices.values():
            answer = self.answer(choice["answer"])
            who = seat_name(choice["seat"])
            yield self.indented("choice", who=who, answer=answer) + self.among(choice)
        self.choices.clear()

    # Words

    def say(self, key: str, **values: object) -> str:
        """Return the phrase `key` with its placeholders filled."""
        return self.phrases[key].format(**values)

    def indented(self, key: str, deep: bool = False, **values: object) -> str:
        """Return the phrase `key` as a line of a turn (`deep`: of a fight)."""
        return ("        " if deep else "    ") + self.say(key, **values)

    def count(self, noun: str, count: int) -> str:
        """Return a number of things, in the singular or the plural."""
        return self.say(f"{noun}_{'one' if count == 1 else 'many'}", count=count)

    def degree(self, position: int) -> int:
        """Return the belt at a track position: 0 for White up to 5 for Brown."""
        return min(position // int(self.options["belt_stripes"]), BELTS - 1)

    def belt(self, position: int) -> str:
        """Return the name of the belt at a track position."""
        return self.say(f"belt_{self.degree(position)}")

    def wearing(self, seat: int) -> str:
        """Return a seat with its belt, e.g. ``P2 (Yellow 4)``."""
        return f"{seat_name(seat)} ({self.belt(self.track[seat])} {self.track[seat]})"

    def answer(self, answer: Any) -> str:
        """Return an option of a choice: a seat, a square, a card, yes or no, or nothing."""
        if answer is None:
            return self.say("nothing")
        if isinstance(answer, bool):
            return self.say("yes" if answer else "no")
        if isinstance(answer, str):
            return answer
        return seat_name(answer) if isinstance(answer, int) else square_name(answer)

    def among(self, choice: Event | None) -> str:
        """Return what else could have been chosen, as the end of a sentence."""
        if choice is None:
            return ""
        options = choice["options"]
        if len(options) == 1:
            return self.say("only_one")
        if len(options) > MANY:
            return self.say("out_of_many", count=len(options))
        return self.say("out_of", options=", ".join(self.answer(option) for option in options))

    def change(self, seat: int, event: Event) -> str:
        """Move `seat` on the track; return the step and, when it changes, the belt."""
        before, after = event["from"], event["to"]
        self.track[seat] = after
        if before == after:
            return self.say("change_none", after=after)
        old, new = self.belt(before), self.belt(after)
        key = "change" if old == new else "change_belt"
        return self.say(key, before=before, after=after, old=old, new=new)

    def deck(self, deck: Sequence[str], some: str, none: str) -> str:
        """Return what is to be said of a face-down deck."""
        if not deck:
            return self.say(none)
        if deck[0] == HIDDEN:
            some += "_hidden"
        return self.say(some, cards=self.count("cards", len(deck)), card=deck[0])

    def choice(self, kind: str, seat: int) -> Event | None:
        """Take the choice that led to the present event, if there was one."""
        return self.choices.pop((kind, seat), None)


def _setup(story: Narrator, event: Event) -> Iterator[str]:
    story.options = event["options"]
    story.squares, story.track = list(event["squares"]), list(event["track"])
    story.players = event["players"]
    board = story.options["board"]
    yield story.say(
        "title", play=event["play"], seed=event["seed"], board=board, engine=event["engine"]
    )
    yield ""
    if event["board"]["lines"]:
        yield from _picture(event["board"]["lines"])
        yield ""
    yield story.say("squares_are")
    if event["board"]["links"]:
        pairs = [f"{square_name(a)}-{square_name(b)}" for a, b in event["board"]["links"]]
        yield story.say("links", pairs=", ".join(pairs))
    defaults = {option.name: option.default for option in OPTIONS}
    told = {"board", "players", "player"}
    changed = [
        f"{name} = {str(value).lower()}"
        for name, value in story.options.items()
        if name not in told and value != defaults.get(name)
    ]
    if changed:
        yield story.say("changed", options=", ".join(changed))
    yield ""
    for seat, player in enumerate(story.players):
        square = story.squares[seat]
        yield story.say(
            "seat",
            who=seat_name(seat),
            seat=seat,
            player=player,
            corner=story.say(f"corner_{event['corners'][seat]}"),
            square=square_name(square) if square else story.say("no_square"),
            belt=story.belt(story.track[seat]),
            track=story.track[seat],
        )
    yield story.deck(event["deck"], "deck", "no_deck")
    yield story.say("first", who=seat_name(event["first"]))


# A turn and its walk


def _turn(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.finish()
    if event["round"] != story.round:
        story.round = event["round"]
        yield ""
        calm = story.round == 1 and not story.options["first_round_kumite"]
        yield story.say("round_first" if calm else "round", round=story.round)
    seat = event["seat"]
    track = story.track[seat]
    story.kind = "head"
    story.open = story.say(
        "turn", turn=event["turn"], who=seat_name(seat), belt=story.belt(track), track=track
    )


def _skip(story: Narrator, event: Event) -> Iterator[str]:
    story.open = story.say("skip", head=story.open)
    yield from story.close()


def _roll(story: Narrator, event: Event) -> Iterator[str]:
    story.moved = False
    dice = _sum(event["dice"])
    if story.kind == "head":
        story.open = story.say("roll", head=story.open, dice=dice)
        story.kind = ""
    else:
        yield from story.close()
        story.open = story.indented("roll_again", dice=dice)


def _step(story: Narrator, event: Event) -> Iterator[str]:
    seat = event["seat"]
    kind = "extra" if event["extra"] else "walk"
    if story.kind != kind:
        yield from story.close()
        key = "walk_on" if story.moved and kind == "walk" else kind
        story.open = story.indented(key, square=square_name(story.squares[seat]))
        story.kind = kind
    story.open += f" → {square_name(event['to'])}"
    story.squares[seat] = event["to"]
    story.moved = True


def _fatica(story: Narrator, event: Event) -> Iterator[str]:
    seat = event["seat"]
    change = story.change(seat, event)
    if story.kind in ("walk", "extra"):
        story.open += story.say("fatica_step", change=change)
    else:
        yield from story.close()
        yield story.indented("fatica", who=seat_name(seat), change=change)


def _stop(story: Narrator, event: Event) -> Iterator[str]:
    if story.kind not in ("walk", "extra"):
        yield from story.close()
        story.open = story.indented("standing", square=square_name(story.squares[event["seat"]]))
    steps = story.count("steps", event["remaining"])
    story.open = story.say(f"stop_{event['why']}", walk=story.open, steps=steps)
    story.kind = "stop"


def _square_effect(story: Narrator, event: Event) -> Iterator[str]:
    square = story.say(f"square_{event['code']}")
    if story.kind == "stop":
        story.open = story.say("square_stopped", walk=story.open, square=square)
        story.kind = ""
    else:
        yield from story.close()
        yield story.indented("square", square=square)


def _choice(story: Narrator, event: Event) -> Iterator[str]:
    key = (event["kind"], event["seat"])
    if key in story.choices:
        yield from story.finish()
    story.choices[key] = event


# Kumite


def _kumite(story: Narrator, event: Event) -> Iterator[str]:
    attacker, defender = event["attacker"], event["defender"]
    story.fight = event
    order = story.among(story.choice("order", attacker))
    yield from story.close()
    opening = story.indented(
        f"kumite_{event['kind']}",
        square=square_name(event["square"]),
        bout=event["bout"],
        attacker=story.wearing(attacker),
        defender=story.wearing(defender),
    )
    dice = story.say("dice", attacker=event["dice"][0], defender=event["dice"][1])
    bonuses = [
        story.say("bonus", points=points, who=seat_name(seat))
        for seat, points in zip((attacker, defender), event["bonuses"], strict=True)
        if points
    ]
    yield opening + order + dice + "".join(bonuses)


def _tecnica(story: Narrator, event: Event) -> Iterator[str]:
    who = seat_name(event["seat"])
    choice = story.choice("tecnica", event["seat"])
    card = event["card"]
    if card == _KIAI:
        yield story.indented("kiai", deep=True, who=who, points=story.options["kiai"])
    elif card == _UKE:
        yield story.indented("uke_played", deep=True, who=who)
    elif card == _KAESHI:
        yield story.indented("kaeshi", deep=True, who=who, die=event["reroll"])
    elif card is not None:
        raise DojoError(f"the card {card!r} is no Tecnica{nearest(card, _TECNICA)}")
    else:
        held = [option for option in (choice or {"options": ()})["options"] if option]
        key = "held" if held else "held_unknown"
        yield story.indented(key, deep=True, who=who, card="".join(held))


def _kumite_result(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    attacker, defender, winner = event["attacker"], event["defender"], event["winner"]
    totals = event["totals"]
    story.winner = winner
    points = f"{totals[0]}-{totals[1]}"
    text = story.indented("result", deep=True, totals=points, who=seat_name(winner))
    if totals[0] == totals[1]:
        text += story.say("senshu_attacker" if winner == attacker else "senshu_defender")
    if story.fight["kind"] != "exam":
        loser = defender if winner == attacker else attacker
        ahead = story.degree(story.track[winner]) - story.degree(story.track[loser])
        word = "upset" if ahead < 0 else "favourite" if ahead > 0 else "equal"
        text += story.say(f"result_{word}")
    yield text


def _start(story: Narrator, event: Event) -> Iterator[str]:
    seat = event["seat"]
    among = story.among(story.choice("place", seat))
    yield from story.close()
    story.squares[seat] = event["to"]
    who, square = seat_name(seat), square_name(event["to"])
    yield story.indented("start", deep=True, who=who, square=square) + among


def _uke(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    seat = event["seat"]
    if story.winner == seat:  # Only where a Tunnel attack on a pawn that Uke saved leads back.
        key = "bounced"
    else:
        stays = list(story.squares[seat]) == list(event["to"])
        key = "uke_stays" if stays else "uke_retreats"
    story.squares[seat] = event["to"]
    yield story.indented(key, deep=True, who=seat_name(seat), square=square_name(event["to"]))


# The track


def _track(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    who, before, after, why = seat_name(event["seat"]), event["from"], event["to"], event["why"]
    change = story.change(event["seat"], event)
    if before == after:
        belt = story.belt(after)
        text = story.say("top" if after else "bottom", who=who, track=after, belt=belt)
    else:
        stripes = story.count("stripes", abs(after - before))
        key = "gain" if after > before else "loss"
        text = story.say(key, who=who, stripes=stripes, change=change)
    yield ("        " if why in ("kumite", "exam") else "    ") + text


# Nebbia del Dojo and the squares


def _draw(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    card = event["card"]
    key = "draw_none" if card is None else "draw_tecnica" if card in _TECNICA else "draw"
    if card == HIDDEN:
        key = "draw_hidden"
    yield story.indented(key, who=seat_name(event["seat"]), card=card)


def _keep(story: Narrator, event: Event) -> Iterator[str]:
    story.choice("keep", event["seat"])
    yield from story.close()
    key = "keep_hidden" if event["kept"] == HIDDEN else "keep"
    yield story.indented(
        key, who=seat_name(event["seat"]), kept=event["kept"], discarded=event["discarded"]
    )


def _reshuffle(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    yield "    " + story.deck(event["deck"], "reshuffle", "reshuffle_none")


def _tunnel(story: Narrator, event: Event) -> Iterator[str]:
    seat, source, exit_square = event["seat"], event["source"], event["to"]
    choice = story.choice("tunnel" if source == "square" else "segreto", seat)
    yield from story.close()
    name = "tunnel" if source == "square" else "segreto"
    if exit_square is None:
        refused = name == "tunnel" and choice is not None
        yield story.indented("tunnel_refused" if refused else f"{name}_closed", who=seat_name(seat))
        return
    story.squares[seat] = exit_square
    text = story.indented(
        f"{name}_taken",
        who=seat_name(seat),
        origin=square_name(event["from"]),
        square=square_name(exit_square),
    )
    yield text + (story.among(choice) if name == "segreto" else "")


def _target(story: Narrator, event: Event) -> Iterator[str]:
    seat, why, chosen = event["seat"], event["why"], event["chosen"]
    among = story.among(story.choice("target", seat))
    yield from story.close()
    if chosen is None:
        yield story.indented(f"no_target_{why}", who=seat_name(seat))
    else:
        yield story.indented(f"target_{why}", who=seat_name(seat), target=seat_name(chosen)) + among


def _swap(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    seat, other = event["seat"], event["with"]
    story.squares[seat], story.squares[other] = event["squares"]
    yield story.indented(
        "swap",
        who=seat_name(seat),
        other=seat_name(other),
        square=square_name(story.squares[seat]),
        other_square=square_name(story.squares[other]),
    )


def _passo_falso(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    seat = event["seat"]
    story.squares[seat] = event["to"]
    key = f"passo_falso_{event['source']}"
    yield story.indented(key, who=seat_name(seat), square=square_name(event["to"]))


def _meditate(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    yield story.indented("meditate", who=seat_name(event["seat"]))


# The Final Exam


def _exam(story: Narrator, event: Event) -> Iterator[str]:
    seat, defender = event["challenger"], event["defender"]
    among = story.among(story.choice("defender", seat))
    yield from story.close()
    if defender is None:
        story.squares[seat] = event["returned"]
        square = square_name(event["returned"])
        yield story.indented("exam_refused", challenger=seat_name(seat), square=square)
    else:
        key = "exam_own_belt" if story.options["exam_own_belt"] else "exam"
        text = story.indented(key, challenger=seat_name(seat), defender=seat_name(defender))
        yield text + among


def _exam_result(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.close()
    seat, defender = event["challenger"], event["defender"]
    won = event["winner"] == seat
    yield story.indented(
        "exam_won" if won else "exam_lost_uke" if event["uke"] else "exam_lost",
        challenger=seat_name(seat),
        defender=seat_name(defender),
        bouts=f"{event['bouts'][0]}-{event['bouts'][1]}",
        stripes=story.count("stripes", event["cost"]),
    )


# The end


def _end(story: Narrator, event: Event) -> Iterator[str]:
    yield from story.finish()
    yield ""
    winner, play = event["winner"], event["play"]
    yield story.say(
        f"end_{event['reason']}",
        who="" if winner is None else seat_name(winner),
        player="" if winner is None else story.players[winner],
        round=event["rounds"],
        rounds=story.count("rounds", event["rounds"]),
        turns=story.count("turns", event["turns"]),
    )
    yield story.say("end_seconds", minutes=story.count("minutes", round(play["seconds"] / 60)))
    yield story.say(
        "end_counts",
        kumite=play["kumite"],
        upset=play["kumite_upset"],
        exams=story.count("exams", play["exams_started"]),
        pawns=story.count("pawns", play["starts"]),
        drawn=story.count("drawn", play["cards"]),
    )
    places = sorted(range(len(event["seats"])), key=lambda seat: -event["seats"][seat]["track"])
    track = [(seat_name(s), event["seats"][s]["track"]) for s in places]
    text = ", ".join(f"{who} {story.belt(position)} {position}" for who, position in track)
    yield story.say("end_track", track=text)


_TELLERS: dict[str, Callable[[Narrator, Event], Iterator[str]]] = {
    "setup": _setup,
    "turn": _turn,
    "skip": _skip,
    "roll": _roll,
    "step": _step,
    "fatica": _fatica,
    "stop": _stop,
    "choice": _choice,
    "kumite": _kumite,
    "tecnica": _tecnica,
    "kumite_result": _kumite_result,
    "track": _track,
    "start": _start,
    "uke": _uke,
    "square": _square_effect,
    "draw": _draw,
    "keep": _keep,
    "reshuffle": _reshuffle,
    "tunnel": _tunnel,
    "target": _target,
    "swap": _swap,
    "passo_falso": _passo_falso,
    "meditate": _meditate,
    "exam": _exam,
    "exam_result": _exam_result,
    "end": _end,
}
