"""GRBM: the default model of this library in crowd-kit's clothes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from veracity.compat.crowdkit.aggregator import Aggregator
from veracity.compat.crowdkit.answers import Answers, known_values, most_probable
from veracity.compat.frames import import_pandas
from veracity.compat.panel import Panel, texts
from veracity.data.arrays import Floats
from veracity.errors import InputError
from veracity.models.grbm import estimator


class GRBM(Aggregator):
    """Judge labels by `veracity.GRBM`, with crowd-kit's frames in and out.

    Its probabilities are calibrated better than those of Dawid and Skene, and it can judge
    answers of workers that the fit has not seen.

    Parameters
    ----------
    model
        A `veracity.GRBM` with settings of your own; it is fitted itself. None for the default.
    random_state
        Seed of the default model.

    Attributes
    ----------
    labels_, probas_
        The most probable label of each task, and the probabilities of all.
    skills_
        The reliability of each worker.
    priors_
        The mean probability of each label.
    model_
        The fitted `veracity.GRBM`: tables with intervals and decisions, explanations, charts,
        `save`.

    Examples
    --------
    >>> from veracity.compat.crowdkit import GRBM
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> GRBM().fit_predict(answers).to_dict()
    {'a': 1, 'b': 0}
    """

    probas_: Any
    skills_: Any
    priors_: Any
    model_: estimator.GRBM

    def __init__(self, model: estimator.GRBM | None = None, random_state: int = 0) -> None:
        self.model = model
        self.random_state = random_state

    def fit(self, data: Any, true_labels: Any = None) -> Self:
        """Fit to a frame of task, worker and label; `true_labels` is a series indexed by task."""
        answers = Answers.of(data, known_values(true_labels))
        if not len(answers):
            raise InputError(
                "data has no answers. Give at least one row of task, worker and label."
            )
        panel, known = _panel(answers), None
        if true_labels is not None:
            known = panel.known_truth(answers.known_labels(true_labels))
        model = estimator.GRBM(random_state=self.random_state) if self.model is None else self.model
        self.model_ = model.fit(panel.claims(), known_truth=known)
        self._labels = answers.labels
        self._set(answers, panel.probabilities(self.model_.statements_))
        return self

    def fit_predict(self, data: Any, true_labels: Any = None) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data, true_labels).labels_

    def fit_predict_proba(self, data: Any, true_labels: Any = None) -> Any:
        """Fit, and return the probability of each label."""
        return self.fit(data, true_labels).probas_

    def predict(self, data: Any) -> Any:
        """Return the label of each task of other answers, also of workers not seen in the fit."""
        return most_probable(self.predict_proba(data))

    def predict_proba(self, data: Any) -> Any:
        """Return the probability of each label of each task of other answers."""
        self._check_fitted("model_")
        answers = Answers.of(data, self._labels)
        panel = _panel(answers)
        found = panel.probabilities(self.model_.predict_plausibility(panel.claims()))
        return answers.probas(found, in_order_of_tasks=False)

    def _set(self, answers: Answers, probas: Floats) -> None:
        pandas = import_pandas("veracity.compat.crowdkit")
        self.probas_ = answers.probas(probas, in_order_of_tasks=False)
        self.labels_ = most_probable(self.probas_)
        self.priors_ = pandas.Series(probas.mean(axis=0), self.probas_.columns, name="prior")
        table = self.model_.sources_.to_arrow()
        of_name = dict(
            zip(table["source"].to_pylist(), table["reliability"].to_pylist(), strict=True)
        )
        skill = np.array([of_name[name] for name in texts(answers.workers)], np.float64)
        self.skills_ = answers.of_workers(skill, "skill")


def _panel(answers: Answers) -> Panel:
    return Panel(
        answers.task,
        answers.worker,
        answers.label,
        texts(answers.tasks),
        texts(answers.workers),
        texts(answers.labels),
    )
