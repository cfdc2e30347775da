"""Tables of every shape: tiny, sparse, weighted, with long tails, repetitions and newcomers."""

from __future__ import annotations

import numpy as np

from veracity.data.output.tables import Table
from veracity.models.base import TruthModel
from veracity.testing.check import by_item, fresh, require, require_close
from veracity.testing.outcome import (
    STATEMENTS,
    require_probabilities,
    require_sound,
    require_truths,
    same_values,
)
from veracity.testing.tables import Row, Said, contested


def _some(model: TruthModel) -> tuple[str, tuple[str, str, str]]:
    """Return an attribute, and some values of it, that a model can work on."""
    return ("height", ("1.5", "2", "40")) if model.needs_numbers else ("name", ("x", "y", "z"))


def _fit(model: TruthModel, said: Said) -> Table:
    model.fit(said.claims)
    require_sound(model, said.claims)
    return model.truths_


def one_claim(model: TruthModel) -> None:
    """A single claim is believed."""
    attribute, (value, *_) = _some(model)
    truths = _fit(model, Said.of([("a", "e", attribute, value)]))
    believed = by_item(truths)["e", attribute]
    require(same_values(believed, {value}), f"{value!r}, the only claim", believed)


def one_source(model: TruthModel) -> None:
    """A single source is believed about everything."""
    attribute, values = _some(model)
    rows: list[Row] = [
        ("a", f"e{place}", attribute, value) for place, value in enumerate(values * 3)
    ]
    for item, believed in by_item(_fit(model, Said.of(rows))).items():
        claimed: set[object] = {row[3] for row in rows if row[1] == item[0]}
        require(same_values(believed, claimed), f"{claimed}, the only claim", believed)


def one_item(model: TruthModel) -> None:
    """An item by itself is judged, and so is one with as many values as sources."""
    attribute, values = _some(model)
    rows: list[Row] = [(source, "e", attribute, values[0]) for source in "abc"]
    _fit(model, Said.of([*rows, ("d", "e", attribute, values[1])]))
    if not model.needs_numbers:
        believed = by_item(model.truths_)["e", attribute]
        require(believed == {values[0]}, f"{values[0]!r}, which three of four say", believed)
    each = [(source, "e", attribute, value) for source, value in zip("abc", values, strict=True)]
    _fit(fresh(model), Said.of(each))


def missing_claims(model: TruthModel) -> None:
    """Sources that speak about a fifth of the items only are judged all the same."""
    _fit(model, contested(model.needs_numbers, coverage=0.2))


def one_claim_per_source(model: TruthModel) -> None:
    """Long tails: many sources make a single claim, beside a few that make many."""
    said = contested(model.needs_numbers)
    columns = [said.columns[name] for name in ("source", "entity", "attribute", "value")]
    rows: list[Row] = [
        (f"{source} {place}" if source > "s2" else source, entity, attribute, value)
        for place, (source, entity, attribute, value) in enumerate(zip(*columns, strict=True))
        if attribute != "tags"
    ]
    _fit(model, Said.of(rows))
    _fit(fresh(model), Said.of([(f"{place}", *row[1:]) for place, row in enumerate(rows)]))


def weights(model: TruthModel) -> None:
    """Claims may have weights; weights that are all 1 are as good as none."""
    said = contested(model.needs_numbers)
    drawn = np.random.default_rng(4).uniform(0.1, 3.0, len(said)).round(2).tolist()
    _fit(model, said.with_column("weight", drawn))
    ones = said.with_column("weight", [1.0] * len(said))
    require_close(
        model,
        fresh(model).fit(said.claims).statements_,
        fresh(model).fit(ones.claims).statements_,
        "weights of 1 to be as good as none",
    )


def repeated_claims(model: TruthModel) -> None:
    """Sources that contradict and repeat themselves are judged, with full and with less weight."""
    said = contested(model.needs_numbers)
    attribute, values = _some(model)
    columns = (said.columns[name] for name in ("source", "entity", "attribute", "value"))
    rows: list[Row] = list(zip(*columns, strict=True))
    rows += [("s0", "torn", attribute, value) for value in values]
    rows += [("s1", "torn", attribute, values[0])] * 3 + rows[:40]
    _fit(model, Said.of(rows).read_with(duplicates="all"))
    _fit(fresh(model), Said.of(rows).read_with(duplicates="auto"))


def new_sources_and_items(model: TruthModel) -> None:
    """Sources, items and values that were not there at fit are judged, and so are they alone."""
    said = contested(model.needs_numbers)
    model.fit(said.claims)
    attribute, values = _some(model)
    new: list[Row] = [(f"new {k}", "new", attribute, values[k == 3]) for k in range(4)]
    seen: list[Row] = [("s0", "new", attribute, values[0]), ("s1", "e00", attribute, values[2])]
    closed, further = ("grade", "9") if model.needs_numbers else ("colour", "ultraviolet")
    seen += [("s2", "new", closed, further), ("s3", "new", closed, further)]
    for rows in (new, seen, new + seen):
        claims = Said.of(rows).claims
        statements, truths = model.predict_plausibility(claims), model.predict(claims)
        columns = tuple(statements.column_names)
        require(columns == STATEMENTS, f"the columns {STATEMENTS}", columns)
        require_probabilities(statements, "plausibility")
        require_probabilities(truths, "plausibility")
        require_truths(truths, claims.matrix)
    if not model.needs_numbers:
        believed = by_item(model.predict(Said.of(new).claims))["new", attribute]
        require(believed == {values[0]}, f"{values[0]!r}, which three of four say", believed)


def numbers_are_judged(model: TruthModel) -> None:
    """Attributes whose values are declared to be numbers are judged, by themselves and beside."""
    _fit(model, contested(True))
    said, other = contested(True), contested(False)
    joined = {name: said.columns[name] + other.columns[name] for name in said.columns}
    _fit(fresh(model), Said(joined, {}, {}))


def denials(model: TruthModel) -> None:
    """Denials are judged beside claims, and items that are only denied; so are denials alone."""
    said = contested(model.needs_numbers)
    asserts = (np.random.default_rng(5).random(len(said)) < 0.7).astype(int).tolist()
    _fit(model, said.with_column("asserts", asserts))
    _fit(fresh(model), said.with_column("asserts", [0] * len(said)))
    if not model.needs_numbers:
        for attribute in ("colour", "name", "open", "tags"):
            rows = [row for row, name in enumerate(said.columns["attribute"]) if name == attribute]
            denied = said.take(rows[:4])
            _fit(fresh(model), denied.with_column("asserts", [0] * len(denied)))


PROMISES = (
    one_claim,
    one_source,
    one_item,
    missing_claims,
    one_claim_per_source,
    weights,
    repeated_claims,
    new_sources_and_items,
    numbers_are_judged,
    denials,
)
