"""Explanations name rules and assessors, and add up."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from veracity import GRBM, RBM, Claims, discover
from veracity.errors import InvalidParameter
from veracity.evaluation.disagreements import disagreements
from veracity.workflow import open_run, update

COUNTRY = {"Paris": "France", "Lyon": "France", "Rome": "Italy", "Bari": "Italy"}
RULES = {
    "if_attribute": ["born_in"] * 4,
    "if_value": list(COUNTRY),
    "then_attribute": ["country"] * 4,
    "then_value": list(COUNTRY.values()),
    "weight": [None, None, 2.0, None],
}
KNOWN = {
    "entity": ["p1", "p2", "p3"],
    "attribute": ["country", "born_in", "country"],
    "value": ["Italy", "Paris", "France"],
    "assessor": ["ann", "ann", "bob"],
    "trust": [0.9, None, 0.8],
}


@pytest.fixture(scope="module")
def claims() -> Claims:
    random = np.random.default_rng(5)
    cities, countries, rows = list(COUNTRY), sorted(set(COUNTRY.values())), []
    for person in range(25):
        city = str(random.choice(cities))
        for source in range(5):
            is_right = random.random(2) < 0.5 + 0.1 * source
            said = city if is_right[0] else str(random.choice(cities))
            where = COUNTRY[city] if is_right[1] else str(random.choice(countries))
            rows += [(f"s{source}", f"p{person}", "born_in", said)]
            rows += [(f"s{source}", f"p{person}", "country", where)]
    names = ("source", "entity", "attribute", "value")
    return Claims.from_frame(
        pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    )


def plausibilities(model: Any) -> dict[tuple[str, str, str], float]:
    rows = model.statements_.to_pylist()
    return {(row["entity"], row["attribute"], row["value"]): row["plausibility"] for row in rows}


@pytest.mark.parametrize("kind", [GRBM, RBM])
def test_explanations_add_up_to_what_the_tables_say(claims: Claims, kind: Any) -> None:
    model = kind().fit(claims, known_truth=KNOWN, rules=RULES)
    shown = plausibilities(model)
    reasons = set()
    for entity, attribute in {key[:2] for key in shown} - {("p2", "born_in")}:
        for evidence in model.explain(entity, attribute).statements:
            p = shown[entity, attribute, evidence.value]
            assert evidence.plausibility == pytest.approx(p, abs=1e-9)
            p = min(max(p, 1e-12), 1 - 1e-12)
            assert evidence.log_odds == pytest.approx(math.log(p / (1 - p)), abs=1e-6)
            reasons |= {step.reason for step in evidence.adjustments}
    assert "rule 3: born_in = Rome implies country = Italy" in reasons
    assert "assessor ann says Italy (trust 0.9)" in reasons
    assert "rule 1: born_in = Paris implies country = France" in str(model.explain("p2", "country"))


def test_new_claims_are_explained_without_them(claims: Claims) -> None:
    model = GRBM().fit(claims, rules=RULES)
    assert "rule" in str(model.explain("p2", "country"))
    assert "rule" not in str(model.explain("p2", "country", claims))


def test_a_saved_run_keeps_rules_and_assessors(claims: Claims, tmp_path: Path) -> None:
    run = discover(claims, known_truth=KNOWN, rules=RULES)
    run.save(tmp_path / "run", report=False)
    saved = open_run(tmp_path / "run")
    for item in ("p1", "p2"):
        again: Any = saved.model
        found = again.explain_fitted(item, "country", saved.claims)
        assert str(found) == str(run.model.explain(item, "country"))
    listed = disagreements(saved.model, saved.claims, None).to_pylist()
    shown = plausibilities(run.model)
    for row in listed:
        key = (row["entity"], row["attribute"], row["believed"])
        assert row["plausibility"] == pytest.approx(shown[key], abs=1e-9)


def test_streams_and_updates_refuse_rules(claims: Claims, tmp_path: Path) -> None:
    run = discover(claims, rules=RULES)
    with pytest.raises(InvalidParameter, match="fitted with rules, which streams do not support"):
        run.model.partial_fit(claims)
    run.save(tmp_path / "run", report=False)
    with pytest.raises(InvalidParameter, match="used rules, which updates do not support"):
        update(tmp_path / "run", claims)


def test_spark_refuses_rules(claims: Claims) -> None:
    with pytest.raises(InvalidParameter, match="do not work on Spark"):
        discover("claims.parquet", engine="spark", rules=RULES)
