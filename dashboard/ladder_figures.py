"""A ladder to Plotly figures: ratings, and who wins how often against whom."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard import figures, style
from sweep.ladder import Standing
from sweep.seatings import MIX_WORDS, MIXES
from sweep.statistics import Z95

# Cells of the matrix have room for their numbers up to so many rungs.
MOST_NUMBERED = 12
ROW_HEIGHT = 46


def ratings(standing: Standing) -> go.Figure:
    """Draw the rating of each rung with its 95% interval, the highest rung on top."""
    names = [rating.name for rating in standing.ratings]
    unsure = {step.upper for step in standing.steps if not step.counts}
    figure = go.Figure()
    groups = (
        ("better than the rung below", style.color(0), style.symbol(0), True),
        ("not shown to be better", style.color(1), style.symbol(1), False),
    )
    for title, color, symbol, better in groups:
        chosen = [rating for rating in standing.ratings if (rating.name not in unsure) is better]
        figure.add_trace(
            go.Scatter(
                x=[rating.rating for rating in chosen],
                y=[names.index(rating.name) for rating in chosen],
                error_x={
                    "type": "data",
                    "array": [Z95 * rating.se for rating in chosen],
                    "thickness": 2,
                    "width": 6,
                },
                mode="markers",
                marker={"size": 11, "color": color, "symbol": symbol},
                name=title,
                text=[rating.name for rating in chosen],
                hovertemplate=("%{text}: %{x:+.0f} ± %{error_x.array:.0f} points<extra></extra>"),
            )
        )
    figure.update_xaxes(title="Rating (points; 400 more are ten times the chance to win)")
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=names, range=[-0.6, len(names) - 0.4]
    )
    title = f"How good the players are, {standing.seats} at a table: rating and 95% interval"
    return figures.finish(figure, title, 190 + ROW_HEIGHT * len(names), legend=True)


def shares(standing: Standing) -> go.Figure | None:
    """Draw how often each player wins against each other, coloured by how far that is from fair.

    Returns None when only mixes of many different players were played.
    """
    mixes = [m for m in MIXES if m != "different" and any(s.mix == m for s in standing.shares)]
    if not mixes:
        return None
    names = [rating.name for rating in standing.ratings]
    figure = make_subplots(
        cols=len(mixes),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[style.words(MIX_WORDS[mix]) for mix in mixes],
    )
    for column, mix in enumerate(mixes, 1):
        found = {(s.name, s.against[0]): s for s in standing.shares if s.mix == mix}
        cells = [[found.get((name, other)) for other in names] for name in names]
        figure.add_trace(
            go.Heatmap(
                # In proportion to the fair share, so that both mixes have one scale.
                z=[[c and (c.share / c.fair - 1 if c.fair else 0) for c in row] for row in cells],
                x=names,
                y=names,
                customdata=[
                    [[c.share, c.low, c.high, c.fair, c.n] if c else [None] * 5 for c in row]
                    for row in cells
                ],
                text=[[f"{100 * c.share:.0f}" if c else "" for c in row] for row in cells],
                texttemplate="%{text}" if len(names) <= MOST_NUMBERED else None,
                coloraxis="coloraxis",
                xgap=2,
                ygap=2,
                hovertemplate=(
                    "%{y} against %{x}: wins %{customdata[0]:.2%}, fair share %{customdata[3]:.2%}"
                    "<br>95% interval %{customdata[1]:.2%} to %{customdata[2]:.2%}"
                    "<br>%{customdata[4]:,} plays<extra></extra>"
                ),
            ),
            row=1,
            col=column,
        )
    reach = max(
        (abs(s.share / s.fair - 1) for s in standing.shares if s.mix in mixes and s.fair), default=1
    )
    figure.update_layout(
        coloraxis={
            "colorscale": style.DIFFERENCE,
            "cmid": 0,
            "cmin": -min(1.0, max(reach, 0.1)),
            "cmax": min(1.0, max(reach, 0.1)),
            "colorbar": {"title": "Above the<br>fair share", "tickformat": "+.0%"},
        }
    )
    figure.update_xaxes(title="The others", showgrid=False)
    figure.update_yaxes(showgrid=False)
    figure.update_yaxes(title="The player", col=1)
    title = "How often the player of the row wins (% of the plays)"
    return figures.finish(figure, title, 230 + ROW_HEIGHT * len(names), panels=True)
