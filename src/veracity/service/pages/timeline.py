"""The chart of an item whose truth changes: who said what when, and what is believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veracity.report.chart import Chart
from veracity.report.charts.timelines import said_about, spells_about, timeline_chart
from veracity.service.errors import ServiceError
from veracity.service.store import RunStore


def timeline_address(store: RunStore, item: Mapping[str, Any]) -> str | None:
    """Return the address of the timeline of an item; None if its truth does not change."""
    return f"/items/{item['id']}/timeline" if _changes(store, item["attribute"]) else None


def timeline_of(store: RunStore, item: int) -> Chart:
    """Return the timeline of an item as a chart."""
    found, table = store.item(item), store.saved.timelines
    if table is None or not _changes(store, found["attribute"]):
        raise ServiceError(404, "not_found", f"The truth of item {item} does not change.")
    return timeline_chart(
        found["entity"],
        found["attribute"],
        said_about(store.saved.claims, item),
        spells_about(table.to_arrow(), found["entity"], found["attribute"]),
        store.saved.claims.columns.dated,
    )


def _changes(store: RunStore, attribute: str) -> bool:
    profiles = store.saved.claims.attributes
    return any(profile.name == attribute and profile.changing for profile in profiles)
