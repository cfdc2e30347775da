"""Labels of a crowd for us and for crowd-kit, whose answers ours are compared with."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veracity import Attribute, Claims
from veracity.data.arrays import Floats

CLOSED = {"*": Attribute("single", "closed")}
REAL = ("rte", "dog", "web_relevance", "general_knowledge")


def fit_theirs(name: str, claims: Claims, **parameters: Any) -> Any:
    """Fit a method of crowd-kit, or skip; its own warnings are not ours."""
    if importlib.util.find_spec("crowdkit") is None:
        pytest.skip("no crowd-kit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        methods = importlib.import_module("crowdkit.aggregation.classification")
        return getattr(methods, name)(**parameters).fit(as_labels(claims))


@lru_cache
def read_closed(folder: Path, name: str) -> Claims:
    """Read a shared data set once, every value of an attribute a class."""
    return Claims.read(folder / name / "claims.csv.gz", attributes=CLOSED)


def columns_of(rows: list[tuple[Any, ...]], names: str = "source entity value") -> dict[str, Any]:
    """Write rows as a dict of columns."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names.split())}


def drawn_labels(
    seed: int = 0, n_items: int = 60, n_sources: int = 12, n_classes: int = 3, share: float = 0.6
) -> list[tuple[str, str, str]]:
    """Draw labels of sources that are right in 35 % to 95 % of cases, on a share of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n_items)
    skill = rng.uniform(0.35, 0.95, n_sources)
    rows = []
    for item in range(n_items):
        for source in np.flatnonzero(rng.random(n_sources) < share):
            other = (truth[item] + rng.integers(1, n_classes)) % n_classes
            label = truth[item] if rng.random() < skill[source] else other
            rows.append((f"s{source}", f"e{item}", f"v{label}"))
    return rows


def as_labels(claims: Claims) -> Any:
    """Write claims as crowd-kit reads them; everything is numbered in order of appearance."""
    pandas = pytest.importorskip("pandas")
    matrix = claims.matrix
    value = matrix.value_index[matrix.statement_index]
    parts = {"task": matrix.item_of_claim, "worker": matrix.source_index, "label": value}
    return pandas.DataFrame({name: pandas.factorize(part)[0] for name, part in parts.items()})


def their_plausibility(claims: Claims, probabilities: Any) -> Floats:
    """Return what crowd-kit says of each of our statements."""
    pandas = pytest.importorskip("pandas")
    matrix = claims.matrix
    number = pandas.factorize(matrix.value_index[matrix.statement_index])[1]
    place = {value: column for column, value in enumerate(number.tolist())}
    label = [place[value] for value in matrix.value_index.tolist()]
    table = probabilities.loc[range(matrix.n_items), range(len(number))].to_numpy()
    return np.asarray(table[matrix.item_of_statement, label], np.float64)


def likelihoods(history: list[dict[str, float]]) -> Floats:
    """Return the log-likelihood of each iteration."""
    return np.array([record["log_likelihood"] for record in history])


def assert_never_falls(history: list[dict[str, float]]) -> None:
    """Check that no iteration makes things worse; rounding aside."""
    found = likelihoods(history)
    assert len(found) > 2
    assert (np.diff(found) >= -1e-9 * (1 + np.abs(found[:-1]))).all()
    assert found[-1] > found[0]
