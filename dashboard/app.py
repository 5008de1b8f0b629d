"""The dashboard's entry: it only routes. Start it with `dojo-sweep dashboard`."""

from __future__ import annotations

import streamlit as st

from dashboard import results
from dojo_core.errors import DojoError

PAGES = (
    ("sweeps.py", "Sweeps", ":material/grid_view:"),
    ("compare.py", "Compare", ":material/compare_arrows:"),
    ("fairness.py", "Seats and fairness", ":material/balance:"),
    ("length.py", "Length", ":material/timer:"),
    ("board.py", "Board", ":material/map:"),
    ("sql.py", "SQL", ":material/database:"),
)


def main() -> None:
    """Draw the sidebar and the page that was asked for; tell a user's mistake in one sentence."""
    st.set_page_config(
        page_title="dojo-sweep", page_icon=":material/sports_martial_arts:", layout="wide"
    )
    page = st.navigation(
        [st.Page(file, title=title, icon=icon, url_path=file[:-3]) for file, title, icon in PAGES]
    )
    try:
        if results.sidebar():
            page.run()
        else:
            results.explain_empty()
    except DojoError as error:
        st.error(str(error), icon=":material/error:")


main()
