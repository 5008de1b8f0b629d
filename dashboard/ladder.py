"""Ladder: how good the players of a ladder are beside each other."""

from __future__ import annotations

import duckdb
import pandas as pd
import streamlit as st

from dashboard import controls, ladder_figures, results
from sweep.ladder import Standing
from sweep.seatings import MIX_WORDS
from sweep.standings import standings


def page() -> None:
    """Draw the page."""
    chosen = results.chosen()
    st.title("Ladder")
    plan = chosen.plan()
    if not plan.ladder:
        st.info(
            "This sweep is no ladder. A grid with the section `[ladder]` makes one: play it with"
            " `dojo-sweep ladder grid.toml`."
        )
        return
    found = chosen.ask(_standings)
    if not found:
        st.info("No play is stored yet in all seatings of its players; wait for the sweep.")
        return
    words = st.selectbox("Table", list(found)) if len(found) > 1 else next(iter(found))
    standing = found[words]
    _verdict(standing)
    st.markdown(
        "Each mark is a player's strength as all its plays show it, and its bar the 95% interval."
        " A square marks a player that is not shown to be better than those of the rung below."
    )
    controls.chart(ladder_figures.ratings(standing), "ratings")
    if shares := ladder_figures.shares(standing):
        st.markdown(
            "Each number is how often the player of the row wins against those of the column, in"
            " percent of all plays: blue above the share that equal players would have, red below."
        )
        controls.chart(shares, "shares")
    _luck(standing)
    with st.expander("The numbers"):
        _numbers(standing)


def _standings(con: duckdb.DuckDBPyConnection) -> dict[str, Standing]:
    chosen = results.chosen()
    return standings(con, chosen.game, chosen.plan())


def _verdict(standing: Standing) -> None:
    """Answer the page's question in a sentence."""
    failed = [step for step in standing.steps if not step.counts]
    if failed:
        pairs = ", ".join(f"{step.upper} over {step.lower}" for step in failed)
        st.warning(
            f"Not better beyond chance: {pairs} ({len(failed)} of {len(standing.steps)} steps).",
            icon=":material/stairs:",
        )
    else:
        st.success(
            "Every player is better than those of the rung below, beyond chance.",
            icon=":material/stairs:",
        )


def _luck(standing: Standing) -> None:
    """Tell what luck leaves to skill, and what nobody won."""
    lines = [
        f"{MIX_WORDS[mix].capitalize()}: who plays explains **{mean.mean:.1%}** of the result"
        f" (± {100 * mean.margin:.1f}), luck the rest."
        for mix, mean in standing.skill.items()
    ]
    lines.append(
        f"n = {standing.plays:,} plays; {standing.unfinished:.2%} of them ended unfinished, and"
        f" {standing.drawn:.2%} were drawn: nobody won these."
    )
    st.caption(" ".join(lines))


def _numbers(standing: Standing) -> None:
    rows = [
        {
            "Player": share.name,
            "Against": ", ".join(share.against),
            "Mix": MIX_WORDS[share.mix],
            "Wins": share.share,
            "95% from": share.low,
            "to": share.high,
            "Fair share": share.fair,
            "Plays": share.n,
        }
        for share in standing.shares
    ]
    percents = ("Wins", "95% from", "to", "Fair share")
    config = {name: st.column_config.NumberColumn(format="percent") for name in percents}
    config["Plays"] = st.column_config.NumberColumn(format="localized")
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=config)


page()
