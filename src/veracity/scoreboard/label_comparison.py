"""Models on one table of claims, compared by labels that they have not seen."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from veracity.data.claims import Claims
from veracity.data.output.atomic import check_target, write_whole
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import OutputError
from veracity.evaluation.by_labels import LabelComparison, Labels, judge_models
from veracity.evaluation.by_labels.comparison import JUDGE
from veracity.evaluation.by_labels.contest import named
from veracity.evaluation.by_labels.folds import FOLDS
from veracity.models import DEFAULT_ALIAS, DEFAULT_MODEL
from veracity.scoreboard.runs import Plan, Progress


def compare_by_labels(
    claims: Any,
    known_truth: Any,
    *,
    models: Sequence[str] | None = None,
    folds: int = FOLDS,
    seeds: int | Sequence[int] = 1,
    json: str | Path | None = None,
    progress: Progress = lambda done, total, last: None,
    **options: Any,
) -> LabelComparison:
    """Compare models by cross-validated log loss on labels.

    A model that uses known truth is given the labels of all folds but one, which judges it. One
    that does not is judged by all of them at once. The default model is kept unless another is
    clearly better; if it is not among the models, that holds for the first of them.

    Parameters
    ----------
    claims
        `Claims`, a frame, or the path of a file.
    known_truth
        The truth of some items: `GroundTruth`, a frame, or the path of a file.
    models
        Names of models, None or ``all`` for every one of the library, and ``default``.
    folds
        How many parts the labels are split into.
    seeds
        How many seeds, from 0, or which; with several, scores are means over them.
    json
        A file for the result.
    progress
        Called with how many models are done, of how many, and the name of the next.
    options
        How to read the claims; see `Claims.read`.
    """
    plan = Plan(models, seeds)
    target = None if json is None else Path(json)
    if target is not None:
        _check_file(target)
    read = Claims.of(claims, **options)
    given = GroundTruth.beside(known_truth, options, "known truth")
    names = plan.model_names
    incumbent = next((name for name in (DEFAULT_ALIAS, DEFAULT_MODEL) if name in names), names[0])
    found = judge_models(
        {name: named(name) for name in names},
        read,
        Labels.of(given, read),
        incumbent=incumbent,
        folds=folds,
        seeds=plan.seed_list,
        progress=progress,
    )
    if target is not None:
        write_whole(target, found.to_json())
    return found


def _check_file(path: Path) -> None:
    """Refuse a file that cannot be written, or that holds something else."""
    check_target(path)
    if not path.exists():
        return
    try:
        is_ours = jsonlib.loads(path.read_text(encoding="utf-8"))["judged_by"] == JUDGE
    except (OSError, ValueError, TypeError, KeyError):
        is_ours = False
    if not is_ours:
        raise OutputError(
            f"{path} exists and is not the JSON file of an earlier comparison by labels, so it is "
            "not replaced. Name another file."
        )
