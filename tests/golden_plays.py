"""Golden plays: what `dojo trace ARGUMENTS --json` told when it was kept, for the tests."""

import json
import shlex
from pathlib import Path

from dojo_core import cli

FOLDER = Path(__file__).parent / "golden"


def told(game, arguments):
    """Return the lines of a play as `dojo trace` tells it."""
    words = shlex.split(arguments)
    given = [word for word in words if "=" in word]
    flags = dict(zip(words[len(given) :: 2], words[len(given) + 1 :: 2], strict=True))
    setup = game.prepare(game.resolve(cli.assigned(given)))
    events = game.trace(setup, int(flags.get("--seed", 1)), int(flags.get("--play", 0)))
    return [json.dumps(event) for event in events]


def without_engine(line):
    event = json.loads(line)
    event.pop("engine", None)
    return event


def differing_line(file, lines):
    """Return the number of the first line that is not as kept in the file; None without one."""
    kept = [without_engine(line) for line in file.read_text().splitlines()]
    now = [without_engine(line) for line in lines]
    for number in range(max(len(kept), len(now))):
        if kept[number : number + 1] != now[number : number + 1]:
            return number + 1
    return None
