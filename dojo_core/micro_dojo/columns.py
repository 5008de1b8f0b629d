"""What is kept of every play: the exact definition of each stored column.

Definitions used below:
    turn: one player's move with all that follows from it; a round is two turns, the last may be
        half of one.
    leader: the seat with more points after a turn; at a tie the last leader stays the leader.
    stalled: stopped by `stall_turns` or `max_turns`. Nobody wins such a play; it is scored like any
        other, and who would have won stands in `scored_turn_order`.
"""

from __future__ import annotations

from dojo_core.game import Column, Strategy
from dojo_core.micro_dojo.components import ABILITIES, BUILDINGS, OBJECTIVES, SLOTS
from dojo_core.options import CUSTOM

STRATEGIES = (
    Strategy("random", "Chooses uniformly among all legal ways to play the whole turn."),
    Strategy(
        "greedy",
        "Looks at all ways to play its turn and takes the one after which it stands best by its"
        " weights.",
    ),
    Strategy(
        "planner",
        "Looks some turns ahead, by greedy's weights: at up to 3,000 ways to play a turn for each"
        " decision.",
    ),
    Strategy("deep_planner", "The same, at up to 30,000."),
)

REASONS = ("points", "objectives", "stall_turns", "max_turns")
TIE_BREAKS = ("none", "influence", "resources", "drawn")
RESULTS = ("untriggered", "nobody", "first", "second")

PLAY_COLUMNS = (
    Column("winner", "i1", "The seat that won; -1 after a draw, and when stalled.", "seat"),
    Column("winner_turn_order", "i1", "The winner's turn order (0 = first); -1 without one."),
    Column(
        "scored_turn_order",
        "i1",
        "The turn order that scoring names, in stalled plays too; -1 when it names none.",
    ),
    Column(
        "finished",
        "u1",
        "1 when the play ended by points or by the last objective, 0 when it stalled.",
    ),
    Column("reason", "u1", "Why the play ended.", "", REASONS),
    Column("tie_break", "u1", "What decided between equal points.", "", TIE_BREAKS),
    Column("rounds", "u2", "Turns divided by two, rounded up.", "rounds"),
    Column("turns", "u2", "Turns taken.", "turns"),
    Column("steps", "u4", "Decisions carried out, ends of turns included.", "steps"),
    Column("lead_changes", "u2", "Times another seat than the last leader took the lead.", "times"),
    Column("objectives", "u1", "Objectives triggered.", "objectives"),
    Column("objectives_tied", "u1", "Objectives triggered for which nobody scored.", "objectives"),
    Column("influence_turn", "u2", "The turn in which Influence was spent; 0 if never.", "turn"),
    Column("abilities", "u1", f"Abilities on offer: {', '.join(a.title for a in ABILITIES)}, a"
           " bit each from 1 on."),
    *(
        Column(f"objective_{slot + 1}", "u1", f"Objective {slot + 1} on the track.", "",
               (*(token.name for token in OBJECTIVES), "none"))
        for slot in range(SLOTS)
    ),
    *(
        Column(f"result_{slot + 1}", "u1", f"Who scored objective {slot + 1}, by turn order.", "",
               RESULTS)
        for slot in range(SLOTS)
    ),
    *(
        Column(f"triggered_by_{slot + 1}", "u1",
               f"Who triggered objective {slot + 1}, by turn order (nobody: untriggered).", "",
               ("nobody", "first", "second"))
        for slot in range(SLOTS)
    ),
    *(Column(f"dealt_{tile.name}", "u1", f"1 when {tile.title} was dealt.") for tile in BUILDINGS),
    Column("seconds", "i4", "Estimated time at the table: the sum of the time_... options.", "s"),
)  # fmt: skip

SEAT_COLUMNS = (
    Column("turn_order", "u1", "0 for the first player."),
    Column("player", "u1", "Who decides.", "", (*(s.name for s in STRATEGIES), CUSTOM)),
    Column("won", "u1", "1 for the winner."),
    Column("points", "u1", "Points at the end.", "points"),
    Column("gold", "u1", "Gold at the end.", "gold"),
    Column("food", "u1", "Food at the end.", "food"),
    Column("points_objectives", "u1", "Points from objectives.", "points"),
    Column("points_castle", "u1", "Points from Castle.", "points"),
    Column("points_statue", "u1", "Points from Statue.", "points"),
    Column("points_barracks", "u2", "Points from Barracks.", "points"),
    Column("points_school", "u2", "Points from School.", "points"),
    Column("points_shrine", "u2", "Points from Shrine.", "points"),
    Column("points_donated", "u2", "Points from donations.", "points"),
    Column("points_removed", "u1", "Points from buildings removed.", "points"),
    Column("objectives_won", "u1", "Objectives scored.", "objectives"),
    Column("objectives_triggered", "u1", "Objectives triggered.", "objectives"),
    Column("objectives_given", "u1", "Own triggers that the opponent scored.", "objectives"),
    Column("buildings", "u1", "Buildings owned at the end.", "buildings"),
    Column("removed", "u1", "Own buildings removed from the game.", "buildings"),
    *(
        Column(f"bought_{tile.name}", "u1", f"1 when {tile.title} was bought.")
        for tile in BUILDINGS
    ),
    *(
        Column(f"used_{tile.name}", "u2",
               f"Times {tile.title} was put to use (0 for those that need no using).", "times")
        for tile in BUILDINGS
    ),
    Column("trades", "u2", "Trades without Market.", "times"),
    Column("donations", "u2", "Donations.", "times"),
    Column("influence_spent", "u1", "1 when this seat spent the Influence token."),
    Column("ability_moves", "u2", "Moves by a meeple's ability.", "moves"),
    Column("gold_lost", "u4", "Gold not gained because of the cap or the supply.", "gold"),
    Column("food_lost", "u4", "Food not gained because of the cap or the supply.", "food"),
    Column("supply_binds", "u2", "Gains cut by the supply before the cap would have.", "times"),
)  # fmt: skip

SQUARE_COLUMNS = (
    Column("visits", "i8", "Turns that ended their move on the space.", "visits"),
    Column("winner_visits", "i8", "Visits by the seat that won the play.", "visits"),
    Column("other_visits", "i8", "Visits in plays that nobody won (drawn or stalled).", "visits"),
    Column("points", "i8", "Points that the visitor gained in such turns.", "points"),
)

HEADLINE = ("rounds", "objectives", "objectives_tied", "lead_changes", "seconds")
