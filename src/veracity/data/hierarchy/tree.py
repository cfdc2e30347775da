"""Children and parents that make a tree: no cycle, and one parent each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from veracity.errors import InputError

#: Values of a cycle that an error names.
SHOWN = 6


def checked_parents(pairs: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Return the parent of each child; refuse two parents of one child, and cycles.

    A value without a parent is a root, and is left out.
    """
    parents: dict[str, str] = {}
    for child, parent in pairs:
        if not parent:
            continue
        before = parents.setdefault(child, parent)
        if before != parent:
            raise InputError(
                f"The hierarchy gives {child!r} two parents: {before!r} and {parent!r}. A value "
                "lies within one other. Remove one of the rows, or call the two values differently."
            )
    _refuse_cycles(parents)
    return parents


def path_to(label: str, parents: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ancestors of a label from the root on, and the label itself at the end."""
    found = [label]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return tuple(reversed(found))


def _refuse_cycles(parents: Mapping[str, str]) -> None:
    """Walk up from every child, and no way twice."""
    ends: set[str] = set()
    for child in parents:
        way: dict[str, None] = {}
        label = child
        while label in parents and label not in ends:
            if label in way:
                cycle = list(way)[list(way).index(label) :]
                raise InputError(
                    f"The hierarchy goes round in a circle: {_circle(cycle)}. A value cannot lie "
                    "within itself. Remove one of these rows."
                )
            way[label] = None
            label = parents[label]
        ends.update(way)


def _circle(cycle: list[str]) -> str:
    shown = [repr(label) for label in cycle[:SHOWN]]
    if len(cycle) > SHOWN:
        shown.append("...")
    return " within ".join([*shown, repr(cycle[0])])
