"""Rules that cannot hold together: repeated ones, circles and contradictions, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from veracity.data.encode.attributes import AttributeProfile
from veracity.data.rules.rule import Rule, numbered
from veracity.errors import InputError, listing, suggestion


class Literal(NamedTuple):
    """A statement of rules: an attribute, and the form in which its value is compared."""

    attribute: str
    key: str


@dataclass(frozen=True)
class Ends:
    """A rule, with its two statements as literals."""

    rule: Rule
    first: Literal
    second: Literal


def checked(
    rules: Sequence[Rule],
    attributes: Sequence[AttributeProfile],
    key: Callable[[str, str], str],
) -> list[Ends]:
    """Return rules with their statements, and refuse those that make no sense together.

    Parameters
    ----------
    rules
        The rules.
    attributes
        Those that the claims are about.
    key
        Gives the form in which a value of an attribute is compared.
    """
    names = [profile.name for profile in attributes]
    ends = []
    for rule in rules:
        for name in (rule.if_attribute, rule.then_attribute):
            if name not in names:
                raise InputError(
                    f"Rule {rule.number} ({rule}) is about {name!r}, but no claim is."
                    f"{suggestion(name, names)} The claims are about {listing(names)}."
                )
        first = Literal(rule.if_attribute, key(rule.if_attribute, rule.if_value))
        second = Literal(rule.then_attribute, key(rule.then_attribute, rule.then_value))
        if first == second:
            raise InputError(
                f"Rule {rule.number} ({rule}) names one statement twice. Expected two statements."
            )
        ends.append(Ends(rule, first, second))
    _check_repeated(ends)
    several = {profile.name for profile in attributes if profile.kind == "multiple"}
    hard = [end for end in ends if end.rule.is_hard]
    _check_circles(hard)
    _check_contradictions(hard, several)
    return ends


def _check_repeated(ends: Sequence[Ends]) -> None:
    """Refuse two rules about the same statements; who excludes whom makes no difference."""
    seen: dict[tuple[object, ...], Rule] = {}
    for end in ends:
        pair = (end.first, end.second)
        statements = pair if end.rule.kind == "implies" else tuple(sorted(pair))
        before = seen.setdefault((end.rule.kind, *statements), end.rule)
        if before is not end.rule:
            raise InputError(
                f"Rule {end.rule.number} repeats rule {before.number}: {end.rule}. Leave one out."
            )


def _steps(hard: Sequence[Ends]) -> dict[Literal, list[Ends]]:
    """Return what follows from each statement, in one step."""
    steps: dict[Literal, list[Ends]] = {}
    for end in hard:
        if end.rule.kind == "implies":
            steps.setdefault(end.first, []).append(end)
    return steps


def _check_circles(hard: Sequence[Ends]) -> None:
    """Refuse hard rules by which a statement implies itself."""
    steps = _steps(hard)
    for start in steps:
        chain = _chains(start, steps, back=True).get(start)
        if chain:
            said = " implies ".join(f"{one.attribute} = {one.key}" for one in _stations(chain))
            raise InputError(
                f"{numbered([end.rule for end in chain])} go round in a circle: {said}. Leave one "
                "out; or, if the statements are to be true together, give one a weight (20 is as "
                "good as hard)."
            )


def _check_contradictions(hard: Sequence[Ends], several: set[str]) -> None:
    """Refuse hard rules by which a statement could never be true."""
    steps = _steps(hard)
    excluded = [end for end in hard if end.rule.kind == "excludes"]
    for start in steps:
        chains = {start: [], **_chains(start, steps)}
        for end in excluded:
            if end.first in chains and end.second in chains:
                _refuse(start, [*chains[end.first], *chains[end.second], end])
        values: dict[str, Literal] = {}
        for found in chains:
            other = values.setdefault(found.attribute, found)
            if other != found and found.attribute not in several:
                why = f" {found.attribute} has one value, not both {other.key} and {found.key}."
                _refuse(start, [*chains[other], *chains[found]], why)


def _refuse(start: Literal, chain: Sequence[Ends], why: str = "") -> None:
    rules = list(dict.fromkeys(end.rule for end in chain))
    said = "; ".join(str(rule) for rule in rules)
    verb = "contradicts itself" if len(rules) == 1 else "contradict one another"
    raise InputError(
        f"{numbered(rules)} {verb}: {said}.{why} By them, {start.attribute} = {start.key} could "
        "never be true. Correct or leave out one, or give one a weight to make it soft."
    )


def _chains(
    start: Literal, steps: Mapping[Literal, Sequence[Ends]], back: bool = False
) -> dict[Literal, list[Ends]]:
    """Return the rules that lead from a statement to each one that follows from it.

    `back` asks for the way back to the statement itself, too.
    """
    chains: dict[Literal, list[Ends]] = {}
    waiting: list[tuple[Literal, list[Ends]]] = [(start, [])]
    while waiting:
        at, chain = waiting.pop(0)
        for end in steps.get(at, ()):
            if end.second in chains or (end.second == start and not back):
                continue
            chains[end.second] = [*chain, end]
            waiting.append((end.second, chains[end.second]))
    return chains


def _stations(chain: Sequence[Ends]) -> Iterator[Literal]:
    yield chain[0].first
    for end in chain:
        yield end.second
