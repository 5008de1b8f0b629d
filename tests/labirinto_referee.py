"""A referee that checks a trace of Il Labirinto del Dojo line by line, without the engine.

It knows the rulebook and the adopted readings, walks through a trace as a person at the table
would, and says at the first line that may not stand there what rule it breaks and what was
expected. Whatever is free (dice, steps, choices, the order of a shuffle) is read and checked to be
allowed; everything else is foreseen and must stand there exactly.

`check(events, options)` returns a tally of what was seen, so that a test can tell which corners of
the rules a heap of traces has visited.
"""

from __future__ import annotations

import functools
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from labirinto_referee_columns import BELTS, CARDS, TECNICA, Columns
from labirinto_referee_walks import Search
from labirinto_twin import SIZE, SQUARES, Grid, quadrant, read_board, read_quadrant, turned

Event = Mapping[str, Any]
Tally = Counter[str]

FIELDS = {
    "setup": "game engine seed play options board players corners first squares track deck",
    "turn": "seat turn round",
    "skip": "seat",
    "roll": "seat dice",
    "step": "seat to remaining extra",
    "fatica": "seat from to",
    "stop": "seat remaining why",
    "choice": "seat kind options answer",
    "kumite": "attacker defender square kind bout dice bonuses",
    "tecnica": "seat card reroll",
    "kumite_result": "attacker defender totals winner",
    "track": "seat from to why",
    "start": "seat to",
    "uke": "seat to",
    "square": "seat code",
    "draw": "seat card",
    "keep": "seat kept discarded",
    "reshuffle": "deck",
    "tunnel": "seat source from to",
    "target": "seat why chosen",
    "swap": "seat with squares",
    "passo_falso": "seat to source",
    "meditate": "seat",
    "exam": "challenger defender",
    "exam_result": "challenger defender bouts winner cost uke",
    "end": "winner reason rounds turns play seats",
}
FIELD_SETS = {kind: frozenset(["event", *names.split()]) for kind, names in FIELDS.items()}
REFUSED_EXAM = FIELD_SETS["exam"] | {"returned"}

# The corner of each seat, by the number of players.
SEATINGS = {
    3: [0, 1, 2],
    4: [0, 1, 2, 3],
    5: [0, 1, 2, 3, 1],
    6: [0, 1, 2, 3, 0, 1],
    7: [0, 1, 2, 3, 0, 1, 2],
    8: [0, 1, 2, 3, 0, 1, 2, 3],
}
PLACES = [[square // SIZE, square % SIZE] for square in range(SQUARES)]


class Foul(AssertionError):  # noqa: N818 (a foul is the referee's word)
    """The first line of a trace that may not stand there.

    Attributes:
        line: Its number, from 1; one past the end when the trace stops too early.
        event: The line itself, None past the end.
        rule: The rule it breaks.
        expected: What should have stood there.
    """

    def __init__(self, line: int, event: Event | None, rule: str, expected: str) -> None:
        super().__init__(f"line {line}: {rule}: expected {expected}, found {event}")
        self.line, self.event, self.rule, self.expected = line, event, rule, expected


def check(events: Sequence[Event], options: Mapping[str, Any]) -> Tally:
    """Return what was seen in a trace, or raise the `Foul` of its first wrong line.

    Args:
        events: The lines, as read from JSON.
        options: Every option's settled value.
    """
    referee = Referee(events, options)
    referee.watch()
    return referee.tally


def same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same, 1 and true told apart."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@functools.lru_cache(maxsize=32)
def board_of(lines: tuple[str, ...]) -> tuple[Grid, Search]:
    """Return the board that 33 lines draw and the look-ahead on it."""
    grid = read_board(lines)
    return grid, Search(grid)


@functools.lru_cache(maxsize=32)
def given_board(text: str, legend: str) -> tuple[Grid, dict[int, int]]:
    """Return the board and the tunnel links that a quadrant and its legend make.

    With offset o, the first square of a digit in quadrant k is linked to the second one in
    quadrant k + o.
    """
    grid, links = read_quadrant(text), {}
    tunnels = tomllib.loads(legend).get("tunnels", {})
    for digit in {code for code in grid.codes if code.isdigit()}:
        a, b = (s for s in range(SQUARES) if grid.codes[s] == digit and quadrant(s) == 0)
        for _ in range(tunnels.get(digit, {}).get("quadrant_offset", 0)):
            b = turned(b)
        for _ in range(4):
            links[a], links[b] = b, a
            a, b = turned(a), turned(b)
    return grid, links


@dataclass
class Walk:
    """What one move, its extra steps included, has to remember.

    Attributes:
        origin: The square where the move started.
        visited: The squares that may not be entered again, as bits.
        spared: The defenders that Uke kept on their square during this move.
        latched: Whether a Fatica of this move took a Brown pawn's belt.
    """

    origin: int
    visited: int
    spared: set[int] = field(default_factory=set)
    latched: bool = False


class Referee:
    """The table as the lines read so far leave it, and the rules that say what must follow."""

    def __init__(self, events: Sequence[Event], options: Mapping[str, Any]) -> None:
        self.events, self.options = events, options
        self.line = 0
        self.tally: Tally = Counter()
        self.columns = Columns(options)
        self.winner: int | None = None
        self.brown = (BELTS - 1) * options["belt_stripes"]
        self.top = BELTS * options["belt_stripes"] - 1

    # Reading lines

    def foul(self, rule: str, expected: str) -> NoReturn:
        """Blame the line under examination."""
        event = self.events[self.line - 1] if self.line <= len(self.events) else None
        raise Foul(self.line, event, rule, expected)

    def comes(self, kind: str) -> bool:
        """Tell whether the next line is of this kind."""
        return self.line < len(self.events) and self.events[self.line].get("event") == kind

    def take(
        self,
        kind: str,
        rule: str,
        expected: Mapping[str, Any],
        fields: frozenset[str] | None = None,
    ) -> Event:
        """Read the next line, which must be of this kind and hold what is expected."""
        self.line += 1
        if self.line > len(self.events):
            self.foul(rule, f"{kind} {dict(expected)}")
        event = self.events[self.line - 1]
        if event.get("event") != kind:
            self.foul(rule, f"{kind} {dict(expected)}")
        fields = fields or FIELD_SETS[kind]
        if event.keys() != fields:
            self.foul("format", f"the fields {sorted(fields)}")
        for name, value in expected.items():
            told = event[name]
            alike = type(told) is type(value) and told == value
            if not alike or (type(value) is list and not same(told, value)):
                self.foul(rule, f"{name} = {value!r}")
        self.columns.feed(event)
        self.tally[f"event {kind}"] += 1
        return event

    def choose(self, seat: int, kind: str, options: Collection[Any], rule: str) -> Any:
        """Read a decision, which must offer exactly these options, and return its answer."""
        event = self.take("choice", rule, {"seat": seat, "kind": kind})
        offered, answer = event["options"], event["answer"]
        complete = len(offered) == len(options) and all(
            any(same(option, other) for other in offered) for option in options
        )
        if not complete:
            self.foul(rule, f"the options {list(options)}")
        if not any(same(answer, option) for option in options):
            self.foul(rule, f"an answer among {list(options)}")
        self.tally[f"choice {kind}"] += 1
        if self.players[seat] in ("random", "wanderer"):
            place = [same(answer, option) for option in options].index(True)
            self.tally[f"chooses {kind} {place} of {len(options)}"] += 1
        return answer

    def square(self, place: Any, rule: str) -> int:
        """Return the number of a square given as [row, column]."""
        if not (
            isinstance(place, list)
            and len(place) == 2
            and all(type(number) is int and 0 <= number < SIZE for number in place)
        ):
            self.foul("format", "a square [row, column]")
        return SIZE * place[0] + place[1]

    def dice(self, dice: Any, count: int, faces: int, rule: str) -> list[int]:
        """Return the dice of a roll when they are as many and as large as they may be."""
        fits = isinstance(dice, list) and len(dice) == count
        if not fits or not all(type(die) is int and 1 <= die <= faces for die in dice):
            self.foul(rule, f"{count} dice from 1 to {faces}")
        return list(dice)

    # Setup and the sequence of turns

    def watch(self) -> None:
        """Check the trace from the first line to the last."""
        self.setup()
        last = self.options["max_rounds"] * self.n
        self.turn = 0
        while self.winner is None and self.turn < last:
            self.turn += 1
            seat = (self.first + self.turn - 1) % self.n
            self.take_turn(seat)
            self.close_turn()
        self.end()

    def setup(self) -> None:
        """Check how the play begins and lay the table out."""
        settled = {
            name: value["label"] if isinstance(value, Mapping) else value
            for name, value in self.options.items()
        }
        event = self.take("setup", "setup", {"game": "labirinto", "options": settled})
        self.n = n = self.options["players"]
        self.setup_board(event["board"])

        player = self.options["player"]
        sitting = player if isinstance(player, list) else [player] * n
        called = [one["name"] if isinstance(one, Mapping) else one for one in sitting]
        self.players = event["players"]
        if not same(self.players, called):
            self.foul("setup: players", f"{called}")
        self.setup_corners(event["corners"])

        self.first = event["first"]
        if type(self.first) is not int or not 0 <= self.first < n:
            self.foul("setup: first player", f"a seat below {n}")

        if len(event["squares"]) != n:
            self.foul("setup: one pawn in the own Safe Room", f"{n} squares")
        self.at = [self.square(place, "setup") for place in event["squares"]]
        for seat, square in enumerate(self.at):
            if square not in self.rooms[seat]:
                self.foul("setup: one pawn in the own Safe Room", f"seat {seat} in its room")

        self.track = self.starting_track()
        if not same(event["track"], self.track):
            self.foul("setup: starting positions", f"{self.track}")

        self.cards = Counter({name: self.options[f"{key}_cards"] for key, name in CARDS.items()})
        self.cards = +self.cards
        if Counter(event["deck"]) != self.cards:
            self.foul("setup: the deck", f"{dict(self.cards)}")
        self.deck: list[str] = event["deck"][::-1]  # the top is last
        self.discards: list[str] = []
        self.hand: list[str | None] = [None] * n
        self.meditating = [False] * n
        self.tally[f"players {n}"] += 1

    def setup_board(self, board: Event) -> None:
        """Check the board and its links, and read them."""
        lines = board["lines"]
        if board.keys() != {"lines", "links"} or len(lines) != 2 * SIZE + 1:
            self.foul("format", "33 lines and the links of the board")
        self.grid, self.search = board_of(tuple(lines))
        option = self.options["board"]
        grid, link = given_board(option["text"], option.get("legend", ""))
        if self.grid != grid:
            self.foul("board", "the quadrant and its three turns")
        pairs = [
            (self.square(one, "board: links"), self.square(other, "board: links"))
            for one, other in board["links"]
        ]
        told = dict(pairs + [(other, one) for one, other in pairs])
        if told != link or 2 * len(pairs) != len(link):
            self.foul("board: links", "the pairs that the legend makes, each once")
        self.link = link
        self.outside = [self.grid.codes[square] != "S" for square in range(SQUARES)]

    def setup_corners(self, corners: list[int]) -> None:
        """Check who sits at which corner."""
        n, used = self.n, Counter(corners)
        if self.options["seating"] == "spread" or n not in (5, 6):
            if not same(corners, SEATINGS[n]):
                self.foul("setup: seating", f"{SEATINGS[n]}")
        elif (
            len(corners) != n
            or sorted(used) != list(range(-(-n // 2)))
            or max(used.values()) > 2
            or any(corners[seat] == corners[seat - 1] for seat in range(n))
        ):
            self.foul("setup: seating", "corners filled in pairs that are never consecutive")
        rooms = [self.grid.room(corner) for corner in range(4)]
        self.rooms = [rooms[corner] for corner in corners]

    def starting_track(self) -> list[int]:
        """Return where each seat begins on the track."""
        options = self.options
        many = self.n >= options["many_players"]
        start = options["start_track_many"] if many else options["start_track"]
        if options["short_game"]:
            start = max(start, options["start_track_short"])
        track = [self.on_track(start)] * self.n
        track[self.first] = self.on_track(start + options["first_player_extra"])
        return track

    def take_turn(self, seat: int) -> None:
        """Check one turn."""
        self.take(
            "turn",
            "turn order",
            {"seat": seat, "turn": self.turn, "round": -(-self.turn // self.n)},
        )
        self.seat = seat
        if self.meditating[seat]:
            self.take("skip", "Meditazione: the next turn is skipped", {"seat": seat})
            self.meditating[seat] = False
        else:
            self.move(seat)

    def close_turn(self) -> None:
        """Check what must hold whenever a turn is over."""
        self.count_cards()
        if not all(0 <= position <= self.top for position in self.track):
            self.foul("invariant: the track", f"positions from 0 to {self.top}")
        for seat, square in enumerate(self.at):
            if self.grid.codes[square] == "D" and seat != self.winner:
                self.foul("invariant: no pawn remains in the Dojo", f"seat {seat} outside")
        shared = len({s for s in self.at if self.outside[s]}) < sum(
            self.outside[s] for s in self.at
        )
        self.tally["turn ends with a shared square"] += shared
        if shared and not self.may_share():
            self.foul("invariant: shared squares", "one pawn a square outside Safe Rooms")

    def may_share(self) -> bool:
        """Tell whether two pawns can come to share a square at all."""
        return bool(
            self.options["uke_cards"]
            or self.options["meditazione_cards"]
            or not self.options["first_round_kumite"]
            or self.options["exam_defender"] == "exposed"
        )

    def count_cards(self) -> None:
        """Check that deck, discards and hands hold every card once."""
        held = [card for card in self.hand if card is not None]
        if Counter(self.deck + self.discards + held) != self.cards:
            self.foul("invariant: the cards", "every card in the deck, the discards or a hand")

    def end(self) -> None:
        """Check the last line."""
        reason = "max_rounds" if self.winner is None else "exam"
        rounds = -(-self.turn // self.n)
        event = self.take(
            "end",
            "end of the game",
            {"winner": self.winner, "reason": reason, "rounds": rounds, "turns": self.turn},
        )
        play, seats = self.columns.results(event)
        self.same_row(event["play"], play, "play")
        if len(event["seats"]) != self.n:
            self.foul("columns", f"a row for each of {self.n} seats")
        for seat, row in enumerate(seats):
            self.same_row(event["seats"][seat], row, f"seat {seat}")
        self.tally[f"end {reason}"] += 1
        if self.line < len(self.events):
            self.line += 1
            self.foul("end of the game", "no line after the end")

    def same_row(self, told: Event, counted: Mapping[str, int], whose: str) -> None:
        """Check the stored columns of the play or of a seat."""
        if told.keys() != counted.keys():
            self.foul(f"columns of {whose}", f"the columns {sorted(counted)}")
        for name, value in counted.items():
            if not same(told[name], value):
                self.foul(f"column {name} of {whose}", f"{value}, not {told[name]}")

    # The track

    def on_track(self, position: int) -> int:
        """Return a position kept between the ends of the track."""
        return max(0, min(position, self.top))

    def belt(self, seat: int) -> int:
        """Return a seat's belt: 0 White to 5 Brown."""
        return self.track[seat] // self.options["belt_stripes"]

    def change(self, seat: int, by: int, why: str) -> None:
        """Check a change of track; one by 0 stripes has no line."""
        if by:
            was, now = self.track[seat], self.on_track(self.track[seat] + by)
            expected = {"seat": seat, "from": was, "to": now, "why": why}
            self.take("track", f"track: {why}", expected)
            self.track[seat] = now
            self.tally[f"track {why}"] += 1
            self.tally["track swallowed"] += now - was != by

    def pay_fatica(self, seat: int, walk: Walk, when: str) -> None:
        """Check that the Fatica square under a pawn is paid for."""
        cost = self.options["fatica_cost"]
        if not cost or self.grid.codes[self.at[seat]] != "F":
            return
        was, now = self.track[seat], self.on_track(self.track[seat] - cost)
        self.take("fatica", "Fatica costs", {"seat": seat, "from": was, "to": now})
        self.track[seat] = now
        self.tally[f"fatica {when}"] += 1
        self.tally["fatica at 0"] += was == 0
        if was >= self.brown > now:
            walk.latched = True
            self.tally["fatica takes the brown belt"] += 1

    # Who may be fought

    def first_round(self) -> bool:
        """Tell whether the turn belongs to the first round without Kumite."""
        late = self.options["first_round_ends"] == "after_last_turn"
        protected = self.n if late else self.n - 1
        return not self.options["first_round_kumite"] and self.turn <= protected

    def opponents(self, seat: int, square: int | None = None) -> list[int]:
        """Return the other seats, or those of them that stand on a square."""
        return [
            other
            for other in range(self.n)
            if other != seat and (square is None or self.at[other] == square)
        ]

    def fightable(self, other: int) -> bool:
        """Tell whether a pawn outside Safe Rooms can be fought."""
        return not self.meditating[other] and not self.first_round()

    def exposed(self, other: int) -> bool:
        """Tell whether a pawn can be chosen by a card or a square."""
        return self.outside[self.at[other]] and not self.meditating[other]

    # The move

    def move(self, seat: int) -> None:
        """Check a roll, the walk it allows and the square it leads to."""
        event = self.take("roll", "Turn 1: roll", {"seat": seat})
        options = self.options
        dice = self.dice(event["dice"], options["dice"], options["die_faces"], "Turn 1: roll")
        walk = Walk(self.at[seat], 1 << self.at[seat])
        remaining, boxed_in = sum(dice), False
        while remaining and not boxed_in:
            steps = self.search.legal(self.at[seat], walk.visited, remaining)
            doors = self.doors(seat, walk)
            if not steps and not (doors and self.comes("step")):
                boxed_in = True
            else:
                remaining -= 1
                if not self.step(seat, walk, steps, doors, remaining, extra=False):
                    return

        if boxed_in:
            why = "declined" if doors else "boxed_in"
            if doors and self.players[seat] == "wanderer":
                self.line += 1
                self.foul("wanderer enters the Dojo", "a step into the Dojo")
            stuck = bool(self.beside(seat, walk))
        else:
            ended = self.extra_steps(seat, walk)
            if ended == "over":
                return
            why, stuck = ("declined" if ended == "declined" else "done"), ended == "stuck"
        self.take("stop", "Turn 2: stop", {"seat": seat, "remaining": remaining, "why": why})
        self.tally[f"stop {why}"] += 1
        self.tally["stop beside a pawn"] += stuck
        if not (stuck and options["shared_square"] == "no_effect"):
            self.effect(seat, walk)

    def doors(self, seat: int, walk: Walk) -> tuple[int, ...]:
        """Return the squares of the Dojo that a pawn may step onto."""
        doors = self.grid.doors[self.at[seat]]
        if not doors or self.track[seat] < self.brown:
            return ()
        if walk.latched:
            stays = self.options["dojo_latch"] == "stays_closed"
            self.tally["dojo stays closed" if stays else "dojo reopens"] += 1
            return () if stays else doors
        return doors

    def beside(self, seat: int, walk: Walk) -> list[int]:
        """Return the pawns that must not be stopped on: nobody's in a Safe Room."""
        square = self.at[seat]
        if not self.outside[square]:
            return []
        return [
            other
            for other in self.opponents(seat, square)
            if other in walk.spared or not self.fightable(other)
        ]

    def step(
        self,
        seat: int,
        walk: Walk,
        steps: tuple[int, ...],
        doors: tuple[int, ...],
        remaining: int,
        extra: bool,
    ) -> bool:
        """Check one step and all that it causes. Return whether the walk may go on."""
        rule = "extra step" if extra else "Turn 2: steps"
        expected = {"seat": seat, "remaining": remaining, "extra": extra}
        event = self.take("step", rule, expected)
        came_from, to = self.at[seat], self.square(event["to"], rule)
        if to not in steps and to not in doors:
            self.foul(rule, f"a step onto one of {[PLACES[s] for s in (*steps, *doors)]}")
        player, allowed = self.players[seat], (*steps, *doors)
        if player == "wanderer":
            thrifty = self.search.thrifty(came_from, walk.visited, 1 if extra else remaining + 1)
            allowed = doors or thrifty
            if to not in allowed:
                self.foul("wanderer's steps", f"one of {[PLACES[s] for s in allowed]}")
        if steps and player != "greedy":
            place = sorted(allowed).index(to)
            self.tally[f"{player} takes step {place} of {len(allowed)}"] += 1
        self.tally["step extra" if extra else "step"] += 1
        self.at[seat] = to
        if to in doors:
            self.tally[f"enters the Dojo by {'an extra' if extra else 'a'} step"] += 1
            self.tally["enters the Dojo when boxed in"] += not steps
            self.exam(seat, came_from)
            return False

        walk.visited |= 1 << to
        free = extra and self.options["extra_step_fatica"] == "free"
        if not self.options["fatica_stop_only"] and not free:
            self.pay_fatica(seat, walk, "extra step" if extra else "step")
        back = came_from if self.options["uke_retreat"] == "one_square" else walk.origin
        return self.fights(seat, walk, "extra" if extra else "walk", back)

    def extra_steps(self, seat: int, walk: Walk) -> str:
        """Check the extra steps of a pawn that would end on one it cannot fight.

        Returns:
            ``free``: nobody beside it; ``stuck``: somebody, and no step was left; ``declined``:
            only the Dojo was left, and not entered; ``over``: the turn is over.
        """
        closed, taken = self.options["extra_step_dojo"] == "closed", 0
        while self.beside(seat, walk):
            steps = self.search.legal(self.at[seat], walk.visited, 1)
            doors = () if closed else self.doors(seat, walk)
            if not steps and not doors:
                return "stuck"
            if not steps and not self.comes("step"):
                if self.players[seat] == "wanderer":
                    self.line += 1
                    self.foul("wanderer enters the Dojo", "a step into the Dojo")
                self.tally["declines an extra step into the Dojo"] += 1
                return "declined"
            if not self.step(seat, walk, steps, doors, 0, extra=True):
                return "over"
            taken += 1
        self.tally["several extra steps"] += taken > 1
        return "free"

    def fights(self, seat: int, walk: Walk, kind: str, back: int) -> bool:
        """Check that a pawn fights everyone it can on its square. Return whether it won.

        Args:
            seat: The attacker.
            walk: Its move, which remembers whom Uke spared.
            kind: ``walk``, ``extra``, ``tunnel`` or ``segreto``.
            back: Where Uke would take it.
        """
        square, fought = self.at[seat], 0
        while self.outside[square]:
            foes = [
                other
                for other in self.opponents(seat, square)
                if self.fightable(other) and other not in walk.spared
            ]
            if not foes:
                break
            foe = foes[0]
            if len(foes) > 1:
                foe = self.choose(seat, "order", foes, "Kumite: order on a shared square")
            fought += 1
            if not self.kumite(seat, foe, kind, back):
                return False
            if self.at[foe] == square:
                walk.spared.add(foe)
        self.tally["several fights on one square"] += fought > 1
        return True

    # Kumite

    def bonuses(self, one: int, other: int) -> list[int]:
        """Return what belts add to the totals of two fighters."""
        ahead = self.belt(one) - self.belt(other)
        bonus = min(abs(ahead) * self.options["belt_bonus"], self.options["bonus_cap"])
        return [bonus if ahead > 0 else 0, bonus if ahead < 0 else 0]

    def kumite(self, attacker: int, defender: int, kind: str, back: int) -> bool:
        """Check an ordinary fight and its consequences. Return whether the attacker won."""
        belts = {seat: self.belt(seat) for seat in (attacker, defender)}
        won, uke = self.bout(
            attacker,
            defender,
            kind,
            1,
            self.bonuses(attacker, defender),
            self.options["kumite_ties"] == "attacker",
        )
        winner, loser = (attacker, defender) if won else (defender, attacker)
        row = (
            "equal"
            if belts[winner] == belts[loser]
            else ("upset" if belts[winner] < belts[loser] else "favourite")
        )
        self.change(winner, self.options[f"{row}_gain"], "kumite")
        self.change(loser, -self.options[f"{row}_loss"], "kumite")
        role = "attacker" if won else "defender"
        self.tally[f"kumite {kind} {row} won by the {role}"] += 1
        if loser in uke:
            self.uke(loser, self.at[defender] if won else back)
            self.tally[f"uke saves the {'defender' if won else 'attacker'} of {kind}"] += 1
        else:
            self.to_start(loser)
        return won

    def bout(
        self,
        attacker: int,
        defender: int,
        kind: str,
        number: int,
        bonuses: list[int],
        ties_to_attacker: bool,
    ) -> tuple[bool, set[int]]:
        """Check the dice, the Tecnica and the totals of a fight or of a bout of the Exam.

        Returns:
            Whether the attacker won, and who played Uke.
        """
        event = self.take(
            "kumite",
            f"Kumite: {kind}",
            {
                "attacker": attacker,
                "defender": defender,
                "square": PLACES[self.at[attacker]],
                "kind": kind,
                "bout": number,
                "bonuses": bonuses,
            },
        )
        faces = self.options["kumite_die_faces"]
        dice = self.dice(event["dice"], 2, faces, "Kumite: dice")
        played = self.tecnica((attacker, defender), dice)
        kiai = self.options["kiai"]
        totals = [
            die + bonus + (kiai if played.get(seat) == "Kiai" else 0)
            for die, bonus, seat in zip(dice, bonuses, (attacker, defender), strict=True)
        ]
        tie = totals[0] == totals[1]
        won = ties_to_attacker if tie else totals[0] > totals[1]
        self.take(
            "kumite_result",
            "Kumite: totals and winner",
            {
                "attacker": attacker,
                "defender": defender,
                "totals": totals,
                "winner": attacker if won else defender,
            },
        )
        self.tally[f"tie {'exam' if kind == 'exam' else 'kumite'}"] += tie
        return won, {seat for seat, card in played.items() if card == "Uke"}

    def tecnica(self, fighters: tuple[int, int], dice: list[int]) -> dict[int, str | None]:
        """Check the window for Tecnica and put rerolled dice in place. Return what was played."""
        at_once = self.options["kaeshi_timing"] == "at_once"
        answers: dict[int, str | None] = {}
        for index, seat in enumerate(fighters):
            held = self.hand[seat]
            if held is not None:
                answers[seat] = self.choose(seat, "tecnica", [None, held], "Kumite: Tecnica")
                if at_once:
                    self.reveal(seat, answers[seat], dice, index)
        if not at_once:
            for index, seat in enumerate(fighters):
                if seat in answers:
                    self.reveal(seat, answers[seat], dice, index)
        return answers

    def reveal(self, seat: int, card: str | None, dice: list[int], index: int) -> None:
        """Check a Tecnica laid down, or kept back."""
        rule = "Kumite: Tecnica"
        event = self.take("tecnica", rule, {"seat": seat, "card": card})
        if card == "Kaeshi":
            faces = self.options["kumite_die_faces"]
            dice[index] = self.dice([event["reroll"]], 1, faces, "Kaeshi: reroll")[0]
        elif event["reroll"] is not None:
            self.foul("Kaeshi: reroll", "no reroll")
        if card is not None:
            self.hand[seat] = None
            self.discards.append(card)
        self.tally[f"tecnica {card} of the {'defender' if index else 'attacker'}"] += 1

    def uke(self, seat: int, to: int) -> None:
        """Check that Uke keeps a pawn from Start."""
        self.take("uke", "Uke", {"seat": seat, "to": PLACES[to]})
        self.at[seat] = to

    def to_start(self, seat: int) -> None:
        """Check that a pawn is sent to Start."""
        rule = "sent to Start"
        place = self.choose(seat, "place", [PLACES[s] for s in self.rooms[seat]], rule)
        self.take("start", rule, {"seat": seat, "to": place})
        self.at[seat] = self.square(place, rule)
        self.tally["start of another seat"] += seat != self.seat

    # Squares and cards

    def effect(self, seat: int, walk: Walk) -> None:
        """Check the effect of the square a move stopped on."""
        code = self.grid.codes[self.at[seat]]
        code = "T" if code.isdigit() else code
        self.take("square", "Turn 5: the square takes effect", {"seat": seat, "code": code})
        self.tally[f"square {code}"] += 1
        if code == "F" and self.options["fatica_stop_only"]:
            self.pay_fatica(seat, walk, "stop")
        elif code == "A":
            self.change(seat, self.options["allenamento_gain"], "allenamento")
        elif code == "?":
            self.draw(seat, walk)
        elif code == "T":
            self.tunnel(seat, walk)
        elif code == "P":
            self.passo_falso(seat, walk, "square")
        elif code == "K":
            self.sfida(seat, "square")

    def passo_falso(self, seat: int, walk: Walk, source: str) -> None:
        """Check that a pawn goes back to where its move started."""
        expected = {"seat": seat, "to": PLACES[walk.origin], "source": source}
        self.take("passo_falso", "Passo Falso", expected)
        self.at[seat] = walk.origin
        self.tally[f"passo_falso {source}"] += 1
        crowd = self.outside[walk.origin] and self.opponents(seat, walk.origin)
        self.tally["passo_falso onto a pawn"] += bool(crowd)

    def tunnel(self, seat: int, walk: Walk) -> None:
        """Check a Tunnel square: usable only when everyone at the exit can be fought."""
        entrance = self.at[seat]
        to: int | None = self.link[entrance]
        if not all(self.fightable(other) for other in self.opponents(seat, to)):
            to = None
            self.tally["tunnel square blocked"] += 1
        elif not self.choose(seat, "tunnel", [False, True], "Tunnel: yes or no"):
            to = None
            self.tally["tunnel square refused"] += 1
        self.teleport(seat, walk, "square", to)

    def segreto(self, seat: int, walk: Walk) -> None:
        """Check Tunnel Segreto: any Tunnel where everyone can be fought."""
        allowed = [
            PLACES[square]
            for square in self.link
            if all(self.fightable(other) for other in self.opponents(seat, square))
        ]
        self.tally["segreto with fewer tunnels"] += 0 < len(allowed) < len(self.link)
        to = None
        if allowed:
            place = self.choose(seat, "segreto", allowed, "Tunnel Segreto: which")
            to = self.square(place, "Tunnel Segreto: which")
        else:
            self.tally["tunnel segreto nowhere"] += 1
        self.teleport(seat, walk, "segreto", to)

    def teleport(self, seat: int, walk: Walk, source: str, to: int | None) -> None:
        """Check where a Tunnel leads, and the fights there."""
        entrance = self.at[seat]
        expected = {
            "seat": seat,
            "source": source,
            "from": PLACES[entrance],
            "to": None if to is None else PLACES[to],
        }
        self.take("tunnel", f"Tunnel: {source}", expected)
        if to is None:
            return
        self.at[seat] = to
        kind = "tunnel" if source == "square" else "segreto"
        self.tally[
            f"tunnel {source} onto {'a pawn' if self.opponents(seat, to) else 'nobody'}"
        ] += 1
        walk.spared.clear()  # the walk is over: whoever Uke spared in it can be fought again
        if not self.fights(seat, walk, kind, back=entrance) or not walk.spared:
            return
        follows = self.options["tunnel_uke"]
        self.tally[f"tunnel won against Uke: {follows}"] += 1
        if follows == "return":
            self.uke(seat, entrance)
        elif follows == "extra_step":
            self.leave_exit(seat, walk)

    def leave_exit(self, seat: int, walk: Walk) -> None:
        """Check the extra steps away from a defender spared at an exit."""
        onward = Walk(self.at[seat], 1 << self.at[seat], walk.spared)
        ended = self.extra_steps(seat, onward)
        if ended != "over":
            why = "declined" if ended == "declined" else "done"
            self.take("stop", "Tunnel: stop", {"seat": seat, "remaining": 0, "why": why})

    def target(self, seat: int, why: str, targets: list[int]) -> int | None:
        """Check whom a Sfida or an Irimi picks; nobody when there is no target."""
        chosen = None
        if targets:
            chosen = self.choose(seat, "target", targets, f"target of {why}")
        self.take("target", f"target of {why}", {"seat": seat, "why": why, "chosen": chosen})
        self.tally[f"target {why} {'none' if chosen is None else 'chosen'}"] += 1
        return chosen

    def sfida(self, seat: int, source: str) -> None:
        """Check a Sfida: a fight at a distance that cannot be refused."""
        targets = [
            other for other in self.opponents(seat) if self.exposed(other) and self.fightable(other)
        ]
        chosen = self.target(seat, "sfida", targets)
        if chosen is not None:
            self.tally[f"sfida by {source}"] += 1
            self.tally["sfida on the own square"] += self.at[chosen] == self.at[seat]
            self.kumite(seat, chosen, "sfida", self.at[seat])

    def irimi(self, seat: int) -> None:
        """Check an Irimi: two pawns swap places."""
        targets = [other for other in self.opponents(seat) if self.exposed(other)]
        chosen = self.target(seat, "irimi", targets)
        if chosen is None:
            return
        self.at[seat], self.at[chosen] = self.at[chosen], self.at[seat]
        squares = [PLACES[self.at[seat]], PLACES[self.at[chosen]]]
        self.take("swap", "Irimi", {"seat": seat, "with": chosen, "squares": squares})
        self.tally["irimi in the first round"] += self.first_round()

    def reshuffle(self) -> None:
        """Check that the discards become the deck."""
        event = self.take("reshuffle", "reshuffle", {})
        if Counter(event["deck"]) != Counter(self.discards):
            self.foul("reshuffle", f"the discards {sorted(self.discards)}")
        self.deck, self.discards = event["deck"][::-1], []

    def draw(self, seat: int, walk: Walk) -> None:
        """Check a draw and what the card does."""
        self.count_cards()
        if not self.deck and self.discards:
            self.reshuffle()
            self.tally["reshuffle when needed"] += 1
        rule = "Nebbia: draw"
        if not self.deck:
            self.take("draw", rule, {"seat": seat, "card": None})
            self.tally["draw from nothing"] += 1
            return
        card = self.deck.pop()
        self.take("draw", rule, {"seat": seat, "card": card})
        self.tally[f"card {card}"] += 1
        if not self.deck and self.discards and self.options["reshuffle"] == "at_once":
            self.reshuffle()
            self.tally["reshuffle at once"] += 1
        if card in TECNICA:
            self.keep(seat, card)
        else:
            self.discards.append(card)
            self.resolve(seat, walk, card)

    def keep(self, seat: int, card: str) -> None:
        """Check that a hand never holds two Tecnica."""
        held = self.hand[seat]
        if held is None:
            self.hand[seat] = card
            return
        kept = card
        if held != card:
            kept = self.choose(seat, "keep", [held, card], "a second Tecnica")
        discarded = held if kept == card else card
        expected = {"seat": seat, "kept": kept, "discarded": discarded}
        self.take("keep", "a second Tecnica", expected)
        self.hand[seat] = kept
        self.discards.append(discarded)
        self.tally[f"keep {'the same' if held == card else 'one of two'}"] += 1

    def resolve(self, seat: int, walk: Walk, card: str) -> None:
        """Check what a card shown at once does."""
        options = self.options
        if card == "Tsugi-ashi":
            self.move(seat)
        elif card == "Tunnel Segreto":
            self.segreto(seat, walk)
        elif card == "Irimi":
            self.irimi(seat)
        elif card == "Sfida":
            self.sfida(seat, "card")
        elif card == "Il Sensei Osserva":
            self.event_card(options["sensei_gain"], "sensei_osserva", min)
        elif card == "Il Peso della Cintura":
            self.event_card(-options["peso_loss"], "peso_cintura", max)
        elif card == "Allenamento Intensivo":
            self.change(seat, options["intensivo_gain"], "allenamento_intensivo")
        elif card == "Colpo Proibito":
            self.change(seat, -options["colpo_loss"], "colpo_proibito")
        elif card == "Passo Falso":
            self.passo_falso(seat, walk, "card")
        elif card == "Meditazione":
            self.take("meditate", "Meditazione", {"seat": seat})
            self.meditating[seat] = True

    def event_card(self, by: int, why: str, extreme: Any) -> None:
        """Check the card that moves everyone lowest or highest on the track, in any order."""
        everyone = self.options["event_reach"] == "everyone"
        reached = [seat for seat in range(self.n) if everyone or self.exposed(seat)]
        place = extreme(self.track[seat] for seat in reached)
        moved = {seat for seat in reached if self.track[seat] == place}
        self.tally[f"{why} of several"] += len(moved) > 1
        while by and moved:
            told = self.events[self.line].get("seat") if self.comes("track") else None
            seat = told if told in moved else min(moved)
            self.change(seat, by, why)
            moved.remove(seat)

    # The Dojo

    def exam(self, challenger: int, outside: int) -> None:
        """Check what follows a step into the Dojo from the square `outside`."""
        options, rule = self.options, "Final Exam"
        able = [
            other
            for other in self.opponents(challenger)
            if self.fightable(other)
            and (options["exam_defender"] == "anyone" or self.outside[self.at[other]])
        ]
        if not able:
            expected = {
                "challenger": challenger,
                "defender": None,
                "returned": PLACES[outside],
            }
            self.take("exam", f"{rule}: nobody can defend", expected, REFUSED_EXAM)
            self.at[challenger] = outside
            self.tally["exam refused"] += 1
            return
        best = max(self.track[other] for other in able)
        tied = [other for other in able if self.track[other] == best]
        defender = self.choose(challenger, "defender", tied, f"{rule}: the highest defends")
        self.take("exam", rule, {"challenger": challenger, "defender": defender})
        self.tally["exam with tied defenders"] += len(tied) > 1
        self.tally["exam defended from a Safe Room"] += not self.outside[self.at[defender]]
        meditating = [self.track[other] for other in range(self.n) if self.meditating[other]]
        self.tally["exam passes over a meditating seat"] += max(meditating, default=-1) > best

        bouts, uke = [0, 0], False
        while max(bouts) < options["exam_wins"]:
            bonuses = [0, options["exam_bonus"]]
            if options["exam_own_belt"]:
                bonuses = self.bonuses(challenger, defender)
            won, users = self.bout(
                challenger,
                defender,
                "exam",
                sum(bouts) + 1,
                bonuses,
                options["exam_ties"] == "challenger",
            )
            bouts[0 if won else 1] += 1
            uke = uke or challenger in users
        passed = bouts[0] > bouts[1]
        cost = 0 if passed else options["exam_fail_cost"]
        self.take(
            "exam_result",
            f"{rule}: result",
            {
                "challenger": challenger,
                "defender": defender,
                "bouts": bouts,
                "winner": challenger if passed else defender,
                "cost": cost,
                "uke": uke and not passed,
            },
        )
        self.tally[f"exam {'won' if passed else 'lost with Uke' if uke else 'lost'}"] += 1
        self.tally[f"exam {bouts[0]}:{bouts[1]}"] += 1
        if passed:
            self.winner = challenger
            return
        self.change(challenger, -cost, "exam")
        if uke:
            self.uke(challenger, outside)
        else:
            self.to_start(challenger)
