"""Aggregator: base of all methods in crowd-kit's clothes."""

from __future__ import annotations

from typing import Any

from veracity.compat.estimator import Estimator


class Aggregator(Estimator):
    """Base of methods that give each task a label.

    Attributes
    ----------
    labels_
        The label of each task: a series named `agg_label`, indexed by task.
    """

    labels_: Any

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so that it is there to be imported.
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))
