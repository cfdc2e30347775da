"""Values as numbers: one float per label or statement, NaN where the text is none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels, to_numpy
from veracity.data.clean.values import canonical_number
from veracity.data.encode.grouping import distinct
from veracity.data.fields.amount import read_amount
from veracity.data.fields.notation import Notation
from veracity.data.matrix import ClaimMatrix

#: Numbers that Arrow reads just as `canonical_number` does.
PLAIN = r"^[+-]?[0-9]{1,15}(\.[0-9]{1,15})?$"


def numbers_of(labels: pa.StringArray) -> Floats:
    """Read labels as numbers, NaN where `canonical_number` finds none.

    >>> numbers_of(pa.array(["1,000", "2.5", "about 7"])).tolist()
    [1000.0, 2.5, nan]
    """
    if not len(labels):
        return np.empty(0)
    plain = pc.match_substring_regex(labels, PLAIN)
    bare = pc.utf8_ltrim(labels, "+")
    numbers = pc.if_else(plain, bare, pa.scalar(None, labels.type)).cast(pa.float64())
    found = np.array(to_numpy(numbers))
    others = np.flatnonzero(np.isnan(found))
    for place, text in zip(others.tolist(), take_labels(labels, others).to_pylist(), strict=True):
        number = canonical_number(text)
        found[place] = np.nan if number is None else float(number)
    return found


def numbers_at(labels: pa.StringArray, index: npt.NDArray[np.integer]) -> Floats:
    """Read the labels at some places as numbers, each distinct one once."""
    used = distinct(np.asarray(index, np.int64), stop=len(labels))
    found = numbers_of(take_labels(labels, used))
    return np.asarray(found[np.searchsorted(used, index)])


def amounts_at(
    labels: pa.StringArray, index: npt.NDArray[np.integer], rule: Notation
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Read the labels at some places as amounts: numbers, and the index of each one's unit."""
    texts = take_labels(labels, index).to_pylist()
    read = {text: read_amount(text, rule.default) for text in set(texts)}
    units = sorted({found.unit or rule.unit or "" for found in read.values() if found})
    number, unit = np.full(len(texts), np.nan), np.zeros(len(texts), np.int64)
    for place, text in enumerate(texts):
        if (found := read[text]) is not None:
            number[place] = float(found.number)
            unit[place] = units.index(found.unit or rule.unit or "")
    return number, unit


def numeric_items(matrix: ClaimMatrix) -> npt.NDArray[np.bool_]:
    """Mark the items whose attribute was declared to be a number; (n_items,)."""
    return np.array([profile.numeric for profile in matrix.profiles])[matrix.attribute_index]


def statement_numbers(matrix: ClaimMatrix) -> Floats:
    """Return the number of each statement, NaN where none was declared; (n_statements,)."""
    number = np.full(matrix.n_statements, np.nan)
    declared = np.flatnonzero(numeric_items(matrix)[matrix.item_of_statement])
    if len(declared):
        number[declared] = numbers_at(matrix.values, matrix.value_index[declared])
    return number
