"""LabelModel: Snorkel's interface, with GRBM behind it."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from veracity.arguments import check_keywords
from veracity.compat.estimator import Estimator
from veracity.compat.panel import Panel, texts
from veracity.compat.snorkel.classes import Classes, choose
from veracity.compat.snorkel.scores import METRICS, Scored, check_metrics
from veracity.compat.snorkel.votes import LabelVotes
from veracity.data.arrays import Floats
from veracity.data.output.write import whole_folder
from veracity.errors import InputError, InvalidParameter
from veracity.models.grbm.estimator import GRBM
from veracity.models.persistence import load, write_model

logger = logging.getLogger(__name__)

#: What Snorkel's `fit` takes besides; only the seed has a meaning here.
TRAINING = (
    "n_epochs", "lr", "l2", "optimizer", "optimizer_config", "lr_scheduler", "lr_scheduler_config",
    "prec_init", "seed", "log_freq", "mu_eps", "progress_bar",
)  # fmt: skip
DESCRIPTION, ARRAYS = "label_model.json", "label_model.safetensors"


class LabelModel(Estimator):
    """Combine the votes of labelling functions into probabilistic labels.

    The interface is that of Snorkel's `LabelModel`. The model is `veracity.GRBM`, so the numbers
    differ from Snorkel's. One function is enough, labels may be texts, and columns that the fit
    has not seen are judged as an average function.

    Parameters
    ----------
    cardinality
        Number of classes.
    verbose
        Whether to log what the fit notes about the data.
    device
        Not used; there is no GPU in play.

    Attributes
    ----------
    model_
        The fitted `veracity.GRBM`.
    classes_
        The labels, in the order of the columns of probabilities.
    class_balance_
        The share of each class, which rows without votes get as their probabilities.
    items_
        Names of the rows last fitted or predicted, if they came as triples.

    Examples
    --------
    >>> import numpy as np
    >>> from veracity.compat.snorkel import LabelModel
    >>> L = np.array([[0, 0, -1], [1, 1, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1]])
    >>> label_model = LabelModel(cardinality=2, verbose=False)
    >>> label_model.fit(L, n_epochs=500, seed=123)
    LabelModel(cardinality=2, verbose=False, device='cpu')
    >>> label_model.predict(L[:3]).tolist()
    [0, 1, 1]
    """

    model_: GRBM
    classes_: list[Any]
    class_balance_: Floats
    items_: list[Any] | None

    def __init__(self, cardinality: int = 2, verbose: bool = True, device: str = "cpu") -> None:
        self.cardinality = cardinality
        self.verbose = verbose
        self.device = device

    def fit(
        self,
        L_train: Any,
        Y_dev: Any = None,
        class_balance: Sequence[float] | None = None,
        **training: Any,
    ) -> Self:
        """Fit to a label matrix.

        Parameters
        ----------
        L_train
            Items by labelling functions, -1 for abstain: an array, a scipy sparse matrix whose
            stored entries are votes, a frame with a column for each function, or triples of (item,
            function, label).
        Y_dev
            Labels of some other items, from which the class balance is counted, as in Snorkel.
        class_balance
            The share of each class.
        training
            Snorkel's settings of its training, such as `n_epochs` and `lr`. `seed` is used, the
            others have no meaning here and are accepted.
        """
        check_keywords("LabelModel.fit", training, list(TRAINING))
        if self.cardinality < 2:
            raise InvalidParameter(f"cardinality must be 2 or more. Got {self.cardinality!r}.")
        votes = LabelVotes.of(L_train)
        if not len(votes.row):
            raise InputError("L_train has no votes: every function abstains everywhere.")
        self._classes = Classes.of(votes.label, self.cardinality)
        self._columns, self._are_named = self._column_names(votes), votes.columns is not None
        balance = self._given_balance(Y_dev, class_balance)
        panel = self._panel(votes, self._columns)
        seed = training.get("seed")
        self.model_ = GRBM(
            class_prior=self._class_prior(panel, balance), random_state=0 if seed is None else seed
        ).fit(panel.claims())
        self.classes_ = list(self._classes.labels)
        probabilities = panel.probabilities(self.model_.statements_)
        spoken = ~np.isnan(probabilities[:, 0])
        if balance is None:
            balance = probabilities[spoken].mean(axis=0)
        self.class_balance_ = balance
        self._learn_rates(panel, np.where(spoken[:, None], probabilities, balance))
        self.items_ = votes.rows
        if self.verbose:
            for note in self.model_.notes_:
                logger.info("%s", note)
        return self

    def predict_proba(self, L: Any) -> Floats:
        """Return the probability of each class; (n_rows, cardinality)."""
        self._check_fitted("model_")
        votes = LabelVotes.of(L)
        panel = self._panel(votes, self._matched_columns(votes))
        self.items_ = votes.rows
        if not len(panel.item):
            return np.tile(self.class_balance_, (votes.n_rows, 1))
        found = panel.probabilities(self.model_.predict_plausibility(panel.claims()))
        return np.where(np.isnan(found), self.class_balance_, found)

    def predict(
        self, L: Any, return_probs: bool | None = False, tie_break_policy: str = "abstain"
    ) -> Any:
        """Return the label of each row, and its probabilities if asked for.

        Parameters
        ----------
        L
            A label matrix.
        return_probs
            Whether to return (labels, probabilities).
        tie_break_policy
            ``"abstain"`` gives -1 where classes are tied (None if labels are texts), ``"random"``
            chooses one in the same way at every call, ``"true-random"`` chooses anew.
        """
        probabilities = self.predict_proba(L)
        labels = self._classes.named(choose(probabilities, tie_break_policy))
        return (labels, probabilities) if return_probs else labels

    def score(
        self,
        L: Any,
        Y: Any,
        metrics: Sequence[str] | None = ("accuracy",),
        tie_break_policy: str = "abstain",
    ) -> dict[str, float]:
        """Return scores of the predicted labels against the true ones.

        Parameters
        ----------
        L
            A label matrix.
        Y
            The true label of each row.
        metrics
            Names of scores: accuracy, coverage, precision, recall, f1, f1_micro, f1_macro,
            matthews_corrcoef, roc_auc. All but coverage and roc_auc leave out rows without a label.
        tie_break_policy
            See `predict`.
        """
        names = ["accuracy"] if metrics is None else list(metrics)
        check_metrics(names)
        probabilities = self.predict_proba(L)
        truth = self._classes.places(Y, "Y")
        if len(truth) != len(probabilities):
            raise InputError(f"Y must have {len(probabilities)} labels. Got {len(truth)}.")
        scored = Scored(truth, choose(probabilities, tie_break_policy), probabilities)
        return {name: METRICS[name](scored) for name in names}

    def get_weights(self) -> Floats:
        """Return the reliability of each labelling function; (n_functions,).

        A function that never votes has that of a guess.
        """
        self._check_fitted("model_")
        return self._weights.copy()

    def get_conditional_probs(self) -> Floats:
        """Return P(vote | class) of each function; (n_functions, cardinality + 1, cardinality).

        The first row of each table is for abstain.
        """
        self._check_fitted("model_")
        return self._conditional.copy()

    # Keeping it

    def save(self, destination: str | Path) -> None:
        """Save the model to a folder: JSON and safetensors, no pickle.

        A label model that is there already is replaced. `veracity.load` reads the model alone.
        """
        from safetensors.numpy import save_file

        self._check_fitted("model_")
        description = {
            "parameters": self.get_params(),
            "classes": list(self._classes.labels),
            "columns": self._columns,
            "named": self._are_named,
        }
        arrays = {
            "class_balance": np.ascontiguousarray(self.class_balance_),
            "weights": self._weights,
            "conditional": self._conditional,
        }
        with whole_folder(Path(destination), overwrite=True, marks=(DESCRIPTION,)) as scratch:
            write_model(self.model_, scratch)
            save_file(arrays, scratch / ARRAYS)
            (scratch / ARRAYS).chmod(0o644)
            text = json.dumps(description, indent=2, ensure_ascii=False)
            (scratch / DESCRIPTION).write_text(text + "\n", encoding="utf-8")

    def load(self, source: str | Path) -> None:
        """Take over a model that was saved."""
        from safetensors.numpy import load_file

        place = Path(source)
        if not (place / DESCRIPTION).is_file():
            raise InputError(f"There is no saved label model in {place}: {DESCRIPTION} is missing.")
        description = json.loads((place / DESCRIPTION).read_text(encoding="utf-8"))
        arrays = load_file(place / ARRAYS)
        model = load(place)
        assert isinstance(model, GRBM)
        self.set_params(**description["parameters"])
        self.model_, self._classes = model, Classes(tuple(description["classes"]))
        self.classes_ = description["classes"]
        self._columns, self._are_named = description["columns"], description["named"]
        self.class_balance_ = arrays["class_balance"]
        self._weights, self._conditional = arrays["weights"], arrays["conditional"]
        self.items_ = None

    # From votes to claims

    def _panel(self, votes: LabelVotes, columns: list[str]) -> Panel:
        label = self._classes.places(votes.label, "L")
        items = [str(row) for row in range(votes.n_rows)]
        labels = texts(self._classes.labels)
        return Panel(votes.row, votes.column, label, items, columns, labels)

    def _column_names(self, votes: LabelVotes) -> list[str]:
        return texts(range(votes.n_columns) if votes.columns is None else votes.columns)

    def _matched_columns(self, votes: LabelVotes) -> list[str]:
        """Name columns as in the fit: by name if both have names, else by position."""
        if votes.columns is not None and self._are_named:
            return texts(votes.columns)
        more = range(len(self._columns), votes.n_columns)
        return texts([*self._columns[: votes.n_columns], *(f"column {i}" for i in more)])

    def _given_balance(self, Y_dev: Any, class_balance: Sequence[float] | None) -> Floats | None:
        n_classes = len(self._classes)
        if class_balance is not None:
            balance = np.asarray(class_balance, np.float64)
            if balance.shape != (n_classes,) or (balance <= 0).any():
                raise InvalidParameter(
                    f"class_balance must have {n_classes} positive numbers, one for each class. "
                    f"Got {class_balance!r}."
                )
            return np.asarray(balance / balance.sum())
        if Y_dev is None:
            return None
        truth = self._classes.places(Y_dev, "Y_dev")
        counts = np.bincount(truth[truth >= 0], minlength=n_classes)
        if (counts == 0).any():
            raise InputError(
                "Y_dev lacks a class, so its share is unknown. Give class_balance instead."
            )
        return np.asarray(counts / counts.sum())

    def _class_prior(self, panel: Panel, balance: Floats | None) -> dict[str, float] | None:
        """Return the share of each class that anybody votes for."""
        voted = np.unique(panel.label)
        if balance is None or len(voted) < 2:
            return None
        shares = balance[voted] / balance[voted].sum()
        return {panel.labels[i]: float(share) for i, share in zip(voted, shares, strict=True)}

    def _learn_rates(self, panel: Panel, probabilities: Floats) -> None:
        """Count expected votes for each class, and look up reliabilities."""
        n_functions, n_classes = len(panel.sources), len(self._classes)
        counts = np.zeros((n_functions, n_classes + 1, n_classes))
        np.add.at(counts, (panel.source, panel.label + 1), probabilities[panel.item])
        total = probabilities.sum(axis=0)
        counts[:, 0] = np.maximum(total - counts.sum(axis=1), 0.0)
        self._conditional = counts / np.where(total > 0, total, 1.0)
        table = self.model_.sources_.to_arrow()
        names, numbers = table["source"].to_pylist(), table["reliability"].to_pylist()
        of_name = dict(zip(names, numbers, strict=True))
        guess = 1.0 / n_classes
        self._weights = np.array([of_name.get(name, guess) for name in panel.sources], np.float64)
