"""What a fitted default model says of sources, and of its own answer, block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from veracity.data.notes import Note
from veracity.data.output.results import decide
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Joined, Scattered, Sums
from veracity.models.base import TruthModel, fit_only
from veracity.models.baselines.majority_vote import MajorityVote
from veracity.models.grbm.guards import GuardCounts, joined_groups
from veracity.models.grbm.leave_one_out import LeaveOneOut, PerSource
from veracity.models.tables import Judged, bare

if TYPE_CHECKING:
    from veracity.models.grbm.estimator import GRBM


class ClaimsInAllBlocks:
    """The claims of all blocks, as those about how well their sources are known.

    Every block keeps a `LeaveOneOut` of its own. Sums of 13 numbers for each of three rates and for
    each source come together: 312 bytes for each source, and as much for each thread.
    """

    def __init__(self, model: GRBM, judged: Blocks[Judged], n_sources: int) -> None:
        self._n_sources = n_sources
        self._blocks = judged.prepare(_leave_one_out, bare(model))

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


def _leave_one_out(judged: Judged, model: GRBM) -> _Local:
    block = judged.block
    bound = model._bind(block.claims, block.known)
    return _Local(LeaveOneOut.of(*bound), block.place)


def _outline(local: _Local, n_sources: int) -> Sums:
    return local.scattered(local.claims.outline(), n_sources)


def _at_nodes(local: _Local, n_sources: int, reach: PerSource) -> Sums:
    return local.scattered(local.claims.at_nodes(local.own(reach)), n_sources)


def _at_ends(local: _Local, n_sources: int, shifts: PerSource) -> Sums:
    return local.scattered(local.claims.at_ends(local.own(shifts)), n_sources)


def guards_in_blocks(model: GRBM, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> list[Note]:
    """Return what a user should know before trusting the answer."""
    from veracity.models.crowd.one_coin import OneCoin

    one_coin = OneCoin(max_iter=50)
    fit_only(one_coin, claims)
    n_sources = claims.n_sources
    sums = judged.total(_guard_sums, bare(model), bare(one_coin), n_sources)
    one, other = sums.pop("group").whole().T
    numbers: dict[str, Any] = {
        name: found.everywhere() if isinstance(found, Scattered) else found
        for name, found in sums.items()
    }
    return GuardCounts(**numbers, group=joined_groups(one, other, n_sources)).notes(claims.sources)


def _guard_sums(judged: Judged, model: GRBM, one_coin: TruthModel, n_sources: int) -> Sums:
    block, matrix, place = judged.block, judged.block.matrix, judged.block.place
    vote, coin = (
        decide(matrix, other._judge(block.claims).plausibility, model.random_state)
        for other in (MajorityVote(), one_coin)
    )
    bound, own = model._bind(block.claims)
    counts = GuardCounts.of(matrix, judged.verdict, vote, coin, bound.rates(own).right)
    sums: Sums = {field.name: getattr(counts, field.name) for field in fields(counts)}
    for name in ("of_source", "n_contested", "n_agreeing"):
        sums[name] = Scattered(place, sums[name], n_sources)
    pairs = np.stack([place, place[counts.group]], axis=1)
    return sums | {"group": Joined((pairs,))}
