"""What claims tell about the notation of each source, as named steps on a workbench.

========= ======================================================================================
hinted    attribute and value, the notation that the value proves, and what it shares with others
readings  attribute and value in each notation; one row if all notations read the same
sourced   attribute and source, and the notation of the source as far as it is known
========= ======================================================================================
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from veracity.data.fields.notation import Notation
from veracity.data.fields.registry import AS_WRITTEN, FIELDS, Field
from veracity.data.read.relations import Relations, complete
from veracity.data.read.settings import Attribute, Settings

HINTED = pa.schema({name: pa.string() for name in ("attribute", "value", "proof", "kin", "mark")})
READINGS = pa.schema({name: pa.string() for name in ("attribute", "value", "notation", "form")})
SOURCED = pa.schema({name: pa.string() for name in ("attribute", "source", "notation")})
#: Share of the values of a source that must prove the same notation.
PROOF_SHARE = 0.9
#: How many times as often a notation must agree with other sources as any other.
AGREEMENT_RATIO = 3
#: Share of the claims that must be in a notation for it to speak for all other sources.
DEFAULT_SHARE = 0.75
#: Notations to be tried, where they are found among the values: the commonest.
MOST_NOTATIONS = 6
#: Sources that were settled by agreement help to settle others.
ROUNDS = 2

Votes = dict[str, dict[str, int]]


@dataclass
class Learned:
    """What was learned about an attribute.

    ``proven``, ``agreed`` and ``open`` list the sources whose notation was told by their own
    values, by agreement with others, and by neither. ``n_doubtful`` counts the claims that could
    mean several things, and ``n_open`` those of the last sources among them.
    """

    attribute: str
    field: Field
    rule: Notation
    proven: list[str] = dataclasses.field(default_factory=list)
    agreed: list[str] = dataclasses.field(default_factory=list)
    open: list[str] = dataclasses.field(default_factory=list)
    n_doubtful: int = 0
    n_open: int = 0


def learn_notations(workbench: Relations, settings: Settings) -> tuple[Settings, list[Learned]]:
    """Return settings with the notation of each source, and what was learned."""
    asked = _asked(workbench, settings)
    if not asked:
        return settings, []
    _make_hints(workbench, asked)
    learned = {
        name: Learned(name, FIELDS[str(said.values)], said.rule) for name, said in asked.items()
    }
    _learn_kin(workbench, learned)
    noted = {
        name: one for name, one in learned.items() if one.field.evidence and not one.rule.fixed
    }
    if noted:
        _learn_of_sources(workbench, noted)
    found = {
        name: replace(asked[name], notation=replace(one.rule, learned=True))
        for name, one in learned.items()
    }
    settled = replace(settings, attributes={**settings.attributes, **found})
    return settled, list(learned.values())


def _asked(workbench: Relations, settings: Settings) -> dict[str, Attribute]:
    """Return the attributes about which there is something to be learned."""
    declared = [settings.for_attribute(name) for name in settings.attributes]
    if not any(_is_open(said) for said in declared):
        return {}
    rows = workbench.rows(f"SELECT DISTINCT attribute FROM typed WHERE {complete()}")
    present = {str(name): settings.for_attribute(str(name)) for (name,) in sorted(rows)}
    return {name: said for name, said in present.items() if _is_open(said)}


def _is_open(said: Attribute) -> bool:
    known = FIELDS.get(said.values or "")
    return known is not None and known.learns and not (said.rule.fixed and said.rule.learned)


def _among(workbench: Relations, names: Collection[str], column: str = "attribute") -> str:
    return f"{column} IN ({', '.join(workbench.sql.literal(name) for name in sorted(names))})"


def _make_hints(workbench: Relations, asked: Mapping[str, Attribute]) -> None:
    values = (
        f"SELECT DISTINCT attribute, value FROM typed WHERE {complete()} "
        f"AND {_among(workbench, asked)}"
    )
    kinds = {name: str(said.values) for name, said in asked.items()}
    workbench.transform("hinted", values, partial(_hints, fields=kinds), HINTED)


def _hints(batch: pa.RecordBatch, fields: Mapping[str, str]) -> pa.RecordBatch:
    """Write beside each value the notation that it proves, and what it shares with others."""
    rows = []
    for name, value in _pairs(batch):
        known = FIELDS[fields[name]]
        proof = known.proof(value) if known.proof else None
        kin = (known.kin(value) if known.kin else None) or (None, None)
        rows.append((name, value, proof, *kin))
    return _batch(rows, HINTED)


def _pairs(batch: pa.RecordBatch) -> list[tuple[str, str]]:
    columns = (batch[name].cast(pa.string()).to_pylist() for name in ("attribute", "value"))
    return list(zip(*columns, strict=True))


def _batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, pa.string()) for column in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _learn_kin(workbench: Relations, learned: Mapping[str, Learned]) -> None:
    """Find the only unit of amounts, and names of companies with several legal forms."""
    marks = (
        "SELECT attribute, kin, min(mark), count(DISTINCT mark) FROM hinted WHERE mark <> '' "
        "GROUP BY attribute, kin"
    )
    apart: dict[str, set[str]] = {}
    for name, kin, mark, count in workbench.rows(marks):
        one = learned[name]
        if one.rule.learned:
            continue
        if one.field.name == "amount" and count == 1 and one.rule.unit is None:
            one.rule = replace(one.rule, unit=str(mark))
        elif one.field.name == "company" and count > 1:
            apart.setdefault(name, set()).add(str(kin))
    for name, names in apart.items():
        rule = learned[name].rule
        learned[name].rule = replace(rule, apart=tuple(sorted({*rule.apart, *names})))


def _learn_of_sources(workbench: Relations, learned: Mapping[str, Learned]) -> None:
    """Settle the notation of each source, and the one that speaks for all others."""
    proofs = _proofs(workbench)
    notations = {
        name: _candidates(one.field, one.rule, proofs.get(name, {}))
        for name, one in learned.items()
    }
    rules = {name: (one.field.name, one.rule) for name, one in learned.items()}
    values = f"SELECT attribute, value FROM hinted WHERE {_among(workbench, learned)}"
    workbench.transform(
        "readings", values, partial(_readings, rules=rules, notations=notations), READINGS
    )
    doubtful = _doubtful(workbench)
    _by_proof(learned, proofs, first="proof")
    for _ in range(ROUNDS):
        if not _by_agreement(workbench, learned, doubtful):
            break
    _by_proof(learned, proofs, first="agreement")
    for name, one in learned.items():
        _settle_default(one, proofs.get(name, {}), doubtful.get(name, {}))


def _proofs(workbench: Relations) -> dict[str, Votes]:
    """Return how many claims prove which notation, by attribute and source."""
    rows = workbench.rows(
        "SELECT typed.attribute, typed.source, proof, count(*) FROM typed JOIN hinted "
        "ON typed.attribute = hinted.attribute AND typed.value = hinted.value "
        f"WHERE proof IS NOT NULL AND {complete('typed.')} "
        "GROUP BY typed.attribute, typed.source, proof"
    )
    return _votes(rows)


def _votes(rows: Sequence[tuple[Any, ...]]) -> dict[str, Votes]:
    found: dict[str, Votes] = {}
    for attribute, source, notation, count in rows:
        found.setdefault(str(attribute), {}).setdefault(str(source), {})[notation] = int(count)
    return found


def _candidates(field: Field, rule: Notation, proofs: Votes) -> tuple[str, ...]:
    """Return the notations that values of an attribute may have."""
    if field.notations:
        return field.notations
    totals = _totals(proofs.values())
    commonest = sorted(totals, key=lambda notation: (-totals[notation], notation))
    found = {*commonest[:MOST_NOTATIONS], *rule.names}
    return tuple(sorted(found | {AS_WRITTEN} if field.name == "postal" else found))


def _totals(votes: Collection[Mapping[str, int]]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for one in votes:
        for notation, count in one.items():
            totals[notation] = totals.get(notation, 0) + count
    return totals


def _readings(
    batch: pa.RecordBatch,
    rules: Mapping[str, tuple[str, Notation]],
    notations: Mapping[str, Sequence[str]],
) -> pa.RecordBatch:
    """Read each value in every notation: one row if all read the same, else one for each."""
    rows: list[tuple[Any, ...]] = []
    for name, value in _pairs(batch):
        kind, rule = rules[name]
        forms = {notation: FIELDS[kind].read(value, notation, rule) for notation in notations[name]}
        found = {form for form in forms.values() if form is not None}
        if len(found) == 1:
            rows.append((name, value, "", found.pop()))
        else:
            rows += [(name, value, *pair) for pair in forms.items() if pair[1] is not None]
    return _batch(rows, READINGS)


def _doubtful(workbench: Relations) -> dict[str, dict[str, int]]:
    """Return how many claims could mean several things, by attribute and source."""
    rows = workbench.rows(
        "SELECT typed.attribute, typed.source, count(*) FROM typed JOIN "
        "(SELECT DISTINCT attribute, value FROM readings WHERE notation <> '') AS doubtful "
        "ON typed.attribute = doubtful.attribute AND typed.value = doubtful.value "
        f"WHERE {complete('typed.')} GROUP BY typed.attribute, typed.source"
    )
    found: dict[str, dict[str, int]] = {}
    for attribute, source, count in rows:
        found.setdefault(str(attribute), {})[str(source)] = int(count)
    return found


def _by_proof(learned: Mapping[str, Learned], proofs: Mapping[str, Votes], first: str) -> None:
    """Settle the sources whose own values prove a notation, for fields that ask `first` for it."""
    for name, one in learned.items():
        if one.field.evidence[0] != first or "proof" not in one.field.evidence:
            continue
        told = {source: proven(votes) for source, votes in sorted(proofs.get(name, {}).items())}
        one.proven += _settle(one, told)


def proven(votes: Mapping[str, int]) -> str | None:
    """Return the notation that nearly all votes are for.

    >>> proven({"dmy": 19, "mdy": 1}), proven({"dmy": 3, "mdy": 2}), proven({})
    ('dmy', None, None)
    """
    best = max(votes, key=lambda notation: (votes[notation], notation), default=None)
    if best is None or votes[best] < PROOF_SHARE * sum(votes.values()):
        return None
    return best


def agreed(votes: Mapping[str, int]) -> str | None:
    """Return the notation that agrees with other sources far more often than any other.

    >>> agreed({"dmy": 3, "mdy": 1}), agreed({"dmy": 2, "mdy": 1}), agreed({"mdy": 1})
    ('dmy', None, 'mdy')
    """
    ordered = sorted(votes.values(), reverse=True)
    if not ordered or (len(ordered) > 1 and ordered[0] < AGREEMENT_RATIO * ordered[1]):
        return None
    return max(votes, key=lambda notation: votes[notation])


def _settle(one: Learned, told: Mapping[str, str | None]) -> list[str]:
    """Store the notation of sources that have none yet; return these sources."""
    new = {
        source: notation
        for source, notation in told.items()
        if notation is not None and source not in one.rule.of_source
    }
    one.rule = replace(one.rule, of_source={**one.rule.of_source, **new})
    return list(new)


def _by_agreement(
    workbench: Relations,
    learned: Mapping[str, Learned],
    doubtful: Mapping[str, Mapping[str, int]],
) -> bool:
    """Settle sources by what others say about the same items; return whether any was."""
    unsettled = any(
        source not in learned[name].rule.of_source
        for name, sources in doubtful.items()
        for source in sources
    )
    if not unsettled:
        return False
    rules = {name: one.rule.of_source for name, one in learned.items()}
    make_sourced(workbench, rules)
    spoken = (
        "FROM typed JOIN readings ON typed.attribute = readings.attribute "
        "AND typed.value = readings.value JOIN sourced ON typed.attribute = sourced.attribute "
        f"AND typed.source = sourced.source WHERE {complete('typed.')} AND "
    )
    chosen = "SELECT DISTINCT typed.entity, typed.attribute, typed.source, readings.form"
    known = "(readings.notation = '' OR readings.notation = sourced.notation)"
    workbench.step("settled", f"{chosen} {spoken}{known}")
    open_ones = "readings.notation <> '' AND sourced.notation IS NULL"
    workbench.step("unsettled", f"{chosen}, readings.notation {spoken}{open_ones}")
    rows = workbench.rows(
        "SELECT unsettled.attribute, unsettled.source, unsettled.notation, "
        "count(DISTINCT unsettled.entity) FROM unsettled JOIN settled "
        "ON unsettled.entity = settled.entity AND unsettled.attribute = settled.attribute "
        "AND unsettled.form = settled.form WHERE unsettled.source <> settled.source "
        "GROUP BY unsettled.attribute, unsettled.source, unsettled.notation"
    )
    any_was = False
    for name, by_source in sorted(_votes(rows).items()):
        told = {source: agreed(votes) for source, votes in sorted(by_source.items())}
        settled = _settle(learned[name], told)
        learned[name].agreed += settled
        any_was = any_was or bool(settled)
    return any_was


def make_sourced(workbench: Relations, rules: Mapping[str, Mapping[str, str]]) -> None:
    """Keep the notation of each source as the step ``sourced``."""
    sources = (
        f"SELECT DISTINCT attribute, source FROM typed WHERE {complete()} "
        f"AND {_among(workbench, rules)}"
    )
    workbench.transform("sourced", sources, partial(_sourced, rules=rules), SOURCED)


def _sourced(batch: pa.RecordBatch, rules: Mapping[str, Mapping[str, str]]) -> pa.RecordBatch:
    columns = (batch[name].cast(pa.string()).to_pylist() for name in ("attribute", "source"))
    rows = [(name, source, rules[name].get(source)) for name, source in zip(*columns, strict=True)]
    return _batch(rows, SOURCED)


def _settle_default(one: Learned, proofs: Votes, doubtful: Mapping[str, int]) -> None:
    """Settle the notation for all other sources, and list those about which nothing is known."""
    named = one.rule.of_source
    is_open = one.rule.default is None and not one.rule.learned
    if is_open and "others" in one.field.evidence:
        weights: dict[str, int] = {}
        for source, notation in named.items():
            own = doubtful.get(source, 0) + proofs.get(source, {}).get(notation, 0)
            weights[notation] = weights.get(notation, 0) + own
        if not weights and one.field.evidence[0] == "agreement":  # country codes of all numbers
            weights = _totals(proofs.values())
        best = max(weights, key=lambda notation: (weights[notation], notation), default=None)
        if best is not None and weights[best] >= DEFAULT_SHARE * sum(weights.values()):
            one.rule = replace(one.rule, default=best)
    one.open = sorted(source for source in doubtful if source not in named)
    one.n_doubtful = sum(doubtful.values())
    one.n_open = sum(doubtful[source] for source in one.open)
