"""How far the sweeps of a results folder have come. Reads plans, manifests and journals only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dojo_core.errors import DojoError, nearest
from sweep.journal import Run, last_run
from sweep.places import Place, side_by_side
from sweep.plan import Plan, Ranges, gaps, overlaps
from sweep.store import FAILURES, counted, covered, read_manifest, read_plan

State = Literal["running", "done", "stopped"]


@dataclass(frozen=True)
class Status:
    """How far one sweep has come with its current plan.

    Attributes:
        name: The sweep's name.
        state: ``running`` while a process works on it, ``done``, or ``stopped`` before its end.
        points: Points of the plan.
        points_complete: Points of which every play is stored.
        points_begun: Points of which some plays are stored, but not all.
        plays_planned: Plays that the plan asks for.
        plays_done: Plays of them that are stored.
        plays_failed: Plays of the blocks that failed in the last run, and are missing.
        plays_missing: Plays that are missing for any reason.
        blocks_missing: Blocks that the missing plays make; the last ones are played in pieces,
            which count once they are begun or have failed.
        blocks_failed: Blocks that failed in the last run, and are missing.
        blocks_running: Blocks being played now, as the run last told.
        rate: Plays stored a second by the run that goes on; None when none does.
        seconds_left: How long it will take at that rate.
        last_run: The run that goes on, or the last one.
        trouble: Why less may be stored than this says, or more.
    """

    name: str
    state: State
    points: int
    points_complete: int
    points_begun: int
    plays_planned: int
    plays_done: int
    plays_failed: int
    plays_missing: int
    blocks_missing: int
    blocks_failed: int
    blocks_running: int
    rate: float | None
    seconds_left: float | None
    last_run: Run | None
    trouble: str | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


def sweep_folders(results: Place) -> list[Place]:
    """Return the folders of the sweeps in `results`, the one whose plan is newest first."""
    folders = [results / name for name in results.folders()]
    stamps = side_by_side(lambda folder: folder.stamps(["plan.json"]), folders)
    newest = {f: -s["plan.json"][1] for f, s in zip(folders, stamps, strict=True) if s}
    return sorted(newest, key=lambda folder: (newest[folder], folder.name))


def sweep_folder(results: Place, name: str) -> Place:
    """Return the folder of the sweep `name`.

    Raises:
        DojoError: There is none of that name.
    """
    folder = results / name
    if name and "/" not in name and folder.exists("plan.json"):
        return folder
    names = [found.name for found in sweep_folders(results)]
    there = f"there are {', '.join(names)}" if names else "there is none yet"
    raise DojoError(
        f"there is no sweep {name!r} in {str(results)!r}{nearest(name, names)}; {there}"
    )


def status(folder: Place) -> Status:
    """Return how far the sweep in `folder` has come.

    Raises:
        DojoError: It holds no readable plan.
    """
    plan = read_plan(folder)
    stored, trouble = _stored(folder, plan)
    missing = [gaps(stored.get(point.id, []), point.plays) for point in plan.points]
    plays = [_plays(ranges) for ranges in missing]
    failures = failed_blocks(folder, plan, stored)
    run = last_run(folder)
    going = run if run and run.outcome == "running" else None
    running = going is not None or folder.is_locked()
    under_way = going.blocks_under_way if going else 0
    return Status(
        name=folder.name,
        state="running" if running else "stopped" if any(plays) else "done",
        points=len(plan.points),
        points_complete=plays.count(0),
        points_begun=sum(0 < p < point.plays for p, point in zip(plays, plan.points, strict=True)),
        plays_planned=plan.plays_planned,
        plays_done=plan.plays_planned - sum(plays),
        plays_failed=sum(row["plays"] for row in failures),
        plays_missing=sum(plays),
        blocks_missing=max(
            under_way + len(failures), sum(_blocks(r, plan.exponent) for r in missing)
        ),
        blocks_failed=len(failures),
        blocks_running=under_way,
        rate=going.rate if going else None,
        seconds_left=sum(plays) / going.rate if going and going.rate else None,
        last_run=run,
        trouble=trouble,
    )


def _stored(folder: Place, plan: Plan) -> tuple[dict[str, Ranges], str | None]:
    """Return the ranges of plays that are stored, by point, and what is wrong with the manifest."""
    try:
        return covered(counted(read_manifest(folder), plan)), None
    except DojoError as error:
        return {}, str(error)


def failed_blocks(folder: Place, plan: Plan, stored: Mapping[str, Ranges]) -> list[dict[str, Any]]:
    """Return the rows of the last run's failures whose plays are still missing."""
    try:
        rows = [json.loads(line) for line in folder.read(FAILURES).splitlines()]
    except (OSError, ValueError):
        return []
    points = {point.id for point in plan.points}
    return [
        row
        for row in rows
        if row["point"] in points
        and not overlaps(stored.get(row["point"], []), row["first"], row["first"] + row["plays"])
    ]


def _plays(ranges: Ranges) -> int:
    return sum(end - first for first, end in ranges)


def _blocks(missing: Sequence[tuple[int, int]], exponent: int) -> int:
    """Return how many blocks the missing ranges are cut into."""
    return sum(((end - 1) >> exponent) - (first >> exponent) + 1 for first, end in missing)
