"""Promises on belief: unanimous sources and clear majorities are believed."""

from __future__ import annotations

import numpy as np

from veracity.data.output.tables import Table
from veracity.models.base import TruthModel
from veracity.testing.check import by_item, by_statement, fresh, require
from veracity.testing.outcome import require_sound, same_values
from veracity.testing.tables import Item, Row, Said, contested, unanimous

#: The share of easy items that a model gets right at least; a blind guess gets a third to a half.
RIGHT = 0.75


def unanimous_sources_are_believed(model: TruthModel) -> None:
    """What all sources say is believed, and is likelier than not."""
    said = unanimous(model.needs_numbers)
    truths = model.fit(said.claims).truths_
    require_sound(model, said.claims)
    for item, values in by_item(truths).items():
        true: set[object] = set(said.truth[item])
        require(same_values(values, true), f"{set(true)} for {item}, as all sources say", values)
    for row in truths.to_pylist():
        expected = "a plausibility above 0.5 for what all sources say"
        require(row["plausibility"] > 0.5, expected, row)


def easy_truth_is_found(model: TruthModel) -> None:
    """Of independent sources that are mostly right, the truth is found for most items."""
    said = contested(model.needs_numbers)
    truths = model.fit(said.claims).truths_
    if model.needs_numbers:
        _require_near(truths, said)
        return
    for attribute in ("colour", "name", "open"):
        believed = {key: value for key, value in by_item(truths).items() if key[1] == attribute}
        right = np.mean([values == set(said.truth[item]) for item, values in believed.items()])
        expected = f"at least {RIGHT:.0%} of the truth about {attribute!r} to be found"
        require(right >= RIGHT, expected, f"{right:.0%}")
    judged = [
        (plausibility >= 0.5) == (value in said.truth[entity, attribute])
        for (entity, attribute, value), plausibility in by_statement(model.statements_).items()
        if attribute == "tags"
    ]
    expected = "at least 75% of the statements about 'tags' to be judged rightly"
    require(np.mean(judged) >= 0.75, expected, f"{np.mean(judged):.0%}")


def _require_near(truths: Table, said: Said) -> None:
    """Require that numbers are nearer to the truth than claims are on average."""

    def error(value: object, item: Item) -> float:
        return abs(float(str(value)) - float(min(said.truth[item])))

    found = [
        error(value, item)
        for item, values in by_item(truths).items()
        if item[1] == "height"
        for value in values
    ]
    columns = (said.columns[name] for name in ("entity", "attribute", "value"))
    claimed = [
        error(value, (entity, attribute))
        for entity, attribute, value in zip(*columns, strict=True)
        if attribute == "height"
    ]
    expected = f"a mean error below that of a claim, {np.mean(claimed):.3g}, times 0.8"
    require(np.mean(found) < 0.8 * np.mean(claimed), expected, f"{np.mean(found):.3g}")


def denials_count(model: TruthModel) -> None:
    """A denial lowers the plausibility of a value, and a value that is only denied has little."""
    said = contested(False)
    rows = _rows(said)
    claimed: list[Row] = [("s0", "contested", "name", "x"), ("s1", "contested", "name", "y")]
    claimed += [("s0", "alone", "name", "x"), ("s0", "shut", "open", "yes")]
    denied: list[Row] = [
        (source, entity, attribute, value)
        for source in ("s2", "s3", "s4")
        for entity, attribute, value in (
            ("contested", "name", "x"),
            ("alone", "name", "x"),
            ("shut", "open", "yes"),
            ("nobody", "name", "x"),
            ("nobody", "colour", "red"),
            ("nobody", "tags", "dry"),
        )
    ]
    before = fresh(model).fit(_with_denials(rows + claimed, []).claims)
    table = _with_denials(rows + claimed, denied)
    after = model.fit(table.claims)
    require_sound(after, table.claims)
    first, second = by_statement(before.statements_), by_statement(after.statements_)
    for key in (("contested", "name", "x"), ("alone", "name", "x"), ("shut", "open", "yes")):
        expected = f"the plausibility of {key} to fall from {first[key]:.4g} when three deny it"
        require(second[key] < first[key], expected, f"{second[key]:.4g}")
    better, worse = second["contested", "name", "y"], second["contested", "name", "x"]
    expected = "a value that three deny to be less plausible than its rival"
    require(worse < better, expected, f"{worse:.4g} against {better:.4g}")
    for key, plausibility in second.items():
        if key[0] == "nobody":
            expected = f"at most 0.5 for {key}, which is only denied"
            require(plausibility <= 0.5, expected, f"{plausibility:.4g}")


def _rows(said: Said) -> list[Row]:
    columns = (said.columns[name] for name in ("source", "entity", "attribute", "value"))
    return list(zip(*columns, strict=True))


def _with_denials(claimed: list[Row], denied: list[Row]) -> Said:
    asserts = [1] * len(claimed) + [0] * len(denied)
    return Said.of(claimed + denied, asserts=asserts)


PROMISES = (unanimous_sources_are_believed, easy_truth_is_found)
#: For models of values that are not numbers.
OF_VALUES = (denials_count,)
