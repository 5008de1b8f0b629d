"""The tables on the screen of how the players of a ladder stand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sweep.ladder import Share, Standing, Step
from sweep.listing import titled
from sweep.seatings import MIX_WORDS, MIXES
from sweep.statistics import Z95, Mean

MARGIN = "± is half the width of a 95% interval; plays on the same dice count once."


def standings_report(found: Mapping[str, Standing]) -> Group:
    """Return the tables of each kind of table."""
    parts: list[RenderableType] = []
    for words, standing in found.items():
        if words:
            parts.append(Text(f"{words}\n", style="bold"))
        parts += _standing_report(standing)
    return Group(*parts, Text(MARGIN, style="dim"))


def _standing_report(standing: Standing) -> Iterator[RenderableType]:
    yield _rungs(standing)
    yield Text()
    for mix in ("one", "half"):
        if any(share.mix == mix for share in standing.shares):
            yield _shares(standing, mix)
            yield Text()
    yield Text("\n".join(_lines(standing)) + "\n")


def _rungs(standing: Standing) -> Table:
    """Return the ladder, its highest rung on top."""
    table = titled(f"The ladder: {standing.seats} at a table, {standing.plays:,} plays")
    mixes = [mix for mix in MIXES if any(a.mix == mix for a in standing.averages)]
    table.add_column("player")
    table.add_column("rating", justify="right", no_wrap=True)
    for mix in mixes:
        table.add_column(f"wins (%)\n{MIX_WORDS[mix]}", justify="right", no_wrap=True)
    table.add_column("than", no_wrap=True)
    table.add_column("wins (%)\nagainst it", justify="right", no_wrap=True)
    table.add_column("fair", justify="right", no_wrap=True)
    table.add_column("explained", justify="right")
    table.add_column("better?", no_wrap=True)
    averages = {(share.name, share.mix): share for share in standing.averages}
    steps: dict[str, list[Step]] = {}
    for step in standing.steps:
        steps.setdefault(step.upper, []).append(step)
    for rating in reversed(standing.ratings):
        cells = [averages.get((rating.name, mix)) for mix in mixes]
        first, *more = map(_step, steps.get(rating.name, [None]))
        table.add_row(
            rating.name,
            f"{rating.rating:+.0f} ±{Z95 * rating.se:.0f}",
            *(_percent(share) if share else "" for share in cells),
            *first,
        )
        for others in more:
            table.add_row("", "", *("" for _ in mixes), *others)
    judged = dict.fromkeys(MIX_WORDS[step.share.mix] for step in standing.steps)
    table.caption = (
        "rating: 400 points more are ten times the chance to win, 0 is their average; better?:"
        f" {', '.join(judged)}, p corrected for {len(standing.steps)} steps (Holm)"
    )
    return table


def _step(step: Step | None) -> tuple[str, str, str, str, Text]:
    if step is None:
        return "", "", "", "", Text()
    share = _percent(step.share), f"{100 * step.share.fair:.1f}"
    p = "p < 0.001" if step.p < 0.001 else f"p = {step.p:.3f}"
    if step.counts:
        verdict = Text(f"yes, {p}", style="bold")
    else:
        verdict = Text(f"{'worse' if step.edge < 0 and step.p < 0.05 else 'no sign'}, {p}")
    return step.lower, *share, _explained(step.explained), verdict


def _shares(standing: Standing, mix: str) -> Table:
    """Return the win shares of each player in the rows against each in the columns."""
    table = titled(f"Wins (%), {MIX_WORDS[mix]}: the player of the row against the column's")
    table.add_column("")
    names = [rating.name for rating in reversed(standing.ratings)]
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    found = {(s.name, s.against[0]): s for s in standing.shares if s.mix == mix}
    for name in names:
        cells = (found.get((name, other)) for other in names)
        table.add_row(name, *(_percent(share) if share else "" for share in cells))
    return table


def _lines(standing: Standing) -> Iterator[str]:
    """Yield what luck leaves to skill, and the plays that nobody won."""
    for mix, mean in standing.skill.items():
        yield (
            f"{MIX_WORDS[mix]}: who plays explains {_explained(mean.mean)}"
            f"{_margin(mean)} of the result, luck the rest"
        )
    if standing.unfinished:
        yield f"{standing.unfinished:.2%} of the plays ended unfinished, and nobody won them"
    if standing.drawn:
        yield f"{standing.drawn:.2%} of the plays were drawn, and nobody won them"


def _percent(share: Share) -> str:
    return f"{100 * share.share:.1f} ±{50 * (share.high - share.low):.1f}"


def _explained(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.1%}"


def _margin(mean: Mean) -> str:
    return "" if math.isnan(mean.se) else f" ±{100 * mean.margin:.1f}"
