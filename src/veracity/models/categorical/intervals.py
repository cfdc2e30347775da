"""How well a source is known: intervals of its reliability, tpr and fpr.

The fit draws the deviations of all sources to nothing with one strength, whatever they are like.
For intervals that is not enough: where all sources are alike, a few claims say little against
that, and where they are not, a few claims leave more open than such a prior admits. So the scatter
of the sources is estimated from all of them (`scatter`), and what the claims of each say
(`evidence`) is weighed against it. The rates that are shown stay those of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.matrix import ClaimMatrix, Floats, sum_by
from veracity.data.results import SourceRates
from veracity.models.categorical.binary_part import BinaryPart
from veracity.models.categorical.coin_part import CoinPart
from veracity.models.categorical.evidence import Evidence, level_of, rate_of
from veracity.models.categorical.fitting import Objective
from veracity.models.categorical.parts import Part
from veracity.models.categorical.scatter import interval_shifts
from veracity.models.categorical.scene import ClaimRates
from veracity.models.rbm.layout import CLAIMS_TOO, REDUNDANT, SPEAKS_AND_CLAIMS

#: Low and high end of a rate, for each claim.
Ends = tuple[Floats, Floats]


def rates_with_intervals(objective: Objective, x: Floats) -> SourceRates:
    """Average the rates of each source's claims, with intervals that hold them 9 times in 10."""
    matrix = objective.scene.matrix
    count = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    rates = objective.rates(x)
    witness = _Witness.of(objective, rates, objective.judge(x).posterior)
    ends = witness.ends()

    def by_source(of_claim: Floats) -> Floats:
        return np.asarray(matrix.sum_by_source(of_claim) / count)

    bounds = {}
    for name, shown in (("reliability", rates.right), ("tpr", rates.tpr), ("fpr", rates.fpr)):
        low, high = (by_source(end) for end in ends[name])
        # What is shown is always inside.
        bounds[f"{name}_low"] = np.minimum(low, by_source(shown))
        bounds[f"{name}_high"] = np.maximum(high, by_source(shown))
    return SourceRates(*map(by_source, (rates.right, rates.tpr, rates.fpr)), **bounds)


@dataclass(frozen=True, eq=False)
class _Witness:
    """What claims have to say about the rates of their sources.

    Attributes
    ----------
    objective, rates
        The fitted model, and the rates of claims.
    posterior
        The probability of each statement; (n_statements,).
    before
        q, the probability of each claim's statement by what the others say; (n_claims,).
    others
        How many values are wrong, D - 1; (n_claims,).
    binary
        Marks claims whose statements are judged by themselves, so that tpr and fpr are two numbers;
        (n_claims,).
    """

    objective: Objective
    rates: ClaimRates
    posterior: Floats
    before: Floats
    others: Floats
    binary: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, objective: Objective, rates: ClaimRates, posterior: Floats) -> _Witness:
        """Take each claim's own word out of what is believed of its statement."""
        matrix = objective.scene.matrix
        others, binary = np.ones(matrix.n_claims), np.zeros(matrix.n_claims, np.bool_)
        for part in objective.parts:
            block = part.block
            claims = slice(
                int(matrix.claim_start[block.first]), int(matrix.claim_start[block.last])
            )
            others[claims] = _n_others(part, matrix, claims)
            binary[claims] = isinstance(part, BinaryPart)
        yes = matrix.claim_value == 1
        p = posterior[matrix.statement_index]
        true = p * np.where(yes, rates.fpr, 1.0 - rates.fpr)
        false = (1.0 - p) * np.where(yes, rates.tpr, 1.0 - rates.tpr)
        before = true / np.maximum(true + false, 1e-300)
        return cls(objective, rates, posterior, before, others, binary)

    @property
    def matrix(self) -> ClaimMatrix:
        """The claims."""
        return self.objective.scene.matrix

    def ends(self) -> dict[str, Ends]:
        """Return the ends of each claim's rates, by name."""
        rates, source = self.rates, self.matrix.source_index
        chance = self.objective.scene.floor / self.others
        level, level_of_tpr = level_of(rates.right, chance), level_of(rates.tpr, chance)
        low, high = (shift[source] for shift in interval_shifts(self._about_right(level, chance)))
        right = rate_of(level + low, chance), rate_of(level + high, chance)
        tpr = rate_of(level_of_tpr + low, chance), rate_of(level_of_tpr + high, chance)
        # What is wrong more often is so in the same ways.
        wrong = rates.fpr / np.maximum(1.0 - rates.right, 1e-12)
        fpr = wrong * (1.0 - right[1]), wrong * (1.0 - right[0])
        if self.binary.any():
            self._set_apart(rates.tpr, tpr, self.before, (1.0 - self.before) * rates.fpr)
            self._set_apart(rates.fpr, fpr, 1.0 - self.before, self.before * rates.tpr)
        return {"reliability": right, "tpr": tpr, "fpr": fpr}

    def _about_right(self, level: Floats, chance: Floats) -> Evidence:
        """Return what all claims say about how often their source is right."""
        by_mistake = (1.0 - self.before) / self.others
        said = self._said(self._heard, level, chance, by_mistake, self.before - by_mistake)
        true, false = self.denied
        return Evidence.together(
            [said, self._denied(true, level, chance, -1), self._denied(false, level, chance, 1)]
        )

    def _set_apart(self, rate: Floats, ends: Ends, beta: Floats, alpha: Floats) -> None:
        """Set the ends of tpr or fpr of statements that are judged by themselves.

        beta is the probability that the statement is such that the rate counts, alpha that of the
        claim if not.
        """
        level, none = level_of(rate, 0.0), np.zeros(len(rate))
        said = self._said(self._heard & self.binary, level, none, alpha, beta)
        denied = self.denied[0 if rate is self.rates.tpr else 1]
        evidence = Evidence.together([said, self._denied(denied, level, none, -1)])
        source = self.matrix.source_index
        for end, shift in zip(ends, interval_shifts(evidence), strict=True):
            end[self.binary] = rate_of(level + shift[source], 0.0)[self.binary]

    @property
    def _heard(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self.objective.scene.layout.part != REDUNDANT)

    def _said(
        self,
        heard: npt.NDArray[np.bool_],
        level: Floats,
        chance: Floats,
        alpha: Floats,
        beta: Floats,
    ) -> Evidence:
        """Return what claims themselves say; alpha and beta are those of saying yes."""
        no = self.matrix.claim_value[heard] == 0
        alpha, beta = alpha[heard], beta[heard]
        return Evidence(
            self.matrix.n_sources,
            self.matrix.source_index[heard],
            level[heard],
            chance[heard],
            np.where(no, 1.0 - alpha, alpha),
            np.where(no, -beta, beta),
            np.ones(len(no)),
        )

    def _denied(self, weight: Floats, level: Floats, chance: Floats, sign: int) -> Evidence:
        """Return what it says that sources do not claim other values, as often as weights tell.

        With sign 1 that is right, with -1 wrong.
        """
        n_sources, who = self.matrix.n_sources, np.flatnonzero(weight > 0)
        source = self.matrix.source_index[self.binary]
        count = np.maximum(np.bincount(source, minlength=n_sources), 1)
        mean_level, mean_chance = (
            (sum_by(source, of_claim[self.binary], n_sources) / count)[who]
            for of_claim in (level, chance)
        )
        beta = np.full(len(who), float(sign))
        alpha = np.zeros(len(who)) if sign > 0 else np.ones(len(who))
        return Evidence(n_sources, who, mean_level, mean_chance, alpha, beta, weight[who])

    @cached_property
    def denied(self) -> tuple[Floats, Floats]:
        """How many true and false statements each source denies by naming others; (n_sources,).

        Only where an item may have several true values.
        """
        matrix, part = self.matrix, self.objective.scene.layout.part
        speaks = self.binary & (part == SPEAKS_AND_CLAIMS)
        names = self.binary & ((part == CLAIMS_TOO) | (part == SPEAKS_AND_CLAIMS))

        def not_named(of_statement: Floats) -> Floats:
            of_item = matrix.sum_by_item(of_statement)[matrix.item_of_claim]
            of_claim = of_statement[matrix.statement_index]
            left = np.where(speaks, of_item, 0.0) - np.where(names, of_claim, 0.0)
            return np.maximum(matrix.sum_by_source(left), 0.0)

        return not_named(self.posterior), not_named(1.0 - self.posterior)


def _n_others(part: Part, matrix: ClaimMatrix, claims: slice) -> Floats | float:
    """Return how many values are wrong, of the items of a part's claims."""
    if isinstance(part, CoinPart):
        return np.asarray(part.domain_size[matrix.item_of_claim[claims]] - 1.0)
    return 1.0 if isinstance(part, BinaryPart) else part.k - 1.0
