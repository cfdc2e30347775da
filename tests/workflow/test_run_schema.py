"""``run.json`` keeps to its schema, whatever the run."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import veracity
from veracity import datasets

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = datasets.example.path()
CROWD = {
    "worker": [worker for worker in "abcde" for _ in range(30)],
    "task": [f"t{task}" for _ in range(5) for task in range(30)],
    "label": [str((task * (worker + 1)) % 3 % 2) for worker in range(5) for task in range(30)],
}
KNOWN = {"entity": [f"t{task}" for task in range(10)], "value": ["0", "1"] * 5}


def _valid(description: Any) -> None:
    import jsonschema  # takes seconds, which every process that collects tests would spend

    schema = veracity.run_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    ).validate(description)


RUNS: dict[str, Callable[[], Any]] = {
    "default": lambda: veracity.discover(CROWD),
    "vote on a file": lambda: veracity.discover(EXAMPLE, model="vote"),
    "known truth": lambda: veracity.discover(CROWD, known_truth=KNOWN),
    "chosen by labels": lambda: veracity.discover(CROWD, known_truth=KNOWN, model="auto"),
    "truth": lambda: veracity.discover(CROWD, truth=KNOWN, model="dawid-skene"),
    "golden records": lambda: (
        veracity.golden(
            {
                "cluster": ["c1", "c1", "c2"],
                "system": ["x", "y", "x"],
                "city": ["Bern", "Bern", "Chur"],
            },
            key="cluster",
            source="system",
        ).run
    ),
    "limited memory": lambda: veracity.discover(EXAMPLE, model="vote", memory="1GB"),
    "numbers": lambda: veracity.discover(
        CROWD, truth=KNOWN, model="median", attributes={"*": veracity.Attribute(values="number")}
    ),
    "ordered": lambda: veracity.discover(
        veracity.datasets.incidents.claims(),
        attributes={"severity": veracity.Attribute(order=veracity.datasets.incidents.LEVELS)},
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs_keep_to_the_schema(name: str, tmp_path: Path) -> None:
    run = RUNS[name]()
    _valid(run.describe())
    run.save(tmp_path / "out")
    _valid(json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8")))


def test_an_updated_run_keeps_to_the_schema(tmp_path: Path) -> None:
    out = tmp_path / "out"
    veracity.discover(CROWD).save(out)
    veracity.update(out, {"worker": ["f"], "task": ["t1"], "label": ["1"]})
    described = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert described["updates"]
    _valid(described)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("error_rate",), 1.5),
        (("counts", "n_items"), -1),
        (("notes",), [{"text": "no subject"}]),
        (("attributes",), [{"name": "x", "kind": "sometimes"}]),
        (("surprise",), 1),
        (("inputs", "claims"), [{"path": "x.csv", "bytes": 1, "sha256": "short"}]),
    ],
)
def test_what_is_wrong_is_refused(place: tuple[str, ...], wrong: object) -> None:
    from jsonschema import ValidationError

    described = copy.deepcopy(veracity.discover(CROWD, model="vote").describe())
    inner = described
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = wrong
    with pytest.raises(ValidationError):
        _valid(described)


def test_the_page_names_every_key() -> None:
    page = (ROOT / "docs" / "reference" / "run-json.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)` \|", page, re.M))
    assert named == set(veracity.run_schema()["properties"])
