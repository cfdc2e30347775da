"""Families of sources that err together, as declared by the user.

The m members of a family that speak about an item count with the weight m^(-1/2) each: together
for more than one source, and for less than m strangers. A family of one changes nothing.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.buffers import to_numpy
from veracity.data.claims import Claims
from veracity.data.encode.grouping import distinct
from veracity.features.columns import categories_of

#: The power of the number of members that speak by which the weight of each falls.
POWER = 0.5


def family_weights(claims: Claims, column: str | None) -> Floats:
    """Return the weight of each claim, less for members of a family that speaks about its item."""
    matrix = claims.matrix
    if column is None or column not in claims.features.column_names:
        return matrix.claim_weight
    labels = categories_of(claims.features[column]).cast("string").dictionary_encode()
    codes = to_numpy(labels.indices.fill_null(-1))[matrix.row].astype(np.int64)
    # Who has no family is a family of its own.
    codes = np.where(codes >= 0, codes, len(matrix.sources) + matrix.source_index)
    family = matrix.item_of_claim.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes
    groups, group = np.unique(family, return_inverse=True)
    members = distinct(group * matrix.n_sources + matrix.source_index)
    n_members = np.bincount(members // matrix.n_sources, minlength=len(groups))
    return np.asarray(matrix.claim_weight * n_members[group] ** -POWER)
