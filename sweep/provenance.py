"""Where results come from: the commit of the sources that play."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

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
