"""Wrong values that cluster: several sources that err alike, without having copied.

The plain model draws wrong values of an item evenly from the D - 1 that are not true. Here they
are drawn from a distribution of the item's own, which is not known: a Dirichlet with concentration
alpha, integrated out. That changes the score of each hypothesis by a number that depends on the
counts of claims alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import gammaln

from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.block_data import Scene

#: The concentration that is tried. Below 1 the errors of a single item may all agree, and the model
#: finds mirror images.
CONCENTRATION = 3.0


def cluster_offsets(
    matrix: ClaimMatrix, counts: Floats, concentration: float = CONCENTRATION
) -> tuple[Floats, Floats]:
    """Return what to add to the score of each statement, and of a value that nobody claims.

    With n_j claims of value j, n in all, and hypothesis k:

        lnG(al (D-1)) - lnG(al (D-1) + n - n_k) + sum over j != k of [lnG(al + n_j) - lnG(al)]
        + (n - n_k) ln(D-1)
    """
    n_claims = matrix.sum_by_item(counts)
    others = np.diff(matrix.statement_start).astype(np.float64)  # D - 1: the claimed, less one, and
    each = gammaln(concentration + counts) - gammaln(concentration)  # one that nobody claims
    together = matrix.sum_by_item(each)
    item = matrix.item_of_statement

    def offset(wrong: Floats, each_wrong: Floats, others: Floats) -> Floats:
        pool = concentration * others
        return np.asarray(
            gammaln(pool) - gammaln(pool + wrong) + each_wrong + wrong * np.log(others)
        )

    of_statement = offset(n_claims[item] - counts, together[item] - each, others[item])
    return of_statement, offset(n_claims, together, others)


def clustered(scene: Scene) -> Scene:
    """Let the wrong values of a scene cluster."""
    matrix = scene.matrix
    counts = matrix.sum_by_statement((matrix.claim_value == 1).astype(np.float64))
    offset, unseen = cluster_offsets(matrix, counts)
    return replace(scene, offset=scene.offset + offset, offset_unseen=scene.offset_unseen + unseen)
