"""Recipes: small descriptions of hostile tables of claims, which anybody can make again."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from hypothesis import strategies as st

from veracity import Claims

DUPLICATES = ("auto", "latest", "all")
KINDS = (None, "single", "multiple")
DOMAINS = (None, "closed", "open")
Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Recipe:
    """How to draw a table.

    Attributes
    ----------
    seed
        Of the draws.
    n_claims, n_sources, n_entities, n_values, n_attributes
        How much there is of what, at most.
    repeats
        How often a claim is made again, as it is or with another value.
    times, weights, denials
        Whether claims have a time, a weight, and may be denials.
    tail
        Whether few sources make most claims, and most sources one.
    duplicates, kind, domain
        How the table is read.
    """

    seed: int = 0
    n_claims: int = 12
    n_sources: int = 4
    n_entities: int = 3
    n_values: int = 3
    n_attributes: int = 1
    repeats: int = 0
    times: bool = False
    weights: bool = False
    denials: bool = False
    tail: bool = False
    duplicates: str = "auto"
    kind: str | None = None
    domain: str | None = None

    @classmethod
    def drawn(cls, seed: int) -> Recipe:
        """Draw a recipe by chance."""
        draw = random.Random(seed)
        return cls(
            seed=seed,
            n_claims=draw.choice((1, 2, 5, 12, 30, 80)),
            n_sources=draw.choice((1, 2, 4, 9, 25)),
            n_entities=draw.choice((1, 2, 5, 20)),
            n_values=draw.choice((1, 2, 3, 6)),
            n_attributes=draw.choice((1, 1, 2, 7)),
            repeats=draw.choice((0, 0, 1, 5)),
            times=draw.random() < 0.3,
            weights=draw.random() < 0.3,
            denials=draw.random() < 0.3,
            tail=draw.random() < 0.3,
            duplicates=draw.choice(DUPLICATES),
            kind=draw.choice(KINDS),
            domain=draw.choice(DOMAINS),
        )

    @classmethod
    def of(cls, described: dict[str, Any]) -> Recipe:
        """Take a recipe from its description."""
        return cls(**described)

    def describe(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @cached_property
    def columns(self) -> Columns:
        """The table, as columns."""
        draw = random.Random(self.seed)
        rows = [self._row(draw) for _ in range(self.n_claims)]
        for _ in range(self.repeats):
            row = dict(draw.choice(rows))
            if draw.random() < 0.5:
                row["value"] = self._value(draw)
            if self.times:
                row["time"] = draw.randrange(4)
            rows.append(row)
        draw.shuffle(rows)
        if not any(row.get("asserts", 1) for row in rows):
            rows[0]["asserts"] = 1
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _row(self, draw: random.Random) -> dict[str, Any]:
        share = draw.random() ** (4 if self.tail else 1)
        row: dict[str, Any] = {
            "source": f"s{int(share * self.n_sources)}",
            "entity": f"e{draw.randrange(self.n_entities)}",
            "attribute": f"a{draw.randrange(self.n_attributes)}",
            "value": self._value(draw),
        }
        if self.times:
            row["time"] = draw.randrange(4)
        if self.weights:
            row["weight"] = draw.choice((0.0, 0.01, 0.5, 1.0, 3.0, 1e6))
        if self.denials:
            row["asserts"] = int(draw.random() < 0.7)
        return row

    def _value(self, draw: random.Random) -> str:
        return f"v{draw.randrange(self.n_values)}"

    def claims(self, **changes: Any) -> Claims:
        """Return the table as claims, some columns put in place of others."""
        return Claims.from_frame({**self.columns, **changes}, **self.reading)

    @property
    def reading(self) -> Any:
        """How the table is read."""
        from veracity import Attribute

        said = Attribute(kind=self.kind, domain=self.domain)  # type: ignore[arg-type]
        return {"duplicates": self.duplicates, "attributes": {"*": said}}

    @property
    def order_matters(self) -> bool:
        """Whether the order of rows says which claim is the last, as documented."""
        return self.duplicates == "latest"

    def reordered(self) -> Columns:
        """Return the rows in another order."""
        n_rows = len(self.columns["source"])
        order = random.Random(self.seed + 1).sample(range(n_rows), n_rows)
        return {name: [cells[place] for place in order] for name, cells in self.columns.items()}

    def renamed(self) -> tuple[Columns, dict[str, str]]:
        """Return the table with other names of sources, in another order, and the names."""
        names = sorted(set(self.columns["source"]))
        others = random.Random(self.seed + 2).sample(range(1000), len(names))
        name = {old: f"x{number}" for old, number in zip(names, others, strict=True)}
        return {**self.columns, "source": [name[old] for old in self.columns["source"]]}, name

    def smaller(self) -> list[Recipe]:
        """Return simpler recipes, to look for the smallest that fails."""
        counts = ("n_claims", "n_sources", "n_entities", "n_values", "n_attributes", "repeats")
        least = {"repeats": 0}
        found = [
            replace(self, **{name: size})
            for name in counts
            for size in (getattr(self, name) // 2, getattr(self, name) - 1)
            if least.get(name, 1) <= size < getattr(self, name)
        ]
        plain: dict[str, Any] = {"kind": None, "domain": None}
        plain |= dict.fromkeys(("times", "weights", "denials", "tail"), False)
        return found + [
            replace(self, **{name: value})
            for name, value in plain.items()
            if getattr(self, name) != value
        ]


recipes = st.builds(
    Recipe,
    seed=st.integers(0, 10_000),
    n_claims=st.integers(1, 40),
    n_sources=st.integers(1, 12),
    n_entities=st.integers(1, 8),
    n_values=st.integers(1, 5),
    n_attributes=st.integers(1, 4),
    repeats=st.integers(0, 5),
    times=st.booleans(),
    weights=st.booleans(),
    denials=st.booleans(),
    tail=st.booleans(),
    duplicates=st.sampled_from(DUPLICATES),
    kind=st.sampled_from(KINDS),
    domain=st.sampled_from(DOMAINS),
)
