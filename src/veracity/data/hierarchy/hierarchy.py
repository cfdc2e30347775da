"""Hierarchy: which values of an attribute lie within which."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from veracity.data.hierarchy.tree import checked_parents, path_to
from veracity.errors import InvalidParameter

Side = Literal["left", "right"]

#: The word that asks for containment of token sets.
TOKENS = "tokens"
#: Separators whose parents stand to the right, as in "Bern, Switzerland". Others, such as "/",
#: separate the steps of a path, whose parents stand to the left.
PARENTS_RIGHT = ",;"
_TOKEN = re.compile(r"\w+")
EXPECTED = (
    "Expected a table with the columns child and parent (a frame, the path of a file, or a mapping "
    "from children to parents), a separator such as ', ' or '/', or 'tokens'."
)


@dataclass(frozen=True)
class Hierarchy:
    """Which values of an attribute lie within which: as a table, in their text, or by their words.

    Parameters
    ----------
    pairs
        Children and their parents, each child once.
    separator
        What separates a value from those that it lies within, as in ``"Bern, Switzerland"``.
    parents
        On which side of the separator the parents stand.
    tokens
        Whether a value lies within another if it has all words of that one, and more.
    strip, casefold, unicode
        How values are compared; see `Settings`.

    Examples
    --------
    >>> Hierarchy.of(", ").path("Bern, Switzerland")
    ('Switzerland', 'Bern, Switzerland')
    >>> Hierarchy.of("/").path("animal/dog/poodle")
    ('animal', 'animal/dog', 'animal/dog/poodle')
    >>> Hierarchy.of({"Bern": "Switzerland", "Switzerland": "Europe"}).path("Bern")
    ('Europe', 'Switzerland', 'Bern')
    """

    pairs: tuple[tuple[str, str], ...] = ()
    separator: str | None = None
    parents: Side = "right"
    tokens: bool = False
    strip: bool = False
    casefold: bool = False
    unicode: str | None = None

    @classmethod
    def of(cls, given: Any) -> Hierarchy:
        """Return a hierarchy as it is, and make one of what a user says.

        Parameters
        ----------
        given
            A table with the columns child and parent (a frame, the path of a file, or a mapping
            from children to parents), ``"tokens"``, or a separator. After a comma or a semicolon
            stand parents; before any other separator, as in a path. ``"left:"`` or ``"right:"``
            before the separator says otherwise.
        """
        if isinstance(given, Hierarchy):
            return given
        if isinstance(given, Path):
            return cls._of_table(given)
        if isinstance(given, str):
            return cls._of_text(given)
        if isinstance(given, Mapping) and given.keys() == cls.__dataclass_fields__.keys():
            pairs = tuple((child, parent) for child, parent in given["pairs"])
            return cls(**{**given, "pairs": pairs})  # as `asdict` made it, and perhaps JSON
        if isinstance(given, Mapping) and all(
            isinstance(parent, str | None) for parent in given.values()
        ):
            return cls(tuple(checked_parents(given.items()).items()))
        return cls._of_table(given)

    @classmethod
    def _of_table(cls, table: Any) -> Hierarchy:
        from veracity.data.hierarchy.table import read_pairs  # which reads by these settings

        return cls(tuple(checked_parents(read_pairs(table)).items()))

    @classmethod
    def _of_text(cls, text: str) -> Hierarchy:
        if text == TOKENS:
            return cls(tokens=True)
        if any(sign.isalnum() for sign in text) and os.path.exists(text):  # "/" exists, too
            return cls._of_table(text)
        side, colon, separator = text.partition(":")
        if colon and separator and side in ("left", "right"):
            return cls(separator=_checked_separator(separator), parents=side)  # type: ignore[arg-type]
        right = any(sign in text for sign in PARENTS_RIGHT)
        return cls(separator=_checked_separator(text), parents="right" if right else "left")

    def compared(self, strip: bool, casefold: bool, unicode: str | None) -> Hierarchy:
        """Return the hierarchy of values that are compared in some form."""
        return replace(self, strip=strip, casefold=casefold, unicode=unicode)

    def describe(self) -> str:
        """Say in a few words what it is, for notes and ``run.json``."""
        if self.tokens:
            return "by the words of the values"
        if self.separator is None:
            return f"by a table of {len(self.pairs):,} children and their parents"
        return f"by the separator {self.separator!r}, parents to the {self.parents}"

    def key(self, label: str) -> str:
        """Return the form in which a value is compared."""
        if self.unicode:
            label = unicodedata.normalize(self.unicode, label)  # type: ignore[arg-type]
        if self.strip:
            label = " ".join(label.split())
        return label.casefold() if self.casefold else label

    def knows(self, label: str) -> bool:
        """Whether the table has a value, or needs none."""
        return not self.pairs or self.key(label) in self._known

    def path(self, label: str) -> tuple[str, ...]:
        """Return the ancestors of a value from the root on, and the value itself at the end."""
        if self.separator is not None:
            return self._split(self.separator, label)
        found = path_to(self.key(label), self._parent_of)
        return (*(self._shown.get(key, key) for key in found[:-1]), label)

    def _split(self, separator: str, label: str) -> tuple[str, ...]:
        bare = separator.strip() or separator
        parts = [part.strip() for part in label.split(bare)]
        parts = [part for part in parts if part]
        if len(parts) < 2:
            return (label,)
        if self.parents == "right":
            above = [separator.join(parts[place:]) for place in range(len(parts) - 1, 0, -1)]
        else:
            above = [separator.join(parts[:place]) for place in range(1, len(parts))]
        return (*above, label)

    def words(self, label: str) -> frozenset[str]:
        """Return the words of a value, without regard to case."""
        return frozenset(_TOKEN.findall(label.casefold()))

    @cached_property
    def _parent_of(self) -> dict[str, str]:
        return {self.key(child): self.key(parent) for child, parent in self.pairs}

    @cached_property
    def _shown(self) -> dict[str, str]:
        return {self.key(label): label for pair in self.pairs for label in pair}

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._shown)


def _checked_separator(text: str) -> str:
    """Refuse what looks like the name of a file that is not there."""
    if not text.strip() or any(sign.isalnum() for sign in text):
        raise InvalidParameter(
            f"hierarchy is {text!r}, which is no file that exists, and no separator. {EXPECTED}"
        )
    return text
