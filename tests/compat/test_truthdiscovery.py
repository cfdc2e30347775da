"""Algorithms in the clothes of truthdiscovery give the numbers of its documentation."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veracity.compat import truthdiscovery
from veracity.compat.truthdiscovery import (
    GRBM,
    AverageLog,
    ConvergenceIterator,
    Dataset,
    DistanceMeasures,
    FixedIterator,
    Investment,
    MajorityVoting,
    MatrixDataset,
    PooledInvestment,
    PriorBelief,
    Sums,
    SupervisedData,
    TruthFinder,
)
from veracity.errors import InputError, VeracityError

CLAIMS = [
    ("s1", "x", 4), ("s1", "y", 7), ("s2", "y", 7), ("s2", "z", 5), ("s3", "x", 3),
    ("s3", "z", 5), ("s4", "x", 3), ("s4", "y", 6), ("s4", "z", 8),
]  # fmt: skip
#: Who claims what: rows are sources, columns are x=4, y=7, z=5, x=3, y=6, z=8.
GIVEN = np.array([[1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1]])
RIVALS = np.array([[a == b for a in "xyzxyz"] for b in "xyzxyz"])
VALUES = (4, 7, 5, 3, 6, 8)


def beliefs(result: Any) -> Any:
    """Return beliefs in the order of the columns of GIVEN."""
    return [result.belief[var][value] for var, value in zip("xyzxyz", VALUES, strict=True)]


def near(variable: object, first: float, second: float) -> float:
    return 2 * math.exp(-((first - second) ** 2)) - 1


def test_average_log_is_that_of_the_documentation() -> None:
    found = AverageLog().run(Dataset(CLAIMS))
    trust = [0.2637321368777009, 0.52146101879096, 0.7681758936725634, 1.0]
    belief = [0.1491549216, 0.4440695965, 0.7293600807, 1.0, 0.5655545942, 0.5655545942]
    assert np.allclose(list(found.trust.values()), trust, atol=1e-9)
    assert np.allclose(beliefs(found), belief, atol=1e-9)
    assert found.iterations == 20
    assert found.time_taken > 0
    assert np.allclose(found.get_trust_stats(), (0.6383422623, 0.2746120273), atol=1e-9)


def test_sums_by_matrices() -> None:
    belief = np.full(6, 0.5)
    for _ in range(7):
        trust = GIVEN @ belief / (GIVEN @ belief).max()
        belief = GIVEN.T @ trust / (GIVEN.T @ trust).max()
    found = Sums(iterator=FixedIterator(7)).run(Dataset(CLAIMS))
    assert np.allclose(list(found.trust.values()), trust)
    assert np.allclose(beliefs(found), belief)


@pytest.mark.parametrize("algorithm", [Investment, PooledInvestment])
def test_investments_by_matrices(algorithm: type[Investment]) -> None:
    n_given, trust = GIVEN.sum(axis=1), np.ones(4)
    is_pooled = algorithm is PooledInvestment
    votes = np.ones(6) if is_pooled else GIVEN.sum(axis=0)
    belief = votes / (RIVALS @ votes)
    for _ in range(5):
        stake = trust / n_given
        trust = stake * (GIVEN @ (belief / (GIVEN.T @ stake)))
        collected = GIVEN.T @ (trust / n_given)
        grown = collected ** (1.4 if is_pooled else 1.2)
        belief = collected * grown / (RIVALS @ grown) if is_pooled else grown
        trust, belief = trust / trust.max(), belief / belief.max()
    found = algorithm(iterator=FixedIterator(5)).run(Dataset(CLAIMS))
    assert np.allclose(list(found.trust.values()), trust, atol=1e-6)
    assert np.allclose(beliefs(found), belief, atol=1e-6)


@pytest.mark.parametrize("implication", [None, near])
@pytest.mark.parametrize("n_rounds", [1, 2, 6])
def test_truthfinder_by_matrices(implication: Any, n_rounds: int) -> None:
    implied = np.zeros((6, 6))
    if implication is not None:
        for i, first in enumerate(VALUES):
            for j, second in enumerate(VALUES):
                implied[j, i] = (i != j) * RIVALS[i, j] * near("", first, second)
    trust = np.full(4, 0.9)
    for _ in range(n_rounds):
        score = GIVEN.T @ -np.log(1 - trust)
        belief = 1 / (1 + np.exp(-0.3 * (score + 0.5 * implied @ score)))
        trust = GIVEN @ belief / GIVEN.sum(axis=1)
    found = TruthFinder(iterator=FixedIterator(n_rounds)).run(Dataset(CLAIMS, implication))
    assert np.allclose(list(found.trust.values()), trust)
    assert np.allclose(beliefs(found), belief)


def test_voting_counts_sources() -> None:
    found = MajorityVoting().run(Dataset(CLAIMS))
    assert found.belief["x"] == {4: 0.5, 3: 1.0}
    assert set(found.trust.values()) == {1.0}
    assert found.iterations is None


def test_grbm_runs_as_the_others() -> None:
    found = GRBM().run(Dataset(CLAIMS))
    assert list(found.get_most_believed_values("x")) == [3]
    assert all(0 < trust < 1 for trust in found.trust.values())
    assert all(sum(values.values()) <= 1 + 1e-9 for values in found.belief.values())
    assert found.model.truths_.column_names[:3] == ["entity", "attribute", "value"]


def test_values_of_any_kind_come_back_as_they_were() -> None:
    claims: list[tuple[Any, Any, Any]] = [
        (1, ("a", 2), "1"),
        ("1", ("a", 2), 1),
        (None, ("a", 2), frozenset({3})),
    ]
    claims += [(1, "b", None), (1, "b", float("nan"))]
    found = GRBM().run(Dataset(claims))
    assert set(found.trust) == {1, "1", None}
    assert set(found.belief) == {("a", 2)}
    assert set(found.belief["a", 2]) == {"1", 1, frozenset({3})}


def test_matrices_and_their_files(tmp_path: Path) -> None:
    rows = [[4, 7, 0], [0, 7, 5], [3, 0, 5], [3, 6, 8]]
    masked = MatrixDataset(np.ma.masked_values(rows, 0))
    (tmp_path / "matrix.csv").write_text("4,7,\n,7,5\n3,,5\n3,6,8\n")
    read = MatrixDataset.from_csv(tmp_path / "matrix.csv")
    plain = list(Sums().run(Dataset(CLAIMS)).trust.values())
    for data in (masked, read):
        assert (data.num_sources, data.num_variables, data.num_claims) == (4, 3, 6)
        assert np.allclose(list(Sums().run(data).trust.values()), plain)
    (tmp_path / "matrix.csv").write_text("4,seven\n")
    with pytest.raises(InputError, match="'seven'"):
        MatrixDataset.from_csv(tmp_path / "matrix.csv")


def test_results_can_be_narrowed_and_measured() -> None:
    data = Dataset(CLAIMS)
    found = Sums().run(data)
    part = found.filter(sources=["s1"], variables=["x", "z"])
    assert list(part.trust) == ["s1"]
    assert list(part.belief) == ["x", "z"]
    assert set(found.get_belief_stats()) == {"x", "y", "z"}
    assert SupervisedData(data, {"x": 3, "z": 8, "w": 1}).get_accuracy(found) == 0.5
    tied = MajorityVoting().run(Dataset([("a", "x", 1), ("b", "x", 2)]))
    assert set(tied.get_most_believed_values("x")) == {1, 2}
    assert SupervisedData(data, {"x": 1}).get_accuracy(tied) == 0.5


def test_rounds_end_as_asked() -> None:
    data = Dataset(CLAIMS)
    results = list(Sums(iterator=FixedIterator(3)).run_iter(data))
    assert [found.iterations for found in results] == [1, 2, 3]
    until = ConvergenceIterator(DistanceMeasures.L_INF, 0.01, limit=100)
    assert 1 < (Sums(iterator=until).run(data).iterations or 0) < 100


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Dataset([]), "no claims"),
        (lambda: Dataset([("a", "b")]), "must be"),
        (lambda: Investment().set_params(gg=2), "did you mean 'g'"),
        (lambda: FixedIterator(0), "1 or more"),
        (lambda: Sums(priors=PriorBelief.VOTED).run(Dataset(CLAIMS)), "starts from"),
        (
            lambda: Sums(ConvergenceIterator(DistanceMeasures.L1, 0.1)).run(Dataset(CLAIMS)),
            "L_INF",
        ),
        (lambda: list(Sums().run(Dataset(CLAIMS)).get_most_believed_values("w")), "no variable"),
        (
            lambda: SupervisedData(Dataset(CLAIMS), {}).get_accuracy(Sums().run(Dataset(CLAIMS))),
            "None",
        ),
        (lambda: truthdiscovery.CRH, "does not offer 'CRH'"),
    ],
)
def test_errors_say_what_to_do(call: Any, message: str) -> None:
    with pytest.raises((VeracityError, AttributeError), match=message):
        call()
