"""Terms as plain data and arrays, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from veracity.models.grbm.terms.base import Arrays, Term
from veracity.models.grbm.terms.confidence import Confidence
from veracity.models.grbm.terms.domains import Domains
from veracity.models.grbm.terms.smooth import Smooth

#: The kinds of terms, by the names under which they are saved.
KINDS: dict[str, Any] = {kind.kind: kind for kind in (Confidence, Domains, Smooth)}


def terms_state(terms: Sequence[Term]) -> tuple[list[dict[str, Any]], Arrays]:
    """Return terms as plain data and arrays."""
    described: list[dict[str, Any]] = []
    arrays: Arrays = {}
    for number, term in enumerate(terms):
        own, own_arrays = term.state()
        described.append({"kind": term.kind, **own})
        arrays |= {f"term.{number}.{name}": array for name, array in own_arrays.items()}
    return described, arrays


def terms_of_state(described: Sequence[dict[str, Any]], arrays: Arrays) -> tuple[Term, ...]:
    """Return the terms that were saved."""
    made: list[Term] = []
    for number, own in enumerate(described):
        before = f"term.{number}."
        mine = {
            name.removeprefix(before): array
            for name, array in arrays.items()
            if name.startswith(before)
        }
        rest = {name: value for name, value in own.items() if name != "kind"}
        made.append(KINDS[own["kind"]].of_state(rest, mine))
    return tuple(made)
