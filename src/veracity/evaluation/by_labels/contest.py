"""Several models judged by the same held-out labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from veracity.data.claims import Claims
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import VeracityError
from veracity.evaluation.by_labels.comparison import LabelComparison
from veracity.evaluation.by_labels.folds import FOLDS, Labels
from veracity.evaluation.by_labels.judge import LabelScores, judge_labels
from veracity.models import TruthModel, make_model

Progress = Callable[[int, int, str], None]
#: Makes a model with a seed.
Make = Callable[[int], TruthModel]


def named(name: str) -> Make:
    """Return what makes the model of a name."""
    return lambda seed: make_model(name, random_state=seed)


def fixed(model: TruthModel) -> Make:
    """Return what gives a model as it is, whatever the seed."""
    return lambda seed: model


def judge_models(
    models: Mapping[str, Make],
    claims: Claims | ClaimsInBlocks,
    labels: Labels,
    *,
    incumbent: str,
    folds: int = FOLDS,
    seeds: Sequence[int] = (0,),
    rules: Any = None,
    progress: Progress = lambda done, total, what: None,
) -> LabelComparison:
    """Judge models by cross-validation on labels.

    Parameters
    ----------
    models
        What makes each model, given a seed, by its name.
    claims
        The claims.
    labels
        The labels. Those of one fold at a time are withheld from the fit that they judge.
    incumbent
        The name of the model that is kept unless another is clearly better. A model that cannot
        take such claims is left out, with the reason; if it is this one, its error is raised.
    folds
        How many parts labels are split into.
    seeds
        Of folds and models; with several, scores are means over them, label by label.
    rules
        For all fits; see `TruthModel.fit`.
    progress
        Called with how many models are done, of how many, and the name of the next.
    """
    split = [labels.split(folds, seed) for seed in seeds]
    scores: dict[str, LabelScores] = {}
    left_out: dict[str, str] = {}
    for done, (name, make) in enumerate(models.items()):
        progress(done, len(models), name)
        try:
            scores[name] = LabelScores.mean(
                judge_labels(make(seed), claims, parts, rules)
                for seed, parts in zip(seeds, split, strict=True)
            )
        except VeracityError as error:
            if name == incumbent:
                raise
            left_out[name] = first_sentence(str(error))
    return LabelComparison(scores, labels.cluster, incumbent, folds, left_out)


def first_sentence(text: str) -> str:
    """Return the first sentence of an error, which says what is wrong; the others, what to do."""
    return text.partition(". ")[0].rstrip(".")
