"""`dojo play`: people at the terminal, whole plays, what stays hidden, how it ends."""

import itertools
import json
import os
import pty
import random
import select
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from labirinto_referee import check

from dojo_core import games, playing
from dojo_core.errors import DojoError
from dojo_core.game import PERSON, Answer, Question
from dojo_core.labirinto.seen import Table, seen_by
from dojo_core.labirinto.story import HIDDEN, phrases_in
from dojo_core.labirinto.text_board import TextBoard
from dojo_core.labirinto.whole_walks import whole_walks

ROOT = Path(__file__).parent.parent
GAME = games.load("labirinto")
PEOPLE = GAME.people
# Wrong answers are asked again, so a play ends that is fed with all of them over and over.
ANYTHING = "1\nd\nn\ne\ns\nw\no\ny\n2\n" * 4000
QUICK = ("start_track=15", "start_track_many=15", "max_rounds=12")


def dojo(*words, typed="", **environment):
    """Run the command `dojo`: (exit code, output, errors)."""
    done = subprocess.run(
        [sys.executable, "-m", "dojo_core.cli", *map(str, words)],
        input=typed,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80", **environment},
        check=False,
        timeout=600,
    )
    return done.returncode, done.stdout, done.stderr


def prepared(player="greedy", **options):
    return GAME.prepare(GAME.resolve({"player": player, **options}))


def asked(setup, seed, seats, choose):
    """Play with people who choose among the offers; yield events, question and page each time."""
    answers = []
    while True:
        events, question = PEOPLE.ask(setup, seed, 0, seats, answers)
        if question is None:
            yield events, None, None
            return
        del answers[question.answered :]
        page = PEOPLE.show(events, question, "en")
        yield events, question, page
        answers += choose(page.offers).answers


def any_offer(seed):
    return random.Random(seed).choice


# Whole plays by the command


@pytest.fixture(scope="module")
def whole_play(tmp_path_factory):
    file = tmp_path_factory.mktemp("play") / "mine.jsonl"
    words = ("play", *QUICK, "--seat", 1, "--against", "greedy", "--seed", 3, "--save", file)
    return file, dojo(*words, typed=ANYTHING)


def test_a_whole_play_is_played_and_kept(whole_play):
    file, (code, output, errors) = whole_play
    assert (code, errors) == (0, "")
    assert output.splitlines()[-1].endswith(f"The play is over; it is saved in {file}.")
    events = [json.loads(line) for line in file.read_text().splitlines()]
    assert events[0]["players"] == ["greedy", PERSON, "greedy", "greedy"]
    assert events[-1]["event"] == "end"


def test_the_referee_accepts_a_play_with_a_person(whole_play):
    events = [json.loads(line) for line in whole_play[0].read_text().splitlines()]
    seated = {"player": events[0]["options"]["player"]}
    options = GAME.resolve(dict(word.split("=") for word in QUICK))
    assert check(events, options | seated)["step"] > 20


def test_a_kept_play_is_told_by_trace(whole_play):
    code, output, errors = dojo("trace", "--file", whole_play[0], "--lang", "it")
    assert (code, errors) == (0, "")
    assert "P2 (posto 1, person)" in output
    code, as_json, _ = dojo("trace", "--file", whole_play[0], "--json")
    assert as_json == whole_play[0].read_text()


def test_what_is_typed_wrong_is_asked_again(whole_play):
    assert "is no answer here; take one of" in whole_play[1][1]


def test_a_play_goes_on_in_italian():
    code, output, _ = dojo("play", *QUICK, "--seed", 3, "--lang", "it", typed="?\n1\nq\n")
    assert code == 0
    assert "P1: scegli la casella della tua Stanza Sicura" in output
    assert "Il tabellone: le linee sono muri" in output
    assert output.splitlines()[-1] == "> Interrotta; senza --save FILE non si salva niente."


def test_stopping_keeps_what_was_played(tmp_path):
    file = tmp_path / "some.jsonl"
    code, output, _ = dojo("play", *QUICK, "--seed", 3, "--save", file, typed="1\nq\n")
    assert code == 0
    assert output.endswith(f"Stopped; it is saved in {file}.\n")
    events = [json.loads(line) for line in file.read_text().splitlines()]
    assert events[0]["event"] == "setup"
    assert events[-1]["event"] == "roll"
    assert None not in events[0]["squares"]


def test_the_end_of_input_keeps_what_was_played_and_exits_with_1(tmp_path):
    file = tmp_path / "some.jsonl"
    code, output, errors = dojo("play", *QUICK, "--seed", 3, "--save", file, typed="1\n")
    assert (code, errors) == (1, "")
    assert output.endswith(f"The input ended before the play was over; it is saved in {file}.\n")
    assert file.exists()


def test_before_the_pawn_is_placed_there_is_nothing_to_keep(tmp_path):
    file = tmp_path / "none.jsonl"
    code, output, _ = dojo("play", *QUICK, "--save", file, typed="q\n")
    assert code == 0
    assert "nothing was played yet" in output
    assert not file.exists()


def test_ctrl_c_in_a_terminal_keeps_what_was_played_and_exits_with_130(tmp_path):
    file = tmp_path / "some.jsonl"
    words = [sys.executable, "-m", "dojo_core.cli", "play", *QUICK, "--seed", "3"]
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [*words, "--save", str(file)])
    output = read_until(terminal, b"\n> ")
    os.write(terminal, b"1\n")
    output += read_until(terminal, b"\n> ")
    os.write(terminal, b"\x03")
    output += read_until(terminal, b"never", again=b"\x03")
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130
    assert f"Stopped by Ctrl-C; it is saved in {file}." in output.decode()
    assert file.exists()


def read_until(terminal, wanted, again=b""):
    """Return what a terminal shows until `wanted` comes, or the other side is gone.

    While it shows nothing, `again` is pressed every five seconds, as a person would: Python does
    not notice a signal that comes after it has shown a prompt and before it reads.
    """
    shown = b""
    while wanted not in shown.replace(b"\r", b""):
        if again and not select.select([terminal], [], [], 5)[0]:
            os.write(terminal, again)
            continue
        try:
            more = os.read(terminal, 4096)
        except OSError:  # how Linux tells that the other side is gone
            break
        if not more:
            break
        shown += more
    return shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--seat", 4), "--seat 4 is no seat at a table of 4; seats are 0 to 3"),
        (("--against", "greedy", "--against", "random"), "but 3 sit against you"),
        (("player=greedy",), "is told by --against PLAYER"),
        (("--against", "gredy"), "greedy"),
        (("--against", "nowhere.toml"), "nowhere.toml cannot be read: No such file"),
        (("--against", "grid.toml"), "grid.toml must say which player sits, as grid.toml:NAME"),
        (("--lang", "fr"), "language 'fr' is not one of en, it"),
        (("--save", "README.md"), "exists already; name a new file"),
        (("--save", "nowhere/at_all.jsonl"), "lies in no folder that exists"),
        (("players=x",), "players = 'x'"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(words, said):
    code, output, errors = dojo("play", *words)
    assert code == 2
    assert output == ""
    assert errors.count("\n") == 1
    assert said in errors


PLAYERS = """
[players.wary]
inherits = "expert"
caution = 150

[players.warier]
inherits = "wary"
caution = 200
"""


def read_player(tmp_path, text, name=""):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    option = next(o for o in GAME.options if o.name == "player")
    return playing.read_player(f"{file}{name}", option), option.weights_of("expert")


def test_a_player_of_a_file_has_its_weights_and_those_it_inherits(tmp_path):
    found, expert = read_player(tmp_path, PLAYERS, ":warier")
    assert found == {**expert, "caution": 200, "name": "warier"}


def test_the_only_player_of_a_file_needs_no_name(tmp_path):
    found, expert = read_player(tmp_path, PLAYERS.split("[players.warier]")[0])
    assert found == {**expert, "caution": 150, "name": "wary"}


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (PLAYERS, "", r"which player sits, as .*mine\.toml:NAME; it has wary, warier$"),
        (PLAYERS, ":wariest", "has no player 'wariest'; did you mean 'warier'"),
        (
            PLAYERS.replace("150", "[1, 2]"),
            ":wary",
            r"\[players\.wary\]: caution = \[1, 2\] is not",
        ),
        (PLAYERS.replace("caution", "cauti0n"), ":wary", "no weight 'cauti0n'; did you mean"),
        ("players = 3", "", "expected \\[players.NAME\\]"),
        ("players", "", "it is not TOML"),
    ],
)
def test_a_file_without_that_player_is_told(tmp_path, text, name, said):
    with pytest.raises(DojoError, match=said):
        read_player(tmp_path, text, name)


def test_a_person_plays_against_a_player_of_a_file(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(PLAYERS)
    words = ("play", *QUICK, "--against", f"{file}:wary", "--save", tmp_path / "kept")
    assert dojo(*words, typed=ANYTHING)[0] == 0
    setup = json.loads((tmp_path / "kept").read_text().splitlines()[0])
    assert setup["players"] == [PERSON, "wary", "wary", "wary"]


def test_a_trace_that_cannot_be_read_is_told(tmp_path):
    for text in ("no json", '{"event": "turn"}\n', ""):
        (tmp_path / "odd").write_text(text)
        code, _, errors = dojo("trace", "--file", tmp_path / "odd")
        assert code == 2
        assert "expected a trace" in errors
    assert dojo("trace", "--file", tmp_path / "none")[0] == 2
    assert dojo("trace", "players=4", "--file", tmp_path / "odd")[0] == 2


def test_a_game_that_people_cannot_play_says_so():
    import toy_game

    with pytest.raises(DojoError, match="people cannot play The Toy"):
        playing.people_of(toy_game.GAME)


@pytest.mark.parametrize(
    "options",
    [
        {"kaeshi_timing": "after_both", "uke_cards": 9, "kaeshi_cards": 9, "kiai_cards": 9},
        {"tunnel_uke": "extra_step", "uke_cards": 12, "board": "linked", "meditazione_cards": 9},
        {"start_track": 15, "exam_wins": 2, "first_round_kumite": True},
    ],
)
def test_the_referee_accepts_plays_of_people_alone_and_among_others(options):
    for seats in ([0, 1, 2, 3], [2]):
        setup = prepared("greedy", players=4, max_rounds=12, **options)
        *_, (events, _, _) = asked(setup, 5, seats, any_offer(5))
        settled = {**setup.options, "player": events[0]["options"]["player"]}
        assert check(events, settled)["step"] > 20


# Hidden information


def cards(**copies):
    """Return the options of a deck of these cards alone."""
    names = [option.name for option in GAME.options if option.name.endswith("_cards")]
    return dict.fromkeys(names, 0) | copies


def test_no_output_names_a_card_that_an_opponent_holds():
    """All cards are Uke: its name must not be said before somebody reveals or draws one."""
    setup = prepared(players=4, max_rounds=30, **cards(uke_cards=20))
    written = []
    secrets = 0
    for seed in range(6):
        lines = []
        sitting = playing.Sitting(GAME, setup, seed, [0], "en", stroller(seed, lines), lines.append)
        sitting.play()
        tellings = [k for k, line in enumerate(lines) if "Uke" in line]
        shown = [
            k
            for k, line in enumerate(lines)
            if "reveals Uke" in line or ("P1 draws a Tecnica" in line and "Uke" in line)
        ]
        assert tellings[:1] == shown[:1]
        held = [e for e in sitting.events if e["event"] == "draw" and e["seat"] != 0]
        secrets += len(held)
        written += lines
    assert secrets > 10
    assert sum("draws a Tecnica and keeps it face down" in line for line in written) > 10


def stroller(seed, lines):
    """Return a `read` that types any key of the last page shown."""
    stream = random.Random(seed)

    def read(prompt):
        keys = []
        for line in reversed(lines):
            if not line:
                break
            keys += [word for word in line.split() if len(word) < 3 and word.isalnum()]
        return stream.choice(keys or ["1"])

    return read


def permuted(events, seat):
    """Return the events with all that a seat cannot see exchanged for something else."""
    other = {"Kiai": "Uke", "Uke": "Kaeshi", "Kaeshi": "Kiai"}
    changed = []
    for event in events:
        event = dict(event)
        if "deck" in event:
            event["deck"] = event["deck"][::-1]
        if event.get("seat") != seat:
            if event["event"] == "draw":
                event["card"] = other.get(event["card"], event["card"])
            if event["event"] == "keep":
                event |= {key: other[event[key]] for key in ("kept", "discarded")}
            if event["event"] == "choice" and event["kind"] in ("keep", "tecnica"):
                event["options"] = [other.get(card, card) for card in event["options"]]
        changed.append(event)
    return changed


def test_what_a_seat_may_not_see_changes_nothing_that_it_is_told_or_shown():
    setup = prepared("expert", players=4, max_rounds=15, **cards(kiai_cards=7, uke_cards=7))
    compared = 0
    for events, question, page in asked(setup, 2, [1], any_offer(2)):
        changed = permuted(events, 1)
        compared += changed != events
        assert list(PEOPLE.tell(changed, 1, "en")) == list(PEOPLE.tell(events, 1, "en"))
        if question is not None:
            assert PEOPLE.show(changed, question, "en") == page
    assert compared > 20


def test_a_seat_sees_its_own_cards_and_that_others_hold_one():
    setup = prepared(players=4, max_rounds=15, **cards(kiai_cards=20))
    held = Counter()
    for events, question, page in asked(setup, 2, [1], any_offer(2)):
        if question is not None:
            table = Table(seen_by(events, 1), phrases_in("en"))
            held.update((seat == 1, card) for seat, card in enumerate(table.hands))
            assert ("your Tecnica: Kiai" in "\n".join(page.table)) == (table.hands[1] == "Kiai")
    assert {card for own, card in held if own} == {"Kiai", None}
    assert {card for own, card in held if not own} == {HIDDEN, None}


# Questions


@pytest.fixture(scope="module")
def pages():
    """Return what a person is asked in some plays: (events, question, page)."""
    found = []
    for seed in range(5):
        setup = prepared(
            players=5, start_track_many=13, max_rounds=40, tunnel_segreto_cards=4, kiai_cards=9,
            uke_cards=9, kaeshi_cards=9, irimi_cards=4,
        )  # fmt: skip
        found += [page for page in asked(setup, seed, [seed], any_offer(seed)) if page[1]]
    return found


def test_every_kind_of_decision_is_asked(pages):
    kinds = {question.kind for _, question, _ in pages}
    assert kinds >= {"place", "step", "target", "tunnel", "segreto", "keep", "tecnica"}


@pytest.mark.parametrize("kind", ["order", "defender"])
def test_rarer_decisions_between_opponents_have_their_words_too(pages, kind):
    events, question, _ = pages[-1]
    others = tuple(seat for seat in range(5) if seat != question.seat)
    asked = Question(question.seat, kind, others, question.answered)
    english, italian = (PEOPLE.show(events, asked, language) for language in ("en", "it"))
    assert english.question != italian.question
    assert [offer.answers for offer in english.offers] == [(Answer(kind, k),) for k in others]


def test_every_option_can_be_answered(pages):
    for _, question, page in pages:
        offered = [offer.answers[0] for offer in page.offers if len(offer.answers) == 1]
        for option in question.options:
            assert Answer(question.kind, option) in offered


def test_no_two_offers_have_the_same_key_in_any_language(pages):
    for events, question, page in pages:
        for told in (page, PEOPLE.show(events, question, "it")):
            keys = [offer.key for offer in told.offers]
            assert len(set(keys)) == len(keys)
            assert not {playing.HELP, playing.STOP} & set(keys)


def test_offers_are_the_same_in_every_language(pages):
    for events, question, page in pages:
        told = PEOPLE.show(events, question, "it")
        assert [offer.answers for offer in told.offers] == [offer.answers for offer in page.offers]
        assert told.question != page.question


def test_a_walk_by_its_end_is_legal_step_by_step():
    setup = prepared(players=3, max_rounds=10)
    answers, walks = [], 0
    stream = random.Random(4)
    while True:
        events, question = PEOPLE.ask(setup, 4, 0, [0], answers)
        if question is None:
            break
        offers = PEOPLE.show(events, question, "en").offers
        long = [offer for offer in offers if len(offer.answers) > 1]
        alone = [offer for offer in long if " P" not in offer.words]
        chosen = stream.choice(alone or list(offers))
        before = len(answers)
        answers += chosen.answers
        if chosen in alone:
            walks += 1
            _, after = PEOPLE.ask(setup, 4, 0, [0], answers)
            assert after is None or after.answered == before + len(chosen.answers)
    assert walks > 5


def test_whole_walks_avoid_pawns_then_fatica():
    board = TextBoard(
        {
            "lines": [
                "+---+---+---+",
                "| .   .   . |",
                "+   +---+   +",
                "| F   .   . |",
                "+---+---+---+",
            ],
            "links": [],
        }
    )
    quiet = whole_walks(board, [(0, 0)], 3, {}, False)
    assert quiet == {(1, 2): (0, 0, ((0, 1), (0, 2), (1, 2)))}
    met = whole_walks(board, [(0, 0)], 3, {(0, 1): [1]}, False)
    assert met == {(1, 2): (0, 1, ((1, 0), (1, 1), (1, 2)))}


def test_a_brown_belt_may_enter_the_dojo_on_the_way():
    lines = ["+---+---+---+", "| .   .   . |", "+---+   +---+", "| D   D | . |", "+---+---+---+"]
    board = TextBoard({"lines": lines, "links": []})
    assert set(whole_walks(board, [(0, 0)], 2, {}, False)) == {(0, 2)}
    assert whole_walks(board, [(0, 0)], 2, {}, True)[1, 1].squares == ((0, 1), (1, 1))


def test_the_board_is_drawn_with_pawns_and_marks():
    lines = ["+---+---+", "| F   1 |", "+---+   +", "| S | . |", "+---+---+"]
    board = TextBoard({"lines": lines, "links": []})
    assert board.draw({(0, 0): [0], (1, 0): [1, 2], (1, 1): [3]}, {(0, 1): "7", (1, 1): "12"}) == [
        "      0   1",
        "    +---+---+",
        "  0 |FP1  7T|",
        "    +---+   +",
        "  1 |P23|12@|",
        "    +---+---+",
    ]


# Several people


def test_several_people_are_handed_the_screen_in_turn():
    setup = prepared(players=3, max_rounds=2)
    lines = []
    prompts = []
    types = stroller(1, lines)

    def read(prompt):
        prompts.append(prompt)
        return types(prompt)

    sitting = playing.Sitting(GAME, setup, 1, [0, 2], "en", read, lines.append)
    assert sitting.play() == 0
    assert sitting.events[0]["players"] == [PERSON, "greedy", PERSON]
    handed = [prompt for prompt in prompts if "press Enter when nobody else looks" in prompt]
    assert len(handed) > 2
    assert {prompt[:2] for prompt in handed} == {"P1", "P3"}


def test_letters_in_one_word_are_answers_in_a_row():
    setup = prepared(players=3, max_rounds=3)
    placed = [Answer("place", [0, 0])]
    events, question = PEOPLE.ask(setup, 1, 0, [0], placed)
    walk = PEOPLE.show(events, question, "en").offers[-1]
    board = TextBoard(events[0]["board"])
    squares = [(0, 0), *(tuple(answer.value) for answer in walk.answers)]
    letters = "".join(board.way(*ways) for ways in itertools.pairwise(squares))
    assert len(letters) > 2
    typed = iter(["1", letters, "q"])
    sitting = playing.Sitting(GAME, setup, 1, [0], "en", lambda _: next(typed), [].append)
    sitting.play()
    assert sitting.ended == "stopped"
    steps = [e["to"] for e in sitting.events if e["event"] == "step" and e["seat"] == 0]
    assert steps == [list(square) for square in squares[1:]]
