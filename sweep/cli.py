"""The command `dojo-sweep`: a thin layer over the grid, the plan, the runner and the queries.

What is slow to import (NumPy, Arrow, DuckDB, Ray) is imported by the command that needs it.
"""

from __future__ import annotations

import sys

import typer

from dojo_core.errors import DojoError
from sweep.commands import (
    asking,
    cluster,
    keeping,
    measuring,
    planning,
    ranking,
    running,
    showing,
    storing,
    telling,
    testing,
    tuning,
)

app = typer.Typer(
    name="dojo-sweep",
    help="Plays a game for every point of a grid, stores the plays and answers questions.",
    epilog="Exit codes: 0 all went well; 1 some blocks failed; 2 the input cannot be used;"
    " 3 trouble with storage, a cluster or stored files; 130 stopped by the user.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (
    planning.plan,
    running.run,
    ranking.ladder,
    tuning.tune,
    cluster.submit,
    asking.sql,
    telling.options,
    telling.trace,
    telling.block,
    keeping.status,
    showing.show,
    storing.verify,
    storing.clean,
    storing.export,
    keeping.dashboard,
    testing.chaos,
    measuring.bench,
):
    app.command()(command)
app.command("list")(keeping.list_sweeps)
app.command("import")(storing.import_sweeps)


def main() -> None:
    """Run `dojo-sweep`; a user's mistake ends in one sentence and an exit code."""
    try:
        app(prog_name="dojo-sweep")
    except DojoError as error:
        print(f"dojo-sweep: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
