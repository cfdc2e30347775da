"""Hints for tables that do not hold one claim per row: which shape they seem to have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from veracity.data.read.schema import SYNONYMS, fold_name

#: Names of the column that says which records describe the same entity, folded.
KEY_NAMES = ("cluster", "clusterkey", "group", "match", "golden", "master", "entity")
#: Names of the column that says which system a record comes from, folded.
SOURCE_NAMES = ("sourcedataset", "sourcesystem", "source", "system", "dataset", "origin", "feed")
#: So many further columns make a table of records or a wide one.
FEWEST_COLUMNS = 2


def key_hint(names: Iterable[str]) -> str:
    """Offer the column that may be the key of records."""
    return _offer("key", _first(names, KEY_NAMES))


def source_hint(names: Iterable[str]) -> str:
    """Offer the column that may be the source of records."""
    return _offer("source", _first(names, SOURCE_NAMES))


def shape_hint(names: Sequence[str], given: Mapping[str, str]) -> str:
    """Say which option helps if a table without the columns of claims has another shape.

    `given` are the columns that the user named, by role.
    """
    left = [name for name in names if name not in given.values()]
    if "value" in given or _first(left, SYNONYMS["value"]) is not None:
        return ""
    key = given.get("entity") or _first(left, (*KEY_NAMES, *SYNONYMS["entity"]))
    source = given.get("source") or _first(left, (*SOURCE_NAMES, *SYNONYMS["source"]))
    further = [name for name in left if name not in (key, source)]
    if len(further) < FEWEST_COLUMNS - bool(key and source):
        return ""
    if source is not None:
        named = key or "COLUMN"
        return (
            f" If each row is a record, with a column for each attribute: --shape records --key "
            f'{_shown(named)} --source {_shown(source)} (in Python: shape="records", ...).'
        )
    item = f" --item {_shown(key)}" if key else " --item COLUMN"
    return (
        f" If each row is an item, with a column for each source: --shape wide{item} (in "
        'Python: shape="wide", ...).'
    )


def _first(names: Iterable[str], known: Sequence[str]) -> str | None:
    """Return the column that goes by the first of some names."""
    folded = {fold_name(name): name for name in names}
    return next((folded[name] for name in known if name in folded), None)


def _offer(part: str, found: str | None) -> str:
    return "" if found is None else f" Perhaps --{part} {_shown(found)}?"


def _shown(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else f"'{name}'"
