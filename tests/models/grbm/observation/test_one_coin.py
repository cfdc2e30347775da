"""One reliability for all values: against brute force over all values that may be true."""

from __future__ import annotations

import numpy as np
import pytest
from tests.machines import every_kind
from tests.objectives import block_of, near, objective_of, posterior_of

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.data.encode.denials import DENIES_ALONE, SPEAKS_AND_CLAIMS
from veracity.data.truth.known import KnownTruth
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.objective import Objective


def one_coin_objective(claims: Claims, known: KnownTruth | None = None) -> Objective:
    """Return the objective with two features, of sources that claim more and less."""
    z = np.linspace(-1.0, 1.0, claims.matrix.n_sources)
    return objective_of(claims, 2, known=known, log_claim_count=z)


def one_coin_range(objective: Objective) -> AttributeRange:
    """Return the only range of items with one reliability for all values."""
    models = block_of(objective).observations.values()
    ranges = [model.parameters.range for model in models]
    (own,) = [own for own in ranges if own.form == "one-coin"]
    return own


def log_likelihood(objective: Objective, x: Floats, item: int, domain_size: int) -> float:
    """Return log P(claims about an item), by adding up all hypotheses one by one."""
    block = block_of(objective)
    data = block.data
    eta = block.eta(block.own(x))[1]
    start, total = data.roles.claim_start, []
    first = data.roles.statement_start[item]
    for truth in range(domain_size):  # the claimed values come first
        value = -np.log(domain_size)
        for claim in range(start[item], start[item + 1]):
            u = np.log(1 + (domain_size - 1) * np.exp(eta[data.row[claim]]))
            norm = np.exp(u) + domain_size - 1
            says = data.roles.statement_index[claim] - first
            p = np.exp(u) / norm if says == truth else 1 / norm
            if data.roles.role[claim] == SPEAKS_AND_CLAIMS:
                value += np.log(p)
            elif data.roles.role[claim] == DENIES_ALONE:
                value += np.log(1 - p)
        total.append(value)
    return float(np.logaddexp.reduce(total))


def test_likelihood_equals_brute_force() -> None:
    claims = every_kind()
    objective = one_coin_objective(claims)
    own = one_coin_range(objective)
    x = near(objective, 0.4, 5)
    found = posterior_of(objective, x)
    for item in range(own.first, own.last):
        size = int(np.diff(claims.matrix.statement_start)[item]) + 1
        expected = log_likelihood(objective, x, item, size)
        assert found.likelihood[item] == pytest.approx(expected, abs=1e-12)


def test_known_truth_leaves_one_hypothesis() -> None:
    claims = every_kind()
    matrix = claims.matrix
    item = one_coin_range(one_coin_objective(claims)).last - 1  # the sky
    statements = np.arange(*matrix.statement_start[item : item + 2])
    assert len(statements) > 1
    truth = {
        "entity": [matrix.entities.to_pylist()[matrix.entity_index[item]]],
        "attribute": ["colour"],
        "value": [matrix.values.to_pylist()[matrix.value_index[statements[0]]]],
    }
    objective = one_coin_objective(claims, KnownTruth.of(truth, claims))
    found = posterior_of(objective, objective.centre)
    assert found.plausibility[statements[0]] == 1.0
    assert (found.plausibility[statements[1:]] == 0.0).all()
    assert found.unclaimed[item] == 0.0
    assert np.isfinite(objective.evaluate(objective.centre)[0])


def test_unseen_value_has_the_rest() -> None:
    claims = every_kind()
    objective = one_coin_objective(claims)
    own = one_coin_range(objective)
    found = posterior_of(objective, objective.centre)
    items = np.arange(own.first, own.last)
    together = claims.matrix.sum_by_item(found.plausibility)[items] + found.unclaimed[items]
    np.testing.assert_allclose(together, 1.0, atol=1e-12)
    assert (found.unclaimed[items] > 0).all()
