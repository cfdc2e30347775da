"""Errors worth reading: which verdicts are wrong, and of which the model was surest."""

from __future__ import annotations

import pyarrow as pa

from veracity import Claims, GroundTruth
from veracity.data.output.tables import Table
from veracity.evaluation.numeric_errors import surest_errors

CLAIMS = Claims.from_triples(
    [
        ("ann", "sky", "colour", "blue"),
        ("bob", "sky", "colour", "green"),
        ("ann", "sea", "colour", "green"),
        ("ann", "sun", "colour", "red"),
        ("bob", "sun", "colour", "white"),
    ],
    casefold=True,
)


def verdicts(*rows: tuple[str, str, float]) -> Table:
    """Return truths about colours."""
    entity, value, plausibility = zip(*rows, strict=True)
    columns = {
        "entity": entity,
        "attribute": ["colour"] * len(rows),
        "value": value,
        "plausibility": plausibility,
    }
    return Table("truths", pa.table({name: list(column) for name, column in columns.items()}))


def test_the_surest_come_first_and_right_ones_not_at_all() -> None:
    truth = GroundTruth.from_frame(
        {"entity": ["sky", "sea", "sun", "moon"], "value": ["BLUE", "blue", "yellow", "grey"]}
    )
    believed = verdicts(("sky", "blue", 0.9), ("sea", "green", 0.6), ("sun", "red", 0.8))
    found = surest_errors(believed, truth, CLAIMS).to_pylist()
    assert found == [
        {
            "entity": "sun",
            "attribute": "colour",
            "value": "red",
            "true": "yellow",
            "plausibility": 0.8,
        },
        {
            "entity": "sea",
            "attribute": "colour",
            "value": "green",
            "true": "blue",
            "plausibility": 0.6,
        },
    ]
    assert surest_errors(believed, truth, CLAIMS, limit=1).to_pylist() == found[:1]


def test_of_several_values_the_first_of_the_most_plausible_counts() -> None:
    truth = GroundTruth.from_frame({"entity": ["sun", "sun"], "value": ["gold", "amber"]})
    believed = verdicts(("sun", "white", 0.8), ("sun", "red", 0.8), ("sun", "pink", 0.5))
    (found,) = surest_errors(believed, truth, CLAIMS).to_pylist()
    assert (found["value"], found["true"]) == ("white", "amber; gold")
