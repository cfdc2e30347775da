"""Models judged by labels that they have not seen."""

from __future__ import annotations

from veracity.evaluation.by_labels.comparison import LabelComparison
from veracity.evaluation.by_labels.contest import judge_models
from veracity.evaluation.by_labels.folds import LabelFolds, Labels
from veracity.evaluation.by_labels.judge import LabelScores, judge_labels

__all__ = [
    "LabelComparison",
    "LabelFolds",
    "LabelScores",
    "Labels",
    "judge_labels",
    "judge_models",
]
