"""What a run tells while it goes, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweep.backends import Backend
    from sweep.plan import Block


class Listener:
    """Hears how a run goes. What a listener does not define is noted, or nothing."""

    def joined(self, backend: Backend) -> None:
        """Blocks will be played there."""

    def started(self, plays_done: int, plays_planned: int, workers: int) -> None:
        """Blocks begin to be played."""

    def begun(self, block: Block) -> None:
        """A block was handed to the backend, for the first time or again."""

    def advanced(self, plays: int) -> None:
        """One more block is stored, of so many plays."""

    def lost(self, block: Block, how: str, sentence: str) -> None:
        """A worker was lost while it played a block; `sentence` tells the user."""
        self.noted(sentence)

    def failed(self, block: Block, error: str, sentence: str) -> None:
        """A block failed for good; `sentence` tells the user."""
        self.noted(sentence)

    def set_aside(self, sentence: str) -> None:
        """Something stored was broken and is put right; `sentence` tells the user."""
        self.noted(sentence)

    def noted(self, sentence: str) -> None:
        """Something the user should know."""

    def ended(self) -> None:
        """No more blocks are played."""


class Listeners(Listener):
    """Passes everything on to several listeners."""

    def __init__(self, *listeners: Listener) -> None:
        self._listeners = listeners

    def joined(self, backend: Backend) -> None:
        """Blocks will be played there."""
        for listener in self._listeners:
            listener.joined(backend)

    def started(self, plays_done: int, plays_planned: int, workers: int) -> None:
        """Blocks begin to be played."""
        for listener in self._listeners:
            listener.started(plays_done, plays_planned, workers)

    def begun(self, block: Block) -> None:
        """A block was handed to the backend, for the first time or again."""
        for listener in self._listeners:
            listener.begun(block)

    def advanced(self, plays: int) -> None:
        """One more block is stored, of so many plays."""
        for listener in self._listeners:
            listener.advanced(plays)

    def lost(self, block: Block, how: str, sentence: str) -> None:
        """A worker was lost while it played a block."""
        for listener in self._listeners:
            listener.lost(block, how, sentence)

    def failed(self, block: Block, error: str, sentence: str) -> None:
        """A block failed for good."""
        for listener in self._listeners:
            listener.failed(block, error, sentence)

    def set_aside(self, sentence: str) -> None:
        """Something stored was broken and is put right."""
        for listener in self._listeners:
            listener.set_aside(sentence)

    def noted(self, sentence: str) -> None:
        """Something the user should know."""
        for listener in self._listeners:
            listener.noted(sentence)

    def ended(self) -> None:
        """No more blocks are played."""
        for listener in self._listeners:
            listener.ended()
