"""Sources on the items of known truth, against counts done row by row."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from veracity import GRBM, GTM, Attribute, Claims, GroundTruth
from veracity.data.arrays import Indices
from veracity.data.truth.known import KnownTruth
from veracity.engines.local import in_one_block
from veracity.errors import NotFitted
from veracity.models import MODELS, make_model
from veracity.models.labelled_claims import LabelledClaims
from veracity.models.labelled_sources import (
    FALSE_FLAGS,
    LABELLED_COLUMNS,
    disagreeing,
    sources_by_attribute,
)

VALUES = {
    "town": ("Oslo", "Rome", "Bern"),
    "open": ("yes", "no"),
    "author": ("ann", "bob", "cat", "dan"),
}
KINDS = {
    "town": Attribute("single", "open"),
    "open": Attribute("boolean", positive="yes"),
    "author": Attribute("multiple"),
}
Pair = tuple[str, str]


def drawn(seed: int, duplicates: Any = "all") -> tuple[Claims, dict[Pair, set[str]]]:
    """Draw claims of all kinds, denials and repeats among them, and the truth of some items."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(160):
        attribute = str(random.choice(list(VALUES)))
        value = str(random.choice(VALUES[attribute]))
        source, entity = f"s{random.integers(7)}", f"e{random.integers(9)}"
        rows.append((source, entity, attribute, value, int(random.random() < 0.8)))
    names = ("source", "entity", "attribute", "value", "asserts")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    claims = Claims.from_frame(columns, attributes=KINDS, duplicates=duplicates)
    truth: dict[Pair, set[str]] = {}
    for attribute, values in VALUES.items():
        for entity in random.choice(9, 4, replace=False):
            true = {str(random.choice([*values, "unheard of"][: 2 if attribute == "open" else 9]))}
            if attribute == "author":
                true |= {str(random.choice(values))}
            truth[f"e{entity}", attribute] = true
    return claims, truth


def known(truth: dict[Pair, set[str]]) -> GroundTruth:
    rows = [(*item, value) for item, values in truth.items() for value in sorted(values)]
    names = ("entity", "attribute", "value")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return GroundTruth.from_frame(pa.table(columns))


def by_hand(
    claims: Claims, truth: dict[Pair, set[str]], plausibility: dict[tuple[str, ...], float]
) -> dict[Pair, list[float]]:
    """Count right and wrong claims, and expected ones, by source and attribute."""
    counts: dict[Pair, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for row in claims.in_use().to_pylist():
        item = row["entity"], row["attribute"]
        if item not in truth:
            continue
        asserts, value = bool(row["asserts"]), row["value"]
        if row["attribute"] == "open":  # one statement, that of yes
            asserts, value = asserts == (value == "yes"), "yes"
        found = counts[row["source"], row["attribute"]]
        found[0 if asserts == (value in truth[item]) else 1] += 1
        p = plausibility[(*item, value)]
        found[2] += p if asserts else 1 - p
    return dict(counts)


def check(rows: list[dict[str, Any]], counts: dict[Pair, list[float]]) -> None:
    assert [(row["source"], row["attribute"]) for row in rows] == sorted(
        counts, key=lambda pair: (pair[0], sorted(VALUES).index(pair[1]))
    )
    for row in rows:
        right, wrong, expected = counts[row["source"], row["attribute"]]
        assert (row["right"], row["wrong"]) == (right, wrong)
        assert row["rate"] == pytest.approx(right / (right + wrong))
        assert row["expected"] == pytest.approx(expected / (right + wrong), abs=1e-9)
        assert 0 <= row["low"] <= row["rate"] <= row["high"] <= 1


def statement_keys(claims: Claims) -> list[tuple[str, ...]]:
    matrix = claims.matrix
    item = matrix.item_of_statement
    columns = (
        matrix.entities.take(pa.array(matrix.entity_index[item])),
        matrix.attributes.take(pa.array(matrix.attribute_index[item])),
        matrix.values.take(pa.array(matrix.value_index)),
    )
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("duplicates", ["all", "latest"])
def test_counts_are_those_done_row_by_row(seed: int, duplicates: str) -> None:
    claims, truth = drawn(seed, duplicates)
    matrix = claims.matrix
    p = np.random.default_rng(seed).random(matrix.n_statements)
    found = LabelledClaims.of(matrix, KnownTruth.of(known(truth), claims), p)
    beliefs = dict(zip(statement_keys(claims), p.tolist(), strict=True))
    names = matrix.attributes.to_pylist()
    rows = sources_by_attribute(found, matrix.sources, names).to_pylist()
    check(rows, by_hand(claims, truth, beliefs))
    n_items = {
        (row["source"], row["attribute"]): len(
            {
                own["entity"]
                for own in claims.in_use().to_pylist()
                if (own["source"], own["attribute"]) == (row["source"], row["attribute"])
                and (own["entity"], own["attribute"]) in truth
            }
        )
        for row in rows
    }
    assert found.n_items.tolist() == list(n_items.values())


TOLD = [
    name
    for name, model in ((name, make_model(name)) for name in MODELS)
    if model.uses_known_truth and not model.needs_numbers
]


@pytest.mark.parametrize("name", TOLD)
def test_every_model_that_takes_known_truth_has_them(name: str) -> None:
    claims, truth = drawn(3, "latest")
    model = make_model(name).fit(claims, known_truth=known(truth))
    # Judged as new claims are, by what was learned without labels if the model knows that.
    (block,) = [in_one_block(claims).blocks.only]
    assert block is not None
    plausibility = model._judge_unaware(block)
    beliefs = dict(zip(statement_keys(claims), plausibility.tolist(), strict=True))
    counts = by_hand(claims, truth, beliefs)
    assert model.sources_by_attribute_ is not None
    check(model.sources_by_attribute_.to_pylist(), counts)
    assert tuple(model.sources_.column_names[-len(LABELLED_COLUMNS) - 2 : -2]) == LABELLED_COLUMNS
    for row in model.sources_.to_pylist():
        own = [count for pair, count in counts.items() if pair[0] == row["source"]]
        right, wrong, expected = np.sum(own, axis=0) if own else (0, 0, 0.0)
        assert (row["labelled_right"], row["labelled_wrong"]) == (right, wrong)
        if own:
            assert row["labelled_expected"] == pytest.approx(expected / (right + wrong), abs=1e-9)
            assert row["labelled_low"] <= row["labelled_rate"] <= row["labelled_high"]
            assert row["disagrees"] in (True, False)
        else:
            assert [row[column] for column in LABELLED_COLUMNS[2:]] == [None] * 5


def test_numbers_are_right_within_their_tolerance() -> None:
    said = {"ann": 0.0, "bob": 0.2, "cat": 5.0}
    triples = [(name, f"e{i}", str(10 * i + off)) for name, off in said.items() for i in range(6)]
    declared = {"*": Attribute("single", values="number", tolerance=0.5)}
    truth = {"entity": ["e0", "e1", "e2"], "value": ["0.1", "10.1", "20.1"]}
    model = GTM().fit(Claims.from_triples(triples, attributes=declared), known_truth=truth)
    rows = {row["source"]: row for row in model.sources_.to_pylist()}
    assert [rows[name]["labelled_right"] for name in said] == [3, 3, 0]
    assert [rows[name]["labelled_wrong"] for name in said] == [0, 0, 3]


def test_without_known_truth_there_are_none(tmp_path: Path) -> None:
    claims, truth = drawn(1, "latest")
    with pytest.raises(NotFitted, match="only after fit"):
        GRBM().sources_by_attribute_  # noqa: B018
    model = GRBM().fit(claims)
    silent = {("nobody", "town"): {"Oslo"}}
    for fitted in (model, GRBM().fit(claims, known_truth=known(silent))):
        assert fitted.sources_by_attribute_ is None
        assert not set(LABELLED_COLUMNS) & set(fitted.sources_.column_names)
    model.fit(claims, known_truth=known(truth))
    assert model.fit(claims).sources_by_attribute_ is None


def test_answers_of_assessors_are_no_labels() -> None:
    claims, truth = drawn(1, "latest")
    doubtful = known(truth).to_arrow()
    doubtful = doubtful.append_column("trust", pa.array([0.8] * doubtful.num_rows))
    model = GRBM().fit(claims, known_truth=GroundTruth.from_frame(doubtful))
    assert model.sources_by_attribute_ is None


# What is flagged


def counts_of(right: Any, n: Any, expected: Any, n_items: Any = None) -> LabelledClaims:
    right, n = np.atleast_1d(right), np.atleast_1d(n)
    items: Indices = n if n_items is None else np.atleast_1d(n_items)
    expected = np.atleast_1d(np.asarray(expected, np.float64)) * n
    return LabelledClaims(np.arange(len(n)), right, n - right, items, expected, 1)


def test_a_source_is_flagged_by_the_binomial_test() -> None:
    n, expected = 20, 0.8
    q = (expected * n + 0.5) / (n + 1)
    for right in range(n + 1):
        p = 2 * min(binom.cdf(right, n, q), binom.sf(right - 1, n, q))
        assert disagreeing(counts_of(right, n, expected))[0] == (p <= FALSE_FLAGS), right


def test_one_label_does_not_flag_a_source_however_sure_the_model_was() -> None:
    assert not disagreeing(counts_of([0, 0, 1], [1, 2, 1], [1.0, 1.0, 0.0])).any()
    assert disagreeing(counts_of(0, 3, 1.0)).all()


def test_among_many_sources_more_is_needed() -> None:
    alone = counts_of(12, 20, 0.85)
    assert disagreeing(alone).all()
    among = counts_of([12, *[17] * 99], [20] * 100, [0.85] * 100)
    assert not disagreeing(among).any()
    # Those that could not be flagged anyhow do not count as many.
    silent = counts_of([12, *[1] * 99], [20, *[1] * 99], [0.85] * 100)
    assert disagreeing(silent).tolist() == [True] + [False] * 99


def test_many_claims_about_an_item_count_as_one() -> None:
    assert disagreeing(counts_of(8, 20, 0.85)).all()
    assert not disagreeing(counts_of(8, 20, 0.85, n_items=2)).any()
    many = sources_by_attribute(counts_of(8, 20, 0.85, n_items=5), pa.array(["s"]), ["a"])
    few = sources_by_attribute(counts_of(2, 5, 0.85), pa.array(["s"]), ["a"])
    for name in ("rate", "low", "high", "expected"):
        assert many[name][0].as_py() == pytest.approx(few[name][0].as_py())


def test_what_the_model_foresees_is_rarely_flagged() -> None:
    random = np.random.default_rng(0)
    wrongly = 0
    for _ in range(300):
        n = random.integers(1, 30, 40)
        p = [random.beta(6, 2, size) for size in n]
        right = np.array([(random.random(len(own)) < own).sum() for own in p])
        expected = np.array([own.mean() for own in p])
        wrongly += bool(disagreeing(counts_of(right, n, expected)).any())
    assert wrongly <= 0.05 * 300
