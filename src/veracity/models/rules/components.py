"""Items of an entity that rules link, and their exact marginals.

Entities whose items are linked alike are worked out together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.rules.rule import Rule, numbered
from veracity.errors import InputError, listing
from veracity.models.rules.item_states import FALSE, TRUE, UNCLAIMED, ItemStates, Shape
from veracity.models.rules.worlds import Breach, States, Worlds

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


class Component(NamedTuple):
    """Items of an entity that rules link, directly or by others.

    ``worlds`` is how its variables are linked, which many entities have in common.
    """

    items: Sequence[ItemStates]
    variables: tuple[Variable, ...]
    links: tuple[RuleLink, ...]
    worlds: tuple[tuple[int, ...], tuple[Breach, ...]]


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
        By entity and attribute, in the order of the item's states. NaN for statements that are
        judged by themselves and that no rule acts on.
    """
    alike: dict[object, list[Component]] = {}
    for component in _components(items, links):
        alike.setdefault(component.worlds, []).append(component)
    found: dict[tuple[str, str], Floats] = {}
    for components in alike.values():
        for place, states in _solved(components):
            before = found.get(place)
            found[place] = states if before is None else np.where(np.isnan(states), before, states)
    return found


def _components(items: Sequence[ItemStates], links: Sequence[RuleLink]) -> Iterator[Component]:
    """Return the items that rules link, entity by entity."""
    by_first: dict[int, list[RuleLink]] = {}
    for link in links:
        by_first.setdefault(link.first.number, []).append(link)
    by_entity: dict[str, list[ItemStates]] = {}
    for item in sorted(items, key=lambda item: (item.entity, item.shape.attribute)):
        by_entity.setdefault(item.entity, []).append(item)
    for own in by_entity.values():
        claimed = [number for item in own for number in item.shape.states]
        rules = [link for number in claimed for link in by_first.get(number, ())]
        yield from _of_entity(own, rules)


def _of_entity(items: Sequence[ItemStates], links: Sequence[RuleLink]) -> Iterator[Component]:
    shapes = [item.shape for item in items]
    linked = [(link, found) for link in links if (found := _linked(shapes, link)) is not None]
    group: dict[Variable, set[Variable]] = {}
    for _, one in linked:
        joined = group.get(one.first, {one.first}) | group.get(one.second, {one.second})
        group.update(dict.fromkeys(joined, joined))
    done: set[Variable] = set()
    for start, joined in group.items():
        if start in done:
            continue
        done |= joined
        variables = tuple(sorted(joined, key=_order))
        own = [(link, one) for link, one in linked if one.first in joined]
        sizes = tuple(_size(shapes, variable) for variable in variables)
        _check_size(items, variables, sizes, [link.rule for link, _ in own])
        at = {variable: place for place, variable in enumerate(variables)}
        breaches = sorted(
            Breach(at[one.first], one.in_states, at[one.second], one.with_states, link.rule.penalty)
            for link, one in own
        )
        yield Component(items, variables, tuple(link for link, _ in own), (sizes, tuple(breaches)))


class _Linked(NamedTuple):
    """Two variables of an entity, and the states in which they break a rule together."""

    first: Variable
    in_states: States
    second: Variable
    with_states: States


def _linked(shapes: Sequence[Shape], link: RuleLink) -> _Linked | None:
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
        states = (shape.states.index(UNCLAIMED),)
    rest = tuple(state for state in range(size) if state not in states)
    return _Linked(*first, variable, rest)


def _holds(shapes: Sequence[Shape], premise: Premise) -> tuple[Variable, States] | None:
    """Return the variable of a statement, and its states in which the statement is true.

    There are none if one value is true and nobody claims this one; None if there is no variable.
    """
    for item, shape in enumerate(shapes):
        if shape.attribute != premise.attribute:
            continue
        claimed = premise.number in shape.states
        if shape.one_value:
            return Variable(item), (shape.states.index(premise.number),) if claimed else ()
        if claimed:
            true = FALSE if premise.says_no else TRUE
            return Variable(item, shape.states.index(premise.number)), (true,)
    return None


def _size(shapes: Sequence[Shape], variable: Variable) -> int:
    return len(shapes[variable.item].states) if variable.statement is None else 2


def _order(variable: Variable) -> tuple[int, int]:
    return variable.item, -1 if variable.statement is None else variable.statement


def _check_size(
    items: Sequence[ItemStates],
    variables: Sequence[Variable],
    sizes: Sequence[int],
    rules: Sequence[Rule],
) -> None:
    if prod(sizes) <= MOST_WORLDS:
        return
    names = dict.fromkeys(items[variable.item].shape.attribute for variable in variables)
    raise InputError(
        f"Rules link too much about {items[0].entity!r}: {listing(map(repr, names))} have "
        f"{prod(sizes):,} joint states, and at most {MOST_WORLDS:,} can be gone through. "
        f"{numbered(list(rules))} link them. Leave some out."
    )


def _solved(components: Sequence[Component]) -> Iterator[tuple[tuple[str, str], Floats]]:
    """Return the marginals of the items of components that are linked alike."""
    sizes, breaches = components[0].worlds
    before = [
        np.stack([_probabilities(one, one.variables[place]) for one in components])
        for place in range(len(sizes))
    ]
    after, impossible = Worlds(sizes, breaches).marginals(before)
    if impossible:
        _refuse(components[impossible[0]])
    for row, one in enumerate(components):
        for (item, statement), states in zip(one.variables, after, strict=True):
            about = one.items[item]
            found = states[row]
            if statement is not None:
                found = np.full(len(about.shape.states), np.nan)  # other statements stay open
                found[statement] = states[row, TRUE]
            yield (about.entity, about.shape.attribute), found


def _probabilities(component: Component, variable: Variable) -> Floats:
    """Return how likely each state of a variable is before the rules."""
    held = component.items[variable.item].held_off()
    return held if variable.statement is None else _yes_no(held[variable.statement])


def _yes_no(true: float) -> Floats:
    return np.array([1.0 - true, true])


def _refuse(component: Component) -> None:
    """Name an entity for which the hard rules cannot all hold."""
    items = component.items
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
