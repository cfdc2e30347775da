"""Why a number is believed: the share of each claim in the estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.claims import Claims
from veracity.models.base import Judgement
from veracity.models.explanation import Bill, Explainer, Explanation
from veracity.models.forms.number.judging import CALIBRATED, SPREAD, Judged
from veracity.models.forms.number.scale import from_scale
from veracity.models.forms.number.sources import gross_chance

#: The last step of the evidence for a value.
TOLERANCE = "how likely the truth is within the tolerance of it"


@dataclass(frozen=True, slots=True)
class Weight:
    """The part of a claim in the estimate of an item.

    ``expected`` is the claim less the bias of its source; ``share`` its share in the estimate;
    ``pull`` by how much the estimate would be less without it, other shares growing alike.
    ``bias`` and ``sd`` are those of its source about this item: amounts or, if ``relative``, parts
    of the truth. ``gross`` marks a claim further off than the errors of its source explain.
    """

    source: str
    value: float
    expected: float
    share: float
    pull: float
    bias: float
    sd: float
    relative: bool
    gross: bool
    claim: int


@dataclass(frozen=True)
class NumberExplanation(Explanation):
    """The evidence for an estimate: one weight for each claim, the heaviest first.

    ``interval`` says what low and high are: the spread of the sources, or calibrated by labels.
    """

    estimate: float = np.nan
    low: float = np.nan
    high: float = np.nan
    interval: str = SPREAD
    weights: tuple[Weight, ...] = ()

    def renumbered(self, claims: Indices) -> NumberExplanation:
        """Return it with the claims of a part numbered as they are among all."""
        found = super().renumbered(claims)
        assert isinstance(found, NumberExplanation)
        weights = (replace(one, claim=int(claims[one.claim])) for one in self.weights)
        return replace(found, weights=tuple(weights))

    def __str__(self) -> str:
        if not self.weights:
            return super().__str__()
        what = "90 % interval" if self.interval == CALIBRATED else SPREAD
        lines = [
            f"{self.attribute} of {self.entity}",
            "",
            f"{self.estimate:.6g}, {what} {self.low:.6g} to {self.high:.6g}",
            "",
            "   share  claim, less the bias of its source (standard deviation)",
        ]
        return "\n".join([*lines, *map(_weight_text, self.weights)])


def _weight_text(weight: Weight) -> str:
    bias, sd = (
        (f"{weight.bias:+.1%}", f"{weight.sd:.1%}")
        if weight.relative
        else (f"{weight.bias:+.4g}", f"{weight.sd:.4g}")
    )
    gross = ", a gross error" if weight.gross else ""
    return (
        f"  {weight.share:6.1%}  {weight.source} says {weight.value:.6g}, "
        f"so {weight.expected:.6g} (bias {bias}, sd {sd}{gross})"
    )


class NumberExplainer(Explainer):
    """Explains the estimates of numbers.

    The evidence for a value is the logarithm of the likelihood of the claims if it is the truth,
    less that at the estimate; then comes a step to the probability that the truth is close to it.

    Parameters
    ----------
    claims, judgement, judged
        The claims, and what the model finds about them.
    reliability
        Of each claim's source; (n_claims,).
    """

    def __init__(
        self, claims: Claims, judgement: Judgement, judged: Judged, reliability: Floats
    ) -> None:
        super().__init__(claims, judgement.plausibility, reliability, 1.0 - reliability)
        self._judged = judged
        numbers = judged.found.numbers
        self._place = {item: place for place, item in enumerate(numbers.item.tolist())}
        self._share, self._gross = judged.found.share, gross_chance(judged.found) > 0.5

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, in numbers."""
        first, last = self.matrix.statement_start[item : item + 2].tolist()
        place = self._place.get(item)
        if place is None:
            return [
                Bill(one, 0.0, [], [], [], [], "share of the claims") for one in range(first, last)
            ]
        found = self._judged.found
        numbers = found.numbers
        own = slice(int(numbers.start[place]), int(numbers.start[place + 1]))
        claims, said = numbers.claim[own].tolist(), numbers.statement[own]
        bias = found.spread[place] * found.parameters.bias[numbers.cell[own]]
        expected = numbers.u[own] - bias
        precision = numbers.weight[own] * found.calm[own] / found.noise[own]
        values = dict(zip(said.tolist(), numbers.u[own].tolist(), strict=True))
        bills = []
        for statement in range(first, last):
            if statement not in values:
                bills.append(Bill(statement, 0.0, [], [], [], [], "not a number"))
                continue
            at = (expected - values[statement]) ** 2 - (expected - self._judged.centre[place]) ** 2
            added = (-0.5 * precision * at).tolist()
            claimed = (said == statement).tolist()
            bills.append(Bill(statement, 0.0, claims, added, claimed, [], TOLERANCE))
        return bills

    def item(self, item: int) -> Explanation:
        """Take the estimate of an item apart."""
        plain = super().item(item)
        place = self._place.get(item)
        if place is None:
            return plain
        judged = self._judged
        return NumberExplanation(
            plain.entity,
            plain.attribute,
            plain.statements,
            plain.families,
            float(judged.value[place]),
            float(judged.low[place]),
            float(judged.high[place]),
            CALIBRATED if judged.calibrated[place] else SPREAD,
            self._weights(place),
        )

    def _weights(self, place: int) -> tuple[Weight, ...]:
        found = self._judged.found
        numbers, learned = found.numbers, found.parameters
        is_log = learned.is_log[numbers.attribute[place : place + 1]]
        weights = []
        for j in range(int(numbers.start[place]), int(numbers.start[place + 1])):
            bias = float(found.spread[place] * learned.bias[numbers.cell[j]])
            sd = float(np.sqrt(found.scale[place] * learned.error[numbers.cell[j]]))
            expected = float(from_scale(numbers.u[j : j + 1] - bias, is_log)[0])
            share = float(self._share[j])
            rest = max(1.0 - share, 1e-12)
            away = float(numbers.u[j] - bias - found.location[place])
            pull = from_scale(np.array([found.location[place] - share / rest * away]), is_log)
            at = from_scale(found.location[place : place + 1], is_log)
            weights.append(
                Weight(
                    self._sources[int(self.matrix.source_index[numbers.claim[j]])],
                    float(numbers.value[j]),
                    expected,
                    share,
                    float(at[0] - pull[0]) if share < 1 else 0.0,
                    bias,
                    sd,
                    bool(is_log[0]),
                    bool(self._gross[j]),
                    int(numbers.claim[j]),
                )
            )
        return tuple(sorted(weights, key=lambda one: -one.share))
