"""Assertions of the package tell the type checker what is known; they never check anything."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parent.parent / "src").rglob("*.py"))


def _only_tells(test: ast.expr) -> bool:
    """Say whether a test is ``x is not None`` or ``isinstance(x, kind)``."""
    if isinstance(test, ast.Compare):
        (operator, *more), (other, *_) = test.ops, test.comparators
        is_none = isinstance(other, ast.Constant) and other.value is None
        return not more and isinstance(operator, ast.IsNot) and is_none
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name):
        return test.func.id == "isinstance"
    return False


def _others(text: str) -> list[int]:
    """Return the lines of assertions that check something."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert))
    return [node.lineno for node in found if not _only_tells(node.test)]


def test_no_assertion_of_the_package_checks_anything() -> None:
    assert len(SOURCES) > 100
    found = {str(path): _others(path.read_text()) for path in SOURCES}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "checks", ["x > 0", "x is None", "len(x)", "x is not None and y", "x.isinstance(y)"]
)
def test_assertions_that_check_are_found(checks: str) -> None:
    assert _others(f"assert y is not None\nassert {checks}\n") == [2]
