"""The review: the audit, one item at a time, and the repairs."""

from __future__ import annotations

from typing import Any

from veracity.service.audit import LEAST_FOR_CHART
from veracity.service.store import RunStore
from veracity.workflow.audits import DEFAULT_SIZE

#: Values that have a key of their own.
KEYS = 9
#: Claims about an item that are shown at once.
CLAIMS_SHOWN = 50


def audit_context(store: RunStore) -> dict[str, Any]:
    """Return what the page of the audit shows, beyond what both queues do."""
    found = store.audit()
    after = found["next"]
    drawn = found["n_drawn"]
    return {
        "audit": found,
        "share_done": (found["n_marked"] + found["n_skipped"]) / drawn if drawn else 0.0,
        "item": None if after is None else audited_item(store, after["item"]),
        "size": min(drawn + DEFAULT_SIZE, max(found["n_items"], 1)),
        "can_undo": bool(found["n_marked"] + found["n_skipped"]),
        "has_chart": found["n_counted"] >= LEAST_FOR_CHART,
    }


def audited_item(store: RunStore, item: int) -> dict[str, Any]:
    """Return an item without the verdict or anything else that the model thinks of it.

    Values come in the order of their text, so that their order says nothing either.
    """
    whole = store.item(item)
    values = sorted((row["value"] for row in whole["values"]), key=text_order)
    claims = sorted(whole["claims"], key=lambda claim: text_order(claim["value"]))
    return {
        "id": item,
        "entity": whole["entity"],
        "attribute": whole["attribute"],
        "several": whole["kind"] == "multiple",
        "values": [
            {"value": value, "key": place if place <= KEYS else None}
            for place, value in enumerate(values, 1)
        ],
        "claims": claims[:CLAIMS_SHOWN],
        "n_claims": len(claims),
    }


def text_order(value: str) -> tuple[int, float, str]:
    """Return what sorts values: numbers by their size, then the rest by their text.

    >>> sorted(["b", "10", "9", "A"], key=text_order)
    ['9', '10', 'A', 'b']
    """
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value.casefold()
