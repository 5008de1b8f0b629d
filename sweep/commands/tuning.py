"""`dojo-sweep tune`: searches better weights for a player, and confirms them."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dojo_core.errors import DojoError
from sweep.commands import planning, running
from sweep.commands.terminal import (
    Address,
    GridFile,
    GridResults,
    UseRay,
    Workers,
    console,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from sweep.backends import Backend
    from sweep.commands.running import PlaceToPlay
    from sweep.generations import Contest
    from sweep.grid import Grid
    from sweep.outcomes import Outcomes
    from sweep.plan import Plan
    from sweep.tuning import Tune
    from sweep.work import Job


def tune(
    grid: GridFile,
    address: Address = None,
    workers: Workers = None,
    results: GridResults = None,
    ray: UseRay = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the player; NAME.player.toml if not."),
    ] = None,
) -> None:
    """Search better weights for a player, and confirm them. Running again resumes."""
    with running.stoppable(f"dojo-sweep tune {grid}"):
        _tune(grid, address, workers, results, ray, output)


def _tune(
    path: str,
    address: str | None,
    workers: int | None,
    results: str | None,
    ray: bool | None,
    output: Path | None,
) -> None:
    from sweep import tuning
    from sweep.generations import confirmation, confirmed, generation, scores
    from sweep.grid import read_grid
    from sweep.tuning_report import confirmation_lines, generation_line, player_text

    grid = read_grid(path)
    settings = grid.tune
    if settings is None:
        raise DojoError(f"{path} has no section [tune]; sweep/LADDER.md tells what it says")
    screen = console()
    where = running.place_to_play(ray, address, workers, None, screen)
    with contextlib.ExitStack() as stack:
        player = _Player(grid, settings, where, results, screen, stack)
        search = tuning.begin(settings)
        for number in range(1, settings.generations + 1):
            drawn = tuning.candidates(settings, search, grid.seed, number)
            contest = generation(grid, settings, number, drawn)
            plan, outcomes = player.play(contest)
            found = scores(contest, plan, outcomes)
            search = tuning.after(settings, search, drawn, [score.mean for score in found])
            line = generation_line(number, settings.generations, found, player.left())
            screen.print(line, highlight=False)
        weights = search.middle(settings)
        if settings.player(weights, "") == settings.player({}, ""):
            screen.print("the search ended where it began: nothing better was found")
            return
        contest = confirmation(grid, settings, weights)
        plan, outcomes = player.play(contest)
    result = confirmed(contest, plan, outcomes)
    for line in confirmation_lines(result):
        screen.print(line, highlight=False, soft_wrap=True)
    if not result.is_better:
        screen.print("it is not shown to be better than the start player: nothing is written")
        return
    text = player_text(path, grid, plan, weights, result)
    file = output or Path(f"{grid.name}.player.toml")
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DojoError(f"{file} cannot be written ({error.strerror})", 3) from error
    screen.print(f"\nwritten to {file}\n", highlight=False)
    screen.print(text, markup=False, highlight=False, soft_wrap=True)


@dataclass
class _Player:
    """Plays the contests of one search, and knows how long the others will take."""

    grid: Grid
    tune: Tune
    where: PlaceToPlay
    results: str | None
    screen: Console
    stack: contextlib.ExitStack
    _make: Callable[[Job], Backend] | None = None
    _missing: int = 0
    _played: int = 0
    _seconds: float = field(default=0.0)

    def __post_init__(self) -> None:
        seats = len(self.tune.against[0]) + 1
        tables = len(self.tune.against)
        others = self.grid.combinations
        generations = self.tune.generations * self.tune.candidates * tables * self.tune.plays
        confirm = 2 * (tables + 1) * self.tune.confirm
        self._missing = seats * others * (generations + confirm)

    def play(self, contest: Contest) -> tuple[Plan, list[Outcomes]]:
        """Play what a contest lacks; return its plan and the outcomes of all its plays.

        Raises:
            DojoError: Some blocks failed, so that players could not be compared.
        """
        from dojo_core import games
        from sweep.generations import complete
        from sweep.outcomes import outcomes
        from sweep.progress import Narrator
        from sweep.queries import connect
        from sweep.runner import run as run_plan
        from sweep.store import FAILURES

        grid = contest.grid
        folder = planning.sweep_folder(grid.name, self.results or grid.results)
        folder.check_writable()
        plan = planning.frozen_plan(grid, folder, self.where.workers)
        make = self._make or self._choose(plan)
        narrator = Narrator(self.screen, len(plan.points))
        began = time.monotonic()
        result = run_plan(plan, games.load(plan.game), folder, make, narrator)
        if result.interrupted:
            raise KeyboardInterrupt
        if result.gave_up:
            raise DojoError(result.gave_up, 1)
        self._missing -= plan.plays_planned
        self._played += result.plays
        self._seconds += time.monotonic() - began if result.plays else 0.0
        with connect(str(folder.parent), plan.name) as con:
            stored = outcomes(con, plan)
        # An earlier plan may have asked for more plays; these are not the search's.
        found = [won[: point.plays] for point, won in zip(plan.points, stored, strict=True)]
        if not complete(found):
            raise DojoError(
                f"{result.failures:,} blocks of {plan.name} failed, so that players cannot be"
                f" compared; mend what {folder.path(FAILURES)} tells and run this again",
                1,
            )
        return plan, found

    def left(self) -> float | None:
        """Return how many seconds the plays that are left will take; None if nothing tells."""
        return self._seconds / self._played * self._missing if self._played else None

    def _choose(self, plan: Plan) -> Callable[[Job], Backend]:
        """Choose where to play, by all that the search may have to play; start Ray once."""
        work = plan.calibration.seconds_per_play * self._missing
        self._make = self.where.backend(work)
        if self.where.on_ray and not self.where.address:
            from sweep.backends import cores
            from sweep.on_ray import started_here

            self.stack.enter_context(started_here(self.where.workers or cores()))
        return self._make
