"""The page for new claims: the columns of the run, and an example made from it."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from veracity.service.items import ItemQuery
from veracity.service.store import RunStore

COLUMNS = ("source", "entity", "attribute", "value")
#: The source of the example that the run has never seen.
UNSEEN = "A new source"
#: Items of the example.
ITEMS = 3
#: Feature columns offered for filling in by hand.
FEATURES = 6


def try_context(store: RunStore) -> dict[str, Any]:
    """Return what the page shows before claims are given."""
    claims = store.saved.claims
    features = list(claims.feature_types)
    return {
        "columns": [*COLUMNS, *features[:FEATURES]],
        "features": features,
        "attributes": [profile.name for profile in claims.attributes],
        "example": example_of(store),
        "header": ",".join(COLUMNS),
    }


def example_of(store: RunStore) -> str:
    """Return a claim of a new source about each of the most contested items.

    It sides with the value that is not believed.
    """
    found = store.items(ItemQuery(contested=True, sort="contested"), ITEMS)["items"]
    found = found or store.items(ItemQuery(), ITEMS)["items"]
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in found:
        values = store.item(row["id"])["values"]
        other = next((value["value"] for value in values if not value["believed"]), row["value"])
        writer.writerow([UNSEEN, row["entity"], row["attribute"], other])
    return lines.getvalue()
