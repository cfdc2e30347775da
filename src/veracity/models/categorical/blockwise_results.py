"""What a fitted default model says of sources, and of its own answer, block by block."""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from veracity.data.matrix import Floats
from veracity.data.notes import Note
from veracity.data.results import SourceRates, decide
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Joined, Scattered, Sums
from veracity.errors import ConvergenceWarning
from veracity.models.base import TruthModel
from veracity.models.blockwise import Judged, bare
from veracity.models.guards import GuardCounts, joined_groups
from veracity.models.vote import MajorityVote

if TYPE_CHECKING:
    from veracity.models.grbm import GRBM

RATES = ("right", "tpr", "fpr")


def rates_in_blocks(
    model: GRBM, claims: ClaimsInBlocks, judged: Blocks[Judged], width: float
) -> SourceRates:
    """Average the rates of a source's claims; intervals by the curvature of the likelihood."""
    fitted = bare(model)
    sums = judged.total(_rate_sums, fitted, claims.n_sources)
    spread = 1.0 / np.sqrt(1.0 + sums["information"].everywhere())
    count = sums["count"].everywhere()
    ends = judged.total(_end_sums, fitted, width * spread)

    def mean(total: Scattered) -> Floats:
        return np.asarray(total.everywhere() / count)

    return SourceRates(
        mean(sums["right"]),
        mean(sums["tpr"]),
        mean(sums["fpr"]),
        reliability_low=mean(ends["low right"]),
        reliability_high=mean(ends["high right"]),
        tpr_low=mean(ends["low tpr"]),
        tpr_high=mean(ends["high tpr"]),
        fpr_low=mean(ends["high fpr"]),
        fpr_high=mean(ends["low fpr"]),
    )


def _rate_sums(judged: Judged, model: GRBM, n_sources: int) -> Sums:
    matrix, place = judged.block.matrix, judged.block.place
    objective, x = model._to_judge()._applied(judged.block.claims)
    rates = objective.rates(x)
    posterior = objective.judge(x).posterior[matrix.statement_index]
    certain = posterior * (1 - posterior)
    information = np.maximum(rates.right * (1 - rates.right) - certain, 0.0) * rates.slope**2
    of_claim = {name: getattr(rates, name) for name in RATES} | {
        "information": information,
        "count": np.ones(matrix.n_claims),
    }
    return {
        name: Scattered(place, matrix.sum_by_source(numbers), n_sources)
        for name, numbers in of_claim.items()
    }


def _end_sums(judged: Judged, model: GRBM, half_width: Floats) -> Sums:
    """Add up the rates at both ends of the interval of each source."""
    matrix, place = judged.block.matrix, judged.block.place
    objective, x = model._to_judge()._applied(judged.block.claims)
    sums: Sums = {}
    for end, sign in (("low", -1.0), ("high", 1.0)):
        rates = objective.rates(x, sign * half_width[place])
        for name in RATES:
            of_source = matrix.sum_by_source(getattr(rates, name))
            sums[f"{end} {name}"] = Scattered(place, of_source, len(half_width))
    return sums


def guards_in_blocks(model: GRBM, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> list[Note]:
    """Return what a user should know before trusting the answer."""
    from veracity.models.one_coin import OneCoin

    one_coin = OneCoin(max_iter=50)
    one_coin.history_, one_coin.notes_ = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one_coin._fit_blocks(claims)
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
    objective, x = model._to_judge()._applied(block.claims)
    counts = GuardCounts.of(matrix, judged.verdict, vote, coin, objective.rates(x).right)
    sums: Sums = {field.name: getattr(counts, field.name) for field in fields(counts)}
    for name in ("of_source", "n_contested", "n_agreeing"):
        sums[name] = Scattered(place, sums[name], n_sources)
    pairs = np.stack([place, place[counts.group]], axis=1)
    return sums | {"group": Joined((pairs,))}
