"""Different spellings of one value: the commonest stands for all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from veracity.data.clean import decimals as plain_decimals
from veracity.data.clean import measurements as measured
from veracity.data.clean.checks import count_values
from veracity.data.clean.decimals import decimals_notes, find_decimals, with_decimals
from veracity.data.clean.measurements import find_measurements
from veracity.data.clean.values import ValueForms
from veracity.data.fields.detection import Found, detect_fields
from veracity.data.fields.learning import learn_notations, make_sourced
from veracity.data.fields.notation import Notation
from veracity.data.fields.notes import field_attributes, field_notes, harm_note
from veracity.data.fields.registry import FIELDS
from veracity.data.notes import Note, plural
from veracity.data.read.relations import Relations, complete
from veracity.data.read.schema import LABELLED
from veracity.data.read.settings import ANY_ATTRIBUTE, Settings

#: An attribute with fewer different values has too few to tell whether they are numbers.
FEWEST_NUMBERS = min(plain_decimals.MANY_NUMBERS, measured.MANY_NUMBERS)

KEYED = pa.schema(
    {
        "attribute": pa.string(),
        "value": pa.string(),
        "notation": pa.string(),
        "n_claims": pa.int64(),
        "form": pa.string(),
        "strange": pa.bool_(),
        "plain": pa.bool_(),
        "neat": pa.bool_(),
    }
)


def make_spellings(
    workbench: Relations, settings: Settings, kept: Sequence[str], notes: list[Note]
) -> Settings:
    """Where values have canonical forms, let the commonest spelling stand for all that agree.

    `kept` are the columns of ``typed`` that claims have beside their labels. Returns the settings
    with what was found out about fields and numbers.
    """
    found: list[Found] = []
    if settings.fields == "auto":
        settings, found, learned = detect_fields(workbench, settings)
    else:
        settings, learned = learn_notations(workbench, settings)
    notes += [harm_note(one) for one in found if one.harms]
    n_values = count_values(workbench)
    decimals: tuple[str, ...] = ()
    if n_values is None or n_values >= FEWEST_NUMBERS:
        measurements = find_measurements(workbench, settings)
        settings = measurements.applied_to(settings)
        notes += measurements.notes()
        decimals = find_decimals(workbench, settings)
        settings = with_decimals(settings, decimals)
    if not ValueForms(settings).change_anything():
        workbench.view("claimed", f"SELECT rowid AS row, * FROM typed WHERE {complete()}")
        return settings
    by_source = make_spelled(workbench, settings)
    workbench.step(
        "spellings",
        "SELECT attribute, value, notation, spelling FROM spelled WHERE value <> spelling",
    )
    of_fields = field_attributes(workbench, settings)
    notes += _merged_note(workbench, [*decimals, *of_fields])
    notes += decimals_notes(workbench, decimals)
    notes += field_notes(workbench, of_fields, found, learned)
    notes += _strange_notes(workbench, settings)
    others = (f"typed.{name}" for name in (*LABELLED, *kept) if name != "value")
    join, notation = _of_source("typed", by_source)
    workbench.view(
        "claimed",
        f"SELECT typed.rowid AS row, {', '.join(others)}, "
        f"coalesce(spelling, typed.value) AS value FROM typed {join} LEFT JOIN spellings "
        "ON typed.attribute = spellings.attribute AND typed.value = spellings.value "
        f"AND spellings.notation = {notation} WHERE {complete('typed.')}",
    )
    return settings


def make_spelled(workbench: Relations, settings: Settings) -> bool:
    """Find the spelling that stands for each value; return whether that depends on the source."""
    by_source = _make_keyed(workbench, settings)
    workbench.step(
        "spelled",
        # More claims first, then what is in canonical form, then the text itself, so that row order
        # plays no part. A text that means something else in the notation of most sources stands
        # for nothing: its form does.
        "SELECT attribute, value, notation, n_claims, form, strange, CASE WHEN "
        "first_value(plain) OVER commonest THEN first_value(value) OVER commonest "
        "ELSE form END AS spelling, first_value(plain) OVER commonest AS shown "
        "FROM keyed WINDOW commonest AS "
        "(PARTITION BY attribute, form ORDER BY plain DESC, n_claims DESC, neat DESC, value)",
    )
    return by_source


def _make_keyed(workbench: Relations, settings: Settings) -> bool:
    """Count values and find their forms; return whether these depend on the source."""
    rules = _rules_of_sources(workbench, settings)
    if rules:
        make_sourced(workbench, rules)
    join, notation = _of_source("typed", bool(rules))
    counted = (
        f"SELECT typed.attribute AS attribute, typed.value AS value, {notation} AS notation, "
        f"count(*) AS n_claims FROM typed {join} WHERE {complete('typed.')} "
        f"GROUP BY typed.attribute, typed.value, {notation}"
    )
    workbench.transform("keyed", counted, partial(_keyed, settings=settings), KEYED)
    return bool(rules)


def _rules_of_sources(workbench: Relations, settings: Settings) -> dict[str, dict[str, str]]:
    """Return, by attribute, the notations of sources that differ from that of all others."""
    names = list(settings.attributes)
    if _of_their_own(settings.for_attribute(ANY_ATTRIBUTE).rule):
        rows = workbench.rows(f"SELECT DISTINCT attribute FROM typed WHERE {complete()}")
        names = [str(name) for (name,) in rows]
    rules = {name: _of_their_own(settings.for_attribute(name).rule) for name in names}
    return {name: own for name, own in rules.items() if own}


def _of_their_own(rule: Notation) -> dict[str, str]:
    """Return the notations of sources that differ from that of all others."""
    return {
        source: notation for source, notation in rule.of_source.items() if notation != rule.default
    }


def _of_source(claims: str, by_source: bool) -> tuple[str, str]:
    """Return SQL that joins the notation of sources to claims, and that notation."""
    if not by_source:
        return "", "''"
    join = (
        f"LEFT JOIN sourced ON {claims}.attribute = sourced.attribute "
        f"AND {claims}.source = sourced.source"
    )
    return join, "coalesce(sourced.notation, '')"


def _keyed(batch: pa.RecordBatch, settings: Settings) -> pa.RecordBatch:
    """Write beside each value the form in which it is compared, and whether it has none."""
    forms = ValueForms(settings)
    names = ("attribute", "value", "notation")
    attributes, values, notations = (batch[name].to_pylist() for name in names)
    claimed = [
        (attribute, value, notation or None)
        for attribute, value, notation in zip(attributes, values, notations, strict=True)
    ]
    keys = [forms.key(*one) for one in claimed]
    plain = [
        notation is None or forms.key(attribute, value) == key
        for (attribute, value, notation), key in zip(claimed, keys, strict=True)
    ]
    neat = [
        value == key and forms.comparison(attribute) in FIELDS
        for (attribute, value, _), key in zip(claimed, keys, strict=True)
    ]
    columns = [
        pa.array(attributes, pa.string()),
        pa.array(values, pa.string()),
        pa.array(notations, pa.string()),
        batch["n_claims"],
        pa.array(keys, pa.string()),
        pa.array([forms.unreadable(*one) for one in claimed], pa.bool_()),
        pa.array(plain, pa.bool_()),
        pa.array(neat, pa.bool_()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=KEYED)


def _merged_note(workbench: Relations, noted: Sequence[str]) -> list[Note]:
    """Say how many spellings were merged, save those of attributes with a note of their own."""
    merged = "FROM spelled WHERE value <> spelling"
    if noted:
        others = ", ".join(map(workbench.sql.literal, noted))
        merged += f" AND attribute NOT IN ({others})"
    count, n_claims = workbench.row(f"SELECT count(*), sum(n_claims) {merged}")
    if not count:
        return []
    example, spelling = workbench.row(
        f"SELECT value, spelling {merged} ORDER BY attribute, value LIMIT 1"
    )
    text = (
        f"Merged {plural(count, 'spelling')} of values with the commonest spelling of the same "
        f"value, for example {example!r} with {spelling!r}, in {plural(int(n_claims), 'claim')}."
    )
    return [Note("values", text, count)]


def _strange_notes(workbench: Relations, settings: Settings) -> list[Note]:
    strange = workbench.rows(
        "SELECT attribute, count(DISTINCT value), min(value) FROM spelled WHERE strange "
        "GROUP BY attribute ORDER BY attribute"
    )
    notes = []
    for attribute, count, example in strange:
        comparison = settings.for_attribute(attribute).values
        known = FIELDS.get(comparison or "")
        kind = "a number" if known is None else known.with_article
        if known is not None and known.notations:
            kind += " in one way only"
        text = (
            f"{plural(count, 'value of', 'values of')} {attribute!r} cannot be read as {kind} and "
            f"{'is' if count == 1 else 'are'} compared as text, for example {example!r}."
        )
        notes.append(Note("values", text, count))
    return notes
