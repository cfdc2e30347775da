"""Votes weighted by skills that are learned first: Wawa, ZeroBasedSkill, GoldMajorityVote."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from veracity.compat.crowdkit.aggregator import Aggregator
from veracity.compat.crowdkit.answers import Answers, known_values
from veracity.compat.crowdkit.majority_vote import MajorityVote, best_labels
from veracity.data.arrays import Floats


class SkilledVote(Aggregator):
    """Base of methods that learn skills, and vote with them.

    Attributes
    ----------
    labels_, probas_
        Of the weighted vote, after `predict` or `fit_predict`.
    skills_
        The weight of each worker.
    """

    probas_: Any
    skills_: Any

    def predict(self, data: Any) -> Any:
        """Return the label of each task by the skills of the fit."""
        return self._vote(data).labels_

    def predict_proba(self, data: Any) -> Any:
        """Return the share of each label by the skills of the fit."""
        return self._vote(data).probas_

    def _vote(self, data: Any) -> Self:
        self._check_fitted("skills_")
        vote = MajorityVote().fit(data, skills=self.skills_)
        self.labels_, self.probas_ = vote.labels_, vote.probas_
        return self


class UnsupervisedVote(SkilledVote):
    """Base of those that need no known truth."""

    def fit(self, data: Any) -> Self:
        """Learn the skills from a frame of task, worker and label."""
        answers = Answers.of(data)
        self.skills_ = answers.of_workers(self._skills(answers), "skill")
        return self

    def fit_predict(self, data: Any) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data).predict(data)

    def fit_predict_proba(self, data: Any) -> Any:
        """Fit, and return the share of each label."""
        return self.fit(data).predict_proba(data)

    def _skills(self, answers: Answers) -> Floats:
        raise NotImplementedError


class Wawa(UnsupervisedVote):
    """Weight each worker by agreement with the plain majority: worker agreement with aggregate.

    Examples
    --------
    >>> from veracity.compat.crowdkit import Wawa
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> Wawa().fit(answers).skills_.to_dict()
    {'x': 1.0, 'y': 1.0, 'z': 0.0}
    """

    def __init__(self) -> None:
        pass

    def _skills(self, answers: Answers) -> Floats:
        right, known = answers.accuracy(best_labels(answers.shares()))
        return right / np.maximum(known, 1.0)


class ZeroBasedSkill(UnsupervisedVote):
    """Move skills step by step towards the agreement with the vote that they weight.

    Parameters
    ----------
    n_iter
        Number of steps.
    lr_init
        The first learning rate.
    lr_steps_to_reduce, lr_reduce_factor
        After every so many steps, the learning rate is multiplied by the factor.
    eps
        What the first skill exceeds 1 / number of labels by.

    Examples
    --------
    >>> from veracity.compat.crowdkit import ZeroBasedSkill
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> ZeroBasedSkill().fit_predict(answers).to_dict()
    {'a': 1, 'b': 0}
    """

    def __init__(
        self,
        n_iter: int = 100,
        lr_init: float = 1.0,
        lr_steps_to_reduce: int = 20,
        lr_reduce_factor: float = 0.5,
        eps: float = 1e-5,
    ) -> None:
        self.n_iter = n_iter
        self.lr_init = lr_init
        self.lr_steps_to_reduce = lr_steps_to_reduce
        self.lr_reduce_factor = lr_reduce_factor
        self.eps = eps

    def _skills(self, answers: Answers) -> Floats:
        skill = np.full(answers.n_workers, 1.0 / max(answers.n_labels, 1) + self.eps)
        rate = self.lr_init
        for step in range(1, self.n_iter + 1):
            if step % self.lr_steps_to_reduce == 0:
                rate *= self.lr_reduce_factor
            right, known = answers.accuracy(best_labels(answers.shares(skill[answers.worker])))
            skill = skill + rate * (right / np.maximum(known, 1.0) - skill)
        return skill


class GoldMajorityVote(SkilledVote):
    """Weight each worker by the accuracy on tasks whose label is known.

    Examples
    --------
    >>> import pandas as pd
    >>> from veracity.compat.crowdkit import GoldMajorityVote
    >>> answers = {"task": list("aabb"), "worker": list("xyxy"), "label": [1, 0, 0, 1]}
    >>> GoldMajorityVote().fit_predict(answers, pd.Series({"a": 1})).to_dict()
    {'a': 1, 'b': 0}
    """

    def __init__(self) -> None:
        pass

    def fit(self, data: Any, true_labels: Any) -> Self:
        """Learn the skills from `true_labels`, a series indexed by task."""
        answers = Answers.of(data, known_values(true_labels))
        right, known = answers.accuracy(answers.known_labels(true_labels))
        skill = right / np.maximum(known, 1.0)
        self.skills_ = answers.of_workers(skill, "skill", keep=known > 0)
        return self

    def fit_predict(self, data: Any, true_labels: Any) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data, true_labels).predict(data)

    def fit_predict_proba(self, data: Any, true_labels: Any) -> Any:
        """Fit, and return the share of each label."""
        return self.fit(data, true_labels).predict_proba(data)
