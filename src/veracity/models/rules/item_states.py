"""ItemStates: what an item can be, as far as rules speak of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats

#: No model is taken to be surer than this; what is known for certain is.
CERTAIN = 1e-12

#: A statement of rules that an item's claims know of, by its number; what stands for all others.
OTHERS, UNCLAIMED = -1, -2
#: The states of a statement that is judged by itself.
FALSE, TRUE = 0, 1


@dataclass(frozen=True, slots=True)
class Shape:
    """The variables of an item, without their probabilities.

    Attributes
    ----------
    attribute
        Of the item.
    states
        Of an item with one true value: the number of each statement that rules speak of, then
        `OTHERS` for the other claimed values, if any, and `UNCLAIMED` for values that nobody
        claims, if there may be any. Of statements that are judged by themselves: their numbers.
    one_value
        Whether one value is true, so that the item is one variable; else each statement is one.
    """

    attribute: str
    states: tuple[int, ...]
    one_value: bool


@dataclass(frozen=True, eq=False, slots=True)
class ItemStates:
    """An item of an entity, and how likely each of its states is before the rules.

    ``probability`` belongs to ``shape.states``: it sums to one where one value is true; else it is
    that of each statement's being true. ``certain`` says that its truth was given.
    """

    entity: str
    shape: Shape
    probability: Floats
    certain: bool

    def held_off(self) -> Floats:
        """Return probabilities away from 0 and 1, unless the truth was given."""
        if self.certain:
            return self.probability
        if not self.shape.one_value:
            return np.clip(self.probability, CERTAIN, 1.0 - CERTAIN)
        held = np.maximum(self.probability, CERTAIN)
        return np.asarray(held / held.sum())
