"""Finished runs of different kinds, as charts and report see them."""

from __future__ import annotations

from typing import Any

from veracity import Attribute, Claims, datasets, discover
from veracity.datasets import synthetic
from veracity.report.subject import Subject
from veracity.workflow import Run

#: Labels that would do harm where they are taken for anything but text.
HOSTILE = (
    "</script><script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "two\nlines\tand a tab",
    "snow ☃ and rocket 🚀",
    "x" * 5_000,
    "datum['source'] \\ \" '",
    "\u202eturned round",
    "$tpr",
)
TRUTH = datasets.example.path().with_name("truth.csv")


def subject_of(run: Run) -> Subject:
    """Return a finished run as a report sees it."""
    model = run.model
    tables = (model.truths_, model.statements_, model.sources_)
    more = (model.sources_by_attribute_, model.confusions_, run.clashes)
    return Subject(run.describe(), run.claims, model, *tables, run.truth, *more)


def subject(
    claims: Any,
    model: str = "grbm",
    truth: Any = None,
    known_truth: Any = None,
    **parameters: Any,
) -> Subject:
    """Run a model on claims."""
    run = discover(claims, model=model, truth=truth, known_truth=known_truth, parameters=parameters)
    return subject_of(run)


def example() -> Subject:
    """Run the default model on the shipped example, with its features."""
    return subject(datasets.example.path(), truth=TRUTH, features="always")


def told() -> Subject:
    """Run the default model on the shipped example, and tell it the truth."""
    return subject(datasets.example.path(), known_truth=TRUTH)


def drawn(n_sources: int = 12, n_entities: int = 60, **options: Any) -> Subject:
    """Run a model on synthetic claims; the options are those of the drawing, and the model."""
    model, parameters = options.pop("model", "grbm"), options.pop("parameters", {})
    made = synthetic.draw(n_sources, n_entities, **options)
    return subject(made.claims, model, made.truth, **parameters)


def numeric(model: str = "grbm") -> Subject:
    """Run a model on numbers."""
    said = {"ann": 10.0, "bob": 10.2, "cat": 14.0, "dan": 10.1}
    rows = [
        (source, f"lake {lake}", str(depth + lake + (lake % 3 == 0) * (source == "bob")))
        for source, depth in said.items()
        for lake in range(12)
    ]
    declared = {"*": Attribute("single", values="number")}
    truth = {
        "entity": [f"lake {lake}" for lake in range(12)],
        "value": [str(10.0 + lake) for lake in range(12)],
    }
    return subject(Claims.from_triples(rows, attributes=declared), model, truth)


def one_source() -> Subject:
    """Run the default model on what one source says."""
    return subject(Claims.from_triples([("ann", f"e{i}", f"v{i % 3}") for i in range(9)]))


def one_item() -> Subject:
    """Run the default model on one item."""
    triples = [("ann", "sky", "blue"), ("bob", "sky", "blue"), ("cat", "sky", "grey")]
    return subject(Claims.from_triples(triples), truth={"entity": ["sky"], "value": ["blue"]})


def hostile() -> Subject:
    """Run the default model on claims whose labels and features are all hostile."""
    n = len(HOSTILE)
    columns: dict[str, list[Any]] = {
        "source": [HOSTILE[i % n] for i in range(20 * n)],
        "entity": [f"{HOSTILE[(i // n) % n]} {(i // n) % 12}" for i in range(20 * n)],
        "attribute": [HOSTILE[0]] * (20 * n),
        "value": [HOSTILE[(i * i // 7) % 3] for i in range(20 * n)],
        "source_<b>.['kind']": [HOSTILE[i % n] for i in range(20 * n)],
        "claim_=size()": [float(i % 50) for i in range(20 * n)],
    }
    claims = Claims.from_frame(columns)
    first: dict[str, str] = dict(zip(columns["entity"], columns["value"], strict=True))
    truth = {
        "entity": list(first),
        "attribute": [HOSTILE[0]] * len(first),
        "value": list(first.values()),
    }
    return subject(claims, truth=truth, features="always")
