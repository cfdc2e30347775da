"""New claims, whose values are compared as those of a run were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from veracity.data.claims import Claims
from veracity.data.fields.registry import FIELDS
from veracity.data.read.settings import Attribute, declared_attributes
from veracity.workflow.files import read_description


def read_like_run(folder: Path, claims: str | Path, options: Mapping[str, Any]) -> Claims:
    """Read new claims with what a run has learned about dates, amounts, phone numbers and so on.

    `options` are those of `Claims.read`; where they say how values are compared, they win.
    """
    table: Claims = Claims.read(claims, **options)
    said: Mapping[str, Attribute] = options.get("attributes") or {}
    known = {
        name: own
        for name, own in declared_attributes(read_description(folder)).items()
        if own.values in FIELDS
    }
    settings = table.settings
    found = {
        name: replace(
            settings.for_attribute(name), values=known[name].values, notation=known[name].notation
        )
        for name in (profile.name for profile in table.attributes)
        if name in known and (name not in said or said[name].values is None)
    }
    if not found:
        return table
    again: Claims = Claims.read(claims, **{**options, "attributes": {**said, **found}})
    return again
