"""The one exception a person's mistake may raise."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DojoError(Exception):
    """A mistake in what the user gave, told in one sentence.

    The message names the thing, its value, what was expected and what to do next. It is caught at
    the edge (the command line, the dashboard) and printed without a traceback.

    Args:
        message: The sentence.
        exit_code: The exit code of a command that ends on it (2: the input cannot be used;
            1: it can be used but fails a check).
    """

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def nearest(name: str, names: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the closest of `names`, or an empty string."""
    close = difflib.get_close_matches(str(name), list(names), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
