"""The map of the code names what exists, and the guide for contributors describes it."""

from __future__ import annotations

import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from veracity import TruthModel
from veracity.testing import checks_for

ROOT = Path(__file__).parents[1]
MAP = (ROOT / "docs" / "concepts" / "architecture.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PLACES = re.findall(r"^\| (.+?) \| `(veracity\.[\w.]+)` \|$", MAP, re.M)
SUBJECTS = (
    "eq. (5)",
    "eq. (10)",
    "Exact log-likelihood",
    "Exact gradient",
    "Algorithm 1",
    "Pre-training formulas",
    "u >= 0",
    "Tempering",
    "Copy detection",
    "Feature screen",
    "Feature trial",
    "Feature veto",
    "Intervals",
    "Duplicate rule",
    "Column synonyms",
    "Implied denials",
    "Spark sum",
)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_map_has_one_line_for_each_subject(subject: str) -> None:
    assert sum(subject in what for what, _ in PLACES) == 1


@pytest.mark.parametrize("name", [where for _, where in PLACES])
def test_the_map_names_functions_where_they_are_defined(name: str) -> None:
    found = resolve_name(name)
    function = getattr(found, "py_func", found)  # of one that is compiled
    assert inspect.isfunction(function)
    assert f"{function.__module__}.{function.__qualname__}" == name
    assert not function.__name__.startswith("_")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(\w+/|\w+\.py)`", MAP))))
def test_the_map_names_files_that_exist(name: str) -> None:
    assert (ROOT / "src" / "veracity" / "models" / "grbm" / name).exists()


def layers() -> list[str]:
    """Return the layers of the import contract, top first."""
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = configured["tool"]["importlinter"]["contracts"]
    return [f"veracity.{layer}" for layer in contract["layers"]]


def test_contributing_lists_the_layers_of_the_import_contract() -> None:
    assert re.findall(r"^\| `(veracity\.\w+)` \|", CONTRIBUTING, re.M) == layers()


def methods_named() -> list[str]:
    """Return the private methods that the section on adding a model speaks of."""
    section = CONTRIBUTING.partition("## Adding a model")[2].partition("\n## ")[0]
    return sorted(set(re.findall(r"`(_[a-z]\w+)", section)))


@pytest.mark.parametrize("name", methods_named())
def test_contributing_names_methods_that_exist(name: str) -> None:
    from veracity.models import per_source, whole_table

    bases = (TruthModel, whole_table.WholeTable, per_source.SourceModel)
    assert any(hasattr(base, name) for base in bases)


def example_model() -> type[TruthModel]:
    """Return the model that is written out in the guide."""
    (block,) = re.findall(r"^```python\n(.*?)^```$", CONTRIBUTING, re.M | re.S)
    names: dict[str, Any] = {"__name__": "contributing"}
    exec(compile(block, "CONTRIBUTING.md", "exec"), names)
    (model,) = (
        thing
        for thing in names.values()
        if inspect.isclass(thing) and thing.__module__ == "contributing"
    )
    assert issubclass(model, TruthModel)
    return model


MODEL = example_model()


@pytest.mark.parametrize("check", checks_for(MODEL()), ids=str)
def test_the_example_model_keeps_the_contract(check: Any) -> None:
    check(MODEL())


def test_contributing_names_files_that_exist() -> None:
    for name in re.findall(r"`((?:src|tests|docs)/[\w./-]+)`", CONTRIBUTING):
        assert (ROOT / name).exists(), name


def test_the_registry_of_models_is_where_contributing_says() -> None:
    assert import_module("veracity.models").MODELS
    assert import_module("veracity")._HOMES
