"""The commands that run a run again, with the marks as known truth."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any

from veracity.data.output.decisions import DEFAULT_ERROR_RATE
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.models import DEFAULT_MODEL, MODELS, make_model
from veracity.models.persistence import plain_parameters
from veracity.workflow.files import RULES_FILE

MARKS, AGAIN = "marks.csv", "again"
#: Options of an attribute on the command line, by their names in the settings.
ATTRIBUTE_OPTIONS = {
    "kind": "kind",
    "domain": "domain",
    "values": "compare",
    "positive": "positive",
    "tolerance": "tolerance",
}
#: Options that are repeated for each of several columns.
COLUMN_OPTIONS = {"numbers": "number", "categories": "category"}
#: Parameters of a model that have an option of their own name elsewhere.
OWN_OPTIONS = {"random_state": "seed", "error_rate": "error-rate"}


def refit_commands(
    description: Mapping[str, Any], folder: Path, names_only: bool = False
) -> list[str]:
    """Return how to write the marks of a run to a file, and how to run it again with them.

    `names_only` leaves folders out of the paths, where others than the owner may read them.
    """
    claims = [str(each.get("path") or each.get("uri")) for each in description["inputs"]["claims"]]
    given = claims[0] if len(claims) == 1 else "CLAIMS"
    place = str(folder)
    if names_only:
        given, place = PurePath(given).name, folder.name
    options = [*_settings(description["settings"]), *_model(description["model"])]
    if (folder / RULES_FILE).exists():
        options += ["--rules", f"{place}/{RULES_FILE}"]
    again = ["veracity", "discover", given, *options, "--known-truth", MARKS, "-o", AGAIN]
    return [shlex.join(["veracity", "marks", place, "-o", MARKS]), shlex.join(again)]


def _settings(settings: Mapping[str, Any]) -> Iterator[str]:
    """Write the settings that differ from the usual as options."""
    usual = Settings().as_dict() | asdict(FileOptions())
    for role, column in settings["columns"].items():
        yield from (f"--{role}", column)
    for name, attribute in settings["attributes"].items():
        for field, option in ATTRIBUTE_OPTIONS.items():
            given = attribute.get(field)
            if given is not None and not (field == "values" and given == "text"):
                yield from (f"--{option}", f"{name}={given}")
        for notation in _notations(attribute.get("notation") or {}):
            yield from ("--notation", f"{name}={notation}")
    for name, value in settings.items():
        if name in ("columns", "attributes", "canonical") or value in (usual.get(name), None):
            continue
        if name == "features":
            for column, kind in value.items():
                yield from ("--feature", f"{column}:{kind}")
        elif name in COLUMN_OPTIONS:
            for column in value:
                yield from (f"--{COLUMN_OPTIONS[name]}", column)
        elif value is True:
            yield f"--{name.replace('_', '-')}"
        else:
            yield from (f"--{name.replace('_', '-')}", str(value))


def _notations(rule: Mapping[str, Any]) -> Iterator[str]:
    """Write the notations that the user gave; what was learned is learned again."""
    if rule and rule["fixed"]:
        if rule["default"] is not None:
            yield rule["default"]
        yield from (f"{source}:{notation}" for source, notation in rule["of_source"].items())


def _model(model: Mapping[str, Any]) -> Iterator[str]:
    """Write the model and its parameters that differ from the usual as options."""
    name = model["name"]
    if name not in MODELS:
        return
    if name != DEFAULT_MODEL:
        yield from ("--model", name)
    usual = plain_parameters(make_model(name)) | {"error_rate": DEFAULT_ERROR_RATE}
    for parameter, value in model["parameters"].items():
        if value == usual.get(parameter) or isinstance(value, (dict, list)):
            continue
        if parameter in OWN_OPTIONS:
            yield from (f"--{OWN_OPTIONS[parameter]}", str(value))
        else:
            yield from ("--set", f"{parameter}={value}")
