"""Compare settings of the default model, and other models, by labels that they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from veracity.data.claims import Claims
from veracity.data.truth.ground_truth import GroundTruth
from veracity.evaluation.by_labels.comparison import LabelComparison
from veracity.evaluation.by_labels.contest import fixed, judge_models, named
from veracity.evaluation.by_labels.folds import FOLDS, Labels
from veracity.evaluation.hyperparameters import other_models, same_as_default, settings_of


def tune_by_labels(
    claims: Any,
    known_truth: Any,
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    models: Sequence[str] | None = None,
    folds: int = FOLDS,
    random_state: int = 0,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
    **options: Any,
) -> LabelComparison:
    """Compare settings of `GRBM`, and other models, by cross-validated log loss on labels.

    Parameters
    ----------
    claims
        `Claims`, a frame, or the path of a file.
    known_truth
        The truth of some items. Each fit is given that of all folds but one, which judges it.
    settings, models
        As in `tune`.
    folds
        How many parts the labels are split into.
    random_state
        Seed of the folds, of what is random in models, and of ties.
    progress
        Called with how many are done, of how many, and the name of the next.
    options
        How to read the claims; see `Claims.read`.
    """
    others = other_models(models, has_truth=True)
    planned = settings_of(settings, random_state)
    read = Claims.of(claims, **options)
    given = GroundTruth.beside(known_truth, options, "known truth")
    labels = Labels.of(given, read)
    labels.split(folds, random_state)  # refuses labels before any fit
    first = next(iter(planned))
    same: dict[str, str] = {}
    if settings is None:
        progress(0, len(planned) + len(others), first)
        same = same_as_default(settings_of(None, random_state)[first].fit(read))
    contest = {name: fixed(model) for name, model in planned.items() if name not in same}
    contest |= {name: named(name) for name in others}
    found = judge_models(
        contest,
        read,
        labels,
        incumbent=first,
        folds=folds,
        seeds=(random_state,),
        progress=progress,
    )
    return replace(found, left_out=same | found.left_out)
