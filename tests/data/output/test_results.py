"""The tables that come out: truths, statements and sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from veracity import Claims, MajorityVote
from veracity.data.output.results import decide


def fitted(rows: list[tuple[Any, ...]], names: str = "source entity value", **options: Any) -> Any:
    """Vote without smoothing on rows with the named columns."""
    seed = options.pop("random_state", 0)
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names.split())}
    return MajorityVote(0, seed).fit(Claims.from_frame(columns, **options))


ASSERTED = "source entity value asserts"


def test_columns_of_the_tables() -> None:
    model = fitted([("a", "x", "1")])
    assert model.truths_.column_names == [
        "entity",
        "attribute",
        "value",
        "plausibility",
        "margin",
        "n_sources",
        "n_values",
        "tie",
        "decision",
    ]
    assert model.statements_.column_names == [
        "entity",
        "attribute",
        "value",
        "plausibility",
        "supporters",
        "deniers",
    ]
    assert model.sources_.column_names == [
        "source",
        "n_claims",
        "reliability",
        "tpr",
        "fpr",
        "agreement",
        "pattern",
        "pattern_of",
    ]
    assert model.history_ == []
    assert len(model.truths_) == len(model.statements_) == len(model.sources_) == 1


def test_truths_of_single_items() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("d", "x", "3"), ("a", "y", "9")]
    truths = fitted(rows).truths_.to_pylist()
    assert truths == [
        {
            "entity": "x",
            "attribute": "value",
            "value": "1",
            "plausibility": 0.5,
            "margin": 0.25,
            "n_sources": 4,
            "n_values": 3,
            "tie": False,
            "decision": "review",
        },
        {
            "entity": "y",
            "attribute": "value",
            "value": "9",
            "plausibility": 1.0,
            "margin": 1.0,
            "n_sources": 1,
            "n_values": 1,
            "tie": False,
            "decision": "accept",
        },
    ]


def test_statements_count_supporters_and_implied_deniers() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    statements = fitted(rows).statements_
    assert statements["value"].to_pylist() == ["1", "2"]
    assert statements["supporters"].to_pylist() == [2, 1]
    assert statements["deniers"].to_pylist() == [1, 2]


@pytest.mark.parametrize("kind", ["single", "multiple"])
def test_deniers_implied_and_explicit(kind: str) -> None:
    rows = [("a", "x", "1", 1), ("b", "x", "1", 0), ("c", "x", "2", 1), ("c", "x", "1", 0)]
    statements = fitted(rows, ASSERTED, attributes={"*": kind}).statements_
    # b says no to 1; c names 2 and says no to 1 besides, which is one denial, not two.
    assert statements["supporters"].to_pylist() == [1, 1]
    assert statements["deniers"].to_pylist() == [2, 1]


def test_boolean_denials() -> None:
    rows = [("a", "x", "yes"), ("b", "x", "no"), ("c", "x", "no"), ("a", "y", "no")]
    model = fitted(rows)
    (x, y) = model.truths_.to_pylist()
    assert (x["value"], x["n_values"], x["n_sources"]) == ("no", 2, 3)
    assert x["plausibility"] == pytest.approx(2 / 3)
    assert x["margin"] == pytest.approx(1 / 3)
    assert (y["value"], y["plausibility"], y["margin"], y["n_values"]) == ("no", 1.0, 1.0, 1)
    statements = model.statements_
    assert statements["value"].to_pylist() == ["yes", "yes"]
    assert statements["supporters"].to_pylist() == [1, 0]
    assert statements["deniers"].to_pylist() == [2, 1]


def test_a_word_that_nobody_said_can_be_the_truth() -> None:
    truths = fitted([("a", "x", "true", 0)], ASSERTED).truths_
    assert truths["value"].to_pylist() == ["false"]


def test_multiple_items_may_have_several_truths_or_one() -> None:
    rows = [("a", "x", "1"), ("a", "x", "2"), ("b", "x", "1"), ("b", "x", "2"), ("c", "x", "3")]
    rows += [("a", "y", "1"), ("b", "y", "2"), ("c", "y", "3")]
    model = fitted(rows, attributes={"*": "multiple"})
    truths = model.truths_.to_pylist()
    x = [row for row in truths if row["entity"] == "x"]
    assert {row["value"] for row in x} == {"1", "2"}
    assert all(row["plausibility"] == pytest.approx(2 / 3) for row in x)
    assert all(row["margin"] == pytest.approx(1 / 3) for row in x)
    assert not any(row["tie"] for row in x)
    (y,) = (row for row in truths if row["entity"] == "y")
    assert y["plausibility"] == pytest.approx(1 / 3)
    assert y["tie"]


def test_sources_are_judged() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("c", "y", "1")]
    sources = {row["source"]: row for row in fitted(rows).sources_.to_pylist()}
    assert sources["a"]["n_claims"] == 1
    assert sources["c"]["n_claims"] == 2
    assert [sources[name]["agreement"] for name in "abc"] == [1.0, 1.0, 0.5]
    assert sources["a"]["reliability"] == pytest.approx(2 / 3)
    assert sources["c"]["reliability"] == pytest.approx((1 / 3 + 1) / 2)


def test_rates_follow_from_plausibilities() -> None:
    rows = [(source, "x", "yes") for source in "abc"] + [("d", "x", "no")]
    sources = fitted(rows).sources_.to_pylist()
    assert [row["tpr"] for row in sources] == [1, 1, 1, 0]
    assert [row["fpr"] for row in sources] == [1, 1, 1, 0]
    unanimous = fitted([("a", "x", "yes"), ("b", "x", "yes")]).sources_.to_pylist()
    assert [(row["tpr"], row["fpr"]) for row in unanimous] == [(1.0, None)] * 2


def test_agreement_of_who_denies() -> None:
    rows = [("a", "x", "1", 1), ("b", "x", "1", 1), ("c", "x", "1", 0), ("d", "x", "2", 0)]
    sources = fitted(rows, ASSERTED, attributes={"*": "single"}).sources_.to_pylist()
    assert [row["agreement"] for row in sources] == [1, 1, 0, 1]


TIED = [(source, f"e{i}", value) for i in range(40) for source, value in (("a", "u"), ("b", "v"))]


def _choices(rows: list[tuple[Any, ...]], seed: int = 0, **options: Any) -> dict[str, str]:
    truths = fitted(rows, random_state=seed, **options).truths_
    assert all(truths["tie"].to_pylist())
    assert np.allclose(truths["margin"].to_numpy(), 0)
    return dict(zip(truths["entity"].to_pylist(), truths["value"].to_pylist(), strict=True))


def test_ties_are_broken_both_ways_and_reproducibly() -> None:
    choices = _choices(TIED)
    assert set(choices.values()) == {"u", "v"}
    assert choices == _choices(TIED)


def test_ties_depend_on_the_seed() -> None:
    seeds = [_choices(TIED, seed) for seed in range(3)]
    assert seeds[0] != seeds[1] != seeds[2]


def test_ties_do_not_depend_on_rows_or_sources() -> None:
    assert _choices(TIED[::-1]) == _choices(TIED)
    renamed = [("z" if source == "a" else "c", entity, value) for source, entity, value in TIED]
    assert _choices(renamed) == _choices(TIED)


def test_ties_do_not_depend_on_other_items() -> None:
    choices = _choices(TIED)
    half = [row for row in TIED if int(row[1][1:]) % 2]
    assert _choices(half) == {row[1]: choices[row[1]] for row in half}


def test_boolean_ties_are_broken_both_ways() -> None:
    rows = [(source, entity, "yes" if value == "u" else "no") for source, entity, value in TIED]
    choices = _choices(rows)
    assert set(choices.values()) == {"yes", "no"}
    assert choices == _choices(rows[::-1])
    assert choices != _choices(rows, seed=1)


def test_ties_come_out_evenly() -> None:
    rows = [
        (source, f"e{i}", v) for i in range(600) for source, v in zip("abc", "uvw", strict=True)
    ]
    chosen = list(_choices(rows, attributes={"*": "single"}).values())
    # Three standard deviations of a fair choice among three.
    assert all(abs(chosen.count(value) - 200) < 35 for value in "uvw")


def test_rounding_does_not_make_or_break_a_tie() -> None:
    weights = [0.1, 0.2, 0.3]
    rows = [("a", "x", "1", weights[0]), ("b", "x", "1", weights[1]), ("c", "x", "2", weights[2])]
    (truth,) = fitted(rows, "source entity value weight").truths_.to_pylist()
    assert truth["tie"]
    assert truth["margin"] >= 0


def test_a_near_tie_is_none() -> None:
    matrix = Claims.from_triples([("a", "x", "1"), ("b", "x", "2")]).matrix
    verdict = decide(matrix, np.array([0.5, 0.5 + 1e-6]), 0)
    assert verdict.statement.tolist() == [1]
    assert verdict.tie.tolist() == [False]
    assert decide(matrix, np.array([0.5, 0.5 + 1e-12]), 0).tie.tolist() == [True]
