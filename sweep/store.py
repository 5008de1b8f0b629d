"""The folder of one sweep: Arrow files, and a manifest that says which of them count.

A chunk is what is published together: one file a table, all under one name, holding the rows of
some ranges of plays. A block becomes a small chunk; small chunks are merged into large ones. Every
file is written under a name that begins with a dot, flushed and renamed; the manifest is replaced
in one step, and readers follow it alone. So whatever is interrupted, a reader sees either the
state before or the state after, and nothing half-written.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BufferedWriter
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep.blocks import Tables, column_bytes, merge_tables
from sweep.plan import Block, Plan, Ranges, joined, overlaps
from sweep.schemas import schema, table_names

FORMAT = 1
FAILURES = "failures.jsonl"  # the blocks of the last run that raised
KEY = b"dojo"  # in the schema's metadata of every file
TARGET_ROWS = 1 << 20  # of the largest table of a merged chunk
MAX_SMALL = 256  # small chunks that may wait for a merge
BATCH_ROWS = 1 << 17
SAVE_EVERY = 1.0  # seconds between two manifests while blocks come in
GRACE = 15.0  # seconds that merged small files stay for readers of the manifest before

STORAGE_TROUBLE = 3  # the exit code


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
    files: dict[str, tuple[int, int]]

    @property
    def plays(self) -> int:
        """How many plays there are in it."""
        return sum(end - first for ranges in self.ranges.values() for first, end in ranges)

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


# Files


def storage_error(path: Path, error: OSError) -> DojoError:
    """Return the sentence for a folder that cannot be used."""
    reason = error.strerror or str(error)
    return DojoError(
        f"{path} cannot be written ({reason}); free some room or choose another folder with"
        " --results",
        STORAGE_TROUBLE,
    )


def existing(folder: Path) -> Path:
    """Return `folder`, or the nearest of the folders above it that exists."""
    here = folder.absolute()
    while not here.exists():
        here = here.parent
    return here


def check_writable(folder: Path) -> None:
    """Refuse a folder that plainly cannot be made or written, before anything is compiled."""
    here = existing(folder)
    if not here.is_dir():
        raise storage_error(folder, NotADirectoryError(errno.ENOTDIR, "Not a directory"))
    if not os.access(here, os.W_OK | os.X_OK):
        raise storage_error(folder, PermissionError(errno.EACCES, "Permission denied"))


def publish(path: Path, write: Callable[[BufferedWriter], None]) -> None:
    """Write a file so that it appears complete or not at all.

    Raises:
        DojoError: The folder cannot be written, or is full.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        with temporary.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise storage_error(path.parent, error) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_arrow(path: Path, table: pa.Table, metadata: Mapping[str, Any] | None = None) -> None:
    """Publish an Arrow IPC file, compressed with zstd, `metadata` as JSON in its schema."""
    if metadata is not None:
        kept = {**(table.schema.metadata or {}), KEY: json.dumps(metadata).encode()}
        table = table.replace_schema_metadata(kept)
    options = ipc.IpcWriteOptions(compression="zstd")

    def write(file: BufferedWriter) -> None:
        with ipc.new_file(file, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=BATCH_ROWS)

    publish(path, write)


def write_chunk(
    folder: Path, record: str, name: str, ranges: Mapping[str, Ranges], tables: Tables
) -> Chunk:
    """Publish the files of a chunk in the sweep's `folder` and return it."""
    rows, files = {}, {}
    for table, content in tables.items():
        path = folder / table / f"{name}.arrow"
        metadata = {
            "format": FORMAT,
            "table": table,
            "record": record,
            "rows": content.num_rows,
            "ranges": ranges,
            "checksum": checksum(content),
        }
        write_arrow(path, content, metadata)
        rows[table], files[table] = content.num_rows, _stamp(path)
    return Chunk(name, record, dict(ranges), rows, files)


def write_block(folder: Path, record: str, block: Block, tables: Tables) -> Chunk:
    """Publish a finished block."""
    name = f"{record}-{block.point}-{block.first}-{block.end}"
    return write_chunk(folder, record, name, {block.point: [(block.first, block.end)]}, tables)


def checksum(table: pa.Table) -> str:
    """Return a hash of the table's uncompressed content, whatever its chunks and compression."""
    digest = hashlib.blake2b(digest_size=16)
    for name in table.column_names:
        digest.update(name.encode())
        for part in column_bytes(table.column(name)):
            digest.update(part)
    return digest.hexdigest()


def read_metadata(path: Path) -> dict[str, Any]:
    """Return what a file says of itself: table, record, rows, ranges and checksum.

    Raises:
        BrokenFileError: It does not open, or was not written by this project.
    """
    with _reading(path) as reader:
        metadata: dict[str, Any] = json.loads(reader.schema.metadata[KEY])
        ranges = metadata["ranges"].items()
        return {**metadata, "ranges": {p: [(a, b) for a, b in pairs] for p, pairs in ranges}}


def read_checked(path: Path, expected: pa.Schema) -> pa.Table:
    """Return a file's rows, if it is exactly what was published.

    Args:
        path: The file.
        expected: The schema its table has in the code.

    Raises:
        BrokenFileError: It does not open, or its schema, rows, metadata or checksum are wrong.
    """
    metadata = read_metadata(path)
    with _reading(path) as reader:
        if not reader.schema.equals(expected, check_metadata=False):
            raise BrokenFileError("its columns are not those of its table")
        content = reader.read_all()
        content.validate(full=True)
        if content.num_rows != metadata["rows"]:
            raise BrokenFileError(f"it has {content.num_rows} rows, not {metadata['rows']}")
        if checksum(content) != metadata["checksum"]:
            raise BrokenFileError("its checksum does not match its content")
        return content.cast(expected)


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[ipc.RecordBatchFileReader]:
    try:
        with pa.memory_map(str(path)) as source, ipc.open_file(source) as reader:
            yield reader
    except FileNotFoundError:
        raise BrokenFileError("it is missing") from None
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise BrokenFileError(f"it cannot be read: {str(error).splitlines()[0]}") from error


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


# The manifest, as readers see it


def manifest_path(folder: Path) -> Path:
    """Return the path of a sweep folder's manifest."""
    return folder / "manifest.json"


def read_manifest(folder: Path) -> list[Chunk]:
    """Return the chunks that count; none when there is no manifest yet."""
    try:
        content = json.loads(manifest_path(folder).read_bytes())
        return [Chunk.from_json(entry) for entry in content["chunks"]]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise DojoError(
            f"{manifest_path(folder)} is broken; run the sweep again: it is made anew from the"
            " files, and nothing is lost",
            STORAGE_TROUBLE,
        ) from error


def read_plan(folder: Path) -> Plan:
    """Return the current plan of a sweep's folder.

    Raises:
        DojoError: There is none, or it cannot be read.
    """
    try:
        named = json.loads((folder / "plan.json").read_bytes())["plan"]
        return Plan.from_json((folder / "plans" / f"{named}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DojoError(
            f"{folder} holds no readable plan; run the sweep again (finished plays are kept)",
            STORAGE_TROUBLE,
        ) from error


def counted(chunks: Sequence[Chunk], plan: Plan) -> list[Chunk]:
    """Return the chunks with plays of the plan's points, kept in the plan's way."""
    points = {point.id for point in plan.points}
    return [c for c in chunks if c.record == plan.record and not points.isdisjoint(c.ranges)]


def covered(chunks: Sequence[Chunk]) -> dict[str, Ranges]:
    """Return the ranges of plays that `chunks` hold, by point."""
    found: dict[str, list[tuple[int, int]]] = {}
    for chunk in chunks:
        for point, ranges in chunk.ranges.items():
            found.setdefault(point, []).extend(ranges)
    return {point: joined(ranges) for point, ranges in found.items()}


def is_running(folder: Path) -> bool:
    """Tell whether some process holds the sweep's lock right now."""
    try:
        with (folder / ".lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


# The writer's side


class Store:
    """A sweep's folder in the hands of the one process that may change it.

    Attributes:
        chunks: What counts, by name.
        notes: A sentence for every file that was set aside.
    """

    def __init__(self, folder: Path, game: Game, plan: Plan) -> None:
        self.folder = folder
        self.game = game
        self.plan = plan
        self.chunks: dict[str, Chunk] = {}
        self.notes: list[str] = []
        self._points = frozenset(point.id for point in plan.points)
        self._waiting: list[Chunk] = []  # small chunks of the plan's points only
        self._leaving: list[tuple[float, Chunk]] = []
        self._save_after = 0.0
        self._dirty = False

    @contextlib.contextmanager
    def open(self) -> Iterator[Store]:
        """Hold the sweep's folder, recover what is there, and leave a complete manifest behind.

        Raises:
            DojoError: The folder cannot be written, or another process runs this sweep.
        """
        try:
            for name in ("plans", *table_names(self.plan.record)):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            lock = (self.folder / ".lock").open("wb")
        except OSError as error:
            raise storage_error(self.folder, error) from error
        with lock:
            self._lock(lock)
            self._recover()
            try:
                yield self
            finally:
                self.save()

    def _lock(self, file: BufferedWriter) -> None:
        for _ in range(20):  # a reader that looks whether the sweep runs holds it for an instant
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.05)
            except OSError as error:
                raise storage_error(self.folder, error) from error
        raise DojoError(
            f"the sweep {self.plan.name} in {self.folder} is being run by another process; wait"
            " for it, or give this one another name",
            STORAGE_TROUBLE,
        )

    def write_plan(self) -> None:
        """Make the plan the current one."""
        text = self.plan.to_json()
        named = json.dumps({"plan": self.plan.hash, "created": time.time()})
        path = self.folder / "plans" / f"{self.plan.hash}.json"
        publish(path, lambda file: _write_text(file, text))
        publish(self.folder / "plan.json", lambda file: _write_text(file, named))

    def counted(self) -> list[Chunk]:
        """Return the chunks that hold plays of the plan."""
        return counted(list(self.chunks.values()), self.plan)

    def covered(self) -> dict[str, Ranges]:
        """Return the ranges of plays that are stored, by point."""
        return covered(self.counted())

    def add(self, chunk: Chunk) -> None:
        """Let a published chunk count; readers see it with the next manifest."""
        self._list(chunk)
        waiting_rows = sum(max(c.rows.values()) for c in self._waiting)
        if len(self._waiting) >= MAX_SMALL or waiting_rows >= TARGET_ROWS:
            self.merge()
        elif time.monotonic() > self._save_after:
            self.save()

    def save(self) -> None:
        """Publish the manifest if anything changed, and remove merged files nobody reads now."""
        started = time.monotonic()
        if self._dirty:
            entries = [self.chunks[name].to_json() for name in sorted(self.chunks)]
            text = json.dumps({"format": FORMAT, "chunks": entries})
            publish(manifest_path(self.folder), lambda file: _write_text(file, text))
            self._dirty = False
        now = time.monotonic()
        self._save_after = now + max(SAVE_EVERY, 20 * (now - started))
        self._remove_leaving(now - GRACE)

    def merge(self, finish: bool = False) -> None:
        """Put small chunks together into chunks of about a million rows, across points.

        The merged files are published first, then the manifest that names them instead of the
        small ones, and the small ones go last.

        Args:
            finish: Also remove the small files at once, as nothing more will be written.
        """
        group: list[Chunk] = []
        rows = 0
        for chunk in sorted(self._waiting, key=_first_play):
            group.append(chunk)
            rows += max(chunk.rows.values())
            if rows >= TARGET_ROWS:
                self._merge(group)
                group, rows = [], 0
        self._merge(group)
        self.save()
        if finish:
            self._remove_leaving(time.monotonic())

    def _list(self, chunk: Chunk) -> None:
        self.chunks[chunk.name] = chunk
        self._dirty = True
        if self._mergeable(chunk):
            self._waiting.append(chunk)

    def _unlist(self, chunk: Chunk) -> None:
        del self.chunks[chunk.name]
        self._dirty = True
        self._waiting = [waiting for waiting in self._waiting if waiting.name != chunk.name]

    def _mergeable(self, chunk: Chunk) -> bool:
        """Tell whether a chunk is small and of the plan's points only: then its schema is ours."""
        ours = chunk.record == self.plan.record and self._points.issuperset(chunk.ranges)
        return ours and max(chunk.rows.values()) < TARGET_ROWS // 2

    def _merge(self, group: Sequence[Chunk]) -> None:
        whole = [(chunk, tables) for chunk in group if (tables := self._read(chunk))]
        if len(whole) < 2:
            return
        ranges = covered([chunk for chunk, _ in whole])
        merged_tables = {
            table: merge_tables(self.game, table, [tables[table] for _, tables in whole])
            for table in table_names(self.plan.record)
        }
        digest = hashlib.sha256(json.dumps(ranges).encode()).hexdigest()
        name = f"{self.plan.record}-merged-{digest[:16]}"
        merged = write_chunk(self.folder, self.plan.record, name, ranges, merged_tables)
        for chunk, _ in whole:
            self._unlist(chunk)
            self._leaving.append((time.monotonic(), chunk))
        self._list(merged)

    def _read(self, chunk: Chunk) -> Tables | None:
        """Return a chunk's tables with their checksums compared, or set it aside."""
        tables = {}
        for table in table_names(chunk.record):
            path = self._path(chunk.name, table)
            try:
                tables[table] = read_checked(path, schema(self.game, table))
            except BrokenFileError as problem:
                self._unlist(chunk)
                self._set_aside(chunk.name, path, problem)
                return None
        return tables

    def _path(self, name: str, table: str) -> Path:
        return self.folder / table / f"{name}.arrow"

    def _remove_leaving(self, before: float) -> None:
        while self._leaving and self._leaving[0][0] <= before:
            self._remove(self._leaving.pop(0)[1].name)

    def _remove(self, name: str) -> None:
        for table in table_names(self.plan.record):
            self._path(name, table).unlink(missing_ok=True)

    # Recovery

    def _recover(self) -> None:
        """Make the manifest agree with the files, whatever happened."""
        for leftover in (*self.folder.glob(".*.tmp"), *self.folder.glob("*/.*.tmp")):
            leftover.unlink(missing_ok=True)
        try:
            listed = read_manifest(self.folder)
        except DojoError as error:
            self.notes.append(str(error))
            listed = []
        ours = {chunk.name for chunk in counted(listed, self.plan)}
        for chunk in listed:
            if chunk.name not in ours:
                self.chunks[chunk.name] = chunk
            elif checked := self._checked(chunk):
                self._list(checked)
        self._adopt()
        self._dirty = True
        self.save()

    def _checked(self, chunk: Chunk) -> Chunk | None:
        """Return a listed chunk if all its files are whole; else set it aside.

        A file whose size and time are those of the manifest was whole when they were noted.
        """
        stamps = {}
        for table in table_names(chunk.record):
            path = self._path(chunk.name, table)
            try:
                if not path.exists() or _stamp(path) != chunk.files.get(table):
                    read_checked(path, schema(self.game, table))
                if read_metadata(path)["ranges"] != chunk.ranges:
                    raise BrokenFileError("it holds other plays than the manifest says")
                stamps[table] = _stamp(path)
            except BrokenFileError as problem:
                self._set_aside(chunk.name, path, problem)
                return None
        return replace(chunk, files=stamps)

    def _adopt(self) -> None:
        """Take in complete chunks that no manifest names; remove what they or it repeat.

        They are blocks that finished after the last manifest was written, or one side of a merge
        that was cut short: then the other side is listed, and holds the same plays.
        """
        tables = table_names(self.plan.record)
        names = {path.stem for table in tables for path in (self.folder / table).glob("*.arrow")}
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
        rows, files = {}, {}
        ranges: dict[str, Ranges] = {}
        tables = table_names(self.plan.record)
        if not all(self._path(name, table).exists() for table in tables):
            self._remove(name)
            return None
        for table in tables:
            path = self._path(name, table)
            try:
                metadata = read_metadata(path)
                ranges = metadata["ranges"]
                if self._points.isdisjoint(ranges):
                    return None
                rows[table] = read_checked(path, schema(self.game, table)).num_rows
            except BrokenFileError as problem:
                self._set_aside(name, path, problem)
                return None
            files[table] = _stamp(path)
        return Chunk(name, self.plan.record, ranges, rows, files)

    def _set_aside(self, name: str, path: Path, problem: BrokenFileError) -> None:
        """Move a chunk's files out of the way, and note it."""
        for table in table_names(self.plan.record):
            source = self._path(name, table)
            if source.exists():
                target = self.folder / "set_aside" / table / source.name
                target.parent.mkdir(parents=True, exist_ok=True)
                source.replace(target)
        self.notes.append(
            f"{path} is broken ({problem}); it was set aside in {self.folder / 'set_aside'} and"
            " its plays are played again"
        )


def _overlap(held: Mapping[str, Ranges], ranges: Mapping[str, Ranges]) -> bool:
    return any(
        overlaps(held.get(point, []), first, end)
        for point, pairs in ranges.items()
        for first, end in pairs
    )


def _write_text(file: BufferedWriter, text: str) -> None:
    file.write(text.encode())


def _first_play(chunk: Chunk) -> tuple[str, int]:
    point = min(chunk.ranges)
    return point, chunk.ranges[point][0][0]
