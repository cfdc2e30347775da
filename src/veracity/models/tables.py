"""Fitting to claims in blocks, and what comes of it, block by block.

A model learns from blocks by sums (`TruthModel._fit_blocks`). What it learned is then sent to the
blocks, each of which is judged by itself, as new claims are by `predict`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.data.output.decisions import Decisions, decisions_note, is_decided
from veracity.data.output.results import (
    SourceRates,
    Verdict,
    decide,
    n_agreeing,
    rated_sources,
    shown_verdict,
    silent_truths,
    statements_table,
    truths_table,
)
from veracity.data.output.tables import Table
from veracity.data.truth.known import TRUE, UNKNOWN, KnownTruth
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.known_truth import tell
from veracity.engines.sums import Scattered, Sums
from veracity.models.source_rates import rate_sums, rates_of_sums

if TYPE_CHECKING:
    from veracity.models.base import TruthModel

#: What a model holds that it does not need to judge claims.
LEFT_BEHIND = (
    "claims_",
    "truths_",
    "statements_",
    "sources_",
    "plausibility_",
    "judged_",
    "_last_bound",
    "_stream",
)


@dataclass(frozen=True, eq=False)
class Judged:
    """A block, and what a model makes of it."""

    block: ClaimBlock
    plausibility: Floats
    verdict: Verdict

    @property
    def belief(self) -> Floats:
        """How plausible each verdict is."""
        return self.verdict.belief(self.plausibility)

    @property
    def shown(self) -> Verdict:
        """The verdict without what is known to be false, since the truth is not claimed."""
        return shown_verdict(self.block.matrix, self.verdict, self.block.known)


class TableInBlocks(Table):
    """A table that is made block by block, and as a whole only if somebody asks for all of it."""

    def __init__(
        self,
        name: str,
        judged: Blocks[Judged],
        make: Callable[..., pa.Table],
        *shared: Any,
        rest: pa.Table | None = None,
    ) -> None:
        """Let `make` make the part of each block; `rest` are rows of no block, which come last."""
        self.name = name
        self._judged, self._make, self._shared = judged, make, shared
        self._rest = [] if rest is None or not rest.num_rows else [rest]

    def parts(self) -> Iterator[pa.Table]:
        """Return the table block by block."""
        return chain(self._judged.results(self._make, *self._shared), self._rest)

    def parts_by(self, function: Callable[[pa.Table], pa.Table]) -> Iterator[pa.Table]:
        """Return what a function makes of the part of each block, made where the block is."""
        of_blocks = self._judged.results(_part_by, function, self._make, self._shared)
        return chain(of_blocks, map(function, self._rest))

    def to_spark(self, session: Any = None) -> Any:
        """Return the table as a Spark DataFrame; one that is made of blocks there stays there."""
        if hasattr(self._judged, "frame"):
            frame = self._judged.frame(self._make, *self._shared)
            for rest in self._rest:
                frame = frame.unionByName(frame.sparkSession.createDataFrame(rest))
            return frame
        return super().to_spark(session)

    @cached_property
    def _table(self) -> pa.Table:
        return pa.concat_tables(self.parts())


def _part_by(
    judged: Judged,
    function: Callable[[pa.Table], pa.Table],
    make: Callable[..., pa.Table],
    shared: tuple[Any, ...],
) -> pa.Table:
    return function(make(judged, *shared))


def fit_blocks(model: TruthModel, claims: ClaimsInBlocks, known_truth: Any = None) -> None:
    """Fit a model to claims in blocks, and set what every model has after a fit."""
    model.claims_ = claims
    model.history_, model.notes_ = [], list(claims.notes)
    told, silent = claims, None
    if known_truth is not None:
        found = tell(claims, known_truth)
        told, silent = found.claims, silent_truths(found.silent)
        model.notes_ += found.notes
    model._fit_blocks(told)
    judged = model.judged_ = told.blocks.prepare(judge, bare(model))
    least = least_accepted(judged, model.error_rate)
    model.truths_ = TableInBlocks("truths", judged, truths_of, model.error_rate, least, rest=silent)
    model.statements_ = TableInBlocks("statements", judged, statements_of)
    model.sources_ = sources_of(model, claims, judged)
    model._fitted = True
    model.notes_ += model._warnings_in_blocks(claims, judged, least)


def truths_in_blocks(model: TruthModel, claims: ClaimsInBlocks) -> Table:
    """Return the truths of other claims in blocks, judged by what was learned."""
    judged = claims.blocks.prepare(judge, bare(model))
    least = least_accepted(judged, model.error_rate)
    return TableInBlocks("truths", judged, truths_of, model.error_rate, least)


def statements_in_blocks(model: TruthModel, claims: ClaimsInBlocks) -> Table:
    """Return every statement of other claims in blocks, judged by what was learned."""
    judged = claims.blocks.prepare(judge, bare(model))
    return TableInBlocks("statements", judged, statements_of)


def bare(model: TruthModel) -> TruthModel:
    """Return a model without what it does not need to judge claims."""
    needed = copy.copy(model)
    for name in LEFT_BEHIND:
        needed.__dict__.pop(name, None)
    return needed


def judge(block: ClaimBlock, model: TruthModel) -> Judged:
    """Judge a block by what was learned."""
    found, known = model._to_judge()._judge(block.claims), block.known
    plausibility, score = as_known(found.plausibility, known), found.score
    score = None if score is None else as_known(score, known, -np.inf, np.inf)
    verdict = decide(block.matrix, plausibility, model.random_state, score)
    return Judged(block, plausibility, verdict)


def as_known(
    of_statement: Floats, known: KnownTruth | None, false: float = 0.0, true: float = 1.0
) -> Floats:
    """Set the number of each statement whose truth is known."""
    if known is None:
        return of_statement
    given = np.where(known.statement == TRUE, true, false)
    return np.where(known.statement == UNKNOWN, of_statement, given)


def truths_of(judged: Judged, error_rate: float, least: float) -> pa.Table:
    """Return the truths of a block."""
    made = truths_table(
        judged.block.matrix,
        judged.plausibility,
        judged.verdict,
        known=judged.block.known,
        error_rate=error_rate,
        least=least,
    )
    return made.to_arrow()


def statements_of(judged: Judged) -> pa.Table:
    """Return the statements of a block."""
    return statements_table(judged.block.matrix, judged.plausibility).to_arrow()


def sources_of(model: TruthModel, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> Table:
    """Return all sources with their rates."""
    counts = judged.total(_count_by_source, claims.n_sources)
    n_claims, agreeing = counts["n_claims"].everywhere(), counts["agreeing"].everywhere()
    rates = model._rates_in_blocks(claims, judged)
    return rated_sources(claims.sources, n_claims, rates, agreeing)


def _count_by_source(judged: Judged, n_sources: int) -> Sums:
    matrix, place = judged.block.matrix, judged.block.place
    n_claims = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    agreeing = n_agreeing(matrix, judged.verdict)
    return {
        "n_claims": Scattered(place, n_claims, n_sources),
        "agreeing": Scattered(place, agreeing, n_sources),
    }


def plain_rates(claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
    """Return how reliable sources are by the plausibilities alone."""
    sums = judged.total(_rate_sums, claims.n_sources)
    return rates_of_sums({name: scattered.everywhere() for name, scattered in sums.items()})


def _rate_sums(judged: Judged, n_sources: int) -> Sums:
    sums = rate_sums(judged.block.matrix, judged.plausibility)
    place = judged.block.place
    return {name: Scattered(place, numbers, n_sources) for name, numbers in sums.items()}


# Which verdicts to accept

#: A plausibility from 0.5 to 1 as a whole number, in the same order: its bits less those of 0.5.
_HALF = int(np.float64(0.5).view(np.int64))
#: Bits of such a number that are looked at in each round, from the highest on.
_ROUNDS = (13, 13, 13, 13)


def least_accepted(judged: Blocks[Judged], error_rate: float) -> float:
    """Return the plausibility from which on verdicts are accepted, infinity for none.

    As `Decisions.of` finds it with all verdicts side by side: there, as many of the most plausible
    ones as keep the mean of what is expected to be wrong within the rate. Here they are counted by
    plausibility, first roughly, then more finely within the range where the rate is passed.
    """
    low, left = 0, sum(_ROUNDS)
    count, errors, least = 0.0, 0.0, np.inf
    for bits in _ROUNDS:
        left -= bits
        found = judged.total(_count_levels, low, left, 1 << bits)
        n, wrong = found["n"][::-1], found["wrong"][::-1]  # from the most plausible on
        within = errors + np.cumsum(wrong) <= error_rate * (count + np.cumsum(n)) + 1e-12
        n_within = len(within) if within.all() else int(np.argmin(within))
        if n_within:
            accepted = low + ((len(n) - n_within) << left)
            if n[:n_within].any():
                least = float(np.int64(accepted + _HALF).view(np.float64))
            count, errors = count + n[:n_within].sum(), errors + wrong[:n_within].sum()
        if n_within == len(n) or n[n_within] == 1:  # there is nothing to be seen more finely
            break
        low += (len(n) - 1 - n_within) << left
    return float(least)


def _count_levels(judged: Judged, low: int, left: int, n_levels: int) -> Sums:
    """Count decided verdicts, and what is expected to be wrong, by ranges of plausibility."""
    shown = judged.shown
    belief = shown.belief(judged.plausibility)
    belief = belief[is_decided(belief, shown.tie)]
    last = (1 << sum(_ROUNDS)) - 1  # where certainty belongs, too
    level = (np.minimum(belief.view(np.int64) - _HALF, last) - low) >> left
    inside = (level >= 0) & (level < n_levels)
    level, wrong = level[inside], 1.0 - belief[inside]
    return {
        "n": np.bincount(level, minlength=n_levels).astype(np.float64),
        "wrong": np.bincount(level, wrong, minlength=n_levels),
    }


def note_decisions(judged: Blocks[Judged], error_rate: float, least: float) -> Note:
    """Say how many verdicts are accepted."""
    found = judged.total(_count_decisions, error_rate, least)
    return decisions_note(found["counts"], found["errors"], error_rate)


def _count_decisions(judged: Judged, error_rate: float, least: float) -> Sums:
    found = Decisions.from_least(judged.belief, judged.verdict.tie, error_rate, least)
    return {"counts": found.counts, "errors": found.expected_errors}
