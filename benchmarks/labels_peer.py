"""crowd-kit's DawidSkene with `true_labels`: the peer that takes known truth."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
from labels_fit import FittedOnce, Judgement

from veracity.data.arrays import Indices
from veracity.data.buffers import to_arrow
from veracity.data.output.ties import TIE_TOLERANCE
from veracity.data.truth.known import items_of
from veracity.errors import InputError
from veracity.scoreboard.peers import Answers, check_applies

#: Answers times labels that a fit may have. Beyond, it takes too long to be repeated.
MOST_CELLS = 1_000_000


class Peer:
    """DawidSkene of crowd-kit, to be fitted to the claims and labels of a set again and again.

    Raises
    ------
    InputError
        If it does not apply to the claims, with the reason.
    """

    def __init__(self, base: FittedOnce) -> None:
        matrix = base.claims.matrix
        if len(matrix.profiles) > 1:
            raise InputError("several attributes, whose values it would take for one set of labels")
        if matrix.profiles[0].domain == "open":
            raise InputError("an open domain, where each item has values of its own")
        check_applies("crowd-kit:DawidSkene", matrix, "weight" in base.claims.columns.roles)
        answers = Answers.of(matrix)
        if len(answers.label) * answers.n_labels > MOST_CELLS:
            raise InputError("too many claims and values for fits that are repeated")
        self._frame = answers.frame()
        self._task = _tasks(base)
        place = {word: number for number, word in enumerate(answers.words.to_pylist())}
        # Of several true values the first; -1 if no source ever names it.
        self._true = np.array([place.get(values[0], -1) for values in base.true], np.int64)

    def judge(self, items: Indices) -> Judgement:
        """Fit it to all claims and the labels of some judged items."""
        import pandas as pd
        from crowdkit.aggregation import DawidSkene

        items = items[self._true[items] >= 0]
        given = pd.Series(self._true[items], index=self._task[items]) if len(items) else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how crowd-kit uses pandas is not the subject
            found = DawidSkene().fit_predict_proba(self._frame, given)
        probability = found.to_numpy(np.float64)[found.index.get_indexer(self._task)]
        label = found.columns.to_numpy().astype(np.int64)[probability.argmax(axis=1)]
        first, second = -np.partition(-probability, 1, axis=1)[:, :2].T
        return Judgement(
            label == self._true,
            np.clip(first, 0.0, 1.0),
            first - second <= TIE_TOLERANCE,
            first - second,
            label.astype(np.float64),
        )


def _tasks(base: FittedOnce) -> Indices:
    """Return the item of all claims that each judged item is."""
    matrix = base.judged.data.matrix
    labels = {
        "entity": matrix.entities.take(to_arrow(matrix.entity_index)),
        "attribute": matrix.attributes.take(to_arrow(matrix.attribute_index)),
    }
    columns = {name: pa.chunked_array([column]) for name, column in labels.items()}
    return np.asarray(items_of(base.claims.matrix, pa.table(columns)), np.int64)
