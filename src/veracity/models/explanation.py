"""Why a value is believed: the evidence as a sum of log-odds, one term per claim."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.claims import Claims
from veracity.data.clean.feature_cells import FeatureCells
from veracity.data.labels.lookup import Labels
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.results import SourceRates
from veracity.data.output.tables import Table
from veracity.errors import InputError, listing, suggestion
from veracity.models.given import GivenAt
from veracity.models.grbm.theta import sigmoid

#: Probabilities nearer to 0 or 1 than this are shown with the log-odds of this.
CERTAIN = 1e-12
#: Steps smaller than this are left out.
NOTHING = 1e-10
#: With more entities than this, those with another beginning are not offered for a misspelt one.
ENTITIES_COMPARED = 20_000


@dataclass(frozen=True, slots=True)
class Term:
    """What one source adds to the log-odds of a statement.

    ``says`` is what the source names for the item, or what it denies; ``claims`` whether it claims
    this very statement; ``claim`` the place of the claim in the claim matrix; ``weight`` how much
    it counts: less than 1 if its source repeats itself or belongs to a family that speaks.
    """

    source: str
    says: str
    claims: bool
    log_odds: float
    tpr: float
    fpr: float
    features: dict[str, Any]
    claim: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FamilyCount:
    """Members of a declared family that speak about an item, and what they count for together."""

    family: str
    n_sources: int
    counted: float

    def __str__(self) -> str:
        return (
            f"{self.n_sources:,} sources of family {self.family!r}: counted as {self.counted:.1f}"
        )


class Adjustment(NamedTuple):
    """A last step from the sum of the evidence to the plausibility, in log-odds."""

    reason: str
    log_odds: float


@dataclass(frozen=True)
class StatementEvidence:
    """The evidence for one value: what holds before anybody speaks, and one term per claim.

    ``believed`` is the plausibility where it is more than the log-odds alone make of it; the
    ``adjustments`` then lead from their sum to its log-odds.
    """

    value: str
    global_hidden_bias: float
    terms: tuple[Term, ...]
    believed: float | None = None
    adjustments: tuple[Adjustment, ...] = ()

    @property
    def log_odds(self) -> float:
        """The sum of all evidence and adjustments: the log-odds of the plausibility."""
        adjusted = sum(step.log_odds for step in self.adjustments)
        return self.global_hidden_bias + sum(term.log_odds for term in self.terms) + adjusted

    @property
    def plausibility(self) -> float:
        """As the model gives it, else sigmoid of the sum: eq. (10)."""
        if self.believed is not None:
            return self.believed
        return float(sigmoid(np.array(self.log_odds)))


@dataclass(frozen=True)
class Explanation:
    """The evidence for every value of an item, the most plausible first.

    ``families`` are the declared families of which several members speak about it.
    """

    entity: str
    attribute: str
    statements: tuple[StatementEvidence, ...]
    families: tuple[FamilyCount, ...] = ()

    def renumbered(self, claims: Indices) -> Explanation:
        """Return it with the claims of a part numbered as they are among all."""
        statements = tuple(
            replace(
                one,
                terms=tuple(replace(term, claim=int(claims[term.claim])) for term in one.terms),
            )
            for one in self.statements
        )
        return replace(self, statements=statements)

    def __str__(self) -> str:
        title = f"{self.attribute} of {self.entity}"
        return "\n".join([title, *map(str, self.families), *map(_statement_text, self.statements)])


def _statement_text(statement: StatementEvidence) -> str:
    lines = [
        "",
        f"{statement.value}: plausibility {statement.plausibility:.4f}",
        f"  {statement.global_hidden_bias:+8.3f}  before anybody speaks (b_0)",
    ]
    for term in sorted(statement.terms, key=lambda term: -abs(term.log_odds)):
        verb = "claims it" if term.claims else f"says {term.says}"
        counts = "" if term.weight == 1.0 else f", counts {term.weight:.2f}"
        lines.append(
            f"  {term.log_odds:+8.3f}  {term.source} {verb} "
            f"(tpr {term.tpr:.2f}, fpr {term.fpr:.2f}{counts})"
        )
    for step in statement.adjustments:
        lines.append(f"  {step.log_odds:+8.3f}  {step.reason}")
    lines.append(f"  {statement.log_odds:+8.3f}  in all, the log-odds of the plausibility")
    return "\n".join(lines)


class Bill(NamedTuple):
    """The evidence for a statement in numbers.

    Attributes
    ----------
    statement
        What it is about.
    before, claims, added
        Log-odds before anybody speaks, the claims that are heard, and what each of them adds.
    claimed
        Whether each of them claims the statement.
    reached
        By reason, the log-odds that further steps lead to, the plausibility's own not included.
    last
        The reason of the step to the log-odds of the plausibility.
    """

    statement: int
    before: float
    claims: Sequence[int]
    added: Sequence[float]
    claimed: Sequence[bool]
    reached: Sequence[tuple[str, float]]
    last: str

    def adjustments(self, plausibility: float) -> list[tuple[str, float]]:
        """Return the steps from the sum of the evidence to the log-odds of the plausibility."""
        at = self.before + sum(self.added)
        steps = []
        for reason, log_odds in (*self.reached, (self.last, log_odds_of(plausibility))):
            step = log_odds - at
            if step > NOTHING or step < -NOTHING:
                steps.append((reason, step))
                at = log_odds
        return steps

    def followed_by(self, plausibility: float, steps: Sequence[tuple[str, float]]) -> Bill:
        """Return the bill with steps after the one to a plausibility, each with what it leads to.

        The last of them leads to the log-odds of the plausibility that is shown.
        """
        reached = [(self.last, log_odds_of(plausibility))]
        reached += [(reason, log_odds_of(p)) for reason, p in steps[:-1]]
        return self._replace(reached=(*self.reached, *reached), last=steps[-1][0])


class Explainer(ABC):
    """Explains the items of claims by a fitted model; made once, then quick for each item.

    Parameters
    ----------
    claims
        The claims.
    plausibility
        Of each statement, as the model gives it.
    tpr, fpr
        Of each claim.
    weight
        How much each claim counts; 1 if left out.
    """

    def __init__(
        self,
        claims: Claims,
        plausibility: Floats,
        tpr: Floats,
        fpr: Floats,
        weight: Floats | None = None,
    ) -> None:
        self.claims, self.matrix = claims, claims.matrix
        self.plausibility, self.tpr, self.fpr = plausibility, tpr, fpr
        self.weight = np.ones(self.matrix.n_claims) if weight is None else weight
        matrix = self.matrix
        self._sources, self._values = Labels(matrix.sources), Labels(matrix.values)
        self._entities, self._attributes = Labels(matrix.entities), Labels(matrix.attributes)
        self._cells = FeatureCells(claims.features)
        self._given: GivenAt | None = None

    @abstractmethod
    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, without rules and assessors."""

    def add(self, given: GivenAt) -> None:
        """Explain what assessors and rules do to plausibilities, too."""
        self._given, self._by_claims = given, self.plausibility
        self.plausibility = given.plausibility

    def all_bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, in numbers."""
        bills = self.bills(item)
        steps = [] if self._given is None else self._given.steps(item)
        if not steps:
            return bills
        first = int(self.matrix.statement_start[item])
        return [
            bill.followed_by(
                float(self._by_claims[bill.statement]),
                [(reason, float(p[bill.statement - first])) for reason, p in steps],
            )
            for bill in bills
        ]

    def families(self, item: int) -> tuple[FamilyCount, ...]:
        """Return the declared families of which several members speak about an item."""
        return ()

    def item(self, item: int) -> Explanation:
        """Take the evidence for an item's values apart."""
        matrix = self.matrix
        facts: dict[int, tuple[str, str, float, float, dict[str, Any]]] = {}
        evidence = []
        for bill in self.all_bills(item):
            terms = []
            for claim, claimed, added in zip(bill.claims, bill.claimed, bill.added, strict=True):
                if claim not in facts:
                    facts[claim] = self._facts(claim)
                source, says, tpr, fpr, features = facts[claim]
                weight = float(self.weight[claim])
                terms.append(Term(source, says, claimed, added, tpr, fpr, features, claim, weight))
            believed = float(self.plausibility[bill.statement])
            evidence.append(
                StatementEvidence(
                    self._values[int(matrix.value_index[bill.statement])],
                    bill.before,
                    tuple(terms),
                    believed,
                    tuple([Adjustment(*step) for step in bill.adjustments(believed)]),
                )
            )
        evidence.sort(key=lambda one: -one.plausibility)
        return Explanation(
            self._entities[int(matrix.entity_index[item])],
            self._attributes[int(matrix.attribute_index[item])],
            tuple(evidence),
            self.families(item),
        )

    def _facts(self, claim: int) -> tuple[str, str, float, float, dict[str, Any]]:
        """Return source, what it says, rates and features of a claim."""
        matrix = self.matrix
        value = self._values[int(matrix.value_index[matrix.statement_index[claim]])]
        return (
            self._sources[int(matrix.source_index[claim])],
            value if matrix.claim_value[claim] else f"not {value}",
            float(self.tpr[claim]),
            float(self.fpr[claim]),
            self._cells.of(int(matrix.row[claim])),
        )


def log_odds_of(probability: float) -> float:
    """Return the log-odds of a probability, held within those of `CERTAIN`."""
    p = probability
    if p < CERTAIN:
        p = CERTAIN
    elif p > 1.0 - CERTAIN:
        p = 1.0 - CERTAIN
    return math.log(p) - math.log1p(-p)


def find_item(matrix: ClaimMatrix, entity: str, attribute: str | None) -> int:
    """Return the index of an item by its labels."""
    place = Labels(matrix.entities).index_of(entity)
    if place < 0:
        near = suggestion(entity, _alike(matrix.entities, entity))
        raise InputError(f"No claim is about {entity!r}.{near}")
    own = np.flatnonzero(matrix.entity_index == place)
    names = [matrix.attributes[int(matrix.attribute_index[item])].as_py() for item in own]
    if attribute is None and len(own) == 1:
        return int(own[0])
    if attribute not in names:
        asked = (
            "Say which attribute is meant"
            if attribute is None
            else f"No claim is about {attribute!r}"
        )
        raise InputError(f"{asked} of {entity!r}: {listing(names)}.")
    return int(own[names.index(attribute)])


def _alike(labels: pa.StringArray, label: str) -> list[str]:
    """Return the labels worth comparing with a misspelt one."""
    if len(labels) > ENTITIES_COMPARED:
        begins = pc.starts_with(labels, label[:2], ignore_case=True)
        labels = labels.filter(begins).slice(0, ENTITIES_COMPARED)
    return list(labels.to_pylist())


def parameters_table(matrix: ClaimMatrix, numbers: Mapping[str, Floats]) -> Table:
    """Return numbers of each claim by name, in input order."""
    order = np.argsort(matrix.row, kind="stable")
    item, statement = matrix.item_of_claim[order], matrix.statement_index[order]
    columns = {
        "source": take_labels(matrix.sources, matrix.source_index[order]),
        "entity": take_labels(matrix.entities, matrix.entity_index[item]),
        "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
        "value": take_labels(matrix.values, matrix.value_index[statement]),
        "asserts": to_arrow(matrix.claim_value[order]),
    }
    columns |= {name: to_arrow(column[order]) for name, column in numbers.items()}
    return Table("parameters", pa.table(columns))


def rates_table(numbers: Mapping[str, Floats]) -> Table:
    """Return rates of feature vectors by name."""
    columns = {name: to_arrow(column) for name, column in numbers.items()}
    return Table("reliability", pa.table(columns))


def reliability_table(matrix: ClaimMatrix, rates: SourceRates) -> Table:
    """Return the rates of each source."""
    return Table(
        "reliability",
        pa.table(
            {
                "source": matrix.sources,
                "reliability": to_arrow(rates.reliability),
                "tpr": to_arrow(rates.tpr),
                "fpr": to_arrow(rates.fpr),
            }
        ),
    )
