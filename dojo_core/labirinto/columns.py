"""What is kept of every play: the exact definition of each stored column.

Definitions used below:
    Kumite: an ordinary fight, however it began; bouts of the Final Exam are counted apart.
    upset / equal / favourite: the fight's winner wore the lower belt / the same belt / the higher
        belt, by the belts at the start of that fight.
    leader: the one seat with the highest track position after a turn; while several are highest,
        the last sole leader stays the leader.
    rank: 1 + how many opponents stand strictly higher on the track (ties share the better rank).
"""

from __future__ import annotations

from dojo_core.game import Column, Strategy
from dojo_core.options import CUSTOM

STRATEGIES = (
    Strategy("random", "Chooses uniformly among everything the rules allow."),
    Strategy(
        "wanderer",
        "Chooses at random, but walks with the fewest Fatica squares and enters the Dojo whenever"
        " it can.",
    ),
    Strategy(
        "greedy",
        "A sensible beginner: takes the walk, the fights and the cards that promise the most"
        " stripes, and heads for the Dojo as a Brown belt.",
    ),
    Strategy(
        "beginner",
        "Sees where a walk ends and what stripes that gives, not the pawns on the way, and plays"
        " half by chance.",
    ),
    Strategy(
        "careful",
        "Weighs what may be lost more than what may be won: avoids doubtful fights, keeps out of"
        " reach, and saves its cards.",
    ),
    Strategy("bold", "Makes light of losses: seeks fights and stays near those it may attack."),
    Strategy(
        "expert",
        "Weighs every walk, fight, card and Exam by what the next round may make of it, with tuned"
        " weights.",
    ),
    Strategy(
        "master",
        "An expert that weighs stripes and cards by how often they win: low stripes hardly count,"
        " cards and the last stripes before Brown do.",
    ),
)

# The code of a seat whose player is given by its weights comes after these.
PLAYER_LABELS = (*(strategy.name for strategy in STRATEGIES), CUSTOM)

TECNICA = ("kiai", "uke", "kaeshi")

# Every card of the Nebbia del Dojo deck: its column suffix and the name printed on it. A card's
# code is its position here.
CARDS = (
    ("kiai", "Kiai"),
    ("uke", "Uke"),
    ("kaeshi", "Kaeshi"),
    ("tsugi_ashi", "Tsugi-ashi"),
    ("tunnel_segreto", "Tunnel Segreto"),
    ("irimi", "Irimi"),
    ("sfida", "Sfida"),
    ("sensei_osserva", "Il Sensei Osserva"),
    ("peso_cintura", "Il Peso della Cintura"),
    ("allenamento_intensivo", "Allenamento Intensivo"),
    ("colpo_proibito", "Colpo Proibito"),
    ("passo_falso", "Passo Falso"),
    ("meditazione", "Meditazione"),
)

REASONS = ("exam", "max_rounds")

PLAY_COLUMNS = (
    Column("winner", "i1", "The seat that won the Final Exam; -1 when nobody did.", "seat"),
    Column("winner_turn_order", "i1", "The winner's turn order (0 = first); -1 without one."),
    Column("finished", "u1", "1 when the play ended with a won Final Exam, 0 when it ran out.", ""),
    Column("reason", "u1", "Why the play ended.", "", REASONS),
    Column("rounds", "u4", "Rounds begun: turns divided by players, rounded up.", "rounds"),
    Column("turns", "u4", "Turns taken, skipped ones included.", "turns"),
    Column("steps", "u4", "Steps walked, extra steps and steps into the Dojo included.", "steps"),
    Column("kumite", "u4", "Kumite fought.", "fights"),
    Column("kumite_upset", "u4", "Kumite won by the lower belt.", "fights"),
    Column("kumite_equal", "u4", "Kumite between equal belts.", "fights"),
    Column("kumite_favourite", "u4", "Kumite won by the higher belt.", "fights"),
    Column("kumite_attacker", "u4", "Kumite won by the attacker.", "fights"),
    Column("exams_started", "u4", "Final Exams begun (a defender was found).", "exams"),
    Column("exams_won", "u4", "Final Exams won by the challenger (0 or 1).", "exams"),
    Column(
        "exams_refused",
        "u4",
        "Entries into the Dojo sent back because nobody could defend.",
        "entries",
    ),
    Column("exam_bouts", "u4", "Bouts fought in Final Exams.", "bouts"),
    Column("starts", "u4", "Times a pawn was sent to Start.", "times"),
    Column("uke_saves", "u4", "Lost fights after which Uke kept the loser from Start.", "times"),
    Column("cards", "u4", "Nebbia cards drawn.", "cards"),
    *(Column(f"drawn_{key}", "u4", f"{name} drawn.", "cards") for key, name in CARDS),
    *(
        Column(f"played_{key}", "u4", f"{name} played.", "cards")
        for key, name in CARDS
        if key in TECNICA
    ),
    Column("tunnels", "u4", "Tunnel squares used to teleport (Tunnel Segreto apart).", "times"),
    Column("extra_steps", "u4", "Extra steps taken after a move ended on a pawn.", "steps"),
    Column("boxed_in", "u4", "Moves shortened because no move of the full count existed.", "moves"),
    Column(
        "fatica_stripes",
        "u4",
        "Stripes lost to Fatica, all seats (a pawn at 0 loses none).",
        "stripes",
    ),
    Column(
        "lead_changes",
        "u4",
        "Times a seat became sole leader that was not the last sole leader; the first leader"
        " does not count.",
        "times",
    ),
    Column(
        "comeback_rank",
        "u1",
        "The winner's worst rank at the end of any round after half time (round number above"
        " half of the rounds played, the unfinished last round left out); 1 when there is no such"
        " round, 0 without a winner.",
        "rank",
    ),
    Column(
        "seconds",
        "i8",
        "Estimated time at the table: the sum of the time_... options over what happened.",
        "s",
    ),
)

SEAT_COLUMNS = (
    Column("corner", "u1", "The seat's Safe Room: 0 top left, then clockwise."),
    Column("turn_order", "u1", "0 for the first player, then clockwise."),
    Column("player", "u1", "Who decides.", "", PLAYER_LABELS),
    Column("won", "u1", "1 for the winner."),
    Column("track", "u1", "Track position at the end.", "stripes"),
    Column("best_track", "u1", "Highest track position reached.", "stripes"),
    Column("attacks_won", "u4", "Kumite won as the attacker.", "fights"),
    Column("attacks_lost", "u4", "Kumite lost as the attacker.", "fights"),
    Column("defences_won", "u4", "Kumite won as the defender.", "fights"),
    Column("defences_lost", "u4", "Kumite lost as the defender.", "fights"),
    Column("starts", "u4", "Times sent to Start.", "times"),
    Column("exams", "u4", "Final Exams begun as the challenger.", "exams"),
    Column("exam_defences", "u4", "Final Exams fought as the defender.", "exams"),
    Column("cards", "u4", "Nebbia cards drawn.", "cards"),
    Column("fatica_stripes", "u4", "Stripes lost to Fatica.", "stripes"),
)

SQUARE_COLUMNS = (
    Column("steps", "i8", "Steps onto the square.", "steps"),
    Column("stops", "i8", "Moves that ended on it, before its effect.", "moves"),
    Column(
        "fights",
        "i8",
        "Kumite fought there: where the attacker entered, or where it stood for a Sfida.",
        "fights",
    ),
    Column("sends", "i8", "Pawns sent to Start from it.", "pawns"),
    Column("rest", "i8", "Pawns standing on it, summed over the ends of all turns.", "pawn turns"),
)

HEADLINE = ("rounds", "kumite", "exams_started", "lead_changes", "comeback_rank", "seconds")
