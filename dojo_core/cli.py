"""The command `dojo`: boards, options and single plays, without a sweep.

Every command is a thin function over plain ones. What is slow to import (NumPy, compiled games) is
imported by the command that needs it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dojo_core.errors import DojoError

if TYPE_CHECKING:
    from dojo_core.game import Event, Game
    from dojo_core.options import Option

app = typer.Typer(
    name="dojo",
    help="Boards, options and single plays of the dojo's games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
board_app = typer.Typer(help="Check a quadrant, or draw the board it makes.", no_args_is_help=True)
app.add_typer(board_app, name="board")

QuadrantFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A quadrant's file, or the name of a shipped one.")
]
LegendFile = Annotated[
    str | None,
    typer.Option(
        "--legend",
        metavar="FILE",
        help="Tunnel links; else NAME.legend.toml or legend.toml beside the quadrant.",
    ),
]
# The fewest rounds whose intervals hold at 95% for all peers together.
PEER_ROUNDS = 11

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """Run `dojo`; a user's mistake ends in one sentence and an exit code, not in a traceback."""
    try:
        app(prog_name="dojo")
    except DojoError as error:
        print(f"dojo: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


@board_app.command("validate")
def board_validate(
    file: QuadrantFile = "board/quadrant.txt",
    legend: LegendFile = None,
    as_json: AsJson = False,
) -> None:
    """Check a quadrant against the format and the rules of design, and report on the board.

    Exit code 0: fine, warnings allowed; 1: errors of design; 2: errors of format, or no file.
    """
    from dojo_core.labirinto import board, board_checks

    read = board.read_option(file, Path.cwd(), legend)
    report = board.validate(read["text"], read["legend"], read["neighbours"])
    if as_json:
        files = {"file": read["path"], "legend": read["legend_path"] or None}
        print(json.dumps({**files, **report.as_dict()}, indent=2))
    else:
        legend_note = f", links from {read['legend_path']}" if read["legend_path"] else ""
        print(f"{read['path']}{legend_note}: {report.verdict}")
        print(*board_checks.describe(report), sep="\n")
    raise typer.Exit(report.exit_code)


@board_app.command("render")
def board_render(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")
    ],
    file: QuadrantFile = "board/quadrant.txt",
    legend: LegendFile = None,
) -> None:
    """Draw the whole 16x16 board that a quadrant makes, in the quadrant's notation.

    Exit code 0: fine; 1: drawn, but the board has errors of design; 2: it cannot be drawn.
    """
    from dojo_core.labirinto import board, board_checks

    read = board.read_option(file, Path.cwd(), legend)
    drawn = board.load(read, checked=False)
    board.write_rendered(drawn, read["path"], output)
    print(f"wrote {output}, the board of {read['path']}")
    errors = board_checks.design_errors(drawn)
    for error in errors:
        print(f"{error.code}  {error.message}", file=sys.stderr)
    raise typer.Exit(1 if errors else 0)


@app.command("options")
def options(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game.")] = "labirinto",
    as_json: AsJson = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """List every option of a game: its default, what it may be, what it changes, its source."""
    from dojo_core import games

    if as_json and as_markdown:
        raise DojoError("--json and --markdown exclude each other, expected one of them")
    found = games.load(game)
    if as_markdown:
        from dojo_core import options_page

        print(options_page.markdown(found), end="")
    elif as_json:
        print(json.dumps([option_record(option) for option in found.options], indent=2))
    else:
        print(*option_lines(found), sep="\n")


Assignments = Annotated[
    list[str] | None, typer.Argument(metavar="OPTION=VALUE", help="Options, see `dojo options`.")
]
GameName = Annotated[str, typer.Option("--game", help="The game.")]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="The seed of the random numbers.")]


@app.command("trace")
def trace(
    assignments: Assignments = None,
    seed: Seed = 1,
    play: Annotated[int, typer.Option(min=0, help="Which play under that seed.")] = 0,
    language: Annotated[str, typer.Option("--lang", help="en or it.")] = "en",
    as_json: AsJson = False,
    game: GameName = "labirinto",
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Tell a kept trace instead, see `dojo play --save`."),
    ] = None,
) -> None:
    """Tell one play event by event: in words, or as JSON Lines."""
    from dojo_core import games

    if file is not None:
        if assignments:
            raise DojoError(f"--file {file} has its options; leave {assignments[0]!r} out")
        events = read_trace(file)
        found = games.load(str(events[0].get("game")))
    else:
        found = games.load(game)
        setup = found.prepare(found.resolve(assigned(assignments)))
        events = found.trace(setup, seed, play)
    lines = map(json.dumps, events) if as_json else found.describe(events, language)
    for line in lines:
        print(line)


def read_trace(file: Path) -> list[Event]:
    """Return the events of a file of JSON Lines that begins with a setup."""
    try:
        events = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not JSON Lines"
        raise DojoError(f"{file} cannot be read: {why}; expected a trace") from error
    if not events or not isinstance(events[0], dict) or events[0].get("event") != "setup":
        raise DojoError(f"{file} does not begin with the event 'setup'; expected a trace")
    return events


@app.command("play")
def play(
    assignments: Assignments = None,
    seats: Annotated[
        list[int] | None,
        typer.Option("--seat", help="Where a person sits, from 0; several may. Without it: 0."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Who sits on the other seats: one for all, or one for each, in order; a player of"
            " weights by its file, FILE.toml or FILE.toml:NAME.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**63 - 1, help="The seed of the dice; any other without it."),
    ] = None,
    language: Annotated[str, typer.Option("--lang", help="en or it.")] = "en",
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the play as a trace, see `dojo trace --file`."),
    ] = None,
    game: GameName = "labirinto",
) -> None:
    """Play against any players in the terminal; what is hidden at the table stays hidden.

    Exit code 0: the play is over, or was stopped with q; 1: the input ended before; 130: stopped by
    Ctrl-C. Whatever was played is saved, if asked to.
    """
    import secrets

    from dojo_core import games, playing
    from dojo_core.options import find

    found = games.load(game)
    playing.people_of(found)
    if save is not None and (save.exists() or not save.parent.is_dir()):
        why = "exists already" if save.exists() else "lies in no folder that exists"
        raise DojoError(f"--save {save} {why}; name a new file")
    given = assigned(assignments)
    if "player" in given:
        raise DojoError(f"player={given['player']} is told by --against PLAYER when people play")
    options = found.resolve(given)
    people = sorted(set(seats or [0]))
    decides = find(found.options, "player")
    others = [playing.read_player(word, decides) for word in against or [options["player"]]]
    table = playing.seat_players(options["players"], people, others)
    setup = found.prepare(found.resolve({**given, "player": table}))
    seed = secrets.randbits(32) if seed is None else seed
    sitting = playing.Sitting(found, setup, seed, people, language, input, print)
    code = sitting.play()
    print(sitting.keep(save))
    raise typer.Exit(code)


def assigned(assignments: list[str] | None) -> dict[str, str]:
    """Return the values of ``option=value`` words by option name."""
    values = {}
    for word in assignments or []:
        name, equals, value = word.partition("=")
        if not equals:
            raise DojoError(f"{word!r} is not of the form option=value, for instance players=4")
        values[name.strip()] = value.strip()
    return values


@app.command("scenarios")
def scenarios(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON files.")],
) -> None:
    """Play conformance scenarios by the compiled rules and compare; one line of JSON each.

    Exit code 0: all passed; 1: some failed; 2: a file cannot be read.
    """
    from dojo_core.scenarios import run_file

    passed, failed = 0, 0
    for file in files:
        for result in run_file(file):
            print(json.dumps(result, ensure_ascii=False))
            passed += result["passed"]
            failed += not result["passed"]
    print(f"{passed} passed, {failed} failed")
    raise typer.Exit(1 if failed else 0)


@app.command("bench")
def bench(
    context: typer.Context,
    assignments: Assignments = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds to play for each line.")] = 2.0,
    counts: Annotated[
        str | None, typer.Option("--players", help="Player counts; else 4,8 or what can sit.")
    ] = None,
    with_compile: Annotated[
        bool, typer.Option("--compile/--no-compile", help="Also compile from nothing, timed.")
    ] = True,
    against: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Compare with the engine of this commit, in pairs."),
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Play beside other engines, and plain Python.")
    ] = False,
    pairs: Annotated[int, typer.Option(min=6, help="Pairs for each line, with --against.")] = 31,
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also append what was measured to a file.")
    ] = None,
    as_json: AsJson = False,
    game: GameName = "labirinto",
) -> None:
    """Measure plays, turns and decisions a second on one core, and the time to compile.

    With --against, exit code 1 says that some line is slower by more than 15%, and not by chance;
    where both have the same engine, nothing is played.
    """
    from dojo_core import games

    if peers:
        refuse_beside_peers(context)
        bench_beside_peers(seconds, keep, as_json)
        return
    found = games.load(game)
    tables = usual_tables(found) if counts is None else player_counts(counts)
    options = assigned(assignments)
    rows = [
        {**options, "player": strategy.name, "players": players}
        for strategy in found.strategies
        for players in tables
    ]
    if against is not None:
        slower = bench_against_revision(against, game, rows, pairs, seconds / pairs, keep, as_json)
        raise typer.Exit(1 if slower else 0)
    bench_here(found, rows, seconds, with_compile, keep, as_json)


def usual_tables(game: Game) -> list[int]:
    """Return the player counts that a bench plays when none are given."""
    from dojo_core.options import find

    players = find(game.options, "players")
    fitting = [count for count in (4, 8) if players.low <= count <= players.high]
    return fitting or [players.default]


def player_counts(counts: str) -> list[int]:
    """Return the whole numbers of a list such as ``4,8``."""
    tables = [int(word) for word in counts.split(",") if word.strip().isdigit()]
    if not tables or len(tables) != len(counts.split(",")):
        raise DojoError(f"--players {counts!r} is not a list of whole numbers, for instance 4,8")
    return tables


def bench_here(
    game: Game,
    rows: list[dict[str, Any]],
    seconds: float,
    with_compile: bool,
    keep: Path | None,
    as_json: bool,
) -> None:
    """Measure this engine, and show it."""
    from dojo_core import bench

    measured = [bench.measure(game, row["player"], row["players"], seconds, row) for row in rows]
    compiling = bench.compile_seconds(game.name) if with_compile else None
    result = {"game": game.name, "compile_seconds": compiling, "rows": measured}
    lines = list(bench.table(measured))
    if compiling is not None:
        lines.append(f"compile from nothing and play once: {compiling:.1f} s")
    tell_bench(result, lines, keep, as_json)


def tell_bench(
    result: dict[str, Any], lines: Iterable[str], keep: Path | None, as_json: bool
) -> None:
    """Keep what was measured, if asked to, and show it as JSON or in these lines."""
    from dojo_core import bench

    if keep is not None:
        bench.keep(keep, result)
    print(json.dumps(result, indent=2) if as_json else "\n".join(lines))


def refuse_beside_peers(context: typer.Context) -> None:
    """Refuse what else was given with ``--peers``, which always plays the same."""
    heeded = {"peers", "seconds", "keep", "as_json"}
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name not in heeded and source and source.name == "COMMANDLINE":
            given = parameter.opts[0] if parameter.param_type_name == "option" else "OPTION=VALUE"
            raise DojoError(
                f"{given} has no meaning with --peers, which plays the Labirinto and its peers by"
                " rules of its own; leave one of them out"
            )


def bench_beside_peers(seconds: float, keep: Path | None, as_json: bool) -> None:
    """Put this engine beside others, and show it."""
    from dojo_core import bench_peers

    rows = bench_peers.measure(PEER_ROUNDS, seconds / 4)
    result = {
        "game": "labirinto",
        "peers": [{**row._asdict(), "peer": row.peer.name} for row in rows],
    }
    tell_bench(result, bench_peers.table(rows), keep, as_json)


def bench_against_revision(
    revision: str,
    game: str,
    rows: list[dict[str, Any]],
    pairs: int,
    seconds: float,
    keep: Path | None,
    as_json: bool,
) -> bool:
    """Compare with an older engine, and show it; return whether something got slower."""
    from dojo_core import bench_against

    compared = list(bench_against.compare(revision, game, rows, pairs, seconds))
    result = {"game": game, "against": revision, "rows": [row._asdict() for row in compared]}
    tell_bench(result, bench_against.table(revision, compared, len(rows)), keep, as_json)
    return any(row.slower for row in compared)


@app.command("fairness")
def fairness(
    assignments: Assignments = None,
    plays: Annotated[int, typer.Option(min=1, help="Plays for each line.")] = 100_000,
    seed: Seed = 1,
) -> None:
    """Check that equal players win equally often from each corner, at 4 and at 8 seats.

    `random` does not finish by the printed rules, so it starts as a Brown belt here and stops
    after 200 rounds. Exit code 0: no corner is favoured; 1: some chi-squared is beyond 1% after
    Bonferroni's correction.
    """
    from dojo_core import games
    from dojo_core.labirinto.fairness import chi_squared, corner_wins

    found = games.load("labirinto")
    level = 0.01 / (2 * len(found.strategies))
    unfair = False
    for strategy in found.strategies:
        for players in (4, 8):
            options: dict[str, Any] = {"player": strategy.name, "players": players}
            if strategy.name == "random":
                options |= {"start_track": 15, "start_track_many": 15, "max_rounds": 200}
            wins = corner_wins(found, options | assigned(assignments), seed, plays)
            statistic, probability = chi_squared(wins)
            verdict = "fair" if probability >= level else "NOT fair"
            unfair = unfair or probability < level
            shares = " ".join(f"{100 * count / max(sum(wins), 1):.2f}%" for count in wins)
            print(
                f"{strategy.name:10} {players} seats: {shares} of {sum(wins):,} wins,"
                f" chi-squared {statistic:.2f} (3 df), p = {probability:.3f}: {verdict}",
                flush=True,
            )
    raise typer.Exit(1 if unfair else 0)


def option_record(option: Option) -> dict[str, Any]:
    """Return what there is to know of an option as plain data for JSON."""
    record: dict[str, Any] = {
        "name": option.name,
        "group": option.group,
        "kind": option.kind,
        "default": option.default,
        "expected": option.expected,
        "unit": option.unit,
        "help": option.help,
        "source": option.source,
        "assumed": option.assumed,
    }
    if option.kind == "integer":
        record |= {"low": option.low, "high": option.high}
    if option.choices:
        record["choices"] = list(option.choices)
    return record


def option_lines(game: Game) -> Iterator[str]:
    """Tell the options of a game in lines of text, under the headings of their groups."""
    yield f"{game.title} ({game.name})"
    groups = dict.fromkeys(option.group for option in game.options)
    for group in groups:
        yield ""
        yield group
        for option in game.options:
            if option.group == group:
                yield from _option_lines(option)


def _option_lines(option: Option) -> Iterator[str]:
    default = option.default["label"] if isinstance(option.default, dict) else option.default
    value = json.dumps(default) if option.kind == "switch" else default
    unit = f" {option.unit}" if option.unit else ""
    expected = f"{option.low}-{option.high}" if option.kind == "integer" else option.expected
    assumed = "; the default is assumed" if option.assumed else ""
    yield f"  {option.name} = {value}{unit}  ({expected}{assumed})"
    yield f"      {option.help} [{option.source}]"


if __name__ == "__main__":
    main()
