"""How a rule is compiled, and the name of the engine that results.

Numba's cache notices an edit in the module that holds a kernel, but not in a module whose kernels
it calls: an old rule would keep running. So the cache lives in a folder named by a hash of every
kernel source, set here before the first kernel is decorated; an edit anywhere starts a new folder.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

from dojo_core.linking import PartCompiler, ProgramCompiler

PACKAGE = Path(__file__).parent

# Files of `dojo_core` that tell, check or measure plays but cannot change one. A test holds them
# to it: none may contain a kernel that a play runs.
NOT_ENGINE = frozenset(
    {
        "asking.py",
        "bench.py",
        "bench_against.py",
        "bench_peers.py",
        "board_checks.py",
        "cli.py",
        "fairness.py",
        "games.py",
        "options_page.py",
        "picture.py",
        "peer.py",
        "people.py",
        "playing.py",
        "presets.py",
        "scenarios.py",
        "seen.py",
        "story.py",
        "taking_turns.py",
        "text_board.py",
        "trace.py",
        "whole_walks.py",
    }
)

# A compiled function that another one calls would else inherit whether it may allocate.
_OUTER: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": True,
    "pipeline_class": ProgramCompiler,
}
_INNER: dict[str, Any] = {
    **_OUTER,
    "cache": False,
    "pipeline_class": PartCompiler,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    # Nothing is allocated per play, so no references are counted: passing arrays on would else cost
    # two locked instructions for each of them. Numba refuses a kernel that allocates all the same.
    "_nrt": False,
}

Function = TypeVar("Function", bound=Callable[..., Any])


def engine_sources(game: str) -> list[Path]:
    """Return the files whose text decides how a play of `game` goes, in a fixed order."""
    own = [*PACKAGE.glob("*.py"), *(PACKAGE / game).rglob("*.py")]
    return sorted(path for path in own if path.name not in NOT_ENGINE)


@functools.cache
def engine_hash(game: str) -> str:
    """Return 16 hex digits that name the engine of `game`: its sources and nothing else."""
    digest = hashlib.sha256()
    for path in engine_sources(game):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """Return the folder of the compiled code of these very sources."""
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name not in NOT_ENGINE:
            digest.update(path.read_bytes())
    home = os.environ.get("DOJO_CACHE") or Path.home() / ".cache" / "dojo-sweep"
    return Path(home) / f"kernels-{digest.hexdigest()[:16]}"


numba.config.CACHE_DIR = str(_cache_folder())


def entry(function: Function) -> Function:
    """Compile `function`, which Python calls: cached on disk, without the GIL, no objects.

    With ``NUMBA_DISABLE_JIT=1`` the same function runs as plain Python.
    """
    return cast(Function, numba.njit(**_OUTER)(function))


def kernel(function: Function) -> Function:
    """Compile `function`, which only compiled code calls and which allocates nothing.

    Otherwise like `entry`.
    """
    return cast(Function, numba.njit(**_INNER)(function))


def inlined(function: Function) -> Function:
    """Compile `function` like `kernel`, always merged into its callers."""
    return cast(Function, numba.njit(forceinline=True, **_INNER)(function))


@inlined
def whole(value: Any) -> int:
    """Return a value as a signed 64-bit whole number.

    Compiled, an unsigned and a signed number make a fraction of floating point; this keeps all
    arithmetic of the rules in one type.
    """
    return np.int64(value)  # type: ignore[return-value]


def plain_python() -> bool:
    """Tell whether kernels run as plain Python (``NUMBA_DISABLE_JIT=1``)."""
    return bool(numba.config.DISABLE_JIT)


def wrapping_arithmetic() -> np.errstate:
    """Return a context in which 64-bit words wrap silently, compiled or not."""
    return np.errstate(over="ignore")
