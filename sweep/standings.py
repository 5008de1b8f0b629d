"""From a stored ladder to how its players stand, at each kind of table that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dojo_core.errors import DojoError
from dojo_core.options import find, one_a_seat
from sweep.ladder import Seated, Standing, standing
from sweep.outcomes import outcomes
from sweep.players import PLAYER

if TYPE_CHECKING:
    import duckdb

    from dojo_core.game import Game
    from sweep.plan import Plan


def standings(con: duckdb.DuckDBPyConnection, game: Game, plan: Plan) -> dict[str, Standing]:
    """Return how the players of a ladder stand, by the values of the other axes in words.

    Without other axes there is one standing, under the empty text. A kind of table without plays in
    all seatings of a matchup is left out.

    Args:
        con: The sweep, see `sweep.connect`.
        game: Its game.
        plan: Its plan.

    Raises:
        DojoError: The sweep is no ladder, or does not keep plays.
    """
    if not plan.ladder:
        raise DojoError(
            f"{plan.name} is no ladder; write the section [ladder] into its grid, see LADDER.md"
        )
    player = find(game.options, PLAYER)
    tables: dict[str, list[Seated]] = {}
    for point, found in zip(plan.points, outcomes(con, plan), strict=True):
        shown = plan.shown(game, point)
        words = ", ".join(f"{axis} = {value}" for axis, value in shown.items() if axis != PLAYER)
        sitting = one_a_seat(plan.resolved(point)[PLAYER])
        names = tuple(str(player.shown(one)) for one in sitting)
        tables.setdefault(words, []).append(Seated(names, found))
    found_standings = {words: standing(plan.ladder, seated) for words, seated in tables.items()}
    return {words: found for words, found in found_standings.items() if found}
