"""The most contested items of a run, each with its values, its claims and its evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import plural
from veracity.models.explanation import Explainer, StatementEvidence, find_item
from veracity.models.forms.ordered.said import Said
from veracity.report.chart import Chart
from veracity.report.charts.contested import closest
from veracity.report.charts.evidence import waterfall
from veracity.report.charts.levels import beliefs_in_levels, levels_chart
from veracity.report.charts.numbers import (
    Believed,
    believed_number,
    claims_around,
    numbers_said,
)
from veracity.report.parts import Column, ItemPart, TablePart, cell, label
from veracity.report.subject import Subject

ITEMS_SHOWN = 8
VALUES_SHOWN = 8
CLAIMS_SHOWN = 20
_VALUE_COLUMNS = (
    Column("value"),
    Column("plausibility", "number"),
    Column("claims for it", "number"),
    Column("against it", "number"),
)
_CLAIM_COLUMNS = (
    Column("source"),
    Column("says"),
    Column("reliability", "number"),
    Column("claims in all", "number"),
)


def contested_items(subject: Subject) -> list[ItemPart]:
    """Return the items on which sources disagree and that are decided by least."""
    rows = closest(subject.truths, ITEMS_SHOWN)
    model: Any = subject.model
    explains = bool(rows) and hasattr(model, "explainer")
    explainer = model.fit_explainer(subject.claims) if explains else None
    return [_item(subject, row, explainer, number) for number, row in enumerate(rows, start=1)]


def _item(
    subject: Subject, row: dict[str, Any], explainer: Explainer | None, number: int
) -> ItemPart:
    entity, attribute = row["entity"], row["attribute"]
    matrix = subject.claims.matrix
    item = find_item(matrix, entity, attribute)
    tied = ", tied with another" if row["tie"] else ""
    why = (
        f"{type(subject.model).__name__} cannot explain its verdicts claim by claim; the default "
        "model can."
    )
    verdict = (
        f"{label(row['value'])}, plausibility {row['plausibility']:.3f}, {row['margin']:.3f} "
        f"ahead{tied}"
    )
    believed, chart = _number(subject, row, item), None
    if believed is not None:
        said = numbers_said(subject.claims, item)
        chart = claims_around(entity, attribute, said, believed) if said else None
        verdict = str(believed)
    elif explainer is not None:
        chart = _evidence(explainer, item, row["value"])
    return ItemPart(
        title=f"{label(attribute, 60)} of {label(entity, 80)}",
        verdict=f"Believed: {verdict}; {plural(row['n_sources'], 'source')}, "
        f"{plural(row['n_values'], 'value')}.",
        decision=row["decision"],
        values=_values(subject, entity, attribute),
        levels=_levels(subject, matrix, item, number),
        claims=_claims(subject, matrix, item),
        evidence=None if chart is None else replace(chart, name=f"evidence-{number}"),
        why_no_evidence=why if chart is None else "",
    )


def _number(subject: Subject, row: dict[str, Any], item: int) -> Believed | None:
    """Return the number believed of an item, None where it is judged as no number."""
    matrix = subject.claims.matrix
    if not matrix.profiles[int(matrix.attribute_index[item])].numeric:
        return None
    return believed_number(row)


def _evidence(explainer: Explainer, item: int, value: str) -> Chart:
    found = explainer.item(item)
    return waterfall(_about(found.statements, value), found.entity, found.attribute)


def _levels(subject: Subject, matrix: ClaimMatrix, item: int, number: int) -> Chart | None:
    """Return the levels of an ordered item in their order; None of other items."""
    profile = matrix.profiles[int(matrix.attribute_index[item])]
    if not profile.order:
        return None
    entity = matrix.entities[int(matrix.entity_index[item])].as_py()
    rows = _statements(subject, entity, profile.name).to_pylist()
    claims = range(int(matrix.claim_start[item]), int(matrix.claim_start[item + 1]))
    said = [
        Said(
            matrix.sources[int(matrix.source_index[claim])].as_py(),
            matrix.values[int(matrix.value_index[matrix.statement_index[claim]])].as_py(),
            bool(matrix.claim_value[claim]),
            float(matrix.claim_weight[claim]),
        )
        for claim in claims
    ]
    beliefs = beliefs_in_levels(subject.model, profile.name, said)
    chart = levels_chart(profile.order, rows, entity, profile.name, beliefs)
    return replace(chart, name=f"levels-{number}")


def _about(statements: tuple[StatementEvidence, ...], value: str) -> StatementEvidence:
    """Return the evidence for a value; of a boolean item, whose opposite it may be, for its own."""
    return next((one for one in statements if one.value == value), statements[0])


def _statements(subject: Subject, entity: str, attribute: str) -> pa.Table:
    """Return the statements about an item, the most plausible first."""
    statements = subject.statements.to_arrow()
    about = pc.and_(
        pc.equal(statements["entity"], entity), pc.equal(statements["attribute"], attribute)
    )
    return statements.filter(about).sort_by([("plausibility", "descending")])


def _values(subject: Subject, entity: str, attribute: str) -> TablePart:
    own = _statements(subject, entity, attribute)
    rows = own.slice(0, VALUES_SHOWN).to_pylist()
    names = ("value", "plausibility", "supporters", "deniers")
    left = own.num_rows - len(rows)
    return TablePart(
        "Values claimed",
        _VALUE_COLUMNS,
        [[cell(row[name]) for name in names] for row in rows],
        f"{plural(left, 'less plausible value')} not shown." if left else "",
    )


def _claims(subject: Subject, matrix: ClaimMatrix, item: int) -> TablePart:
    """Return the claims about an item, those of the more reliable sources first."""
    claims = np.arange(matrix.claim_start[item], matrix.claim_start[item + 1])
    reliability = subject.sources["reliability"]
    n_claims = subject.sources["n_claims"]
    rows = []
    for claim in claims.tolist():
        source = int(matrix.source_index[claim])
        rates = (reliability[source].as_py(), n_claims[source].as_py())
        rows.append((matrix.sources[source].as_py(), _says(matrix, claim), *rates))
    rows.sort(key=lambda row: (-(row[2] or 0.0), str(row[0])))
    left = len(rows) - CLAIMS_SHOWN
    return TablePart(
        plural(len(rows), "claim"),
        _CLAIM_COLUMNS,
        [[cell(value) for value in row] for row in rows[:CLAIMS_SHOWN]],
        f"The {CLAIMS_SHOWN} of the most reliable sources are shown." if left > 0 else "",
    )


def _says(matrix: ClaimMatrix, claim: int) -> str:
    value = matrix.values[int(matrix.value_index[matrix.statement_index[claim]])].as_py()
    return str(value) if matrix.claim_value[claim] else f"not {value}"
