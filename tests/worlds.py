"""Small worlds for tests: sources of chosen reliability, some of which copy, and the truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity import Attribute, Claims
from veracity.models.base import TruthModel

CLOSED = Attribute("single", "closed")
OPEN = Attribute("single", "open")
BOOLEAN = Attribute("boolean", "closed", positive="yes")


@dataclass(frozen=True)
class World:
    """Claims, the columns they were made of, and the true value of each entity."""

    claims: Claims
    columns: dict[str, list[Any]]
    truth: dict[str, str]

    def accuracy(self, model: TruthModel, without: Iterable[str] = ()) -> float:
        """Return the share of entities that a fitted model is right about, but for some."""
        left_out = set(without)
        rows = [row for row in model.truths_.to_pylist() if row["entity"] not in left_out]
        return float(np.mean([row["value"] == self.truth[row["entity"]] for row in rows]))

    def known(self, count: int) -> dict[str, list[str]]:
        """Return the truth of the first entities."""
        entities = sorted(self.truth)[:count]
        return {"entity": entities, "value": [self.truth[entity] for entity in entities]}


def world(
    reliability: Sequence[float],
    n_items: int,
    *,
    n_values: int = 4,
    copies: Mapping[int, tuple[int, float]] | None = None,
    share: float = 1.0,
    attribute: Attribute = CLOSED,
    seed: int = 0,
) -> World:
    """Draw claims of sources that are right with their reliability, else wrong at random.

    `copies` gives, for a copier, its original and the probability with which it repeats it. Every
    source speaks about a share of the items.
    """
    rng = np.random.default_rng(seed)
    rate = np.asarray(reliability)[:, None]
    shape = (len(rate), n_items)
    truth = rng.integers(0, n_values, n_items)
    wrong = (truth + rng.integers(1, n_values, shape)) % n_values
    said = np.where(rng.random(shape) < rate, truth, wrong)
    for copier, (original, probability) in (copies or {}).items():
        repeats = rng.random(n_items) < probability
        said[copier] = np.where(repeats, said[original], said[copier])
    source, item = np.nonzero(rng.random(shape) < share)
    is_boolean = attribute.kind == "boolean"
    words = np.array(["no", "yes"] if is_boolean else [f"v{i}" for i in range(n_values)])
    columns: dict[str, list[Any]] = {
        "source": [f"s{i:02d}" for i in source],
        "entity": [f"e{i:04d}" for i in item],
        "value": words[said[source, item]].tolist(),
    }
    true = {f"e{i:04d}": str(words[value]) for i, value in enumerate(truth)}
    return World(Claims.from_frame(columns, attributes={"*": attribute}), columns, true)
