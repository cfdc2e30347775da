"""Stacking: scores of several judges as one, weighted by how well they foretell labels.

The plausibilities of the answers to a question are

    softmax( T sum_j weight_j score_j + bias [none of the claimed values] )

with scores relative to the best verdict. The weights are fitted to labels that none of the judges
has seen, and drawn to their prior means, the less so the more labels there are. They are never
negative (Breiman, 1996), so that a claim for a value never speaks against it. T tempers the scores
of items with many claims, since these err together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.labels.questions import Answers, Questions

#: The judges: the parameters that labels have moved, those of the unlabelled fit, and the vote.
JUDGES = ("labelled", "unlabelled", "vote")
#: The prior means of their weights.
PRIOR_WEIGHTS = (0.5, 0.3, 0.2)
#: The prior precision of the weights, times the number of labels, and the least of it.
PRECISION_TIMES_LABELS, LEAST_PRECISION = 200.0, 3.0
#: The prior precision of the bias of "none of the claimed values".
BIAS_PRECISION = 4.0
#: How much less each further claim about an item counts.
TEMPER = 0.7
#: The default's plausibilities count as much as the stack's when there are so many labels.
LABELS_FOR_HALF = 15.0
#: How many labels this is worth, when labels say which of the two foretells them better.
LABELS_BEFORE = 10.0
#: The probability of a true answer is not taken for less than this.
LEAST = 1e-6
#: Rounds of expectation maximisation at most, and the change that ends it.
MAX_ROUNDS, SETTLED = 200, 1e-9


@dataclass(frozen=True, eq=False)
class Stack:
    """Weights of the judges, and the bias of "none of the claimed values"."""

    weights: Floats
    bias: float

    @classmethod
    def fit(
        cls, questions: Questions, scores: Sequence[Answers], is_true: Mask, n_labels: int
    ) -> Stack:
        """Fit the weights to labels that the judges of `scores` have not seen."""
        from scipy.optimize import minimize

        mean = np.array(PRIOR_WEIGHTS)
        precision = max(PRECISION_TIMES_LABELS / n_labels, LEAST_PRECISION)
        none_is_true = ~np.logical_or.reduceat(is_true, questions.start)
        on_statement = np.stack([score.statement for score in scores])
        on_none = np.stack([score.none for score in scores])
        is_biased = ~questions.is_two_sided

        def loss(x: Floats) -> tuple[float, Floats]:
            p = cls(x[:-1], float(x[-1])).probabilities(questions, scores)
            likely = likelihood(questions, p, is_true)
            truly = np.where(is_true, p.statement, 0.0) / likely[questions.of_statement]
            ahead = truly - p.statement
            ahead_none = np.where(none_is_true, p.none, 0.0) / likely - p.none
            ascent = np.append(
                on_statement @ ahead + on_none @ ahead_none, ahead_none[is_biased].sum()
            )
            away = np.append(precision * (x[:-1] - mean), BIAS_PRECISION * x[-1])
            penalty = 0.5 * (precision * ((x[:-1] - mean) ** 2).sum() + BIAS_PRECISION * x[-1] ** 2)
            return float(penalty - np.log(likely).sum()), away - ascent

        bounds = [(0.0, None)] * len(mean) + [(None, None)]
        found = minimize(loss, np.append(mean, 0.0), jac=True, method="L-BFGS-B", bounds=bounds)
        return cls(found.x[:-1], float(found.x[-1]))

    def probabilities(self, questions: Questions, scores: Sequence[Answers]) -> Answers:
        """Return the probabilities of all answers, by tempered scores of each judge."""
        statement = sum(w * one.statement for w, one in zip(self.weights, scores, strict=True))
        none = sum(w * one.none for w, one in zip(self.weights, scores, strict=True))
        bias = np.where(questions.is_two_sided, 0.0, self.bias)
        return questions.softmax(Answers(np.asarray(statement), np.asarray(none + bias)))


def tempered(questions: Questions, scores: Answers, block: BlockObjective) -> Answers:
    """Return T times scores."""
    matrix, weight = block.data.matrix, block.data.weight
    n_claims = np.add.reduceat(weight, matrix.claim_start[:-1])
    temper = 1.0 / (1.0 + TEMPER * np.sqrt(np.maximum(n_claims - 1.0, 0.0)))
    for model in block.observations.values():
        own = model.parameters.range
        if own.form == "lures":  # where errors that are repeated are allowed for already
            temper[own.first : own.last] = 1.0
    of_question = temper[questions.item]
    return Answers(
        scores.statement * of_question[questions.of_statement], scores.none * of_question
    )


def stack_share(
    questions: Questions, default: Answers, stacked: Answers, is_true: Mask, n_labels: int
) -> float:
    """Return how much the stack counts beside the default's plausibilities.

    Before labels are looked at, it counts as much as the default when there are `LABELS_FOR_HALF`
    of them. Then each label speaks for the one by which it was the more plausible, by expectation
    maximisation.
    """
    before = n_labels / (n_labels + LABELS_FOR_HALF)
    by_default, by_stack = (likelihood(questions, p, is_true) for p in (default, stacked))
    share = before
    for _ in range(MAX_ROUNDS):
        of_stack = share * by_stack
        credit = of_stack / (of_stack + (1.0 - share) * by_default)
        last = share
        share = float((credit.sum() + LABELS_BEFORE * before) / (len(credit) + LABELS_BEFORE))
        if abs(share - last) < SETTLED:
            break
    return share


def likelihood(questions: Questions, p: Answers, is_true: Mask) -> Floats:
    """Return the probability of the true answer to each question."""
    of_true = np.add.reduceat(np.where(is_true, p.statement, 0.0), questions.start)
    none_is_true = ~np.logical_or.reduceat(is_true, questions.start)
    return np.asarray(np.maximum(of_true + np.where(none_is_true, p.none, 0.0), LEAST))


def pooled(default: Answers, stacked: Answers, share: float) -> Answers:
    """Mix the default's plausibilities with those of the stack."""
    return Answers(
        (1.0 - share) * default.statement + share * stacked.statement,
        (1.0 - share) * default.none + share * stacked.none,
    )
