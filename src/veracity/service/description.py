"""The description of a run for others to see: without paths of the machine that made it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath, PureWindowsPath
from typing import Any

#: What a path on some machine looks like, in a note or a setting.
_PATH = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:[\\/]|~?/)[^\s'\",;)]*[\\/]([^\s'\",;)/\\]+)")


def describe_run(
    description: Mapping[str, Any], counts: Mapping[str, int], explains: bool
) -> dict[str, Any]:
    """Return what a run was given and how long it took, paths reduced to names of files."""
    model = description.get("model") or {}
    return {
        "created": description.get("created"),
        "versions": dict(description.get("versions") or {}),
        "inputs": {
            role: [_name(origin) for origin in origins or []]
            for role, origins in (description.get("inputs") or {}).items()
        },
        "settings": _without_paths(description.get("settings") or {}),
        "features": dict(description.get("features") or {}),
        "model": {
            "name": str(model.get("name")),
            "parameters": _without_paths(model.get("parameters") or {}),
            "explains": explains,
        },
        "attributes": [dict(profile) for profile in description.get("attributes") or []],
        "counts": dict(counts),
        "evaluation": description.get("evaluation"),
        "seconds": dict(description.get("seconds") or {}),
        "notes": [
            {
                "subject": str(note.get("subject")),
                "text": _without_paths(str(note.get("text"))),
                "count": note.get("count"),
            }
            for note in description.get("notes") or []
        ],
    }


def _name(origin: Mapping[str, Any]) -> str:
    """Return the name of a file or table that was read."""
    for key in ("path", "table", "uri"):
        if origin.get(key):
            text = str(origin[key])
            return PureWindowsPath(text).name if "\\" in text else PurePath(text).name
    return "a table in memory"


def _without_paths(thing: Any) -> Any:
    if isinstance(thing, str):
        return _PATH.sub(r"\1", thing)
    if isinstance(thing, Mapping):
        return {str(key): _without_paths(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [_without_paths(value) for value in thing]
    return thing
