"""Conformance scenarios: hand-written situations, played by a game's compiled rules and compared.

A file of scenarios is a JSON list. Each names its ``id`` and ``type`` and, unless it is of the
Labirinto, its ``game``; the game knows the rest (`dojo_core.game.Game.scenario`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dojo_core import games
from dojo_core.errors import DojoError

# Scenarios that name no game are from before there were two.
UNNAMED = "labirinto"


def run_file(path: Path) -> Iterator[dict[str, Any]]:
    """Yield ``{"id", "passed", "differences"}`` for every scenario of a JSON file."""
    scenarios = read_json(path)
    if not isinstance(scenarios, list):
        raise DojoError(f"{path} holds {type(scenarios).__name__}; expected a list of scenarios")
    for number, scenario in enumerate(scenarios):
        if not isinstance(scenario, dict) or "id" not in scenario or "type" not in scenario:
            raise DojoError(f"{path}: scenario number {number} has no id or no type")
        game = games.load(scenario.get("game", UNNAMED))
        if game.scenario is None:
            raise DojoError(f"{path}: {game.title} plays no scenarios, but number {number} is one")
        try:
            differences = game.scenario(scenario, path.parent)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            differences = [f"the scenario cannot be read: {type(error).__name__} {error}"]
        yield {"id": scenario["id"], "passed": not differences, "differences": differences}


def read_json(path: Path) -> Any:
    """Return what a JSON file holds, or raise a `DojoError`."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DojoError(
            f"{path} cannot be read: {error.strerror}; give a file of scenarios"
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DojoError(f"{path} is not JSON: {error}") from error
