"""A model that believes what it is told, and all worlds of an entity, one after the other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.rules.consistency import checked
from veracity.data.rules.rule import Rule
from veracity.data.rules.table import Rules
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InputError
from veracity.models.base import Judgement, TruthModel

Statement = tuple[str, str, str]
PROFILES = [AttributeProfile(name, "single", "open", 1, 4, "", "") for name in "abc"]


class Told(TruthModel):
    """Believes in statements as it is told."""

    uses_known_truth = True

    def __init__(self, beliefs: Any = None, random_state: int = 0) -> None:
        self.beliefs = beliefs
        self.random_state = random_state

    def _fit(self, claims: ClaimsInBlocks) -> None:
        pass

    def _judge(self, claims: Claims) -> Judgement:
        return Judgement(np.array([self.beliefs[key] for key in statements_of(claims)]))


class ToldOneByOne(Told):
    """Believes in statements as it is told, each by itself."""

    judges_statements = True


def statements_of(claims: Claims) -> list[Statement]:
    """Return entity, attribute and value of each statement."""
    matrix = claims.matrix
    item = matrix.item_of_statement
    names = zip(
        matrix.entities.take(matrix.entity_index[item]).to_pylist(),
        matrix.attributes.take(matrix.attribute_index[item]).to_pylist(),
        matrix.values.take(matrix.value_index).to_pylist(),
        strict=True,
    )
    return list(names)


def claims_of(values: Mapping[tuple[str, str], Sequence[str]], **attributes: Attribute) -> Claims:
    """Return claims that name the values of each item, by a source for each."""
    rows = [
        (f"source {number}", entity, attribute, value)
        for (entity, attribute), named in values.items()
        for number, value in enumerate(named)
    ]
    columns = dict(zip(("source", "entity", "attribute", "value"), zip(*rows, strict=True)))  # noqa: B905
    frame = {name: list(column) for name, column in columns.items()}
    return Claims.from_frame(frame, attributes={"*": Attribute("single"), **attributes})


def rules_of(rows: Sequence[Sequence[Any]]) -> Rules:
    """Make rules of rows: if_attribute, if_value, then_attribute, then_value, kind, weight."""
    return Rules(tuple(Rule(number, *row) for number, row in enumerate(rows, start=1)))


def beliefs_after(model: TruthModel) -> dict[Statement, float]:
    """Return the plausibility of each statement."""
    rows = model.statements_.to_pylist()
    return {(row["entity"], row["attribute"], row["value"]): row["plausibility"] for row in rows}


def by_all_worlds(
    beliefs: Mapping[Statement, float], rules: Rules, lists: Sequence[str] = ()
) -> dict[Statement, float]:
    """Go through all worlds of each entity, value by value; `lists` may have several values.

    In a world, an item with one true value has one of those that are claimed, or none of them.
    """
    found = {}
    for entity in {entity for entity, _, _ in beliefs}:
        own = {key[1:]: p for key, p in beliefs.items() if key[0] == entity}
        found.update({(entity, *key): p for key, p in _marginals(own, rules, lists).items()})
    return found


def _marginals(
    own: Mapping[tuple[str, str], float], rules: Rules, lists: Sequence[str]
) -> dict[tuple[str, str], float]:
    items: dict[str, list[tuple[frozenset[tuple[str, str]], float]]] = {}
    for attribute in {attribute for attribute, _ in own}:
        named = [key for key in own if key[0] == attribute]
        if attribute in lists:
            for key in named:
                options = [(frozenset({key}), own[key]), (frozenset(), 1.0 - own[key])]
                items["/".join(key)] = options
            continue
        left = 1.0 - sum(own[key] for key in named)
        items[attribute] = [(frozenset({key}), own[key]) for key in named]
        items[attribute].append((frozenset(), left))
    total, true = 0.0, dict.fromkeys(own, 0.0)
    for world in itertools.product(*items.values()):
        holds = frozenset().union(*(states for states, _ in world))
        weight = math.prod(p for _, p in world)
        for rule in rules:
            if _is_broken(rule, holds, own, lists):
                weight *= 0.0 if rule.weight is None else math.exp(-rule.weight)
        total += weight
        for key in holds:
            true[key] += weight
    return {key: weight / total for key, weight in true.items()}


def _is_broken(
    rule: Rule,
    holds: frozenset[tuple[str, str]],
    own: Mapping[tuple[str, str], float],
    lists: Sequence[str],
) -> bool:
    first, second = (rule.if_attribute, rule.if_value), (rule.then_attribute, rule.then_value)
    if first not in holds:
        return False
    if rule.kind == "excludes":
        return second in holds
    if second in own:
        return second not in holds
    # Nobody claims the value: whatever is claimed is another, unless several may be true.
    of_item = {key for key in holds if key[0] == rule.then_attribute}
    return bool(of_item) and rule.then_attribute not in lists


def random_world(random: np.random.Generator, n_entities: int) -> dict[Statement, float]:
    """Draw what is believed about a few items of some entities."""
    beliefs: dict[Statement, float] = {}
    for entity in range(n_entities):
        for attribute in "abc":
            count = int(random.integers(0, 4))
            values = random.choice(list("wxyz"), count, replace=False).tolist()
            shares: Floats = random.dirichlet(np.full(count + 1, 0.7)) * 0.98 + 0.02 / (count + 1)
            for value, share in zip(values, shares, strict=False):
                beliefs[f"e{entity}", attribute, value] = float(share)
    return beliefs


def random_rules(random: np.random.Generator, n_rules: int) -> Rules:
    """Draw hard and soft rules that can hold together."""
    rows: list[tuple[Any, ...]] = []
    while len(rows) < n_rules:
        first, second = random.choice(["ab", "bc", "ac", "ca", "ba"])
        ends = (first, str(random.choice(list("wxyz"))), second, str(random.choice(list("wxyz"))))
        weight = None if random.random() < 0.5 else float(random.exponential(2.0))
        row = (*ends, str(random.choice(["implies", "excludes"])), weight)
        with suppress(InputError):
            checked(tuple(rules_of([*rows, row])), PROFILES, lambda _, value: value)
            rows.append(row)
    return rules_of(rows)
