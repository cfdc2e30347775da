"""The page of a source, beside its claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veracity.data.notes import plural
from veracity.service.pages.templates import percent

MEANINGS = {
    "reliability": "how often what it says is true",
    "tpr": "how often it claims a value that is true",
    "fpr": "how often it claims a value that is false",
}


def source_sentence(source: Mapping[str, Any]) -> str:
    """Say how much a source says, and how often that is believed."""
    text = f"{plural(source['n_claims'], 'claim')}"
    if source["agreement"] is None:
        return f"{text}."
    return f"{text}, of which {percent(source['agreement'])} agree with what is believed."


def rates_of(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rates of a source with their intervals and what they mean."""
    return [
        {
            "name": name,
            "point": source[name],
            "low": source[f"{name}_low"],
            "high": source[f"{name}_high"],
            "meaning": meaning,
        }
        for name, meaning in MEANINGS.items()
    ]
