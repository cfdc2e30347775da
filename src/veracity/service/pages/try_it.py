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
#: Items of the example, and of each so many claims.
ITEMS, CLAIMS = 3, 4
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
    """Return some claims of the most contested items, as of other entities, and by one more source.

    The new source sides with the value that is not believed.
    """
    found = store.items(ItemQuery(contested=True, sort="contested"), ITEMS)["items"]
    found = found or store.items(ItemQuery(), ITEMS)["items"]
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in found:
        item = store.item(row["id"])
        entity, attribute = f"{row['entity']} (new)", row["attribute"]
        said = [claim for claim in item["claims"] if claim["asserts"]][:CLAIMS]
        writer.writerows([claim["source"], entity, attribute, claim["value"]] for claim in said)
        other = next((v["value"] for v in item["values"] if not v["believed"]), row["value"])
        writer.writerow([UNSEEN, entity, attribute, other])
    return lines.getvalue()
