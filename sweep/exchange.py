"""Takes in the plays that another results folder holds of the same points.

import_sweep
  check_chunk           every file is verified before anything is taken from it
  write_chunk           written anew here, so that it is published as everything else is
  Store.add             and counts from the next manifest on
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dojo_core.game import Game
from sweep.journal import DONE, journal
from sweep.places import Place
from sweep.plan import Ranges, joined
from sweep.schemas import narrowed
from sweep.store import Chunk, Store, counted, covered, read_manifest, read_plan, write_chunk
from sweep.summary import point_sums, write_points
from sweep.verify import ChunkError, Finding, check_chunk


@dataclass
class Imported:
    """What was taken in of one sweep.

    Attributes:
        name: The sweep.
        created: Whether it was not here before.
        plays: Plays taken in.
        held: Plays that were here already.
        left: Plays that were left there: they are in one file with plays that are here already, and
            tallies cannot be cut.
        findings: Files there that are not as they should be; nothing was taken from them.
    """

    name: str
    created: bool = False
    plays: int = 0
    held: int = 0
    left: int = 0
    findings: list[Finding] = field(default_factory=list)


def import_sweep(
    source: Place,
    folder: Place,
    load: Callable[[str], Game],
    advanced: Callable[[int, int], None] = lambda done, total: None,
) -> Imported:
    """Take in the plays that `source` holds of the points of the sweep in `folder`.

    A point's id names all that decides its plays, so equal ids mean equal plays. A sweep that is
    not here yet begins with the plan it has there.

    Args:
        source: The sweep's folder elsewhere. It is only read.
        folder: The sweep's folder here.
        load: Returns a game by its name.
        advanced: Called with the number of chunks looked at so far, and of all.

    Raises:
        DojoError: One of the plans cannot be read, or the folder here cannot be used.
    """
    result = Imported(folder.name, created=not folder.exists("plan.json"))
    plan = read_plan(source if result.created else folder)
    game = load(plan.game)
    store = Store(folder.absolute(), game, plan)
    chunks = counted(read_manifest(source), plan)
    with store.open(), journal(store.folder, plan) as kept:
        if result.created:
            store.write_plan()
        held = covered([chunk for chunk in store.chunks.values() if chunk.record == plan.record])
        for number, chunk in enumerate(chunks):
            advanced(number, len(chunks))
            _take_in(store, source, chunk, held, result)
        store.merge(finish=True)
        sums = point_sums(store.folder, game, plan, store.counted())
        write_points(store.folder, game, plan, sums)
        kept.write("imported", source=str(source), plays=result.plays, left=result.left)
        kept.end(DONE)
    return result


def _take_in(
    store: Store, source: Place, chunk: Chunk, held: dict[str, Ranges], result: Imported
) -> None:
    """Take in a chunk if nothing of it is held yet."""
    both = _plays_in_both(held, chunk.ranges)
    if both:
        result.held += both
        result.left += chunk.plays - both
        return
    try:
        tables = check_chunk(source, store.game, chunk)
    except ChunkError as error:
        result.findings.append(error.finding)
        return
    kept = {table: narrowed(rows) for table, rows in tables.items()}
    store.add(write_chunk(store.folder, chunk.record, chunk.name, chunk.ranges, kept))
    result.plays += chunk.plays
    for point, ranges in chunk.ranges.items():
        held[point] = joined([*held.get(point, []), *ranges])


def _plays_in_both(held: Mapping[str, Ranges], ranges: Mapping[str, Ranges]) -> int:
    return sum(
        max(0, min(end, stop) - max(first, start))
        for point, pairs in ranges.items()
        for first, end in pairs
        for start, stop in held.get(point, [])
    )
