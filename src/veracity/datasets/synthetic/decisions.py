"""The best decision for somebody who knows every rate: plausibilities by Bayes' rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.datasets.synthetic.rates import TINY, Rates
from veracity.datasets.synthetic.single import TRUE, Answers, SingleTruth, popularity
from veracity.datasets.synthetic.specs import AttributeSpec
from veracity.datasets.synthetic.visits import OWN_ANSWER, Visits

#: Cells of the table (entity, value) that are judged at once.
BLOCK_CELLS = 1 << 25


@dataclass(frozen=True)
class Decisions:
    """How many decisions there are, how many are right, and how many can be expected to be."""

    n_decisions: int = 0
    n_right: int = 0
    n_expected: float = 0.0

    def __add__(self, other: Decisions) -> Decisions:
        return Decisions(
            self.n_decisions + other.n_decisions,
            self.n_right + other.n_right,
            self.n_expected + other.n_expected,
        )


def judge_single(
    spec: AttributeSpec, truth: SingleTruth, visits: Visits, rates: Rates, answers: Answers
) -> Decisions:
    """Decide about every item with one true value that somebody spoke about."""
    informative = (visits.copied_from == OWN_ANSWER) & ~rates.blind
    weight = np.where(informative, evidence(spec, truth, visits, rates, answers), 0.0)
    clustered = informative & answers.asserts
    total = Decisions()
    for entities, chosen in _blocks(visits.entity, len(truth.value), spec.size):
        row = visits.entity[chosen] - entities.start
        cell = row * spec.size + answers.value[chosen]
        shape = (entities.stop - entities.start, spec.size)
        n_cells = shape[0] * shape[1]
        score = np.bincount(cell, weight[chosen], n_cells).reshape(shape)
        score += log_prior(spec)
        speakers = np.bincount(row, clustered[chosen], shape[0])
        score -= speakers[:, None] * _log_room(spec, truth.favourite[entities])
        spoken = np.bincount(cell, minlength=n_cells).reshape(shape) > 0
        total += _decide(spec, score, spoken, truth.value[entities])
    return total


def evidence(
    spec: AttributeSpec, truth: SingleTruth, visits: Visits, rates: Rates, answers: Answers
) -> Floats:
    """Return what each answer adds to the log-odds of the value it speaks about.

    This is log P(answer | the value is true) - log P(answer | it is not), where the terms that do
    not depend on which other value is true cancel. With weight w_j for a mistake j, their sum W
    and truth k, a source asserts j != k with probability (1 - tpr) w_j / (W - w_k). It denies k
    with probability fpr, and any other value with (1 - fpr) / (n_values - 1).
    """
    log_tpr, log_not_tpr, log_fpr, log_not_fpr = rates.logs()
    if spec.kind == "boolean":
        says_true = (answers.value == TRUE) == answers.asserts
        for_true = np.where(says_true, log_tpr - log_fpr, log_not_tpr - log_not_fpr)
        return np.where(answers.value == TRUE, for_true, -for_true)
    common = popularity(spec)[(answers.value - truth.favourite[visits.entity]) % spec.size]
    room = popularity(spec).sum() - common
    asserted = log_tpr - log_not_tpr - np.log(common) + np.log(room)
    denied = log_fpr - log_not_fpr + np.log(spec.size - 1)
    return np.asarray(np.where(answers.asserts, asserted, denied))


def judge_multiple(
    spec: AttributeSpec,
    true_set: Mask,
    visits: Visits,
    rates: Rates,
    named: Mask,
    denied: Mask,
) -> Decisions:
    """Decide about every asserted or denied statement of items with several true values."""
    odds = _log_odds(spec, len(true_set), visits, rates, named)
    plausibility = 1 / (1 + np.exp(-odds))
    # Every item has a true value: what is known to the generator is known to the oracle.
    some_true = -np.expm1(np.log1p(-np.minimum(plausibility, 1 - TINY)).sum(axis=1))
    plausibility = np.minimum(1.0, plausibility / np.maximum(some_true, TINY)[:, None])
    spoken = np.zeros_like(true_set)
    for value in range(spec.size):
        spoken[visits.entity[named[:, value] | denied[:, value]], value] = True
    believed = plausibility > 0.5
    right = int(np.count_nonzero((believed == true_set) & spoken))
    expected = np.maximum(plausibility, 1 - plausibility)[spoken].sum()
    return Decisions(int(spoken.sum()), right, float(expected))


def log_prior(spec: AttributeSpec) -> Floats:
    """Return how likely each value is before anybody speaks, as a logarithm."""
    prior = np.full(spec.size, 1 / spec.size) if spec.prior is None else np.array(spec.prior)
    return np.asarray(np.log(np.maximum(prior, TINY)))


def _log_room(spec: AttributeSpec, favourite: Indices) -> Floats:
    """Return log(W - w_k) for every entity and truth k: the weight of all mistakes together."""
    weight = popularity(spec)
    room = np.log(weight.sum() - weight)
    return np.asarray(room[(np.arange(spec.size)[None, :] - favourite[:, None]) % spec.size])


def _log_odds(
    spec: AttributeSpec, n_entities: int, visits: Visits, rates: Rates, named: Mask
) -> Floats:
    """Return the log-odds of each candidate; copied visits say nothing new."""
    own = visits.copied_from == OWN_ANSWER
    log_tpr, log_not_tpr, log_fpr, log_not_fpr = rates.logs()
    if_named, if_not = own * (log_tpr - log_fpr), own * (log_not_tpr - log_not_fpr)
    odds = np.full((n_entities, spec.size), np.log(spec.true_share / (1 - spec.true_share)))
    for value in range(spec.size):
        weight = np.where(named[:, value], if_named, if_not)
        odds[:, value] += np.bincount(visits.entity, weight, n_entities)
    return np.asarray(np.clip(odds, -500, 500))


def _decide(spec: AttributeSpec, score: Floats, spoken: Mask, true_value: Indices) -> Decisions:
    plausibility = np.exp(score - score.max(axis=1, keepdims=True))
    plausibility /= plausibility.sum(axis=1, keepdims=True)
    eligible = score if spec.is_closed else np.where(spoken, score, -np.inf)
    choice = eligible.argmax(axis=1)
    judged = spoken.any(axis=1)
    right = int(np.count_nonzero(judged & (choice == true_value)))
    expected = plausibility[np.arange(len(choice)), choice][judged].sum()
    return Decisions(int(judged.sum()), right, float(expected))


def _blocks(entity: Indices, n_entities: int, size: int) -> Iterator[tuple[slice, Indices | slice]]:
    """Cut the entities into blocks, each with the visits to it, so that memory stays bounded."""
    step = max(1, BLOCK_CELLS // size)
    if n_entities <= step:
        yield slice(0, n_entities), slice(None)
        return
    order = np.argsort(entity, kind="stable")
    starts = range(0, n_entities, step)
    bounds = np.searchsorted(entity[order], [*starts, n_entities])
    for start, low, high in zip(starts, bounds[:-1], bounds[1:], strict=True):
        yield slice(start, min(start + step, n_entities)), order[low:high]
