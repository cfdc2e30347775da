"""Objectives for tests: the core on claims in memory, with features drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.data.truth.known import KnownTruth
from veracity.engines.local import in_one_block
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange
from veracity.models.grbm.block_data import PreparedBlock, Rows, prepare_block
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.claim_counts import count_claims
from veracity.models.grbm.model_spec import N_THETA, THETA, ModelSpec
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.base import Posterior
from veracity.models.grbm.reliability import Linear, Network, ReliabilityFunction, feed_forward


def with_rows(prepared: PreparedBlock, rows: Rows) -> PreparedBlock:
    """See claims by given rows."""
    return replace(prepared, featured=rows)


def objective_of(
    claims: Claims,
    n_features: int = 0,
    *,
    ranges: Sequence[AttributeRange] | None = None,
    known: KnownTruth | None = None,
    log_claim_count: Floats | None = None,
    **options: Any,
) -> Objective:
    """Return the objective of claims with a row, and random features, for each source.

    Without `log_claim_count`, all sources claim as much; options are those of `ModelSpec`.
    """
    whole = in_one_block(claims, known)
    counts = count_claims(whole, ranges)
    n = claims.matrix.n_sources
    z = np.zeros(n) if log_claim_count is None else log_claim_count
    features = np.random.default_rng(3).normal(size=(n, n_features))
    rows = Rows(claims.matrix.source_index, np.arange(n), features)
    blocks = whole.blocks.prepare(prepare_block).prepare(with_rows, rows)
    spec = ModelSpec(counts.attributes, z, Linear(n_features), uses_features=True, **options)
    return Objective(blocks, spec)


#: The reliability functions of the paper's machine, and whether sources deviate from them.
FUNCTIONS = ("linear", "per-source", "network", "with sources")


def paper_objective(
    claims: Claims,
    function: str = "per-source",
    *,
    tied: bool = True,
    by_statement: bool = False,
    start: Floats | None = None,
    **options: Any,
) -> Objective:
    """Return the objective of the paper's machine.

    Parameters
    ----------
    claims
        What sources say.
    function
        One of `FUNCTIONS`, of two random features for each row.
    tied
        Whether b follows from a and w.
    by_statement
        Whether a source has two rows, one for each state that a statement may have.
    start
        theta of every source at the start, where g is ``"per-source"``; else g starts as it does.
    options
        Of `ModelSpec`: floor (1 for weights that are not negative), one_hot, penalty, anchor,
        threads.
    """
    matrix, rng = claims.matrix, np.random.default_rng(0)
    n = matrix.n_sources
    rows = Rows(matrix.source_index, np.arange(n), np.zeros((n, 0)))
    if by_statement:
        state = rng.integers(0, 2, matrix.n_statements).astype(np.int32)
        row_of = np.arange(2 * n, dtype=np.int32).reshape(n, 2)
        rows = Rows(
            matrix.source_index, np.repeat(np.arange(n), 2), np.zeros((0, 0)), state, row_of
        )
    n_features = 0 if function == "per-source" else 2
    rows = rows._replace(features=rng.normal(size=(len(rows.source), n_features)))
    g: ReliabilityFunction = Linear(2, N_THETA, intercept=True)
    if function == "per-source":
        g = Linear(0, N_THETA)
    elif function == "network":
        g = Network(feed_forward(2, (3,), "tanh", 0, N_THETA), N_THETA)
    form = AttributeRange("all", "tied-binary" if tied else "free-binary", 0, 0, 2)
    spec = ModelSpec(
        (AttributeParameters(form),),
        np.zeros(n),
        g,
        uses_features=True,
        predictor=THETA if function in ("per-source", "with sources") else THETA[:1],
        **{"floor": 0.0, "penalty": 1.0, "threads": 1, **options},
    )
    begin = spec.names.zeros()
    begin["psi"] = g.start
    if start is not None:
        begin["source"] = start
    blocks = in_one_block(claims).blocks.prepare(prepare_block)
    blocks = blocks.prepare(with_rows, rows)
    return Objective(blocks, replace(spec, start=begin.values))


def block_of(objective: Objective) -> BlockObjective:
    """Return the objective of the only block."""
    block = objective.blocks.only
    assert block is not None
    return block


def posterior_of(objective: Objective, x: Floats) -> Posterior:
    """Return what parameters make of the claims."""
    block = block_of(objective)
    return block.posterior(block.own(x))


def near(objective: Objective, size: float, seed: int = 0) -> Floats:
    """Return parameters about the centre of their priors."""
    noise = np.random.default_rng(seed).normal(size=len(objective.centre))
    return objective.centre + size * noise


def slope(objective: Objective, x: Floats, place: int) -> float:
    """Return the slope of the objective in one parameter, by differences."""
    step = np.zeros(len(x))
    step[place] = 1e-5
    return float((objective.evaluate(x + step)[0] - objective.evaluate(x - step)[0]) / 2e-5)
