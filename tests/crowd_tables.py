"""Tables of answers for both crowd-kit and its stand-in, and how results are compared."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest
from tests.crowd_peers import drawn_labels

pandas = pytest.importorskip("pandas")


def drawn_answers(seed: int, n_classes: int = 3, *, in_order: bool = False, **sizes: Any) -> Any:
    """Draw answers in random order, or such that workers and labels appear in their own order."""
    rows = drawn_labels(seed, n_classes=n_classes, **sizes)
    frame = pandas.DataFrame(rows, columns=["worker", "task", "label"])
    if in_order:
        # A first worker who gives every label comes first; then everybody else by name.
        first = pandas.DataFrame({
            "worker": "a",
            "task": [f"x{i}" for i in range(n_classes)],
            "label": [f"v{i}" for i in range(n_classes)],
        })  # fmt: skip
        return pandas.concat([first, frame.sort_values("worker")], ignore_index=True)
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def read_answers(folder: Any, name: str) -> Any:
    """Read claims about items as answers to tasks."""
    frame = pandas.read_csv(folder / name / "claims.csv.gz", dtype=str, keep_default_na=False)
    roles = {"source": "worker", "entity": "task", "item": "task", "value": "label"}
    found = {column: roles[column] for column in frame.columns if column in roles}
    frame = frame.rename(columns=found)[["task", "worker", "label"]]
    return frame.drop_duplicates(["task", "worker"]).reset_index(drop=True)


def fit_crowdkit(name: str, data: Any, *more: Any, **parameters: Any) -> Any:
    """Fit a method of crowd-kit, or skip; its own warnings are not ours."""
    pytest.importorskip("crowdkit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        methods = importlib.import_module("crowdkit.aggregation.classification")
        return getattr(methods, name)(**parameters).fit(data, *more)


def assert_same(ours: Any, theirs: Any, attributes: list[str], tolerance: float = 1e-6) -> None:
    """Check that tables have the same rows, columns and numbers."""
    for name in attributes:
        own, other = getattr(ours, name), getattr(theirs, name)
        if isinstance(other, list | np.ndarray):
            assert np.shape(own) == np.shape(other), name
            assert np.allclose(own, other, atol=tolerance, rtol=0), name
            continue
        assert sorted(own.index) == sorted(other.index), name
        assert own.index.names == other.index.names, name
        own = own.reindex_like(other)
        assert np.allclose(own.to_numpy(), other.to_numpy(), atol=tolerance, rtol=0), name


def assert_same_labels(ours: Any, theirs: Any) -> None:
    """Check labels wherever no two are equally probable."""
    assert ours.labels_.name == theirs.labels_.name == "agg_label"
    assert ours.labels_.index.names == ["task"]
    largest = np.sort(ours.probas_.to_numpy(), axis=1)[:, -2:]
    decided = ours.probas_.index[largest[:, 1] - largest[:, 0] > 1e-6]
    assert len(decided) > 0.7 * len(ours.probas_)
    assert ours.labels_[decided].tolist() == theirs.labels_[decided].tolist()
