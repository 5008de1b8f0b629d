"""The folder of one sweep: Arrow files, and a manifest that says which of them count.

A chunk is what is published together: one file a table, all under one name, holding the rows of
some ranges of plays. A block becomes a small chunk; small chunks are merged into large ones. Every
file is written under a name that begins with a dot, flushed and renamed; the manifest is replaced
in one step, and readers follow it alone. So whatever is interrupted, a reader sees either the
state before or the state after, and nothing half-written.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep.blocks import Tables, column_bytes, merge_tables
from sweep.places import STORAGE_TROUBLE, Place, Stamp, side_by_side
from sweep.plan import Block, Plan, Ranges, joined, overlaps
from sweep.schemas import plain, schema, table_names

FORMAT = 3
SET_ASIDE = "set_aside"  # the folder of files that were found broken
FAILURES = "failures.jsonl"  # the blocks of the last run that raised
KEY = b"dojo"  # in the schema's metadata of every file
TARGET_ROWS = 1 << 20  # of the largest table of a merged chunk
WORTH_ROWS = TARGET_ROWS // 4  # of a chunk that stays as it is when no more blocks follow
MAX_SMALL = 256  # small chunks that may wait for a merge
BATCH_ROWS = 1 << 17
READING = ipc.IpcReadOptions(use_threads=False)  # as in writing: all cores have blocks to play
SAVE_EVERY = 1.0  # seconds between two manifests while blocks come in
GRACE = 15.0  # seconds that merged small files stay for readers of the manifest before


class BrokenFileError(Exception):
    """A file is not what it should be; the message says in which way."""


@dataclass(frozen=True)
class Chunk:
    """Files that were published together.

    Attributes:
        name: The files' name without ``.arrow``.
        record: ``plays`` or ``summary``: which tables there are.
        ranges: The ranges of plays by point.
        rows: Rows by table.
        files: Size in bytes and time of change in nanoseconds by table: while they stay the same
            a file is not read again to check it.
    """

    name: str
    record: str
    ranges: dict[str, Ranges]
    rows: dict[str, int]
    files: dict[str, Stamp]

    @property
    def plays(self) -> int:
        """How many plays there are in it."""
        return sum(end - first for ranges in self.ranges.values() for first, end in ranges)

    @property
    def most_rows(self) -> int:
        """The rows of its largest table."""
        return max(self.rows.values())

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> Chunk:
        """Return the chunk of a manifest's entry."""
        return Chunk(
            content["name"],
            content["record"],
            {p: [(a, b) for a, b in ranges] for p, ranges in content["ranges"].items()},
            dict(content["rows"]),
            {table: (size, changed) for table, (size, changed) in content["files"].items()},
        )

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        return dict(vars(self))


@dataclass(frozen=True)
class Group:
    """Small chunks to be put together."""

    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class Merged:
    """What came of putting chunks together.

    Attributes:
        chunk: What was published, to count in their place; None when fewer than two were whole.
        names: The chunks that it holds.
        broken: The chunks with a broken file: their names, the file, and what is wrong with it.
    """

    chunk: Chunk | None
    names: tuple[str, ...]
    broken: tuple[tuple[str, str, str], ...]


# Files


def arrow_file(table: pa.Table, metadata: Mapping[str, Any] | None = None) -> memoryview:
    """Return an Arrow IPC file, compressed with zstd, `metadata` as JSON in its schema."""
    if metadata is not None:
        kept = {**(table.schema.metadata or {}), KEY: json.dumps(metadata).encode()}
        table = table.replace_schema_metadata(kept)
    options = ipc.IpcWriteOptions(compression="zstd", use_threads=False)
    file = pa.BufferOutputStream()
    with ipc.new_file(file, table.schema, options=options) as writer:
        for first in range(0, table.num_rows, BATCH_ROWS):
            writer.write_table(table.slice(first, BATCH_ROWS).combine_chunks())
    return memoryview(file.getvalue())


def write_chunk(
    folder: Place, record: str, name: str, ranges: Mapping[str, Ranges], tables: Tables
) -> Chunk:
    """Publish the files of a chunk in the sweep's `folder`, side by side, and return it.

    Args:
        folder: The sweep's folder.
        record: ``plays`` or ``summary``.
        name: The files' name without ``.arrow``.
        ranges: The ranges of plays by point.
        tables: Their rows, as files hold them.
    """

    def made(table: str) -> memoryview:
        content = tables[table].unify_dictionaries()
        metadata = {
            "format": FORMAT,
            "table": table,
            "record": record,
            "rows": content.num_rows,
            "ranges": ranges,
            "checksum": checksum(content),
        }
        return arrow_file(content, metadata)

    files = {file_name(name, table): made(table) for table in tables}
    side_by_side(lambda file: folder.publish(file, files[file]), files)
    stamps = folder.stamps(list(files))
    rows = {table: content.num_rows for table, content in tables.items()}
    return Chunk(name, record, dict(ranges), rows, dict(zip(tables, stamps.values(), strict=True)))


def write_block(folder: Place, record: str, block: Block, tables: Tables) -> Chunk:
    """Publish a finished block."""
    name = f"{record}-{block.point}-{block.first}-{block.end}"
    return write_chunk(folder, record, name, {block.point: [(block.first, block.end)]}, tables)


def merge_chunks(folder: Place, game: Game, record: str, group: Group) -> Merged:
    """Publish chunks as one, across points; any process that sees the folder may do it.

    Nothing counts or goes before the holder of the folder's lock says so, by `Store.replace`.
    """
    expected = {table: schema(game, table) for table in table_names(record)}
    whole: list[Chunk] = []
    parts: list[Tables] = []
    broken: list[tuple[str, str, str]] = []
    for chunk in group.chunks:
        file = ""
        try:
            tables = {}
            for table, kept in expected.items():
                file = file_name(chunk.name, table)
                tables[table] = read_checked(folder, file, kept)
        except BrokenFileError as problem:
            broken.append((chunk.name, file, str(problem)))
        else:
            whole.append(chunk)
            parts.append(tables)
    if len(whole) < 2:
        return Merged(None, (), tuple(broken))
    ranges = covered(whole)
    tables = {
        table: merge_tables(game, table, [part[table] for part in parts]) for table in expected
    }
    digest = hashlib.sha256(json.dumps(ranges).encode()).hexdigest()
    chunk = write_chunk(folder, record, f"{record}-merged-{digest[:16]}", ranges, tables)
    return Merged(chunk, tuple(part.name for part in whole), tuple(broken))


def checksum(table: pa.Table) -> str:
    """Return the CRC-32 of the table's uncompressed content, whatever its chunks and compression.

    It is there to notice damage, and is taken of every row when its block is stored, and twice
    whenever it is merged.
    """
    sum_so_far = 0
    for field, column in zip(table.schema, table.columns, strict=True):
        sum_so_far = zlib.crc32(f"{field.name} {field.type}".encode(), sum_so_far)
        for part in column_bytes(column):
            sum_so_far = zlib.crc32(part, sum_so_far)
    return f"{sum_so_far:08x}"


def file_name(chunk: str, table: str) -> str:
    """Return the name of a chunk's file in the sweep's folder."""
    return f"{table}/{chunk}.arrow"


def read_metadata(place: Place, name: str) -> dict[str, Any]:
    """Return what a file says of itself: table, record, rows, ranges and checksum.

    Raises:
        BrokenFileError: It does not open, or was not written by this project.
    """
    with _reading(place, name) as reader:
        metadata = _told(reader)
        told = {key: metadata[key] for key in ("table", "record", "rows", "checksum")}
        ranges = metadata["ranges"].items()
        return {**told, "ranges": {p: [(a, b) for a, b in pairs] for p, pairs in ranges}}


def read_checked(place: Place, name: str, expected: pa.Schema | None) -> pa.Table:
    """Return a file's rows, if it is exactly what was published.

    Args:
        place: The sweep's folder.
        name: The file in it.
        expected: The schema its table has in the code; its rows come as the file holds them, and
            can be cast to it. None for a file of other code: its rows come as wide as it says
            that they are in its table.

    Raises:
        BrokenFileError: It does not open, or its format, schema, rows, metadata or checksum are
            wrong.
    """
    with _reading(place, name) as reader:
        metadata = _told(reader)
        if metadata["format"] != FORMAT:
            raise BrokenFileError(f"its format is {metadata['format']}, not {FORMAT}")
        own = plain(reader.schema)
        if expected and not own.equals(expected, check_metadata=False):
            raise BrokenFileError("its columns are not those of its table")
        content = reader.read_all()
        content.validate(full=True)
        if content.num_rows != metadata["rows"]:
            raise BrokenFileError(f"it has {content.num_rows} rows, not {metadata['rows']}")
        if checksum(content) != metadata["checksum"]:
            raise BrokenFileError("its checksum does not match its content")
        return content if expected else content.cast(own)


def _told(reader: ipc.RecordBatchFileReader) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(reader.schema.metadata[KEY])
    return told


@contextlib.contextmanager
def _reading(place: Place, name: str) -> Iterator[ipc.RecordBatchFileReader]:
    try:
        with place.open(name) as source, ipc.open_file(source, options=READING) as reader:
            yield reader
    except FileNotFoundError:
        raise BrokenFileError("it is missing") from None
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise BrokenFileError(f"it cannot be read: {str(error).splitlines()[0]}") from error


# The manifest, as readers see it


MANIFEST = "manifest.json"


def read_manifest(folder: Place) -> list[Chunk]:
    """Return the chunks that count; none when there is no manifest yet.

    Raises:
        DojoError: It is broken, or of another format.
    """
    try:
        content = json.loads(folder.read(MANIFEST))
        if content["format"] != FORMAT:
            raise DojoError(
                f"{folder} was stored by another dojo-sweep (format {content['format']}, not"
                f" {FORMAT}); run the sweep again: its plays are played again",
                STORAGE_TROUBLE,
            )
        return [Chunk.from_json(entry) for entry in content["chunks"]]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise DojoError(
            f"{folder.path(MANIFEST)} is broken; run the sweep again: it is made anew from the"
            " files, and nothing is lost",
            STORAGE_TROUBLE,
        ) from error


def write_manifest(folder: Place, chunks: Iterable[Chunk]) -> None:
    """Let these chunks count and no others. Only the holder of the folder's lock may do that."""
    entries = [chunk.to_json() for chunk in sorted(chunks, key=lambda chunk: chunk.name)]
    text = json.dumps({"format": FORMAT, "chunks": entries})
    folder.publish_text(MANIFEST, text)


def read_plan(folder: Place) -> Plan:
    """Return the current plan of a sweep's folder.

    Raises:
        DojoError: There is none, or it cannot be read.
    """
    try:
        named = json.loads(folder.read("plan.json"))["plan"]
        return Plan.from_json(folder.read(plan_name(named)).decode())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DojoError(
            f"{folder} holds no readable plan; run the sweep again (finished plays are kept)",
            STORAGE_TROUBLE,
        ) from error


def plan_name(plan: str) -> str:
    """Return the name of a plan's file in the sweep's folder, by its hash."""
    return f"plans/{plan}.json"


def counted(chunks: Sequence[Chunk], plan: Plan) -> list[Chunk]:
    """Return the chunks with plays of the plan's points, kept in the plan's way."""
    points = {point.id for point in plan.points}
    return [c for c in chunks if c.record == plan.record and not points.isdisjoint(c.ranges)]


def files(chunk: Chunk) -> list[str]:
    """Return the names of a chunk's files in the sweep's folder."""
    return [file_name(chunk.name, table) for table in chunk.files]


def covered(chunks: Sequence[Chunk]) -> dict[str, Ranges]:
    """Return the ranges of plays that `chunks` hold, by point."""
    found: dict[str, list[tuple[int, int]]] = {}
    for chunk in chunks:
        for point, ranges in chunk.ranges.items():
            found.setdefault(point, []).extend(ranges)
    return {point: joined(ranges) for point, ranges in found.items()}


# The writer's side


class Store:
    """A sweep's folder in the hands of the one process that may change it.

    Attributes:
        folder: The folder.
        token: What the folder's lock says while it is held: who reads it sees the same folder.
        chunks: What counts, by name.
        notes: A sentence for every file that was set aside.
        failures: A row for every block of this run that raised.
    """

    def __init__(self, folder: Place, game: Game, plan: Plan) -> None:
        self.folder = folder
        self.game = game
        self.plan = plan
        self.chunks: dict[str, Chunk] = {}
        self.notes: list[str] = []
        self.failures: list[dict[str, Any]] = []
        self.token = ""
        self._confirm: Callable[[], None] = lambda: None
        self._points = frozenset(point.id for point in plan.points)
        self._waiting: list[Chunk] = []  # small chunks of the plan's points only
        self._leaving: dict[str, float] = {}  # merged chunks, and since when, the oldest first
        self._save_after = 0.0
        self._dirty = False

    @contextlib.contextmanager
    def open(self) -> Iterator[Store]:
        """Hold the sweep's folder, recover what is there, and leave a complete manifest behind.

        Raises:
            DojoError: The folder cannot be written, or another process runs this sweep.
        """
        self.folder.prepare(("plans", *table_names(self.plan.record)))
        with self.folder.lock() as lock:
            self.token, self._confirm = lock.token, lock.confirm
            self._recover()
            try:
                yield self
            finally:
                self.save()

    def write_plan(self) -> None:
        """Make the plan the current one."""
        text = self.plan.to_json()
        named = json.dumps({"plan": self.plan.hash, "created": time.time()})
        self.folder.publish_text(plan_name(self.plan.hash), text)
        self.folder.publish_text("plan.json", named)

    def counted(self) -> list[Chunk]:
        """Return the chunks that hold plays of the plan."""
        return counted(list(self.chunks.values()), self.plan)

    def covered(self) -> dict[str, Ranges]:
        """Return the ranges of plays that are stored, by point."""
        return covered(self.counted())

    def note_failure(self, row: dict[str, Any]) -> None:
        """Keep the row of a block that raised; readers see it with the next manifest."""
        self.failures.append(row)
        self._dirty = True
        if time.monotonic() > self._save_after:
            self.save()

    def add(self, chunk: Chunk) -> None:
        """Let a published chunk count; readers see it with the next manifest."""
        self._list(chunk)
        if time.monotonic() > self._save_after:
            self.save()

    def save(self) -> None:
        """Publish the manifest if anything changed, and remove merged files nobody reads now."""
        started = time.monotonic()
        if self._dirty:
            self._confirm()
            rows = "".join(json.dumps(row) + "\n" for row in self.failures)
            self.folder.publish_text(FAILURES, rows)
            write_manifest(self.folder, self.chunks.values())
            self._dirty = False
        now = time.monotonic()
        self._save_after = now + max(SAVE_EVERY, 20 * (now - started))
        self._remove_leaving(now - GRACE)

    def group_to_merge(self, coming: int | None = None) -> Group | None:
        """Return small chunks once there are enough for a merge; they wait no longer.

        Whoever takes them merges them, and hands what came of it to `replace`.

        Args:
            coming: Plays that are under way when nothing else follows. If they cannot fill a file
                any more, what waits is merged beside them as soon as it is worth a file.
        """
        enough = WORTH_ROWS if self._ends_with(coming) else TARGET_ROWS
        waiting = [chunk for chunk in self._waiting if chunk.most_rows < enough]
        if len(waiting) < MAX_SMALL and _rows(waiting) < enough:
            return None
        group = next(_groups(_ripe(waiting)), None)
        if group is None:
            return None
        taken = {chunk.name for chunk in group.chunks}
        self._waiting = [chunk for chunk in self._waiting if chunk.name not in taken]
        return group

    def replace(self, merged: Merged) -> None:
        """Let a merged chunk count instead of those that it holds; set broken ones aside.

        The merged files are published already; the manifest that names them follows, and the small
        ones go last.
        """
        for name, file, problem in merged.broken:
            self._unlist(name)
            self._set_aside(name, file, problem)
        if merged.chunk:
            for name in merged.names:
                self._unlist(name)
                self._leaving[name] = time.monotonic()
            self._list(merged.chunk)
        if time.monotonic() > self._save_after:
            self.save()

    def merge(self, finish: bool = False) -> None:
        """Put the small chunks that are left together, across points.

        Args:
            finish: Also remove the small files at once, as nothing more will be written.
        """
        while group := self.group_to_merge():
            self.merge_here(group)
        for group in _groups(chunk for chunk in self._waiting if chunk.most_rows < WORTH_ROWS):
            if len(group.chunks) > 1:
                self.merge_here(group)
        self.save()
        if finish:
            self._remove_leaving(time.monotonic())

    def merge_here(self, group: Group) -> None:
        """Merge chunks in this process."""
        self.replace(merge_chunks(self.folder, self.game, self.plan.record, group))

    def _ends_with(self, coming: int | None) -> bool:
        """Tell whether what waits cannot fill a file, even with so many plays more."""
        if coming is None:
            return False
        plays = sum(chunk.plays for chunk in self._waiting)
        return _rows(self._waiting) * (plays + coming) < TARGET_ROWS * plays

    def _list(self, chunk: Chunk) -> None:
        self._leaving.pop(chunk.name, None)
        self.chunks[chunk.name] = chunk
        self._dirty = True
        if self._mergeable(chunk):
            self._waiting.append(chunk)

    def _unlist(self, name: str) -> None:
        del self.chunks[name]
        self._dirty = True
        self._waiting = [waiting for waiting in self._waiting if waiting.name != name]

    def _mergeable(self, chunk: Chunk) -> bool:
        """Tell whether a chunk is small and of the plan's points only: then its schema is ours."""
        ours = chunk.record == self.plan.record and self._points.issuperset(chunk.ranges)
        return ours and chunk.most_rows < TARGET_ROWS // 2

    def _remove_leaving(self, before: float) -> None:
        for name in list(itertools.takewhile(lambda n: self._leaving[n] <= before, self._leaving)):
            del self._leaving[name]
            self._remove(name)

    def _remove(self, name: str) -> None:
        for table in table_names(self.plan.record):
            self.folder.remove(file_name(name, table))

    # Recovery

    def _recover(self) -> None:
        """Make the manifest agree with the files, whatever happened."""
        self.folder.remove_temporaries()
        try:
            listed = read_manifest(self.folder)
        except DojoError as error:
            self.notes.append(str(error))
            listed = []
        ours = {chunk.name for chunk in counted(listed, self.plan)}
        stamps = self.folder.stamps([file for c in listed if c.name in ours for file in files(c)])
        for chunk in listed:
            if chunk.name not in ours:
                self.chunks[chunk.name] = chunk
            elif checked := self._checked(chunk, stamps):
                self._list(checked)
        self._adopt()
        self._dirty = True
        self.save()

    def _checked(self, chunk: Chunk, stamps: Mapping[str, Stamp]) -> Chunk | None:
        """Return a listed chunk if all its files are whole; else set it aside.

        A file whose size and time are those of the manifest was whole when they were noted.
        """
        for table in table_names(chunk.record):
            file = file_name(chunk.name, table)
            try:
                if file not in stamps or stamps[file] != chunk.files.get(table):
                    read_checked(self.folder, file, schema(self.game, table))
                    if read_metadata(self.folder, file)["ranges"] != chunk.ranges:
                        raise BrokenFileError("it holds other plays than the manifest says")
            except BrokenFileError as problem:
                self._set_aside(chunk.name, file, problem)
                return None
        known = {table: stamps[file_name(chunk.name, table)] for table in chunk.files}
        return replace(chunk, files=known)

    def _adopt(self) -> None:
        """Take in complete chunks that no manifest names; remove what they or it repeat.

        They are blocks that finished after the last manifest was written, or one side of a merge
        that was cut short: then the other side is listed, and holds the same plays.
        """
        tables = table_names(self.plan.record)
        listed = {file for table in tables for file in self.folder.files(table)}
        names = {file.removesuffix(".arrow") for file in listed if file.endswith(".arrow")}
        strangers = sorted(name for name in names - set(self.chunks) if self._is_ours(name))
        found = [chunk for name in strangers if (chunk := self._inspect(name))]
        held = self.covered()
        for chunk in sorted(found, key=lambda c: (-c.plays, c.name)):
            if _overlap(held, chunk.ranges):
                self._remove(chunk.name)
                continue
            self._list(chunk)
            for point, ranges in chunk.ranges.items():
                held[point] = joined([*held.get(point, []), *ranges])

    def _is_ours(self, name: str) -> bool:
        return name.startswith(f"{self.plan.record}-")

    def _inspect(self, name: str) -> Chunk | None:
        """Return the chunk of files that no manifest names, if it holds plays of the plan.

        Files without their companions were never published as a whole, and are removed.
        """
        rows = {}
        ranges: dict[str, Ranges] = {}
        tables = table_names(self.plan.record)
        stamps = self.folder.stamps([file_name(name, table) for table in tables])
        if len(stamps) < len(tables):
            self._remove(name)
            return None
        for table in tables:
            file = file_name(name, table)
            try:
                metadata = read_metadata(self.folder, file)
                ranges = metadata["ranges"]
                if self._points.isdisjoint(ranges):
                    return None
                rows[table] = read_checked(self.folder, file, schema(self.game, table)).num_rows
            except BrokenFileError as problem:
                self._set_aside(name, file, problem)
                return None
        known = {table: stamps[file_name(name, table)] for table in tables}
        return Chunk(name, self.plan.record, ranges, rows, known)

    def _set_aside(self, name: str, file: str, problem: BrokenFileError | str) -> None:
        """Move a chunk's files out of the way, and note it."""
        names = [file_name(name, table) for table in table_names(self.plan.record)]
        for there in self.folder.stamps(names):
            self.folder.move(there, f"{SET_ASIDE}/{there}")
        self.notes.append(
            f"{self.folder.path(file)} is broken ({problem}); it was set aside in"
            f" {self.folder.path(SET_ASIDE)} and its plays are played again"
        )


def _overlap(held: Mapping[str, Ranges], ranges: Mapping[str, Ranges]) -> bool:
    return any(
        overlaps(held.get(point, []), first, end)
        for point, pairs in ranges.items()
        for first, end in pairs
    )


def _rows(chunks: Iterable[Chunk]) -> int:
    return sum(chunk.most_rows for chunk in chunks)


def _ripe(waiting: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks to merge by now: all but those that outweigh all smaller ones together.

    So every merge at least doubles the size of the chunk that a row stands in, and no row is
    written more than about twenty times, whatever the size of the blocks.
    """
    chunks = sorted(waiting, key=lambda chunk: chunk.most_rows)
    sums = list(itertools.accumulate((chunk.most_rows for chunk in chunks), initial=0))
    while chunks and chunks[-1].most_rows > sums[len(chunks) - 1]:
        chunks.pop()
    return chunks


def _groups(chunks: Iterable[Chunk]) -> Iterator[Group]:
    """Yield what to merge into a chunk each: in the order of their plays, some million rows."""
    group: list[Chunk] = []
    rows = 0
    for chunk in sorted(chunks, key=_first_play):
        group.append(chunk)
        rows += chunk.most_rows
        if rows >= TARGET_ROWS:
            yield Group(tuple(group))
            group, rows = [], 0
    if group:
        yield Group(tuple(group))


def _first_play(chunk: Chunk) -> tuple[str, int]:
    point = min(chunk.ranges)
    return point, chunk.ranges[point][0][0]
