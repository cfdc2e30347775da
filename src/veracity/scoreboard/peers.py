"""Methods of crowd-kit on the same claims: a task is an item, a worker a source, a label a value.

Toloka's crowd-kit is an optional dependency (extra ``peers``). Each method runs with its own
defaults, on the claims that our models see: after those that a later claim of their source
replaces are left out. Labels tied for the first place are chosen among by the seed.
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.buffers import take_labels, to_arrow
from veracity.data.claims import Claims
from veracity.data.encode.grouping import distinct, starts
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.tables import Table
from veracity.data.output.ties import TIE_TOLERANCE
from veracity.errors import InputError, MissingDependency

PREFIX = "crowd-kit:"
#: The methods by their class names, and the bytes that each needs per task and label (the first)
#: or per claim and label (the others, which join every claim with every label).
BYTES = {"MajorityVote": 16, "DawidSkene": 40, "OneCoinDawidSkene": 40, "MACE": 40, "GLAD": 120}
PEERS = tuple(PREFIX + name for name in BYTES)
#: What a method may need at most; more is refused before it is tried.
MOST_BYTES = 4e9


def is_peer(model: str) -> bool:
    """Whether the name is that of a method of crowd-kit."""
    return model.startswith(PREFIX)


def check_installed() -> None:
    """Refuse to go on where crowd-kit is not installed."""
    if find_spec("crowdkit") is None:
        raise MissingDependency(
            "A comparison with crowd-kit needs crowd-kit: install it with "
            "`pip install 'veracity[peers]'`."
        )


class Peer:
    """A method of crowd-kit, with the claims it is to be fitted to.

    Raises
    ------
    InputError
        If the claims cannot be said in tasks, workers and labels, or are too many for it.
    """

    def __init__(self, model: str, claims: Claims, seed: int) -> None:
        self._matrix = claims.matrix
        self._seed = seed
        check_applies(model, self._matrix, weighted="weight" in claims.columns.roles)
        self._answers = Answers.of(self._matrix)
        self._frame = self._answers.frame()
        self._method = _make(model.removeprefix(PREFIX), seed)
        self._probability: Any = None

    def fit(self) -> None:
        """Let the method work out the probability of each label of each task."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how crowd-kit uses pandas is not the user's concern
            self._probability = self._method.fit_predict_proba(self._frame)

    def truths(self) -> Table:
        """Return the believed value of each item: entity, attribute, value, plausibility."""
        found = self._probability
        probability = found.to_numpy(np.float64)
        chosen = _most_probable(probability, self._seed)
        item = found.index.to_numpy().astype(np.int64)
        label = found.columns.to_numpy().astype(np.int64)[chosen]
        matrix = self._matrix
        best = np.clip(probability[np.arange(len(chosen)), chosen], 0.0, 1.0)
        table = {
            "entity": take_labels(matrix.entities, matrix.entity_index[item]),
            "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
            "value": self._answers.words.take(to_arrow(label)),
            "plausibility": to_arrow(best),
        }
        return Table("truths", pa.table(table))


class Answers:
    """The claims as answers, each of which is one of the labels `words`."""

    def __init__(self, matrix: ClaimMatrix, label: npt.NDArray[np.int64], words: pa.Array) -> None:
        self.matrix, self.label, self.words = matrix, label, words

    @classmethod
    def of(cls, matrix: ClaimMatrix) -> Answers:
        """Say who names a value by its label, and who denies a boolean one by its opposite."""
        words = matrix.values.to_pylist()
        place = {word: index for index, word in enumerate(words)}
        opposite = []
        for profile in matrix.profiles:
            if profile.negative is not None and profile.negative not in place:
                place[profile.negative] = len(words)
                words.append(profile.negative)
            opposite.append(place.get(profile.negative or "", -1))
        said = matrix.value_index[matrix.statement_index].astype(np.int64)
        no = np.array(opposite, np.int64)[matrix.attribute_index][matrix.item_of_claim]
        label = np.where(matrix.claim_value == 1, said, no)
        return cls(matrix, label, pa.array(words, pa.string()))

    @property
    def n_labels(self) -> int:
        """Number of distinct labels given."""
        return len(distinct(self.label))

    def frame(self) -> Any:
        """Return the answers as crowd-kit takes them: of a worker who repeats a task, the last."""
        import pandas as pd

        columns = {
            "task": self.matrix.item_of_claim.astype(np.int64),
            "worker": self.matrix.source_index.astype(np.int64),
            "label": self.label,
        }
        order = np.argsort(self.matrix.row, kind="stable")
        answers = pd.DataFrame(columns).iloc[order]
        return answers.drop_duplicates(["task", "worker"], keep="last").sort_index()


def check_applies(model: str, matrix: ClaimMatrix, weighted: bool = False) -> None:
    """Refuse claims that crowd-kit has no word for, or that are too many for the method.

    Claims are `weighted` if the user gave weights; repeated claims, which share theirs, are not.
    """
    if matrix.kind_is("multiple").any():
        raise InputError("crowd-kit's methods suppose one true label per task, not several.")
    if ((matrix.claim_value == 0) & ~matrix.kind_is("boolean")[matrix.item_of_claim]).any():
        raise InputError(
            "crowd-kit has no denials: a worker gives a label and never rules one out."
        )
    if weighted:
        raise InputError("crowd-kit's methods take no weights of claims.")
    name = model.removeprefix(PREFIX)
    n_labels = Answers.of(matrix).n_labels
    n_rows = matrix.n_items if name == "MajorityVote" else matrix.n_claims
    needed = BYTES[name] * n_rows * n_labels
    if needed > MOST_BYTES:
        rows = "tasks" if name == "MajorityVote" else "answers"
        raise InputError(
            f"crowd-kit's {name} works on a full table of {n_rows:,} {rows} by {n_labels:,} "
            f"labels, some {needed / 1e9:,.0f} GB."
        )


def _make(name: str, seed: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from crowdkit import aggregation

    kind = getattr(aggregation, name)
    return kind(random_state=seed) if name == "MACE" else kind()


def _most_probable(probability: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.int64]:
    """Return the best label of each task; ties are broken by the seed."""
    best = probability.max(axis=1)
    task, label = np.nonzero(probability >= best[:, None] - TIE_TOLERANCE)
    order = np.lexsort((np.random.default_rng(seed).random(len(task)), task))
    return np.asarray(label[order][starts(task[order])], np.int64)
