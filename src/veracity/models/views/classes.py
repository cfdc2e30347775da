"""The classes of attributes that have a fixed set of them, as crowd-label methods suppose.

Workers who label pictures choose from a fixed set of classes. `Scales` are these sets: the values
of a closed attribute; yes and no for a boolean attribute, and for each value of an attribute with
several true ones. An attribute with an open domain has no scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.buffers import take_labels
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix

#: The place of what is on no scale, or nowhere.
NOWHERE = -1
YES_AND_NO = ("yes", "no")


@dataclass(frozen=True)
class Scales:
    """The classes of each attribute that has a fixed set of them.

    Attributes
    ----------
    names, kinds
        The attributes, and how many values of an item are true.
    labels
        The classes of each.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, matrix: ClaimMatrix, most: int | None = None) -> Scales:
        """Read the classes off the claims; an attribute with more than `most` has no scale."""
        return cls.of_values(matrix.profiles, values_by_attribute(matrix), most)

    @classmethod
    def of_values(
        cls,
        profiles: Sequence[AttributeProfile],
        values: Mapping[str, Iterable[str]],
        most: int | None,
    ) -> Scales:
        """Make classes of the values of closed attributes; one with more than `most` has none."""
        found: list[tuple[str, str, tuple[str, ...]]] = [
            (profile.name, profile.kind, YES_AND_NO)
            for profile in profiles
            if profile.kind in ("boolean", "multiple")
        ]
        classes = {name: tuple(sorted(labels)) for name, labels in values.items()}
        found += [
            (name, "single", labels)
            for name, labels in classes.items()
            if most is None or len(labels) <= most
        ]
        found.sort()
        names, kinds, labels = zip(*found, strict=True) if found else ((), (), ())
        return cls(names, kinds, labels)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def sizes(self) -> Indices:
        """The number of classes of each scale, at least 2; (n_scales,)."""
        return np.array([max(len(labels), 2) for labels in self.labels], np.int64)

    @cached_property
    def first(self) -> Indices:
        """Where the classes of each scale begin if they are put end to end; (n_scales + 1,)."""
        return np.append(0, np.cumsum(self.sizes)).astype(np.int64)

    @property
    def n_classes(self) -> int:
        """Number of classes of all scales."""
        return int(self.first[-1])

    @cached_property
    def uniform(self) -> Floats:
        """Equal probabilities for the classes of each scale, end to end; (n_classes,)."""
        return np.repeat(1.0 / self.sizes, self.sizes)

    @cached_property
    def class_labels(self) -> pa.StringArray:
        """The labels of classes, end to end; a class that nobody names has none."""
        labels: list[str | None] = []
        for classes in self.labels:
            labels += [*classes, *[None] * (2 - len(classes))]
        return pa.array(labels, pa.string())

    def within(self, of_class: Floats) -> Floats:
        """Divide numbers by their sum over the scale; equal parts of nothing; (n_classes,)."""
        scale = np.repeat(np.arange(len(self)), self.sizes)
        total = sum_by(scale, of_class, len(self))[scale]
        return np.where(total > 0, of_class / np.where(total > 0, total, 1.0), self.uniform)

    def of_attributes(self, matrix: ClaimMatrix) -> Indices:
        """Return the scale of each attribute of a matrix, `NOWHERE` if it has none."""
        place = {pair: index for index, pair in enumerate(zip(self.names, self.kinds, strict=True))}
        found = [place.get((profile.name, profile.kind), NOWHERE) for profile in matrix.profiles]
        return np.array(found, np.int64)

    def as_dict(self) -> dict[str, Any]:
        """Return the scales as plain data."""
        return {"names": self.names, "kinds": self.kinds, "labels": self.labels}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Scales:
        """Make scales of what `as_dict` returned."""
        labels = tuple(tuple(classes) for classes in plain["labels"])
        return cls(tuple(plain["names"]), tuple(plain["kinds"]), labels)


def values_by_attribute(
    matrix: ClaimMatrix, wanted: Mask | None = None
) -> dict[str, dict[str, int]]:
    """Return the values that are claimed of each wanted attribute, with their codes.

    Without being told, those with one true value of a closed domain are wanted.
    """
    if wanted is None:
        wanted = np.array(
            [profile.kind == "single" and profile.domain == "closed" for profile in matrix.profiles]
        )
    attribute = matrix.attribute_index[matrix.item_of_statement]
    chosen = wanted[attribute]
    n_values = max(len(matrix.values), 1)
    pairs = attribute[chosen].astype(np.int64) * n_values + matrix.value_index[chosen]
    pairs = distinct(pairs, len(matrix.profiles) * n_values)
    labels = take_labels(matrix.values, pairs % n_values).to_pylist()
    found: dict[str, dict[str, int]] = {}
    for pair, label in zip(pairs.tolist(), labels, strict=True):
        found.setdefault(matrix.profiles[pair // n_values].name, {})[label] = pair % n_values
    return found


def classes_of_statements(matrix: ClaimMatrix, scales: Scales) -> Indices:
    """Return the class of each statement, `NOWHERE` if it is not on a scale; (n_statements,)."""
    scale = scales.of_attributes(matrix)
    single = np.array([profile.kind == "single" for profile in matrix.profiles])
    wanted = single & (scale >= 0)
    classes = np.full(matrix.n_statements, NOWHERE, np.int64)
    if not wanted.any():
        return classes
    n_values = len(matrix.values)
    places, numbers = [], []
    labels_of = dict(zip(scales.names, scales.labels, strict=True))
    for name, values in values_by_attribute(matrix, wanted).items():
        labels = labels_of[name]
        number = {label: place for place, label in enumerate(labels)}
        attribute = matrix.place_of_attribute[name]
        for label, code in values.items():
            places.append(attribute * n_values + code)
            numbers.append(number.get(label, NOWHERE))
    order = np.argsort(places)
    keys, found = np.array(places, np.int64)[order], np.array(numbers, np.int64)[order]
    attribute_of = matrix.attribute_index[matrix.item_of_statement]
    chosen = np.flatnonzero(wanted[attribute_of])
    key = attribute_of[chosen].astype(np.int64) * n_values + matrix.value_index[chosen]
    classes[chosen] = found[np.searchsorted(keys, key)]
    return classes
