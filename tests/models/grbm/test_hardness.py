"""The hardness of items: nodes and weights, and what is learned of them."""

from __future__ import annotations

import numpy as np
import pytest

from veracity import GRBM, Attribute, Claims
from veracity.models.grbm.hardness import FLAT, N_NODES, N_SHAPES, SMOOTH, Hardness, basis
from veracity.models.grbm.parameters import ParameterNames, ParameterVector


def shaped(numbers: list[list[float]]) -> ParameterVector:
    """Return the parameters of two classes."""
    names = ParameterNames(
        {"hardness": ("class", "shape")}, {"class": len(numbers), "shape": N_SHAPES}
    )
    return ParameterVector(names, np.array(numbers).ravel())


@pytest.mark.parametrize("is_learned", [False, True])
def test_the_nodes_have_the_moments_of_the_normal_distribution(is_learned: bool) -> None:
    nodes = Hardness.of(0.5, is_learned)
    assert nodes.weight.sum() == pytest.approx(1.0)
    assert nodes.weight @ nodes.shift == pytest.approx(0.0, abs=1e-12)
    # Even nodes two deviations apart are a coarse grid: their variance is a little less.
    assert nodes.weight @ nodes.shift**2 == pytest.approx(0.25, rel=0.15 if is_learned else 1e-9)


def test_without_hardness_there_is_one_node() -> None:
    assert Hardness.of(0.0, True).shift.tolist() == [0.0]
    assert not Hardness.of(0.0, True).is_learned


def test_learned_weights_are_even_and_sum_to_one() -> None:
    weight = np.exp(Hardness.of(0.5, True).by_class(shaped([[1.0, -2.0], [0.3, 4.0]]), 2))
    np.testing.assert_allclose(weight.sum(axis=1), 1.0)
    np.testing.assert_allclose(weight, weight[:, ::-1])
    assert not np.allclose(weight[0], weight[1])


def test_nothing_learned_is_the_normal_distribution() -> None:
    nodes = Hardness.of(0.5, True)
    np.testing.assert_allclose(nodes.by_class(shaped([[0.0, 0.0]]), 1)[0], nodes.log_weight)


def test_the_basis_has_the_prior_that_it_says() -> None:
    """A quadratic form of log weights: of each, and of their second differences."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        shape = rng.normal(size=N_SHAPES)
        weights = basis() @ shape
        assert weights.sum() == pytest.approx(0.0, abs=1e-12)
        penalty = FLAT * (weights**2).sum() + SMOOTH * (np.diff(weights, 2) ** 2).sum()
        assert penalty == pytest.approx((shape**2).sum())
    assert basis().shape == (N_NODES, N_SHAPES)


def drawn_world(sd: tuple[float, float], seed: int = 0) -> tuple[Claims, dict[str, str]]:
    """Draw yes/no items of which one class is more varied in its hardness than the other."""
    rng = np.random.default_rng(seed)
    rows, truth = [], {}
    for item in range(600):
        true = int(rng.random() < 0.5)
        truth[f"e{item:03d}"] = "ab"[true]
        shift = rng.normal() * sd[true]
        for source in range(15):
            right = rng.random() < 1 / (1 + np.exp(-(1.0 + 0.05 * source + shift)))
            rows.append((f"s{source:02d}", f"e{item:03d}", "ab"[true if right else 1 - true]))
    columns = dict(zip(("source", "entity", "value"), zip(*rows, strict=True), strict=True))
    return Claims.from_frame(columns, attributes={"*": Attribute("single", "closed")}), truth


def test_how_much_hardness_varies_is_learned_for_each_class() -> None:
    claims, _ = drawn_world((0.0, 2.0))
    model = GRBM(features="never").fit(claims)
    assert set(model.forms_.values()) == {"confusion"}
    own = model.fitted_model.parameters.group("0")
    nodes = Hardness.of(0.5, True)
    variance = np.exp(nodes.by_class(own, 2)) @ nodes.shift**2
    assert variance[1] > 3 * variance[0]
