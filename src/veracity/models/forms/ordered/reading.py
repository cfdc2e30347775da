"""Claims about ordered attributes as levels, and the beliefs that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.clean.levels import folded
from veracity.data.labels.arrays import places_among
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import TRUE, KnownTruth
from veracity.errors import InputError, listing
from veracity.models.forms.ordered.scale import Counts, Scale


@dataclass(frozen=True, eq=False)
class Ratings:
    """The claims of a block about one ordered attribute.

    Attributes
    ----------
    item
        The items of the attribute, by their place in the block; (n_items,).
    claim
        The claims about them, by their place in the block; (n_claims,).
    of_item
        The item of each claim, by its place in `item`; (n_claims,).
    source
        Who claims: the place among the sources of the fit, -1 for others; (n_claims,).
    level
        What is claimed; (n_claims,).
    weight
        How much each claim counts; (n_claims,).
    denies
        Whether it is a denial; (n_claims,).
    known
        The level that is known to be true of each item, -1 where none is; (n_items,).
    """

    item: Indices
    claim: Indices
    of_item: Indices
    source: Indices
    level: Indices
    weight: Floats
    denies: np.typing.NDArray[np.bool_]
    known: Indices

    def log_answers(self, scale: Scale) -> Floats:
        """Return the log-probability of each claim for each level that may be true."""
        speakers, at = np.unique(self.source, return_inverse=True)
        answers = scale.sources.at(speakers).answers()
        said = answers[at, :, self.level]  # (n_claims, K)
        said[self.denies] = 1 - said[self.denies]
        return np.asarray(self.weight[:, None] * np.log(np.maximum(said, 1e-300)))

    def beliefs(self, scale: Scale) -> tuple[Floats, float]:
        """Return the probability of each level of each item, and the claims' log-likelihood."""
        log_answers = self.log_answers(scale)
        columns = [sum_by(self.of_item, column, len(self.item)) for column in log_answers.T]
        joint = np.log(scale.prior) + np.stack(columns, axis=1)
        settled = self.known >= 0
        level = np.arange(scale.n_levels)
        joint[settled] = np.where(level == self.known[settled, None], joint[settled], -np.inf)
        most = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - most)
        total = shares.sum(axis=1, keepdims=True)
        return shares / total, float((most + np.log(total)).sum())

    def counts(self, scale: Scale, sources: Indices) -> Counts:
        """Count what sources said by what is believed; `sources` are those of the block."""
        belief, log_likelihood = self.beliefs(scale)
        n_levels = scale.n_levels
        place = np.searchsorted(sources, self.source)
        weight = np.where(self.denies, 0.0, self.weight)
        cell = place * n_levels + self.level
        by_truth = [
            sum_by(cell, weight * belief[self.of_item, truth], len(sources) * n_levels)
            for truth in range(n_levels)
        ]
        said = np.stack(by_truth, axis=1).reshape(len(sources), n_levels, n_levels)
        return Counts(said.transpose(0, 2, 1), belief.sum(axis=0), log_likelihood)


def read_ratings(
    block: ClaimBlock, name: str, order: Sequence[str], sources: pa.StringArray
) -> Ratings:
    """Read the claims of a block about an attribute as levels.

    `sources` are those of the fit.
    """
    matrix = block.matrix
    item = np.flatnonzero(matrix.attribute_index == _place_of(matrix, name))
    at = np.full(matrix.n_items, -1, np.int64)
    at[item] = np.arange(len(item))
    claim = np.flatnonzero(at[matrix.item_of_claim] >= 0)
    level = levels_of(matrix, name, order)
    place = places_among(matrix.sources, sources)
    return Ratings(
        item,
        claim,
        at[matrix.item_of_claim[claim]],
        place[matrix.source_index[claim]],
        level[matrix.statement_index[claim]],
        matrix.claim_weight[claim],
        matrix.claim_value[claim] == 0,
        _known_levels(matrix, block.known, level, order)[item],
    )


def levels_of(matrix: ClaimMatrix, name: str, order: Sequence[str]) -> Indices:
    """Return the level of each statement about an attribute, -1 of others; (n_statements,)."""
    own = matrix.attribute_index[matrix.item_of_statement] == _place_of(matrix, name)
    values = np.unique(matrix.value_index[own])
    labels = [matrix.values[int(value)].as_py() for value in values]
    level = np.full(max(len(matrix.values), 1), -1, np.int64)
    level[values] = [level_of(label, order) for label in labels]
    left = sorted(label for label in labels if level_of(label, order) < 0)
    if left:
        raise InputError(
            f"The order of {name!r} lacks {listing(left)}. It was learned as {listing(order)}. "
            "Leave these claims out, or fit again with all levels."
        )
    return np.where(own, level[matrix.value_index], -1)


def level_of(label: str, order: Sequence[str]) -> int:
    """Return the level that a value means, -1 if it is none."""
    if label in order:
        return order.index(label)
    words = [folded(level) for level in order]
    return words.index(folded(label)) if folded(label) in words else -1


def _place_of(matrix: ClaimMatrix, name: str) -> int:
    names = [profile.name for profile in matrix.profiles]
    return names.index(name) if name in names else -1


def _known_levels(
    matrix: ClaimMatrix, known: KnownTruth | None, level: Indices, order: Sequence[str]
) -> Indices:
    """Return the level that is known of each item, claimed or not, -1 where none is; (n_items,)."""
    found = np.full(matrix.n_items, -1, np.int64)
    if known is None:
        return found
    true = np.flatnonzero(known.statement == TRUE)
    found[matrix.item_of_statement[true]] = level[true]
    for row in known.unclaimed.to_pylist():
        if row["item"] >= 0 and found[row["item"]] < 0:
            found[row["item"]] = level_of(row["value"], order)
    return found
