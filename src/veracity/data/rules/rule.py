"""Rule: one statement about an entity implies or excludes another about the same entity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["implies", "excludes"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table of rules.

    Attributes
    ----------
    number
        Of the row, from 1.
    if_attribute, if_value, then_attribute, then_value
        The two statements, about the same entity.
    kind
        ``implies``: where the first is true, so is the second. ``excludes``: not both are true.
    weight
        How much less likely it is that an entity breaks the rule: by the factor exp(-weight). None
        for a hard rule, which no entity breaks.
    """

    number: int
    if_attribute: str
    if_value: str
    then_attribute: str
    then_value: str
    kind: Kind
    weight: float | None = None

    @property
    def is_hard(self) -> bool:
        """Whether no entity breaks it."""
        return self.weight is None

    @property
    def penalty(self) -> float:
        """What an entity that breaks the rule loses in log-probability."""
        return math.inf if self.weight is None else self.weight

    def __str__(self) -> str:
        return (
            f"{self.if_attribute} = {self.if_value} {self.kind} "
            f"{self.then_attribute} = {self.then_value}"
        )


def numbered(rules: tuple[Rule, ...] | list[Rule]) -> str:
    """Name rules by their numbers: ``Rule 3``, ``Rules 1 and 3``, ``Rules 1, 2 and 5``."""
    numbers = [str(number) for number in sorted({rule.number for rule in rules})]
    if len(numbers) == 1:
        return f"Rule {numbers[0]}"
    return f"Rules {', '.join(numbers[:-1])} and {numbers[-1]}"
