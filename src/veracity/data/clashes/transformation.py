"""Transformation: how to rewrite the values of a source so that they compare with the others'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Array, Floats, Mask
from veracity.data.clashes.pairs import Matching, Pairs
from veracity.data.clashes.readings import read_plain

Reading = Callable[[str], str | None]
#: Rounding of a source is allowed for up to this part of its number.
COARSEST = 0.05
#: Values stay different if so large a share of them does.
APART = 0.95


@dataclass(frozen=True, eq=False)
class Transformation:
    """A way to read the values of a source.

    Attributes
    ----------
    kind
        What it is about: ``number``, ``unit``, ``date``, ``text``, ``labels`` or ``opposite``.
    name
        The transformation in a few words, such as ``x 1000``.
    says
        What the source does, to follow its name: ``writes amounts in thousands``.
    remedy
        What to do with its values, to follow "if you": ``multiply them by 1000``.
    write
        Rewrites a value in the way of the others, None if it cannot.
    restores
        Whether the result is the plainer form of the two, which decides if two sides are as large.
    is_vague
        Whether it leaves open what exactly differs, so that others are preferred.
    """

    kind: str
    name: str
    says: str
    remedy: str
    write: Reading
    restores: bool = True
    is_vague: bool = False

    def match(self, pairs: Pairs) -> Matching:
        """Compare values with the others' before and after the transformation."""
        raise NotImplementedError

    def writer(self, common: frozenset[str]) -> Reading:
        """Return what rewrites any value, given the values that others use."""
        return self.write


@dataclass(frozen=True, eq=False)
class Respelling(Transformation):
    """A transformation of texts: two agree if `read` of the one is `read_others` of the other.

    Where the form in which texts are compared is none that people write, the others' own spelling
    takes the place of a value.
    """

    read: Reading = str
    read_others: Reading = str

    def match(self, pairs: Pairs) -> Matching:
        """Compare values with the others' before and after the transformation."""
        before = np.array(
            [own == other for own, other in zip(pairs.own, pairs.others, strict=True)]
        )
        codes: dict[str, int] = {}
        left = _coded([self.read(text) for text in pairs.own], codes, missing=-1)
        right = _coded([self.read_others(text) for text in pairs.others], codes, missing=-2)
        tells_apart = len(np.unique(right)) >= APART * len(set(pairs.others))
        return Matching(before.astype(np.bool_), left, right, _same, tells_apart)

    def writer(self, common: frozenset[str]) -> Reading:
        """Return what rewrites any value, given the values that others use."""
        spelled = {self.read_others(text): text for text in sorted(common, reverse=True)}

        def rewrite(text: str) -> str | None:
            key = self.read(text)
            return self.write(text) if key is None or key not in spelled else spelled[key]

        return rewrite


@dataclass(frozen=True, eq=False)
class Conversion(Transformation):
    """A transformation of numbers: ``factor * x + offset`` of what `read_number` finds.

    `read_number` returns the number and half the unit of its last digit, None for no number.
    """

    read_number: Callable[[str], tuple[float, float] | None] = lambda text: None
    factor: float = 1.0
    offset: float = 0.0

    def match(self, pairs: Pairs) -> Matching:
        """Compare numbers with the others' before and after the transformation."""
        assert pairs.numbers is not None
        assert pairs.spread is not None
        spread = pairs.spread
        plain = _numbers([read_plain(text) for text in pairs.own])
        found = _numbers([self.read_number(text) for text in pairs.own])
        left = np.column_stack([self.factor * found[:, 0] + self.offset, self.factor * found[:, 1]])

        def equal(own: Array, others: Array) -> Mask:
            size = np.abs(own[:, 0])
            rounding = np.minimum(np.abs(own[:, 1]), COARSEST * size)
            return spread.close(own[:, 0], others, rounding)

        before = equal(plain, pairs.numbers)
        return Matching(before, left, pairs.numbers, equal)


def unchanged(text: str) -> str | None:
    """Know no way to rewrite a text."""
    return None


def _coded(keys: list[str | None], codes: dict[str, int], missing: int) -> Array:
    """Number the keys; equal keys have equal numbers."""
    numbers = (missing if key is None else codes.setdefault(key, len(codes)) for key in keys)
    return np.fromiter(numbers, np.int64, len(keys))


def _same(left: Array, right: Array) -> Mask:
    return np.asarray(left == right)


def _numbers(found: list[tuple[float, float] | None]) -> Floats:
    """Return numbers and their rounding, NaN where there is none; (n, 2)."""
    return np.array([(np.nan, np.nan) if one is None else one for one in found]).reshape(-1, 2)


Proposals = Iterator[Transformation]
