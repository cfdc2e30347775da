"""Evidence of claims about their sources' rates, each claim left out; sums over claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.encode.denials import CLAIMS_TOO, REDUNDANT, SPEAKS_AND_CLAIMS
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.rate_likelihood import Evidence, level_of, rate_of

#: Numbers, or rows of numbers, of each source, by name.
PerSource = dict[str, Floats]

RATES = ("reliability", "tpr", "fpr")
#: So many claims are looked at together, and more where there are more sources: what is worked out
#: of them takes little room then.
TOGETHER = 1 << 17


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Claims, with what is believed of them; one entry for each claim, unless said otherwise.

    Attributes
    ----------
    source
        Who claims.
    denies
        Marks claims that a statement is false.
    heard
        Marks claims that count.
    binary
        Marks claims whose statements are judged by themselves, so that tpr and fpr are two numbers.
    rates
        The fitted reliability, tpr and fpr, by name.
    others
        How many values are wrong, D - 1.
    floor
        The least e^u; one number.
    before
        q, the probability of the claim's statement by what the others say.
    denied
        How many true and how many false statements each source denies by naming others, by name;
        (n_sources,). Only where an item may have several true values.
    """

    source: npt.NDArray[np.int32]
    denies: Mask
    heard: Mask
    binary: Mask
    rates: dict[str, Floats]
    others: Floats
    floor: float
    before: Floats
    denied: PerSource

    @classmethod
    def of(cls, block: BlockObjective, own: ParameterVector) -> LeaveOneOut:
        """Take each claim's own word out of what a fitted model believes of its statement."""
        data, matrix = block.data, block.data.matrix
        others, binary = np.ones(matrix.n_claims), np.zeros(matrix.n_claims, np.bool_)
        for model, parameters, _ in block.models(own):
            items = model.parameters.range
            claims = data.claims_of(items.first, items.last)
            others[claims] = model.n_wrong_values(parameters, claims)
            binary[claims] = model.is_per_statement
        rates = block.rates(own)
        # Rounding lets a sum of probabilities be a little more than 1.
        plausibility = np.minimum(block.posterior(own).plausibility, 1.0)
        yes, part = matrix.claim_value == 1, data.roles.role
        before = np.empty(matrix.n_claims)
        for here in _slices(matrix.n_claims):
            p, says = plausibility[matrix.statement_index[here]], yes[here]
            true = p * np.where(says, rates.fpr[here], 1.0 - rates.fpr[here])
            false = (1.0 - p) * np.where(says, rates.tpr[here], 1.0 - rates.tpr[here])
            before[here] = true / np.maximum(true + false, 1e-300)
        return cls(
            matrix.source_index,
            ~yes,
            part != REDUNDANT,
            binary,
            {"reliability": rates.right, "tpr": rates.tpr, "fpr": rates.fpr},
            others,
            data.floor,
            before,
            {
                "true": _not_named(matrix, part, binary, plausibility),
                "false": _not_named(matrix, part, binary, 1.0 - plausibility),
            },
        )

    def about(self, chosen: Mask) -> LeaveOneOut:
        """Return the claims of some sources, which are marked; (n_sources,)."""
        if chosen.all():
            return self
        number = np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)
        source = number[self.source]
        here = np.flatnonzero(source >= 0)
        denied = {what: weight[chosen] for what, weight in self.denied.items()}
        return replace(self._at(here), source=source[here], denied=denied)

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return len(self.denied["true"])

    @property
    def chance(self) -> Floats:
        """c, the odds of being right by guessing."""
        return np.asarray(self.floor / self.others)

    def outline(self) -> PerSource:
        """Return how much there is, and about where."""
        sums = _added(part._outline() for part in self._parts())
        return sums | {f"denied {what}": weight for what, weight in self.denied.items()}

    def at_nodes(self, reach: PerSource) -> PerSource:
        """Return the log-likelihood at the nodes, for each rate in question."""
        return _added(part._at_nodes(reach) for part in self._parts())

    def at_ends(self, shifts: PerSource) -> PerSource:
        """Return the sums of rates at the low and at the high end of each interval."""
        return _added(part._at_ends(shifts) for part in self._parts())

    def _parts(self) -> Iterator[LeaveOneOut]:
        """Return some of the claims after the other."""
        for here in _slices(len(self.source), max(TOGETHER, self.n_sources)):
            yield self._at(here)

    def _at(self, here: slice | Indices) -> LeaveOneOut:
        """Return the claims at some places."""
        return LeaveOneOut(
            self.source[here],
            self.denies[here],
            self.heard[here],
            self.binary[here],
            {rate: of_claim[here] for rate, of_claim in self.rates.items()},
            self.others[here],
            self.floor,
            self.before[here],
            self.denied,
        )

    def _outline(self) -> PerSource:
        apart = self.binary
        sums = {rate: self._sum(of_claim) for rate, of_claim in self.rates.items()}
        sums["count"] = self._sum(np.ones(len(self.source)))
        sums["binary"] = self._sum(np.ones(int(apart.sum())), apart)
        sums["chance"] = self._sum(self.chance[apart], apart)
        for rate in RATES:
            outline = self._said(rate).outline
            sums[f"{rate} n_claims"] = outline.n_claims
            sums[f"{rate} level"] = outline.level
            sums[f"{rate} information"] = outline.information
            sums[f"{rate} level of binary"] = self._sum(self._level(rate, apart), apart)
        return sums

    def _at_nodes(self, reach: PerSource) -> PerSource:
        return {rate: self._said(rate).at_nodes(so_far) for rate, so_far in reach.items()}

    def _at_ends(self, shifts: PerSource) -> PerSource:
        level, level_of_tpr = (level_of(self.rates[rate], self.chance) for rate in RATES[:2])
        sums: PerSource = {}
        for end, other_end in (("low", "high"), ("high", "low")):
            shift = shifts[f"reliability {end}"][self.source]
            right = rate_of(level + shift, self.chance)
            tpr = rate_of(level_of_tpr + shift, self.chance)
            fpr = moved_fpr(self.rates["fpr"], self.rates["reliability"], right)
            if self.binary.any():
                self._set_apart("tpr", tpr, shifts[f"tpr {end}"])
                self._set_apart("fpr", fpr, shifts[f"fpr {other_end}"])
            sums |= {f"reliability {end}": self._sum(right), f"tpr {end}": self._sum(tpr)}
            sums[f"fpr {other_end}"] = self._sum(fpr)  # low where the other two are high
        return sums

    def _set_apart(self, rate: str, end: Floats, shift: Floats) -> None:
        """Set an end of tpr or fpr of claims whose statements are judged by themselves."""
        apart = self.binary
        end[apart] = rate_of(self._level(rate, apart) + shift[self.source[apart]], 0.0)

    def _sum(self, of_claim: Floats, which: Mask | slice = slice(None)) -> Floats:
        """Add up numbers of all claims, or of some, for each source; (n_sources,)."""
        return sum_by(self.source[which], of_claim, self.n_sources)

    def _level(self, rate: str, which: Mask) -> Floats:
        """Return the levels of a rate of some claims."""
        chance = self.chance[which] if rate == "reliability" else 0.0
        return level_of(self.rates[rate][which], chance)

    def _said(self, rate: str) -> Evidence:
        """Return what the claims themselves say about a rate.

        A claim that a statement is true has the probability alpha + beta r.
        """
        which = self.heard if rate == "reliability" else self.heard & self.binary
        q, denies = self.before[which], self.denies[which]
        if rate == "reliability":
            chance = self.chance[which]
            alpha = (1.0 - q) / self.others[which]
            beta = q - alpha
        else:
            chance = np.zeros(len(q))
            beta, other = (q, "fpr") if rate == "tpr" else (1.0 - q, "tpr")
            alpha = (1.0 - beta) * self.rates[other][which]
        return Evidence(
            self.n_sources,
            self.source[which],
            self._level(rate, which),
            chance,
            np.where(denies, 1.0 - alpha, alpha),
            np.where(denies, -beta, beta),
            np.ones(len(q)),
        )


def _slices(n_claims: int, size: int = TOGETHER) -> Iterator[slice]:
    """Return where some claims after the other are; one slice if there are none."""
    for first in range(0, max(n_claims, 1), size):
        yield slice(first, first + size)


def _added(sums: Iterable[PerSource]) -> PerSource:
    """Add up what several parts give, one after the other."""
    of_parts = iter(sums)
    total = next(of_parts)
    for more in of_parts:
        for name, numbers in more.items():
            total[name] += numbers
    return total


def moved_fpr(fpr: Floats, right: Floats, moved: Floats) -> Floats:
    """Return the fpr of claims whose probability of being right has moved.

    What is wrong more often is so in the same ways, so an fpr that is a part of being wrong moves
    in proportion to it. That of a value which a source prefers can be larger than its share of
    wrong claims: then the odds are in proportion, so that it stays below 1.
    """
    wrong, moved_wrong = np.maximum(1.0 - right, 1e-12), np.maximum(1.0 - moved, 0.0)
    odds = fpr * moved_wrong * (1.0 - wrong)
    against = (1.0 - fpr) * wrong * (1.0 - moved_wrong)
    by_odds = odds / np.maximum(odds + against, 1e-300)
    return np.asarray(np.where(fpr <= wrong, fpr * moved_wrong / wrong, by_odds))


def _not_named(
    matrix: ClaimMatrix, part: npt.NDArray[np.uint8], binary: Mask, of_statement: Floats
) -> Floats:
    """Sum a number over the statements that each source speaks about and does not name."""
    if not binary.any():
        return np.zeros(matrix.n_sources)
    speaks = binary & (part == SPEAKS_AND_CLAIMS)
    names = binary & ((part == CLAIMS_TOO) | (part == SPEAKS_AND_CLAIMS))
    of_item = matrix.sum_by_item(of_statement)[matrix.item_of_claim]
    of_claim = of_statement[matrix.statement_index]
    return matrix.sum_by_source(np.where(speaks, of_item, 0.0) - np.where(names, of_claim, 0.0))
