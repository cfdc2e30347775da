"""Libraries that some fields need."""

from __future__ import annotations

from veracity.errors import MissingDependency


def needs_fields(library: str, field: str) -> MissingDependency:
    """Say that a field needs a library, and how to get it."""
    return MissingDependency(
        f"Values of the kind {field!r} need {library}: install it with "
        "`pip install 'veracity[fields]'`."
    )
