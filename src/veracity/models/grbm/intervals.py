"""Intervals of each source's reliability, tpr and fpr.

The prior of the fit has the same precision for all sources. For intervals that is not enough: where
all sources are alike, a few claims do not make one an exception; where they differ, a few claims
leave more open than this prior admits. So the spread of all sources is estimated
(`source_population`) and combined with the likelihood of each one's claims (`rate_likelihood`). The
rates that are shown stay those of the fit.

There are three passes over the claims: counts, log-likelihoods at the nodes of each source, and
rates at the ends of its interval. Each pass yields sums over the claims of a source, so claims may
be in blocks. Where sources are many, one part of them comes after the other; first, a few of all
tell how they are spread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from veracity.data.arrays import Indices
from veracity.data.output.results import SourceRates
from veracity.engines.base import Blocks
from veracity.engines.parts import Parts, parts_of, place_in
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.leave_one_out import RATES, LeaveOneOut, PerSource
from veracity.models.grbm.rate_likelihood import Curves, Evidence, Outline
from veracity.models.grbm.source_population import (
    SMALL_BLOCK,
    SourcePopulation,
    interval_shifts,
    some_that_tell,
    tells,
)
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


def rates_by(
    holders: ClaimHolders, populations: Mapping[str, SourcePopulation] | None = None
) -> SourceRates:
    """Average the rates of each source's claims, with intervals that hold them 9 times in 10.

    `populations` say how the sources are spread, for each rate; found from their claims if None.
    """
    sums = holders.outline()
    outlines, at_nodes = _likelihoods(holders, sums)
    shifts: PerSource = {}
    for rate, outline in outlines.items():
        curves = Curves.of(outline, at_nodes.pop(rate))
        if populations is None:
            low, high = interval_shifts(curves)
        else:
            low, high = interval_shifts(curves, populations[rate], SMALL_BLOCK)
        shifts |= {f"{rate} low": low, f"{rate} high": high}
    count, shown = sums["count"], {rate: sums[rate] / sums["count"] for rate in RATES}
    del outlines, sums  # as long as what comes next
    ends = holders.at_ends(shifts)
    bounds = {}
    for rate in RATES:
        low, high = (ends[f"{rate} {end}"] / count for end in ("low", "high"))
        # What is shown is always inside.
        bounds[f"{rate}_low"] = np.minimum(low, shown[rate])
        bounds[f"{rate}_high"] = np.maximum(high, shown[rate])
    return SourceRates(*shown.values(), **bounds)


def rates_by_parts(claims: ClaimsOfBlocks) -> SourceRates:
    """Return what `rates_by` does, of one part of the sources after the other."""
    parts = claims.parts()
    if len(parts) == 1:
        (everybody,) = parts
        return rates_by(claims.about(everybody))
    populations = _populations(claims, parts)
    found = SourceRates(*(np.empty(claims.n_sources) for _ in fields(SourceRates)))
    for part in parts:
        for name, numbers in vars(rates_by(claims.about(part), populations)).items():
            getattr(found, name)[part] = numbers
    return found


def _populations(claims: ClaimsOfBlocks, parts: Parts) -> dict[str, SourcePopulation]:
    """Find out how all sources are spread, from a few of them."""
    telling: dict[str, list[Indices]] = {}
    level: dict[str, float] = {}
    for part in parts:
        sums = claims.about(part).outline()
        for rate, (outline, _) in _outlines(sums).items():
            telling.setdefault(rate, []).append(part[tells(outline.n_claims)])
            level[rate] = level.get(rate, 0.0) + float(outline.mean_level.sum())
    found = {}
    for rate, of_parts in telling.items():
        some = some_that_tell(np.concatenate(of_parts))
        found[rate] = SourcePopulation(level[rate] / claims.n_sources)
        if len(some):
            holders = claims.about(some)
            outlines, at_nodes = _likelihoods(holders, holders.outline())
            found[rate] = SourcePopulation.of(Curves.of(outlines[rate], at_nodes[rate]))
    return found


def _outlines(sums: PerSource) -> dict[str, tuple[Outline, list[Evidence]]]:
    """Return the outline of each rate that is estimated, and the evidence of denials for it."""
    by_themselves = bool(sums["binary"].any())  # only then tpr and fpr are numbers of their own
    found = {}
    for rate in RATES if by_themselves else RATES[:1]:
        denied = _denied(sums, rate)
        said = Outline(*(sums[f"{rate} {name}"] for name in ("n_claims", "level", "information")))
        found[rate] = sum((evidence.outline for evidence in denied), said), denied
    return found


def _likelihoods(holders: ClaimHolders, sums: PerSource) -> tuple[dict[str, Outline], PerSource]:
    """Return outlines of the rates in question, and log-likelihoods at the nodes within them."""
    outlines = _outlines(sums)
    at_nodes = holders.at_nodes({rate: one.reach for rate, (one, _) in outlines.items()})
    for rate, (outline, denied) in outlines.items():
        for evidence in denied:
            at_nodes[rate] += evidence.at_nodes(outline.reach)
    return {rate: outline for rate, (outline, _) in outlines.items()}, at_nodes


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

    Every block keeps a `LeaveOneOut` of its own.
    """

    def __init__(self, blocks: Blocks[_Local], n_sources: int) -> None:
        self._blocks, self.n_sources = blocks, n_sources

    @classmethod
    def of(cls, model: BoltzmannMachine, judged: Blocks[Judged], n_sources: int) -> ClaimsOfBlocks:
        """Look at judged claims by a fitted model."""
        return cls(judged.prepare(_leave_one_out, sent(model, judged)), n_sources)

    def parts(self) -> Parts:
        """Divide the sources into parts that are looked at one after the other."""
        return parts_of(self._blocks, self.n_sources)

    def about(self, sources: Indices) -> ClaimsOfSome:
        """Return the claims of some sources, by their places."""
        return ClaimsOfSome(self._blocks, sources)


@dataclass(frozen=True, eq=False)
class ClaimsOfSome:
    """The claims of some sources in all blocks.

    Sums of 13 numbers for each of three rates and for each source come together: 312 bytes for each
    source, and as much for each thread.
    """

    _blocks: Blocks[_Local]
    _sources: Indices

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
        sums = self._blocks.total(function, self._sources, *shared)
        return {name: numbers.everywhere() for name, numbers in sums.items()}


@dataclass(frozen=True, eq=False)
class _Local:
    """The claims of a block, and the place of each of its sources among those asked for."""

    claims: LeaveOneOut
    place: Indices

    def about(self, sources: Indices) -> _Local:
        """Return the claims of those sources that are asked for."""
        inside, place = place_in(sources, self.place)
        return _Local(self.claims.about(inside), place)

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


def _outline(local: _Local, sources: Indices) -> Sums:
    own = local.about(sources)
    return own.scattered(own.claims.outline(), len(sources))


def _at_nodes(local: _Local, sources: Indices, reach: PerSource) -> Sums:
    own = local.about(sources)
    return own.scattered(own.claims.at_nodes(own.own(reach)), len(sources))


def _at_ends(local: _Local, sources: Indices, shifts: PerSource) -> Sums:
    own = local.about(sources)
    return own.scattered(own.claims.at_ends(own.own(shifts)), len(sources))
