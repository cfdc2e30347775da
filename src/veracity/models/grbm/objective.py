"""Fitting: the penalised likelihood of all parts as one function of one vector, and its maximum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, sum_by
from veracity.models.grbm.block_data import ClaimRates, Found, Scene
from veracity.models.grbm.curvature import Curvature, SharedCurvature, SharedSums
from veracity.models.grbm.lbfgs import FEW_PARAMETERS, dot
from veracity.models.grbm.observation.one_coin import CoinPart
from veracity.models.grbm.observation.registry import Part
from veracity.models.grbm.optimise import minimise_in_stage
from veracity.models.grbm.priors import NOT_AT_ALL, Prior
from veracity.models.grbm.scores import Score

#: Where m, the log-odds of being right beyond chance, starts, and how strongly it is held there.
START, HOLD_START = 1.0, 5.0
#: How strongly gamma, the deviations of sources and the parameters of g are drawn to their start.
HOLD_PROLIFIC, HOLD_SOURCE, HOLD_FEATURES = 5.0, 1.0, 20.0
#: Typical variance of a claim's being right.
VARIANCE = 0.15
#: A fit whose parameters settle ends with steps shorter than this many times its tolerance.
STEP_PER_TOL = 10.0


class Penalised(ABC):
    """A log-likelihood of one vector of parameters, which are drawn to their start.

    The strength of a claim follows from eta = m + gamma z + w + g(x): z is how prolific its source
    is and counts only where one reliability stands for all values; w is the deviation of the
    source; g a function of the claim's features. All are drawn to their start by a Gaussian prior.
    The vector holds m and gamma, w, the parameters of g, and those of each attribute.

    Attributes
    ----------
    score
        g.
    known_curvature
        That in what all claims share, if it is known from another of the same sources and features:
        which claims are hidden, and what else is believed of them, plays no part in it.
    """

    score: Score
    known_curvature: SharedCurvature | None = None

    @property
    @abstractmethod
    def n_sources(self) -> int:
        """Number of sources."""

    @property
    @abstractmethod
    def priors(self) -> Sequence[Prior]:
        """Where the parameters of each attribute start, and how strongly they are held there."""

    @abstractmethod
    def speaks_often(self) -> npt.NDArray[np.bool_]:
        """Mark sources with more than one claim: one says nothing about who makes it."""

    @abstractmethod
    def shared_sums(self) -> SharedSums:
        """Return the information of the claims in m, gamma and g, and in the deviations."""

    @abstractmethod
    def ascend(self, x: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood and its gradient."""

    @cached_property
    def centre(self) -> Floats:
        """Where the fit starts, and where the priors draw to."""
        own = [prior.centre for prior in self.priors]
        return np.concatenate([[START, 0.0], np.zeros(self.n_sources), self.score.psi, *own])

    @cached_property
    def hold(self) -> Floats:
        """How strongly each parameter is held at its start."""
        return np.concatenate(
            [
                [HOLD_START, HOLD_PROLIFIC],
                np.where(self.speaks_often(), HOLD_SOURCE, NOT_AT_ALL),
                np.full(len(self.score.psi), HOLD_FEATURES),
                *(prior.penalty for prior in self.priors),
            ]
        )

    @cached_property
    def sizes(self) -> list[int]:
        """How many parameters there are of each kind: m and gamma, w, those of g, and of parts."""
        own = (len(prior.penalty) for prior in self.priors)
        return [2, self.n_sources, len(self.score.psi), *own]

    def cut(self, x: Floats) -> list[Floats]:
        """Cut a vector into its kinds."""
        return np.split(x, np.cumsum(self.sizes)[:-1])

    def started_at(self, x: Floats) -> Floats:
        """Return a start near where a fit with other features ended."""
        own = self.sizes
        before = len(x) - (sum(own) - own[2])  # parameters of g then
        first = own[0] + own[1]
        return np.concatenate([x[:first], self.centre[first : first + own[2]], x[first + before :]])

    def curvature(self) -> Curvature:
        """Return a rough curvature, to start L-BFGS from."""
        size = 0 if self.score.is_linear else len(self.score.psi)
        shared = self.shared_curvature
        rest = [np.full(size, shared.information), *(prior.curvature for prior in self.priors)]
        return Curvature(shared, np.concatenate(rest), self.n_sources)

    @cached_property
    def shared_curvature(self) -> SharedCurvature:
        """The curvature in what all claims share and in the deviations of sources."""
        if self.known_curvature is not None:
            return self.known_curvature
        size, first = len(self.score.psi), 2 + self.n_sources
        of_shared = np.append(self.hold[:2], self.hold[first : first + size])
        sums = self.shared_sums()
        return SharedCurvature(sums, of_shared[: len(sums.square)], self.hold[2:first])

    @property
    def can_settle(self) -> bool:
        """Whether the parameters are so few that it costs little to let them settle."""
        return len(self.centre) <= FEW_PARAMETERS

    def evaluate(self, x: Floats) -> tuple[float, Floats, float]:
        """Return the negative penalised log-likelihood, its gradient, and the log-likelihood."""
        likelihood, ascent = self.ascend(x)
        step, hold = x - self.centre, self.hold
        loss = 0.5 * dot(hold * step, step) - likelihood
        return loss, hold * step - ascent, likelihood


@dataclass(frozen=True, eq=False)
class Objective(Penalised):
    """The penalised log-likelihood of the claims of a block.

    Attributes
    ----------
    scene, parts
        The claims, and the passes over their attributes.
    score, features
        g, and the feature vector of each row.
    prolific
        z of each source.
    uses_prolific
        Whether one reliability stands for all values of an attribute, here or in another block.
    """

    scene: Scene
    parts: Sequence[Part]
    score: Score
    features: Floats
    prolific: Floats
    uses_prolific: bool | None = None

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return self.scene.matrix.n_sources

    @property
    def priors(self) -> Sequence[Prior]:
        """Where the parameters of each attribute start, and how strongly they are held there."""
        return [part.prior for part in self.parts]

    @cached_property
    def sizes(self) -> list[int]:
        """How many parameters there are of each kind: m and gamma, w, those of g, and of parts."""
        return [2, self.n_sources, len(self.score.psi), *(part.size for part in self.parts)]

    def speaks_often(self) -> npt.NDArray[np.bool_]:
        """Mark sources with more than one claim."""
        matrix = self.scene.matrix
        return np.bincount(matrix.source_index, minlength=matrix.n_sources) > 1

    def shared_sums(self) -> SharedSums:
        """Return the information of the claims in m, gamma and g, and in the deviations."""
        scene = self.scene
        prolific = self.prolific[scene.source_of_row]
        uses_it = self.uses_prolific
        if uses_it is None:
            uses_it = any(isinstance(part, CoinPart) for part in self.parts)
        columns = [np.ones(scene.n_rows), prolific if uses_it else np.zeros(scene.n_rows)]
        if self.score.is_linear:
            columns += list(self.features.T)
        weight: Floats = VARIANCE * sum_by(scene.row, np.ones(len(scene.row)), scene.n_rows)
        return SharedSums.of(np.stack(columns, axis=1), weight, scene.source_of_row, self.n_sources)

    def eta(self, x: Floats) -> tuple[Floats, Floats]:
        """Return eta of each row: where the value plays a part, and where it does not."""
        (m, gamma), w, psi, *_ = self.cut(x)
        self.score.psi = psi
        source = self.scene.source_of_row
        eta = m + w[source] + self.score.value(self.features)
        return eta, eta + gamma * self.prolific[source]

    def judge(self, x: Floats, temper: Floats | None = None) -> Found:
        """Return what the parameters make of the claims."""
        found = Found.empty(self.scene.matrix)
        plain, coin = self.eta(x)
        for part, own in zip(self.parts, self.cut(x)[3:], strict=True):
            part.run(own, coin if isinstance(part, CoinPart) else plain, found, temper)
        return found

    def foresee(self, x: Floats, hidden: npt.NDArray[np.int64]) -> Floats:
        """Return the log-probability of claims that the objective does not see; in order."""
        found = Found.empty(self.scene.matrix)
        found.wants_classes = True
        plain, coin = self.eta(x)
        start = self.scene.layout.claim_start
        foreseen = []
        for part, own in zip(self.parts, self.cut(x)[3:], strict=True):
            eta = coin if isinstance(part, CoinPart) else plain
            part.run(own, eta, found)
            first, last = start[part.block.first], start[part.block.last]
            here = hidden[(hidden >= first) & (hidden < last)]
            foreseen.append(part.foresee(own, eta, found, here))
        return np.concatenate(foreseen)

    def rates(self, x: Floats, shift: Floats | None = None) -> ClaimRates:
        """Return the rates of claims; `shift` is added to eta of each source's claims."""
        rates = ClaimRates.empty(self.scene.matrix)
        plain, coin = self.eta(x)
        more = 0.0 if shift is None else shift[self.scene.source_of_row]
        for part, own in zip(self.parts, self.cut(x)[3:], strict=True):
            part.rate(own, (coin if isinstance(part, CoinPart) else plain) + more, rates)
        return rates

    def ascend(self, x: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood and its gradient."""
        found = Found.empty(self.scene.matrix)
        plain, coin = self.eta(x)
        delta_plain, delta_coin = np.zeros(len(plain)), np.zeros(len(coin))
        likelihood, own_gradients = 0.0, []
        for part, own in zip(self.parts, self.cut(x)[3:], strict=True):
            is_coin = isinstance(part, CoinPart)
            value, own_gradient, delta = part.run(own, coin if is_coin else plain, found)
            likelihood += value
            own_gradients.append(own_gradient)
            if is_coin:
                delta_coin += delta
            else:
                delta_plain += delta
        delta = delta_plain + delta_coin
        source, n = self.scene.source_of_row, self.n_sources
        ascent = np.concatenate(
            [
                [delta.sum(), dot(delta_coin, self.prolific[source])],
                sum_by(source, delta, n),
                self.score.backward(delta),
                *own_gradients,
            ]
        )
        return likelihood, ascent


@dataclass
class Fit:
    """What came of a fit."""

    x: Floats
    objective: float
    converged: bool
    message: str
    history: list[dict[str, float]] = field(default_factory=list)


def fit(
    objective: Penalised,
    max_iter: int,
    tol: float,
    start: Floats | None = None,
    *,
    settle: bool = False,
) -> Fit:
    """Maximise the penalised likelihood; deterministic.

    A fit ends when an iteration gains less than `tol`, relative to the likelihood, which will do to
    compare it with another. One whose parameters are to settle goes on until none of them would
    move by more than ten times that, if they are few: what comes of it then does not hang on where
    it stopped. A few parameters of many claims are where rounding leads a fit astray; there it
    costs little, too.
    """
    centre = objective.centre  # before the score's parameters move
    curvature = objective.curvature()
    begin = centre if start is None else start
    step_tol = STEP_PER_TOL * tol if settle and objective.can_settle else None
    ended = minimise_in_stage(objective.evaluate, begin, curvature.divide, max_iter, tol, step_tol)
    found = ended.found
    return Fit(found.point.x, -found.point.value, found.converged, found.message, ended.history)
