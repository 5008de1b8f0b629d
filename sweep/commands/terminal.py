"""What the commands share: options that several take, the screen, and questions to the user."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dojo_core.errors import DojoError

if TYPE_CHECKING:
    from rich.console import Console

INTERRUPTED = 130

GridFile = Annotated[str, typer.Argument(metavar="GRID", help="The grid file, or a frozen plan.")]
Results = Annotated[str, typer.Option(help="The folder that holds the sweeps.")]
GridResults = Annotated[
    str | None, typer.Option("--results", help="The results folder, instead of the grid's.")
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Blocks played at a time; all cores when left out.")
]
Address = Annotated[
    str | None, typer.Option(help="A Ray cluster's address; else RAY_ADDRESS, else none.")
]
UseRay = Annotated[
    bool | None,
    typer.Option("--ray/--no-ray", help="Play on Ray, or in this process; else by size."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, whatever the size.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
SweepName = Annotated[str, typer.Argument(metavar="NAME", help="The sweep.")]
Name = Annotated[
    str | None,
    typer.Option(help="The sweep; several with commas, or all. The newest when left out."),
]


def console() -> Console:
    """Return the screen; wide where nobody sees its edge."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 160)


def ask(
    words: str,
    yes: bool,
    otherwise: str = ", or make it smaller",
    declined: str = "nothing was played",
) -> None:
    """Ask whether to go on, unless `yes` said so already.

    Args:
        words: What is about to be done.
        yes: Do not ask.
        otherwise: What else can be done than to add ``--yes`` where nobody can answer.
        declined: What to say when the answer is no.

    Raises:
        DojoError: The answer is no, or nobody is there to answer.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise DojoError(f"{words} Nobody is here to ask: add --yes to go on{otherwise}")
    if not typer.confirm(f"{words} Go on?"):
        raise DojoError(declined)
