"""What is known about workers before a fit: counts or error matrices of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from veracity.compat.crowdkit.answers import Answers
from veracity.data.arrays import Floats, Indices
from veracity.errors import InputError, listing

STRATEGIES = ("assign", "addition")


class InitialCounts(NamedTuple):
    """Rows of error matrices: worker and label as one number, and a count for each true label."""

    key: Indices
    counts: Floats


def initial_counts(answers: Answers, initial_error: Any, strategy: str | None) -> InitialCounts:
    """Read a frame of error matrices, indexed by worker and label; other workers are left out."""
    if list(initial_error.index.names) != ["worker", "label"]:
        raise InputError(
            "initial_error must be indexed by worker and label. Got "
            f"{listing(initial_error.index.names)} instead."
        )
    table = initial_error.reindex(columns=answers.labels, fill_value=0.0).to_numpy(np.float64)
    worker = answers.workers.get_indexer(initial_error.index.get_level_values("worker"))
    label = answers.labels.get_indexer(initial_error.index.get_level_values("label"))
    used = (worker >= 0) & (label >= 0)
    found = InitialCounts(worker[used] * answers.n_labels + label[used], table[used])
    if strategy == "assign":
        _check_complete(answers, found)
        _check_sums(answers, found)
    return found


def _check_complete(answers: Answers, found: InitialCounts) -> None:
    """Refuse matrices without a row for something that a worker says."""
    missing = ~np.isin(answers.worker * answers.n_labels + answers.label, found.key)
    if missing.any():
        workers = answers.workers[np.unique(answers.worker[missing])]
        raise InputError(
            'With initial_error_strategy="assign", initial_error must have a row for each label '
            f"that a worker gives. Rows are missing for {listing(workers, 5)}. Add them, or choose "
            '"addition".'
        )


def _check_sums(answers: Answers, found: InitialCounts) -> None:
    """Refuse probabilities that do not add up to one."""
    if (found.counts > 1.0).any():
        return  # counts
    total = np.zeros((answers.n_workers, answers.n_labels))
    np.add.at(total, found.key // answers.n_labels, found.counts)
    given = np.unique(found.key // answers.n_labels)
    wrong = ~np.isclose(total[given], 1.0).all(axis=1)
    if wrong.any():
        raise InputError(
            "The probabilities of a worker in initial_error must add up to 1 in each column. They "
            f"do not for {listing(answers.workers[given[wrong]], 5)}."
        )
