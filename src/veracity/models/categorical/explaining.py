"""Why a value is believed: what each claim adds to its log-odds, in every form of the model."""

from __future__ import annotations

import numpy as np

from veracity.data.claims import Claims
from veracity.data.matrix import Floats
from veracity.models.categorical.binary_part import BinaryPart
from veracity.models.categorical.class_part import ClassPart
from veracity.models.categorical.coin_part import CoinPart
from veracity.models.categorical.fitting import Objective
from veracity.models.categorical.parts import Part
from veracity.models.categorical.scene import ClaimRates, Indices
from veracity.models.explanation import (
    Explanation,
    StatementEvidence,
    Term,
    claim_text,
    features_of,
)
from veracity.models.rbm.layout import CLAIMS_TOO, DENIES_ALONE, REDUNDANT, SPEAKS_AND_CLAIMS


def explain(
    claims: Claims, objective: Objective, x: Floats, item: int, plausibility: Floats
) -> Explanation:
    """Take the evidence for an item's values apart.

    Log-odds are against a value that nobody claims, against the average of the other classes, or,
    where a statement is judged by itself, against its being false.
    """
    matrix, layout = claims.matrix, objective.scene.layout
    rates = objective.rates(x)
    place = next(
        place
        for place, part in enumerate(objective.parts)
        if part.block.first <= item < part.block.last
    )
    part, own = objective.parts[place], objective.cut(x)[3 + place]
    eta = objective.eta(x)[isinstance(part, CoinPart)]
    spoken = np.arange(matrix.claim_start[item], matrix.claim_start[item + 1])
    spoken = spoken[layout.part[spoken] != REDUNDANT]
    statements = np.arange(matrix.statement_start[item], matrix.statement_start[item + 1])
    evidence = []
    for statement in statements.tolist():
        before, added, heard = _terms(part, own, eta, rates, item, statement, spoken)
        terms = tuple(
            _term(claims, rates, int(claim), statement, float(more))
            for claim, more in zip(heard, added, strict=True)
        )
        value = matrix.values[int(matrix.value_index[statement])].as_py()
        evidence.append(StatementEvidence(value, before, terms, float(plausibility[statement])))
    evidence.sort(key=lambda one: -one.log_odds)
    entity = matrix.entities[int(matrix.entity_index[item])].as_py()
    attribute = matrix.attributes[int(matrix.attribute_index[item])].as_py()
    return Explanation(entity, attribute, tuple(evidence))


def _terms(
    part: Part,
    own: Floats,
    eta: Floats,
    rates: ClaimRates,
    item: int,
    statement: int,
    spoken: Indices,
) -> tuple[float, Floats, Indices]:
    """Return the log-odds before anybody speaks, what each claim adds, and those claims."""
    if isinstance(part, CoinPart):
        return _of_coin(part, rates, item, statement, spoken)
    if isinstance(part, ClassPart):
        return _of_classes(part, own, eta, item, statement, spoken)
    return _of_binary(part, own, rates, statement, spoken)


def _of_coin(
    part: CoinPart, rates: ClaimRates, item: int, statement: int, spoken: Indices
) -> tuple[float, Floats, Indices]:
    scene = part.scene
    here = scene.layout.statement_index[spoken] == statement
    heard = spoken[here]
    others = part.domain_size[item] - 1.0
    denies = scene.layout.part[heard] == DENIES_ALONE
    strength = np.log(rates.tpr[heard] / rates.fpr[heard])
    against = np.log((1 - rates.fpr[heard]) / np.maximum(1 - rates.tpr[heard], 1e-300))
    before = float(scene.offset[statement] - scene.offset_unseen[item]) if others > 0 else 0.0
    return before, np.where(denies, -against, strength), heard


def _of_classes(
    part: ClassPart, own: Floats, eta: Floats, item: int, statement: int, spoken: Indices
) -> tuple[float, Floats, Indices]:
    k = int(part.class_of_statement[statement])
    said = part.class_of_statement[part.scene.layout.statement_index[spoken]]
    heard = spoken[said >= 0]
    if k < 0:
        return -np.inf, np.zeros(len(heard)), heard
    says = part.log_probabilities(own, eta, heard)  # (n_heard, K)
    denies = part.scene.layout.part[heard] == DENIES_ALONE
    says = np.where(denies[:, None], np.log1p(-np.minimum(np.exp(says), 1 - 1e-12)), says)
    prior = part.parameters(own).prior
    return _against_others(prior[None], k)[0], _against_others(says, k), heard


def _against_others(of_class: Floats, k: int) -> Floats:
    """Return a number of a class less the average of those of all others."""
    n = of_class.shape[1]
    return np.asarray((of_class[:, k] * n - of_class.sum(axis=1)) / (n - 1))


def _of_binary(
    part: BinaryPart, own: Floats, rates: ClaimRates, statement: int, spoken: Indices
) -> tuple[float, Floats, Indices]:
    layout = part.scene.layout
    here = layout.statement_index[spoken] == statement
    kind = layout.part[spoken]
    claims_it = here & ((kind == SPEAKS_AND_CLAIMS) | (kind == CLAIMS_TOO))
    # Who names another value denies this one; once for each source.
    source = part.scene.matrix.source_index[spoken]
    elsewhere = ~here & (kind == SPEAKS_AND_CLAIMS) & ~np.isin(source, source[claims_it])
    heard = here | elsewhere
    tpr, fpr = rates.tpr[spoken[heard]], rates.fpr[spoken[heard]]
    added = np.where(claims_it[heard], np.log(tpr / fpr), np.log((1 - tpr) / (1 - fpr)))
    return float(own[0]), added, spoken[heard]


def _term(claims: Claims, rates: ClaimRates, claim: int, statement: int, log_odds: float) -> Term:
    matrix = claims.matrix
    return Term(
        source=matrix.sources[int(matrix.source_index[claim])].as_py(),
        says=claim_text(matrix, claim),
        claims=bool(matrix.claim_value[claim]) and int(matrix.statement_index[claim]) == statement,
        log_odds=log_odds,
        tpr=float(rates.tpr[claim]),
        fpr=float(rates.fpr[claim]),
        features=features_of(claims, int(matrix.row[claim])),
    )
