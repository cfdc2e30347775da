"""What sources say for each truth, judged by what the others say.

A source must not vouch for itself: its answer to a question is compared with what the other answers
make of the question. With C the expected number of times that source s says a where k is true, A
that of all sources together, pi the share of questions whose truth is k, and m a few pseudo-counts:

    c_s[k, a] = (C_s[k, a] + m A[k, a] / A[k]) / (C_s[k] + m)

    q_{-s}(k)  ~  pi_k  product over the answers a' of others s' of  c_s'[k, a']

Counts begin with the plausibilities of the model, which each source has a part in, and are then
taken from q_{-s} itself, `ROUNDS` times. This is cheaper than a fit without each source, and what
remains of its word is its part in the matrices of the others. Where the truth is known, q is that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Keyed, Sums
from veracity.models.patterns.answers import Answers, ClosedAttributes

#: Passes over the answers after the first, and pseudo-counts of each row of a confusion matrix.
ROUNDS, PSEUDO_COUNTS = 2, 5.0
#: Answers are told apart by how probable what they say is, in so many bins.
N_BINS = 16
#: No probability is taken to be smaller.
LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Counted:
    """Answers of all sources, counted; one row for each source and class that it says.

    Attributes
    ----------
    source
        Who says it; (n_rows,).
    said
        The class, all attributes end to end; (n_rows,).
    confusion
        The expected number of times that it is said for each truth; (n_rows, widest).
    in_bin, sum_in_bin
        How many answers have a q in each bin, and the sum of their q; (n_rows, N_BINS).
    of_class
        The expected number of questions with each truth; (n_classes,).
    """

    source: Indices
    said: Indices
    confusion: Floats
    in_bin: Floats
    sum_in_bin: Floats
    of_class: Floats

    @classmethod
    def none(cls) -> Counted:
        """Return the counts where there are no closed attributes."""
        nobody, bins = np.zeros(0, np.int64), np.zeros((0, N_BINS))
        return cls(nobody, nobody, np.zeros((0, 0)), bins, bins, np.zeros(0))


@dataclass(frozen=True, eq=False)
class _Habits:
    """Log-probabilities of what sources say.

    Attributes
    ----------
    key
        The source times the number of classes, plus the class that it says; (n_rows,).
    log_confusion
        Of saying it, for each truth; (n_rows, widest).
    log_prior
        Of each class; (n_classes,).
    """

    key: Indices
    log_confusion: Floats
    log_prior: Floats


def count_answers(blocks: Blocks[list[Answers]], closed: ClosedAttributes) -> Counted:
    """Count what each source says for each truth, each answer judged by the others."""
    counted = _counted(blocks.total(_count, closed, None), closed)
    for _ in range(ROUNDS):
        counted = _counted(blocks.total(_count, closed, _habits(counted, closed)), closed)
    return counted


def _counted(sums: Sums, closed: ClosedAttributes) -> Counted:
    rows: Keyed = sums["rows"]
    source, said = np.divmod(rows.key, closed.n_classes)
    ends = (closed.widest, closed.widest + N_BINS)
    confusion, in_bin, sum_in_bin = np.split(rows.numbers, ends, axis=1)
    return Counted(source, said, confusion, in_bin, sum_in_bin, sums["of_class"])


def _habits(counted: Counted, closed: ClosedAttributes) -> _Habits:
    """Turn counts into probabilities, drawn to those of all sources."""
    attribute = closed.of_class[counted.said]
    _, pair = np.unique(counted.source * len(closed) + attribute, return_inverse=True)
    by_all = _sum_rows(counted.said, counted.confusion, closed.n_classes) + 0.1
    pooled = by_all / _sum_rows(closed.of_class, by_all, len(closed))[closed.of_class]
    given = _sum_rows(pair, counted.confusion, int(pair.max(initial=-1)) + 1)[pair]
    drawn = counted.confusion + PSEUDO_COUNTS * pooled[counted.said]
    confusion = drawn / (given + PSEUDO_COUNTS)
    of_class = counted.of_class + 1.0
    prior = of_class / sum_by(closed.of_class, of_class, len(closed))[closed.of_class]
    key = counted.source * closed.n_classes + counted.said
    return _Habits(key, np.log(np.maximum(confusion, LEAST)), np.log(prior))


def _sum_rows(index: Indices, rows: Floats, size: int) -> Floats:
    return np.stack([sum_by(index, column, size) for column in rows.T], axis=1)


def _count(sheets: list[Answers], closed: ClosedAttributes, habits: _Habits | None) -> Sums:
    """Count the answers of a block."""
    keys, rows = [np.zeros(0, np.int64)], [np.zeros((0, closed.widest + 2 * N_BINS))]
    of_class = np.zeros(closed.n_classes)
    for answers in sheets:
        first, n_classes = int(closed.first[answers.attribute]), answers.belief.shape[1]
        key = answers.source * closed.n_classes + first + answers.said
        if habits is None:
            belief, others = answers.belief, answers.belief[answers.question]
        else:
            belief, others = _without_own(answers, habits, key, first)
        of_class[first : first + n_classes] += belief.sum(axis=0)
        chosen = answers.compared
        found, at = np.unique(key[chosen], return_inverse=True)
        keys.append(found)
        rows.append(_sum_up(at, len(found), others[chosen], answers.said[chosen], closed.widest))
    return {
        "rows": Keyed.of(np.concatenate(keys), np.concatenate(rows)),
        "of_class": of_class,
    }


def _without_own(
    answers: Answers, habits: _Habits, key: Indices, first: int
) -> tuple[Floats, Floats]:
    """Return q of each question by all answers, and of each answer by all others.

    The first is (n_questions, n_classes), the second (n_answers, n_classes).
    """
    n_classes = answers.belief.shape[1]
    known = np.minimum(np.searchsorted(habits.key, key), max(len(habits.key) - 1, 0))
    own = np.zeros((len(key), n_classes))
    if len(habits.key):  # answers that were not compared with others say nothing
        found = habits.key[known] == key
        own[found] = habits.log_confusion[known[found], :n_classes]
    total = _sum_rows(answers.question, own, answers.n_questions)
    total += habits.log_prior[first : first + n_classes]
    by_all = np.where(answers.settled[:, None], answers.belief, _probabilities(total))
    by_others = _probabilities(total[answers.question] - own)
    settled = answers.settled[answers.question]
    by_others[settled] = by_all[answers.question[settled]]
    return by_all, by_others


def _probabilities(log_odds: Floats) -> Floats:
    raised = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _sum_up(at: Indices, n_rows: int, others: Floats, said: Indices, widest: int) -> Floats:
    """Add up, for each row, q of its answers, and q of what they say in the bins."""
    confusion = np.zeros((n_rows, widest))
    confusion[:, : others.shape[1]] = _sum_rows(at, others, n_rows)
    of_said = others[np.arange(len(said)), said]
    cell = at * N_BINS + np.minimum((of_said * N_BINS).astype(np.int64), N_BINS - 1)
    in_bin = sum_by(cell, np.ones(len(cell)), n_rows * N_BINS).reshape(n_rows, N_BINS)
    sum_in_bin = sum_by(cell, of_said, n_rows * N_BINS).reshape(n_rows, N_BINS)
    return np.concatenate([confusion, in_bin, sum_in_bin], axis=1)
