"""Answers of people about items: which there are to choose from, and when two are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from veracity.data.buffers import take_labels
from veracity.data.claims import Claims
from veracity.data.clean.numbers import numbers_of
from veracity.data.clean.tolerance import SAME_NUMBER, Tolerance
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.matrix import ClaimMatrix


def profile_of(matrix: ClaimMatrix, item: int) -> AttributeProfile:
    """Return the profile of an item's attribute."""
    return matrix.profiles[int(matrix.attribute_index[item])]


def choices(matrix: ClaimMatrix, item: int) -> list[str]:
    """Return the values to choose from, in the order of their text: those that are claimed.

    Of a boolean item both words, whoever claims them.
    """
    first, last = matrix.statement_start[item : item + 2]
    found = set(take_labels(matrix.values, matrix.value_index[first:last]).to_pylist())
    profile = profile_of(matrix, item)
    if profile.kind == "boolean":
        found |= {word for word in (profile.positive, profile.negative) if word is not None}
    return sorted(found)


def spelled(claims: Claims, item: int, values: Sequence[str]) -> list[str]:
    """Return values as the claims about an item spell them, each once."""
    forms, attribute = claims.forms, profile_of(claims.matrix, item).name
    words = {forms.key(attribute, word): word for word in choices(claims.matrix, item)}
    chosen: dict[str, str] = {}
    for value in values:
        key = forms.key(attribute, value)
        chosen.setdefault(key, words.get(key, value))
    return list(chosen.values())


def same_answer(claims: Claims, item: int, given: Sequence[str], true: Sequence[str]) -> bool:
    """Whether two answers about an item are the same: all of their values.

    Values are compared in the form in which those of the claims were. A number is the same within
    the tolerance of a true one or, without a tolerance, to nine significant digits.
    """
    profile, forms = profile_of(claims.matrix, item), claims.forms
    keys = [{forms.key(profile.name, value) for value in values} for values in (given, true)]
    if keys[0] == keys[1] or not profile.numeric:
        return keys[0] == keys[1]
    if len(keys[0]) != 1 or len(keys[1]) != 1:
        return False
    tolerance = SAME_NUMBER if profile.tolerance is None else Tolerance.of(profile.tolerance)
    number, centre = (numbers_of(pa.array(list(each), pa.string())) for each in keys)
    return bool(np.abs(number - centre)[0] <= tolerance.reach(centre)[0])
