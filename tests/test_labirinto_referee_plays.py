"""The referee watches the engine: plays of every player, board, option and number of players, and
plays made to visit the rare corners of the rules.

``DOJO_REFEREE_TRACES`` sets how many traces are watched, about (1500 when unset).
"""

from __future__ import annotations

import functools
import json
import os
import random
from collections import Counter
from pathlib import Path

import labirinto_referee_layouts as layouts
import pytest
from labirinto_referee import FIELDS, Foul, Tally, check
from labirinto_referee_columns import CARDS, SQUARE_COUNTS, TECNICA, Columns

from dojo_core import games
from dojo_core.labirinto import board as boards
from dojo_core.labirinto.options import OPTIONS
from dojo_core.labirinto.setup import prepare_on

GAME = games.load("labirinto")
TRACES = int(os.environ.get("DOJO_REFEREE_TRACES", "1500"))
BOARD_FOLDER = Path(__file__).parent.parent / "board"
SHIPPED = sorted(path.stem for path in BOARD_FOLDER.rglob("*.txt"))
SEED = 20

# Numbers that are varied by hand below or that only make plays longer.
NOT_VARIED = {"players", "player", "board", "max_rounds", "start_track", "many_players"}
WHERE_PAWNS_RISE = {"equal_loss": 0, "upset_loss": 0, "exam_bonus": 12}


def other_values(option):
    """Return the values that an option is tried with besides its default."""
    if option.kind == "switch":
        return [not option.default]
    if option.kind == "choice":
        return list(option.choices[1:])
    if option.kind == "integer":
        near = (option.default - 1, option.default + 1)
        return [value for value in near if option.low <= value <= option.high]
    return []


VARIATIONS = [
    {},
    *(
        {option.name: value}
        for option in OPTIONS
        if option.name not in NOT_VARIED
        for value in other_values(option)
    ),
    {"exam_wins": 2, "exam_ties": "defender", "exam_own_belt": True},
    {"exam_wins": 3, "exam_bonus": 0, "exam_fail_cost": 1},
    {"exam_fail_cost": 0},
    {"fatica_stop_only": True, "extra_step_fatica": "free"},
    {"dice": 4, "die_faces": 2},
    {"first_player_extra": 18, "first_round_kumite": True},
    {"uke_cards": 0, "meditazione_cards": 0, "first_round_kumite": True},
    {"players": 3, "player": ["random", "wanderer", "greedy"]},
    {
        "players": 4,
        "player": ["bold", {"inherits": "careful", "temperature": 80}, "beginner", "expert"],
    },
    {"players": 3, "player": ["master", "expert", "master"]},
    {f"{key}_cards": 0 for key in CARDS},
    {f"{key}_cards": int(key in ("kiai", "uke")) for key in CARDS},
]


def grid_points(player):
    """Return a point for every variation, the numbers of players, boards and starts in turn."""
    points = []
    for number, variation in enumerate(VARIATIONS):
        start = (0, 8, 14)[number % 3] if player != "random" else None
        for track in (0, 8, 14) if start is None else (start,):
            point = {
                "player": player,
                "players": 3 + (number + track) % 6,
                "board": SHIPPED[(number + number // len(SHIPPED) + track) % len(SHIPPED)],
                "start_track": track,
                "start_track_many": track + 1,
                "max_rounds": {"random": 30, "wanderer": 40, "greedy": 150, "expert": 100}[player],
                **variation,
            }
            top = 6 * point.get("belt_stripes", 3) - 1
            for name in ("start_track", "start_track_many"):
                point[name] = min(point[name], top)
            points.append(point)
    return points


def corner_points(axes, count, **fixed):
    """Return `count` points that take a value of every axis by lot."""
    lot = random.Random(1)
    points = []
    for _ in range(count):
        point = {name: lot.choice(values) for name, values in axes.items()} | fixed
        points.append(point | {"start_track_many": point["start_track"]})
    return points


QUESTIONS = {
    option.name: list(option.choices) for option in OPTIONS if option.group == "Open questions"
} | {
    "player": ["random", "wanderer", "greedy"],
    "first_round_kumite": [False, True],
    "fatica_stop_only": [False, False, True],
}

MOSTLY_RANDOM = ["random", "random", "wanderer", "greedy"]


def only(**copies):
    """Return a deck of these cards alone."""
    return {f"{key}_cards": copies.get(key, 0) for key in CARDS}


def layout(text):
    """Return a board that is no file."""
    return {"label": "made", "path": "made", "text": text, "legend": ""}


GROUPS = {
    "random": lambda: grid_points("random"),
    "wanderer": lambda: grid_points("wanderer"),
    "greedy": lambda: grid_points("greedy"),
    "expert": lambda: grid_points("expert"),
    "to the end": lambda: [
        {"player": player, "players": players, "board": board}
        for player, players, board in (
            ("wanderer", 4, "quadrant"),
            ("wanderer", 3, "less_fatica"),
            ("wanderer", 8, "open"),
            *(("greedy", 3 + number % 6, board) for number, board in enumerate(SHIPPED)),
        )
    ],
    "first round": lambda: corner_points(
        QUESTIONS | {"start_track": [0, 8], "die_faces": [3, 6]},
        100,
        board=layout(layouts.ALLEY),
        players=8,
        max_rounds=2,
        dice=1,
        tunnel_segreto_cards=20,
    ),
    "alley": lambda: corner_points(
        QUESTIONS
        | {
            "start_track": [8, 15],
            "die_faces": [3, 6],
            "tunnel_uke": ["share", "share", "extra_step", "return"],
        },
        70,
        board=layout(layouts.ALLEY),
        players=8,
        max_rounds=60,
        dice=1,
        exam_bonus=6,
        **only(uke=20, kaeshi=2, meditazione=12, tunnel_segreto=8, sfida=2, sensei_osserva=3,
               passo_falso=2, irimi=4, tsugi_ashi=4),
    ),
    "lane": lambda: corner_points(
        QUESTIONS | {"start_track": [15, 17], "player": MOSTLY_RANDOM},
        60,
        board=layout(layouts.LANE),
        players=8,
        max_rounds=40,
        dice=1,
        die_faces=3,
        exam_fail_cost=0,
        **WHERE_PAWNS_RISE,
        **only(uke=8, meditazione=16, tsugi_ashi=4, sensei_osserva=8, allenamento_intensivo=4),
    ),
    "gate": lambda: corner_points(
        QUESTIONS | {"start_track": [15, 16], "players": [6, 8], "fatica_stop_only": [False]},
        30,
        board=layout(layouts.GATE),
        max_rounds=40,
        fatica_cost=3,
        equal_gain=18,
        upset_gain=18,
        favourite_gain=18,
        exam_fail_cost=0,
        **WHERE_PAWNS_RISE,
    ),
    "cell": lambda: corner_points(
        QUESTIONS | {"start_track": [8, 17, 17], "players": [3, 5, 8], "player": MOSTLY_RANDOM},
        60,
        board=layout(layouts.CELL),
        max_rounds=30,
        tunnel_segreto_cards=20,
        exam_wins=2,
        exam_fail_cost=0,
    ),
    "plain": lambda: corner_points(
        QUESTIONS | {"start_track": [8, 14], "players": [3, 4]},
        10,
        board=layout(layouts.PLAIN),
        max_rounds=30,
        tunnel_segreto_cards=6,
    ),
}  # fmt: skip


def prepared(given):
    """Return the settled options and the setup of a point; its board need not be a good one."""
    options = GAME.resolve(given)
    return options, prepare_on(boards.load(options["board"], checked=False), options)


@functools.cache
def all_points():
    return {name: points() for name, points in GROUPS.items()}


@functools.cache
def watched(group: str) -> tuple[Tally, list[str]]:
    """Let the referee watch a group's plays. Return what was seen in them, and the fouls."""
    plays = max(1, round(TRACES / sum(map(len, all_points().values()))))
    seen: Tally = Counter()
    fouls = []
    for number, given in enumerate(all_points()[group]):
        options, setup = prepared(given)
        for play in range(plays * number, plays * (number + 1)):
            # Through JSON, as a trace is kept: tuples and NumPy numbers would show.
            events = json.loads(json.dumps(GAME.trace(setup, SEED, play)))
            try:
                seen += check(events, options)
            except Foul as foul:
                told = {**given, "board": options["board"]["label"]}
                fouls.append(f"{group}: {told} seed {SEED} play {play}: {foul}")
            seen["traces"] += 1
    return seen, fouls


@pytest.mark.parametrize("group", GROUPS)
def test_referee_finds_no_foul(group):
    seen, fouls = watched(group)
    assert not fouls, f"{len(fouls)} fouls, the first: {fouls[0]}"
    assert seen["traces"] >= len(all_points()[group])


@functools.cache
def everything_seen() -> Tally:
    return sum((watched(group)[0] for group in GROUPS), Counter())


KUMITE_ROWS = ("equal", "upset", "favourite")
SEEN = [
    *(f"event {kind}" for kind in FIELDS),
    *(f"card {name}" for name in CARDS.values()),
    *(f"choice {kind}" for kind in (
        "place", "order", "target", "tunnel", "segreto", "keep", "tecnica", "defender")),
    *(f"tecnica {card} of the {role}"
      for card in (*TECNICA, None) for role in ("attacker", "defender")),
    *(f"kumite {kind} {row} won by the {role}"
      for kind in ("walk", "sfida") for row in KUMITE_ROWS for role in ("attacker", "defender")),
    *(f"uke saves the {role} of {kind}"
      for kind in ("walk", "sfida", "tunnel", "segreto") for role in ("attacker", "defender")),
    *(f"stop {why}" for why in ("done", "boxed_in", "declined")),
    *(f"square {code}" for code in ".SAF?TPK"),
    *(f"track {why}" for why in (
        "kumite", "exam", "allenamento", "sensei_osserva", "peso_cintura", "allenamento_intensivo",
        "colpo_proibito", "swallowed")),
    *(f"players {n}" for n in range(3, 9)),
    *(f"tunnel {source} onto {whom}"
      for source in ("square", "segreto") for whom in ("a pawn", "nobody")),
    "tunnel square refused", "tunnel square blocked", "tunnel segreto nowhere",
    *(f"tunnel won against Uke: {follows}" for follows in ("share", "extra_step", "return")),
    "segreto with fewer tunnels",
    *(f"target {why} {chosen}" for why in ("sfida", "irimi") for chosen in ("chosen", "none")),
    "sfida by square", "sfida by card", "irimi in the first round",
    "passo_falso square", "passo_falso card",
    "keep the same", "keep one of two", "reshuffle when needed", "reshuffle at once",
    "draw from nothing", "sensei_osserva of several", "peso_cintura of several",
    "fatica step", "fatica extra step", "fatica stop", "fatica at 0",
    "fatica takes the brown belt", "dojo reopens", "dojo stays closed",
    "step extra", "several extra steps", "stop beside a pawn", "turn ends with a shared square",
    "several fights on one square", "start of another seat", "tie kumite", "tie exam",
    "enters the Dojo by a step", "enters the Dojo by an extra step",
    "enters the Dojo when boxed in", "declines an extra step into the Dojo",
    "exam won", "exam lost", "exam lost with Uke", "exam refused", "exam with tied defenders",
    "exam defended from a Safe Room", "exam passes over a meditating seat",
    *(f"exam {bouts}" for bouts in ("1:0", "0:1", "2:0", "0:2", "2:1", "1:2")),
    "end exam", "end max_rounds",
]  # fmt: skip


@pytest.mark.parametrize("what", SEEN)
def test_referee_saw(what):
    assert everything_seen()[what] > 0


@pytest.mark.parametrize("kind", ["extra", "tunnel", "segreto"])
@pytest.mark.parametrize("role", ["attacker", "defender"])
def test_referee_saw_a_kumite_of_kind(kind, role):
    seen = everything_seen()
    assert sum(seen[f"kumite {kind} {row} won by the {role}"] for row in KUMITE_ROWS) > 0


def uneven(prefix: str) -> dict[int, float]:
    """Return, by the number of options, how far choices among them are from equally frequent.

    A distance is a chi-square in standard deviations above its mean. Counts that are too few to
    tell are left out.
    """
    counts = {
        tuple(map(int, name.removeprefix(prefix).split(" of "))): seen
        for name, seen in everything_seen().items()
        if name.startswith(prefix)
    }
    distances = {}
    for options in {options for _, options in counts} - {1}:
        taken = [counts.get((place, options), 0) for place in range(options)]
        mean = sum(taken) / options
        if mean >= 20:
            chi2 = sum((one - mean) ** 2 / mean for one in taken)
            distances[options] = (chi2 - (options - 1)) / (2 * (options - 1)) ** 0.5
    return distances


@pytest.mark.parametrize("player", ["random", "wanderer"])
def test_every_step_on_offer_is_taken_equally_often(player):
    distances = uneven(f"{player} takes step ")
    assert {2, 3} <= distances.keys()
    assert max(distances.values()) < 8, distances


@pytest.mark.parametrize(
    ("kind", "options"),
    [("place", 9), ("target", 3), ("tunnel", 2), ("segreto", 16), ("keep", 2), ("tecnica", 2),
     ("defender", 2)],
)  # fmt: skip
def test_every_answer_on_offer_is_given_equally_often(kind, options):
    distances = uneven(f"chooses {kind} ")
    assert options in distances
    assert max(distances.values()) < 8, distances


@pytest.mark.parametrize("player", ["random", "wanderer", "greedy"])
def test_stored_rows_are_those_of_refereed_traces(player):
    options, setup = prepared({"player": player, "start_track": 8, "max_rounds": 40})
    plays = 12
    out = GAME.out(setup, plays)
    GAME.play(setup, SEED, 0, plays, out)
    squares = Counter()
    for play in range(plays):
        events = json.loads(json.dumps(GAME.trace(setup, SEED, play)))
        check(events, options)
        end = events[-1]
        assert {name: out.plays[play][name].item() for name in end["play"]} == end["play"]
        for seat, row in enumerate(end["seats"]):
            assert {name: out.seats[play, seat][name].item() for name in row} == row
        columns = Columns(options)
        for event in events:
            columns.feed(event)
        columns.results(end)
        squares += columns.squares
    for name in SQUARE_COUNTS:
        counted = [squares[name, divmod(square, setup.width)] for square in range(setup.squares)]
        assert out.squares[name].tolist() == counted, name
