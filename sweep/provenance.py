"""Where results come from: the sources that play, a sweep's plan and runs; how two plans differ."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sweep.plan import Plan

PACKAGES = Path(__file__).parent.parent
SOURCES = ("dojo_core", "sweep")
GIT_SECONDS = 10.0


class Commit(NamedTuple):
    """The commit that the sources were checked out from.

    Attributes:
        hash: Its full hash.
        dirty: Whether the sources differ from it.
    """

    hash: str
    dirty: bool


def commit() -> Commit | None:
    """Return the commit of the sources that play here; None where git does not keep them."""
    kept = _git("ls-files", "--error-unmatch", *(f"{name}/__init__.py" for name in SOURCES))
    head = kept and _git("rev-parse", "HEAD")
    if not head:
        return None
    changes = _git("status", "--porcelain", "--", *SOURCES)
    return Commit(head, changes != "")


def _git(*words: str) -> str | None:
    """Return what git says of the sources' folder, or None when it refuses or is not there."""
    command = ["git", "-C", str(PACKAGES), *words]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=GIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() if found.returncode == 0 else None


class Board(NamedTuple):
    """A file that an option of a plan holds, such as a board.

    Attributes:
        option: The option.
        label: The file's short name.
        texts: What was read, by what it is: the parts that decide plays.
    """

    option: str
    label: str
    texts: dict[str, Any]


class Difference(NamedTuple):
    """Something in which two plans differ.

    Attributes:
        what: The thing.
        first: What it is in the first plan.
        second: What it is in the second plan.
    """

    what: str
    first: str
    second: str


def boards(plan: Plan) -> list[Board]:
    """Return the files that the plan's options hold, in order, each once."""
    found: dict[tuple[str, str], Board] = {}
    for option, values in _values(plan).items():
        for value in values:
            if isinstance(value, dict):
                # where a file lay decides nothing
                texts = {k: v for k, v in value.items() if k != "label" and "path" not in k and v}
                found.setdefault((option, value["label"]), Board(option, value["label"], texts))
    return list(found.values())


def shown(value: Any) -> str:
    """Return a settled value in words, without the option's table, which may have changed since."""
    if isinstance(value, dict):
        return str(value["label"])
    if isinstance(value, list):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def plays_a_point(plan: Plan) -> str:
    """Return how many plays the plan asks for at a point: a number, or from least to most."""
    counts = {point.plays for point in plan.points}
    least, most = f"{min(counts):,}", f"{max(counts):,}"
    return least if len(counts) == 1 else f"{least} to {most}"


def differences(first: Plan, second: Plan) -> list[Difference]:
    """Return in what two plans differ, the graver things first."""
    settled = [found for found in _settled(first, second) if found.first != found.second]
    return [*settled, *_other_texts(first, second), *_other_points(first, second)]


def _settled(first: Plan, second: Plan) -> Iterator[Difference]:
    """Yield what each plan has of everything that every plan has."""
    for what in ("game", "engine", "seed", "record"):
        yield Difference(what, str(getattr(first, what)), str(getattr(second, what)))
    for name in {**first.versions, **second.versions}:
        versions = (plan.versions.get(name, "unknown") for plan in (first, second))
        yield Difference(f"version of {name}", *versions)
    ours, theirs = _values(first), _values(second)
    for option in {**ours, **theirs}:
        words = (", ".join(map(shown, values.get(option, ["none"]))) for values in (ours, theirs))
        yield Difference(option, *words)
    yield Difference("plays a point", plays_a_point(first), plays_a_point(second))


def _other_texts(first: Plan, second: Plan) -> Iterator[Difference]:
    """Yield the files that have one name in both plans, but not one content."""
    theirs = {(board.option, board.label): board.texts for board in boards(second)}
    for board in boards(first):
        if theirs.get((board.option, board.label), board.texts) != board.texts:
            yield Difference(f"text of {board.option} {board.label}", "one", "another")


def _other_points(first: Plan, second: Plan) -> Iterator[Difference]:
    """Yield how many points one plan has and the other has not, or not with as many plays."""
    ours, theirs = ({point.id: point.plays for point in p.points} for p in (first, second))
    shared = ours.keys() & theirs.keys()
    if ours.keys() != theirs.keys():
        alone = (f"{len(points) - len(shared):,}" for points in (ours, theirs))
        yield Difference(f"points alone ({len(shared):,} in both)", *alone)
    if other := [point for point in shared if ours[point] != theirs[point]]:
        plays = (f"{sum(points[point] for point in other):,}" for points in (ours, theirs))
        yield Difference(f"plays of {len(other):,} points in both", *plays)


def _values(plan: Plan) -> dict[str, list[Any]]:
    """Return the values that each option takes, those of the axes first."""
    fixed = {option: [value] for option, value in plan.options.items() if option not in plan.axes}
    return {**plan.axes, **fixed}
