"""The chart of an ordered item: its levels from low to high."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veracity.models.forms.ordered.said import Said
from veracity.report.chart import Chart
from veracity.report.charts.levels import beliefs_in_levels, levels_chart
from veracity.service.errors import ServiceError
from veracity.service.pages.queries import address_with
from veracity.service.store import RunStore


def levels_address(
    store: RunStore, item: Mapping[str, Any], fields: Sequence[tuple[str, str]]
) -> str | None:
    """Return the address of the chart of an item's levels; None if its values have no order."""
    ordered = _order(store, item["attribute"])
    return address_with(f"/items/{item['id']}/levels", fields) if ordered else None


def levels_of(store: RunStore, item: Mapping[str, Any]) -> Chart:
    """Return the levels of an ordered item as a chart."""
    order = _order(store, item["attribute"])
    if not order:
        raise ServiceError(404, "not_found", f"The values of item {item['id']} have no order.")
    weight = {
        (term["source"], term["says"]): term["weight"]
        for bill in item["evidence"] or ()
        for term in bill["terms"]
    }
    said = [
        Said(
            claim["source"],
            claim["value"],
            claim["asserts"],
            weight.get((claim["source"], claim["value"]), 1.0),
        )
        for claim in item["claims"]
    ]
    beliefs = {} if item["known"] else beliefs_in_levels(store.saved.model, item["attribute"], said)
    return levels_chart(order, item["values"], item["entity"], item["attribute"], beliefs)


def _order(store: RunStore, attribute: str) -> tuple[str, ...]:
    """Return the levels of an attribute from low to high; none if they have no order."""
    profiles = store.saved.claims.attributes
    return next((profile.order for profile in profiles if profile.name == attribute), ())
