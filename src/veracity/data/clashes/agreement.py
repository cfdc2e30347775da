"""Agreement of each source with the others, attribute by attribute."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.clashes.answers import answers_by_attribute
from veracity.data.clashes.comparing import Comparing
from veracity.data.matrix import ClaimMatrix


def agreement_by_attribute(matrix: ClaimMatrix) -> tuple[Floats, Floats]:
    """Return how many claims were compared and how many agree; (n_sources, n_attributes) each.

    A claim agrees if most others say the same of the item, or if it is a number close to their
    median. Of an attribute with many claims, those about some items are compared.
    """
    shape = (matrix.n_sources, len(matrix.profiles))
    compared, agree = np.zeros(shape), np.zeros(shape)
    for index, answers in enumerate(answers_by_attribute(matrix)):
        found = Comparing.of(answers)
        n_known = len(found.n_compared)
        compared[:n_known, index] = found.n_compared
        agree[:n_known, index] = found.n_agreements
    return compared, agree
