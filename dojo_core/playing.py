"""People at the terminal against any players: told, asked, answered, until the play is over."""

from __future__ import annotations

import itertools
import json
import shutil
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dojo_core.errors import DojoError, nearest
from dojo_core.game import PERSON, Answer, Event, Game, Offer, People, Question, Setup
from dojo_core.options import Option

PHRASES = Path(__file__).with_suffix(".toml")
HELP, STOP = "?", "q"
PROMPT = "> "
EXIT_CODES = {"over": 0, "stopped": 0, "no_input": 1, "interrupted": 130}


def phrases_in(language: str) -> dict[str, str]:
    """Return what this module says in a language, or raise a `DojoError` for an unknown one."""
    table = tomllib.loads(PHRASES.read_text(encoding="utf-8"))
    known = sorted(set.intersection(*(set(words) for words in table.values())))
    if language not in known:
        raise DojoError(
            f"language {language!r} is not one of {', '.join(known)}{nearest(language, known)}"
        )
    return {key: words[language] for key, words in table.items()}


def people_of(game: Game) -> People:
    """Return how people take part in a game, or raise a `DojoError` when they cannot."""
    if game.people is None:
        raise DojoError(
            f"people cannot play {game.title} here; watch its players with"
            f" `dojo trace --game {game.name}`"
        )
    return game.people


def read_player(word: str, option: Option) -> Any:
    """Return the player that a word names: a game's own, or one that a file gives by its weights.

    Such a file has players as a grid has them, under ``[players.NAME]``, each with one weight a
    feature; of several, ``FILE.toml:NAME`` says which.

    Args:
        word: What stands after ``--against``.
        option: The game's option of who decides.

    Raises:
        DojoError: The file has no such player, or gives it what players cannot have.
    """
    path, _, name = word.partition(":")
    if not path.endswith(".toml"):
        return word
    file = Path(path)
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8")).get("players", {})
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else f"it is not TOML: {error}"
        raise DojoError(f"--against {path} cannot be read: {why}; expected players") from error
    if not isinstance(given, dict) or not all(isinstance(each, dict) for each in given.values()):
        raise DojoError(f"{path}: players = {given!r} has no weights; expected [players.NAME]")
    if not name and len(given) != 1:
        known = ", ".join(given) or "none"
        raise DojoError(f"{path} must say which player sits, as {path}:NAME; it has {known}")
    return _weighed(name or next(iter(given)), given, option, file)


def _weighed(name: str, given: dict[str, dict[str, Any]], option: Option, file: Path) -> Any:
    """Return a player of a file, what it inherits from a player above it put in."""
    if name not in given:
        raise DojoError(
            f"{file} has no player {name!r}{nearest(name, list(given))}; it has {', '.join(given)}"
        )
    own = {**given[name], "name": name}
    above = dict(itertools.takewhile(lambda each: each[0] != name, given.items()))
    if own.get("inherits") in above:
        own = {**_weighed(own.pop("inherits"), above, option, file), **own}
    return option.weigh(own, file.parent, f"{file}: [players.{name}]")


def seat_players(players: int, seats: Sequence[int], against: Sequence[Any]) -> list[Any]:
    """Return a player for every seat: people's seats have one that never decides.

    Args:
        players: How many sit at the table.
        seats: Where people sit.
        against: One player for all other seats, or one for each of them in order.

    Raises:
        DojoError: There is no such seat, or another number of players.
    """
    for seat in seats:
        if not 0 <= seat < players:
            raise DojoError(
                f"--seat {seat} is no seat at a table of {players}; seats are 0 to {players - 1}"
            )
    others = [seat for seat in range(players) if seat not in seats]
    if len(against) not in (1, len(others)):
        raise DojoError(
            f"--against names {len(against)} players, but {len(others)} sit against you; name one"
            " for all of them, or each in the order of the seats"
        )
    named = list(against) * (len(others) if len(against) == 1 else 1)
    seated = [against[0]] * players
    for seat, player in zip(others, named, strict=True):
        seated[seat] = player
    return seated


def name_people(setup: Event, seats: Sequence[int]) -> None:
    """Call the players on these seats people in a trace's setup, also among its options."""
    chosen = setup["options"]["player"]
    players = list(chosen) if isinstance(chosen, list) else [chosen] * len(setup["players"])
    for seat in seats:
        setup["players"][seat] = players[seat] = PERSON
    setup["options"]["player"] = players


class Sitting:
    """A play with people, from its first question to its end.

    Args:
        game: The game.
        setup: Its options, prepared.
        seed: The seed of the random numbers.
        seats: Where people sit.
        language: ``en`` or ``it``.
        read: Returns the line typed after a prompt; raises EOFError at the end of input.
        write: Shows a line.

    Attributes:
        events: What has been played so far, a trace or its beginning.
        ended: How it ended: ``over``, ``stopped``, ``no_input`` or ``interrupted``.
    """

    def __init__(
        self,
        game: Game,
        setup: Setup,
        seed: int,
        seats: Sequence[int],
        language: str,
        read: Callable[[str], str],
        write: Callable[[str], None],
    ) -> None:
        self.people = people_of(game)
        self.setup, self.seed, self.seats, self.language = setup, seed, seats, language
        self.phrases = phrases_in(language)
        self.read, self.write = read, write
        self.events: list[Event] = []
        self.ended = "over"
        self._answers: list[Answer] = []
        self._told: dict[int, list[str]] = {seat: [] for seat in seats}
        self._looking = seats[0]
        self._typed: list[str] = []
        self._typed_for = ""

    def play(self) -> int:
        """Play until the play is over or somebody stops it; return the exit code."""
        try:
            self._play()
        except EOFError:
            self.ended = "no_input"
        except KeyboardInterrupt:
            self.ended = "interrupted"
        return EXIT_CODES[self.ended]

    def keep(self, file: Path | None) -> str:
        """Write what was played into `file`, and say so in a sentence.

        Raises:
            DojoError: The file cannot be written.
        """
        kept = "not_kept"
        if len(self.events) < 2:
            kept = "not_begun"
        elif file is not None:
            try:
                file.write_text("".join(json.dumps(event) + "\n" for event in self.events))
            except OSError as error:
                raise DojoError(f"{file} cannot be written: {error.strerror}", 3) from error
            kept = "kept"
        return f"{self.phrases[self.ended]}; {self.phrases[kept].format(file=file)}."

    def _play(self) -> None:
        while True:
            self.events, question = self.people.ask(
                self.setup, self.seed, 0, self.seats, self._answers
            )
            if question is None:
                break
            del self._answers[question.answered :]
            answers = self._ask(question)
            if answers is None:
                self.ended = "stopped"
                return
            self._answers += answers
        self._tell(self._looking)

    def _ask(self, question: Question) -> Sequence[Answer] | None:
        """Show a question and return what is answered; None to stop."""
        self._hand_over(question.seat)
        page = self.people.show(self.events, question, self.language)
        offers = {offer.key: offer for offer in page.offers}
        if question.kind != self._typed_for:
            self._typed.clear()
        self._typed_for = question.kind
        if not self._typed:
            self._tell(question.seat)
            self._show("", *page.table, "", *_columns(page.offers))
        while True:
            if not self._typed:
                self.write(f"{page.question} [{self.phrases['hint']}]")
                line = self.read(PROMPT)
                self._typed = line.lower().replace(",", " ").split()
            if not self._typed:
                continue
            word = self._typed.pop(0)
            if word == STOP:
                return None
            if word == HELP:
                self._show(*self.people.help(self.language))
                continue
            offer = offers.get(word)
            if offer is None and word[0] in offers and len(word) > 1 and word.isalpha():
                offer = offers[word[0]]
                self._typed.insert(0, word[1:])
            if offer is not None:
                return offer.answers
            self._typed.clear()
            self._show(self.phrases["no_answer"].format(word=repr(word), keys=", ".join(offers)))

    def _hand_over(self, seat: int) -> None:
        """Let another person come to the screen, and take from it what only the last may see."""
        if seat == self._looking:
            return
        self._looking = seat
        self._typed.clear()
        self.write("\033[2J\033[3J\033[H")
        self.read(self.phrases["only_you"].format(who=f"P{seat + 1}"))

    def _tell(self, seat: int) -> None:
        """Tell a seat what has happened since it was last told."""
        lines = list(self.people.tell(self.events, seat, self.language))
        told = self._told[seat]
        same = next(
            (k for k, (a, b) in enumerate(zip(told, lines, strict=False)) if a != b), len(told)
        )
        self._show(*lines[same:])
        self._told[seat] = lines

    def _show(self, *lines: Any) -> None:
        for line in lines:
            self.write(line)


def _columns(offers: Sequence[Offer]) -> Iterator[str]:
    """Lay offers out in as many columns as the terminal is wide."""
    if not offers:
        return
    texts = [f"{offer.key:>3}  {offer.words}" for offer in offers]
    width = max(map(len, texts)) + 2
    across = max(1, shutil.get_terminal_size().columns // width)
    down = -(-len(texts) // across)
    for row in range(down):
        yield "".join(f"{text:<{width}}" for text in texts[row::down]).rstrip()
