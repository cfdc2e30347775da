"""What is said about an item: its verdict, the "what if" in its address, the evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from veracity.data.clean.values import canonical_number
from veracity.data.hierarchy.outline import Line, outline
from veracity.data.notes import plural
from veracity.models.explanation import Adjustment, StatementEvidence, Term
from veracity.report.chart import Chart
from veracity.report.charts.evidence import waterfall
from veracity.report.charts.numbers import SaidNumber, believed_number, claims_around
from veracity.service.errors import ServiceError
from veracity.service.pages.numbers import percent
from veracity.service.pages.queries import address_with, refused
from veracity.service.schemas import AddedClaim, WhatIfRequest
from veracity.service.store import RunStore

Row = Mapping[str, Any]
Fields = Sequence[tuple[str, str]]

FEATURE = "feature."
#: The share of items that one must be harder than for the page to say so.
HARD = 0.5


def answer_of(store: RunStore, item: int, asked: WhatIfRequest) -> dict[str, Any]:
    """Return an item as the run has it, or as it would be judged."""
    return store.what_if(item, asked) if asked.off or asked.add else store.item(item)


def what_if_of(fields: Fields) -> WhatIfRequest:
    """Return the claims to leave out and to add that the address of a page asks for.

    ``off`` is the number of a claim; ``add`` a claim as JSON, unless its place is in ``drop``. The
    fields ``source``, ``value``, ``asserts`` and ``feature.NAME`` are one more claim to add.

    >>> what_if_of([("off", "3"), ("source", "a new one"), ("value", "bar")]).add[0].source
    'a new one'
    """
    if not fields:
        return WhatIfRequest()
    dropped = {value for name, value in fields if name == "drop"}
    given = [value for name, value in fields if name == "add"]
    off = [value for name, value in fields if name == "off"]
    written = _written_claim(fields)
    try:
        added = [
            AddedClaim.model_validate_json(text)
            for place, text in enumerate(given)
            if str(place) not in dropped
        ]
        added += [] if written is None else [AddedClaim.model_validate(written)]
        return WhatIfRequest.model_validate({"off": off, "add": added})
    except ValidationError as error:
        raise refused(error) from error


def _written_claim(fields: Fields) -> dict[str, Any] | None:
    given = {name: value.strip() for name, value in fields if value.strip()}
    if "source" not in given and "value" not in given:
        return None
    features = {
        name.removeprefix(FEATURE): _cell(value)
        for name, value in given.items()
        if name.startswith(FEATURE)
    }
    return {
        "source": given.get("source", ""),
        "value": given.get("value", ""),
        "asserts": given.get("asserts") != "no",
        "features": features,
    }


def _cell(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def address_of(item: int, asked: WhatIfRequest) -> str:
    """Return the address of the page that shows a "what if"."""
    return address_with(f"/items/{item}", fields_of(asked))


def fields_of(asked: WhatIfRequest) -> list[tuple[str, str]]:
    """Return the changes of a "what if" as fields of an address."""
    off = [("off", str(claim)) for claim in asked.off]
    return off + [("add", claim_text(claim)) for claim in asked.add]


def claim_text(claim: AddedClaim) -> str:
    """Return a claim to add as it stands in an address."""
    return claim.model_dump_json(exclude_defaults=True)


def change_text(asked: WhatIfRequest) -> str:
    """Say what is changed, or nothing."""
    parts = [f"{plural(len(asked.off), 'claim')} left out"] if asked.off else []
    parts += [f"{plural(len(asked.add), 'claim')} added"] if asked.add else []
    return " and ".join(parts)


def verdict_sentence(item: Row) -> str:
    """Say in a sentence who speaks and what the vote would say."""
    n_sources = len({claim["source"] for claim in item["claims"]})
    n_values = len(item["values"])
    text = (
        f"{plural(n_sources, 'source speaks', 'sources speak')} about it, "
        f"and {plural(n_values, 'value is', 'values are')} in question."
    )
    if item["number"] is not None:
        return _number_sentence(n_sources, item["number"])
    share = percent(item["vote_share"])
    believed = [row["value"] for row in item["values"] if row["believed"]]
    if item["vote_value"] in believed:
        return f"{text} The plain vote agrees, with {share} of the claims."
    return f"{text} The plain vote would say {item['vote_value']}, with {share} of the claims."


def tree_of(store: RunStore, item: Row) -> list[Line]:
    """Return the values of an item below those they lie within; nothing where none does."""
    matrix = store.index.matrix
    hierarchy = matrix.profiles[int(matrix.attribute_index[item["id"]])].hierarchy
    if hierarchy is None:
        return []
    lines = outline(hierarchy, {row["value"]: row["plausibility"] for row in item["values"]})
    return lines if any(line.indent for line in lines) else []


def _number_sentence(n_sources: int, number: Row) -> str:
    """Say who speaks, and where the number lies."""
    believed = believed_number(number)
    assert believed is not None
    return f"{plural(n_sources, 'source gives', 'sources give')} a number. Believed is {believed}."


def hardness_sentence(item: Row) -> str:
    """Say that an item is harder than most, or nothing."""
    share = item["harder_than"]
    if share is None or share < HARD or item["hardness"] <= 0:
        return ""
    below = math.floor(100.0 * share) / 100.0  # nothing is harder than all, itself included
    return (
        f"Harder than most items ({percent(below)} of them): sources seem to be right less often "
        f"here, so their claims count less (hardness {item['hardness']:+.2f})."
    )


def bills_of(item: Row, asked: WhatIfRequest) -> list[dict[str, Any]]:
    """Return the evidence for each value, and the address of its chart; the largest terms first."""
    folder, query = f"/items/{item['id']}/evidence/", address_with("", fields_of(asked))
    return [
        {
            **evidence,
            "terms": sorted(evidence["terms"], key=lambda term: -abs(term["log_odds"])),
            "chart": f"{folder}{place}{query}",
        }
        for place, evidence in enumerate(item["evidence"] or ())
    ]


def number_text(item: Row) -> str | None:
    """Return the number believed of an item in as many digits as matter; None of other items."""
    believed = None if item["number"] is None else believed_number(item["number"])
    return None if believed is None else believed.shown(believed.value)


def number_chart(item: Row) -> Chart:
    """Return the claims about a number, around what is believed."""
    believed = item["number"]
    said = [] if believed is None else _said(item["claims"])
    if not said:
        raise ServiceError(404, "not_found", f"Item {item['id']} has no numbers to show.")
    shown = believed_number(believed)
    assert shown is not None
    return claims_around(item["entity"], item["attribute"], said, shown)


def _said(claims: Sequence[Row]) -> list[SaidNumber]:
    read = [
        (claim["source"], canonical_number(claim["value"])) for claim in claims if claim["asserts"]
    ]
    return [SaidNumber(source, float(value)) for source, value in read if value is not None]


def evidence_chart(item: Row, place: int) -> Chart:
    """Return the evidence for one of an item's values as a waterfall."""
    evidence = (item["evidence"] or ())[place : place + 1]
    if not evidence:
        raise ServiceError(404, "not_found", f"Item {item['id']} has no evidence {place}.")
    bill = evidence[0]
    claims = {claim["claim"]: claim for claim in item["claims"] if claim["claim"] is not None}
    added = {claim["source"]: claim for claim in item["claims"] if claim["claim"] is None}
    terms = [
        _term(term, claims.get(term["claim"]) or added.get(term["source"]))
        for term in bill["terms"]
    ]
    steps = tuple(Adjustment(step["reason"], step["log_odds"]) for step in bill["adjustments"])
    drawn = StatementEvidence(
        bill["value"], bill["before"], tuple(terms), bill["plausibility"], steps
    )
    return waterfall(drawn, item["entity"], item["attribute"])


def _term(term: Row, claim: Row | None) -> Term:
    known = claim or {"tpr": None, "fpr": None, "features": {}}
    unknown = float("nan")
    return Term(
        term["source"],
        term["says"],
        term["claims"],
        term["log_odds"],
        unknown if known["tpr"] is None else known["tpr"],
        unknown if known["fpr"] is None else known["fpr"],
        dict(known["features"]),
        -1 if term["claim"] is None else term["claim"],
        term["weight"],
    )
