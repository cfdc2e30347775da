"""What sources say for each truth, judged by what the others say.

A source must not vouch for itself: its answer to a question is compared with what the other answers
make of the question. With C the expected number of times that source s says a where k is true, A
that of all sources together, pi the share of questions whose truth is k, and m a few pseudo-counts:

    c_s[k, a] = (C_s[k, a] + m A[k, a] / A[k]) / (C_s[k] + m)

    q_{-s}(k)  ~  pi_k  product over the answers a' of others s' of  c_s'[k, a']

Counts begin with the plausibilities of the model, which each source has a part in, and are then
taken from q_{-s} itself, `ROUNDS` times. This is cheaper than a fit without each source, and what
remains of its word is its part in the matrices of the others. Where the truth is known, q is that.

Answers to questions that nobody else answers, and whose truth is not known, are not counted. Bins
take more room than all else, so only sources with many answers have them, in the last round. Every
block counts by itself; what blocks counted is put together for one part of the sources after the
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.engines.base import Blocks
from veracity.engines.parts import Parts, parts_of, place_in
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
    n_answers
        How often it is said; (n_rows,).
    confusion
        The expected number of times that it is said for each truth; (n_rows, widest).
    of_class
        The expected number of questions with each truth; (n_classes,).
    frequent
        The rows of sources that give many answers.
    in_bin, sum_in_bin
        How many answers of these rows have a q in each bin, and the sum of their q;
        (n_frequent, N_BINS).
    is_whole
        Whether all rows are there; else only those of sources that give many answers.
    """

    source: Indices
    said: Indices
    n_answers: Floats
    confusion: Floats
    of_class: Floats
    frequent: Indices
    in_bin: Floats
    sum_in_bin: Floats
    is_whole: bool = True

    @classmethod
    def none(cls) -> Counted:
        """Return the counts where there are no closed attributes."""
        nobody, nothing, bins = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, N_BINS))
        return cls(nobody, nobody, nothing, np.zeros((0, 0)), nothing, nobody, bins, bins)

    def n_cells(self, closed: ClosedAttributes) -> int:
        """Count the cells of the confusion matrices that these rows belong to."""
        return int(np.diff(closed.first)[closed.of_class[self.said]].sum())

    def only_frequent(self) -> Counted:
        """Return the rows of sources that give many answers."""
        rows = self.frequent
        return replace(
            self,
            source=self.source[rows],
            said=self.said[rows],
            n_answers=self.n_answers[rows],
            confusion=self.confusion[rows],
            frequent=np.arange(len(rows)),
            is_whole=False,
        )


@dataclass(frozen=True, eq=False)
class _Rows:
    """Counts of a part of the sources, from which habits are made; keys are those of `_Habits`."""

    key: Indices
    confusion: Floats
    of_class: Floats

    @classmethod
    def of(cls, counted: Counted, closed: ClosedAttributes) -> _Rows:
        key = counted.source * closed.n_classes + counted.said
        return cls(key, counted.confusion.copy(), counted.of_class)


@dataclass(frozen=True, eq=False)
class _Habits:
    """Log-probabilities of what sources say, of a part of the sources.

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


def count_answers(
    blocks: Blocks[list[Answers]],
    closed: ClosedAttributes,
    n_sources: int,
    least: int,
    most_cells: int,
) -> Counted:
    """Count what each source says for each truth, each answer judged by the others.

    Sources with at least `least` answers get bins. If there are more than `most_cells` cells, and
    the sources are in several parts, the other sources are left out in the end.
    """
    parts = parts_of(blocks, n_sources)
    few = np.zeros(n_sources, np.bool_)
    habits: list[_Habits] | None = None
    often = few.copy()
    for round_ in range(ROUNDS):
        counted = _by_part(blocks, closed, habits, few, parts)
        habits = None  # as large as what comes back
        rows = []
        for part, own in zip(parts, counted, strict=True):
            rows.append(_Rows.of(own, closed))
            if round_ == 0:
                n_answers = sum_by(own.source - part[:1].sum(), own.n_answers, len(part))
                often[part] = n_answers >= least
        habits = _habits(rows, closed)
    counted = _by_part(blocks, closed, habits, often, parts)
    habits = None
    return _joined(counted, closed, most_cells)


def _by_part(
    blocks: Blocks[list[Answers]],
    closed: ClosedAttributes,
    habits: list[_Habits] | None,
    binned: Mask,
    parts: Parts,
) -> Iterator[Counted]:
    """Count answers, and put together what blocks counted of each part of the sources."""
    if len(parts) == 1:
        return iter([_counted(blocks.total(_count, closed, habits, binned), closed, binned)])
    rows = blocks.prepare(_count, closed, habits, binned)
    keys = [
        (int(part[0]) * closed.n_classes, (int(part[-1]) + 1) * closed.n_classes) for part in parts
    ]
    return (_counted(rows.total(_between, *ends), closed, binned) for ends in keys)


def _between(sums: Sums, first: int, last: int) -> Sums:
    """Return the rows of a block whose keys are from `first` up to, not including, `last`."""
    return sums | {name: sums[name].between(first, last) for name in ("rows", "bins")}


def _joined(counted: Iterator[Counted], closed: ClosedAttributes, most_cells: int) -> Counted:
    """Put the counts of all parts end to end; without those of most sources if they are many."""
    parts = [next(counted)]
    n_cells, has_room = parts[0].n_cells(closed), True
    for part in counted:
        n_cells += part.n_cells(closed)
        if has_room and n_cells > most_cells:
            has_room, parts = False, [one.only_frequent() for one in parts]
        parts.append(part if has_room else part.only_frequent())
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.source) for part in parts)])
    frequent = [part.frequent + start for part, start in zip(parts, starts, strict=False)]
    together = ("source", "said", "n_answers", "confusion", "in_bin", "sum_in_bin")
    made = {name: np.concatenate([getattr(one, name) for one in parts]) for name in together}
    return replace(parts[0], frequent=np.concatenate(frequent), is_whole=has_room, **made)


def _counted(sums: Sums, closed: ClosedAttributes, binned: Mask) -> Counted:
    rows, bins = sums["rows"], sums["bins"]
    source, said = np.divmod(rows.key, closed.n_classes)
    frequent = np.flatnonzero(binned[source])
    in_bin, sum_in_bin = bins.numbers[:, :N_BINS], bins.numbers[:, N_BINS:]
    counts, of_class = rows.numbers, sums["of_class"]
    return Counted(
        source, said, counts[:, 0], counts[:, 1:], of_class, frequent, in_bin, sum_in_bin
    )


def _habits(counted: list[_Rows], closed: ClosedAttributes) -> list[_Habits]:
    """Turn counts into probabilities, drawn to those of all sources.

    Counts are many, so that those of a part go when they have been turned.
    """
    of_class = counted[0].of_class + 1.0
    prior = np.log(of_class / sum_by(closed.of_class, of_class, len(closed))[closed.of_class])
    by_all = np.full((closed.n_classes, closed.widest), 0.1)
    for part in counted:
        by_all += _sum_rows(part.key % closed.n_classes, part.confusion, closed.n_classes)
    pooled = by_all / _sum_rows(closed.of_class, by_all, len(closed))[closed.of_class]
    made = []
    while counted:
        made.append(_habits_of(counted.pop(0), closed, pooled, prior))
    return made


def _habits_of(
    counted: _Rows, closed: ClosedAttributes, pooled: Floats, log_prior: Floats
) -> _Habits:
    source, said = np.divmod(counted.key, closed.n_classes)
    _, pair = np.unique(source * len(closed) + closed.of_class[said], return_inverse=True)
    given = _sum_rows(pair, counted.confusion, int(pair.max(initial=-1)) + 1)[pair]
    drawn = counted.confusion + PSEUDO_COUNTS * pooled[said]
    confusion = drawn / (given + PSEUDO_COUNTS)
    return _Habits(counted.key, np.log(np.maximum(confusion, LEAST)), log_prior)


def _sum_rows(index: Indices, rows: Floats, size: int) -> Floats:
    return np.stack([sum_by(index, column, size) for column in rows.T], axis=1)


def _count(
    sheets: list[Answers],
    closed: ClosedAttributes,
    habits: list[_Habits] | None,
    binned: Mask,
) -> Sums:
    """Count the answers of a block, and also by bins those of the sources that are marked."""
    from veracity.models.patterns.kernels import count_by_row  # takes a while to import

    of_class = np.zeros(closed.n_classes)
    keys, rows = [np.zeros(0, np.int64)], [np.zeros((0, 1 + closed.widest))]
    binned_keys, bins = [np.zeros(0, np.int64)], [np.zeros((0, 2 * N_BINS))]
    for answers in sheets:
        first, n_classes = int(closed.first[answers.attribute]), answers.belief.shape[1]
        own_classes = slice(first, first + n_classes)
        key = answers.row_source * closed.n_classes + first + answers.row_said
        marked = binned[answers.row_source]
        place = np.where(marked, np.cumsum(marked) - 1, -1)
        counts = np.zeros((len(key), 1 + closed.widest))
        in_bin, sum_in_bin = np.zeros((2, int(marked.sum()), N_BINS))
        says = np.zeros((0, n_classes)) if habits is None else _says(habits, key, n_classes)
        log_prior = np.zeros(0) if habits is None else habits[0].log_prior[own_classes]
        count_by_row(
            answers.question, answers.row, answers.row_said, answers.belief, answers.settled, says,
            log_prior, place, of_class[own_classes], counts[:, 0], counts[:, 1:], in_bin,
            sum_in_bin,
        )  # fmt: skip
        compared = counts[:, 0] > 0
        keys.append(key[compared])
        rows.append(counts[compared])
        binned_keys.append(key[marked & compared])
        bins.append(np.hstack([in_bin, sum_in_bin])[compared[marked]])
    return {
        "rows": Keyed.of(np.concatenate(keys), np.concatenate(rows)),
        "bins": Keyed.of(np.concatenate(binned_keys), np.concatenate(bins)),
        "of_class": of_class,
    }


def _says(habits: list[_Habits], key: Indices, n_classes: int) -> Floats:
    """Return the log-probability of what each row says, for each truth; (n_rows, n_classes).

    Rows whose answers were not compared with others say nothing.
    """
    says = np.zeros((len(key), n_classes))
    for part in habits:
        inside, place = place_in(part.key, key)
        says[inside] = part.log_confusion[place, :n_classes]
    return says
