"""How fast the engine is beside an older one of the same repository.

The two take turns, each in a process of its own, playing the same numbers of plays on the same
seeds. So a busy machine slows both down, and the ratio of a pair holds although no rate does.
"""

from __future__ import annotations

import io
import json
import math
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from dojo_core.errors import DojoError
from dojo_core.kernel import PACKAGE

# A slowdown counts as one when it is at least so large and no chance.
TOLERATED = 1.15
CONFIDENCE = 0.95

# What a side does. It stands on nothing but the contract of a game, which an older engine has too.
_SIDE = """
import json, sys, time
from dojo_core import games
game = games.load(sys.argv[1])
setups = [game.prepare(game.resolve(options)) for options in json.loads(sys.argv[2])]
print(json.dumps("ready"), flush=True)
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


class _Side:
    """A process that plays with the sources of one folder."""

    def __init__(self, sources: Path, cache: str | None, game: str, options: list[Any]) -> None:
        environment = {**os.environ, "PYTHONPATH": str(sources)}
        if cache is not None:
            environment["DOJO_CACHE"] = cache
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SIDE, game, json.dumps(options)],
            cwd=sources,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _answer(self) -> Any:
        line = _pipe(self.process.stdout).readline()
        if line:
            return json.loads(line)
        trouble = _pipe(self.process.stderr).read().strip().splitlines() or ["no word"]
        raise DojoError(f"the engine under comparison ended: {trouble[-1]}", 3)

    def ready(self) -> None:
        """Wait until all is compiled that playing needs."""
        self._answer()

    def play(self, row: int, first: int, plays: int) -> tuple[float, int]:
        """Return the seconds that these plays took of a core, and their turns."""
        asked = _pipe(self.process.stdin)
        asked.write(json.dumps([row, first, plays]) + "\n")
        asked.flush()
        took, turns = self._answer()
        return took, turns

    def end(self) -> None:
        """Let the process end; it has nothing to lose."""
        self.process.kill()
        self.process.communicate()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def interval_of_median(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return an interval that holds the median of what the values are drawn from.

    The order statistics that the binomial distribution gives, without any assumption on the
    values' own; the whole range when there are too few.

    Source: Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2.
    """
    ordered = sorted(values)
    count = len(ordered)
    rank, tail = 0, 0.5**count
    while rank < count // 2 and tail <= (1 - confidence) / 2:
        rank += 1
        tail += math.comb(count, rank) * 0.5**count
    first = max(rank - 1, 0)
    return ordered[first], ordered[count - 1 - first]


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
    """Compare this engine with that of a revision.

    Args:
        revision: What git knows the older sources by.
        game: The game's key.
        rows: The options of each row to compare, `player` and `players` among them.
        pairs: How often the two take turns in each row.
        seconds: How long one of them plays at a time, about.

    Yields:
        A comparison a row.

    Raises:
        DojoError: When there are no such sources, or they cannot play.
    """
    with tempfile.TemporaryDirectory() as folder:
        there_sources = Path(folder) / "sources"
        unpack(revision, there_sources)
        here = _Side(PACKAGE.parent, None, game, list(rows))
        there = _Side(there_sources, str(Path(folder) / "cache"), game, list(rows))
        try:
            here.ready()
            there.ready()
            for row, options in enumerate(rows):
                yield _compared(here, there, row, options, pairs, seconds, len(rows))
        finally:
            here.end()
            there.end()


def _compared(
    here: _Side,
    there: _Side,
    row: int,
    options: dict[str, Any],
    pairs: int,
    seconds: float,
    rows: int,
) -> Comparison:
    """Compare one row; the interval is corrected for the number of rows (Bonferroni)."""
    plays = 1
    for side in (here, there):
        side.play(row, 0, 1)
    while (took := here.play(row, 0, plays)[0]) < seconds / 4:
        plays *= 4
    plays = max(1, round(plays * seconds / took))
    new: list[float] = []
    old: list[float] = []
    same = True
    for pair in range(pairs):
        # Who begins alternates, so that a machine that slows down favours neither.
        order = (here, there) if pair % 2 else (there, here)
        played = {side: side.play(row, pair * plays, plays) for side in order}
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


def table(revision: str, rows: Sequence[Comparison]) -> Iterator[str]:
    """Render comparisons as lines of text."""
    yield f"ns a turn, here and at {revision}; speed: there / here, median of the pairs"
    yield "player     players      here     there  speed [95% interval]   same plays"
    for row in rows:
        speed = f"{row.ratio:.2f} [{row.low:.2f}, {row.high:.2f}]"
        yield (
            f"{row.player:10} {row.players:7} {row.here:9,.0f} {row.there:9,.0f}  {speed:21}"
            f"  {'yes' if row.same else 'no'}{'  SLOWER' if row.slower else ''}"
        )
