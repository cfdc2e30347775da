"""The oracle: true rates, and the accuracy of the best possible decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True)
class Oracle:
    """What only the generator knows.

    The best decision is that of somebody who knows everything but the truth: the tpr and fpr of
    each claim, how common values are and how popular as mistakes, who copied where, and who looked
    at an item with several true values without naming any. It is the Bayes-optimal one for that
    knowledge, exactly. A method that sees only the claims knows less, so up to luck this is a
    ceiling, tight where sources are independent and many claims tell their rates.

    For items with one true value, a decision is about an item that somebody spoke about; in an
    open domain it is a choice among the values that were claimed, true or not. For items with
    several, it is about a statement that somebody asserted or denied.

    Attributes
    ----------
    sources
        Columns source, role (honest, adversary, spammer or copier), reliability, tpr, fpr (means
        over the visits of the source) and copies (the source that a copier copies).
    claims
        Columns reliability, tpr and fpr, row by row as in the claims: the rates with which the
        answer behind the claim was drawn. A copied claim has those of its original.
    attributes
        Columns attribute, n_decisions, accuracy (the share of best decisions that are right) and
        expected_accuracy (the mean plausibility of what they choose, free of the luck of a draw).
    """

    sources: pa.Table
    claims: pa.Table
    attributes: pa.Table

    @property
    def accuracy(self) -> float:
        """Return the share of best decisions that are right, over all attributes."""
        return self._mean("accuracy")

    @property
    def expected_accuracy(self) -> float:
        """Return the share of best decisions that can be expected to be right."""
        return self._mean("expected_accuracy")

    def _mean(self, column: str) -> float:
        n_decisions = self.attributes["n_decisions"].to_numpy()
        return float(np.average(self.attributes[column].to_numpy(), weights=n_decisions))

    def accuracy_of(self, attribute: str) -> float:
        """Return the share of best decisions about one attribute that are right."""
        rows = self.attributes.filter(pc.equal(self.attributes["attribute"], attribute))
        return float(rows["accuracy"][0].as_py())
