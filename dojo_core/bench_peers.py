"""The engine beside what a designer might pick instead: other engines, and plain Python.

All play at random on the same core in turns. Their games differ, so a ratio says how much cheaper
a play or a decision is here, not that one library is better than another at the same thing.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from dojo_core.bench_against import CONFIDENCE
from dojo_core.errors import DojoError
from dojo_core.kernel import PACKAGE
from dojo_core.taking_turns import Side, interval_of_median


class Peer(NamedTuple):
    """What the engine is put beside.

    Attributes:
        name: How tables name it.
        side: Its name in `peer.SIDES`.
        decision: What it counts as a decision.
        environment: What its process is told besides.
    """

    name: str
    side: str
    decision: str
    environment: dict[str, str] = {}  # noqa: RUF012


OURS = Peer("Labirinto, 4, 100 rounds", "dojo", "a step of a walk; a choice among two or more")
PEERS = (
    Peer("the same in plain Python", "dojo", OURS.decision, {"NUMBA_DISABLE_JIT": "1"}),
    Peer("OpenSpiel maedn (C++), 2", "openspiel_maedn", "a bot asked for an action"),
    Peer("OpenSpiel backgammon (C++)", "openspiel_backgammon", "a bot asked for an action"),
    Peer("catanatron, 4 players", "catanatron", "an action, the forced ones too"),
    Peer("pgx backgammon (JAX)", "pgx", "a step of the environment"),
)


class Beside(NamedTuple):
    """How fast one peer is, and how much faster the engine.

    Attributes:
        peer: The peer.
        plays: Its plays a second, the median over the rounds.
        decisions: Its decisions a second, the median over the rounds.
        ratio: The engine's decisions a second by the peer's: the median over the rounds.
        low: Lower end of the interval of that median, at `bench_against.CONFIDENCE` over all peers.
        high: Upper end.
        plays_ratio: The engine's plays a second by the peer's: the median over the rounds.
        rounds: How many rounds.
    """

    peer: Peer
    plays: float
    decisions: float
    ratio: float
    low: float
    high: float
    plays_ratio: float
    rounds: int


def measure(rounds: int, seconds: float) -> list[Beside]:
    """Let the engine and all peers take turns; return the engine first, then the peers.

    Args:
        rounds: How often each of them plays.
        seconds: How long each plays in a round.

    Raises:
        DojoError: When a peer is not installed, or ends.
    """
    everyone = (OURS, *PEERS)
    with ExitStack() as open_sides:
        sides = [open_sides.enter_context(_side(peer)) for peer in everyone]
        for side in sides:
            _wait_for(side)
        rates: list[list[tuple[float, float]]] = [[] for _ in everyone]
        for _ in range(rounds):
            for side, found in zip(sides, rates, strict=True):
                took, plays, decisions = side.ask(seconds)
                found.append((plays / took, decisions / took))
    return [_beside(peer, found, rates[0]) for peer, found in zip(everyone, rates, strict=True)]


def _side(peer: Peer) -> Side:
    return Side(peer.name, ["-m", "dojo_core.peer", peer.side], PACKAGE.parent, peer.environment)


def _wait_for(side: Side) -> None:
    try:
        side.answer()
    except DojoError as error:
        if "ModuleNotFoundError" not in str(error):
            raise
        raise DojoError(
            f"--peers: {error}; run: uv run --group peers dojo bench --peers", 3
        ) from error


def _beside(
    peer: Peer, theirs: Sequence[tuple[float, float]], ours: Sequence[tuple[float, float]]
) -> Beside:
    """Compare round by round; intervals are corrected for the number of peers (Bonferroni)."""
    ratios = [our[1] / their[1] for our, their in zip(ours, theirs, strict=True)]
    low, high = interval_of_median(ratios, 1 - (1 - CONFIDENCE) / len(PEERS))
    return Beside(
        peer,
        statistics.median(plays for plays, _ in theirs),
        statistics.median(decisions for _, decisions in theirs),
        statistics.median(ratios),
        low,
        high,
        statistics.median(our[0] / their[0] for our, their in zip(ours, theirs, strict=True)),
        len(theirs),
    )


def table(rows: Sequence[Beside]) -> Iterator[str]:
    """Render what was measured as lines of text."""
    yield f"random players, one core, {rows[0].rounds} rounds in turns; x: ratio, ours to theirs"
    yield (
        f"{'':27} {'plays/s':>10} {'decisions/s':>12} {'x plays':>8}"
        f"  {'x decisions':30}  a decision is"
    )
    for row in rows:
        ratio = f"{row.ratio:,.1f} [{row.low:,.1f}, {row.high:,.1f}]"
        yield (
            f"{row.peer.name:27} {row.plays:10,.1f} {row.decisions:12,.0f} {row.plays_ratio:8,.1f}"
            f"  {ratio:30}  {row.peer.decision}"
        )
