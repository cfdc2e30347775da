"""The page of an item, put together from its texts and from what few pages show."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any
from urllib.parse import quote

from veracity.service.pages.item import (
    address_of,
    bills_of,
    change_text,
    claim_text,
    fields_of,
    hardness_sentence,
    number_text,
    tree_of,
    verdict_sentence,
)
from veracity.service.pages.levels import levels_address
from veracity.service.pages.queries import address_with
from veracity.service.pages.rows import (
    bill_details,
    choices,
    claim_rows,
    escape,
    escaped,
    feature_fields,
    hardness_line,
    none_row,
    other_choices,
    value_options,
    value_rows,
    words,
)
from veracity.service.pages.templates import fill
from veracity.service.pages.timeline import timeline_context
from veracity.service.schemas import WhatIfRequest
from veracity.service.store import RunStore

Row = Mapping[str, Any]


def item_page(store: RunStore, item: int, asked: WhatIfRequest) -> bytes:
    """Return the page of an item, as the run has it or as `asked` would."""
    run = store.item(item)
    answer = store.what_if(item, asked) if asked.off or asked.add else run
    texts = _texts(store, run, answer, asked)
    flags = _flags(store, run, answer)
    return fill("item.html", texts, flags, _sections(store, run, answer, asked))


def _flags(store: RunStore, run: Row, answer: Row) -> dict[str, Hashable]:
    """Return what the page of an item depends on beside texts."""
    return {
        "place": "items",
        "has_report": store.has_report(),
        "verdict": run["decision"],
        "tie": run["tie"],
        "several": run["kind"] == "multiple",
        "writable": store.review.is_writable(),
        "marked": bool(run["mark"]),
        "skipped": store.review.is_skipped(run["id"]),
        "known": run["known"],
        "has_evidence": bool(answer["evidence"]),
    }


def _texts(store: RunStore, run: Row, answer: Row, asked: WhatIfRequest) -> dict[str, str]:
    """Return the texts of the page of an item, as HTML."""
    changed, number = bool(asked.off or asked.add), number_text(answer)
    return {
        "id": str(run["id"]),
        "entity": escaped(run["entity"]),
        "attribute": escaped(run["attribute"]),
        "attribute_query": quote(run["attribute"]),
        "address": escape(address_of(run["id"], asked)),
        "sentence": escape(verdict_sentence(run)),
        "hardness": hardness_line(hardness_sentence(run)),
        "value_rows": value_rows(answer, changed, number),
        "none_row": none_row(answer["none_of_these"], changed),
        "claim_rows": claim_rows(run["claims"], set(asked.off)),
        "feature_fields": feature_fields(tuple(store.feature_names)),
        "value_options": value_options(answer["values"]),
        "bills": bill_details(bills_of(answer, asked)),
        "why_no_evidence": escaped(answer["why_no_evidence"] or ""),
        **_mark_texts(run, number),
    }


def _mark_texts(run: Row, number: str | None) -> dict[str, str]:
    """Return what can be marked, and what is; `number` is the number believed, as it is shown."""
    mark, several = run["mark"] or (), run["kind"] == "multiple"
    boxes = choices(run["values"], "checkbox" if several else "radio", mark, number)
    claimed = [row["value"] for row in run["values"]] if mark else ()
    others = [value for value in mark if value not in claimed]
    return {
        "choices": boxes + other_choices(others) if several else boxes,
        "other_checked": " checked" if others else "",
        "other_value": "" if several else escaped(", ".join(others)),
        "mark": words(mark),
    }


def _sections(store: RunStore, run: Row, answer: Row, asked: WhatIfRequest) -> dict[str, Any]:
    """Return what the pages of few items show, by name; nothing where an item does not have it."""
    item, fields = run["id"], fields_of(asked)
    has_number = answer["number"] is not None
    tree = tree_of(store, answer)
    return {
        "changed": change_text(asked),
        "notes": answer.get("notes") if fields else None,
        "added": _added(answer, asked) if asked.add else None,
        "number_chart": address_with(f"/items/{item}/numbers", fields) if has_number else None,
        "tree": tree,
        "tree_values": answer["values"] if tree else None,
        "levels": levels_address(store, answer, fields),
        "timeline": timeline_context(store, run),
        "weights": answer["weights"],
        "families": answer["families"],
    }


def _added(answer: Row, asked: WhatIfRequest) -> list[dict[str, Any]]:
    """Return the claims that were added, with their texts in the address."""
    added = [claim for claim in answer["claims"] if claim["claim"] is None]
    return [
        {**claim, "text": claim_text(given)} for claim, given in zip(added, asked.add, strict=True)
    ]
