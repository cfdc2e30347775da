"""The oracle's decision is Bayes-optimal: its plausibilities are right as often as they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from veracity.datasets.synthetic import (
    AttributeSpec,
    Beta,
    Oracle,
    SourceSpec,
    SyntheticTables,
    draw_tables,
)
from veracity.datasets.synthetic import decisions as decisions_module

Judge = Callable[[SyntheticTables], Any]

OPEN = AttributeSpec("a", n_values=6)
CLUSTERED = AttributeSpec("a", n_values=6, clustering=1.5)
SKEWED = AttributeSpec("a", domain="closed", n_values=3, prior=(0.7, 0.2, 0.1))
BOOLEAN = AttributeSpec("a", kind="boolean", prior=(0.3, 0.7))
SEVERAL = AttributeSpec("a", kind="multiple", n_values=5)
FEW_TRUE = AttributeSpec("a", kind="multiple", n_values=3, true_share=0.15)

CROWD = SourceSpec(
    reliability=Beta(4, 3), adversaries=0.15, spammers=0.15, copiers=0.2, denials=0.2, tail=0.5
)
BIASED = SourceSpec(reliability=Beta(6, 4), fpr=Beta(3, 6), denials=0.3, adversaries=0.1)
PLAIN = SourceSpec(reliability=Beta(4, 3))


def drawn(attribute: AttributeSpec, sources: SourceSpec, n_entities: int = 6000) -> Oracle:
    return draw_tables(60, n_entities, [attribute], sources=sources, difficulty=0.5).oracle


@pytest.mark.parametrize("sources", [PLAIN, CROWD, BIASED], ids=["plain", "crowd", "biased"])
@pytest.mark.parametrize(
    "attribute",
    [OPEN, CLUSTERED, SKEWED, BOOLEAN, SEVERAL, FEW_TRUE],
    ids=["open", "clustered", "skewed", "boolean", "several", "few true"],
)
def test_calibrated(attribute: AttributeSpec, sources: SourceSpec) -> None:
    oracle = drawn(attribute, sources)
    n_decisions = oracle.attributes["n_decisions"][0].as_py()
    error = np.sqrt(oracle.accuracy * (1 - oracle.accuracy) / n_decisions)
    assert oracle.accuracy == pytest.approx(oracle.expected_accuracy, abs=4 * error)


def best_by_hand(drawn: SyntheticTables, reliability: dict[str, float], size: int) -> Any:
    """Choose the value with the largest sum of log-odds, item by item, in plain Python."""
    score: dict[str, dict[str, float]] = {}
    for claim in drawn.claims.to_pylist():
        r = reliability[claim["source"]]
        values = score.setdefault(claim["entity"], {})
        evidence = np.log(r / (1 - r) * (size - 1))
        if not claim.get("asserts", 1):
            missed = (1 - r) / (size - 1)  # P(denies k | k is true)
            evidence = np.log(missed / (1 - missed) * (size - 1))
        values[claim["value"]] = values.get(claim["value"], 0.0) + evidence
    return {
        entity: max(values, key=lambda value: values[value]) for entity, values in score.items()
    }


@pytest.mark.parametrize("denials", [0.0, 0.5])
def test_equals_decisions_made_by_hand(denials: float) -> None:
    sources_spec = SourceSpec(reliability=Beta(2, 2), denials=denials)
    tables = draw_tables(30, 2000, [OPEN], sources=sources_spec)
    sources = tables.oracle.sources
    reliability = dict(
        zip(sources["source"].to_pylist(), sources["reliability"].to_pylist(), strict=True)
    )
    best = best_by_hand(tables, reliability, 6)
    truth = {row["entity"]: row["value"] for row in tables.truth.to_pylist()}
    right = [best[entity] == truth[entity] for entity in best]
    assert tables.oracle.attributes["n_decisions"][0].as_py() == len(best)
    assert tables.oracle.accuracy == pytest.approx(np.mean(right))


def test_no_worse_than_the_vote(judged: Judge) -> None:
    sources = SourceSpec(reliability=Beta(1.2, 1.5), copiers=0.3)
    tables = draw_tables(50, 4000, [OPEN], sources=sources)
    votes = judged(tables).groupby(["entity", "value"])["is_true"].agg(["size", "first"])
    top = votes[votes["size"] == votes.groupby("entity")["size"].transform("max")]
    vote = top.groupby("entity")["first"].mean().mean()
    assert tables.oracle.accuracy > vote + 0.05


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = drawn(CLUSTERED, CROWD, n_entities=500)
    monkeypatch.setattr(decisions_module, "BLOCK_CELLS", 100)
    in_blocks = drawn(CLUSTERED, CROWD, n_entities=500)
    assert in_blocks.accuracy == whole.accuracy
    assert in_blocks.expected_accuracy == pytest.approx(whole.expected_accuracy)


def test_infallible_and_blind_sources() -> None:
    assert drawn(OPEN, SourceSpec(reliability=1.0), 200).accuracy > 0.99
    blind = drawn(SKEWED, SourceSpec(spammers=1.0), 3000)
    assert blind.accuracy == pytest.approx(0.7, abs=0.04)  # always the commonest value
    assert blind.expected_accuracy == pytest.approx(0.7)


def test_accuracy_by_attribute() -> None:
    attributes = [AttributeSpec("x"), AttributeSpec("y", kind="boolean")]
    oracle = draw_tables(20, 300, attributes).oracle
    counts = oracle.attributes["n_decisions"].to_numpy()
    each = [oracle.accuracy_of("x"), oracle.accuracy_of("y")]
    assert oracle.accuracy == pytest.approx(np.average(each, weights=counts))
