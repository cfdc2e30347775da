"""Why a value is believed at a time: what each claim adds, one after the other.

Claims up to the time that is asked about are taken in their order, then those after it from the
last one backwards. What a claim adds to the log-odds of a value is the difference that it makes
when it comes, so that all of it adds up to the log-odds of the plausibility.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.models.explanation import Bill, Explainer, log_odds_of
from veracity.models.forms.changing.chain import prior_of

if TYPE_CHECKING:
    from veracity.models.forms.changing.model import Chronicler

#: What is left to say when claims have been added up.
LAST = "rounding"


class ChangingExplainer(Explainer):
    """Explains items whose truth changes."""

    def __init__(self, claims: Claims, chronicler: Chronicler) -> None:
        block = ClaimBlock(claims, np.arange(claims.matrix.n_sources))
        self._histories, self._found, self._rate = chronicler.ready(
            block, chronicler.question(block)
        )
        made = self._histories.made
        tpr, fpr = np.empty(claims.matrix.n_claims), np.empty(claims.matrix.n_claims)
        tpr[self._histories.claim[made]] = self._found.tpr[made]
        fpr[self._histories.claim[made]] = self._found.fpr[made]
        plausibility = chronicler.plausibility(block)
        super().__init__(claims, plausibility, tpr, fpr, claims.matrix.claim_weight)

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item."""
        chains = self._histories.chains
        beliefs, steps = self._beliefs(item)
        claims = self._histories.claim[steps]
        first, last = self.matrix.statement_start[item : item + 2].tolist()
        bills = []
        for statement in range(first, last):
            slot = statement - first
            at = [log_odds_of(float(belief[slot])) for belief in beliefs]
            claimed = (chains.slot[steps] == slot) & ~self._histories.denies[steps]
            bills.append(
                Bill(
                    statement,
                    at[0],
                    claims.tolist(),
                    np.diff(at).tolist(),
                    claimed.tolist(),
                    (),
                    LAST,
                )
            )
        return bills

    def _beliefs(self, item: int) -> tuple[list[Floats], Indices]:
        """Return the beliefs before any claim and after each, and the steps in that order."""
        chains = self._histories.chains
        first, last, asked = chains.start[item], chains.start[item + 1], chains.asked[item]
        prior = prior_of(int(chains.n_values[item]), int(chains.domain[item]))
        states = np.arange(len(prior))
        rate, unit = self._rate[item], self._unit(item)
        before, beliefs = prior.copy(), [prior]
        for step in range(first, asked):
            kept = np.exp(-rate * chains.gap[step]) if step > first else 0.0
            before = kept * before + (1.0 - kept) * prior
            before = _scaled(before * self._likelihood(step, states))
            kept = np.exp(-rate * (chains.time[asked] - chains.time[step]) * unit)
            beliefs.append(_scaled(kept * before + (1.0 - kept) * prior))
        held, after = beliefs[-1], np.ones(len(prior))
        for step in range(last - 1, asked, -1):
            after = after * self._likelihood(step, states)
            kept = np.exp(-rate * (chains.time[step] - chains.time[asked]) * unit)
            seen = kept * after + (1.0 - kept) * (prior @ after)
            beliefs.append(_scaled(held * seen))
            kept = np.exp(-rate * chains.gap[step])
            after = kept * after + (1.0 - kept) * (prior @ after)
            after /= after.max()
        steps = np.append(np.arange(first, asked), np.arange(last - 1, asked, -1))
        return beliefs, steps.astype(np.int64)

    def _unit(self, item: int) -> float:
        """Return by what times of an item are multiplied to be in the unit of its attribute."""
        chains = self._histories.chains
        steps = slice(chains.start[item], chains.start[item + 1])
        span = chains.time[steps][-1] - chains.time[steps][0]
        return float(chains.gap[steps].sum() / span) if span > 0 else 1.0

    def _likelihood(self, step: int, states: Indices) -> Floats:
        is_claimed = states == self._histories.chains.slot[step]
        return np.asarray(np.where(is_claimed, self._found.hit[step], self._found.miss[step]))


def _scaled(belief: Floats) -> Floats:
    return np.asarray(belief / belief.sum())
