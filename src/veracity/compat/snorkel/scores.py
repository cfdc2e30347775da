"""Scores of predicted labels, by Snorkel's names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from veracity.data.arrays import Floats, Indices
from veracity.errors import InputError, InvalidParameter, listing, suggestion


class Scored:
    """Predicted and true labels of the rows that have both, and the probabilities of all."""

    def __init__(self, truth: Indices, predicted: Indices, probabilities: Floats) -> None:
        self._known = truth >= 0
        self._all_predicted = predicted
        self._all_truth, self._probabilities = truth, probabilities
        counted = self._known & (predicted >= 0)
        self.truth, self.predicted = truth[counted], predicted[counted]
        self._n_classes = probabilities.shape[1]

    def accuracy(self) -> float:
        """Share of right labels."""
        return _ratio(float((self.truth == self.predicted).sum()), len(self.truth))

    def coverage(self) -> float:
        """Share of rows with a label."""
        return _ratio(float((self._all_predicted >= 0).sum()), len(self._all_predicted))

    def precision(self) -> float:
        """Share of right ones among those labelled 1."""
        return self._of_class(1)[0]

    def recall(self) -> float:
        """Share of those that are 1 which are labelled so."""
        return self._of_class(1)[1]

    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return self._of_class(1)[2]

    def f1_micro(self) -> float:
        """The same over all classes, which is the accuracy."""
        return self.accuracy()

    def f1_macro(self) -> float:
        """The mean of the same over the classes that occur."""
        occur = np.union1d(self.truth, self.predicted)
        return float(np.mean([self._of_class(int(one))[2] for one in occur])) if len(occur) else 0.0

    def matthews_corrcoef(self) -> float:
        """Correlation of predicted and true classes."""
        table = np.zeros((self._n_classes, self._n_classes))
        np.add.at(table, (self.truth, self.predicted), 1.0)
        true, given, n = table.sum(axis=1), table.sum(axis=0), table.sum()
        spread = np.sqrt((n**2 - true @ true) * (n**2 - given @ given))
        return _ratio(float(np.trace(table) * n - true @ given), float(spread))

    def roc_auc(self) -> float:
        """Area under the ROC curve of two classes."""
        if self._n_classes != 2:
            raise InputError(f"roc_auc needs two classes. There are {self._n_classes}.")
        truth, score = self._all_truth[self._known], self._probabilities[self._known, 1]
        n_true, n_false = float((truth == 1).sum()), float((truth == 0).sum())
        above = float(rankdata(score)[truth == 1].sum()) - n_true * (n_true + 1) / 2
        return _ratio(above, n_true * n_false)

    def _of_class(self, one: int) -> tuple[float, float, float]:
        both = float(((self.truth == one) & (self.predicted == one)).sum())
        precision = _ratio(both, float((self.predicted == one).sum()))
        recall = _ratio(both, float((self.truth == one).sum()))
        return precision, recall, _ratio(2 * precision * recall, precision + recall)


#: Scores by their names.
METRICS: dict[str, Callable[[Scored], float]] = {
    "accuracy": Scored.accuracy,
    "coverage": Scored.coverage,
    "precision": Scored.precision,
    "recall": Scored.recall,
    "f1": Scored.f1,
    "f1_micro": Scored.f1_micro,
    "f1_macro": Scored.f1_macro,
    "matthews_corrcoef": Scored.matthews_corrcoef,
    "roc_auc": Scored.roc_auc,
}


def check_metrics(names: list[str]) -> None:
    """Refuse names that are no scores."""
    for name in names:
        if name not in METRICS:
            raise InvalidParameter(
                f"There is no metric {name!r}.{suggestion(name, METRICS)} There are "
                f"{listing(METRICS)}."
            )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
