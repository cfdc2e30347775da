"""What `help` shows: every public name, and a sentence for each of its parts."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Iterator

import pytest

import veracity


def test_help_lists_every_public_name() -> None:
    shown = pydoc.plain(pydoc.render_doc(veracity))
    missing = [name for name in veracity.__all__ if name not in shown]
    assert missing == []


def undocumented(name: str) -> Iterator[str]:
    """Name what has no docstring: the object, or a public part of its class."""
    found = getattr(veracity, name)
    if not inspect.getdoc(found):
        yield name
    if not inspect.isclass(found):
        return
    for part, member in inspect.getmembers(found):
        if part.startswith("_") or not (callable(member) or isinstance(member, property)):
            continue
        if not inspect.getdoc(member):
            yield f"{name}.{part}"


@pytest.mark.parametrize("name", veracity.__all__)
def test_public_names_have_docstrings(name: str) -> None:
    assert list(undocumented(name)) == []


def test_near_names_are_offered() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'discover'"):
        _ = veracity.discovr
