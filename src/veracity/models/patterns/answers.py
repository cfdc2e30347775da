"""Answers to closed questions: what sources say about items whose values are few and fixed.

Closed questions are those of boolean attributes, and of attributes with one true value of a closed
domain. Open domains, several true values and numbers are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import starts_mask
from veracity.data.matrix import ClaimMatrix
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Sums, Together
from veracity.features.codes import distinct_codes
from veracity.models.tables import Judged
from veracity.models.views.classes import values_by_attribute

#: An attribute with more values has no confusion matrix.
MOST_CLASSES = 24


@dataclass(frozen=True)
class ClosedAttributes:
    """The attributes with few values, one of them true.

    Attributes
    ----------
    names
        Their names, in the order of attributes.
    classes
        The values of each.
    """

    names: tuple[str, ...]
    classes: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, claims: ClaimsInBlocks) -> ClosedAttributes:
        """Read the values of closed attributes off the claims."""
        found: dict[str, list[str]] = {}
        if any(_is_choice(profile) for profile in claims.attributes):
            members: Together = claims.blocks.total(_closed_values)["values"]
            for name, label in sorted(members.members):
                found.setdefault(name, []).append(label)
        for profile in claims.attributes:
            if profile.kind == "boolean":
                found[profile.name] = [str(profile.positive), str(profile.negative)]
        chosen = [
            (profile.name, tuple(found[profile.name]))
            for profile in claims.attributes
            if 2 <= len(found.get(profile.name, ())) <= MOST_CLASSES
        ]
        names, classes = zip(*chosen, strict=True) if chosen else ((), ())
        return cls(names, classes)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def widest(self) -> int:
        """The largest number of classes."""
        return max(map(len, self.classes), default=0)

    @cached_property
    def first(self) -> Indices:
        """Where the classes of each attribute begin, if they are put end to end."""
        return np.append(0, np.cumsum([len(classes) for classes in self.classes])).astype(np.int64)

    @property
    def n_classes(self) -> int:
        """Number of classes of all attributes."""
        return int(self.first[-1])

    @cached_property
    def of_class(self) -> Indices:
        """The attribute of each class; (n_classes,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))


def _is_choice(profile: AttributeProfile) -> bool:
    is_named = profile.form in ("value", "ordered")
    return profile.kind == "single" and profile.domain == "closed" and is_named


def _closed_values(block: ClaimBlock) -> Sums:
    wanted = np.array([_is_choice(profile) for profile in block.matrix.profiles])
    values = values_by_attribute(block.matrix, wanted)
    pairs = ((name, label) for name, labels in values.items() for label in labels)
    return {"values": Together(frozenset(pairs))}


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to the questions of one attribute in a block, question by question.

    A source answers a question once: if it names several values, the first of them counts.

    Attributes
    ----------
    attribute
        The attribute, by its place among the closed ones.
    question
        The question of each answer, by its place in the block, rising.
    row
        The row of each answer: there is one for each source and class that it says.
    row_source, row_said
        The source of each row, by its place among all, and the class that it says.
    belief
        How plausible each class is, all answers considered; (n_questions, n_classes).
    settled
        Marks the questions whose truth is known; (n_questions,).
    """

    attribute: int
    question: npt.NDArray[np.int32]
    row: npt.NDArray[np.int32]
    row_source: Indices
    row_said: Indices
    belief: Floats
    settled: Mask


def read_answers(judged: Judged, closed: ClosedAttributes) -> list[Answers]:
    """Read the answers of a block, attribute by attribute."""
    matrix = judged.block.matrix
    place = {profile.name: index for index, profile in enumerate(matrix.profiles)}
    found = []
    for index, name in enumerate(closed.names):
        if name in place and (matrix.attribute_index == place[name]).any():
            found.append(_of_attribute(judged, index, place[name], closed.classes[index]))
    return found


def _of_attribute(judged: Judged, index: int, attribute: int, classes: Sequence[str]) -> Answers:
    block = judged.block
    matrix = block.matrix
    about = matrix.attribute_index == attribute
    question_of = np.cumsum(about) - 1
    boolean = matrix.profiles[attribute].kind == "boolean"
    says = matrix.claim_value == 1 if not boolean else np.ones(matrix.n_claims, np.bool_)
    claim = np.flatnonzero(about[matrix.item_of_claim] & says)
    pair = matrix.pair_of_claim[claim]
    order = np.argsort(pair, kind="stable")
    claim = claim[order[starts_mask(pair[order])]]
    statement = matrix.statement_index[claim]
    class_of = _classes(matrix, attribute, classes)
    said = 1 - matrix.claim_value[claim].astype(np.int64) if boolean else class_of[statement]
    settled = np.zeros(matrix.n_items, np.bool_) if block.known is None else block.known.settled
    source = matrix.source_index[claim].astype(np.int64)
    keys, row = distinct_codes(source * len(classes) + said)
    row_source, row_said = np.divmod(keys, len(classes))
    return Answers(
        index,
        question_of[matrix.item_of_claim[claim]].astype(np.int32),
        row.astype(np.int32),
        block.place[row_source],
        row_said,
        _belief(matrix, judged.plausibility, about, question_of, class_of, len(classes)),
        settled[about],
    )


def _classes(matrix: ClaimMatrix, attribute: int, classes: Sequence[str]) -> Indices:
    """Return the class of each statement of an attribute; that of a boolean one is its yes."""
    own = matrix.attribute_index[matrix.item_of_statement] == attribute
    found = np.zeros(matrix.n_statements, np.int64)
    if matrix.profiles[attribute].kind == "boolean":
        return found
    number = {label: place for place, label in enumerate(classes)}
    code = matrix.value_index[own]
    class_of_code = np.zeros(len(matrix.values), np.int64)
    for value in np.unique(code).tolist():
        class_of_code[value] = number[matrix.values[value].as_py()]
    found[own] = class_of_code[code]
    return found


def _belief(
    matrix: ClaimMatrix,
    plausibility: Floats,
    about: Mask,
    question_of: Indices,
    class_of: Indices,
    n_classes: int,
) -> Floats:
    """Return how plausible each class of each question is; (n_questions, n_classes).

    What the claimed values leave over is shared by those that nobody claims of the item.
    """
    own = np.flatnonzero(about[matrix.item_of_statement])
    item = matrix.item_of_statement[own]
    n_questions = int(about.sum())
    cell = question_of[item] * n_classes + class_of[own]
    claimed = sum_by(cell, plausibility[own], n_questions * n_classes).reshape(-1, n_classes)
    unnamed = np.ones((n_questions, n_classes), np.bool_)
    unnamed.flat[cell] = False
    left = np.maximum(1.0 - claimed.sum(axis=1), 0.0) / np.maximum(unnamed.sum(axis=1), 1)
    belief = claimed + np.where(unnamed, left[:, None], 0.0)
    return np.asarray(belief / np.maximum(belief.sum(axis=1, keepdims=True), 1e-12))
