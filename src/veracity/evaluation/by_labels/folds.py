"""Labels to judge models by, and their split into folds, each to be held out once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.labels.hashes import label_hash, mix
from veracity.data.notes import plural
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.known_truth import claimed_rows
from veracity.engines.local import in_one_block
from veracity.errors import InputError, InvalidParameter

ITEM = ["entity", "attribute"]
#: In so many parts labels are split, unless told otherwise.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Labels:
    """Known truth, matched to the items of claims.

    Attributes
    ----------
    given
        All known truth, answers of assessors included, under the claims' attribute names.
    rows
        The rows to judge by: truth that is certain, about items with claims.
    items
        Their items, ordered by entity and attribute.
    n_values
        How many different values they have.
    """

    given: GroundTruth
    rows: GroundTruth
    items: pa.Table
    n_values: int

    @classmethod
    def of(cls, known_truth: GroundTruth, claims: Claims | ClaimsInBlocks) -> Labels:
        """Match known truth to claims.

        Raises
        ------
        InputError
            If no truth that is certain is about an item with claims, or if it contradicts itself.
        """
        names = [profile.name for profile in claims.attributes]
        given = known_truth.under(names)
        certain = given.certain(names)
        blocks = in_one_block(claims) if isinstance(claims, Claims) else claims
        rows = certain.filter(to_arrow(claimed_rows(blocks, certain)))
        if not rows.num_rows:
            raise _nothing_claimed(certain)
        items = rows.group_by(ITEM).aggregate([]).sort_by([(name, "ascending") for name in ITEM])
        pairs = zip(rows["attribute"].to_pylist(), rows["value"].to_pylist(), strict=True)
        keys = {claims.forms.key(attribute, value) for attribute, value in pairs}
        return cls(given, GroundTruth(rows, True), items, len(keys))

    @property
    def cluster(self) -> Indices:
        """The entity of each item, as a number; of a single entity, each item by itself.

        Labels of one entity may err together; (n_labels,).
        """
        codes = self.items["entity"].combine_chunks().dictionary_encode().indices
        entity = to_numpy(codes).astype(np.int64)
        return entity if entity.any() else np.arange(len(entity))

    def split(self, n_folds: int = FOLDS, random_state: int = 0) -> LabelFolds:
        """Split the items by a hash of their names and the seed.

        So the folds depend neither on the order of rows nor on what the labels say.

        Raises
        ------
        InputError
            If there are fewer labels than folds, or if all of them are the same value.
        """
        if n_folds < 2:
            raise InvalidParameter(f"folds must be 2 or more. Got {n_folds} instead.")
        if len(self) < n_folds:
            raise InputError(
                f"{plural(len(self), 'label')} of items with claims cannot be split into "
                f"{n_folds} folds. Give more labels, or ask for fewer folds."
            )
        if self.n_values == 1:
            raise InputError(
                f"All {len(self):,} labels are {self.example!r}. They cannot tell a good model "
                "from one that always says so. Label items at random, whatever their value."
            )
        entity, attribute = (self.items[name].combine_chunks() for name in ITEM)
        place = mix(label_hash(entity, random_state) ^ mix(label_hash(attribute, random_state + 1)))
        fold = np.empty(len(self), np.int64)
        fold[np.argsort(place, kind="stable")] = np.arange(len(self)) % n_folds
        return LabelFolds(self, fold, n_folds)

    @property
    def example(self) -> str:
        """The value of the first label."""
        return str(self.rows.to_arrow()["value"][0].as_py())

    def __len__(self) -> int:
        return int(self.items.num_rows)


@dataclass(frozen=True, eq=False)
class LabelFolds:
    """Labels in folds.

    Attributes
    ----------
    labels
        The labels.
    fold
        The fold of each item; (n_labels,).
    n_folds
        How many there are; they differ in size by one at most.
    """

    labels: Labels
    fold: Indices
    n_folds: int

    def rounds(self) -> Iterator[tuple[pa.Table, GroundTruth]]:
        """Return the items of each fold, and the known truth that says nothing about them."""
        rows = self.labels.rows.to_arrow()
        for number in range(self.n_folds):
            held_out = self.labels.items.filter(to_arrow(self.fold == number))
            own = rows.join(held_out, ITEM, join_type="left semi")
            yield held_out, self.labels.given.without(GroundTruth(own, True))


def _nothing_claimed(certain: pa.Table) -> InputError:
    if not certain.num_rows:
        return InputError(
            "All rows of the known truth have a trust below 1. Models can be judged only by truth "
            "that is certain."
        )
    row = certain.slice(0, 1).to_pylist()[0]
    return InputError(
        f"No known truth is about an item with claims: the first is about {row['entity']!r} "
        f"({row['attribute']!r}). Expected the entities and attributes of the claims."
    )
