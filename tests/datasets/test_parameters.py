"""Parameters that cannot be are refused, with a message that says what was expected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from veracity.datasets.synthetic import (
    AttributeSpec,
    Beta,
    SourceSpec,
    draw,
    draw_tables,
    normal,
)
from veracity.errors import InvalidParameter

CASES: dict[str, tuple[Callable[[], object], str]] = {
    "share above one": (lambda: SourceSpec(adversaries=1.5), "adversaries must be between 0 and 1"),
    "share is no number": (lambda: SourceSpec(spammers=float("nan")), "spammers must be"),
    "roles exceed all": (
        lambda: SourceSpec(adversaries=0.6, copiers=0.6),
        r"adversaries \+ spammers \+ copiers must be at most 1",
    ),
    "all deny": (lambda: SourceSpec(denials=1.0), "denials must be at least 0 and below 1"),
    "negative tail": (lambda: SourceSpec(tail=-1), "tail must be at least 0"),
    "no items": (lambda: SourceSpec(items_per_source=0.5), "items_per_source must be at least 1"),
    "improper Beta": (lambda: Beta(0, 1), "Beta must be positive"),
    "unknown kind": (
        lambda: AttributeSpec(kind="plural"),  # type: ignore[arg-type]
        "kind must be one of single, multiple, boolean",
    ),
    "one value": (lambda: AttributeSpec(n_values=1), "n_values must be at least 2"),
    "prior of an open domain": (
        lambda: AttributeSpec(prior=(0.2,) * 5),
        "prior must be left out unless the domain is closed",
    ),
    "prior too short": (
        lambda: AttributeSpec(domain="closed", prior=(0.5, 0.5)),
        "prior must be 5 entries",
    ),
    "prior is no distribution": (
        lambda: AttributeSpec(kind="boolean", prior=(0.5, 0.6)),
        "prior must be probabilities that sum to 1",
    ),
    "labels repeat": (
        lambda: AttributeSpec(kind="boolean", labels=("yes", "yes")),
        "labels must be all different",
    ),
    "no sources": (lambda: draw_tables(0, 10), "n_sources must be at least 1"),
    "no entities": (lambda: draw_tables(10, 0), "n_entities must be at least 1"),
    "no attributes": (lambda: draw_tables(10, 10, []), "attributes must be at least one"),
    "attributes of one name": (
        lambda: draw_tables(10, 10, [AttributeSpec("a"), AttributeSpec("a")]),
        "attributes must be of different names",
    ),
    "more items than there are": (
        lambda: draw_tables(10, 10, sources=SourceSpec(items_per_source=11)),
        "items_per_source must be at most the 10 items there are",
    ),
    "rates for other sources": (
        lambda: draw_tables(10, 10, sources=SourceSpec(reliability=[0.5, 0.6])),
        "reliability must be one number, or one for each of the 10 sources",
    ),
    "rate above one": (
        lambda: draw_tables(10, 10, sources=SourceSpec(reliability=1.2)),
        "reliability must be between 0 and 1 everywhere",
    ),
    "function of a wrong shape": (
        lambda: draw_tables(10, 10, sources=SourceSpec(reliability=lambda seen: 0.5)),
        "reliability must be a function that returns one number per visit",
    ),
    "function out of range": (
        lambda: draw_tables(10, 10, sources=SourceSpec(fpr=lambda seen: -np.ones(80))),
        "fpr must be between 0 and 1 everywhere",
    ),
    "feature without prefix": (
        lambda: draw_tables(10, 10, features={"age": normal()}),
        "a feature must be a name that begins with claim_, source_, entity_",
    ),
    "feature of a wrong shape": (
        lambda: draw_tables(10, 10, features={"source_age": lambda rng, n: np.zeros(3)}),
        "the feature source_age must be drawn as an array of 10 values",
    ),
    "nobody to copy": (
        lambda: draw_tables(4, 10, sources=SourceSpec(copiers=1.0)),
        "copiers must be fewer",
    ),
    "days in reverse": (
        lambda: draw_tables(4, 10, time=("2024-02-01", "2024-01-01")),
        "time must be a first and a last day",
    ),
    "no day": (lambda: draw_tables(4, 10, time=("soon", "2024-01-01")), "time must be two days"),
    "negative difficulty": (lambda: draw(10, 10, difficulty=-1), "difficulty must be at least 0"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case: str) -> None:
    call, message = CASES[case]
    with pytest.raises(InvalidParameter, match=message) as caught:
        call()
    assert "Got " in str(caught.value)
