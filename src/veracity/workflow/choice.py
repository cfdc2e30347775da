"""Choose the model of a run by its labels: ``--model auto``."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace

from veracity.data.claims import Claims
from veracity.data.notes import Note, plural
from veracity.data.rules.table import Rules
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.evaluation.by_labels import LabelComparison, Labels, judge_models
from veracity.evaluation.by_labels.comparison import MIN_LABELS
from veracity.evaluation.by_labels.contest import fixed
from veracity.models import DEFAULT_ALIAS, TruthModel, make_model, model_name
from veracity.models.grbm.terms.base import ATTRIBUTE

#: What the default is compared with, beside itself with skill per attribute.
RIVALS = ("vote", "accu-copy", "dawid-skene", "grbm-paper")
#: The default with skill per attribute, named as ``--set`` takes it.
BY_ATTRIBUTE = f"domain={ATTRIBUTE}"


@dataclass(frozen=True)
class Choice:
    """The model of a run, and how it was chosen.

    Attributes
    ----------
    name, model
        The chosen model.
    comparison
        The models that were judged; None if there was nothing to judge them by.
    notes
        Which model was chosen, and why; and which were left out.
    """

    name: str
    model: TruthModel
    comparison: LabelComparison | None = None
    notes: list[Note] = field(default_factory=list)

    def fit(
        self,
        claims: Claims | ClaimsInBlocks,
        known_truth: GroundTruth | None,
        rules: Rules | None,
    ) -> None:
        """Fit the model with all labels; one that cannot learn from them still shows them."""
        if self.model.uses_known_truth:
            self.model.fit(claims, known_truth=known_truth, rules=rules)
            return
        self.model._fit_all(claims, known_truth, rules)


def choose(
    default: TruthModel,
    claims: Claims | ClaimsInBlocks,
    known_truth: GroundTruth | None,
    rules: Rules | None,
) -> Choice:
    """Choose a model by labels.

    Parameters
    ----------
    default
        The default model. Its seed and its error rate are those of all, and its parameters those of
        the model with skill per attribute.
    claims, known_truth, rules
        What the run was given.
    """
    labels = None if known_truth is None else Labels.of(known_truth, claims)
    weakness = _weakness(labels)
    if labels is None or weakness is not None:
        note = Note("choice", f"Kept {DEFAULT_ALIAS}: {weakness}.")
        return Choice(model_name(DEFAULT_ALIAS), default, None, [note])
    models, left_out = _candidates(default, claims)
    found = judge_models(
        {name: fixed(model) for name, model in models.items()},
        claims,
        labels,
        incumbent=DEFAULT_ALIAS,
        seeds=(default.random_state,),
        rules=rules,
    )
    found = replace(found, left_out=left_out | found.left_out)
    notes = [Note("choice", text) for text in (found.reason(), *found.notes)]
    name = DEFAULT_ALIAS if found.chosen == BY_ATTRIBUTE else found.chosen
    return Choice(model_name(name), models[found.chosen], found, notes)


def _weakness(labels: Labels | None) -> str | None:
    """Say why labels cannot choose a model, if so."""
    if labels is None:
        return "without known truth nothing shows which model is right"
    if len(labels) < MIN_LABELS:
        few = plural(len(labels), "label is", "labels are")
        return f"{few} too few to choose a model by; {MIN_LABELS} are needed"
    if labels.n_values == 1:
        return (
            f"all {len(labels):,} labels are {labels.example!r}, so they cannot tell a good model "
            "from one that always says so"
        )
    return None


def _candidates(
    default: TruthModel, claims: Claims | ClaimsInBlocks
) -> tuple[dict[str, TruthModel], dict[str, str]]:
    """Return the models to choose from, and why others are left out."""
    models: dict[str, TruthModel] = {DEFAULT_ALIAS: default}
    models |= {name: make_model(name, random_state=default.random_state) for name in RIVALS}
    left_out: dict[str, str] = {}
    if len(claims.attributes) == 1:
        left_out[BY_ATTRIBUTE] = "there is only one attribute"
    elif default.get_params()["domain"] is not None:
        left_out[BY_ATTRIBUTE] = "the default is told its domains already"
    else:
        models[BY_ATTRIBUTE] = copy.copy(default).set_params(domain=ATTRIBUTE)
    for model in models.values():
        model.error_rate = default.error_rate
    return models, left_out
