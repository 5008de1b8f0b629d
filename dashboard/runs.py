"""How the last run of a sweep went: in a word, in a sentence, and with what failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sweep import journal
from sweep.journal import Run
from sweep.places import Place, at, side_by_side
from sweep.progress import date, duration
from sweep.queries import SweepInfo
from sweep.status import failed_blocks
from sweep.store import FAILURES, counted, covered, read_manifest, read_plan

# What a state looks like before its word is read.
MARKS = {"running": "▶", "done": "✓", "stopped": "■"}
CROSS = "✗"
_GO_ON = "Running it again goes on where it stopped."
_TRY_AGAIN = "The other blocks are stored, and running it again tries these once more."


@dataclass(frozen=True)
class Told:
    """What is known of a sweep's last run.

    Attributes:
        info: The sweep.
        run: The record of the run, if there is one.
        failed: The blocks of it that failed and are still missing: rows of the view ``failures``.
    """

    info: SweepInfo
    run: Run | None
    failed: Sequence[dict[str, Any]]

    @property
    def word(self) -> str:
        """The sweep's state, or why it is not done: one of the journal's outcomes."""
        ended = self.run.outcome if self.run else "stopped"
        if self.info.state != "stopped":
            return self.info.state
        return "stopped" if ended in (journal.DONE, journal.RUNNING) else ended

    @property
    def mark(self) -> str:
        """The word with its mark."""
        return f"{MARKS.get(self.word, CROSS)} {self.word}"

    @property
    def seconds_left(self) -> float | None:
        """How long a run that goes on will take at its pace; None when nobody can tell."""
        if self.word != "running" or self.run is None or not self.run.rate:
            return None
        return self.run.plays_left / self.run.rate


def last_runs(results: str, sweeps: Sequence[SweepInfo]) -> list[tuple[Run | None, str]]:
    """Return for each sweep the record of its last run, and a text that changes with its failures.

    The text is empty when no failures are told.
    """
    return side_by_side(lambda info: _last_run(at(results) / info.name), sweeps)


def _last_run(folder: Place) -> tuple[Run | None, str]:
    size, changed = folder.stamps([FAILURES]).get(FAILURES, (0, 0))
    return journal.last_run(folder), f"{size} {changed}" if size else ""


def failures(results: str, info: SweepInfo) -> list[dict[str, Any]]:
    """Return the blocks that failed in the last run and are still missing, the latest last."""
    folder = at(results) / info.name
    plan = read_plan(folder)
    number = {point.id: index for index, point in enumerate(plan.points, start=1)}
    rows = failed_blocks(folder, plan, covered(counted(read_manifest(folder), plan)))
    return [row | {"number": number[row["point"]]} for row in rows]


def sentence(told: Told) -> str:
    """Return how the last run went and, if anything, what to do: a line of Markdown."""
    parts = [f"**{told.word}**", *_facts(told)]
    return " · ".join(parts) + "".join(f". {text}" for text in _advice(told))


def _facts(told: Told) -> list[str]:
    run = told.run
    if run is None:
        return []
    going = told.word == "running"
    when = date(run.started if going else run.started + run.seconds)
    facts = [f"run {run.number} {'began' if going else 'ended'} {when}"]
    if run.backend is None:  # nothing had to be played
        return facts
    facts.append(f"{run.plays:,} plays in {duration(run.seconds)}, {run.rate:,.0f} a second")
    facts.append(f"{run.workers} at a time on {run.backend}")
    if run.share_in_play is not None:
        facts.append(f"{run.share_in_play:.0%} of that time in play")
    if going:
        facts.append(f"blocks under way: {run.blocks_under_way:,}")
    if told.seconds_left is not None:
        facts.append(f"{duration(told.seconds_left)} left")
    return facts


def _advice(told: Told) -> list[str]:
    error = [told.run.error.rstrip(".")] if told.run and told.run.error else []
    missing = told.info.plays_planned - told.info.plays_done
    if told.word in ("running", "done"):
        return []
    if told.word == journal.FAILED:
        return [_TRY_AGAIN]
    return [*error, f"{missing:,} plays are missing", _GO_ON]


def by_error(failed: Sequence[dict[str, Any]], most: int) -> pd.DataFrame:
    """Return the failed blocks put together by their error, the latest first.

    Args:
        failed: Rows of `Told.failed`.
        most: How many errors to return.

    Returns:
        ``error``, ``blocks`` and ``plays`` of it, and of its latest block ``number`` (the
        point's), ``first``, ``last`` and ``command``.
    """
    table = pd.DataFrame(list(failed))
    table["last"] = table["first"] + table["plays"] - 1
    table["order"] = range(len(table))
    grouped = table.groupby("error", sort=False).agg(
        blocks=("plays", "size"),
        plays=("plays", "sum"),
        number=("number", "last"),
        first=("first", "last"),
        last=("last", "last"),
        command=("command", "last"),
        order=("order", "last"),
    )
    return grouped.sort_values("order", ascending=False).head(most).reset_index()
