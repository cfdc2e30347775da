"""Implication: how much one value of an item speaks for or against another.

Values of an item are compared in pairs, which grow with the square of their number. So of an item
with many values only the `INFLUENTIAL` ones that most sources name have a say on the others, and
the number of pairs is at most that many times the number of statements. Equal support is decided
by a hash of the value, so that neither the order of rows nor who the sources are matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.buffers import take_labels
from veracity.data.clean.values import canonical_number
from veracity.data.encode.grouping import distinct
from veracity.data.labels.hashes import hash_at
from veracity.data.matrix import ClaimMatrix
from veracity.errors import InvalidParameter
from veracity.models.views.one_true_value import Questions

#: How many values of an item speak about the others, at most.
INFLUENTIAL = 50
#: What two values have in common that speak neither for nor against each other.
BASE_SIMILARITY = 0.5

#: From what one value says about another: -1 rules it out, 1 confirms it.
Function = Callable[[str, str], float]


@dataclass(frozen=True, eq=False)
class Implication:
    """Pairs of answers to the same question, the first of which speaks about the second.

    Attributes
    ----------
    speaker, subject
        The answers; both (n_pairs,).
    strength
        How much the first speaks for the second, from -1 to 1; (n_pairs,).
    """

    speaker: Indices
    subject: Indices
    strength: Floats

    @classmethod
    def none(cls) -> Implication:
        """Return no pairs."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))

    @classmethod
    def of(cls, how: str | Function, matrix: ClaimMatrix, questions: Questions) -> Implication:
        """Compare the values of items with one true value: as text, as numbers, or your way."""
        answer = questions.answer_of_statement
        speaker, subject = _pairs(matrix, questions)
        first, second = matrix.value_index[speaker], matrix.value_index[subject]
        n_values = len(matrix.values)
        key = first.astype(np.int64) * n_values + second
        keys = distinct(key)
        strength = _strengths(how, matrix.values, keys // n_values, keys % n_values)
        of_pair = strength[np.searchsorted(keys, key)]
        return cls(answer[speaker], answer[subject], of_pair)

    def influence(self, of_answer: Floats) -> Floats:
        """Add up numbers of answers, by how much they speak for each other one; (n_answers,)."""
        said = self.strength * of_answer[self.speaker]
        return sum_by(self.subject, said, len(of_answer))


def _pairs(matrix: ClaimMatrix, questions: Questions) -> tuple[Indices, Indices]:
    """Return statements of the same question, each influential one with each other one."""
    item = matrix.item_of_statement
    free = np.flatnonzero(~questions.by_itself)
    votes = np.round(questions.n_votes[questions.answer_of_statement[free]], 9)
    tie_breaker = hash_at(matrix.values, matrix.value_index[free], 0)
    order = free[np.lexsort((tie_breaker, -votes, item[free]))]
    begin = np.searchsorted(item[order], np.arange(matrix.n_items))
    rank = np.arange(len(order)) - begin[item[order]]
    speaking = order[rank < INFLUENTIAL]
    n_speaking = np.bincount(item[speaking], minlength=matrix.n_items)
    first_speaking = np.cumsum(n_speaking) - n_speaking
    repeats = n_speaking[item[free]]
    subject = np.repeat(free, repeats)
    turn = np.arange(len(subject)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    speaker = speaking[first_speaking[item[subject]] + turn]
    other = speaker != subject
    return speaker[other], subject[other]


def _strengths(
    how: str | Function, values: pa.StringArray, first: Indices, second: Indices
) -> Floats:
    """Return how much values speak for others, given the places of both; (n_pairs,)."""
    if how == "text":
        return _text_similarity(values, first, second) - BASE_SIMILARITY
    if how == "number":
        return _number_similarity(values, first, second) - BASE_SIMILARITY
    if not callable(how):
        raise InvalidParameter(
            "implication must be None, 'text', 'number' or a function of two values. "
            f"Got {how!r} instead."
        )
    firsts, seconds = (take_labels(values, place).to_pylist() for place in (first, second))
    said = map(how, firsts, seconds)
    strength = np.fromiter(said, np.float64, len(first))
    if not (np.abs(strength) <= 1).all():
        wrong = float(strength[~(np.abs(strength) <= 1)][0])
        raise InvalidParameter(
            f"implication must return numbers from -1 to 1. It returned {wrong!r} instead."
        )
    return strength


def _number_similarity(values: pa.StringArray, first: Indices, second: Indices) -> Floats:
    """Return 1 less the relative difference of numbers; of other values, that of neutral ones."""
    used, place = _used(first, second)
    texts = (canonical_number(text) for text in take_labels(values, used).to_pylist())
    number = np.array([np.nan if text is None else float(text) for text in texts])
    a, b = number[place[0]], number[place[1]]
    largest = np.maximum(np.abs(a), np.abs(b))
    similarity = np.maximum(1 - np.abs(a - b) / np.where(largest > 0, largest, 1.0), 0.0)
    return np.where(np.isnan(similarity), BASE_SIMILARITY, similarity)


def _text_similarity(values: pa.StringArray, first: Indices, second: Indices) -> Floats:
    """Return 1 less the edit distance of texts, as a part of the longer one."""
    from veracity.models.web.edit_distance import edit_distances

    used, place = _used(first, second)
    texts = [str(text) for text in take_labels(values, used).to_pylist()]
    lengths = np.array([len(text) for text in texts], np.int64)
    letters = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    starts = np.append(0, np.cumsum(lengths))
    distance = edit_distances(letters, starts, place[0], place[1])
    longer = np.maximum(lengths[place[0]], lengths[place[1]])
    return np.asarray(1 - distance / np.maximum(longer, 1))


def _used(first: Indices, second: Indices) -> tuple[Indices, npt.NDArray[np.int64]]:
    """Return the distinct places, and where among them each of the two is."""
    used = distinct(np.append(first, second))
    return used, np.stack([np.searchsorted(used, first), np.searchsorted(used, second)])
