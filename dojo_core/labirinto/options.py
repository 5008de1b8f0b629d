"""Every number, switch and open question of Il Labirinto del Dojo, in one table.

Defaults are the rulebook's. `source` names the rulebook's section; "ruling N" is an entry of the
list of adopted readings that the page of open questions explains.
"""

from __future__ import annotations

from dojo_core.labirinto import board
from dojo_core.labirinto.columns import CARDS, STRATEGIES
from dojo_core.labirinto.features import FEATURES, PLAYERS
from dojo_core.options import Option, players_identity


def _number(
    name: str, default: int, low: int, high: int, unit: str, group: str, source: str, help: str
) -> Option:
    return Option(name, "integer", default, help, source, group, unit=unit, low=low, high=high)


def _switch(name: str, group: str, source: str, help: str, default: bool = False) -> Option:
    return Option(name, "switch", default, help, source, group)


def _choice(name: str, choices: tuple[str, ...], group: str, source: str, help: str) -> Option:
    return Option(name, "choice", choices[0], help, source, group, choices=choices)


def _time(name: str, default: int, help: str) -> Option:
    return Option(
        name,
        "integer",
        default,
        help,
        "assumed, no measurement at a table",
        "Time at the table",
        unit="s",
        low=0,
        high=600,
        assumed=True,
    )


_CARD_COPIES = (3, 2, 2, 2, 1, 2, 2, 1, 1, 2, 1, 2, 1)

OPTIONS: tuple[Option, ...] = (
    # The table
    Option(
        "board",
        "file",
        "board/quadrant.txt",
        "The quadrant that is rotated into the board: a file, or the short name of a variant.",
        "Components; the board's format",
        "Table",
        read=board.read_option,
        identity=board.option_identity,
    ),
    _number("players", 4, 3, 8, "players", "Table", "Setup", "How many sit at the table."),
    Option(
        "player",
        "per_seat",
        "greedy",
        "Who decides: one player for all seats, or a list with one a seat.",
        "not a rule",
        "Table",
        choices=tuple(strategy.name for strategy in STRATEGIES),
        features=FEATURES,
        weights=PLAYERS,
        identity=players_identity,
    ),
    _choice(
        "seating",
        ("spread", "pairs"),
        "Table",
        "Setup; ruling 87",
        "With 5 to 7 players: all four corners in use (spread), or corners filled two by two.",
    ),
    _number(
        "max_rounds",
        1000,
        1,
        100_000,
        "rounds",
        "Table",
        "ruling 85",
        "A play that is not over after so many rounds ends unfinished.",
    ),
    # The progress track
    _number(
        "belt_stripes",
        3,
        1,
        10,
        "stripes",
        "Progress track",
        "The progress track",
        "Stripes of one belt; the track has six belts.",
    ),
    _number(
        "start_track",
        0,
        0,
        59,
        "stripes",
        "Progress track",
        "Setup",
        "Where everyone starts on the track with few players.",
    ),
    _number(
        "start_track_many",
        3,
        0,
        59,
        "stripes",
        "Progress track",
        "Setup",
        "Where everyone starts on the track with many players.",
    ),
    _number(
        "many_players",
        6,
        3,
        9,
        "players",
        "Progress track",
        "Setup",
        "From how many players on start_track_many holds (9: never).",
    ),
    _switch(
        "short_game",
        "Progress track",
        "Setup: shorter game",
        "Everyone starts at least on start_track_short, with any number of players.",
    ),
    _number(
        "start_track_short",
        3,
        0,
        59,
        "stripes",
        "Progress track",
        "Setup: shorter game",
        "Where everyone starts in the shorter game.",
    ),
    _number(
        "first_player_extra",
        0,
        0,
        18,
        "stripes",
        "Progress track",
        "Tested alternatives",
        "Extra starting stripes of the first player.",
    ),
    # Movement
    _number("dice", 2, 1, 4, "dice", "Movement", "Turn 1", "Dice rolled for a move."),
    _number("die_faces", 6, 2, 12, "faces", "Movement", "Turn 1", "Faces of a movement die."),
    # Squares
    _number(
        "fatica_cost",
        1,
        0,
        6,
        "stripes",
        "Squares",
        "Turn 4",
        "Stripes a Fatica square costs.",
    ),
    _switch(
        "fatica_stop_only",
        "Squares",
        "Tested alternatives",
        "A Fatica square costs only the pawn that stops on it.",
    ),
    _number(
        "allenamento_gain",
        1,
        0,
        6,
        "stripes",
        "Squares",
        "Squares",
        "Stripes an Allenamento square gives.",
    ),
    # Kumite
    _number("kumite_die_faces", 6, 2, 12, "faces", "Kumite", "Kumite 1", "Faces of a Kumite die."),
    _number(
        "belt_bonus",
        1,
        0,
        6,
        "points",
        "Kumite",
        "Kumite 2",
        "Points a belt of difference gives the higher belt.",
    ),
    _number(
        "bonus_cap",
        2,
        0,
        12,
        "points",
        "Kumite",
        "Kumite 2",
        "The most that belts can give.",
    ),
    _choice(
        "kumite_ties",
        ("attacker", "defender"),
        "Kumite",
        "Kumite 5: Senshu",
        "Who wins a Kumite when the totals tie.",
    ),
    _number(
        "equal_gain",
        3,
        0,
        18,
        "stripes",
        "Kumite",
        "Consequences",
        "What the winner gains between equal belts.",
    ),
    _number(
        "equal_loss",
        3,
        0,
        18,
        "stripes",
        "Kumite",
        "Consequences",
        "What the loser loses between equal belts.",
    ),
    _number(
        "upset_gain",
        3,
        0,
        18,
        "stripes",
        "Kumite",
        "Consequences",
        "What the winner gains when the lower belt wins.",
    ),
    _number(
        "upset_loss",
        3,
        0,
        18,
        "stripes",
        "Kumite",
        "Consequences",
        "What the loser loses when the lower belt wins.",
    ),
    _number(
        "favourite_gain",
        0,
        0,
        18,
        "stripes",
        "Kumite",
        "Consequences",
        "What the winner gains when the higher belt wins.",
    ),
    _number(
        "favourite_loss",
        0,
        0,
        18,
        "stripes",
        "Kumite",
        "Consequences",
        "What the loser loses when the higher belt wins.",
    ),
    _switch(
        "first_round_kumite",
        "Kumite",
        "Tested alternatives",
        "Kumite are fought from the first round on.",
    ),
    # The deck
    _number("kiai", 2, 0, 12, "points", "Deck", "Deck: Kiai", "Points that Kiai adds."),
    _number(
        "sensei_gain",
        2,
        0,
        18,
        "stripes",
        "Deck",
        "Deck: Il Sensei Osserva",
        "Stripes for the lowest on the track.",
    ),
    _number(
        "peso_loss",
        1,
        0,
        18,
        "stripes",
        "Deck",
        "Deck: Il Peso della Cintura",
        "Stripes the highest on the track lose.",
    ),
    _number(
        "intensivo_gain",
        1,
        0,
        18,
        "stripes",
        "Deck",
        "Deck: Allenamento Intensivo",
        "Stripes that Allenamento Intensivo gives.",
    ),
    _number(
        "colpo_loss",
        1,
        0,
        18,
        "stripes",
        "Deck",
        "Deck: Colpo Proibito",
        "Stripes that Colpo Proibito costs.",
    ),
    *(
        _number(
            f"{key}_cards",
            copies,
            0,
            20,
            "cards",
            "Deck",
            f"Deck: {name}",
            f"Copies of {name} in the deck.",
        )
        for (key, name), copies in zip(CARDS, _CARD_COPIES, strict=True)
    ),
    # Final Exam
    _number(
        "exam_bonus",
        1,
        0,
        12,
        "points",
        "Final Exam",
        "Final Exam",
        "Points the defender adds, fighting as a Black belt.",
    ),
    _switch(
        "exam_own_belt",
        "Final Exam",
        "Tested alternatives",
        "The defender fights with their own belt, by the ordinary belt bonus.",
    ),
    _choice(
        "exam_ties",
        ("challenger", "defender"),
        "Final Exam",
        "Final Exam; Tested alternatives",
        "Who wins a bout of the Exam when the totals tie.",
    ),
    _number(
        "exam_wins",
        1,
        1,
        5,
        "bouts",
        "Final Exam",
        "Final Exam; Tested alternatives",
        "Bouts to win: 1 is a single bout, 2 is best of 3.",
    ),
    _number(
        "exam_fail_cost",
        3,
        0,
        18,
        "stripes",
        "Final Exam",
        "Final Exam; Tested alternatives",
        "Stripes a failed Exam costs.",
    ),
    # Open questions
    _choice(
        "extra_step_fatica",
        ("pays", "free"),
        "Open questions",
        "ruling 12",
        "Whether an extra step onto Fatica costs stripes.",
    ),
    _choice(
        "extra_step_dojo",
        ("allowed", "closed"),
        "Open questions",
        "ruling 13",
        "Whether a Brown may enter the Dojo with an extra step.",
    ),
    _choice(
        "shared_square",
        ("takes_effect", "no_effect"),
        "Open questions",
        "ruling 16",
        "Whether a square takes effect on a pawn that had to stay on it for want of an extra step.",
    ),
    _choice(
        "dojo_latch",
        ("reopens", "stays_closed"),
        "Open questions",
        "ruling 29",
        "Whether the Dojo, closed by a Fatica in mid-move, reopens when a Kumite makes the pawn"
        " Brown again.",
    ),
    _choice(
        "uke_retreat",
        ("one_square", "move_start"),
        "Open questions",
        "ruling 35",
        "Where Uke takes a losing attacker: the square it came from, or the start of the move.",
    ),
    _choice(
        "kaeshi_timing",
        ("at_once", "after_both"),
        "Open questions",
        "ruling 37",
        "Whether the attacker's Kaeshi is rolled before the defender decides, or after.",
    ),
    _choice(
        "first_round_ends",
        ("after_last_turn", "before_last_turn"),
        "Open questions",
        "ruling 47",
        "Whether the last player's first turn still belongs to the first round without Kumite.",
    ),
    _choice(
        "tunnel_uke",
        ("share", "extra_step", "return"),
        "Open questions",
        "ruling 55",
        "What follows a Tunnel attack won against a defender saved by Uke: both share the exit, the"
        " attacker takes an extra step (its square without effect), or it goes back.",
    ),
    _choice(
        "event_reach",
        ("everyone", "exposed"),
        "Open questions",
        "ruling 61",
        "Whether the two events about the lowest and the highest look at everyone, or only at pawns"
        " outside Safe Rooms that do not meditate.",
    ),
    _choice(
        "reshuffle",
        ("when_needed", "at_once"),
        "Open questions",
        "ruling 66",
        "Whether an empty deck is reshuffled at the next draw, or as soon as it is empty.",
    ),
    _choice(
        "exam_defender",
        ("anyone", "exposed"),
        "Open questions",
        "ruling 78",
        "Whether a pawn in a Safe Room can be called to defend the Exam.",
    ),
    # Time at the table
    _time("time_turn", 12, "Rolling, looking and passing on: each turn that is not skipped."),
    _time("time_step", 1, "Each step of a pawn."),
    _time("time_kumite", 20, "Each Kumite, and each bout of an Exam."),
    _time("time_card", 8, "Each Nebbia card."),
    _time("time_setup", 180, "Setting the game up, once."),
)
