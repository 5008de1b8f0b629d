"""Every stored column of a play, counted again from the lines of its trace.

The counting knows no rule of the game: it adds up what the lines tell. Whether the lines may stand
there is the referee's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Event = Mapping[str, Any]

# The option's and column's word for each card, and the name printed on it.
CARDS = {
    "kiai": "Kiai",
    "uke": "Uke",
    "kaeshi": "Kaeshi",
    "tsugi_ashi": "Tsugi-ashi",
    "tunnel_segreto": "Tunnel Segreto",
    "irimi": "Irimi",
    "sfida": "Sfida",
    "sensei_osserva": "Il Sensei Osserva",
    "peso_cintura": "Il Peso della Cintura",
    "allenamento_intensivo": "Allenamento Intensivo",
    "colpo_proibito": "Colpo Proibito",
    "passo_falso": "Passo Falso",
    "meditazione": "Meditazione",
}
TECNICA = ("Kiai", "Uke", "Kaeshi")
BELTS = 6
PLAYERS = ("random", "wanderer", "greedy", "beginner", "careful", "bold", "expert", "master")
REASONS = ("exam", "max_rounds")
SEAT_COUNTS = (
    "attacks_won", "attacks_lost", "defences_won", "defences_lost", "starts", "exams",
    "exam_defences", "cards", "fatica_stripes",
)  # fmt: skip
PLAY_COUNTS = (
    "steps", "kumite", "kumite_upset", "kumite_equal", "kumite_favourite", "kumite_attacker",
    "exams_started", "exams_won", "exams_refused", "exam_bouts", "starts", "uke_saves", "cards",
    *(f"drawn_{key}" for key in CARDS),
    *(f"played_{key}" for key, name in CARDS.items() if name in TECNICA),
    "tunnels", "extra_steps", "boxed_in", "fatica_stripes", "lead_changes",
)  # fmt: skip
COUNTED = (
    "setup", "turn", "skip", "step", "fatica", "stop", "kumite", "tecnica", "kumite_result",
    "track", "start", "uke", "draw", "tunnel", "swap", "passo_falso", "exam", "exam_result",
)  # fmt: skip
SQUARE_COUNTS = ("steps", "stops", "fights", "sends", "rest")


class Columns:
    """What the lines up to here add up to; `feed` takes them in order.

    Attributes:
        play: The play's counts by column.
        seats: Each seat's counts by column.
        squares: How often each (column, square) was seen; squares are [row, column] as a tuple.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options
        self.counts = {kind: getattr(self, f"_{kind}") for kind in COUNTED}
        self.play: Counter[str] = Counter()
        self.seats: list[Counter[str]] = []
        self.squares: Counter[tuple[str, tuple[int, int]]] = Counter()
        self.turns = 0
        self.skips = 0
        self.leader: int | None = None
        self.loser: int | None = None  # of the last fight or Exam
        self.worst: list[list[int]] = []  # rank of each seat at the end of each finished round

    def feed(self, event: Event) -> None:
        """Count one line."""
        count = self.counts.get(event["event"])
        if count is not None:
            count(event)

    def results(self, end: Event) -> tuple[dict[str, int], list[dict[str, int]]]:
        """Return the play's row and its seats' rows, by the winner that `end` names."""
        self._close_turn()
        winner = end["winner"]
        count, n = self.play, len(self.seats)
        fights = count["kumite"] + count["exam_bouts"]
        play = {
            "winner": -1 if winner is None else winner,
            "winner_turn_order": -1 if winner is None else (winner - self.first) % n,
            "finished": int(winner is not None),
            "reason": REASONS.index(end["reason"]),
            "rounds": -(-self.turns // n),
            "turns": self.turns,
            **{name: count[name] for name in PLAY_COUNTS},
            "comeback_rank": 0 if winner is None else self._comeback(winner),
            "seconds": self.options["time_setup"]
            + self.options["time_turn"] * (self.turns - self.skips)
            + self.options["time_step"] * count["steps"]
            + self.options["time_kumite"] * fights
            + self.options["time_card"] * count["cards"],
        }
        seats = [
            {
                "corner": self.corners[seat],
                "turn_order": (seat - self.first) % n,
                "player": [*PLAYERS, self.players[seat]].index(self.players[seat]),
                "won": int(seat == winner),
                "track": self.track[seat],
                "best_track": self.best[seat],
                **{name: self.seats[seat][name] for name in SEAT_COUNTS},
            }
            for seat in range(n)
        ]
        return play, seats

    def _comeback(self, winner: int) -> int:
        """Return the winner's worst rank at the end of the finished rounds after half time."""
        rounds = -(-self.turns // len(self.seats))
        ranks = [
            ranks[winner] for number, ranks in enumerate(self.worst, start=1) if 2 * number > rounds
        ]
        return max(ranks, default=1)

    def _close_turn(self) -> None:
        """Look at the table as a turn leaves it."""
        if not self.turns:
            return
        for square in self.at:
            self.squares["rest", square] += 1
        best = max(self.track)
        if self.track.count(best) == 1:
            leader = self.track.index(best)
            self.play["lead_changes"] += self.leader not in (None, leader)
            self.leader = leader
        if self.turns % len(self.seats) == 0:
            self.worst.append(
                [1 + sum(other > own for other in self.track) for own in self.track],
            )

    def _moved(self, seat: int, to: Sequence[int]) -> None:
        self.at[seat] = (to[0], to[1])

    def _changed(self, seat: int, to: int) -> None:
        self.track[seat] = to
        self.best[seat] = max(self.best[seat], to)

    def _belt(self, seat: int) -> int:
        return min(self.track[seat] // self.options["belt_stripes"], BELTS - 1)

    def _setup(self, event: Event) -> None:
        self.first, self.corners, self.players = event["first"], event["corners"], event["players"]
        self.track, self.best = list(event["track"]), list(event["track"])
        self.at = [(square[0], square[1]) for square in event["squares"]]
        self.seats = [Counter() for _ in self.players]

    def _turn(self, event: Event) -> None:
        self._close_turn()
        self.turns += 1

    def _skip(self, event: Event) -> None:
        self.skips += 1

    def _step(self, event: Event) -> None:
        self._moved(event["seat"], event["to"])
        self.play["steps"] += 1
        self.play["extra_steps"] += event["extra"]
        self.squares["steps", self.at[event["seat"]]] += 1

    def _fatica(self, event: Event) -> None:
        paid = event["from"] - event["to"]
        self.play["fatica_stripes"] += paid
        self.seats[event["seat"]]["fatica_stripes"] += paid
        self._changed(event["seat"], event["to"])

    def _stop(self, event: Event) -> None:
        self.play["boxed_in"] += event["remaining"] > 0
        self.squares["stops", self.at[event["seat"]]] += 1

    def _kumite(self, event: Event) -> None:
        self.exam = event["kind"] == "exam"
        self.belts = {seat: self._belt(seat) for seat in (event["attacker"], event["defender"])}
        if self.exam:
            self.play["exam_bouts"] += 1
        else:
            self.squares["fights", (event["square"][0], event["square"][1])] += 1

    def _tecnica(self, event: Event) -> None:
        for key, name in CARDS.items():
            self.play[f"played_{key}"] += name == event["card"]

    def _kumite_result(self, event: Event) -> None:
        if self.exam:
            return
        attacker, defender, winner = event["attacker"], event["defender"], event["winner"]
        loser = attacker + defender - winner
        won, lost = self.belts[winner], self.belts[loser]
        kind = "equal" if won == lost else "upset" if won < lost else "favourite"
        self.play["kumite"] += 1
        self.play[f"kumite_{kind}"] += 1
        self.play["kumite_attacker"] += winner == attacker
        self.seats[attacker]["attacks_won" if winner == attacker else "attacks_lost"] += 1
        self.seats[defender]["defences_won" if winner == defender else "defences_lost"] += 1
        self.loser = loser

    def _track(self, event: Event) -> None:
        self._changed(event["seat"], event["to"])

    def _start(self, event: Event) -> None:
        self.play["starts"] += 1
        self.seats[event["seat"]]["starts"] += 1
        self.squares["sends", self.at[event["seat"]]] += 1
        self._moved(event["seat"], event["to"])

    def _uke(self, event: Event) -> None:
        # A pawn that goes back after a Tunnel attack it won is told by `uke` too, but lost nothing.
        self.play["uke_saves"] += event["seat"] == self.loser
        self._moved(event["seat"], event["to"])

    def _draw(self, event: Event) -> None:
        if event["card"] is None:
            return
        self.play["cards"] += 1
        self.seats[event["seat"]]["cards"] += 1
        for key, name in CARDS.items():
            self.play[f"drawn_{key}"] += name == event["card"]

    def _tunnel(self, event: Event) -> None:
        if event["to"] is not None:
            self.play["tunnels"] += event["source"] == "square"
            self._moved(event["seat"], event["to"])

    def _swap(self, event: Event) -> None:
        self._moved(event["seat"], event["squares"][0])
        self._moved(event["with"], event["squares"][1])

    def _passo_falso(self, event: Event) -> None:
        self._moved(event["seat"], event["to"])

    def _exam(self, event: Event) -> None:
        if event["defender"] is None:
            self.play["exams_refused"] += 1
            self._moved(event["challenger"], event["returned"])
            return
        self.play["exams_started"] += 1
        self.seats[event["challenger"]]["exams"] += 1
        self.seats[event["defender"]]["exam_defences"] += 1

    def _exam_result(self, event: Event) -> None:
        won = event["winner"] == event["challenger"]
        self.play["exams_won"] += won
        self.loser = event["defender"] if won else event["challenger"]
