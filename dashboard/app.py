"""The dashboard's entry: it only routes. Start it with `dojo-sweep dashboard`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import results
from dojo_core import games
from dojo_core.errors import DojoError

# The file, the address behind the first `/`, the title and the icon.
PAGES = (
    ("sweeps.py", "", "Sweeps", ":material/grid_view:"),
    ("compare.py", "compare", "Compare", ":material/compare_arrows:"),
    ("fairness.py", "fairness", "Seats and fairness", ":material/balance:"),
    ("length.py", "length", "Length", ":material/timer:"),
    ("board.py", "board", "Board", ":material/map:"),
    ("sql.py", "sql", "SQL", ":material/database:"),
)
# In the menu while the chosen sweep is a ladder.
LADDER = ("ladder.py", "ladder", "Ladder", ":material/stairs:")
IS_LADDER = "sweep is a ladder"

# A game may have a page of its own, the file `views_GAME.py`.
SHOWN_GAME = "shown game"

# A page's head is no taller than its title: charts begin high enough to be seen whole.
HEAD = """
<style>
[data-testid="stMainBlockContainer"] { padding: 2.2rem 2.5rem 2rem; }
[data-testid="stSidebarHeader"] { height: 2.5rem; }
h1 { padding-bottom: 0.3rem; }
</style>
"""


def main() -> None:
    """Draw the sidebar and the page that was asked for; tell a user's mistake in one sentence."""
    icon = str(Path(__file__).with_name("icon.svg"))
    st.set_page_config(page_title="dojo-sweep", page_icon=icon, layout="wide")
    st.html(HEAD)
    pages = [
        st.Page(file, title=title, icon=icon, url_path=address, default=not address)
        for file, address, title, icon in PAGES
    ]
    file, address, title, icon = LADDER
    shown = "visible" if st.session_state.get(IS_LADDER) else "hidden"
    ladder = st.Page(file, title=title, icon=icon, url_path=address, visibility=shown)
    # The first page is served at ``/``; who types its name finds it too.
    named = st.Page(PAGES[0][0], title="Sweeps", url_path="sweeps", visibility="hidden")
    page = st.navigation([*pages[:-1], ladder, *own_pages(), pages[-1], named])
    try:
        if results.sidebar():
            show_own_pages(results.chosen())
            page.run()
        else:
            results.explain_empty()
    except DojoError as error:
        st.error(str(error), icon=":material/error:")


def own_pages() -> list[Any]:
    """Return the pages that games have of their own; one shows while its game's sweep is chosen."""
    found = [name for name in games.GAMES if _views(name).exists()]
    return [
        st.Page(
            _views(name).name,
            title=games.load(name).title,
            icon=":material/extension:",
            url_path=name,
            visibility="visible" if name == st.session_state.get(SHOWN_GAME) else "hidden",
        )
        for name in found
    ]


def show_own_pages(chosen: results.Chosen) -> None:
    """Draw the app again when another sweep was chosen and the list of pages changes."""
    before = _own()
    st.session_state[SHOWN_GAME] = chosen.game.name
    st.session_state[IS_LADDER] = bool(chosen.plan().ladder)
    if _own() != before:
        st.rerun()


def _own() -> tuple[str | None, bool]:
    """Return the game whose own page is in the menu, if one is, and whether the ladder's is."""
    game = st.session_state.get(SHOWN_GAME)
    has_views = game is not None and _views(game).exists()
    return game if has_views else None, bool(st.session_state.get(IS_LADDER))


def _views(game: str) -> Path:
    return Path(__file__).with_name(f"views_{game}.py")


main()
