"""Answers: what each source says about each item of one attribute, one value each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Indices, Mask
from veracity.data.buffers import take_labels
from veracity.data.encode.grouping import distinct, group_index
from veracity.data.matrix import ClaimMatrix

#: Claims to look at: of all attributes, about, and of one attribute. Of more, those about some
#: items, drawn at random.
MAX_CLAIMS, FEWEST_CLAIMS, MOST_CLAIMS = 200_000, 2_000, 30_000
SEED = 20


@dataclass(frozen=True, eq=False)
class Answers:
    """What sources answer about the items of one attribute.

    Only items that two sources or more speak about are here, and only sources that give one answer.

    Attributes
    ----------
    attribute
        Its name.
    item, source, value
        One answer per place, sorted by item; values are places in `texts`.
    texts
        The values as they are spelled.
    """

    attribute: str
    item: Indices
    source: Indices
    value: Indices
    texts: list[str]

    def __len__(self) -> int:
        return len(self.item)

    def count(self, source: int) -> int:
        """Return how many answers a source gives."""
        return int((self.source == source).sum())

    def of_source(self, source: int) -> Indices:
        """Return the places of the answers of a source."""
        return np.flatnonzero(self.source == source)

    def rewritten(self, source: int, write: Callable[[str], str | None]) -> Answers:
        """Return the answers with those of one source rewritten, where `write` knows how."""
        own = self.of_source(source)
        known = {text: place for place, text in enumerate(self.texts)}
        texts, value = list(self.texts), self.value.copy()
        used = distinct(self.value[own])
        new = used.copy()
        for place, code in enumerate(used.tolist()):
            text = write(texts[code])
            if text is None:
                continue
            if text not in known:
                known[text] = len(texts)
                texts.append(text)
            new[place] = known[text]
        value[own] = new[np.searchsorted(used, value[own])]
        return replace(self, value=value, texts=texts)


def answers_by_attribute(matrix: ClaimMatrix) -> Iterator[Answers]:
    """Return the answers about each attribute; of a large one, a sample."""
    first = np.searchsorted(matrix.attribute_index, np.arange(len(matrix.profiles) + 1))
    words = _negative_words(matrix)
    share = MAX_CLAIMS // max(len(matrix.profiles), 1)
    limit = min(max(share, FEWEST_CLAIMS), MOST_CLAIMS)
    for index, profile in enumerate(matrix.profiles):
        begin, end = int(first[index]), int(first[index + 1])
        chosen = _sampled(matrix, begin, end, limit)
        own = slice(int(matrix.claim_start[begin]), int(matrix.claim_start[end]))
        claims = own.start + np.flatnonzero(chosen[matrix.item_of_claim[own] - begin])
        is_boolean = profile.kind == "boolean"
        if not is_boolean:
            claims = claims[matrix.claim_value[claims] == 1]
        item = matrix.item_of_claim[claims].astype(np.int64)
        source = matrix.source_index[claims].astype(np.int64)
        value = matrix.value_index[matrix.statement_index[claims]].astype(np.int64)
        if is_boolean:
            value = np.where(matrix.claim_value[claims] == 1, value, words[str(profile.negative)])
        yield _answers(profile.name, matrix, item, source, value)


def _sampled(matrix: ClaimMatrix, first: int, last: int, limit: int) -> Mask:
    """Mark the items of an attribute to look at, from the first on."""
    n_claims = int(matrix.claim_start[last] - matrix.claim_start[first])
    if n_claims <= limit:
        return np.ones(last - first, np.bool_)
    chosen = np.zeros(last - first, np.bool_)
    shuffled = np.random.default_rng(SEED).permutation(last - first)
    sizes = np.diff(matrix.claim_start[first : last + 1])[shuffled]
    enough = int(np.searchsorted(np.cumsum(sizes), limit)) + 1
    chosen[shuffled[:enough]] = True
    return chosen


def _negative_words(matrix: ClaimMatrix) -> dict[str, int]:
    """Return the places of the words for no among the values."""
    wanted = {str(profile.negative) for profile in matrix.profiles if profile.kind == "boolean"}
    if not wanted:
        return {}
    return {text: at for at, text in enumerate(matrix.values.to_pylist()) if text in wanted}


def _answers(
    attribute: str, matrix: ClaimMatrix, item: Indices, source: Indices, value: Indices
) -> Answers:
    once = _alone(item * matrix.n_sources + source)
    item, source, value = item[once], source[once], value[once]
    shared = ~_alone(item)
    item, source, value = item[shared], source[shared], value[shared]
    used = distinct(value)
    texts = take_labels(matrix.values, used).to_pylist()
    dense = group_index(item) if len(item) else item
    return Answers(attribute, dense, source, np.searchsorted(used, value), texts)


def _alone(key: Indices) -> Mask:
    """Mark the keys that occur once."""
    if not len(key):
        return np.zeros(0, np.bool_)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    same = ordered[1:] == ordered[:-1]
    single = ~(np.append(same, False) | np.insert(same, 0, False))
    marked = np.empty(len(key), np.bool_)
    marked[order] = single
    return marked
