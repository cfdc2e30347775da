"""Lineages: what each statement lies within, as paths of nodes from the root on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Indices, Mask
from veracity.data.buffers import take_labels
from veracity.data.hierarchy.hierarchy import Hierarchy

if TYPE_CHECKING:
    from veracity.data.matrix import ClaimMatrix

Path = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Lineages:
    """The path of each statement in the hierarchy of its attribute.

    Attributes
    ----------
    path
        Nodes from the root to the value itself, -1 beyond its end and for statements of attributes
        without a hierarchy; (n_statements, greatest depth).
    labels
        The value of each node.
    n_unknown
        By attribute, how many of its distinct values the table does not have; (n_attributes,).
    """

    path: npt.NDArray[np.int32]
    labels: tuple[str, ...]
    n_unknown: Indices

    @classmethod
    def of(cls, matrix: ClaimMatrix) -> Lineages:
        """Look up the values of a claim matrix."""
        nodes = _Nodes()
        paths: list[Path] = [()] * matrix.n_statements
        n_unknown = np.zeros(len(matrix.profiles), np.int64)
        attribute = matrix.attribute_index[matrix.item_of_statement]
        for index, profile in enumerate(matrix.profiles):
            hierarchy = profile.hierarchy
            if hierarchy is None:
                continue
            own = np.flatnonzero(attribute == index)
            value, at = np.unique(matrix.value_index[own], return_inverse=True)
            labels = take_labels(matrix.values, value).to_pylist()
            n_unknown[index] = sum(not hierarchy.knows(label) for label in labels)
            if hierarchy.tokens:
                found = _by_words(hierarchy, labels, at, matrix.item_of_statement[own])
                of_own = [nodes.path(index, hierarchy, path) for path in found]
            else:
                of_value = [nodes.path(index, hierarchy, hierarchy.path(one)) for one in labels]
                of_own = [of_value[place] for place in at.tolist()]
            for statement, path in zip(own.tolist(), of_own, strict=True):
                paths[statement] = path
        return cls(_padded(paths), tuple(nodes.labels), n_unknown)

    @property
    def depth(self) -> npt.NDArray[np.int64]:
        """How deep each statement is, 1 for a root, 0 without a hierarchy; (n_statements,)."""
        return np.asarray((self.path >= 0).sum(axis=1))

    def holds(self, above: Indices, below: Indices) -> Mask:
        """Whether each statement of some is the same as another, or lies above it."""
        at = self.depth[above] - 1
        node = self.path[above, at]
        return np.asarray((at >= 0) & (self.path[below, at] == node))

    def with_kin(self, start: Indices, counts: Indices) -> Indices:
        """Add to the count of each statement those of what it lies within, or what lies in it.

        `start` says where the statements of each item begin.
        """
        item = np.repeat(np.arange(len(start) - 1), np.diff(start))
        total = np.array(counts)
        depth = self.depth
        greatest = self.path.shape[1]
        key = item * (len(self.labels) + 1)
        own = np.where(depth > 0, self.path[np.arange(len(depth)), depth - 1], len(self.labels))
        for level in range(greatest):
            # Those that pass a node of this level, and the one that ends there.
            passes = depth > level + 1
            ends = np.flatnonzero(depth == level + 1)
            at = key[passes] + self.path[passes, level]
            place, found = _find(key[ends] + own[ends], at)
            below = np.flatnonzero(passes)[found]
            np.add.at(total, below, counts[ends[place]])
            np.add.at(total, ends[place], counts[below])
        return total


def _find(keys: Indices, wanted: Indices) -> tuple[Indices, Mask]:
    """Return the place of each wanted key among distinct ones, and which of them are there."""
    if not len(keys):
        return np.empty(0, np.int64), np.zeros(len(wanted), np.bool_)
    order = np.argsort(keys, kind="stable")
    place = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    found = keys[place] == wanted
    return place[found], found


class _Nodes:
    """Numbers of nodes, by attribute and value."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self._number: dict[tuple[int, str], int] = {}

    def path(self, attribute: int, hierarchy: Hierarchy, labels: Sequence[str]) -> Path:
        return tuple(self._of(attribute, hierarchy.key(label), label) for label in labels)

    def _of(self, attribute: int, key: str, label: str) -> int:
        number = self._number.setdefault((attribute, key), len(self.labels))
        if number == len(self.labels):
            self.labels.append(label)
        return number


def _padded(paths: Sequence[Path]) -> npt.NDArray[np.int32]:
    length = np.array([len(path) for path in paths], np.int64)
    padded = np.full((len(paths), max(int(length.max(initial=1)), 1)), -1, np.int32)
    row = np.repeat(np.arange(len(paths)), length)
    place = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
    padded[row, place] = np.fromiter((node for path in paths for node in path), np.int32, len(row))
    return padded


def _by_words(
    hierarchy: Hierarchy,
    labels: Sequence[str],
    value: Indices,
    item: npt.NDArray[np.int32],
) -> list[tuple[str, ...]]:
    """Return the path of each statement among the values of its item, by their words.

    A value lies within the one with the most words of all that it contains; of equals, within the
    first in the order of their text.
    """
    words = [hierarchy.words(label) for label in labels]
    ends = np.append(np.flatnonzero(np.diff(item)) + 1, len(item))
    found: list[tuple[str, ...]] = []
    begin = 0
    for end in ends.tolist():
        own = value[begin:end].tolist()
        paths: dict[int, tuple[str, ...]] = {}
        for one in sorted(own, key=lambda one: (len(words[one]), labels[one])):
            above = [other for other in paths if words[other] and words[other] < words[one]]
            nearest = max(above, key=lambda other: len(words[other]), default=None)
            before = () if nearest is None else paths[nearest]
            paths[one] = (*before, labels[one])
        found += [paths[one] for one in own]
        begin = end
    return found
