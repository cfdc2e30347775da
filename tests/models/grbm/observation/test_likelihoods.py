"""Likelihoods are probabilities: they sum to 1, and equal plain formulas written out here."""

from __future__ import annotations

import itertools
from typing import cast

import numpy as np
import pytest
from tests.observations import EVERY_FORM, Row, drawn_rows, judged, read

from veracity.data.arrays import Floats
from veracity.data.encode.denials import DENIES_ALONE, SPEAKS_AND_CLAIMS
from veracity.models.grbm.observation.class_tables import ClassTables, log_prior
from veracity.models.grbm.observation.confusion import Confusion
from veracity.models.grbm.observation.one_coin import OneCoin
from veracity.models.grbm.parameters import ParameterVector

TAUS = [0.0, 0.5, 1.5]


def total_probability(rows: list[Row], tau: float, seed: int) -> float:
    """Return the sum of the likelihoods of all items, at parameters drawn at random."""
    block, own = judged(read(rows), hardness=tau, size=0.7, seed=seed)
    return float(np.exp(block.posterior(own).likelihood).sum())


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("name", ["coin", "sure", "three", "two"])
def test_what_three_sources_may_say_about_a_closed_item_has_probability_one(
    name: str, tau: float
) -> None:
    classes = EVERY_FORM[name].classes
    rows = [
        Row(f"s{source}", " ".join(said), name, value)
        for said in itertools.product(classes, repeat=3)
        for source, value in enumerate(said)
    ]
    for seed in range(3):
        assert total_probability(rows, tau, seed) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("name", ["coin", "three", "two"])
def test_to_say_a_value_or_to_deny_it_has_probability_one(name: str, tau: float) -> None:
    # One source each, so that items with one claim are all there is.
    for value in EVERY_FORM[name].classes:
        rows = [Row("s0", "says", name, value), Row("s0", "denies", name, value, asserts=0)]
        rows += [Row("s1", f"is {one}", name, one) for one in EVERY_FORM[name].classes]
        claims = read(rows)
        block, own = judged(claims, hardness=tau, size=0.7, seed=3)
        likelihood = np.exp(block.posterior(own).likelihood)
        names = np.array(claims.matrix.entities.to_pylist())[claims.matrix.entity_index]
        assert likelihood[np.isin(names, ("says", "denies"))].sum() == pytest.approx(1.0, abs=1e-9)


def partitions(n: int) -> list[list[int]]:
    """Return all ways to put n claims into blocks: the block of each, numbered as they come."""
    found: list[list[int]] = [[]]
    for _ in range(n):
        found = [[*own, block] for own in found for block in range(max(own, default=-1) + 2)]
    return found


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_in_open_domains_all_partitions_of_the_claims_have_probability_one(
    n: int, tau: float
) -> None:
    """With which block is true, or none: the values themselves play no part."""
    ways = partitions(n)
    assert len(ways) == {1: 1, 2: 2, 3: 5, 5: 52}[n]
    rows = [
        Row(f"s{source}", "".join(map(str, way)), "open", f"v{block}")
        for way in ways
        for source, block in enumerate(way)
    ]
    for seed in range(3):
        assert total_probability(rows, tau, seed) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("floor", [1.0, 0.0])
@pytest.mark.parametrize("name", ["coin", "open"])
def test_the_compiled_pass_of_one_coin_equals_numpy(name: str, floor: float) -> None:
    claims = read(drawn_rows([name], denials=0.3))
    block, all_own = judged(claims, hardness=1.5, floor=floor)
    ((found, own, eta),) = block.models(all_own)
    model, posterior = cast(OneCoin, found), block.posterior(all_own)
    start = claims.matrix.statement_start
    for item in range(claims.matrix.n_items):
        joint = model.log_joint(own, eta, item)  # hypotheses by nodes
        total = np.logaddexp.reduce(joint, axis=None)
        assert posterior.likelihood[item] == pytest.approx(total, abs=1e-10)
        share = np.exp(joint - total)
        of_values = posterior.plausibility[start[item] : start[item + 1]]
        np.testing.assert_allclose(of_values, share[:-1].sum(axis=1), atol=1e-12)
        assert posterior.unclaimed[item] == pytest.approx(share[-1].sum(), abs=1e-12)
        hardness = share.sum(axis=0) @ model.hardness.shift
        assert posterior.hardness[item] == pytest.approx(hardness, abs=1e-12)


@pytest.mark.parametrize("floor", [1.0, 0.0])
@pytest.mark.parametrize("name", ["sure", "three", "two"])
def test_the_compiled_pass_of_classes_equals_numpy(name: str, floor: float) -> None:
    claims = read(drawn_rows([name], denials=0.3))
    block, all_own = judged(claims, hardness=0.5, floor=floor)
    ((found, own, eta),) = block.models(all_own)
    model, posterior = cast(Confusion, found), block.posterior(all_own)
    tables, roles = ClassTables.of(model, own, eta), block.data.roles
    for item in range(claims.matrix.n_items):
        of_item = np.arange(*roles.claim_start[item : item + 2])
        says = model.log_says(tables, of_item)  # (n, K, T)
        denies = roles.role[of_item] == DENIES_ALONE
        says[denies] = np.log1p(-np.exp(says[denies]))
        joint = log_prior(own)[:, None] + tables.log_weight
        joint = joint + (block.data.weight[of_item][:, None, None] * says).sum(axis=0)
        total = np.logaddexp.reduce(joint, axis=None)
        assert posterior.likelihood[item] == pytest.approx(total, abs=1e-10)
        share = np.exp(joint - total)
        statements = np.arange(*claims.matrix.statement_start[item : item + 2])
        expected = share.sum(axis=1)[model.class_of_statement[statements]]
        np.testing.assert_allclose(posterior.plausibility[statements], expected, atol=1e-12)
        hardness = share.sum(axis=0) @ model.hardness.shift
        assert posterior.hardness[item] == pytest.approx(hardness, abs=1e-12)


# The first design, written out


def softmax_confusion(own: ParameterVector, place: int, u: float) -> Floats:
    """Return P(says j | truth k) of a source: z_kj = a_j + A_j + [j = k] u; (K, K)."""
    z = own["habit"] + own["source_habit"][place] + u * np.eye(len(own["habit"]))
    odds = np.exp(z)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("floor", [1.0, 0.0])
@pytest.mark.parametrize("name", ["two", "three"])
def test_without_hardness_and_confusion_classes_are_those_of_the_first_design(
    name: str, floor: float
) -> None:
    claims = read(drawn_rows([name], weighted=False))
    block, all_own = judged(claims, hardness=0.0, floor=floor)
    ((found, own, eta),) = block.models(all_own)
    model, k = cast(Confusion, found), len(EVERY_FORM[name].classes)
    if name == "three":
        own["confusion"], own["source_confusion"] = 0.0, 0.0
    posterior, matrix = block.posterior(all_own), claims.matrix
    prior = np.exp(own["prior"]) / np.exp(own["prior"]).sum()
    roles = block.data.roles
    for item in range(matrix.n_items):
        joint = prior.copy()
        for claim in range(*roles.claim_start[item : item + 2]):
            source = int(matrix.source_index[claim])
            u = np.log(floor + (k - 1) * np.exp(eta[source]))
            said = model.class_of_statement[matrix.statement_index[claim]]
            place = int(np.searchsorted(model.parameters.sources, source))
            says = softmax_confusion(own, place, u)[:, said]
            if roles.role[claim] == SPEAKS_AND_CLAIMS:
                joint *= says
            elif roles.role[claim] == DENIES_ALONE:
                joint *= 1 - says
        assert posterior.likelihood[item] == pytest.approx(np.log(joint.sum()), abs=1e-9)
        statements = np.arange(*roles.statement_start[item : item + 2])
        expected = (joint / joint.sum())[model.class_of_statement[statements]]
        np.testing.assert_allclose(posterior.plausibility[statements], expected, atol=1e-9)


def test_of_two_classes_confusion_has_nothing_to_share_out() -> None:
    claims = read(drawn_rows(["two"]))
    block, _ = judged(claims)
    (model,) = block.observations.values()
    assert set(model.parameters.names.axes) == {"prior", "habit", "source_habit", "hardness"}


@pytest.mark.parametrize("floor", [1.0, 0.0])
def test_without_hardness_one_coin_is_that_of_the_first_design(floor: float) -> None:
    claims = read(drawn_rows(["coin"], weighted=False))
    block, all_own = judged(claims, hardness=0.0, floor=floor)
    ((_, _, eta),) = block.models(all_own)
    posterior, matrix, roles = block.posterior(all_own), claims.matrix, block.data.roles
    for item in range(matrix.n_items):
        first, last = roles.statement_start[item : item + 2]
        joint = np.full(3, 1 / 3)  # the claimed values come first
        for claim in range(*roles.claim_start[item : item + 2]):
            u = np.log(floor + 2 * np.exp(eta[matrix.source_index[claim]]))
            says = np.full(3, 1 / (np.exp(u) + 2))
            said = matrix.statement_index[claim] - first
            says[said] *= np.exp(u)
            if roles.role[claim] == SPEAKS_AND_CLAIMS:
                joint *= says
            elif roles.role[claim] == DENIES_ALONE:
                joint *= 1 - says
        assert posterior.likelihood[item] == pytest.approx(np.log(joint.sum()), abs=1e-9)
        expected = (joint / joint.sum())[: last - first]
        np.testing.assert_allclose(posterior.plausibility[first:last], expected, atol=1e-9)


@pytest.mark.parametrize("name", ["coin", "open", "three", "two"])
def test_weight_multiplies_the_log_probability_of_a_claim(name: str) -> None:
    """Two claims of weight 1/2 by one source about an item are worth one of weight 1."""
    classes = EVERY_FORM[name].classes
    whole = drawn_rows([name], weighted=False, denials=0.0, n_items=24)
    assert len(classes) > 1
    halves = [
        Row(row.source, row.entity, name, row.value, 1, 0.5) for row in whole for _ in range(2)
    ]
    likelihood = []
    for rows in (whole, halves):
        block, own = judged(read(rows))
        likelihood.append(block.posterior(own).likelihood)
    np.testing.assert_allclose(likelihood[0], likelihood[1], atol=1e-9)
