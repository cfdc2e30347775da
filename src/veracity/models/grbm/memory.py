"""Memory of the GRBM: what it keeps of claims that it does not look at again; see `laplace`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.data.output.results import SourceRates
from veracity.engines.sums import Scattered, Sums
from veracity.errors import listing
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.fitted import FittedModel
from veracity.models.grbm.information import Information, information_of, recorded_of
from veracity.models.grbm.intervals import rates_by
from veracity.models.grbm.laplace import LaplaceApproximation, Penalty, UpdateObjective
from veracity.models.grbm.leave_one_out import LeaveOneOut
from veracity.models.grbm.model_spec import ModelSpec, log_claim_counts
from veracity.models.grbm.observation.base import AttributePrior
from veracity.models.grbm.parameters import DOT, ParameterVector
from veracity.models.grbm.priors import (
    BY_SOURCE,
    PRECISION,
    attribute_priors,
    centre_of,
    precision_of,
    prior_counts,
)
from veracity.models.grbm.rate_likelihood import level_of, rate_of
from veracity.models.grbm.resize import resized_attributes, resized_parameters
from veracity.models.memory import Arrays, Memory, Portion, Recorded, Verdicts

if TYPE_CHECKING:
    from veracity.models.grbm.estimator import GRBM

RATES = ("reliability", "tpr", "fpr")
#: The rough curvature of an attribute's parameters is that if truth were known. The information of
#: claims about them, when it is not, is about this part of it.
INFORMATION_SHARE = 0.5
#: So many standard errors to both sides hold a normal variable 9 times in 10.
NINE_IN_TEN = 1.645


class GRBMMemory(Memory["GRBM"]):
    """What the GRBM keeps of claims.

    Attributes
    ----------
    information
        Of all claims, each by the square of its gradient in eta when it was last looked at.
    counts
        What the priors of attributes rest on; see `prior_counts`.
    sums, bounds
        The sums of the rates of each source's claims, and the ends of their intervals.
    """

    recorded = ("information", *RATES)

    information: Information
    counts: Sums
    sums: dict[str, Floats]
    bounds: dict[str, Floats]

    # After a whole fit

    def _begin(self, model: GRBM, now: Verdicts) -> Recorded:
        fitted = model.fitted_model
        block = fitted.bind_block(replace(now.block, known=None))
        found = _recorded(model, block)
        self.information = information_of(block, found["information"])
        self.counts = _dense(prior_counts(block, fitted.spec))
        self.sums = {rate: now.block.matrix.sum_by_source(found[rate]) for rate in RATES}
        shown = rates_by(LeaveOneOut.of(*model.model_in_use.bind(now.block.claims)))
        self.bounds = shown.intervals()
        return found

    # At an update

    def notes(self, model: GRBM) -> list[Note]:
        """Say that slopes stay as they are until all is fitted anew."""
        columns = [name for term in model.fitted_model.terms for name in term.columns]
        if not columns:
            return []
        text = (
            f"The slopes of {listing(columns)} keep what the last whole fit found. A new source "
            "has those that all share."
        )
        return [Note("features", text)]

    def _grow(self, model: GRBM, sources: pa.StringArray) -> None:
        fitted = model.fitted_model
        more = len(sources) - len(fitted.sources)
        model.fitted_model = fitted.with_sources(sources)
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
        self._n_before = len(sources) - more

    def _learn(self, model: GRBM, before: Portion | None, after: ClaimBlock) -> None:
        fitted = _resized(model.fitted_model, after)
        z = log_claim_counts(self.n_claims)
        then, x = fitted.spec, fitted.x.copy()
        now = replace(then, log_claim_count=z)
        block = replace(fitted, spec=now).bind_block(replace(after, known=None))
        come = _dense(prior_counts(block, now))
        counts = _with_room(self.counts, come)
        penalty = _penalty(then, _priors(then, counts))
        slope = -penalty.gradient(x)  # of the likelihood of all claims, since x is at its maximum
        information = self.information
        if before is not None:
            gone = fitted.bind_block(before.block)
            slope += _scattered_gradient(gone, x)
            information = information.plus(
                information_of(gone, before.recorded["information"]), -1.0
            )
            counts = _less(counts, _dense(prior_counts(gone, then)))
        self._recentre(then, now, x, slope, penalty)
        sums = information.shared_sums(z if now.uses_claim_count else 0 * z)
        diagonal = _diagonal(now, _priors(now, counts), float(sums.of_source.sum()))
        counts = _plus(counts, come)
        penalty = _penalty(now, _priors(now, counts))
        rest = LaplaceApproximation(now, x, slope, sums, diagonal, penalty)
        x = UpdateObjective(block, rest).minimise(model.max_iter, model.tol)
        model.fitted_model = replace(fitted, spec=now, x=x)
        self.information, self.counts, self._block = information, counts, block

    def _recentre(
        self, then: ModelSpec, now: ModelSpec, x: Floats, slope: Floats, penalty: Penalty
    ) -> None:
        """Take over new numbers of how much sources claim; eta of old claims stays."""
        change = now.log_claim_count - then.log_claim_count
        change[self._n_before :] = 0.0
        if now.uses_claim_count:
            parameters, pull = (
                ParameterVector(now.names, values) for values in (x, penalty.gradient(x))
            )
            of_slope = ParameterVector(now.names, slope)
            of_slope["gamma"] = of_slope["gamma"] - float(pull["source"] @ change)
            parameters["source"] = parameters["source"] - parameters["gamma"] * change

    def _replace(self, model: GRBM, before: Portion | None, now: Verdicts) -> Recorded:
        block, fitted = self._block, model.fitted_model
        del self._block
        found = _recorded(model, block)
        self.information = self.information.plus(information_of(block, found["information"]))
        source = block.place[now.block.matrix.source_index]
        for rate in RATES:
            come = sum_by(source, found[rate], fitted.spec.n_sources)
            self.sums[rate] = self.sums[rate] - self._by_source(before, rate) + come
        self._bound(block.place)
        return found

    def _bound(self, place: Indices) -> None:
        """Bound the rates of the sources of a block, by the information about their deviations."""
        if not self.bounds:
            return
        known = self.information.cross[0][place] + PRECISION["source"]
        reach = NINE_IN_TEN / np.sqrt(np.maximum(known, PRECISION["source"]))
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
            kind: {} for kind in ("information", "counts", "sums", "bounds")
        }
        for name, numbers in arrays.items():
            kind, dot, rest = name.partition(".")
            if dot:
                kinds[kind][rest] = numbers
        self.information = Information(**kinds["information"])
        self.counts, self.sums, self.bounds = kinds["counts"], kinds["sums"], kinds["bounds"]


def _recorded(model: GRBM, block: BlockObjective) -> Recorded:
    """Return the information of claims by the fit without labels, and their rates with them."""
    found = recorded_of(block, block.own(model.fitted_model.x))
    if model.has_labels:
        rates = block.rates(block.own(model.model_in_use.x))
        found |= {"reliability": rates.right, "tpr": rates.tpr, "fpr": rates.fpr}
    return found


def _resized(fitted: FittedModel, block: ClaimBlock) -> FittedModel:
    """Make room for the sources, classes and attributes of a block."""
    spec = replace(fitted.spec, attributes=resized_attributes(fitted.spec.attributes, block))
    return replace(fitted, spec=spec, x=resized_parameters(fitted.x, fitted.spec, spec))


def _scattered_gradient(block: BlockObjective, x: Floats) -> Floats:
    """Return the gradient of the log-likelihood of a block, in all parameters."""
    *_, gradient = block.log_likelihood(block.own(x))
    return np.asarray(Scattered(block.index, gradient, len(x)).everywhere())


def _penalty(spec: ModelSpec, priors: list[AttributePrior]) -> Penalty:
    return Penalty(centre_of(spec, priors), precision_of(spec, priors))


def _diagonal(spec: ModelSpec, priors: list[AttributePrior], information: float) -> Floats:
    """Return the rough information of claims about parameters that are not shared by all."""
    diagonal = spec.names.zeros()
    if not spec.reliability.is_linear:
        diagonal["psi"] = information
    for number, prior in enumerate(priors):
        diagonal.group(str(number)).values[:] = INFORMATION_SHARE * (
            prior.curvature - prior.precision
        )
    return np.maximum(diagonal.values, 0.0)


# Counts that priors rest on


def _is_by_source(name: str) -> bool:
    return name.rpartition(DOT)[2] in BY_SOURCE


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
        claimed = f"{name.removesuffix('n_spoken_about')}n_claimed"
        if name.endswith("n_spoken_about"):  # nobody claims more than is spoken about
            left[name] = np.maximum(numbers, left[claimed])
    return left


def _with_room(counts: Sums, others: Sums) -> Sums:
    """Return counts with zeros for what only others count: new attributes, and new classes."""
    roomy: Sums = {}
    for name, numbers in others.items():
        roomy[name] = np.zeros_like(numbers)
        if name in counts:
            held = counts[name]
            roomy[name][tuple(slice(0, size) for size in held.shape)] = held
    return roomy


def _priors(spec: ModelSpec, counts: Mapping[str, Any]) -> list[AttributePrior]:
    scattered = {
        name: Scattered(None, numbers, spec.n_sources) if _is_by_source(name) else numbers
        for name, numbers in counts.items()
    }
    return attribute_priors(spec, scattered)
