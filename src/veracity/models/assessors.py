"""What assessors say, as evidence: Bayes' rule on the plausibilities of the items they speak about.

An assessor with trust t names the true value with probability t, and else one of the other K - 1
values that the item may take. So a claimed value v of an item with one true value becomes

    P(v | answer)  ~  P(v) t             if v is the answer
                      P(v) (1 - t) / (K - 1)  if not

and so do values that nobody claims, together: if the answer is one of m such values, they count
with (t + (m - 1) (1 - t) / (K - 1)) / m. A statement that is judged by itself gets the log-odds
log t / (1 - t) if the assessor says that it is true, and the opposite if not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.assessments import Assessment, Assessments
from veracity.data.truth.known import KnownTruth
from veracity.models.rules.item_states import CERTAIN


def with_assessments(
    matrix: ClaimMatrix,
    plausibility: Floats,
    assessed: Assessments,
    known: KnownTruth | None,
    statements_alone: bool,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return plausibilities given what assessors say, and the items that they speak about.

    Parameters
    ----------
    matrix, plausibility
        The claims, and the plausibility of each statement.
    assessed
        What assessors say. What is known for certain, `known`, stays.
    statements_alone
        Whether the model judges every statement by itself.
    """
    after, again = plausibility.copy(), np.zeros(matrix.n_items, np.bool_)
    for one in assessed.of_items:
        if known is not None and known.settled[one.item]:
            continue
        own = slice(matrix.statement_start[one.item], matrix.statement_start[one.item + 1])
        after[own] = given_answer(matrix, after[own], one, statements_alone)
        again[one.item] = True
    return after, again


def given_answer(
    matrix: ClaimMatrix, p: Floats, answer: Assessment, statements_alone: bool
) -> Floats:
    """Return the plausibilities of an item's statements, given one answer; (n_values,)."""
    first = int(matrix.statement_start[answer.item])
    named = np.zeros(len(p), np.bool_)
    named[[statement - first for statement in answer.statements]] = True
    kind = matrix.profiles[matrix.attribute_index[answer.item]].kind
    t = answer.trust
    if kind != "single" or statements_alone:
        if kind == "boolean" and not answer.matched:  # neither yes nor no
            return p
        held = np.clip(p, CERTAIN, 1.0 - CERTAIN)
        odds = held / (1.0 - held) * np.where(named, t / (1.0 - t), (1.0 - t) / t)
        return np.asarray(odds / (1.0 + odds))
    held = np.maximum(p, CERTAIN)
    size = max(int(matrix.domain_size[answer.item]), len(p), 2)
    n_unclaimed = max(size - len(p), 1)
    wrong = (1.0 - t) / (size - 1)
    nobody = wrong if named.any() else (t + (n_unclaimed - 1) * wrong) / n_unclaimed
    left = max(1.0 - float(p.sum()), CERTAIN)
    weight = held * np.where(named, t, wrong)
    return np.asarray(weight / (weight.sum() + left * nobody))
