"""Situations laid on a table as a scenario lays them, and what a player does in them.

Squares are [row, column]. On the board OPEN, seat 0's Safe Room has its exits at (1, 2) and (2, 1),
and almost nothing else has walls.
"""

import json

from board_drawings import DATA

from dojo_core import games
from dojo_core.kernel import entry, wrapping_arithmetic
from dojo_core.labirinto import board as boards
from dojo_core.labirinto import players, scenarios, tables
from dojo_core.labirinto import walks as walk_module
from dojo_core.labirinto.rules import lift
from dojo_core.labirinto.setup import prepare_on
from dojo_core.labirinto.trace import square_of

GAME = games.load("labirinto")
QUADRANTS = json.loads((DATA / "boards.json").read_text())


@entry
def plan(rules, maze, tree, laid, steps):
    table = laid[0]
    walk_module.begin_walk(maze[0], table, table.at[table.seat], steps)
    table.spared = 0
    table.shut = 0
    table.plan_length = 0
    lift(table, table.seat)
    players.plan_steps(rules[0], maze[0], tree, table)


@entry
def decide(rules, maze, laid, kind, seat, count):
    return players.decide(rules[0], maze[0], laid[0], kind, seat, count)


class Situation:
    """A table with a situation on it, and the same player (`greedy`) at every seat."""

    def __init__(self, board="OPEN", walls=(), options=None, player="greedy", **situation):
        self.scenario = {"n": 3, **situation}
        given = {"players": self.scenario["n"], "player": player, "dice": 1} | (options or {})
        read = scenarios._board_of({"board": board}, QUADRANTS)
        read["text"] = drawn_over(read["text"], walls)
        self.tables = prepare_on(boards.load(read, checked=False), GAME.resolve(given)).tables
        self.laid = self.tables.table.copy()
        self.table = self.laid[0]
        self.lay()

    def lay(self, play=0):
        """Lay the situation, with the random numbers of a play."""
        scenarios.lay_situation(self.tables, self.laid, self.scenario, 1, play)

    def walk(self, steps, play=0):
        """Return the squares that the mover plans to step onto."""
        self.lay(play)
        with wrapping_arithmetic():
            plan(self.tables.rules, self.tables.maze, self.tables.tree, self.laid, steps)
        squares, at = [], self.table.at[self.table.seat]
        for node in self.table.plan[: self.table.plan_length]:
            if node == tables.NOWHERE:
                at = self.tables.maze[0].entrance[at]
            else:
                at = (int(self.tables.tree.nodes[node].square) + int(self.table.turn_of_tree)) & 255
            squares.append(tuple(square_of(at)))
        return squares

    def end(self, steps, play=0):
        return self.walk(steps, play)[-1]

    def choose(self, kind, seat, options, play=0):
        """Return which of these options a seat takes."""
        self.lay(play)
        self.table.options[: len(options)] = options
        with wrapping_arithmetic():
            answer = decide(
                self.tables.rules, self.tables.maze, self.laid, kind, seat, len(options)
            )
        return options[answer]


def drawn_over(text, codes):
    """Return a quadrant with other codes on some squares."""
    lines = text.splitlines()
    for (row, column), code in dict(codes).items():
        line = lines[2 * row + 1]
        lines[2 * row + 1] = line[: 4 * column + 2] + code + line[4 * column + 3 :]
    return "\n".join(lines)


def at(row, column, track=4, **more):
    return {"at": [row, column], "pos": track, **more}


def far_away(track=4):
    """A pawn in its Safe Room."""
    return {"pos": track}
