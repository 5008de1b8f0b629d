"""How fast the engine is beside an older one of the same repository.

The two take turns, each in a process of its own, playing the same numbers of plays on the same
seeds.
"""

from __future__ import annotations

import io
import json
import statistics
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.kernel import PACKAGE
from dojo_core.taking_turns import Side, interval_of_median

# A slowdown counts as one when it is at least so large and no chance.
TOLERATED = 1.15
CONFIDENCE = 0.95

# What a side does: it tells its engine's name and which rows it can play, then plays what it is
# asked. It stands on nothing but the contract of a game and the engine's name, which older engines
# have too.
_SIDE = """
import json, sys, time
from dojo_core import games
from dojo_core.errors import DojoError
from dojo_core.kernel import engine_hash
game = games.load(sys.argv[1])
setups = {}
for row, options in enumerate(json.loads(sys.argv[2])):
    try:
        setups[row] = game.prepare(game.resolve(options))
    except DojoError:
        pass
print(json.dumps([engine_hash(sys.argv[1]), list(setups)]), flush=True)
for line in sys.stdin:
    row, first, plays = json.loads(line)
    out = game.out(setups[row], plays)
    began = time.thread_time()
    game.play(setups[row], 1, first, plays, out)
    took = time.thread_time() - began
    print(json.dumps([took, int(out.plays["turns"].sum())]), flush=True)
"""


class Comparison(NamedTuple):
    """How fast one kind of player plays here, beside an older engine.

    Attributes:
        player: Who decides at every seat.
        players: How many sit at the table.
        here: Nanoseconds a turn, the median over the pairs.
        there: The same of the older engine.
        ratio: The older one's time a turn by the newer one's, the median over the pairs: above 1
            is faster here.
        low: Lower end of the interval of that median, at `CONFIDENCE` over all rows.
        high: Upper end.
        pairs: How many pairs.
        same: Whether both played as many turns in every pair, as the same plays do.
    """

    player: str
    players: int
    here: float
    there: float
    ratio: float
    low: float
    high: float
    pairs: int
    same: bool

    @property
    def slower(self) -> bool:
        """Tell whether it is slower here by more than is tolerated, and not by chance."""
        return self.ratio < 1 / TOLERATED and self.high < 1


def side(
    name: str,
    sources: Path,
    game: str,
    rows: Sequence[dict[str, Any]],
    environment: Mapping[str, str] | None = None,
) -> Side:
    """Return a process that plays these rows with the sources in a folder."""
    words = ["-c", _SIDE, game, json.dumps(list(rows))]
    return Side(name, words, sources, {"PYTHONPATH": str(sources), **(environment or {})})


def unpack(revision: str, folder: Path) -> None:
    """Write the sources of a revision of this repository into a folder."""
    words = ["git", "-C", str(PACKAGE.parent), "archive", revision, "--", "dojo_core", "board"]
    try:
        done = subprocess.run(words, capture_output=True, check=False)
    except OSError as error:
        raise DojoError(f"git cannot be run ({error}); --against needs it", 3) from error
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise DojoError(
            f"--against {revision!r}: git has no such sources ({why[-1] if why else 'no word'});"
            " name a commit, a tag or a branch, in a clone of the repository"
        )
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def compare(
    revision: str, game: str, rows: Sequence[dict[str, Any]], pairs: int, seconds: float
) -> Iterator[Comparison]:
    """Compare this engine with that of a revision, in the rows that the older one can play too.

    Args:
        revision: What git knows the older sources by.
        game: The game's key.
        rows: The options of each row to compare, `player` and `players` among them.
        pairs: How often the two take turns in each row.
        seconds: How long one of them plays at a time, about.

    Yields:
        A comparison a row; none when both have the same engine.

    Raises:
        DojoError: When there are no such sources, or they can play no row.
    """
    with tempfile.TemporaryDirectory() as folder:
        there_sources = Path(folder) / "sources"
        unpack(revision, there_sources)
        cache = {"DOJO_CACHE": str(Path(folder) / "cache")}
        with (
            side("this engine", PACKAGE.parent, game, rows) as here,
            side(f"the engine of {revision}", there_sources, game, rows, cache) as there,
        ):
            engine, playable = here.answer()
            if len(playable) < len(rows):
                refuse(game, rows)
            older, known = there.answer()
            if older == engine:
                return
            if not known:
                raise DojoError(
                    f"--against {revision!r}: its engine can play none of this; name players and"
                    " options that it has, or a later commit"
                )
            for row in known:
                yield compared(here, there, row, rows[row], pairs, seconds, len(known))


def refuse(game: str, rows: Sequence[dict[str, Any]]) -> None:
    """Raise what this engine has against the first row that it cannot play."""
    found = games.load(game)
    for options in rows:
        found.prepare(found.resolve(options))


def compared(
    here: Side,
    there: Side,
    row: int,
    options: dict[str, Any],
    pairs: int,
    seconds: float,
    rows: int,
) -> Comparison:
    """Compare one row; the interval is corrected for the number of rows (Bonferroni)."""
    plays = 1
    for player in (here, there):
        player.ask([row, 0, 1])
    while (took := here.ask([row, 0, plays])[0]) < seconds / 4:
        plays *= 4
    plays = max(1, round(plays * seconds / took))
    new: list[float] = []
    old: list[float] = []
    same = True
    for pair in range(pairs):
        # Who begins alternates, so that a machine that slows down favours neither.
        order = (here, there) if pair % 2 else (there, here)
        played = {player: player.ask([row, pair * plays, plays]) for player in order}
        new.append(_ns_per_turn(*played[here]))
        old.append(_ns_per_turn(*played[there]))
        same = same and played[here][1] == played[there][1]
    ratios = [before / now for before, now in zip(old, new, strict=True)]
    low, high = interval_of_median(ratios, 1 - (1 - CONFIDENCE) / rows)
    return Comparison(
        options["player"],
        options["players"],
        statistics.median(new),
        statistics.median(old),
        statistics.median(ratios),
        low,
        high,
        pairs,
        same,
    )


def _ns_per_turn(seconds: float, turns: int) -> float:
    return seconds / turns * 1e9


def table(revision: str, rows: Sequence[Comparison], asked: int) -> Iterator[str]:
    """Render comparisons as lines of text, and how many of those asked for could not be made.

    No comparison at all says that the engine is the same.
    """
    if not rows:
        yield f"the engine is the same at {revision}: nothing to compare"
        return
    yield f"ns a turn, here and at {revision}; speed: there / here, median of the pairs"
    yield "player     players      here     there  speed [95% interval]   same plays"
    for row in rows:
        speed = f"{row.ratio:.2f} [{row.low:.2f}, {row.high:.2f}]"
        yield (
            f"{row.player:10} {row.players:7} {row.here:9,.0f} {row.there:9,.0f}  {speed:21}"
            f"  {'yes' if row.same else 'no'}{'  SLOWER' if row.slower else ''}"
        )
    if asked > len(rows):
        yield f"{revision} cannot play {asked - len(rows)} of the {asked} lines asked for"
