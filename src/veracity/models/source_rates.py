"""Rates of sources by the plausibilities of statements, for models without rates of their own."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.data.encode.denials import implied_denials, naming_claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.results import SourceRates
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.tables import Judged


def plain_rates(claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
    """Return expected rates of each source of claims in blocks; see `rates_given_plausibility`."""
    sums = judged.total(_rate_sums_of, claims.n_sources)
    return rates_of_sums({name: scattered.everywhere() for name, scattered in sums.items()})


def _rate_sums_of(judged: Judged, n_sources: int) -> Sums:
    sums = rate_sums(judged.block.matrix, judged.plausibility)
    place = judged.block.place
    return {name: Scattered(place, numbers, n_sources) for name, numbers in sums.items()}


def rates_given_plausibility(matrix: ClaimMatrix, plausibility: Floats) -> SourceRates:
    """Return expected rates of each source, taking plausibilities as odds of truth.

    A source speaks about the statements that it claims or denies and, where it names a value of
    an item with implied denials, about every statement of that item; if only one value is true,
    also about the values that nobody claims. With p the plausibility of a statement and c what
    the source says about it, sums over what it speaks about:

        tpr = sum p c / sum p        fpr = sum (1 - p) c / sum (1 - p)

    and its reliability is the expected share of its claims that are right. A rate is NaN where
    its denominator vanishes.
    """
    return rates_of_sums(rate_sums(matrix, plausibility))


def rate_sums(matrix: ClaimMatrix, plausibility: Floats) -> dict[str, Floats]:
    """Add up, for each source, what its rates are ratios of; all (n_sources,)."""
    says_yes = matrix.claim_value == 1
    p = plausibility[matrix.statement_index]
    spoken_true, spoken_false = _spoken_about(matrix, plausibility)
    return {
        "true_yes": matrix.sum_by_source(np.where(says_yes, p, 0.0)),
        "false_yes": matrix.sum_by_source(np.where(says_yes, 1 - p, 0.0)),
        "spoken_true": spoken_true,
        "spoken_false": spoken_false,
        "right": matrix.sum_by_source(np.where(says_yes, p, 1 - p)),
        "n_claims": matrix.sum_by_source(np.ones(matrix.n_claims)),
    }


def rates_of_sums(sums: dict[str, Floats]) -> SourceRates:
    """Return the rates of sources by what was added up for each."""
    return SourceRates(
        sums["right"] / sums["n_claims"],
        _ratio(sums["true_yes"], sums["spoken_true"]),
        _ratio(sums["false_yes"], sums["spoken_false"]),
    )


def _ratio(part: Floats, whole: Floats) -> Floats:
    known = whole > 1e-12
    ratio = np.full(len(part), np.nan)
    ratio[known] = np.clip(part[known] / whole[known], 0.0, 1.0)
    return ratio


def _spoken_about(matrix: ClaimMatrix, plausibility: Floats) -> tuple[Floats, Floats]:
    """Sum p and 1 - p over the statements that each source speaks about; both (n_sources,)."""
    single = matrix.kind_is("single")
    total_true = np.where(single, 1.0, matrix.sum_by_item(plausibility))
    total_false = np.where(single, matrix.domain_size - 1.0, matrix.sum_by_item(1 - plausibility))
    source, names_value = matrix.source_index, naming_claims(matrix)
    naming = matrix.pairs_of(names_value)
    alone = ~names_value & ~implied_denials(matrix)
    by, about = naming % matrix.n_sources, naming // matrix.n_sources
    p = plausibility[matrix.statement_index[alone]]
    n = matrix.n_sources
    return (
        sum_by(by, total_true[about], n) + sum_by(source[alone], p, n),
        sum_by(by, total_false[about], n) + sum_by(source[alone], 1 - p, n),
    )
