"""The rows by which claims see eta: a source, with the features of what it claims."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.features import FeatureBuilder
from veracity.features.codes import Coded


class Rows(NamedTuple):
    """The row of each claim; the source of each row, and its feature vector."""

    row: npt.NDArray[np.int32]
    source: npt.NDArray[np.int64]
    features: Floats


def rows_of(claims: Claims, builder: FeatureBuilder | None) -> Rows:
    """Return the rows of claims: one for each source and each vector of its features, if any."""
    matrix = claims.matrix
    if builder is None:
        sources = np.arange(matrix.n_sources)
        return Rows(matrix.source_index, sources, np.zeros((matrix.n_sources, 0)))
    index = np.arange(matrix.n_sources, dtype=np.float64)[:, None]
    coded = Coded(matrix.source_index.astype(np.int64), index, ("source",))
    rows = builder.transform(claims, [coded])
    return Rows(rows.row_of_claim, rows.values[:, -1].astype(np.int64), rows.values[:, :-1])
