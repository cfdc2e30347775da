"""Dawid-Skene: a confusion matrix per source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.notes import Note
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import listing
from veracity.models.base import Judgement
from veracity.models.crowd.ascent import AnyBallots, Ascent, Step
from veracity.models.crowd.crowd_kernels import Likelihoods, confusion_from_counts
from veracity.models.crowd.crowd_model import CrowdModel, check_not_negative
from veracity.models.per_source import Learned
from veracity.models.views.by_class import LEAST, Ballots, Cells, Tally, class_priors, coin
from veracity.models.views.classes import Scales


class DawidSkene(CrowdModel):
    """Learn what each source says for each class that may be true.

    Dawid and Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm,
    Applied Statistics, 1979. With e_s the confusion matrix of source s and pi the prior
    probability of the classes:

        P(s says a | truth t) = e_s[t, a]

        P(t | votes)  ~  pi_t  product over the votes a of s of  e_s[t, a]

    It assumes that sources err independently of each other, each in its own way, and that the
    classes mean the same for every item. Confusion matrices and priors are those of the largest
    likelihood, found by expectation maximisation that starts from the shares of the votes. A
    source needs many claims for each class before its matrix can be trusted; with few, `OneCoin`
    or some pseudo-counts are safer.

    A closed attribute has its claimed values as classes, a boolean one yes and no. Where several
    values may be true, each is a question for yes and no by itself, and naming some values says no
    to all others. An open attribute has no classes, and is treated as by `OneCoin`: a source has
    one reliability for all of them. The same is done with a closed one of more than 256 values,
    and with values that were not seen in the fit.

    Parameters
    ----------
    prior
        Pseudo-counts for each cell of a confusion matrix (a Dirichlet distribution with this plus
        one); none by default, which is maximum likelihood.
    prior_diagonal
        More of them for being right.
    max_iter, tol
        Iterations at most, and the change of a plausibility to stop at: the largest change or, of
        50,000 answers and more, the mean one. None for `max_iter` iterations.
    random_state
        Seed for breaking ties.

    Attributes
    ----------
    confusion_
        What each source says: source, attribute, truth, said, probability. What a source never
        says has no row.
    classes_
        The prior probability of each class: attribute, value, probability.

    Examples
    --------
    >>> from veracity import DawidSkene
    >>> colours = ["blue", "blue", "red", "green", "green", "red"]
    >>> entities = ["sky"] * 3 + ["grass"] * 3
    >>> claims = {"source": ["a", "b", "c"] * 2, "entity": entities, "value": colours}
    >>> DawidSkene().fit_predict(claims)["value"].to_pylist()
    ['green', 'blue']
    """

    _confused = True
    _most_classes = 256

    def __init__(
        self,
        prior: float = 0.0,
        prior_diagonal: float = 0.0,
        max_iter: int = 500,
        tol: float | None = 1e-5,
        random_state: int = 0,
    ) -> None:
        self.prior = prior
        self.prior_diagonal = prior_diagonal
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_not_negative(prior=self.prior, prior_diagonal=self.prior_diagonal)

    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        ballots = self._ballots(claims)
        self._note_open(claims.attributes)
        ascent = Ascent(ballots, self._learn, self.tol)
        self._iterate(ascent.step, ascent.resuming())
        counts, cells = ascent.counts, ballots.cells
        log_confusion, _ = self._confusion(ballots, counts)
        reliability = reliabilities(ballots, counts)
        shared: dict[str, npt.NDArray[Any]] = {
            "prior": class_priors(ballots.scales, counts),
            "cell_source": cells.source,
            "cell_scale": cells.scale,
            "cell_said": cells.said,
            "cell_width": cells.width,
            "log_confusion": log_confusion,
            "log_average": average_confusion(ballots, ascent.tally),
        }
        self.learned_ = Learned.with_average(shared, reliability=reliability)
        return ballots.judgement(ascent.tally)

    def _learn(self, ballots: AnyBallots, tally: Tally) -> Step:
        """Do the maximisation step."""
        cells = ballots.cells
        log_confusion, log_prior = self._confusion(ballots, tally)
        ratio, base = np.zeros(len(cells)), np.zeros(len(cells))
        on_open = np.flatnonzero(cells.scale < 0)
        if len(on_open):
            whole = coin(reliabilities(ballots, tally), cells)
            ratio[on_open], base[on_open] = whole[0][on_open], whole[1][on_open]
        prior = np.log(class_priors(ballots.scales, tally))
        return Step(Likelihoods(prior, cells.at, log_confusion, ratio, base), log_prior)

    def _note_open(self, attributes: Sequence[AttributeProfile]) -> None:
        names = [profile.name for profile in attributes if profile.name not in self.scales_.names]
        if names:
            text = (
                f"No confusion matrix for {listing(names)}, whose values are not a small fixed "
                "set. Each source has one reliability there."
            )
            self.notes_.append(Note("classes", text))

    def _confusion(self, ballots: AnyBallots, tally: Tally) -> tuple[Floats, float]:
        """Return the logarithm of the confusion matrices, and of their prior density."""
        cells, counts = ballots.cells, tally.confusion
        log_confusion = np.empty(len(counts))
        log_prior = confusion_from_counts(
            counts, cells.pair_start, cells.at, cells.said, cells.width,
            float(self.prior), float(self.prior_diagonal), LEAST, log_confusion,
        )  # fmt: skip
        return log_confusion, float(log_prior)

    @property
    def _cells(self) -> Cells:
        shared = self.learned_.shared
        names = ("cell_source", "cell_scale", "cell_said", "cell_width")
        return Cells(*(shared[name].astype(np.int64) for name in names))

    def _believe(self, ballots: Ballots, claims: Claims) -> Floats:
        learned, cells, new = self._learned_at(claims), self._cells, ballots.cells
        shared = learned.shared
        own = cells.find(self._places(claims.matrix)[new.source], new.scale, new.said)
        average = average_at(self.scales_)
        # Numbers of a cell stand side by side: of a known cell its own, else those of the average.
        start = np.where(own >= 0, cells.at[own], average[new.scale] + new.said * new.width)
        numbers = np.append(shared["log_confusion"], shared["log_average"])
        start = np.where(own >= 0, start, start + len(shared["log_confusion"]))
        size = np.diff(new.at)
        place = np.repeat(start - new.at[:-1], size) + np.arange(new.at[-1])
        ratio, base = coin(learned.of_source["reliability"], new)
        likelihoods = Likelihoods(np.log(shared["prior"]), new.at, numbers[place], ratio, base)
        return ballots.expect(likelihoods).belief

    @property
    def confusion_(self) -> Table:
        """What each source says for each truth: source, attribute, truth, said, probability."""
        self._check_fitted("confusion_")
        cells, scales = self._cells, self.scales_
        size = np.diff(cells.at)
        cell = np.repeat(np.arange(len(cells)), size)
        truth = np.arange(cells.at[-1]) - np.repeat(cells.at[:-1], size)
        scale = cells.scale[cell]
        labels, first = scales.class_labels, scales.first[:-1][scale]
        table = {
            "source": self._source_labels.take(to_arrow(cells.source[cell])),
            "attribute": pa.array(scales.names, pa.string()).take(to_arrow(scale)),
            "truth": labels.take(to_arrow(first + truth)),
            "said": labels.take(to_arrow(first + cells.said[cell])),
            "probability": to_arrow(np.exp(self.learned_.shared["log_confusion"])),
        }
        found = pa.table(table)
        order = np.lexsort((cells.said[cell], truth, scale, cells.source[cell]))
        return Table("confusion", found.take(to_arrow(order)))

    @property
    def classes_(self) -> Table:
        """The prior probability of each class: attribute, value, probability."""
        self._check_fitted("classes_")
        scales = self.scales_
        names = pa.array(np.repeat(scales.names, scales.sizes).tolist(), pa.string())
        prior = to_arrow(self.learned_.shared["prior"])
        columns = {"attribute": names, "value": scales.class_labels, "probability": prior}
        return Table("classes", pa.table(columns))


def reliabilities(ballots: AnyBallots, tally: Tally) -> Floats:
    """Return how often each source is right on open questions, else on all others; (n_sources,)."""
    cells = ballots.cells
    on_open = cells.scale < 0
    right = ballots.sum_by_source(np.where(on_open, tally.right, 0.0))
    given = ballots.sum_by_source(np.where(on_open, ballots.cell_weight, 0.0))
    if (given <= 0).any():
        own = np.where(on_open, 0, cells.at[:-1] + cells.said)
        said_right = tally.confusion[own] if len(tally.confusion) else np.zeros(len(cells))
        elsewhere = ballots.sum_by_source(np.where(on_open, 0.0, said_right))
        given_elsewhere = ballots.sum_by_source(np.where(on_open, 0.0, ballots.cell_weight))
        right = np.where(given > 0, right, elsewhere)
        given = np.where(given > 0, given, given_elsewhere)
    share = right / np.where(given > 0, given, 1.0)
    return np.clip(np.where(given > 0, share, 0.5), 0.0, 1.0)


def average_at(scales: Scales) -> Indices:
    """Return where the average confusion matrix of each scale begins; (n_scales + 1,)."""
    return np.append(0, np.cumsum(scales.sizes**2)).astype(np.int64)


def average_confusion(ballots: AnyBallots, tally: Tally) -> Floats:
    """Return the log-probability of each class said for each truth, over all sources.

    For each scale a square, by class said and then truth; end to end.
    """
    scales, cells = ballots.scales, ballots.cells
    at = average_at(scales)
    size = np.diff(cells.at)
    cell = np.repeat(np.arange(len(cells)), size)
    truth = np.arange(cells.at[-1]) - np.repeat(cells.at[:-1], size)
    place = at[cells.scale[cell]] + cells.said[cell] * cells.width[cell] + truth
    counts = np.maximum(sum_by(place, tally.confusion, int(at[-1])), LEAST)
    square = np.repeat(np.arange(len(scales)), scales.sizes**2)
    column = (np.arange(at[-1]) - at[square]) % scales.sizes[square] + scales.first[square]
    total = sum_by(column, counts, scales.n_classes)
    return np.asarray(np.log(counts / total[column]))
