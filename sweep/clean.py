"""Finds and removes what no plan of a sweep refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dojo_core.errors import DojoError
from sweep.places import STORAGE_TROUBLE, Place
from sweep.plan import Plan
from sweep.schemas import table_names
from sweep.store import (
    SET_ASIDE,
    BrokenFileError,
    files,
    plan_name,
    read_manifest,
    read_metadata,
    read_plan,
    write_manifest,
)

TABLES = tuple(dict.fromkeys((*table_names("plays"), *table_names("summary"))))


class Waste(NamedTuple):
    """Files that can go, for one reason.

    Attributes:
        what: What they are, in words.
        files: Their names in the sweep's folder.
        bytes: How much room they take.
    """

    what: str
    files: list[str]
    bytes: int


class Cleaning:
    """What can be removed from a sweep's folder. Make it with the folder's lock held.

    A chunk stays as long as any plan in ``plans/`` has any point of it.

    Args:
        folder: The sweep's folder.
        old_plans: Whether all plans but the current one are to be forgotten.

    Attributes:
        waste: What can go.

    Raises:
        DojoError: A plan or the manifest cannot be read, so that nobody knows what it refers to.
    """

    def __init__(self, folder: Place, old_plans: bool = False) -> None:
        self._folder = folder
        current = read_plan(folder)
        names = {plan_name(current.hash)}
        self._forgotten = [
            name for file in folder.files("plans") if (name := f"plans/{file}") not in names
        ]
        plans = [current] if old_plans else [current, *map(self._plan, self._forgotten)]
        wanted = {(plan.record, point.id) for plan in plans for point in plan.points}
        chunks = read_manifest(folder)
        self._kept = [chunk for chunk in chunks if _refers(wanted, chunk.record, chunk.ranges)]
        kept = {chunk.name for chunk in self._kept}
        gone = [chunk for chunk in chunks if chunk.name not in kept]
        listed = {file for chunk in chunks for file in files(chunk)}
        aside = [
            f"{SET_ASIDE}/{t}/{file}" for t in TABLES for file in folder.files(f"{SET_ASIDE}/{t}")
        ]
        found = (
            ("plans before the current one", self._forgotten if old_plans else []),
            ("plays of points that no plan has", [file for chunk in gone for file in files(chunk)]),
            ("files that the manifest does not name", list(self._strangers(wanted, listed))),
            ("broken files that were set aside", aside),
        )
        self.waste = [self._waste(what, names) for what, names in found if names]

    def remove(self) -> None:
        """Remove it: first from the manifest, then the files, so that no reader misses any."""
        write_manifest(self._folder, self._kept)
        for waste in self.waste:
            for name in waste.files:
                self._folder.remove(name)
        self._folder.remove_temporaries()

    def _plan(self, name: str) -> Plan:
        try:
            return Plan.from_json(self._folder.read(name).decode())
        except (OSError, ValueError, KeyError, TypeError, DojoError) as error:
            raise DojoError(
                f"{self._folder.path(name)} cannot be read ({error}), so nobody knows which plays"
                " it refers to; forget it with --old-plans, or remove it",
                STORAGE_TROUBLE,
            ) from error

    def _strangers(self, wanted: set[tuple[str, str]], listed: set[str]) -> Iterator[str]:
        """Yield the files that no manifest names and no run will take in."""
        for table in TABLES:
            for file in self._folder.files(table):
                name = f"{table}/{file}"
                if name not in listed and not self._is_wanted(wanted, name):
                    yield name

    def _is_wanted(self, wanted: set[tuple[str, str]], name: str) -> bool:
        try:
            metadata = read_metadata(self._folder, name)
        except BrokenFileError:
            return False
        return _refers(wanted, metadata["record"], metadata["ranges"])

    def _waste(self, what: str, names: list[str]) -> Waste:
        sizes = self._folder.stamps(names)
        number = "1 file" if len(names) == 1 else f"{len(names):,} files"
        return Waste(f"{what} ({number})", names, sum(size for size, _ in sizes.values()))


def _refers(wanted: set[tuple[str, str]], record: str, points: Iterable[str]) -> bool:
    return any((record, point) in wanted for point in points)
