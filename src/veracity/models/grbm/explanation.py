"""Why a value is believed: what each claim adds to its log-odds, in every form of the model."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.encode.denials import (
    CLAIMS_TOO,
    DENIES_ALONE,
    REDUNDANT,
    SPEAKS_AND_CLAIMS,
)
from veracity.models.explanation import CERTAIN, Bill, Explainer, log_odds_of
from veracity.models.grbm.block_data import Found
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.confusion import ClassPart
from veracity.models.grbm.observation.one_coin import CoinPart
from veracity.models.grbm.observation.per_statement import BinaryPart

#: The steps from the sum of the evidence to the plausibility.
OTHERS, TOGETHER, SHARE = "evidence for other values", "claims err together", "share of the claims"
COPIES = "copies set aside"
#: The log-odds of what the model holds to be impossible.
IMPOSSIBLE = log_odds_of(CERTAIN / 2)


class CategoricalExplainer(Explainer):
    """Explains by the default model.

    Log-odds are against a value that nobody claims, against the average of the other classes, or,
    where a statement is judged by itself, against its being false. Then come the evidence for
    other values, the tempering, and the shares of the claims.

    Parameters
    ----------
    claims, objective, x
        The claims, and the fitted model on them.
    found
        What it makes of them, tempered.
    temper
        What the log-scores of each item were multiplied by.
    plausibility
        Of each statement.
    """

    def __init__(
        self,
        claims: Claims,
        objective: Objective,
        x: Floats,
        found: Found,
        temper: Floats,
        plausibility: Floats,
    ) -> None:
        rates = objective.rates(x)
        super().__init__(claims, plausibility, rates.tpr, rates.fpr)
        self._score, self._temper = found.score, temper
        self._scene = objective.scene
        self._part = objective.scene.layout.part
        plain, _ = objective.eta(x)
        self._blocks = [
            _explained(part, own, plain)
            for part, own in zip(objective.parts, objective.cut(x)[3:], strict=True)
        ]
        self._first = [part.block.first for part in objective.parts]
        # What a claim adds where a source that says something says it with tpr and fpr.
        tiny = 1e-300
        self._for = np.log(np.maximum(rates.tpr, tiny) / np.maximum(rates.fpr, tiny))
        self._against = np.log(np.maximum(1 - rates.tpr, tiny) / np.maximum(1 - rates.fpr, tiny))

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, in numbers."""
        block = self._blocks[bisect_right(self._first, item) - 1]
        first, last = self.matrix.claim_start[item], self.matrix.claim_start[item + 1]
        part = self._part[first:last].tolist()
        about = self.matrix.statement_index[first:last].tolist()
        spoken = [
            (int(first) + place, about[place], kind)
            for place, kind in enumerate(part)
            if kind != REDUNDANT
        ]
        if isinstance(block, CoinPart):
            return self._of_coin(block, item, spoken)
        if isinstance(block, _Classes):
            return self._of_classes(block, item, spoken)
        return self._of_binary(block, item, spoken)

    def _statements(self, item: int) -> range:
        start = self.matrix.statement_start
        return range(int(start[item]), int(start[item + 1]))

    def _of_coin(
        self, part: CoinPart, item: int, spoken: Sequence[tuple[int, int, int]]
    ) -> list[Bill]:
        scene, statements, temper = self._scene, self._statements(item), float(self._temper[item])
        unseen = float(scene.offset_unseen[item])
        n_unseen = float(part.domain_size[item]) - len(statements)
        reached = (self._score[statements.start : statements.stop] - unseen).tolist()
        bills = []
        for place, statement in enumerate(statements):
            here = [(claim, kind) for claim, about, kind in spoken if about == statement]
            rest = reached[:place] + reached[place + 1 :]
            steps = [
                (reason, power * reached[place] - _log_sum((power * r for r in rest), n_unseen))
                for reason, power in ((OTHERS, 1.0), (TOGETHER, temper))
            ]
            bills.append(
                Bill(
                    statement,
                    float(scene.offset[statement]) - unseen,
                    [claim for claim, _ in here],
                    [
                        float((self._against if kind == DENIES_ALONE else self._for)[claim])
                        for claim, kind in here
                    ],
                    [kind != DENIES_ALONE for _, kind in here],
                    steps,
                    SHARE,
                )
            )
        return bills

    def _of_classes(
        self, block: _Classes, item: int, spoken: Sequence[tuple[int, int, int]]
    ) -> list[Bill]:
        class_of = block.part.class_of_statement
        heard = [one for one in spoken if class_of[one[1]] >= 0]
        claims = [claim for claim, _, _ in heard]
        says = block.part.says(block.tables, np.array(claims, np.int64))  # (n_heard, K)
        denies = np.array([kind == DENIES_ALONE for _, _, kind in heard], np.bool_)
        if denies.any():
            log_not = np.log1p(-np.minimum(np.exp(says[denies]), 1 - 1e-12))
            says[denies] = log_not
        score = (block.prior + says.sum(axis=0)).tolist()
        prior = block.prior.tolist()
        rows = says.tolist()
        temper = float(self._temper[item])
        bills = []
        for statement in self._statements(item):
            k = int(class_of[statement])
            claimed = [about == statement and kind != DENIES_ALONE for _, about, kind in heard]
            if k < 0:
                bills.append(
                    Bill(statement, IMPOSSIBLE, claims, [0.0] * len(claims), claimed, (), SHARE)
                )
                continue
            rest = score[:k] + score[k + 1 :]
            steps = [
                (reason, power * score[k] - _log_sum((power * other for other in rest), 0.0))
                for reason, power in ((OTHERS, 1.0), (TOGETHER, temper))
            ]
            added = [_against_others(row, k) for row in rows]
            before = _against_others(prior, k)
            bills.append(Bill(statement, before, claims, added, claimed, steps, SHARE))
        return bills

    def _of_binary(
        self, block: _Binary, item: int, spoken: Sequence[tuple[int, int, int]]
    ) -> list[Bill]:
        temper = float(self._temper[item])
        source = self.matrix.source_index
        bills = []
        for statement in self._statements(item):
            claims_it = {
                int(source[claim])
                for claim, about, kind in spoken
                if about == statement and kind in (SPEAKS_AND_CLAIMS, CLAIMS_TOO)
            }
            claims, added, claimed = [], [], []
            for claim, about, kind in spoken:
                here = about == statement
                # Who names another value denies this one; once for each source.
                if not here and (kind != SPEAKS_AND_CLAIMS or int(source[claim]) in claims_it):
                    continue
                yes = here and kind in (SPEAKS_AND_CLAIMS, CLAIMS_TOO)
                claims.append(claim)
                claimed.append(yes)
                added.append(float((self._for if yes else self._against)[claim]))
            score = float(self._score[statement])
            steps = ((COPIES, score), (TOGETHER, temper * score))
            bills.append(Bill(statement, block.before, claims, added, claimed, steps, SHARE))
        return bills


class _Classes:
    """An attribute with classes, and what is looked up of it."""

    def __init__(self, part: ClassPart, own: Floats, eta: Floats) -> None:
        self.part = part
        self.prior = part.parameters(own).prior
        self.tables = part.tables(own, eta)


class _Binary:
    """An attribute whose statements are judged each by itself."""

    def __init__(self, own: Floats) -> None:
        self.before = float(own[0])


def _explained(
    part: CoinPart | ClassPart | BinaryPart, own: Floats, eta: Floats
) -> CoinPart | _Classes | _Binary:
    if isinstance(part, ClassPart):
        return _Classes(part, own, eta)
    return part if isinstance(part, CoinPart) else _Binary(own)


def _against_others(of_class: Sequence[float], k: int) -> float:
    """Return a number of a class less the average of those of all others."""
    n = len(of_class)
    return (of_class[k] * n - sum(of_class)) / (n - 1)


def _log_sum(scores: Iterable[float], n_unseen: float) -> float:
    """Return the log of the sum of e^score, and of as many values with score 0 as are unseen."""
    known = list(scores)
    peak = max(known, default=0.0)
    if n_unseen > 0:
        peak = max(peak, 0.0)
    total = sum(math.exp(score - peak) for score in known)
    if n_unseen > 0:
        total += n_unseen * math.exp(-peak)
    return peak + math.log(total) if total > 0 else -math.inf
