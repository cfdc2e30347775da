"""What the default model keeps of claims that it does not look at again; see `remembered`."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.output.results import SourceRates
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_objective import Piece, piece_of
from veracity.models.grbm.claim_counts import how_prolific
from veracity.models.grbm.dependent import speaks_once
from veracity.models.grbm.information import Information, information_of, recorded_of
from veracity.models.grbm.laplace import Penalty, Remembered, UpdateObjective
from veracity.models.grbm.model_spec import Plan
from veracity.models.grbm.objective import (
    HOLD_FEATURES,
    HOLD_PROLIFIC,
    HOLD_SOURCE,
    HOLD_START,
    START,
)
from veracity.models.grbm.pair_counts import PairMemory
from veracity.models.grbm.penalised_blocks import prior_of, prior_sums
from veracity.models.grbm.prepared_block import add_features, lay_ground
from veracity.models.grbm.priors import NOT_AT_ALL, Prior
from veracity.models.grbm.rate_likelihood import level_of, rate_of
from veracity.models.grbm.resize import with_room
from veracity.models.memory import Arrays, Memory, Portion, Recorded, Verdicts

if TYPE_CHECKING:
    from veracity.models.grbm.estimator import GRBM


RATES = ("reliability", "tpr", "fpr")
#: The rough curvature of an attribute's parameters is that if truth were known. What claims tell of
#: them, when it is not, is about this part of it.
TOLD = 0.5
#: So many standard errors to both sides hold a normal variable 9 times in 10.
NINE_IN_TEN = 1.645


class GRBMMemory(Memory["GRBM"]):
    """What the default model keeps of claims.

    Attributes
    ----------
    information
        Of all claims, each by the square of its gradient in eta when it was last looked at.
    counts
        What the priors of attributes rest on; see `prior_sums`.
    sums, bounds
        The sums of the rates of each source's claims, and the ends of their intervals.
    pairs
        Who depends on whom.
    """

    recorded = ("information", *RATES)

    information: Information
    counts: Sums
    sums: dict[str, Floats]
    bounds: dict[str, Floats]
    pairs: PairMemory

    # After a whole fit

    def _begin(self, model: GRBM, now: Verdicts) -> Recorded:
        plan = plan_of(model)
        piece = _piece_of(model, now.block, plan, model._groups)
        found = recorded_of(piece, plan, piece.own(_parameters(model)))
        self.information = information_of(piece, found["information"], plan)
        self.counts = _dense(prior_sums(piece, plan))
        self.sums = {rate: now.block.matrix.sum_by_source(found[rate]) for rate in RATES}
        self.pairs = PairMemory()
        self.pairs.begin(now.block, model._prolific)
        shown = model._source_rates(now.block.claims, now.plausibility)
        self.bounds = shown.intervals()
        return found

    # At an update

    def _grow(self, model: GRBM, sources: pa.StringArray) -> None:
        more = len(sources) - len(model._source_ids)
        model._source_ids = sources
        model._deviations = np.append(model._deviations, np.zeros(more))
        model._groups = np.append(model._groups, np.full(more, -1))
        model._prolific = np.append(model._prolific, np.zeros(more))
        cross = self.information.cross
        cross = np.hstack([cross, np.zeros((len(cross), more))])
        self.information = replace(self.information, cross=cross)
        self.sums = {
            rate: np.append(numbers, np.zeros(more)) for rate, numbers in self.sums.items()
        }
        self.bounds = {
            name: np.append(numbers, np.full(more, np.nan)) for name, numbers in self.bounds.items()
        }
        self.counts = {
            name: np.append(numbers, np.zeros(more, numbers.dtype))
            if _is_by_source(name)
            else numbers
            for name, numbers in self.counts.items()
        }
        self._often, self._n_before = self.n_claims > 1, len(sources) - more

    def _learn(self, model: GRBM, before: Portion | None, after: ClaimBlock) -> None:
        model._blocks = with_room(model._blocks, after)
        model.forms_ = {shape.block.name: shape.block.form for shape in model._blocks}
        x, plan = _parameters(model), plan_of(model)
        prolific = how_prolific(self.n_claims)
        groups = self._groups_now(model, before, after, prolific)
        then, now = plan, replace(plan, prolific=prolific)
        piece = _piece_of(model, after, now, groups)
        come = _dense(prior_sums(piece, now))
        counts = _with_room(self.counts, come)
        penalty = _penalty(model, then, self._often, _priors(then, counts))
        slope = -penalty.gradient(x)  # of the likelihood of all claims, since x is at its maximum
        information = self.information
        if before is not None:
            gone = _piece_of(model, before.block, then, model._groups)
            slope += gone.ascend(x)[1].everywhere()
            told = information_of(gone, before.recorded["information"], then)
            information = information.plus(told, -1.0)
            counts = _less(counts, _dense(prior_sums(gone, then)))
        self._say_how_prolific(model, now, x, slope, penalty)
        sums = information.shared_sums(now.prolific if now.uses_prolific else 0 * now.prolific)
        rest = [np.full(_n_bent(now), float(sums.of_source.sum()))]
        rest += [TOLD * (prior.curvature - prior.penalty) for prior in _priors(now, counts)]
        counts = _plus(counts, come)
        penalty = _penalty(model, now, self.n_claims > 1, _priors(now, counts))
        memory = Remembered(x, slope, sums, np.maximum(np.concatenate(rest), 0.0), penalty)
        x = UpdateObjective(piece, memory).minimise(model.max_iter, model.tol)
        model._groups = groups
        _take_over(model, now, x)
        self.information, self.counts, self._piece = information, counts, piece

    def _groups_now(
        self, model: GRBM, before: Portion | None, after: ClaimBlock, prolific: Floats
    ) -> Indices:
        """Return the groups of dependent sources, as far as they are to speak once."""
        found = self.pairs.update(None if before is None else before.block, after, prolific)
        model.dependence_ = found.table(model._source_ids)
        share = self.pairs.n_gone / max(int(self.n_claims.sum()), 1)
        once = speaks_once(share, model.discount_copies)
        return found.group if once else np.full(len(prolific), -1)

    def _say_how_prolific(
        self, model: GRBM, plan: Plan, x: Floats, slope: Floats, penalty: Penalty
    ) -> None:
        """Say anew how prolific sources are, so that eta of the claims of old ones stays."""
        change = plan.prolific - model._prolific
        change[self._n_before :] = 0.0
        model._prolific = plan.prolific
        if plan.uses_prolific:
            deviations = slice(2, 2 + plan.n_sources)
            slope[1] -= float(penalty.gradient(x)[deviations] @ change)
            x[deviations] -= x[1] * change

    def _replace(self, model: GRBM, before: Portion | None, now: Verdicts) -> Recorded:
        piece, plan = self._piece, plan_of(model)
        del self._piece
        found = recorded_of(piece, plan, piece.own(_parameters(model)))
        self.information = self.information.plus(information_of(piece, found["information"], plan))
        n_sources, source = plan.n_sources, piece.place[now.block.matrix.source_index]
        for rate in RATES:
            come = sum_by(source, found[rate], n_sources)
            self.sums[rate] = self.sums[rate] - self._by_source(before, rate) + come
        self._bound(piece.place)
        return found

    def _bound(self, place: Indices) -> None:
        """Bound the rates of sources that were looked at by what is known of their deviations."""
        if not self.bounds:
            return
        known = self.information.cross[0][place] + HOLD_SOURCE
        reach = NINE_IN_TEN / np.sqrt(np.maximum(known, HOLD_SOURCE))
        for rate in RATES:
            shown = self._rate(rate)[place]
            level = level_of(shown, 0.0)
            for end, sign in (("low", -1.0), ("high", 1.0)):
                self.bounds[f"{rate}_{end}"][place] = rate_of(level + sign * reach, 0.0)
            self.bounds[f"{rate}_low"][place] = np.minimum(self.bounds[f"{rate}_low"][place], shown)
            self.bounds[f"{rate}_high"][place] = np.maximum(
                self.bounds[f"{rate}_high"][place], shown
            )

    def _rate(self, rate: str) -> Floats:
        return np.asarray(np.clip(self.sums[rate] / np.maximum(self.n_claims, 1), 0.0, 1.0))

    def rates(self) -> SourceRates:
        """Return the mean rates of every source's claims."""
        return SourceRates(*(self._rate(rate) for rate in RATES), **self.bounds)

    # Keeping it

    def state(self) -> Arrays:
        """Return everything as arrays."""
        kinds: dict[str, dict[str, Any]] = {
            "information": {"square": self.information.square, "cross": self.information.cross},
            "counts": self.counts,
            "sums": self.sums,
            "bounds": self.bounds,
            "pairs": self.pairs.state(),
        }
        return super().state() | {
            f"{kind}.{name}": np.asarray(numbers)
            for kind, held in kinds.items()
            for name, numbers in held.items()
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what `state` returned."""
        super().restore(arrays)
        kinds: dict[str, dict[str, Any]] = {
            kind: {} for kind in ("information", "counts", "sums", "bounds", "pairs")
        }
        for name, numbers in arrays.items():
            kind, dot, rest = name.partition(".")
            if dot:
                kinds[kind][rest] = numbers
        self.information = Information(**kinds["information"])
        self.counts, self.sums, self.bounds = kinds["counts"], kinds["sums"], kinds["bounds"]
        self.pairs = PairMemory.of_state(kinds["pairs"])


def plan_of(model: GRBM) -> Plan:
    """Return what a fitted model knows, as blocks need it to make their objective."""
    score = deepcopy(model._score)
    score.psi = model._psi.copy()
    return Plan(
        tuple(model._blocks),
        model._prolific,
        model._floor,
        score,
        uses_features=model._feature_builder is not None,
        clustered=model._clustered,
    )


def _piece_of(model: GRBM, block: ClaimBlock, plan: Plan, groups: Indices) -> Piece:
    """Make the objective of a block, as the model sees its claims."""
    ground = lay_ground(block, groups, plan.prolific)
    if model._feature_builder is not None:
        ground = add_features(ground, model._feature_builder)
    return piece_of(ground, plan)


def _parameters(model: GRBM) -> Floats:
    own = (shape.own for shape in model._blocks)
    return np.concatenate([model._shared, model._deviations, model._psi, *own])


def _take_over(model: GRBM, plan: Plan, x: Floats) -> None:
    n_sources, size = plan.n_sources, len(plan.score.psi)
    model._shared, model._deviations, model._psi, own = np.split(
        x, [2, 2 + n_sources, 2 + n_sources + size]
    )
    starts = plan.starts() - plan.starts()[0]
    model._blocks = [
        replace(shape, own=own[first:last])
        for shape, first, last in zip(plan.shapes, starts[:-1], starts[1:], strict=True)
    ]


def _penalty(model: GRBM, plan: Plan, often: npt.NDArray[np.bool_], priors: list[Prior]) -> Penalty:
    """Return the penalty of all parameters, as `Penalised` has it."""
    builder = model._feature_builder
    psi = model._psi[:0] if builder is None else model._empty_score(len(builder.column_names)).psi
    centre = [
        np.array([START, 0.0]),
        np.zeros(plan.n_sources),
        psi,
        *(prior.centre for prior in priors),
    ]
    hold = [
        np.array([HOLD_START, HOLD_PROLIFIC]),
        np.where(often, HOLD_SOURCE, NOT_AT_ALL),
        np.full(len(psi), HOLD_FEATURES),
        *(prior.penalty for prior in priors),
    ]
    return Penalty(np.concatenate(centre), np.concatenate(hold))


def _n_bent(plan: Plan) -> int:
    """Return the number of parameters of a g that is not linear."""
    return 0 if plan.score.is_linear else len(plan.score.psi)


# Counts that priors rest on


def _is_by_source(name: str) -> bool:
    return name.endswith((" spoken", " claims"))


def _dense(sums: Sums) -> Sums:
    return {
        name: numbers.everywhere() if isinstance(numbers, Scattered) else np.asarray(numbers)
        for name, numbers in sums.items()
    }


def _plus(one: Sums, other: Sums) -> Sums:
    return {name: one[name] + other[name] for name in one}


def _less(one: Sums, other: Sums) -> Sums:
    """Take counts away.

    Where other sources than before are taken for copiers, whose claims are not counted, a few more
    may be taken away than there are.
    """
    left = {name: np.maximum(one[name] - other[name], 0) for name in one}
    for name, numbers in left.items():
        if name.endswith(" single") and f"{name.removesuffix('single')}spoken" in left:
            numbers[1] = max(numbers[0], numbers[1])  # nobody claims more than is spoken about
    return left


def _with_room(counts: Sums, others: Sums) -> Sums:
    """Return counts with zeros for what only others count: new attributes, and new classes."""
    roomy: Sums = {}
    for name, numbers in others.items():
        roomy[name] = np.zeros_like(numbers)
        if name in counts:
            roomy[name][: len(counts[name])] = counts[name]
    return roomy


def _priors(plan: Plan, counts: Sums) -> list[Prior]:
    scattered = {
        name: Scattered(None, numbers, plan.n_sources) if _is_by_source(name) else numbers
        for name, numbers in counts.items()
    }
    return [prior_of(scattered, number, shape) for number, shape in enumerate(plan.shapes)]
