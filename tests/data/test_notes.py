"""Notes: how much each kind matters, and the order that follows from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import veracity
from veracity.data.notes import IMPORTANCE, Importance, Note, importance_of, ranked

SOURCES = Path(veracity.__file__).parent


def kinds_written() -> Iterator[str]:
    """Return the first argument of every ``Note("...")`` in the package."""
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Note" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    yield str(first.value)


def test_every_kind_of_note_has_an_importance() -> None:
    kinds = set(kinds_written())
    assert {"trust", "decisions", "nulls", "features"} <= kinds
    assert kinds <= set(IMPORTANCE)


def test_kinds_stand_in_the_order_of_their_importance() -> None:
    assert list(IMPORTANCE.values()) == sorted(IMPORTANCE.values())


def test_what_nobody_knows_is_information() -> None:
    assert importance_of("something new") == Importance.INFORMATION
    assert Note("something new", "It happened.").importance == Importance.INFORMATION


def test_notes_are_ranked_and_those_of_a_kind_stay_in_order() -> None:
    notes = [
        Note("features", "b"),
        Note("odd", "a"),
        Note("nulls", "c"),
        Note("decisions", "d"),
        Note("trust", "e"),
        Note("features", "f"),
        Note("known truth", "g"),
    ]
    assert [note.text for note in ranked(notes)] == ["g", "e", "d", "c", "b", "f", "a"]


def test_a_short_form_is_kept_only_where_there_is_one() -> None:
    assert Note("trust", "It is odd.", 3, "odd").as_dict() == {
        "subject": "trust",
        "text": "It is odd.",
        "count": 3,
        "short": "odd",
    }
    assert Note("trust", "It is odd.").as_dict() == {
        "subject": "trust",
        "text": "It is odd.",
        "count": None,
    }
