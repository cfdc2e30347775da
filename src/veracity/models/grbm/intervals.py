"""Intervals of each source's reliability, tpr and fpr.

The prior of the fit has the same precision for all sources. For intervals that is not enough: where
all sources are alike, a few claims do not make one an exception; where they differ, a few claims
leave more open than this prior admits. So the spread of all sources is estimated
(`source_population`) and combined with the likelihood of each one's claims (`rate_likelihood`). The
rates that are shown stay those of the fit.

There are three passes over the claims: counts, log-likelihoods at the nodes of each source, and
rates at the ends of its interval. Each pass yields sums over the claims of a source, so claims may
be in blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from veracity.data.output.results import SourceRates
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.leave_one_out import RATES, LeaveOneOut, PerSource
from veracity.models.grbm.rate_likelihood import Curves, Evidence, Outline
from veracity.models.grbm.source_population import interval_shifts
from veracity.models.tables import Judged, sent

if TYPE_CHECKING:
    from veracity.models.grbm.boltzmann import BoltzmannMachine


class ClaimHolders(Protocol):
    """The claims of all sources, as `LeaveOneOut` has those that it holds."""

    def outline(self) -> PerSource:
        """Return how much there is, and about where."""

    def at_nodes(self, reach: PerSource) -> PerSource:
        """Return the log-likelihood at the nodes, for each rate in question."""

    def at_ends(self, shifts: PerSource) -> PerSource:
        """Return the sums of rates at the low and at the high end of each interval."""


def rates_by(holders: ClaimHolders) -> SourceRates:
    """Average the rates of each source's claims, with intervals that hold them 9 times in 10."""
    sums = holders.outline()
    shifts = _shifts(holders, sums)
    ends = holders.at_ends(shifts)
    shown = {rate: sums[rate] / sums["count"] for rate in RATES}
    bounds = {}
    for rate in RATES:
        low, high = (ends[f"{rate} {end}"] / sums["count"] for end in ("low", "high"))
        # What is shown is always inside.
        bounds[f"{rate}_low"] = np.minimum(low, shown[rate])
        bounds[f"{rate}_high"] = np.maximum(high, shown[rate])
    return SourceRates(*shown.values(), **bounds)


def _shifts(holders: ClaimHolders, sums: PerSource) -> PerSource:
    """Return how far each source's levels are to be moved, for both ends of its intervals."""
    by_themselves = bool(sums["binary"].any())  # only then tpr and fpr are numbers of their own
    rates = RATES if by_themselves else RATES[:1]
    denied = {rate: _denied(sums, rate) for rate in rates}
    outlines = {
        rate: sum(
            (evidence.outline for evidence in denied[rate]),
            Outline(*(sums[f"{rate} {name}"] for name in ("n_claims", "level", "information"))),
        )
        for rate in rates
    }
    at_nodes = holders.at_nodes({rate: outline.reach for rate, outline in outlines.items()})
    shifts: PerSource = {}
    for rate, outline in outlines.items():
        for evidence in denied[rate]:
            at_nodes[rate] += evidence.at_nodes(outline.reach)
        low, high = interval_shifts(Curves.of(outline, at_nodes[rate]))
        shifts |= {f"{rate} low": low, f"{rate} high": high}
    return shifts


def _denied(sums: PerSource, rate: str) -> list[Evidence]:
    """Return what it says about a rate that sources do not claim other values of items.

    Not to claim what is true speaks against being right, and against a high tpr; not to claim what
    is false speaks for being right, and against a high fpr.
    """
    signs = {"reliability": {"true": -1, "false": 1}, "tpr": {"true": -1}, "fpr": {"false": -1}}
    count = np.maximum(sums["binary"], 1.0)
    level = sums[f"{rate} level of binary"] / count
    chance = (sums["chance"] if rate == "reliability" else np.zeros(len(count))) / count
    made = []
    for what, sign in signs[rate].items():
        weight = np.maximum(sums[f"denied {what}"], 0.0)
        who = np.flatnonzero(weight > 0).astype(np.int32)
        beta = np.full(len(who), float(sign))
        alpha = np.zeros(len(who)) if sign > 0 else np.ones(len(who))
        made.append(Evidence(len(count), who, level[who], chance[who], alpha, beta, weight[who]))
    return made


class ClaimsOfBlocks:
    """The claims of all blocks, as those about how well their sources are known.

    Every block keeps a `LeaveOneOut` of its own. Sums of 13 numbers for each of three rates and for
    each source come together: 312 bytes for each source, and as much for each thread.
    """

    def __init__(self, model: BoltzmannMachine, judged: Blocks[Judged], n_sources: int) -> None:
        self._n_sources = n_sources
        self._blocks = judged.prepare(_leave_one_out, sent(model, judged))

    def outline(self) -> PerSource:
        """Return how much there is, and about where."""
        return self._total(_outline)

    def at_nodes(self, reach: PerSource) -> PerSource:
        """Return the log-likelihood at the nodes, for each rate in question."""
        return self._total(_at_nodes, reach)

    def at_ends(self, shifts: PerSource) -> PerSource:
        """Return the sums of rates at the low and at the high end of each interval."""
        return self._total(_at_ends, shifts)

    def _total(self, function: Callable[..., Sums], *shared: Any) -> PerSource:
        sums = self._blocks.total(function, self._n_sources, *shared)
        return {name: numbers.everywhere() for name, numbers in sums.items()}


@dataclass(frozen=True, eq=False)
class _Local:
    """The claims of a block, and the place of each of its sources among all."""

    claims: LeaveOneOut
    place: npt.NDArray[np.int64]

    def own(self, numbers: PerSource) -> PerSource:
        """Return what is about the sources of the block."""
        return {name: of_source[self.place] for name, of_source in numbers.items()}

    def scattered(self, numbers: PerSource, n_sources: int) -> Sums:
        """Return numbers of the sources of the block as such among all."""
        return {
            name: Scattered(self.place, of_source, n_sources) for name, of_source in numbers.items()
        }


def _leave_one_out(judged: Judged, model: BoltzmannMachine) -> _Local:
    block = judged.block
    bound = model._bind(block.claims, block.known)
    return _Local(LeaveOneOut.of(*bound), block.place)


def _outline(local: _Local, n_sources: int) -> Sums:
    return local.scattered(local.claims.outline(), n_sources)


def _at_nodes(local: _Local, n_sources: int, reach: PerSource) -> Sums:
    return local.scattered(local.claims.at_nodes(local.own(reach)), n_sources)


def _at_ends(local: _Local, n_sources: int, shifts: PerSource) -> Sums:
    return local.scattered(local.claims.at_ends(local.own(shifts)), n_sources)
