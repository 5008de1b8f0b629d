"""`dojo-sweep trace`, `block` and `options`: single plays, and what may vary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from dojo_core.errors import DojoError
from sweep.commands.terminal import Results, console

if TYPE_CHECKING:
    from dojo_core.game import Game, Setup
    from sweep.plan import Plan


def options(
    game: Annotated[str | None, typer.Argument(help="The game; all when left out.")] = None,
) -> None:
    """List all options and presets of a game: values, what each changes, its source."""
    from dojo_core import games
    from sweep import listing

    for name in [game] if game else games.GAMES:
        found = games.load(name)
        console().print(listing.options_table(found))
        if found.presets:
            console().print("", listing.presets_table(found))


def trace(
    name: Annotated[str, typer.Argument(help="The sweep.")],
    point: Annotated[str, typer.Argument(help="The point: its number, or how its id begins.")],
    play: Annotated[int, typer.Argument(min=0, help="The index of the play.")],
    results: Results = "results",
    lang: Annotated[str, typer.Option(help="en or it.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """Tell one play of a sweep event by event."""
    if lang not in ("en", "it"):
        raise DojoError(f"--lang {lang!r} is not one of en, it")
    frozen, game, setup = _point_of(results, name, point)
    events = game.trace(setup, frozen.seed, play)
    for line in map(json.dumps, events) if as_json else game.describe(events, lang):
        print(line)


def block(
    name: Annotated[str, typer.Argument(help="The sweep.")],
    point: Annotated[str, typer.Argument(help="The point: its number, or how its id begins.")],
    first: Annotated[int, typer.Argument(min=0, help="The index of the first play.")],
    plays: Annotated[int, typer.Argument(min=1, help="How many plays.")],
    results: Results = "results",
) -> None:
    """Play one block again without storing it: a block that failed shows its traceback."""
    from sweep.blocks import play_block
    from sweep.plan import Block

    frozen, game, setup = _point_of(results, name, point)
    found = frozen.find(point)
    tables = play_block(game, setup, frozen.seed, Block(found.id, first, plays), frozen.record)
    rows = ", ".join(f"{table.num_rows:,} rows of {name}" for name, table in tables.items())
    print(f"played without trouble: {rows}")


def _point_of(results: str, name: str, point: str) -> tuple[Plan, Game, Setup]:
    """Return a sweep's plan, its game and one of its points, prepared."""
    from dojo_core import games
    from dojo_core.kernel import engine_hash
    from sweep import queries

    frozen = queries.plan_of(results, name)
    game = games.load(frozen.game)
    if engine_hash(frozen.game) != frozen.engine:
        raise DojoError(
            f"the rules have changed since {name} was played (engine {frozen.engine}, now"
            f" {engine_hash(frozen.game)}); run its grid again first"
        )
    return frozen, game, frozen.setup(game, frozen.find(point))
