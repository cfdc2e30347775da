"""Promises on results: valid plausibilities, and tables with the documented columns."""

from __future__ import annotations

import numpy as np

from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.output.results import ENDS
from veracity.data.output.tables import Table
from veracity.models.base import TruthModel
from veracity.testing.check import ROUNDING, by_item, numbers, require
from veracity.testing.tables import contested

TRUTHS = (
    "entity",
    "attribute",
    "value",
    "plausibility",
    "margin",
    "n_sources",
    "n_values",
    "tie",
    "decision",
)
#: A further column of truths, for models that know how hard items are; and more, for models that
#: work out numbers.
HARDNESS = ("hardness",)
ESTIMATES = ("standard_error", "low", "high")
STATEMENTS = ("entity", "attribute", "value", "plausibility", "supporters", "deniers")
SOURCES = ("source", "n_claims", "reliability", "tpr", "fpr", "agreement")
#: Further columns of sources, for models that know how little they know.
INTERVALS = tuple(f"{rate}_{end}" for rate in ("reliability", "tpr", "fpr") for end in ENDS)
#: The last columns of sources: who answers like a spammer, and whom copiers repeat.
PATTERNS = ("pattern", "pattern_of")
#: Items whose best value leads by this much are not settled by rounding or chance.
CLEAR = 0.2


def plausibilities_are_probabilities(model: TruthModel) -> None:
    """Plausibilities are numbers from 0 to 1, one for each statement."""
    claims = contested(model.needs_numbers).claims
    require_sound(model.fit(claims), claims)
    require_probabilities(model.predict_plausibility(claims), "plausibility")
    require_probabilities(model.predict(claims), "plausibility")


def tables_have_their_columns(model: TruthModel) -> None:
    """Truths, statements and sources have the columns that are documented."""
    claims = contested(model.needs_numbers).claims
    model.fit(claims)
    for name, table in (("truths_", model.truths_), ("predict", model.predict(claims))):
        columns = tuple(table.column_names)
        allowed = (TRUTHS, TRUTHS + HARDNESS, TRUTHS + ESTIMATES)
        require(columns in allowed, f"{name} to have the columns {TRUTHS}", columns)
    again = model.predict_plausibility(claims)
    for name, table in (("statements_", model.statements_), ("predict_plausibility", again)):
        columns = tuple(table.column_names)
        require(columns == STATEMENTS, f"{name} to have the columns {STATEMENTS}", columns)
    columns = tuple(model.sources_.column_names)
    bare, with_intervals = (*SOURCES, *PATTERNS), (*SOURCES, *INTERVALS, *PATTERNS)
    require(columns in (bare, with_intervals), f"sources_ to have the columns {bare}", columns)


def truths_come_item_by_item(model: TruthModel) -> None:
    """Truths are in the order of the items, every item has one, and no row comes twice."""
    claims = contested(model.needs_numbers).claims
    model.fit(claims)
    for truths in (model.truths_, model.predict(claims)):
        require_truths(truths, claims.matrix)


def sources_have_rates(model: TruthModel) -> None:
    """Every source has a reliability from 0 to 1, and its tpr and fpr are so where known."""
    claims = contested(model.needs_numbers).claims
    sources = model.fit(claims).sources_
    require(
        sources["source"].to_pylist() == claims.matrix.sources.to_pylist(),
        "one row for each source, in their order",
        sources["source"].to_pylist(),
    )
    require_probabilities(sources, "reliability")
    require_probabilities(sources, "agreement")
    for name in ("tpr", "fpr"):
        rates = numbers(sources[name])
        rates = rates[~np.isnan(rates)]
        require(((rates >= 0) & (rates <= 1)).all(), f"{name} from 0 to 1", rates)


def notes_and_history_are_kept(model: TruthModel) -> None:
    """Notes tell at least what was noticed in the claims; history is one record per iteration."""
    said = contested(model.needs_numbers)
    claims = said.take([0, *range(len(said))]).claims  # a claim made twice is worth a note
    model.fit(claims)
    notes: object = model.notes_
    listed = isinstance(notes, list) and all(isinstance(note, Note) for note in notes)
    require(listed, "notes_ to be a list of Note", notes)
    told = [note.text for note in model.notes_]
    missing = [note.text for note in claims.notes if note.text not in told]
    require(not missing, f"the notes of the claims, {missing}, among those of the model", told)
    history: object = model.history_
    kept = isinstance(history, list) and all(map(_is_record, history))
    require(kept, "history_ to be a list of records of numbers", history)


def _is_record(record: object) -> bool:
    if not isinstance(record, dict):
        return False
    return all(isinstance(number, float | int) for number in record.values())


def predict_agrees_with_fit(model: TruthModel) -> None:
    """Asked about the claims it was fitted to, a model says again what it said."""
    claims = contested(model.needs_numbers).claims
    truths = model.fit(claims).truths_
    again = by_item(model.predict(claims))
    believed, margin = by_item(truths), by_item(truths, "margin")
    tie = by_item(truths, "tie")
    for item, values in believed.items():
        clear = min(float(str(number)) for number in margin[item]) > CLEAR and True not in tie[item]
        if clear and not same_values(values, again[item]):
            require(False, f"predict to say {values} about {item}, as fit did", again[item])


def same_values(first: set[object], second: set[object]) -> bool:
    """Whether values are the same, or numbers that are."""
    if first == second:
        return True
    try:
        mine, theirs = (sorted(float(str(value)) for value in each) for each in (first, second))
    except ValueError:
        return False
    return len(mine) == len(theirs) and bool(np.allclose(mine, theirs, rtol=ROUNDING))


def require_sound(model: TruthModel, claims: Claims) -> None:
    """Require what holds of any fitted model."""
    matrix = claims.matrix
    plausibility = np.asarray(model.plausibility_)
    expected = f"plausibility_ of {matrix.n_statements} statements"
    require(plausibility.shape == (matrix.n_statements,), expected, plausibility.shape)
    require_probabilities(model.statements_, "plausibility")
    listed = numbers(model.statements_["plausibility"])
    same = bool(np.array_equal(listed, plausibility))
    require(same, "statements_ to give plausibility_", f"{listed} for {plausibility}")
    require_probabilities(model.truths_, "plausibility")
    require_truths(model.truths_, matrix)
    require_probabilities(model.sources_, "reliability")


def require_probabilities(table: Table, column: str) -> None:
    """Require that a column is all finite numbers from 0 to 1."""
    found = numbers(table[column])
    bad = ~np.isfinite(found) | (found < 0) | (found > 1)
    if bad.any():
        row = table.to_arrow().slice(int(np.argmax(bad)), 1).to_pylist()[0]
        require(False, f"{column} from 0 to 1 in the {table.name}", row)


def require_truths(truths: Table, matrix: ClaimMatrix) -> None:
    """Require that truths are about the items of a matrix, in their order, each row once."""
    entities, attributes = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    items = [
        (entities[entity], attributes[attribute])
        for entity, attribute in zip(
            matrix.entity_index.tolist(), matrix.attribute_index.tolist(), strict=True
        )
    ]
    rows = [(row["entity"], row["attribute"], row["value"]) for row in truths.to_pylist()]
    require(len(set(rows)) == len(rows), "truths without repeated rows", rows)
    order = list(dict.fromkeys(row[:2] for row in rows))
    require(order == items, f"truths about the items {items[:5]} ...", f"{order[:5]} ...")
    several = {profile.name for profile in matrix.profiles if profile.kind == "multiple"}
    single = [row[:2] for row in rows if row[1] not in several]
    require(len(single) == len(set(single)), "one truth for an item with one true value", single)
    place = {item: index for index, item in enumerate(items)}
    falls = [place[row[:2]] for row in rows]
    require(falls == sorted(falls), "the truths of an item side by side", falls)


PROMISES = (
    plausibilities_are_probabilities,
    tables_have_their_columns,
    truths_come_item_by_item,
    sources_have_rates,
    notes_and_history_are_kept,
    predict_agrees_with_fit,
)
