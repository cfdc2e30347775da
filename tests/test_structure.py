"""`scripts/structure.py`: it finds every figure, and its rules find what they say."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from scripts import structure

FIGURES = [
    "modules entered by GRBM().fit(path)",
    "modules entered by GRBM().fit(claims)",
    "frames from fit to kernel",
    "files from fit to kernel",
    "frames, deepest kernel",
    "lines of the core",
    "code lines of the core",
    "lines of the core: machine",
    "lines of the core: streaming",
    "lines of the core: helpers",
    "largest fan-out of a module",
    "of it, imports inside functions",
    "functions that know an offset into the parameters",
    "files that know an offset",
    "lines that know an offset",
    "duplicated runs",
    "modules of models",
    "median lines of a module of models",
    "most lines of a module of models",
]


@pytest.fixture(scope="module")
def measured() -> structure.Structure:
    """Return the figures of this tree."""
    return structure.measure(structure.ROOT)


@pytest.fixture(scope="module")
def figures(measured: structure.Structure) -> dict[str, float]:
    """Return the value of each figure."""
    return {row.figure: row.value for row in measured.rows}


def made(folder: Path, files: dict[str, str]) -> dict[str, structure.Module]:
    """Write files below src/veracity and return them as modules."""
    for name, text in files.items():
        path = folder / "src" / "veracity" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return structure.modules_of(folder)


def test_every_figure_has_a_row(measured: structure.Structure, figures: dict[str, float]) -> None:
    assert list(figures) == FIGURES
    table = structure.markdown(measured.rows)
    assert all(f"| {figure} | " in table for figure in FIGURES)


def test_figures_are_sane(figures: dict[str, float]) -> None:
    assert all(value >= 0 for value in figures.values())
    assert figures["modules entered by GRBM().fit(path)"] > 10
    assert (
        figures["modules entered by GRBM().fit(claims)"]
        < figures["modules entered by GRBM().fit(path)"]
    )
    assert 1 < figures["files from fit to kernel"] <= figures["frames from fit to kernel"] + 1
    assert figures["frames from fit to kernel"] <= figures["frames, deepest kernel"]
    assert figures["lines of the core"] > figures["code lines of the core"] > 1000
    assert figures["largest fan-out of a module"] > 1
    assert (
        figures["lines that know an offset"]
        >= figures["functions that know an offset into the parameters"]
        >= figures["files that know an offset"]
        >= 1
    )
    assert (
        figures["median lines of a module of models"] < figures["most lines of a module of models"]
    )


def test_a_fit_is_followed_from_fit_to_kernel(measured: structure.Structure) -> None:
    first = measured.details["fit"]["first_pass"]
    assert first["frames"][0].endswith(".fit")
    assert first["kernel"].startswith("veracity.models.")


def test_the_core_counts_in_either_layout(tmp_path: Path) -> None:
    files = {
        "models/grbm.py": "1\n",
        "models/stream/memory.py": "1\n",
        "models/dependence.py": "1\n",
        "models/vote.py": "1\n",
    }
    moved = {
        "models/grbm/observation/one_coin.py": "1\n",
        "streaming/memory.py": "1\n",
        "models/dependence.py": "1\n",
        "models/baselines/vote.py": "1\n",
    }
    for layout, held in (("old", files), ("new", moved)):
        root = tmp_path / layout
        core = structure.core_of(root, made(root, held).values())
        assert {group: len(found) for group, found in core.items()} == {
            "helpers": 1,
            "streaming": 1,
            "machine": 1,
        }


@pytest.mark.parametrize(
    ("expression", "rule"),
    [
        ("x[:2]", "slice"),
        ("fitted.own[2:][place]", "slice"),
        ("self._shared[0]", "slice"),
        ("objective.cut(x)[3:]", "slice"),
        ("np.split(delta, ends)", "split"),
        ("np.cumsum(self.sizes)", "sum"),
        ("np.zeros(2 + len(sources))", "count"),
        ("x[:0]", None),
        ("x[place]", None),
        ("delta[:, 0]", None),
        ("claims[2:]", None),
        ("np.cumsum(begins)", None),
    ],
)
def test_offsets_are_known_by_rules(expression: str, rule: str | None) -> None:
    found = [name for _, name in structure.offsets_in(ast.parse(expression))]
    assert found == ([] if rule is None else [rule])


def test_imports_are_told_apart(tmp_path: Path) -> None:
    text = """
from typing import TYPE_CHECKING
from veracity import b
from veracity.b import name
if TYPE_CHECKING:
    from veracity import c
def late():
    from . import d
"""
    modules = made(tmp_path, {"a.py": text, "b.py": "", "c.py": "", "d.py": "", "__init__.py": ""})
    assert structure.imports_of(modules["veracity.a"], modules) == {
        "module": {"veracity.b"},
        "typing": {"veracity.c"},
        "function": {"veracity.d"},
    }


def test_a_run_that_stands_twice_is_found_once_and_whole(tmp_path: Path) -> None:
    run = "".join(f"a{number} = {number}\n" for number in range(8))
    spaced = run.replace("a3", "\n# a remark\na3")
    modules = made(tmp_path, {"a.py": run + "one = 1\n", "b.py": f"other = 2\n{spaced}"})
    assert structure.duplicated_runs(modules.values(), tmp_path) == [
        structure.Duplicate(8, "src/veracity/a.py:1", "src/veracity/b.py:2")
    ]
    short = made(tmp_path, {"b.py": "".join(run.splitlines(keepends=True)[:5])})
    assert structure.duplicated_runs(short.values(), tmp_path) == []
