"""Sources that depend on each other, found as claims come in: counts of pairs that go on.

A copier may turn up at any time. What tells it from others are counts of the items that pairs of
sources share and agree on (`dependence`), which add over items, so that an update takes those of
its items out and puts them in anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.denials import claim_roles
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.dependence import (
    ANSWERS_OF,
    MAX_SOURCES,
    Dependence,
    answers_of,
    count_pairs,
    dependence_of,
    n_contested,
    without_copies,
)


class PairMemory:
    """Counts of pairs of sources, and who depends on whom by them.

    Attributes
    ----------
    chosen
        The sources that are compared, by place; those that come later while there is room.
    counts
        See `count_pairs`.
    group
        The group of dependent sources that each source is in, or -1.
    n_gone
        Claims that go if each group speaks once.
    """

    chosen: Indices
    counts: dict[str, Floats]
    group: Indices
    n_gone: int

    def __init__(self) -> None:
        self.chosen, self.group = np.empty(0, np.int64), np.empty(0, np.int64)
        self.counts, self.n_gone = {}, 0
        self.classes: dict[str, list[str]] = {}

    def begin(self, block: ClaimBlock, log_claim_count: Floats) -> None:
        """Count all claims."""
        count = n_contested(block.matrix)
        most = np.argsort(-count, kind="stable")[:MAX_SOURCES]
        self.chosen, self.group = np.sort(most), np.full(len(count), -1)
        self._add(block, 1.0)
        self._find(block, None, log_claim_count)

    def update(
        self, before: ClaimBlock | None, after: ClaimBlock, log_claim_count: Floats
    ) -> Dependence:
        """Count items that changed anew; `log_claim_count` has all sources, new ones too."""
        new = np.arange(len(self.group), len(log_claim_count))
        self.group = np.append(self.group, np.full(len(new), -1))
        self.chosen = np.append(self.chosen, new[: MAX_SOURCES - len(self.chosen)])
        if before is not None:
            self._add(before, -1.0)
        self._add(after, 1.0)
        for name, numbers in self.counts.items():
            self._room(name, numbers.shape[1] if name.startswith(ANSWERS_OF) else len(self.chosen))
        return self._find(after, before, log_claim_count)

    def _find(
        self, after: ClaimBlock, before: ClaimBlock | None, log_claim_count: Floats
    ) -> Dependence:
        if before is not None:
            self.n_gone -= _n_gone(before, self.group, log_claim_count)
        found = dependence_of(self.counts, self.chosen, len(self.group))
        self.group = found.group
        self.n_gone = max(self.n_gone + _n_gone(after, self.group, log_claim_count), 0)
        return found

    def _add(self, block: ClaimBlock, sign: float) -> None:
        """Add the counts of a block, or take them away."""
        for name, labels in answers_of(block.matrix).items():
            known = self.classes.setdefault(name, [])
            known += [label for label in labels if label not in known]
        local = np.flatnonzero(np.isin(block.place, self.chosen))
        of_local = np.searchsorted(self.chosen, block.place[local])
        place = np.full(len(block.place), -1)
        place[local] = np.arange(len(local))
        found = count_pairs(block.matrix, place, len(local), self._classes_in(block.matrix))
        for name, numbers in found.items():
            if name.startswith(ANSWERS_OF):
                columns = np.arange(numbers.shape[1])
                total = self._room(name, len(columns))
            else:
                columns, total = of_local, self._room(name, len(self.chosen))
            total[np.ix_(of_local, columns)] += sign * numbers

    def _classes_in(self, matrix: ClaimMatrix) -> dict[str, list[str]]:
        there = {profile.name for profile in matrix.profiles}
        return {name: labels for name, labels in self.classes.items() if name in there}

    def _room(self, name: str, width: int) -> Floats:
        """Return the counts of a name with a row for every source that is compared."""
        held = self.counts.get(name, np.zeros((0, 0)))
        size = (len(self.chosen), max(width, held.shape[1]))
        if held.shape != size:
            roomy = np.zeros(size)
            roomy[: held.shape[0], : held.shape[1]] = held
            held = roomy
        else:
            held = held.copy()
        self.counts = {**self.counts, name: held}
        return held

    # Keeping it

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything as arrays."""
        labels = "\0".join(name + "\1" + "\1".join(values) for name, values in self.classes.items())
        return {
            "chosen": self.chosen,
            "group": self.group,
            "n_gone": np.array([self.n_gone]),
            "classes": np.frombuffer(labels.encode(), np.uint8),
            **{f"counts.{name}": numbers for name, numbers in self.counts.items()},
        }

    @classmethod
    def of_state(cls, arrays: dict[str, npt.NDArray[Any]]) -> PairMemory:
        """Take over what `state` returned."""
        memory = cls()
        memory.chosen, memory.group = arrays["chosen"], arrays["group"]
        memory.n_gone = int(arrays["n_gone"][0])
        text = bytes(arrays["classes"]).decode()
        for part in text.split("\0") if text else ():
            name, *values = part.split("\1")
            memory.classes[name] = values
        memory.counts = {
            name.removeprefix("counts."): numbers
            for name, numbers in arrays.items()
            if name.startswith("counts.")
        }
        return memory


def _n_gone(block: ClaimBlock, group: Indices, log_claim_count: Floats) -> int:
    """Count the claims of a block that go if each group speaks once."""
    plain, place = claim_roles(block.matrix), block.place
    kept = without_copies(block.matrix, plain, group[place], log_claim_count[place])
    return int((kept.role != plain.role).sum())
