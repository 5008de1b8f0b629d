"""The page of all options of a game, written from its option table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dojo_core.game import Game, Preset
from dojo_core.options import Option

_INTRO = """\
# Options of {title}

<!-- Written by `dojo options {name} --markdown`: change the option table instead. -->

Each option can be fixed (`[fixed]`) or be an axis (`[grid]`, a list of values) in a grid file, and
is given on a command line as `option=value`. What is not given has its default: the rulebook's, or
the shipped material's. A default marked *assumed* is neither measured nor printed, only a start."""
_PRESETS = """
## Presets

A preset sets some options at once, and a grid file names it: `preset = "NAME"` in `[fixed]`, or
several as an axis in `[grid]`. More of them can be written in the grid file itself."""
_WEIGHTS = """
## Weights of a player

Wherever a player is named it may also be given by its weights, as in
`player = {{inherits = "{parent}", {feature} = {value}}}`: what is not given is inherited, or has
its default. `name = "..."` says what tables call it."""
_PRESET_COLUMNS = ("preset", "sets", "what it is", "source")
_WEIGHT_COLUMNS = ("weight", "unit", "what it weighs", "values", "default")
_COLUMNS = ("option", "default", "values", "unit", "what it changes", "source")


def markdown(game: Game) -> str:
    """Return the options page of `game` in Markdown, one table a group, in the table's order."""
    return "\n".join(_lines(game)) + "\n"


def _lines(game: Game) -> Iterator[str]:
    yield _INTRO.format(title=game.title, name=game.name)
    if game.presets:
        yield _PRESETS + "\n"
        yield _row(_PRESET_COLUMNS)
        yield _row("---" for _ in _PRESET_COLUMNS)
        yield from (_row(_preset_cells(preset)) for preset in game.presets)
    for group in dict.fromkeys(option.group for option in game.options):
        yield f"\n## {group}\n"
        yield _row(_COLUMNS)
        yield _row("---" for _ in _COLUMNS)
        yield from (_row(_cells(option)) for option in game.options if option.group == group)
    if game.player_features:
        yield from _weights(game)


def _weights(game: Game) -> Iterator[str]:
    """Yield the section of what players weigh, and how much those of the game do."""
    made = {s.name: weights for s in game.strategies if (weights := game.weights_of(s.name))}
    parent, weights = list(made.items())[-1]
    feature = list(weights)[-1]
    yield _WEIGHTS.format(parent=parent, feature=feature, value=_plain(weights[feature])) + "\n"
    yield _row((*_WEIGHT_COLUMNS, *made))
    yield _row("---" for _ in (*_WEIGHT_COLUMNS, *made))
    for option in game.player_features:
        named = (
            f"`{option.name}`",
            option.unit,
            option.help,
            _values(option),
            _plain(option.default),
        )
        yield _row((*named, *(_plain(weights[option.name]) for weights in made.values())))


def _cells(option: Option) -> Iterator[str]:
    yield f"`{option.name}`"
    yield f"`{_plain(option.default)}`" + (" *assumed*" if option.assumed else "")
    yield _values(option)
    yield option.unit
    yield option.help
    yield option.source


def _preset_cells(preset: Preset) -> Iterator[str]:
    yield preset.name
    yield settings(preset, "`{} = {}`") or "nothing"
    yield preset.help
    yield preset.source


def settings(preset: Preset, shape: str = "{} = {}") -> str:
    """Return what a preset sets, each option and its value in the `shape`."""
    return ", ".join(shape.format(name, _plain(value)) for name, value in preset.options.items())


def _plain(value: object) -> str:
    """Return a value as a grid file spells it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(option: Option) -> str:
    """Return what the option may be, briefly."""
    if option.kind == "integer":
        return f"{option.low} to {option.high}"
    if option.kind == "switch":
        return "`false`, `true`"
    if option.kind == "file":
        return "a path, or a shipped name"
    words = ", ".join(f"`{word}`" for word in option.choices)
    weighed = "; or [weights](#weights-of-a-player)" if option.features else ""
    return f"{words}{weighed}; or a list, one a seat" if option.kind == "per_seat" else words


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
