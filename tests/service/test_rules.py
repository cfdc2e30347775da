"""A run with rules and assessors, as the explorer shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.service.running import store_at

from veracity import discover
from veracity.service.pages.refit import refit_commands
from veracity.workflow.files import read_description

ROWS = [
    *((source, "ann", "born_in", "Paris") for source in ("s", "t")),
    ("u", "ann", "born_in", "Rome"),
    ("s", "ann", "country", "France"),
    *((source, "ann", "country", "Italy") for source in ("t", "u")),
    *((source, "bob", "born_in", "Rome") for source in ("s", "t", "u")),
    *((source, "bob", "country", "Italy") for source in ("s", "t", "u")),
]
RULES = {
    "if_attribute": ["born_in"],
    "if_value": ["Paris"],
    "then_attribute": ["country"],
    "then_value": ["France"],
}
KNOWN = {
    "entity": ["ann"],
    "attribute": ["country"],
    "value": ["France"],
    "assessor": ["zoe"],
    "trust": [0.9],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    columns = ("source", "entity", "attribute", "value")
    claims = {name: [row[place] for row in ROWS] for place, name in enumerate(columns)}
    run = discover(claims, known_truth=KNOWN, rules=RULES)
    return run.save(tmp_path_factory.mktemp("ruled") / "run", report=False)


def test_evidence_names_rules_and_assessors_and_adds_up(folder: Path) -> None:
    store = store_at(folder)
    items = {(row["entity"], row["attribute"]): row for row in map(store.item, range(4))}
    answer = items["ann", "country"]
    assert answer["why_no_evidence"] is None
    for evidence in answer["evidence"]:
        reasons = [step["reason"] for step in evidence["adjustments"]]
        assert "assessor zoe says France (trust 0.9)" in reasons
        assert "rule 1: born_in = Paris implies country = France" in reasons
        total = evidence["before"] + sum(term["log_odds"] for term in evidence["terms"])
        total += sum(step["log_odds"] for step in evidence["adjustments"])
        assert total == pytest.approx(evidence["log_odds"], abs=1e-6)


def test_the_command_that_runs_it_again_has_the_rules(folder: Path) -> None:
    _, again = refit_commands(read_description(folder), folder)
    assert f"--rules {folder}/rules.parquet" in again
    _, hidden = refit_commands(read_description(folder), folder, names_only=True)
    assert "--rules run/rules.parquet" in hidden
