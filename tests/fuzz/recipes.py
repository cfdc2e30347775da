"""Recipes: small descriptions of hostile tables of claims, which anybody can make again."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from hypothesis import strategies as st

from veracity import Attribute, Claims

DUPLICATES = ("auto", "latest", "all")
#: What separates a value of a hierarchy from those within it, and how many lie within each.
SEPARATOR, WITHIN = "/", 2
#: A tolerance within which whole numbers have no other.
NO_OTHER = 0.4
KINDS = (None, "single", "multiple", "boolean")
FORMS = (None, "number", "ordered")
DOMAINS = (None, "closed", "open")
#: Weights of claims: as people give them, one claim for a million, and as far apart as they get.
WEIGHTS = {
    "some": (0.0, 0.01, 0.5, 1.0, 3.0, 1e3),
    "heavy": (0.0, 0.01, 0.5, 1.0, 3.0, 1e6),
    "extreme": (0.0, 1e-300, 1e-9, 1.0, 1e9),
}
#: What names may begin with: quotes, marks of formats, other scripts, and what is not seen.
AWKWARD = ("'", '"', "=", ",", ";", "%s ", "\\", "é", "e\u0301", "中", "🦄", "\u202e", "ß", "NULL ")
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
    times, denials
        Whether claims have a time, and may be denials.
    weights
        Which weights claims have; see `WEIGHTS`.
    tail
        Whether few sources make most claims, and most sources one.
    unanimous
        Whether all sources say the same about an item.
    awkward
        Whether names are hard to write down; see `AWKWARD`.
    duplicates, kind, domain, form
        How the table is read.
    tolerance
        How far from the truth a number may be and still be right; None if that is not said.
    changing, hierarchy
        Whether values change with time, and whether some lie within others.
    """

    seed: int = 0
    n_claims: int = 12
    n_sources: int = 4
    n_entities: int = 3
    n_values: int = 3
    n_attributes: int = 1
    repeats: int = 0
    times: bool = False
    denials: bool = False
    weights: str | None = None
    tail: bool = False
    unanimous: bool = False
    awkward: bool = False
    duplicates: str = "auto"
    kind: str | None = None
    domain: str | None = None
    form: str | None = None
    tolerance: float | None = None
    changing: bool = False
    hierarchy: bool = False

    @classmethod
    def drawn(cls, seed: int) -> Recipe:
        """Draw a recipe by chance."""
        return cls._drawn(seed)._with_more(random.Random(f"more {seed}"))

    @classmethod
    def _drawn(cls, seed: int) -> Recipe:
        draw = random.Random(seed)
        kind = draw.choice((None, None, "single", "single", "multiple", "multiple", "boolean"))
        many = draw.random() < 0.03  # hundreds of claims, mostly about few items
        return cls(
            seed=seed,
            n_claims=300 if many else draw.choice((1, 2, 5, 12, 12, 30, 30, 80)),
            n_sources=draw.choice((1, 2, 4, 4, 9, 9, 25)),
            n_entities=draw.choice((1, 2, 5, 5, 20)),
            n_values=draw.choice((1, 2, 3, 6)),
            n_attributes=draw.choice((1, 1, 1, 2, 7)),
            repeats=draw.choice((0, 0, 1, 5)),
            times=draw.random() < 0.3,
            denials=draw.random() < 0.3,
            weights=draw.choice((None, None, None, None, "some", "heavy", "extreme")),
            tail=draw.random() < 0.3,
            unanimous=draw.random() < 0.05,
            awkward=draw.random() < 0.1,
            duplicates=draw.choice(DUPLICATES),
            kind=kind,
            domain=None if kind == "boolean" else draw.choice(DOMAINS),
            form=draw.choice(FORMS[1:]) if kind == "single" and draw.random() < 0.15 else None,
        )

    def _with_more(self, draw: random.Random) -> Recipe:
        """Draw what came later, and leave the rest as it was."""
        changes = self.times and self.kind in (None, "single") and self.form != "ordered"
        changing = changes and draw.random() < 0.3
        nests = self.kind in (None, "single") and self.form is None and not changing
        hierarchy = nests and draw.random() < 0.15
        near = self.form == "number" and draw.random() < 0.5
        forbids = draw.random() < 0.05
        return replace(
            self,
            changing=changing,
            hierarchy=hierarchy,
            tolerance=NO_OTHER if near else None,
            duplicates="error" if forbids else self.duplicates,
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
            if draw.random() < 0.5 and not self.unanimous:
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
        entity, attribute = draw.randrange(self.n_entities), draw.randrange(self.n_attributes)
        row: dict[str, Any] = {
            "source": self._name("s", int(share * self.n_sources)),
            "entity": self._name("e", entity),
            "attribute": self._name("a", attribute),
            "value": self._value(draw),
        }
        if self.unanimous:
            row["value"] = self._spelled((entity + attribute) % self.n_values)
        if self.times:
            row["time"] = draw.randrange(4)
        if self.weights is not None:
            row["weight"] = draw.choice(WEIGHTS[self.weights])
        if self.denials:
            row["asserts"] = int(draw.random() < 0.7)
        return row

    def _value(self, draw: random.Random) -> str:
        return self._spelled(draw.randrange(self.n_values))

    def _spelled(self, value: int) -> str:
        if self.kind == "boolean":
            return ("yes", "no")[value % 2]
        if self.form is not None:
            return str(value)
        own = self._name("v", value)
        if self.hierarchy and value:  # a tree: the first value holds all others
            return f"{self._spelled((value - 1) // WITHIN)}{SEPARATOR}{own}"
        return own

    def _name(self, letter: str, number: int) -> str:
        begins = AWKWARD[number % len(AWKWARD)] if self.awkward else ""
        return f"{begins}{letter}{number}"

    def claims(self, **changes: Any) -> Claims:
        """Return the table as claims, some columns put in place of others."""
        return Claims.from_frame({**self.columns, **changes}, **self.reading)

    @property
    def reading(self) -> Any:
        """How the table is read."""
        return {"duplicates": self.duplicates, "attributes": {"*": self.said()}}

    def said(self, **found: Any) -> Attribute:
        """Return what is said about each attribute, with more where it was found."""
        said: dict[str, Any] = {
            "kind": self.kind,
            "domain": self.domain,
            "values": self.form,
            "tolerance": self.tolerance,
            "truth": "changing" if self.changing else None,
            "hierarchy": SEPARATOR if self.hierarchy else None,
        }
        return Attribute(**said | found)

    @property
    def repeats_itself(self) -> bool:
        """Whether a source speaks twice about an item."""
        spoken = self.speakers
        return len(set(spoken)) < len(spoken)

    @property
    def speakers(self) -> list[tuple[str, str, str]]:
        """Who speaks about what in each row."""
        named = (self.columns[name] for name in ("source", "entity", "attribute"))
        return list(zip(*named, strict=True))

    @property
    def numbers_are_near(self) -> bool:
        """Whether the truth of a number may be close to several that are claimed."""
        return self.form == "number" and self.tolerance != NO_OTHER

    @property
    def order_matters(self) -> bool:
        """Whether the order of rows says which claim is the last, as documented."""
        return self.duplicates == "latest"

    @property
    def adds_up(self) -> bool:
        """Whether sums of weights hardly depend on the order of their terms."""
        return self.weights != "extreme"

    def reordered(self) -> Columns:
        """Return the rows in another order."""
        n_rows = len(self.columns["source"])
        order = random.Random(self.seed + 1).sample(range(n_rows), n_rows)
        return {name: [cells[place] for place in order] for name, cells in self.columns.items()}

    def renamed(self) -> Columns:
        """Return the table with other names of sources, in another order."""
        names = sorted(set(self.columns["source"]))
        others = random.Random(self.seed + 2).sample(range(1000), len(names))
        name = {old: f"x{number}" for old, number in zip(names, others, strict=True)}
        return {**self.columns, "source": [name[old] for old in self.columns["source"]]}

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
        plain: dict[str, Any] = dict.fromkeys(("kind", "domain", "form", "weights", "tolerance"))
        plain |= dict.fromkeys(("changing", "hierarchy", "times", "denials"), False)
        plain |= dict.fromkeys(("tail", "unanimous", "awkward"), False)
        if self.tolerance is not None:  # of numbers
            del plain["form"]
        if self.changing:  # with time
            del plain["times"]
        return found + [
            replace(self, **{name: value})
            for name, value in plain.items()
            if getattr(self, name) != value
        ]


_plain = st.builds(
    Recipe,
    seed=st.integers(0, 10_000),
    n_claims=st.integers(1, 40),
    n_sources=st.integers(1, 12),
    n_entities=st.integers(1, 8),
    n_values=st.integers(1, 5),
    n_attributes=st.integers(1, 4),
    repeats=st.integers(0, 5),
    times=st.booleans(),
    denials=st.booleans(),
    weights=st.sampled_from((None, *WEIGHTS)),
    tail=st.booleans(),
    unanimous=st.booleans(),
    awkward=st.booleans(),
    duplicates=st.sampled_from(DUPLICATES),
    kind=st.sampled_from(KINDS[:3]),
    domain=st.sampled_from(DOMAINS),
)


def of_numbers(recipe: Recipe) -> Recipe:
    """Return a recipe of numbers, like another as far as that can be."""
    return replace(recipe, kind="single", form="number", hierarchy=False, changing=False)


#: Plain tables of any size, and all that a campaign tries.
recipes = st.one_of(_plain, st.builds(Recipe.drawn, st.integers(0, 1_000_000)))
