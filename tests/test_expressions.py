"""The expressions of [derived]: what they give, and what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.expressions import MAX_LENGTH, ExpressionError, read_expression

KINDS = {"a": "number", "b": "number", "on": "truth", "die": "word"}
VALUES = {"a": 7, "b": -2, "on": True, "die": "coin"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * a - b", 25),
        ("a // 2 + a % 2", 4),
        ("-(a + b)", -5),
        ("min(a, b, 3) + max(a, 9) + abs(b)", 9),
        ("1 <= a < 9", True),
        ("not on or a == 7 and die != 'cube'", True),
        ("'cube' if die == 'coin' else die", "cube"),
        ("on == true", True),
        ("a if on else b", 7),
    ],
)
def test_an_expression_gives_its_value(text, value):
    found = read_expression(text, KINDS).value(VALUES)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not an expression"),
        ("a +", "is not an expression"),
        ("a = 3", "is not an expression"),
        ("(" * 300 + "a" + ")" * 100, "is not an expression"),
        ("-" * (MAX_LENGTH - 1) + "a", "is not an expression"),
        ("a" * (MAX_LENGTH + 1), "is longer than 500 characters"),
        ("c + 1", "has 'c', which is no option"),
        ("onn", "has 'onn', which is no option; did you mean 'on'?"),
        ("a / 2", "has 'a / 2'; expected whole numbers"),
        ("a ** 9", "has 'a ** 9'"),
        ("a << 9", "has 'a << 9'"),
        ("1.5", "has '1.5'"),
        ("a.real", "has 'a.real'"),
        ("[a]", "has '[a]'"),
        ("(lambda: a)()", "expected whole numbers"),
        ("__import__('os')", "expected whole numbers"),
        ("min(a)", "has 'min(a)'"),
        ("min(*a, b)", "has '*a'"),
        ("min(a, key=b)", "expected whole numbers"),
        ("'x' * a", "has a word \"'x'\" where a number belongs"),
        ("on + 1", "has a truth 'on' where a number belongs"),
        ("a and on", "has a number 'a' where a truth belongs"),
        ("a if b else 1", "has a number 'b' where a truth belongs"),
        ("a if on else die", "has a word 'die' where a number belongs"),
        ("die < 'x'", "expected == or !="),
        ("a in b", "expected == or !="),
    ],
)
def test_what_is_no_sum_over_options_is_refused(text, words):
    with pytest.raises(ExpressionError) as caught:
        read_expression(text, KINDS)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", [r"die == '\d'", "1if on else 2"])
def test_a_text_that_python_finds_doubtful_is_read_without_a_warning(text, recwarn):
    read_expression(text, KINDS)
    assert not recwarn.list


def test_a_division_by_zero_is_told():
    with pytest.raises(ExpressionError, match="divides by zero"):
        read_expression("a // (b + 2)", KINDS).value(VALUES)


@given(st.text(alphabet="ab1 +-*/%()<>=,.'[]{}:!&|^~@\"\\#if els and or not min", max_size=60))
def test_any_text_is_an_expression_or_refused_with_a_reason(text):
    try:
        expression = read_expression(text, KINDS)
        value = expression.value(VALUES)
    except ExpressionError:
        return
    assert isinstance(value, int | str)


@given(st.integers(-99, 99), st.integers(-99, 99), st.booleans())
def test_an_expression_means_what_python_means(a, b, on):
    text = "(a * 3 - b) // 2 if on and a > b or not on else max(a, -b) % 7"
    assert read_expression(text, KINDS).value({"a": a, "b": b, "on": on}) == eval(text)
