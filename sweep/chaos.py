"""Kills workers, nodes and drivers of real runs, and compares the rows with a run in peace.

The order of it: the plan is played in threads, with other blocks, other workers and in another
order; a `LocalCluster` starts; the plan is played there from nothing to its end while faults
happen, again and again until none are left; each time every row of every table is compared.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from dojo_core.errors import DojoError
from dojo_core.game import Game
from sweep.backends import Threads, cores
from sweep.journal import read_runs
from sweep.listener import Listener
from sweep.local_cluster import LocalCluster
from sweep.places import STORAGE_TROUBLE, at
from sweep.plan import Plan
from sweep.queries import connect
from sweep.runner import run
from sweep.schemas import table_names

Kind = Literal["worker", "node", "driver"]
KINDS: tuple[Kind, ...] = ("worker", "node", "driver")
WEIGHTS = (3, 1, 1)
BLOCK_SECONDS = 0.3  # short blocks, so that a fault finds many under way and many to come
POLL_SECONDS = 0.02
COMMAND = (sys.executable, "-c", "from sweep.cli import main; main()", "run")


@dataclass(frozen=True)
class Report:
    """What came of it.

    Attributes:
        faults: How many of each kind.
        rounds: How often the plan was played from nothing to its end.
        runs: How many drivers that took.
        plays: Plays stored, all rounds together.
        lost: Plays missing in the end.
        doubled: Plays stored twice in the end.
        repeated: Plays that were handed out once more than they are stored, by the runs' records;
            a record is up to a second old when its driver is killed.
        differing: Tables of which any row differs from the run in peace.
        seconds: How long it took.
    """

    faults: dict[str, int]
    rounds: int
    runs: int
    plays: int
    lost: int
    doubled: int
    repeated: int
    differing: tuple[str, ...]
    seconds: float

    @property
    def harmless(self) -> bool:
        """Whether nothing was lost, doubled or changed."""
        return not (self.lost or self.doubled or self.differing)


def chaos(
    plan: Plan,
    game: Game,
    faults: int,
    seed: int,
    nodes: int,
    pause: float,
    tell: Callable[[str], None],
) -> Report:
    """Disturb runs of `plan` with so many faults, and report what they did to its rows.

    Args:
        plan: The plan, calibrated.
        game: Its game.
        faults: How many. Each kind comes once before chance decides.
        seed: Decides the kinds, the victims and the moments.
        nodes: Nodes of one core each.
        pause: Mean seconds between two faults.
        tell: Hears how it goes.

    Raises:
        DojoError: Ray does not start here, or a run fails by itself.
    """
    began = time.monotonic()
    size = max(1, int(BLOCK_SECONDS / max(plan.calibration.seconds_per_play, 1e-9)))
    plan = replace(plan, record="plays", exponent=size.bit_length() - 1)
    other = replace(plan, exponent=plan.exponent + 2, points=plan.points[::-1])
    with tempfile.TemporaryDirectory(prefix="dojo-chaos-") as folder, LocalCluster() as cluster:
        results = Path(folder)
        tell("playing it in peace")
        peace = at(results / "peace" / plan.name)
        run(other, game, peace, lambda job: Threads(job, cores()), Listener())
        disturbed = _Chaos(plan, results, cluster, random.Random(seed), faults, pause, tell)
        for _ in range(nodes):
            cluster.join(1)
        reports = []
        while disturbed.left:
            place = disturbed.round()
            reports.append(_compare(plan, results / "peace", place))
            tell(f"round {disturbed.rounds} is over, {len(disturbed.left)} faults left")
    return Report(
        faults=dict(disturbed.done),
        rounds=disturbed.rounds,
        runs=disturbed.runs,
        plays=sum(stored for stored, *_ in reports),
        lost=sum(lost for _, lost, *_ in reports),
        doubled=sum(doubled for _, _, doubled, *_ in reports),
        repeated=sum(repeated for *_, repeated, _ in reports),
        differing=tuple(sorted({table for *_, tables in reports for table in tables})),
        seconds=round(time.monotonic() - began, 1),
    )


class _Chaos:
    """Runs the plan on the cluster again and again, and kills."""

    def __init__(
        self,
        plan: Plan,
        results: Path,
        cluster: LocalCluster,
        chance: random.Random,
        faults: int,
        pause: float,
        tell: Callable[[str], None],
    ) -> None:
        self._results, self._cluster, self._chance = results, cluster, chance
        self._pause, self._tell = pause, tell
        self._plan = results / "plan.json"
        self._plan.write_text(plan.to_json(), encoding="utf-8")
        first: list[Kind] = chance.sample(KINDS, min(faults, len(KINDS)))
        self.left = first + chance.choices(KINDS, WEIGHTS, k=faults - len(first))
        self.done: Counter[str] = Counter()
        self.rounds = self.runs = 0

    def round(self) -> Path:
        """Play the plan from nothing to its end, disturbed; return the results folder."""
        self.rounds += 1
        place = self._results / f"round-{self.rounds}"
        while True:
            driver = self._drive(place)
            try:
                killed = self._disturb(driver)
            finally:
                driver.kill()
                driver.wait()
            if driver.returncode == 0:
                return place
            if not killed and (driver.returncode != 1 or not self.left):
                told = self._log(place).read_text(errors="replace").strip()
                raise DojoError(
                    f"a disturbed run ended with exit code {driver.returncode}: {told[-2000:]}",
                    STORAGE_TROUBLE,
                )

    def _drive(self, place: Path) -> subprocess.Popen[bytes]:
        self.runs += 1
        command = [*COMMAND, str(self._plan), "--results", str(place), "--yes"]
        with self._log(place).open("wb") as log:
            return subprocess.Popen(
                [*command, "--address", self._cluster.address],
                env=self._cluster.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _log(self, place: Path) -> Path:
        return place.with_suffix(".log")

    def _disturb(self, driver: subprocess.Popen[bytes]) -> bool:
        """Do harm until the driver has ended; tell whether it was killed."""
        while self.left:
            moment = time.monotonic() + self._chance.uniform(0, 2 * self._pause)
            while time.monotonic() < moment:
                if driver.poll() is not None:
                    return False
                time.sleep(POLL_SECONDS)
            kind = self.left[0]
            if not self._harm(kind, driver):
                return False
            self.left.pop(0)
            self.done[kind] += 1
            self._tell(f"killed a {kind}, {len(self.left)} faults left")
            if kind == "driver":
                return True
        while driver.poll() is None:
            self._cluster.replace_ended()
            time.sleep(POLL_SECONDS)
        return False

    def _harm(self, kind: Kind, driver: subprocess.Popen[bytes]) -> bool:
        """Kill one of a kind, waiting for one; return False if the driver ended before."""
        while driver.poll() is None:
            self._cluster.replace_ended()
            if kind == "driver":
                driver.kill()
                return True
            if kind == "node":
                self._cluster.kill(self._chance.choice(self._cluster.nodes))
                self._cluster.join(1)
                return True
            playing = [pid for node in self._cluster.nodes for pid in node.playing()]
            if playing:
                with contextlib.suppress(ProcessLookupError):  # it has just ended: another then
                    os.kill(self._chance.choice(sorted(playing)), signal.SIGKILL)
                    return True
            time.sleep(POLL_SECONDS)
        return False


def _compare(plan: Plan, peace: Path, place: Path) -> tuple[int, int, int, int, list[str]]:
    """Return plays stored, lost, doubled and repeated, and the tables whose rows differ."""
    with connect(peace) as expected, connect(place) as found:
        counts = found.sql("SELECT count(*), count(DISTINCT (point, play)) FROM plays").fetchall()
        stored, distinct = counts[0]
        differing = []
        for table in table_names(plan.record):
            query = f"SELECT * FROM {table} ORDER BY ALL"
            rows, others = (c.sql(query).to_arrow_table() for c in (expected, found))
            if not rows.equals(others):
                differing.append(table)
    begun = sum(each.plays_begun for each in read_runs(at(place / plan.name)))
    lost, doubled = plan.plays_planned - distinct, stored - distinct
    return stored, lost, doubled, max(0, begun - distinct), differing
