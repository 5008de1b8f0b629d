"""The look-ahead of the referee: the same answers as the naive twin, from a remembered search."""

from __future__ import annotations

from labirinto_twin import SQUARES, Grid

# How many answers are remembered before they are forgotten all at once.
MEMORY = 200_000


class Search:
    """Answers about walks on one board; `visited` is a set of squares as the bits of a number."""

    def __init__(self, grid: Grid) -> None:
        self.near = grid.near
        self.fatica = [code == "F" for code in grid.codes]
        self._walk: dict[tuple[int, int, int], bool] = {}
        self._frugal: dict[tuple[int, int, int, int], bool] = {}

    def can_walk(self, square: int, visited: int, steps: int) -> bool:
        """Tell whether `steps` more steps can be walked."""
        if steps == 0:
            return True
        key = (square, visited, steps)
        known = self._walk.get(key)
        if known is None:
            known = any(
                self.can_walk(to, visited | 1 << to, steps - 1)
                for to in self.near[square]
                if not visited >> to & 1
            )
            if len(self._walk) > MEMORY:
                self._walk.clear()
            self._walk[key] = known
        return known

    def longest(self, square: int, visited: int, steps: int) -> int:
        """Return the length of the longest walk of at most `steps` steps."""
        while not self.can_walk(square, visited, steps):
            steps -= 1
        return steps

    def legal(self, square: int, visited: int, steps: int) -> tuple[int, ...]:
        """Return the squares that a longest walk may begin with."""
        length = self.longest(square, visited, steps)
        return tuple(
            to
            for to in self.near[square]
            if length and not visited >> to & 1 and self.can_walk(to, visited | 1 << to, length - 1)
        )

    def can_spare(self, square: int, visited: int, steps: int, fatica: int) -> bool:
        """Tell whether `steps` steps can be walked over at most `fatica` Fatica squares."""
        if steps == 0:
            return True
        if fatica >= steps:
            return self.can_walk(square, visited, steps)
        key = (square, visited, steps, fatica)
        known = self._frugal.get(key)
        if known is None:
            known = any(
                self.can_spare(to, visited | 1 << to, steps - 1, fatica - self.fatica[to])
                for to in self.near[square]
                if not visited >> to & 1 and self.fatica[to] <= fatica
            )
            if len(self._frugal) > MEMORY:
                self._frugal.clear()
            self._frugal[key] = known
        return known

    def thrifty(self, square: int, visited: int, steps: int) -> tuple[int, ...]:
        """Return the squares that a longest walk with the fewest Fatica squares begins with."""
        length = self.longest(square, visited, steps)
        if not length:
            return ()
        for fatica in range(SQUARES):
            found = tuple(
                to
                for to in self.near[square]
                if not visited >> to & 1
                and self.fatica[to] <= fatica
                and self.can_spare(to, visited | 1 << to, length - 1, fatica - self.fatica[to])
            )
            if found:
                return found
        raise AssertionError("a longest walk exists, so one of them has the fewest Fatica")
