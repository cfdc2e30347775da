"""Judge a model by labels that it has not seen."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_numpy
from veracity.data.claims import Claims
from veracity.data.output.tables import Table
from veracity.data.read.workbench import Workbench
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import ConvergenceWarning, InvalidParameter
from veracity.evaluation.by_labels.folds import LabelFolds
from veracity.evaluation.metrics import assess, rows_about, with_keys
from veracity.evaluation.numeric import settle_numbers
from veracity.models.base import TruthModel

#: A plausibility below this counts as this. A few hundred labels cannot tell smaller ones apart,
#: and one certain mistake then costs 4.6 nats and not any number of them.
FLOOR = 0.01


@dataclass(frozen=True, eq=False)
class LabelScores:
    """The figures of a model on held-out labels, ordered by entity and attribute.

    Attributes
    ----------
    log_loss
        Surprise of the model at each label, in nats; (n_labels,).
    if_wrong
        What it would be if the most plausible value were wrong; (n_labels,).
    right
        1 where the believed value is a true one, else 0; (n_labels,).
    """

    log_loss: Floats
    if_wrong: Floats
    right: Floats

    @classmethod
    def mean(cls, scores: Iterable[LabelScores]) -> LabelScores:
        """Return the mean of several scores, label by label."""
        given = list(scores)
        names = ("log_loss", "if_wrong", "right")
        return cls(*(np.mean([getattr(one, name) for one in given], axis=0) for name in names))


def judge_labels(
    model: TruthModel, claims: Claims | ClaimsInBlocks, folds: LabelFolds, rules: Any = None
) -> LabelScores:
    """Fit a model without the labels of each fold, and judge it by these.

    A model that does not use known truth is fitted once. The given model stays as it is.

    The log loss of an item with one true value is -log p of that value. Plausibilities that add up
    to more than 1, as when statements are judged by themselves, are divided by their sum; a true
    value that nobody claims has what the others leave. Where a statement is true or false by
    itself, p is the plausibility of what it is; of several statements about an item the mean
    counts. Plausibilities below `FLOOR` count as `FLOOR`.
    """
    if model.needs_numbers:
        raise InvalidParameter(
            f"{type(model).__name__} works out numbers, so it cannot be judged by the plausibility "
            "of true values."
        )
    truths, statements = [], []
    rows = folds.labels.rows
    for held_out, known in _rounds(model, folds):
        fitted = _fitted(model, claims, known, rules)
        truths.append(rows_about(fitted.truths_, held_out))
        statements.append(rows_about(fitted.statements_, held_out))
    right = assess(Table("truths", pa.concat_tables(truths)), rows, claims)[1].right
    losses = _losses(pa.concat_tables(statements), rows, claims)
    return LabelScores(*losses, right.astype(np.float64))


def _rounds(model: TruthModel, folds: LabelFolds) -> Iterable[tuple[pa.Table, GroundTruth | None]]:
    return folds.rounds() if model.uses_known_truth else [(folds.labels.items, None)]


def _fitted(
    model: TruthModel, claims: Claims | ClaimsInBlocks, known: GroundTruth | None, rules: Any
) -> TruthModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return copy.copy(model).fit(claims, known_truth=known, rules=rules)


def _losses(
    statements: pa.Table, labels: GroundTruth, claims: Claims | ClaimsInBlocks
) -> tuple[Floats, Floats]:
    """Return the log loss of each labelled item, as it is and if the best value were wrong.

    Items are ordered by entity and attribute; both (n_labels,).
    """
    single = [profile.name for profile in claims.attributes if profile.kind == "single"]
    with Workbench() as workbench:
        workbench.register("single", pa.table({"attribute": pa.array(single, pa.string())}))
        workbench.register("known_rows", with_keys(labels.to_arrow(), claims))
        workbench.register("chosen", with_keys(statements, claims))
        workbench.step("known", "SELECT DISTINCT entity, attribute, key FROM known_rows")
        settle_numbers(workbench, claims)
        workbench.step(
            "judged",
            "SELECT entity, attribute, plausibility AS p, known.key IS NOT NULL AS holds "
            "FROM best LEFT JOIN known USING (entity, attribute, key)",
        )
        # Of one true value, the claimed ones that are it, or what all claimed ones leave.
        total = "greatest(sum(p), 1)"
        true = f"if(bool_or(holds), sum(p) FILTER (holds) / {total}, 1 - sum(p))"
        found = workbench.arrow(
            f"SELECT {_loss(true, 'if(holds, p, 1 - p)')} AS loss, "
            f"{_loss(f'1 - max(p) / {total}', 'least(p, 1 - p)')} AS if_wrong "
            "FROM judged GROUP BY entity, attribute ORDER BY entity, attribute"
        )
        return to_numpy(found["loss"]), to_numpy(found["if_wrong"])


def _loss(of_item: str, of_statement: str) -> str:
    """Return the log loss in SQL, given a probability for items with one true value and others."""
    surprise = "-ln(greatest({}, {}))".format
    alone = f"avg({surprise(of_statement, FLOOR)})"
    return f"if(attribute IN (FROM single), {surprise(of_item, FLOOR)}, {alone})"
