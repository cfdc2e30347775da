"""Feature columns of sources, entities and claims, and the distributions they are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Array, Indices
from veracity.data.read.schema import FEATURE_PREFIXES
from veracity.datasets.synthetic.checks import require
from veracity.datasets.synthetic.visits import Visits

#: Draws so many values of a feature.
Draw = Callable[[np.random.Generator, int], npt.ArrayLike]


def normal(mean: float = 0.0, deviation: float = 1.0) -> Draw:
    """Draw numbers from a normal distribution."""
    return lambda rng, n: rng.normal(mean, deviation, n)


def uniform(low: float = 0.0, high: float = 1.0) -> Draw:
    """Draw numbers evenly between two bounds."""
    return lambda rng, n: rng.uniform(low, high, n)


def whole(low: int, high: int) -> Draw:
    """Draw whole numbers evenly from ``low`` to ``high``, both included."""
    return lambda rng, n: rng.integers(low, high + 1, n)


def category(*names: str, shares: Sequence[float] | None = None) -> Draw:
    """Draw names, by their shares or evenly."""
    return lambda rng, n: rng.choice(np.array(names), n, p=shares)


def draw_features(
    rng: np.random.Generator,
    features: Mapping[str, Draw],
    visits: Visits,
    n_sources: int,
    n_entities: int,
) -> dict[str, Array]:
    """Draw each feature once per source, per entity or per visit, as its prefix says."""
    sizes = {"source_": n_sources, "entity_": n_entities, "claim_": len(visits)}
    return {name: _column(rng, name, draw, sizes) for name, draw in features.items()}


def index_of(name: str, visits: Visits) -> Indices | None:
    """Return where the feature of each visit stands in its column; None if in its own place."""
    match prefix_of(name):
        case "source_":
            return visits.source
        case "entity_":
            return visits.entity
        case _:
            return None


def per_visit(columns: Mapping[str, Array], visits: Visits) -> dict[str, Array]:
    """Return what a reliability function may look at, one entry per visit."""
    seen: dict[str, Array] = {
        "source": visits.source,
        "entity": visits.entity,
        "attribute": visits.attribute,
    }
    for name, column in columns.items():
        index = index_of(name, visits)
        seen[name] = column if index is None else column[index]
    return seen


def prefix_of(name: str) -> str:
    """Return the prefix that says what a feature belongs to."""
    prefix = next((known for known in FEATURE_PREFIXES if name.startswith(known)), "")
    expected = f"a name that begins with {', '.join(FEATURE_PREFIXES)}"
    require(prefix != "", "a feature", expected, name)
    return prefix


def _column(rng: np.random.Generator, name: str, draw: Draw, sizes: Mapping[str, int]) -> Array:
    size = sizes[prefix_of(name)]
    column = np.asarray(draw(rng, size))
    expected = f"drawn as an array of {size} values"
    require(column.shape == (size,), f"the feature {name}", expected, column.shape)
    return column
