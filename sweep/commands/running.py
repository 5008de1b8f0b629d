"""`dojo-sweep run`: plays what a grid lacks."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from dojo_core.errors import DojoError
from sweep.commands import planning
from sweep.commands.terminal import (
    INTERRUPTED,
    Address,
    GridFile,
    GridResults,
    UseRay,
    Workers,
    Yes,
    console,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from rich.console import Console

    from sweep.backends import Backend
    from sweep.places import Place
    from sweep.plan import Plan
    from sweep.runner import Result
    from sweep.work import Job

# Less than so many seconds on all cores is played in this process: Ray takes ten to start. Many
# cores hinder each other in one process, so no more of them are counted.
SMALL_WORK = 60.0
CORES_OF_A_PROCESS = 8


def run(
    grid: GridFile,
    yes: Yes = False,
    address: Address = None,
    workers: Workers = None,
    results: GridResults = None,
    ray: UseRay = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Where a Ray of this run's own tells Prometheus."),
    ] = None,
    allow_failures: Annotated[
        bool, typer.Option("--allow-failures", help="Exit with 0 though some blocks failed.")
    ] = False,
) -> None:
    """Play what a grid lacks. Running again resumes; more plays or values add to what is there."""
    with stoppable(f"dojo-sweep run {grid}"):
        failures = _run(grid, yes, address, workers, results, ray, metrics_port)
    if failures and not allow_failures:
        raise typer.Exit(1)


def _run(
    grid: str,
    yes: bool,
    address: str | None,
    workers: int | None,
    results: str | None,
    ray: bool | None,
    metrics_port: int | None,
) -> int:
    """Run the sweep and tell how it went; return how many blocks failed."""
    from dojo_core import games
    from sweep import report

    screen = console()
    where = place_to_play(ray, address, workers, metrics_port, screen)
    frozen, folder = planning.settled(
        grid, results, workers, yes, lambda place: place.check_writable(), where.meanwhile
    )
    make = where.backend(missing_work(frozen, folder))
    result = play(frozen, folder, make, screen, workers, yes)
    screen.print(report.findings(games.load(frozen.game), frozen, result.sums))
    place = "" if str(folder.parent) == "results" else f" --results {folder.parent}"
    screen.print(
        f"\nask with  dojo-sweep sql --name {frozen.name}{place}"
        f"\nlook with dojo-sweep dashboard{place}"
        f"\ntell one  dojo-sweep trace {frozen.name} 1 0{place}",
        highlight=False,
    )
    tell_failures(result, folder, screen)
    return result.failures


def play(
    frozen: Plan,
    folder: Place,
    make: Callable[[Job], Backend],
    screen: Console,
    workers: int | None,
    yes: bool,
) -> Result:
    """Play what a plan lacks, and tell it on the screen.

    Raises:
        DojoError: The sweep was given up, or the folder or the backend is in trouble.
        KeyboardInterrupt: The user stopped it.
    """
    from dojo_core import games
    from sweep import report
    from sweep.backends import cores
    from sweep.progress import Narrator, duration
    from sweep.runner import run as run_plan

    stored = planning.stored_plays(folder, frozen)
    planning.ask_about_size(frozen, stored, folder, workers or cores(), yes)
    for line in report.plan_lines(frozen, stored, workers or cores()):
        screen.print(line, markup=False, highlight=False, soft_wrap=True)
    narrator = Narrator(screen, len(frozen.points))
    result = run_plan(frozen, games.load(frozen.game), folder, make, narrator)
    if result.interrupted:
        raise KeyboardInterrupt
    if result.gave_up:
        raise DojoError(result.gave_up, 1)
    if result.plays:
        rate = result.plays / max(result.seconds, 1e-9)
        took = duration(result.seconds)
        screen.print(
            f"{result.plays:,} plays in {took}, {rate:,.0f} plays/s,"
            f" {result.share_in_play:.0%} of the cores' time in play\n",
            highlight=False,
        )
    else:
        screen.print("nothing was missing\n")
    return result


def tell_failures(result: Result, folder: Place, screen: Console) -> None:
    """Tell how many blocks failed, if any, and where to read why."""
    from sweep.store import FAILURES

    if result.failures:
        screen.print(
            f"{result.failures:,} blocks failed; {folder.path(FAILURES)} has each one's traceback"
            " and the command that repeats it",
            style="yellow",
            highlight=False,
            soft_wrap=True,
        )


def missing_work(frozen: Plan, folder: Place) -> float:
    """Return how many seconds of one core a plan still takes."""
    missing = frozen.plays_planned - planning.stored_plays(folder, frozen)
    return frozen.calibration.seconds_per_play * missing


@dataclass
class PlaceToPlay:
    """Where plays are to be played.

    Attributes:
        on_ray: On Ray, or in this process; None: by how much there is to play.
        address: A cluster's address.
        workers: How many blocks at a time.
        metrics_port: Where a Ray of this run's own tells Prometheus.
        screen: Hears that Ray starts.
    """

    on_ray: bool | None
    address: str | None
    workers: int | None
    metrics_port: int | None
    screen: Console
    _begun: bool = False
    _said: bool = False

    @property
    def meanwhile(self) -> Callable[[], None] | None:
        """What to do while a new plan is compiled and tried: start Ray, if it will be used."""
        return self._begin if self.on_ray else None

    def _begin(self) -> None:
        from sweep import on_ray

        self._say()
        on_ray.begin(self.workers, self.address, self.metrics_port)
        self._begun = True

    def backend(self, work: float) -> Callable[[Job], Backend]:
        """Return what makes the backend: Ray for much work or a cluster, else threads in here."""
        if self.on_ray is None:
            self.on_ray = is_much(work, self.workers)

        def make(job: Job) -> Backend:
            if self.on_ray:
                from sweep.on_ray import OnRay

                self._say()
                return OnRay(job, self.workers, self.address, self.metrics_port, self._begun)
            from sweep.backends import Threads

            return Threads(job, self.workers)

        return make

    def _say(self) -> None:
        """Say once that Ray starts: several sweeps may be played on it."""
        if self._said:
            return
        self._said = True
        words = f"joining {self.address}" if self.address else "starting Ray on this machine"
        self.screen.print(words)


def place_to_play(
    ray: bool | None,
    address: str | None,
    workers: int | None,
    metrics_port: int | None,
    screen: Console,
) -> PlaceToPlay:
    """Return where to play by what was asked for, or refuse what cannot go together."""
    if ray is False and address:
        raise DojoError("--address names a Ray cluster, and --no-ray does without; give one")
    address = None if ray is False else address or os.environ.get("RAY_ADDRESS")
    if address and address.startswith(("http://", "https://")):
        raise DojoError(
            f"{address} is the address of a cluster's dashboard; hand the sweep over with"
            " `dojo-sweep submit`, or give --address HOST:6379, or auto on a node of the cluster"
        )
    if metrics_port and (address or ray is False):
        raise DojoError(
            "--metrics-port is for a Ray that this run starts itself; the nodes of a cluster have"
            " ports of their own, and --no-ray has no metrics"
        )
    asked_for = True if address or metrics_port else None
    on_ray = asked_for if ray is None else ray
    return PlaceToPlay(on_ray, address, workers, metrics_port, screen)


def is_much(work: float, workers: int | None) -> bool:
    """Tell whether so many seconds of one core are worth starting Ray for."""
    from sweep.backends import cores

    return work > SMALL_WORK * min(workers or cores(), CORES_OF_A_PROCESS)


@contextlib.contextmanager
def stoppable(command: str, file: TextIO | None = None) -> Iterator[None]:
    """Let signals stop what is played here; then say in `file` how to go on with it."""
    heed_signals()
    try:
        yield
    except KeyboardInterrupt:
        print(f"stopped; what was finished is kept. Go on with: {command}", file=file)
        raise typer.Exit(INTERRUPTED) from None


def heed_signals() -> None:
    """Let Ctrl-C, SIGTERM or a closed terminal stop the run cleanly, and a second one at once.

    What is ignored already stays so: `nohup` means it.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def _stop(number: int, _: object) -> None:
    for again in (signal.SIGINT, signal.SIGTERM):
        signal.signal(again, _leave)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a closing terminal may send it twice
    if number == signal.SIGHUP:
        nowhere = os.open(os.devnull, os.O_WRONLY)  # nobody reads any more, and writing would fail
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    _say("stopping, and keeping what is finished; once more leaves at once")
    raise KeyboardInterrupt


def _leave(number: int, _: object) -> None:
    _say("left at once; running again goes on from what was finished")
    os._exit(INTERRUPTED)


def _say(sentence: str) -> None:
    """Write past all buffers, as a handler may have stopped another print half way."""
    with contextlib.suppress(OSError):
        os.write(2, f"\ndojo-sweep: {sentence}\n".encode())
