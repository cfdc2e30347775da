"""Draw claims from sources whose reliability is chosen, together with the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Array
from veracity.data.claims import Claims
from veracity.data.read.settings import Attribute, Kind
from veracity.data.truth.ground_truth import GroundTruth
from veracity.datasets.synthetic.checks import require, require_at_least
from veracity.datasets.synthetic.claims import draw_blocks
from veracity.datasets.synthetic.features import Draw, draw_features
from veracity.datasets.synthetic.oracle import Oracle
from veracity.datasets.synthetic.rates import draw_rates
from veracity.datasets.synthetic.roles import assign_roles
from veracity.datasets.synthetic.specs import AttributeSpec, SourceSpec, attribute_specs
from veracity.datasets.synthetic.tables import (
    Labels,
    claims_table,
    decisions_table,
    sources_table,
    truth_table,
)
from veracity.datasets.synthetic.visits import Visits, draw_visits, items_by_source
from veracity.errors import InvalidParameter


@dataclass(frozen=True)
class Synthetic:
    """Claims that were drawn, with the truth and what only the generator knows."""

    claims: Claims
    truth: GroundTruth
    oracle: Oracle


@dataclass(frozen=True)
class SyntheticTables:
    """The same as plain tables, ready to be written to a folder."""

    claims: pa.Table
    truth: pa.Table
    oracle: Oracle

    def named(self) -> dict[str, pa.Table]:
        """Return the tables to write, by the names of their files."""
        return {
            "claims": self.claims,
            "truth": self.truth,
            "sources": self.oracle.sources,
            "oracle": self.oracle.attributes,
        }


def draw(
    n_sources: int = 40,
    n_entities: int = 500,
    attributes: int | Sequence[AttributeSpec] = 1,
    *,
    sources: SourceSpec | None = None,
    features: Mapping[str, Draw] | None = None,
    difficulty: float = 0.0,
    time: tuple[str, str] | None = None,
    random_state: int | np.random.Generator = 0,
) -> Synthetic:
    """Draw claims from sources whose reliability is chosen.

    Parameters
    ----------
    n_sources, n_entities
        How many there are.
    attributes
        What is claimed about every entity: so many attributes with one true value out of five, or
        a description of each.
    sources
        How reliable and how prolific sources are, and who is not honest.
    features
        Feature columns by name, each with a function that draws them: `normal`, `uniform`,
        `whole`, `category`, or your own. The prefix (``source_``, ``entity_`` or ``claim_``) says
        what a feature belongs to. Claims made at one visit share their features.
    difficulty
        Standard deviation of the difficulty of entities, which is taken from the log-odds of being
        right about them.
    time
        First and last day (ISO 8601) of the claims, which get a ``time`` column if this is given.
        A copied claim is never earlier than its original.
    random_state
        Seed; the same seed and parameters draw the same claims.

    Raises
    ------
    InvalidParameter
        If a parameter has a value that it cannot have.

    Examples
    --------
    >>> from veracity.datasets import synthetic
    >>> drawn = synthetic.draw(n_sources=40, n_entities=500, random_state=0)
    >>> round(drawn.oracle.accuracy, 2)
    0.99
    """
    tables = draw_tables(
        n_sources,
        n_entities,
        attributes,
        sources=sources,
        features=features,
        difficulty=difficulty,
        time=time,
        random_state=random_state,
    )
    known = _known_attributes(tables.claims, attribute_specs(attributes))
    claims = Claims.from_frame(tables.claims, attributes=known)
    return Synthetic(claims, GroundTruth.from_frame(tables.truth), tables.oracle)


def draw_tables(
    n_sources: int = 40,
    n_entities: int = 500,
    attributes: int | Sequence[AttributeSpec] = 1,
    *,
    sources: SourceSpec | None = None,
    features: Mapping[str, Draw] | None = None,
    difficulty: float = 0.0,
    time: tuple[str, str] | None = None,
    random_state: int | np.random.Generator = 0,
) -> SyntheticTables:
    """Draw as `draw` does, and return plain tables."""
    require_at_least("n_sources", n_sources, 1)
    require_at_least("n_entities", n_entities, 1)
    require_at_least("difficulty", difficulty, 0)
    rng, spec = np.random.default_rng(random_state), sources or SourceSpec()
    specs = attribute_specs(attributes)
    counts = items_by_source(rng, spec, n_sources, n_entities * len(specs))
    roles = assign_roles(rng, spec, counts)
    visits = draw_visits(rng, spec, counts, roles, n_entities, len(specs))
    columns = draw_features(rng, features or {}, visits, n_sources, n_entities)
    hard = difficulty * rng.standard_normal(n_entities)
    rates = draw_rates(rng, spec, specs, visits, roles, columns, hard)
    blocks = draw_blocks(rng, specs, visits, rates, n_entities, spec.denials)

    labels = Labels.numbered(n_sources, n_entities, specs)
    days = None if time is None else _draw_days(rng, visits, *time)
    claims, visit = claims_table(labels, visits, blocks, columns, days, spec.denials > 0)
    reliability = rates.reliability(specs, visits.attribute)
    oracle = Oracle(
        sources_table(labels, visits, rates, reliability, roles),
        pa.table(
            {"reliability": reliability[visit], "tpr": rates.tpr[visit], "fpr": rates.fpr[visit]}
        ),
        decisions_table(specs, blocks),
    )
    return SyntheticTables(claims, truth_table(labels, blocks), oracle)


def _known_attributes(
    claims: pa.Table, specs: Sequence[AttributeSpec]
) -> dict[str, Attribute | Kind]:
    """Say what the attributes are that anybody speaks about, so that nothing need be guessed."""
    spoken_about = set(pc.unique(claims["attribute"]).to_pylist())
    return {
        spec.name: Attribute(
            spec.kind,
            "closed" if spec.is_closed else "open",
            positive=spec.values[0] if spec.kind == "boolean" else None,
        )
        for spec in specs
        if spec.name in spoken_about
    }


def _draw_days(rng: np.random.Generator, visits: Visits, first: str, last: str) -> Array:
    """Draw the day of each visit; who copies comes on the same day as the original, or later."""
    start, stop = _day(first), _day(last)
    require(bool(start <= stop), "time", "a first and a last day, in this order", (first, last))
    length = int((stop - start).astype(np.int64)) + 1
    day = np.floor(rng.random(len(visits)) * length)
    earliest = visits.repeat(day)
    delay = np.floor(rng.random(len(visits)) * (length - earliest))
    late = np.where(visits.copied_from < 0, day, earliest + delay)
    return np.asarray(start + late.astype("timedelta64[D]"))


def _day(text: str) -> np.datetime64:
    try:
        return np.datetime64(text, "D")
    except ValueError as error:
        raise InvalidParameter(
            f"time must be two days such as '2024-01-31'. Got {text!r} instead."
        ) from error
