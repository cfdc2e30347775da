"""Classes: the labels that a label model chooses from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.compat.snorkel.votes import ABSTAIN, check_labels, is_number, plain
from veracity.data.arrays import Floats, Indices
from veracity.errors import InputError, InvalidParameter, listing, suggestion

TIE_BREAKS = ("abstain", "random", "true-random")
#: Probabilities that differ by less are tied.
SAME = 1e-5


@dataclass(frozen=True)
class Classes:
    """The labels of a model: 0, 1, ... as in Snorkel, or any texts."""

    labels: tuple[Any, ...]

    @classmethod
    def of(cls, found: npt.NDArray[Any], cardinality: int) -> Classes:
        """Return the classes of the votes in a matrix."""
        distinct = sorted(set(found.tolist()), key=lambda label: (not is_number(label), str(label)))
        if not all(is_number(label) for label in distinct):
            check_labels(distinct, cardinality)
            return cls(tuple(distinct))
        outside = [label for label in distinct if not 0 <= label < cardinality]
        if outside:
            raise InputError(
                f"L must hold labels from 0 to {cardinality - 1}, and -1 for abstain. It also has "
                f"{listing(outside, 5)}. Set cardinality={max(distinct) + 1}, or number the labels "
                "from 0."
            )
        return cls(tuple(range(cardinality)))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def are_numbers(self) -> bool:
        """Whether labels are whole numbers."""
        return all(is_number(label) for label in self.labels)

    def places(self, labels: Any, what: str) -> Indices:
        """Return the place of each label, -1 for an abstention."""
        place = {label: i for i, label in enumerate(self.labels)} | {
            ABSTAIN: ABSTAIN,
            None: ABSTAIN,
        }
        try:
            return np.array([place[label] for label in plain(labels).ravel().tolist()], np.int64)
        except KeyError as error:
            raise InputError(
                f"{what} has a label that the fit has not seen: {error.args[0]!r}. The labels are "
                f"{listing(self.labels, 8)}."
            ) from None

    def named(self, places: Indices) -> npt.NDArray[Any]:
        """Return labels by their places; abstentions are -1, or None among texts."""
        if self.are_numbers:
            return places
        names = np.array([*self.labels, None], object)
        return np.asarray(names[places])


def choose(probabilities: Floats, policy: str, seed: int = 0) -> Indices:
    """Return the most probable class of each row; ties by the policy, -1 for an abstention."""
    if policy not in TIE_BREAKS:
        raise InvalidParameter(
            f"tie_break_policy must be one of {listing(TIE_BREAKS)}. Got {policy!r} instead."
            f"{suggestion(policy, TIE_BREAKS)}"
        )
    tied = np.abs(probabilities - probabilities.max(axis=1, keepdims=True)) < SAME
    n_tied = tied.sum(axis=1)
    if policy == "abstain":
        return np.where(n_tied > 1, ABSTAIN, tied.argmax(axis=1))
    rows = np.arange(len(tied))
    if policy == "random":  # the same at every call
        wanted = np.random.default_rng(seed).integers(1 << 32, size=len(rows)) % n_tied
    else:
        wanted = np.random.default_rng().integers(1 << 32, size=len(rows)) % n_tied
    return np.asarray((np.cumsum(tied, axis=1) == wanted[:, None] + 1).argmax(axis=1), np.int64)
