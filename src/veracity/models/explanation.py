"""Why a value is believed: the evidence as a sum of log-odds, one term per claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.buffers import take_labels, to_arrow
from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.results import SourceRates
from veracity.data.tables import Table
from veracity.errors import InputError, listing, suggestion
from veracity.models.rbm import kernels
from veracity.models.rbm.likelihood import Units
from veracity.models.rbm.theta import Rates, Theta, rates_of, sigmoid

Rows = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Term:
    """What one source adds to the log-odds of a statement.

    ``says`` is what the source names for the item, or what it denies; ``claims`` whether it claims
    this very statement.
    """

    source: str
    says: str
    claims: bool
    log_odds: float
    tpr: float
    fpr: float
    features: dict[str, Any]


@dataclass(frozen=True)
class Adjustment:
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
        """The sum of all evidence."""
        return self.global_hidden_bias + sum(term.log_odds for term in self.terms)

    @property
    def plausibility(self) -> float:
        """As the model gives it, else sigmoid of the sum: eq. (10)."""
        if self.believed is not None:
            return self.believed
        return float(sigmoid(np.array(self.log_odds)))


@dataclass(frozen=True)
class Explanation:
    """The evidence for every value of an item, the most plausible first."""

    entity: str
    attribute: str
    statements: tuple[StatementEvidence, ...]

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.attribute} of {self.entity}", *map(_statement_text, self.statements)]
        )


def _statement_text(statement: StatementEvidence) -> str:
    lines = [
        "",
        f"{statement.value}: plausibility {statement.plausibility:.4f}",
        f"  {statement.global_hidden_bias:+8.3f}  before anybody speaks (b_0)",
    ]
    for term in sorted(statement.terms, key=lambda term: -abs(term.log_odds)):
        verb = "claims it" if term.claims else f"says {term.says}"
        lines.append(
            f"  {term.log_odds:+8.3f}  {term.source} {verb} "
            f"(tpr {term.tpr:.2f}, fpr {term.fpr:.2f})"
        )
    lines.append(f"  {statement.log_odds:+8.3f}  in all")
    return "\n".join(lines)


def explain(
    claims: Claims,
    units: Units,
    theta: Theta,
    global_hidden_bias: float,
    entity: str,
    attribute: str | None,
) -> Explanation:
    """Take the evidence for an item's values apart."""
    matrix = claims.matrix
    item = find_item(matrix, entity, attribute)
    statements = [
        _statement_evidence(claims, units, theta, global_hidden_bias, item, statement)
        for statement in range(matrix.statement_start[item], matrix.statement_start[item + 1])
    ]
    statements.sort(key=lambda evidence: -evidence.log_odds)
    name = matrix.attributes[int(matrix.attribute_index[item])].as_py()
    return Explanation(entity, name, tuple(statements))


def find_item(matrix: ClaimMatrix, entity: str, attribute: str | None) -> int:
    """Return the index of an item by its labels."""
    entities = matrix.entities.to_pylist()
    if entity not in entities:
        raise InputError(f"No claim is about {entity!r}.{suggestion(entity, entities)}")
    own = np.flatnonzero(matrix.entity_index == entities.index(entity))
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


def _statement_evidence(
    claims: Claims,
    units: Units,
    theta: Theta,
    global_hidden_bias: float,
    item: int,
    statement: int,
) -> StatementEvidence:
    matrix, layout = claims.matrix, units.layout
    n_claims = int(matrix.claim_start[item + 1] - matrix.claim_start[item])
    unit_claim, value = np.empty(n_claims, np.int64), np.empty(n_claims, np.bool_)
    identity = np.arange(matrix.n_claims, dtype=np.int32)
    arrays = (layout.part, layout.speaker, layout.claim_start, layout.statement_index)
    n = kernels.gather_units(item, statement, *arrays, identity, unit_claim, value)
    terms = []
    rates = rates_of(theta)
    for claim, claimed in zip(unit_claim[:n], value[:n], strict=True):
        row = units.row_of[units.row[claim], units.state[statement]]
        terms.append(
            Term(
                source=matrix.sources[int(matrix.source_index[claim])].as_py(),
                says=claim_text(matrix, claim),
                claims=bool(claimed),
                log_odds=float(theta.hidden_bias[row] + (theta.weight[row] if claimed else 0.0)),
                tpr=float(rates.tpr[row]),
                fpr=float(rates.fpr[row]),
                features=features_of(claims, int(matrix.row[claim])),
            )
        )
    label = matrix.values[int(matrix.value_index[statement])].as_py()
    return StatementEvidence(label, global_hidden_bias, tuple(terms))


def claim_text(matrix: ClaimMatrix, claim: int) -> str:
    """Return the value that a claim gives, or what it denies."""
    value = matrix.values[int(matrix.value_index[matrix.statement_index[claim]])].as_py()
    return str(value) if matrix.claim_value[claim] else f"not {value}"


def features_of(claims: Claims, row: int) -> dict[str, Any]:
    """Return the feature columns of a row of the input."""
    features = claims.features
    return {name: features[name][row].as_py() for name in features.column_names}


def parameters_table(matrix: ClaimMatrix, theta: Theta, row: Rows) -> Table:
    """Return theta and rates of each claim, in input order."""
    order = np.argsort(matrix.row, kind="stable")
    item = matrix.item_of_claim[order]
    rates = rates_of(theta)
    statement = matrix.statement_index[order]
    columns = {
        "source": take_labels(matrix.sources, matrix.source_index[order]),
        "entity": take_labels(matrix.entities, matrix.entity_index[item]),
        "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
        "value": take_labels(matrix.values, matrix.value_index[statement]),
        "asserts": to_arrow(matrix.claim_value[order]),
    }
    numbers = {**theta._asdict(), **rates._asdict()}
    columns |= {name: to_arrow(column[row[order]]) for name, column in numbers.items()}
    return Table("parameters", pa.table(columns))


def rates_table(rates: Rates) -> Table:
    """Return tpr and fpr of feature vectors."""
    columns = {"tpr": to_arrow(rates.tpr), "fpr": to_arrow(rates.fpr)}
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
