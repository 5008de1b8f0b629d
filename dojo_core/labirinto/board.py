"""The board: four rotations of one quadrant, with its walls, rooms and tunnel links.

A quadrant is read by `parse`, made into a board by `build`, checked by `validate`. Square (r, c)
of quadrant 0 lies at (c, 15 - r) of quadrant 1, and so on clockwise.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dojo_core.errors import DojoError, nearest
from dojo_core.labirinto.board_checks import Report, design_errors, examine
from dojo_core.labirinto.quadrant import (
    RENDERED_FROM,
    ROWS,
    SQUARES,
    Codes,
    Finding,
    Flags,
    Quadrant,
    Square,
    is_rendered,
    notation,
    parse,
    tunnel_squares,
)

__all__ = [
    "SIDE",
    "SQUARES",
    "STEPS",
    "Board",
    "Finding",
    "Quadrant",
    "Report",
    "build",
    "load",
    "option_identity",
    "parse",
    "read_option",
    "render",
    "rotated",
    "shipped_boards",
    "validate",
    "write_rendered",
]

SIDE = 2 * ROWS  # squares in a row of the board
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # north, east, south, west

Array = npt.NDArray[Any]

_PACKAGE = Path(__file__).resolve().parent.parent
_BOARDS_KEPT = 64  # so many are built once only, however many points of a grid are played on them
_LARGEST_FILE = 100_000  # bytes; a quadrant with its comments has a few thousand


@dataclass(frozen=True, eq=False)
class Board:
    """The whole board. Arrays are row by row, read only.

    Attributes:
        codes: Shape (16, 16), one character a square; a tunnel is its digit.
        open_sides: Shape (16, 16, 4), True where a side (north, east, south, west) has no wall;
            that the Dojo is closed to all but Brown belts is not part of it.
        links: int16, shape (256,): by row-major index, the index of the linked tunnel, or -1.
        corner_of: int8, shape (16, 16): the quadrant, clockwise from 0 at the top left.
        rooms: int8, shape (16, 16): the corner whose Safe Room the square belongs to, or -1.
        offsets: By tunnel digit, the quarter turns from its first square to its link.
    """

    codes: Codes
    open_sides: Flags
    links: npt.NDArray[np.int16]
    corner_of: npt.NDArray[np.int8]
    rooms: npt.NDArray[np.int8]
    offsets: Mapping[str, int]

    def squares(self) -> Iterator[Square]:
        """Yield every square, row by row."""
        return ((row, column) for row in range(SIDE) for column in range(SIDE))

    def is_dojo(self, square: Square) -> bool:
        """Tell whether a square is in the Central Dojo."""
        return bool(self.codes[square] == "D")

    def beyond(self, square: Square, side: int) -> Square:
        """Return the square beyond a side, wall or not."""
        return square[0] + STEPS[side][0], square[1] + STEPS[side][1]

    def neighbours(self, square: Square) -> Iterator[tuple[int, Square]]:
        """Yield (side, square) for every open side, the Dojo's entrances included."""
        for side in np.flatnonzero(self.open_sides[square]).tolist():
            yield side, self.beyond(square, side)

    def tunnel_links(self, digit: str) -> list[tuple[Square, Square]]:
        """Return the four pairs of linked squares of a tunnel digit."""
        first, second = tunnel_squares(self.codes[:ROWS, :ROWS])[digit]
        return [(rotated(first, k), rotated(second, k + self.offsets[digit])) for k in range(4)]


def rotated(square: Square, quarters: int) -> Square:
    """Return where a square of the board lies after that many clockwise quarter turns."""
    row, column = square
    for _ in range(quarters % 4):
        row, column = column, SIDE - 1 - row
    return row, column


def build(quadrant: Quadrant) -> Board:
    """Return the board that the quadrant and its three rotations make."""
    codes = _four_turns(quadrant.codes, lambda codes: codes)
    # A quarter turn makes a square's north side its east side.
    open_sides = _four_turns(quadrant.open_sides, lambda sides: np.roll(sides, 1, axis=-1))
    corner_of = _four_turns(np.zeros((ROWS, ROWS), np.int8), lambda corner: corner + np.int8(1))
    board = Board(
        codes=codes,
        open_sides=open_sides,
        links=np.full(SIDE * SIDE, -1, np.int16),
        corner_of=corner_of,
        rooms=np.where(codes == "S", corner_of, np.int8(-1)),
        offsets=dict(quadrant.offsets),
    )
    for digit in board.offsets:
        for (a_row, a_column), (b_row, b_column) in board.tunnel_links(digit):
            a, b = SIDE * a_row + a_column, SIDE * b_row + b_column
            board.links[a], board.links[b] = b, a
    for array in (board.codes, board.open_sides, board.links, board.corner_of, board.rooms):
        array.setflags(write=False)
    return board


def _four_turns(quadrant: Array, turn: Callable[[Array], Array]) -> Array:
    """Lay a quadrant's array and its three clockwise rotations side by side.

    `turn` changes what the array holds by a quarter turn, after its squares have moved.
    """
    parts = [quadrant]
    for _ in range(3):
        parts.append(turn(np.rot90(parts[-1], -1)))
    top = np.concatenate((parts[0], parts[1]), axis=1)
    bottom = np.concatenate((parts[3], parts[2]), axis=1)
    return np.concatenate((top, bottom))


def render(board: Board) -> str:
    """Draw the whole board in the notation of the quadrant: 33 lines of 65 characters."""
    return "\n".join(notation(board.codes, board.open_sides)) + "\n"


def write_rendered(board: Board, source: str, path: Path) -> None:
    """Write the rendered board, headed by comments that name the quadrant it was made from.

    Raises:
        DojoError: The file cannot be written, or holds something else than a rendered board.
    """
    if path.is_file() and not is_rendered(_read_text(path)):
        raise DojoError(
            f"{path} exists and is no rendered board: remove it first, or give another name"
        )
    links = [
        f"# Tunnel {digit}: {', '.join(f'{a}-{b}' for a, b in board.tunnel_links(digit))}\n"
        for digit in board.offsets
    ]
    note = "# by `dojo board render`: change the quadrant, not this file.\n"
    try:
        path.write_text(f"{RENDERED_FROM}{source}\n{note}{''.join(links)}{render(board)}")
    except OSError as error:
        raise DojoError(f"{path} cannot be written: {error.strerror}") from error


def validate(text: str, legend_text: str = "", neighbours: str = "") -> Report:
    """Check a quadrant and its legend; the arguments are those of `parse`."""
    quadrant, findings = parse(text, legend_text, neighbours)
    if quadrant is None:
        return Report(tuple(findings), squares={})
    return examine(build(quadrant))


# The option `board`: files


def shipped_boards() -> dict[str, Path]:
    """Return the files of the shipped quadrants by their short names."""
    folder = _shipped_folder()
    files = [*folder.glob("quadrant.txt"), *sorted(folder.glob("variants/*.txt"))]
    return {path.stem: path for path in files}


def read_option(value: str, base: Path, legend: str | None = None) -> dict[str, Any]:
    """Read a quadrant's file and its legend.

    Args:
        value: A path, tried from `base`, from the current folder and from the project's folder;
            or the short name of a shipped board.
        base: The folder that relative paths start from.
        legend: The path of a legend to take instead of the quadrant's own (NAME.legend.toml) or
            its folder's (legend.toml).

    Returns:
        ``label`` (a short name), ``path``, ``text``, ``legend`` (its text, or empty),
        ``legend_path`` and ``neighbours`` (tunnel digits of the other quadrants that share the
        folder's legend, see `parse`).

    Raises:
        DojoError: There is no such file, or it cannot be read.
    """
    path = _find(value, base)
    own, shared = path.with_suffix(".legend.toml"), path.with_name("legend.toml")
    if legend is not None:
        legend_path: Path | None = _find_legend(legend, base)
    else:
        legend_path = next((p for p in (own, shared) if os.path.exists(p)), None)
    is_shared = legend is None and legend_path == shared
    return {
        "label": path.stem if _is_shipped(path) else value,
        "path": _shown(path),
        "text": _read_text(path),
        "legend": _read_text(legend_path) if legend_path else "",
        "legend_path": _shown(legend_path) if legend_path else "",
        "neighbours": _neighbours(path) if is_shared else "",
    }


def option_identity(read: dict[str, Any]) -> list[str]:
    """Return what of a board decides plays: its squares, walls and links, not its comments."""
    quadrant = _read_quadrant(read)
    offsets = [f"tunnel {digit}: {offset}" for digit, offset in sorted(quadrant.offsets.items())]
    return [*notation(quadrant.codes, quadrant.open_sides), *offsets]


def load(read: dict[str, Any], checked: bool = True) -> Board:
    """Build the board that `read_option` read.

    Args:
        read: What `read_option` returned.
        checked: Refuse errors of design too, not only of format.

    Raises:
        DojoError: The board has errors; exit code 2 for those of format, 1 for those of design.
    """
    board, errors = _built(_read_quadrant(read))
    if checked and errors:
        raise _refusal(read, errors, exit_code=1)
    return board


@functools.lru_cache(maxsize=_BOARDS_KEPT)
def _built(quadrant: Quadrant) -> tuple[Board, list[Finding]]:
    board = build(quadrant)
    return board, design_errors(board)


_parsed = functools.lru_cache(maxsize=_BOARDS_KEPT)(parse)


def _read_quadrant(read: dict[str, Any]) -> Quadrant:
    quadrant, findings = _parsed(read["text"], read.get("legend", ""), read.get("neighbours", ""))
    if quadrant is None:
        raise _refusal(read, findings, exit_code=2)
    return quadrant


def _refusal(read: dict[str, Any], findings: list[Finding], exit_code: int) -> DojoError:
    first, path = findings[0], read.get("path") or read.get("label", "board")
    more = f" (1 of {len(findings)} errors)" if findings[1:] else ""
    return DojoError(
        f"{path}: {first.code}: {first.message}{more}; `dojo board validate {path}` tells all",
        exit_code,
    )


def _shipped_folder() -> Path:
    """Return the folder `board`: packaged in an installed copy, beside the package in a clone."""
    packaged = _PACKAGE / "board_data"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "board"


def _is_shipped(path: Path) -> bool:
    return _shipped_folder().resolve() in path.resolve().parents


def _find(value: str, base: Path) -> Path:
    """Return the quadrant's file that a path or short name means."""
    shipped = shipped_boards()
    places = _places(value, base)
    for place in places:
        if _is_file(place):
            return place
    if value in shipped:
        return shipped[value]
    known = ", ".join(shipped)
    if any(os.path.isdir(place) for place in places):
        raise DojoError(
            f"the board {value!r} is a folder, expected the file of a quadrant in it, or one of"
            f" the shipped boards: {known}"
        )
    beside = [str(Path(value).with_name(path.name)) for path in _text_files(places[0].parent)]
    raise DojoError(
        f"there is no board {value!r}{nearest(value, [*shipped, *beside])}; expected the file of"
        f" a quadrant, or one of the shipped boards: {known}"
    )


def _find_legend(value: str, base: Path) -> Path:
    for place in _places(value, base):
        if _is_file(place):
            return place
    raise DojoError(f"there is no legend {value!r}, expected a TOML file of tunnel links")


def _places(value: str, base: Path) -> list[Path]:
    """Return where a path may lie: from `base`, the current folder, the project, the package."""
    path = Path(os.path.expanduser(value))
    places = [base / path, Path.cwd() / path, _PACKAGE.parent / path]
    if path.parts[:1] == ("board",):
        places.append(_shipped_folder().joinpath(*path.parts[1:]))
    return places


def _is_file(path: Path) -> bool:
    return os.path.exists(path) and not os.path.isdir(path)


def _shown(path: Path) -> str:
    """Return a path as a person would write it from here."""
    if _is_shipped(path):
        return f"board/{path.resolve().relative_to(_shipped_folder().resolve()).as_posix()}"
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise DojoError(f"{_shown(path)} cannot be read: {error.strerror}") from error
    if len(data) > _LARGEST_FILE:
        raise DojoError(
            f"{_shown(path)} has more than {_LARGEST_FILE} bytes, expected a text of some 20 lines"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(path, error.start) from error
    if "\0" in text:
        raise _no_text(path, data.index(0))
    return text


def _no_text(path: Path, position: int) -> DojoError:
    return DojoError(
        f"{_shown(path)} is no text (byte {position + 1} is not UTF-8 text), expected a text file"
        f" in UTF-8"
    )


def _neighbours(path: Path) -> str:
    """Return the tunnel digits of the other quadrants that share the legend of a folder."""
    digits: set[str] = set()
    for other in _text_files(path.parent):
        if other.name == path.name or os.path.exists(other.with_suffix(".legend.toml")):
            continue
        try:
            quadrant, _ = parse(_read_text(other))
        except DojoError:
            continue  # not a quadrant
        if quadrant is not None:
            digits |= quadrant.offsets.keys()
    return "".join(sorted(digits))


def _text_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.txt"))
