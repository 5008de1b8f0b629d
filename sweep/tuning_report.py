"""What a search for better weights tells: its progress, its result, and the player it found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sweep.generations import Confirmation
from sweep.grid import Grid
from sweep.plan import Plan
from sweep.progress import duration
from sweep.statistics import Mean
from sweep.tuning import Weights, seed_of


def generation_line(number: int, of: int, found: Sequence[Mean], left: float | None) -> str:
    """Return how a generation went: the middle of the search is its first candidate."""
    best = max(found, key=lambda score: score.mean)
    line = (
        f"generation {number} of {of}: the middle of the search won {_percent(found[0])} of its"
        f" plays, the best of {len(found)} candidates {_percent(best)}"
    )
    return line if left is None else f"{line}; {duration(left)} left"


def confirmation_lines(result: Confirmation) -> Iterator[str]:
    """Yield what the confirmation found."""
    yield (
        f"among start players it won {_percent(result.share)} of {result.share.n:,} plays on fresh"
        f" dice, fair is {result.fair:.2%} ({_p(result.p)})"
    )
    yield (
        f"against the field {_percent(result.field)} of {result.field.n:,} plays, the start player"
        f" in its place {_percent(result.start)}: {100 * result.gain.mean:+.2f}"
        f" ±{100 * result.gain.margin:.2f} percentage points ({_p(result.gain_p)})"
    )


def player_text(path: str, grid: Grid, plan: Plan, weights: Weights, result: Confirmation) -> str:
    """Return the tuned player as a section for a grid, and where it comes from.

    Args:
        path: The grid file.
        grid: What it says.
        plan: The plan of the confirmation.
        weights: The weights that were found.
        result: How good they are.
    """
    tune = grid.tune
    assert tune is not None
    player = tune.player(weights, tune.name)
    seeds = [seed_of(grid.seed, f"{number:02}") for number in range(1, tune.generations + 1)]
    changed = ", ".join(
        f"{key} from {tune.start[key]}" for key in weights if weights[key] != tune.start[key]
    )
    head = [
        f"Found by: dojo-sweep tune {path}",
        f"Game {grid.game.name}, engine {plan.engine}, dojo-sweep {plan.versions['dojo-sweep']};"
        f" the grid's seed {grid.seed}.",
        f"{tune.generations} generations of {tune.candidates} candidates, {tune.plays:,} plays in"
        f" each seat; their seeds {', '.join(map(str, seeds))}.",
        f"Confirmed with seed {plan.seed}:",
        *confirmation_lines(result),
        f"The start player's weights, where they differ: {changed}.",
    ]
    lines = [f"# {line}" for line in head]
    lines.append(f"\n[players.{_key(tune.name)}]")
    lines += [
        f"{key} = {str(value).lower() if isinstance(value, bool) else value}"
        for key, value in player.items()
        if key != "name"
    ]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return f'"{name}"' if "." in name else name


def _percent(share: Mean) -> str:
    return f"{share.mean:.2%} ±{100 * share.margin:.2f}"


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
