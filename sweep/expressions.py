"""Small sums over options, such as ``200 * players``: checked when read, quick at every point.

Whole numbers, truths and words; ``+ - * // %``, comparisons, ``and or not``, ``a if b else c``,
``min max abs``. Nothing else is understood, so that an expression can neither loop nor grow.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dojo_core.errors import nearest

MAX_LENGTH = 500  # characters

Kind = Literal["number", "truth", "word"]
Value = int | bool | str
Read = Callable[[Mapping[str, Value]], Any]  # names' values -> the value of a part

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"min": min, "max": max, "abs": abs}


class ExpressionError(Exception):
    """What is wrong with an expression, as the end of a sentence."""


@dataclass(frozen=True)
class Expression:
    """A checked expression.

    Attributes:
        text: As it was written.
        names: The names in it.
        kind: What its value is.
    """

    text: str
    names: tuple[str, ...]
    kind: Kind
    _read: Read

    def value(self, names: Mapping[str, Value]) -> Value:
        """Return the value where the names have these values.

        Raises:
            ExpressionError: It divides by zero.
        """
        try:
            value: Value = self._read(names)
        except ZeroDivisionError:
            raise ExpressionError("divides by zero") from None
        return value


def read_expression(text: str, kinds: Mapping[str, Kind]) -> Expression:
    """Check an expression.

    Args:
        text: As it was written.
        kinds: The names that may be in it, and what each is.

    Raises:
        ExpressionError: It is too long, not an expression, or holds something else.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"is longer than {MAX_LENGTH} characters")
    try:
        tree = _parsed(text.strip())
        reader = _Reader(kinds)
        kind, read = reader.part(tree)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError("is not an expression, such as '200 * players'") from None
    return Expression(text, tuple(reader.names), kind, read)


def _parsed(text: str) -> ast.expr:
    # Python's advice, as on '\d', is for who writes Python; it would stand amid what is told here.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body


class _Reader:
    """Turns the parts of an expression into functions, and notes the names."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.kinds = kinds
        self.names: dict[str, None] = {}

    def part(self, node: ast.expr) -> tuple[Kind, Read]:
        """Return what a part's value is, and the function that finds it."""
        match node:
            case ast.Constant(value=bool() as value):
                return "truth", lambda names: value
            case ast.Constant(value=int() as value):
                return "number", lambda names: value
            case ast.Constant(value=str() as value):
                return "word", lambda names: value
            case ast.Name(id="true" | "false" as word) if word not in self.kinds:
                return "truth", lambda names: word == "true"
            case ast.Name(id=name):
                return self._name(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return self._arithmetic(_ARITHMETIC[type(op)], left, right)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._of_kind("number", operand)
                return "number", lambda names: -number(names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                truth = self._of_kind("truth", operand)
                return "truth", lambda names: not truth(names)
            case ast.BoolOp(op=op, values=values):
                truths = [self._of_kind("truth", value) for value in values]
                together = all if isinstance(op, ast.And) else any
                return "truth", lambda names: together(read(names) for read in truths)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choice(test, body, orelse)
            case ast.Call(func=ast.Name(id=name), args=[_, *_] as given, keywords=[]) if (
                name in _FUNCTIONS and (len(given) == 1) == (name == "abs")
            ):
                function = _FUNCTIONS[name]
                numbers = [self._of_kind("number", value) for value in given]
                return "number", lambda names: function(*(read(names) for read in numbers))
        raise ExpressionError(
            f"has {ast.unparse(node)!r}; expected whole numbers, options, + - * // %, comparisons,"
            " and, or, not, if-else, min, max, abs"
        )

    def _name(self, name: str) -> tuple[Kind, Read]:
        if name not in self.kinds:
            raise ExpressionError(f"has {name!r}, which is no option{nearest(name, self.kinds)}")
        self.names[name] = None
        return self.kinds[name], operator.itemgetter(name)

    def _of_kind(self, kind: Kind, node: ast.expr) -> Read:
        found, read = self.part(node)
        if found != kind:
            raise ExpressionError(f"has a {found} {ast.unparse(node)!r} where a {kind} belongs")
        return read

    def _arithmetic(
        self, operation: Callable[[Any, Any], Any], left: ast.expr, right: ast.expr
    ) -> tuple[Kind, Read]:
        one, other = self._of_kind("number", left), self._of_kind("number", right)
        return "number", lambda names: operation(one(names), other(names))

    def _comparison(self, node: ast.Compare) -> tuple[Kind, Read]:
        kind, first = self.part(node.left)
        reads = [first, *(self._of_kind(kind, value) for value in node.comparators)]
        unordered = [op for op in node.ops if not isinstance(op, ast.Eq | ast.NotEq)]
        if any(type(op) not in _COMPARISONS for op in node.ops) or (unordered and kind != "number"):
            raise ExpressionError(
                f"has {ast.unparse(node)!r}; expected == or != between two of a kind, or"
                " < <= > >= between numbers"
            )
        operations = [_COMPARISONS[type(op)] for op in node.ops]

        def read(names: Mapping[str, Value]) -> bool:
            values = [part(names) for part in reads]
            pairs = zip(operations, values, values[1:], strict=False)
            return all(holds(one, other) for holds, one, other in pairs)

        return "truth", read

    def _choice(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> tuple[Kind, Read]:
        truth = self._of_kind("truth", test)
        kind, yes = self.part(body)
        no = self._of_kind(kind, orelse)
        return kind, lambda names: yes(names) if truth(names) else no(names)
