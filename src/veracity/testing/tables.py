"""Small tables of claims to put models to the test with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from veracity.data.claims import Claims
from veracity.data.read.settings import Attribute

#: Source, entity, attribute, value.
Row = tuple[str, str, str, str]
Item = tuple[str, str]

#: What is told about the attributes that occur in the tables below.
ATTRIBUTES = {
    "colour": Attribute("single", "closed"),
    "name": Attribute("single", "open"),
    "open": Attribute("boolean", positive="yes"),
    "tags": Attribute("multiple", "open"),
    "height": Attribute("single", "open", "number"),
    "grade": Attribute("single", "closed", "number"),
}
COLOURS = ("blue", "green", "red")
GRADES = ("1", "2", "5")
TAGS = ("airy", "big", "calm", "dry")


@dataclass(frozen=True, eq=False)
class Said:
    """Claims as columns, and how they are to be read.

    Attributes
    ----------
    columns
        The table, as a user would have it.
    truth
        The true values of each item, where they are known.
    options
        Further options of `Claims.from_frame`.
    """

    columns: dict[str, list[Any]]
    truth: Mapping[Item, frozenset[str]]
    options: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        rows: Iterable[Row],
        truth: Mapping[Item, frozenset[str]] | None = None,
        **further: list[Any],
    ) -> Said:
        """Make a table of rows and further columns."""
        listed = list(rows)
        names = ("source", "entity", "attribute", "value")
        columns = {name: [row[i] for row in listed] for i, name in enumerate(names)}
        return cls({**columns, **further}, truth or {}, {})

    @property
    def claims(self) -> Claims:
        """The claims, encoded anew, so that no model can spoil them for another."""
        columns = tuple((name, tuple(column)) for name, column in self.columns.items())
        claims = copy(_read(columns, tuple(self.options.items())))
        vars(claims).pop("_encoded", None)
        return claims

    def __len__(self) -> int:
        return len(self.columns["source"])

    def take(self, rows: Sequence[int]) -> Said:
        """Return some of the rows, in the order given."""
        columns = {name: [column[row] for row in rows] for name, column in self.columns.items()}
        return replace(self, columns=columns)

    def renamed(self, names: Mapping[str, str]) -> Said:
        """Return the same with other names of sources."""
        return self.with_column("source", [names[name] for name in self.columns["source"]])

    def with_column(self, name: str, column: list[Any]) -> Said:
        """Return the same with another column."""
        return replace(self, columns={**self.columns, name: column})

    def read_with(self, **options: Any) -> Said:
        """Return the same, to be read with other options."""
        return replace(self, options=options)

    def truth_of(self, items: Iterable[Item]) -> dict[str, list[str]]:
        """Return the truth of some items, as a table."""
        rows = [(*item, value) for item in items for value in sorted(self.truth[item])]
        names = ("entity", "attribute", "value")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    @property
    def items(self) -> list[Item]:
        """The items, sorted."""
        pairs = zip(self.columns["entity"], self.columns["attribute"], strict=True)
        return sorted(set(pairs))


@lru_cache(maxsize=128)
def _read(columns: tuple[tuple[str, tuple[Any, ...]], ...], options: tuple[Any, ...]) -> Claims:
    """Read a table, once for all models."""
    table = {name: list(column) for name, column in columns}
    present = set(table["attribute"])
    told = {name: setting for name, setting in ATTRIBUTES.items() if name in present}
    return Claims.from_frame(table, attributes=told, **dict(options))


@cache
def contested(numbers: bool, n_entities: int = 24, coverage: float = 0.7) -> Said:
    """Draw claims of nine independent sources, mostly right, about all kinds of items.

    Numbers are drawn around the truth. Sources do not speak about every item.
    """
    rng = np.random.default_rng(20180)
    truth: dict[Item, frozenset[str]] = {}
    rows: list[Row] = []
    for place in range(n_entities):
        entity = f"e{place:02d}"
        draws = _numbers(rng, entity, place) if numbers else _values(rng, entity, place)
        for attribute, true, said in draws:
            truth[entity, attribute] = true
            speaks = rng.random(len(said)) < coverage
            speaks[place % len(said)] = True  # so that every item is spoken about
            rows += [
                (f"s{speaker}", entity, attribute, value)
                for speaker, values in enumerate(said)
                if speaks[speaker]
                for value in sorted(values)
            ]
    return Said.of(rows, truth)


@cache
def mixed(numbers: bool) -> Said:
    """Return contested claims with weights, of which one in eight is a denial."""
    said = contested(numbers)
    rng = np.random.default_rng(5)
    weight = rng.uniform(0.5, 2.0, len(said)).round(2).tolist()
    asserts = (rng.random(len(said)) > 1 / 8).astype(int).tolist()
    return said.with_column("weight", weight).with_column("asserts", asserts)


Drawn = tuple[str, frozenset[str], list[frozenset[str]]]
N_SOURCES, RELIABILITY = 9, 0.85


def _values(rng: np.random.Generator, entity: str, place: int) -> list[Drawn]:
    """Draw the truth of an entity's attributes, and what each source says about them."""
    names = tuple(f"{entity} {letter}" for letter in "abcd")
    yes_no = ("no", "yes")
    tags = frozenset(tag for tag in TAGS if rng.random() < 0.5) or frozenset(TAGS[:1])
    said_tags = [
        frozenset(tag for tag in TAGS if rng.random() < (0.85 if tag in tags else 0.1))
        or frozenset(sorted(tags)[:1])
        for _ in range(N_SOURCES)
    ]
    return [
        ("colour", *_choices(rng, COLOURS, COLOURS[place % 3])),
        ("name", *_choices(rng, names, names[0])),
        ("open", *_choices(rng, yes_no, yes_no[place % 2])),
        ("tags", tags, said_tags),
    ]


def _choices(
    rng: np.random.Generator, values: Sequence[str], true: str
) -> tuple[frozenset[str], list[frozenset[str]]]:
    wrong = [value for value in values if value != true]
    said = [
        true if rng.random() < RELIABILITY else wrong[int(rng.integers(len(wrong)))]
        for _ in range(N_SOURCES)
    ]
    return frozenset({true}), [frozenset({value}) for value in said]


def _numbers(rng: np.random.Generator, entity: str, place: int) -> list[Drawn]:
    height = round(float(rng.uniform(100, 200)), 1)
    errors = rng.standard_normal(N_SOURCES) * np.linspace(0.5, 4, N_SOURCES)
    return [
        (
            "height",
            frozenset({f"{height:.1f}"}),
            [frozenset({f"{height + error:.1f}"}) for error in errors],
        ),
        ("grade", *_choices(rng, GRADES, GRADES[place % 3])),
    ]


@cache
def unanimous(numbers: bool) -> Said:
    """Return claims of five sources who never disagree."""
    values: dict[str, list[tuple[str, ...]]]
    if numbers:
        values = {"height": [("170.5",), ("-3",), ("0",)], "grade": [(g,) for g in GRADES]}
    else:
        values = {
            "colour": [(colour,) for colour in COLOURS],
            "name": [("Ann",), ("Bob",), ("Cat",)],
            "open": [("yes",), ("no",), ("yes",)],
            "tags": [("airy", "big"), ("calm",), ("big", "dry")],
        }
    truth = {
        (f"e{place}", attribute): frozenset(true)
        for attribute, each in values.items()
        for place, true in enumerate(each * 2)
    }
    rows = [
        (source, entity, attribute, value)
        for (entity, attribute), true in truth.items()
        for source in "abcde"
        for value in sorted(true)
    ]
    return Said.of(rows, truth)


@cache
def misled(numbers: bool) -> Said:
    """Return claims of two careful sources, and of three who err together most of the time."""
    rng = np.random.default_rng(7)
    values = GRADES if numbers else COLOURS
    attribute = "grade" if numbers else "colour"
    truth: dict[Item, frozenset[str]] = {}
    rows: list[Row] = []
    for place in range(36):
        entity, true = f"e{place:02d}", values[place % 3]
        truth[entity, attribute] = frozenset({true})
        wrong = values[(place + 1 + int(rng.integers(2))) % 3]
        rash = true if rng.random() < 0.35 else wrong
        rows += [(f"rash {k}", entity, attribute, rash) for k in range(3)]
        for k in range(2):
            careful = true if rng.random() < 0.9 else wrong
            rows.append((f"careful {k}", entity, attribute, careful))
    return Said.of(rows, truth)
