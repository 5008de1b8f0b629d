"""Where results lie: a folder on this machine, or one behind an address such as ``s3://``.

Both appear as a `Place`. Names in it are relative, with ``/`` between their parts. A file is
published: it appears complete or not at all. A place can be locked: at most one process at a time
holds the lock.
"""

from __future__ import annotations

import abc
import contextlib
import errno
import fcntl
import functools
import io
import json
import os
import platform
import re
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, TypeVar

import pyarrow as pa
from pyarrow import fs

from dojo_core.errors import DojoError

if TYPE_CHECKING:
    import pyarrow.dataset as ds

STORAGE_TROUBLE = 3  # the exit code
SCHEMES = ("s3", "gs", "gcs", "abfs", "abfss")
LOCK = ".lock"
BEAT_SECONDS = 5.0  # between two signs of life of a lock's holder, behind an address
SILENCE_SECONDS = 30.0  # without one the holder is taken for dead
LIKELY_ALIVE_SECONDS = 120.0  # how old the last sign may be for a reader to say "running"

ASKED_AT_A_TIME = 8

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Stamp = tuple[int, int]  # size in bytes, time of change in ns: only compared, never computed with
Content = bytes | memoryview


def at(results: str | Path | Place) -> Place:
    """Return the place that a path or an address names.

    Raises:
        DojoError: The address is of a kind that is not supported.
    """
    if isinstance(results, Place):
        return results
    text = str(results)
    if "://" not in text:
        return Folder(Path(text))
    scheme = text.split("://")[0]
    if scheme not in SCHEMES:
        raise DojoError(
            f"results = {text!r}: expected a folder, or an address that begins with"
            " s3://, gs:// or abfs://"
        )
    if not re.fullmatch(r"\w+://[^/?#]+(/[^?#]*)?", text):
        raise DojoError(
            f"results = {text!r}: expected {scheme}://BUCKET/FOLDER; an endpoint and credentials"
            " come from the environment (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, ...)"
        )
    return Bucket(text.rstrip("/"))


def side_by_side(ask: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
    """Return ``ask(item)`` of each, several at a time: behind an address each is a round trip."""
    with ThreadPoolExecutor(ASKED_AT_A_TIME) as pool:
        return list(pool.map(ask, items))


class Place(abc.ABC):
    """A folder of files that are published whole."""

    appends: ClassVar[bool]
    """Whether a file can grow line by line."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The last part of the path."""

    @property
    @abc.abstractmethod
    def parent(self) -> Place:
        """The place above."""

    @abc.abstractmethod
    def __truediv__(self, name: str) -> Place:
        """Return the place below with that name."""

    @abc.abstractmethod
    def absolute(self) -> Place:
        """Return the place by a name that holds in other processes too."""

    @abc.abstractmethod
    def prepare(self, folders: Iterable[str]) -> None:
        """Make the place and some folders in it, where that means anything."""

    @abc.abstractmethod
    def check_writable(self) -> None:
        """Refuse a place that plainly cannot be written, before anything is compiled."""

    @abc.abstractmethod
    def free_bytes(self) -> int | None:
        """Return the room that is left; None when nobody can tell."""

    @abc.abstractmethod
    def open(self, name: str) -> pa.NativeFile:
        """Open a file to read parts of it.

        Raises:
            OSError: There is no such file.
            DojoError: The place cannot be reached.
        """

    @abc.abstractmethod
    def publish(self, name: str, content: Content) -> None:
        """Write a file so that it appears complete or not at all.

        Raises:
            DojoError: The place cannot be written, or is full.
        """

    @abc.abstractmethod
    def append(self, name: str, text: str) -> None:
        """Add text to the end of a file; only where `appends`."""

    @abc.abstractmethod
    def stamps(self, names: Sequence[str]) -> dict[str, Stamp]:
        """Return the stamps of those files that are there: equal while a file stays the same."""

    @abc.abstractmethod
    def files(self, folder: str = "") -> list[str]:
        """Return the names of the files in a folder, those with a leading dot left out."""

    @abc.abstractmethod
    def folders(self) -> list[str]:
        """Return the names of the folders here."""

    @abc.abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    @abc.abstractmethod
    def move(self, source: str, target: str) -> None:
        """Give a file another name."""

    @abc.abstractmethod
    def remove_temporaries(self) -> None:
        """Remove what writers that were ended left half-written. Call it with the lock held."""

    @abc.abstractmethod
    def dataset(self, names: Sequence[str], schema: pa.Schema) -> ds.Dataset:
        """Return Arrow files as one data set."""

    @abc.abstractmethod
    def lock(self) -> contextlib.AbstractContextManager[Lock]:
        """Hold the place's lock.

        Raises:
            DojoError: Another process holds it, or the place cannot be written.
        """

    @abc.abstractmethod
    def is_locked(self) -> bool:
        """Tell whether some process seems to hold the lock right now."""

    def publish_text(self, name: str, text: str) -> None:
        """Publish a file of text, in UTF-8."""
        self.publish(name, text.encode())

    def read(self, name: str) -> bytes:
        """Return a file's content. Raises an OSError when it cannot be read."""
        with self.open(name) as file:
            return file.read()

    def exists(self, name: str) -> bool:
        """Tell whether there is such a file."""
        return bool(self.stamps([name]))

    def path(self, name: str) -> str:
        """Return the file's full name, as a user would write it."""
        return f"{self}/{name}"


class Lock(abc.ABC):
    """A lock that is held.

    Attributes:
        token: What the lock file says of this holder and of no other: who reads it there sees
            the same place.
    """

    token: str

    @abc.abstractmethod
    def confirm(self) -> None:
        """Raise a DojoError when another process has taken the lock meanwhile."""


def storage_error(place: Place | Path | str, error: OSError) -> DojoError:
    """Return the sentence for a place that cannot be used."""
    reason = (error.strerror or str(error)).split("\n")[0][:300]
    advice = "free some room or choose another folder with --results"
    if isinstance(place, Bucket):
        advice = "check the address, the credentials and the endpoint in the environment"
    return DojoError(f"{place} cannot be written ({reason}); {advice}", STORAGE_TROUBLE)


def _held(place: Place, holder: str) -> DojoError:
    return DojoError(
        f"the sweep {place.name} in {place} is being run by another process{holder}; wait for it,"
        " or give this one another name",
        STORAGE_TROUBLE,
    )


def _owner() -> bytes:
    """Return what a lock file says: whose it is."""
    owner = {"token": uuid.uuid4().hex, "host": platform.node(), "process": os.getpid()}
    return json.dumps(owner).encode()


def _in_words(owner: bytes) -> str:
    try:
        content = json.loads(owner)
        return f" (process {content['process']} on {content['host']})"
    except (ValueError, KeyError, TypeError):
        return ""


# A folder on this machine


@dataclass(frozen=True)
class Folder(Place):
    """A folder in the file system; also one that several machines share."""

    here: Path
    appends: ClassVar[bool] = True

    def __str__(self) -> str:
        return str(self.here)

    def __truediv__(self, name: str) -> Folder:
        return Folder(self.here / name)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.here.name

    @property
    def parent(self) -> Folder:
        """The place above."""
        return Folder(self.here.parent)

    def absolute(self) -> Folder:
        """Return the folder by its absolute path."""
        return Folder(self.here.absolute())

    def prepare(self, folders: Iterable[str]) -> None:
        """Make the place and some folders in it."""
        try:
            for name in ("", *folders):
                (self.here / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(self, error) from error

    def check_writable(self) -> None:
        """Refuse a place that plainly cannot be written, before anything is compiled."""
        existing = self._existing()
        if not existing.is_dir():
            raise storage_error(self, NotADirectoryError(errno.ENOTDIR, "Not a directory"))
        if not os.access(existing, os.W_OK | os.X_OK):
            raise storage_error(self, PermissionError(errno.EACCES, "Permission denied"))

    def free_bytes(self) -> int | None:
        """Return the room that is left; None for a file system that does not tell."""
        return shutil.disk_usage(self._existing()).free or None

    def _existing(self) -> Path:
        """Return the folder, or the nearest of those above it that exists."""
        existing = self.here.absolute()
        while not existing.exists():
            existing = existing.parent
        return existing

    def open(self, name: str) -> pa.NativeFile:
        """Open a file to read parts of it."""
        return pa.memory_map(str(self.here / name))

    def read(self, name: str) -> bytes:
        """Return a file's content."""
        return (self.here / name).read_bytes()

    def publish(self, name: str, content: Content) -> None:
        """Write a file so that it appears complete or not at all."""
        path = self.here / name
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError as error:
            raise storage_error(path.parent, error) from error
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    def append(self, name: str, text: str) -> None:
        """Add text to the end of a file."""
        try:
            with (self.here / name).open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise storage_error(self, error) from error

    def stamps(self, names: Sequence[str]) -> dict[str, Stamp]:
        """Return the stamps of those files that are there."""
        found = {}
        for name in names:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                status = os.stat(self.here / name)
                found[name] = (status.st_size, status.st_mtime_ns)
        return found

    def files(self, folder: str = "") -> list[str]:
        """Return the names of the files in a folder, those with a leading dot left out."""
        return sorted(self._entries(folder, lambda entry: entry.is_file()))

    def folders(self) -> list[str]:
        """Return the names of the folders here."""
        return sorted(self._entries("", lambda entry: entry.is_dir()))

    def _entries(self, folder: str, wanted: Callable[[os.DirEntry[str]], bool]) -> list[str]:
        try:
            with os.scandir(self.here / folder) as entries:
                return [e.name for e in entries if e.name[0] != "." and wanted(e)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        try:
            (self.here / name).unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(self, error) from error

    def move(self, source: str, target: str) -> None:
        """Give a file another name."""
        try:
            (self.here / target).parent.mkdir(parents=True, exist_ok=True)
            (self.here / source).replace(self.here / target)
        except OSError as error:
            raise storage_error(self, error) from error

    def remove_temporaries(self) -> None:
        """Remove what writers that were ended left half-written."""
        for leftover in (*self.here.glob(".*.tmp"), *self.here.glob("*/.*.tmp")):
            leftover.unlink(missing_ok=True)

    def dataset(self, names: Sequence[str], schema: pa.Schema) -> ds.Dataset:
        """Return Arrow files as one data set."""
        import pyarrow.dataset as ds  # slow: it brings pandas

        return ds.dataset([str(self.here / name) for name in names], schema=schema, format="ipc")

    @contextlib.contextmanager
    def lock(self) -> Iterator[Lock]:
        """Hold the place's lock; the system lets go of it however the process ends."""
        try:
            file = (self.here / LOCK).open("a+b")
        except OSError as error:
            raise storage_error(self, error) from error
        with file:
            self._take(file)
            owner = _owner()
            try:
                file.truncate(0)
                file.write(owner)
                file.flush()
            except OSError as error:
                raise storage_error(self, error) from error
            yield _FolderLock(json.loads(owner)["token"])

    def _take(self, file: IO[bytes]) -> None:
        for _ in range(20):  # a reader that looks whether the sweep runs holds it for an instant
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.05)
            except OSError as error:
                raise storage_error(self, error) from error
        file.seek(0)
        raise _held(self, _in_words(file.read()))

    def is_locked(self) -> bool:
        """Tell whether some process holds the lock right now."""
        try:
            with (self.here / LOCK).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False


@dataclass(frozen=True)
class _FolderLock(Lock):
    token: str

    def confirm(self) -> None:
        """Nobody can take it: the system keeps it."""


# A folder behind an address


@functools.cache
def _file_system(bucket: str) -> fs.FileSystem:
    """Return Arrow's door to ``s3://bucket`` and its like; one a process."""
    system, _ = fs.FileSystem.from_uri(bucket)
    return system


@functools.cache
def _object_store(address: str) -> Any:
    """Return the door for conditional puts, which Arrow's has not."""
    from obstore import store

    return store.from_url(address, client_options={"allow_http": True})


@dataclass(frozen=True)
class Bucket(Place):
    """A folder of an object store, such as ``s3://bucket/results``.

    A file is serialised in memory and put once. Credentials and endpoint come from the environment.
    """

    address: str
    appends: ClassVar[bool] = False

    def __str__(self) -> str:
        return self.address

    def __truediv__(self, name: str) -> Bucket:
        return Bucket(f"{self.address}/{name}")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.address.rpartition("/")[2]

    @property
    def parent(self) -> Bucket:
        """The place above."""
        return Bucket(self.address.rpartition("/")[0])

    @property
    def _system(self) -> fs.FileSystem:
        scheme, _, path = self.address.partition("://")
        return _file_system(f"{scheme}://{path.partition('/')[0]}")

    def _path(self, name: str) -> str:
        path = self.address.partition("://")[2]
        path = path.partition("@")[0] + path[len(path.partition("/")[0]) :] if "@" in path else path
        return f"{path}/{name}".rstrip("/")

    def absolute(self) -> Bucket:
        """Return the place itself: an address holds everywhere."""
        return self

    def prepare(self, folders: Iterable[str]) -> None:
        """Do nothing: an object store has no folders of its own."""

    def check_writable(self) -> None:
        """Refuse a bucket that cannot be reached."""
        self.files()  # an endpoint that does not answer is told here
        bucket = self._path("").partition("/")[0]
        if self._system.get_file_info(bucket).type == fs.FileType.NotFound:
            problem = FileNotFoundError(errno.ENOENT, f"there is no bucket {bucket!r}")
            raise storage_error(self, problem)

    def free_bytes(self) -> int | None:
        """Return None: an object store does not fill up."""
        return None

    def open(self, name: str) -> pa.NativeFile:
        """Open a file, fetched whole: what fails later is its content and not the network."""
        with self._reading(), self._system.open_input_file(self._path(name)) as file:
            return pa.BufferReader(file.read_buffer())

    def publish(self, name: str, content: Content) -> None:
        """Write a file so that it appears complete or not at all."""
        try:
            with self._system.open_output_stream(self._path(name)) as stream:
                stream.write(content)
        except OSError as error:
            raise storage_error(self, error) from error

    def append(self, name: str, text: str) -> None:
        """Raise: an object is put whole."""
        raise io.UnsupportedOperation(f"{self.path(name)} cannot grow")

    def stamps(self, names: Sequence[str]) -> dict[str, Stamp]:
        """Return the stamps of those files that are there."""
        with self._reading():
            infos = self._system.get_file_info([self._path(name) for name in names])
        return {
            name: (info.size, info.mtime_ns or 0)
            for name, info in zip(names, infos, strict=True)
            if info.type == fs.FileType.File
        }

    def files(self, folder: str = "") -> list[str]:
        """Return the names of the files in a folder, those with a leading dot left out."""
        return self._entries(folder, fs.FileType.File)

    def folders(self) -> list[str]:
        """Return the names of the folders here."""
        return self._entries("", fs.FileType.Directory)

    def _entries(self, folder: str, kind: fs.FileType) -> list[str]:
        selector = fs.FileSelector(self._path(folder), allow_not_found=True)
        with self._reading():
            infos = self._system.get_file_info(selector)
        return sorted(i.base_name for i in infos if i.type == kind and i.base_name[:1] != ".")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn what goes wrong on the way into a sentence; a missing file stays what it is."""
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            reason = str(error).split("\n")[0][:300]
            raise DojoError(
                f"{self} cannot be read ({reason}); check the address, the credentials and the"
                " endpoint in the environment",
                STORAGE_TROUBLE,
            ) from error

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        if self.exists(name):
            try:
                self._system.delete_file(self._path(name))
            except OSError as error:
                raise storage_error(self, error) from error

    def move(self, source: str, target: str) -> None:
        """Give a file another name."""
        try:
            self._system.move(self._path(source), self._path(target))
        except OSError as error:
            raise storage_error(self, error) from error

    def remove_temporaries(self) -> None:
        """Do nothing: an object that was not put whole is not there."""

    def dataset(self, names: Sequence[str], schema: pa.Schema) -> ds.Dataset:
        """Return Arrow files as one data set."""
        import pyarrow.dataset as ds

        paths = [self._path(name) for name in names]
        return ds.dataset(paths, schema=schema, format="ipc", filesystem=self._system)

    @contextlib.contextmanager
    def lock(self) -> Iterator[Lock]:
        """Hold the place's lock: an object that its holder puts anew every few seconds.

        A holder that was ended leaves it behind; once it has not changed for `SILENCE_SECONDS`, by
        this process's own clock, it is taken over.
        """
        lock = _BucketLock(self)
        lock.take()
        try:
            yield lock
        finally:
            lock.release()

    def is_locked(self) -> bool:
        """Tell whether the lock's holder has given a sign of life lately."""
        stamp = self.stamps([LOCK]).get(LOCK)
        return stamp is not None and time.time() - stamp[1] / 1e9 < LIKELY_ALIVE_SECONDS


class _BucketLock(Lock):
    """The lock of a `Bucket`. Every change of it is a conditional put, so that one process wins."""

    def __init__(self, place: Bucket) -> None:
        self._place = place
        self._store = _object_store(str(place))
        owner = _owner()
        self.token = json.loads(owner)["token"]
        self._owner = json.loads(owner)
        self._beats = 0
        self._tag: dict[str, Any] = {}
        self._lost = False
        self._guard = threading.Lock()
        self._ended = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)

    def take(self) -> None:
        """Put the lock if there is none, or if its holder is silent for too long."""
        import obstore

        try:
            try:
                self._put("create")
            except obstore.exceptions.AlreadyExistsError:
                self._put(self._tag_of_the_silent())
        except (obstore.exceptions.PreconditionError, obstore.exceptions.NotFoundError):
            raise _held(self._place, "") from None
        except obstore.exceptions.BaseError as error:
            raise storage_error(self._place, OSError(str(error))) from error
        self._heart.start()

    def confirm(self) -> None:
        """Raise a DojoError when another process has taken the lock meanwhile."""
        self._renew()
        if self._lost:
            raise DojoError(
                f"the lock of {self._place} was taken by another process, because this one gave no"
                " sign of life for a while; what was published is kept, run again to go on",
                STORAGE_TROUBLE,
            )

    def release(self) -> None:
        """Stop giving signs of life, and remove the lock if it is still this process's."""
        self._ended.set()
        self._heart.join()
        with contextlib.suppress(DojoError):
            self.confirm()
            self._place.remove(LOCK)

    def _tag_of_the_silent(self) -> dict[str, Any]:
        """Wait for a sign of life of the holder; return the lock's tag when there is none.

        Raises:
            DojoError: The holder is alive.
        """
        import obstore

        first = obstore.head(self._store, LOCK)["e_tag"]
        until = time.monotonic() + SILENCE_SECONDS
        while time.monotonic() < until:
            time.sleep(min(1.0, SILENCE_SECONDS / 10))
            if obstore.head(self._store, LOCK)["e_tag"] != first:
                raise _held(self._place, _in_words(self._place.read(LOCK)))
        return {"e_tag": first}

    def _put(self, mode: Any) -> None:
        import obstore

        self._beats += 1
        content = json.dumps({**self._owner, "beat": self._beats}).encode()
        result = obstore.put(self._store, LOCK, content, mode=mode)
        self._tag = {"e_tag": result["e_tag"]}

    def _renew(self) -> None:
        import obstore

        with self._guard:
            if not self._lost:
                try:
                    self._put(self._tag)
                except (obstore.exceptions.PreconditionError, obstore.exceptions.NotFoundError):
                    self._lost = not self._is_ours()
                except obstore.exceptions.BaseError as error:
                    raise storage_error(self._place, OSError(str(error))) from error

    def _is_ours(self) -> bool:
        """Tell whether the lock is this process's after all: a put was repeated on its way."""
        import obstore

        try:
            ours: bool = json.loads(self._place.read(LOCK))["token"] == self.token
            self._tag = {"e_tag": obstore.head(self._store, LOCK)["e_tag"]}
        except (OSError, ValueError, KeyError, obstore.exceptions.BaseError):
            return False
        return ours

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            with contextlib.suppress(DojoError):  # the next publication will tell
                self._renew()
