"""Cells of the benchmark of unseen data: what a method made of a case, and where they are kept.

A cell is kept in a file named after everything that it depends on: the case, the data, the method
with its parameters, and the code that the method runs. So after a change of the library only the
cells that it touches are worked out again.
"""

from __future__ import annotations

import ast
import hashlib
import json
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from veracity.models import MODELS, make_model, model_name
from veracity.models.base import TruthModel

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
#: What cells depend on whatever the method: reading and judging.
ALWAYS = ("veracity.datasets.folder", "veracity.evaluation.calibration")
#: Packages that read results or run models, and so have no part in a fit.
ABOVE = ("cli", "service", "workflow", "scoreboard", "report", "testing", "streaming")
#: The files that say how cases are made and judged; see `benchmark_code`.
MAKING = {
    "set": ("unseen_judge.py",),
    "copy": ("unseen_judge.py", "unseen_copies.py", "public_sets.py"),
    "world": ("unseen_judge.py", "unseen_worlds.py", "families.py"),
}


@dataclass(frozen=True)
class Case:
    """Claims to fit methods to: a whole set, a copy of one, or a made world.

    Attributes
    ----------
    part
        ``set``, ``copy`` or ``world``.
    name
        Of the set or the world.
    kind
        Of a copy.
    number
        Of a copy, or the seed of a world.
    """

    part: str
    name: str
    kind: str = ""
    number: int = 0


@dataclass(frozen=True)
class Cell:
    """What a method made of a case; shares, not per cent. `error` says why nothing did."""

    accuracy: float | None = None
    log_loss: float | None = None
    ece: float | None = None
    seconds: float | None = None
    n_claims: int | None = None
    n_items: int | None = None
    oracle: float | None = None
    error: str | None = None
    limit: int | None = None

    def holds(self, limit: int) -> bool:
        """Whether another run could do no better than to give this cell again."""
        return self.limit is None or limit <= self.limit


class Kept:
    """Cells in a folder, one file each."""

    def __init__(self, folder: Path, data: Path) -> None:
        self._folder = folder
        self._data = data

    def path(self, case: Case, method: str) -> Path:
        """Return the file of a cell."""
        depends = {
            "case": asdict(case),
            "method": method,
            "code": code_of(method),
            "benchmark": benchmark_code(case.part),
            "data": "" if case.part == "world" else data_of(self._data / case.name),
        }
        key = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:20]
        return self._folder / case.part / case.name.replace("/", " ") / f"{key}.json"

    def get(self, case: Case, method: str, limit: int) -> Cell | None:
        """Return a cell, if there is one that a run with this limit would give again."""
        path = self.path(case, method)
        if not path.is_file():
            return None
        cell = Cell(**json.loads(path.read_text(encoding="utf-8"))["cell"])
        return cell if cell.holds(limit) else None

    def put(self, case: Case, method: str, cell: Cell) -> None:
        """Keep a cell, whole or not at all."""
        path = self.path(case, method)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"case": asdict(case), "method": method, "cell": asdict(cell)}
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(content) + "\n", encoding="utf-8")
        fresh.replace(path)


# Methods by name, with parameters


def parse_method(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a method such as ``grbm:features=never``."""
    name, *given = text.split(":")
    pairs = (each.partition("=") for each in given)
    return model_name(name), {key: _value(value) for key, _, value in pairs}


def method_of(text: str, seed: int = 0) -> TruthModel:
    """Make a method."""
    name, parameters = parse_method(text)
    return make_model(name, **{"random_state": seed, **parameters})


def _value(text: str) -> Any:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


# What cells depend on


@cache
def data_of(folder: Path) -> str:
    """Return a hash of the tables of a data set."""
    found = hashlib.sha256()
    for table in ("claims", "truth"):
        found.update((folder / f"{table}.csv.gz").read_bytes())
    return found.hexdigest()


@cache
def benchmark_code(part: str) -> str:
    """Return a hash of the files that make and judge cases."""
    here = Path(__file__).parent
    return hashlib.sha256(b"".join((here / name).read_bytes() for name in MAKING[part])).hexdigest()


@cache
def code_of(method: str) -> str:
    """Return a hash of the modules that a method imports, directly or not."""
    module, _ = MODELS[parse_method(method)[0]]
    found = hashlib.sha256()
    for name in sorted(modules_behind(module, *ALWAYS)):
        found.update(name.encode() + b"\0" + _file_of(name).read_bytes())
    return found.hexdigest()


def modules_behind(*modules: str) -> set[str]:
    """Return modules of the library and all that they import, in functions, too."""
    found: set[str] = set()
    left = list(modules)
    while left:
        name = left.pop()
        if name in found or name.split(".")[1] in ABOVE or not _file_of(name).is_file():
            continue
        found.add(name)
        left += imported_by(name)
    return found


@cache
def imported_by(name: str) -> tuple[str, ...]:
    """Return what a module imports, its own package included; not what only type checkers see."""
    tree = ast.parse(_file_of(name).read_text(encoding="utf-8"))
    return tuple(_imports(tree)) + ((name.rpartition(".")[0],) if name.count(".") > 1 else ())


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("veracity."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("veracity."):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        yield from _imports(node)


def _file_of(name: str) -> Path:
    path = SOURCE.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
