"""Items of an entity that rules link, and their exact marginals.

Entities whose items have the same states meet the same rules, so they are worked out together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.rules.rule import Rule, numbered
from veracity.errors import InputError, listing
from veracity.models.rules.item_states import FALSE, TRUE, UNCLAIMED, ItemStates, Shape
from veracity.models.rules.worlds import Breach, States, Worlds, n_worlds

#: Items that rules link may have so many joint states.
MOST_WORLDS = 1 << 16


class Premise(NamedTuple):
    """A statement of rules, by its number; of a boolean attribute, whether it says no."""

    number: int
    attribute: str
    says_no: bool = False


class RuleLink(NamedTuple):
    """A rule, and the two statements that it links."""

    rule: Rule
    first: Premise
    second: Premise


class Variable(NamedTuple):
    """A variable of an entity: an item, or one statement of it that is judged by itself."""

    item: int
    statement: int | None = None


@dataclass(frozen=True)
class Component:
    """Variables of an entity that rules link, directly or by others."""

    variables: tuple[Variable, ...]
    links: tuple[RuleLink, ...]
    worlds: Worlds


def marginals(
    items: Sequence[ItemStates], links: Sequence[RuleLink]
) -> dict[tuple[str, str], Floats]:
    """Return the probabilities of the states of each item that rules act on, given the rules.

    Parameters
    ----------
    items
        Those of all entities that rules may act on.
    links
        The rules.

    Returns
    -------
    marginals
        By entity and attribute, in the order of the item's states.
    """
    found: dict[tuple[str, str], Floats] = {}
    for shapes, entities in _alike(items).items():
        for component in _components(shapes, links, entities[0][0].entity):
            for (entity, attribute), rows in _solved(component, shapes, entities):
                place = (entity, attribute)
                found[place] = rows if place not in found else _merged(found[place], rows)
    return found


def _merged(before: Floats, rows: Floats) -> Floats:
    """Join the marginals of statements of an item that are in different components."""
    return np.where(np.isnan(rows), before, rows)


def _alike(items: Sequence[ItemStates]) -> dict[tuple[Shape, ...], list[list[ItemStates]]]:
    """Group entities whose items have the same states; entities and items in order."""
    by_entity: dict[str, list[ItemStates]] = {}
    for item in sorted(items, key=lambda item: (item.entity, item.shape.attribute)):
        by_entity.setdefault(item.entity, []).append(item)
    alike: dict[tuple[Shape, ...], list[list[ItemStates]]] = {}
    for own in by_entity.values():
        alike.setdefault(tuple(item.shape for item in own), []).append(own)
    return alike


def _components(
    shapes: Sequence[Shape], links: Sequence[RuleLink], entity: str
) -> Iterator[Component]:
    """Return the variables that rules link, with all their worlds."""
    breaches = [(link, breach) for link in links if (breach := _breach(shapes, link)) is not None]
    group: dict[Variable, set[Variable]] = {}
    for _, (first, _, second, _) in breaches:
        joined = group.get(first, {first}) | group.get(second, {second})
        group.update(dict.fromkeys(joined, joined))
    done: set[Variable] = set()
    for start in group:
        if start in done:
            continue
        variables = tuple(sorted(group[start], key=_order))
        done |= group[start]
        own = [(link, breach) for link, breach in breaches if breach.first in group[start]]
        sizes = [_size(shapes, variable) for variable in variables]
        _check_size(entity, shapes, variables, sizes, [link.rule for link, _ in own])
        at = {variable: place for place, variable in enumerate(variables)}
        broken = [
            Breach(at[one.first], one.in_states, at[one.second], one.with_states, link.rule.penalty)
            for link, one in own
        ]
        yield Component(variables, tuple(link for link, _ in own), Worlds(sizes, broken))


class _Linked(NamedTuple):
    """Two variables of an entity, and the states in which they break a rule together."""

    first: Variable
    in_states: States
    second: Variable
    with_states: States


def _breach(shapes: Sequence[Shape], link: RuleLink) -> _Linked | None:
    """Return what breaks a rule, or None where the entity's items cannot."""
    first, second = _holds(shapes, link.first), _holds(shapes, link.second)
    if first is None or not first[1]:  # nobody claims the first statement
        return None
    if link.rule.kind == "excludes":
        if second is None or not second[1]:
            return None
        return _Linked(*first, *second)
    if second is None:
        return None
    variable, states = second
    size, shape = _size(shapes, variable), shapes[variable.item]
    if not states and shape.one_value and UNCLAIMED in shape.states:
        states = frozenset({shape.states.index(UNCLAIMED)})
    return _Linked(*first, variable, frozenset(range(size)) - states)


def _holds(shapes: Sequence[Shape], premise: Premise) -> tuple[Variable, States] | None:
    """Return the variable of a statement, and its states in which the statement is true.

    There are none if one value is true and nobody claims this one; None if there is no variable.
    """
    for item, shape in enumerate(shapes):
        if shape.attribute != premise.attribute:
            continue
        claimed = premise.number in shape.states
        if shape.one_value:
            where = {shape.states.index(premise.number)} if claimed else set()
            return Variable(item), frozenset(where)
        if claimed:
            true = FALSE if premise.says_no else TRUE
            return Variable(item, shape.states.index(premise.number)), frozenset({true})
    return None


def _size(shapes: Sequence[Shape], variable: Variable) -> int:
    return len(shapes[variable.item].states) if variable.statement is None else 2


def _order(variable: Variable) -> tuple[int, int]:
    return variable.item, -1 if variable.statement is None else variable.statement


def _check_size(
    entity: str,
    shapes: Sequence[Shape],
    variables: Sequence[Variable],
    sizes: Sequence[int],
    rules: Sequence[Rule],
) -> None:
    if n_worlds(sizes) <= MOST_WORLDS:
        return
    names = dict.fromkeys(shapes[variable.item].attribute for variable in variables)
    raise InputError(
        f"Rules link too much about {entity!r}: {listing(map(repr, names))} have "
        f"{n_worlds(sizes):,} joint states, and at most {MOST_WORLDS:,} can be gone through. "
        f"{numbered(list(rules))} link them. Leave some out."
    )


def _solved(
    component: Component, shapes: Sequence[Shape], entities: Sequence[Sequence[ItemStates]]
) -> Iterator[tuple[tuple[str, str], Floats]]:
    """Return the marginals of the items in a component, of every entity."""
    held: Mapping[int, Floats] = {
        item: np.stack([own[item].held_off() for own in entities])
        for item in {variable.item for variable in component.variables}
    }
    before = [
        held[item] if statement is None else _yes_no(held[item][:, statement])
        for item, statement in component.variables
    ]
    after, impossible = component.worlds.marginals(before)
    if impossible:
        _refuse(component, entities[impossible[0]])
    for item in held:
        rows = np.full(held[item].shape, np.nan)  # statements of other components stay open
        for (about, statement), states in zip(component.variables, after, strict=True):
            if about == item and statement is None:
                rows = states
            elif about == item:
                rows[:, statement] = states[:, TRUE]
        for own, row in zip(entities, rows, strict=True):
            yield (own[item].entity, shapes[item].attribute), row


def _yes_no(true: Floats) -> Floats:
    return np.stack([1.0 - true, true], axis=1)


def _refuse(component: Component, items: Sequence[ItemStates]) -> None:
    """Name the entity for which hard rules leave no possible world."""
    about = {variable.item for variable in component.variables}
    known = [items[item].shape.attribute for item in sorted(about) if items[item].certain]
    rules = [link.rule for link in component.links if link.rule.is_hard]
    what = (
        f"The known truth about {items[0].entity!r} ({listing(map(repr, known))}) breaks hard rules"
        if known
        else f"No claimed values of {items[0].entity!r} keep all hard rules"
    )
    said = "; ".join(str(rule) for rule in rules[:3])
    raise InputError(
        f"{what}: {numbered(rules)} cannot hold ({said}). Correct the known truth or the rules; "
        "give a rule a weight, or a known truth a trust below 1, if it can be wrong."
    )
