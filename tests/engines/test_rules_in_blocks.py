"""Rules and assessors say the same wherever claims are, though blocks cut entities apart."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.engines.test_same_everywhere import MODELS, ORDER, check_same
from tests.engines.worlds import in_memory, in_place, write_world

from veracity.data.rules.rule import Rule
from veracity.data.rules.table import Rules
from veracity.errors import ConvergenceWarning
from veracity.models import make_model
from veracity.models.base import TruthModel


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("world") / "claims.parquet")


@pytest.fixture(scope="module")
def rules(world: Path) -> Rules:
    """Return rules between all attributes, of what is often claimed together."""
    model = make_model("vote").fit(in_memory(world))
    found = [row for row in model.truths_.to_pylist() if row["entity"] in ("3", "8", "21", "40")]
    rows = {row["attribute"]: row["value"] for row in found}
    names = sorted(rows)
    pairs = list(itertools.pairwise(names))
    made = [(a, rows[a], b, rows[b]) for a, b in pairs]
    kinds = ("implies", "excludes")
    return Rules(
        tuple(
            Rule(number, *ends, kinds[number % 2], 1.0 + number)  # type: ignore[arg-type]
            for number, ends in enumerate(made)
        )
    )


def fitted(name: str, claims: Any, **given: Any) -> TruthModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_model(name, **MODELS[name]).fit(claims, **given)


@pytest.mark.parametrize(
    ("name", "place"),
    [("grbm", "two threads"), ("dawid-skene", "blocks on disk"), ("mle", "blocks in memory")],
)
def test_they_say_the_same(world: Path, rules: Rules, name: str, place: str) -> None:
    first = next(iter(rules))
    known = {
        "entity": ["3", "8", "40", "atlantis", "50"],
        "attribute": ["colour", "town", "colour", "colour", first.if_attribute],
        "value": ["blue", "nowhere", "red", "blue", first.if_value],
        "trust": [0.9, 0.8, None, 0.7, None],
    }
    whole = fitted(name, in_memory(world), rules=rules, known_truth=known)
    parts = fitted(name, in_place(world, place, size=300), rules=rules, known_truth=known)
    check_same(whole.statements_, parts.statements_, ORDER)
    check_same(whole.truths_, parts.truths_, ORDER)
    said = [
        [str(note) for note in model.notes_ if note.subject in ("rules", "known truth")]
        for model in (whole, parts)
    ]
    assert said[0] == said[1]
    plain = fitted(name, in_memory(world), known_truth=known)
    assert plain.statements_.to_arrow() != whole.statements_.to_arrow()
