"""Measuring side by side: processes that take turns on one core, and what their ratios tell.

A busy machine slows all of them down alike, so a ratio holds although no rate does.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from dojo_core.errors import DojoError


class Side:
    """A process that answers each line of JSON with a line of JSON, and tells one when it is ready.

    Use it in a ``with`` block: it is ended at the end, as it has nothing to lose.
    """

    def __init__(
        self, name: str, words: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        """Start Python with these command-line words in a folder, not waiting for it."""
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def answer(self) -> Any:
        """Return the next answer; the first one says that it is ready.

        Raises:
            DojoError: When the process ended.
        """
        line = _pipe(self.process.stdout).readline()
        if line:
            return json.loads(line)
        trouble = _pipe(self.process.stderr).read().strip().splitlines() or ["no word"]
        raise DojoError(f"{self.name} ended: {trouble[-1]}", 3)

    def ask(self, question: Any) -> Any:
        """Return the answer to a question."""
        asked = _pipe(self.process.stdin)
        asked.write(json.dumps(question) + "\n")
        asked.flush()
        return self.answer()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def interval_of_median(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return an interval that holds the median of what the values are drawn from.

    The order statistics that the binomial distribution gives, without any assumption on the
    values' own; the whole range when there are too few.

    Source: Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2.
    """
    ordered = sorted(values)
    count = len(ordered)
    rank, tail = 0, 0.5**count
    while rank < count // 2 and tail <= (1 - confidence) / 2:
        rank += 1
        tail += math.comb(count, rank) * 0.5**count
    first = max(rank - 1, 0)
    return ordered[first], ordered[count - 1 - first]
