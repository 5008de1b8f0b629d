"""A ladder drawn into one file: `python -m dashboard.ladder_picture RESULTS NAME FILE`."""

from __future__ import annotations

import html
import sys
from pathlib import Path

from dashboard import ladder_figures
from dojo_core import games
from dojo_core.errors import DojoError
from sweep.ladder import Standing
from sweep.queries import connect, plan_of
from sweep.standings import standings


def draw(results: str, name: str, file: Path) -> None:
    """Write the figures of a stored ladder as a page that needs nothing else.

    Raises:
        DojoError: The sweep is no ladder, or the file cannot be written.
    """
    plan = plan_of(results, name)
    with connect(results, name) as con:
        found = standings(con, games.load(plan.game), plan)
    try:
        file.write_text(page(name, found), encoding="utf-8")
    except OSError as error:
        raise DojoError(f"{file} cannot be written ({error.strerror})", 3) from error


def page(name: str, found: dict[str, Standing]) -> str:
    """Return the page's text."""
    parts = [f"<!doctype html><meta charset='utf-8'><title>{html.escape(name)}</title>"]
    for words, standing in found.items():
        parts.append(f"<h1 style='font: 24px sans-serif'>{html.escape(words or name)}</h1>")
        for figure in (ladder_figures.ratings(standing), ladder_figures.shares(standing)):
            if figure:
                first = "plotly" not in "".join(parts)
                parts.append(figure.to_html(full_html=False, include_plotlyjs=first))
    return "\n".join(parts)


def main() -> None:
    """Draw what the command line names; a mistake ends in one sentence."""
    results, name, file = sys.argv[1:]
    try:
        draw(results, name, Path(file))
    except DojoError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
