"""A cell of the scoreboard: what one model with one seed made of one data set."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

#: How a cell ended: well; the model does not take such data; over the time limit; with a fault.
Outcome = Literal["done", "refused", "timeout", "failed"]


@dataclass(frozen=True)
class Cell:
    """The result of one model with one seed on one data set; figures are None if it failed.

    Attributes
    ----------
    dataset, model, seed
        What was run.
    accuracy
        Share of the truth items with a claim whose believed value is a true one.
    f1, precision, recall
        Of the believed values of items with several true values, where there are such.
    log_loss, brier, ece
        Of the plausibility of the believed value; see `Calibration`.
    absolute_error, against_best_source, coverage
        Of sets whose truth is numbers, in place of the above: mean absolute error, the same as a
        multiple of that of the best source in hindsight, and the share of intervals that hold the
        truth.
    seconds
        CPU time of the fit, summed over threads; neither reading nor compiling.
    peak_mb
        The most memory that the process held in the fit: Python and libraries included.
    n_claims, n_truth_items, n_items
        Claims in use, items with known truth, and those of the latter with a claim.
    error
        Why there are no figures.
    ceiling
        Share of truth items with a claim whose true value is claimed at all.
    oracle
        Of drawn data, the accuracy of somebody who knows the rates of all sources.
    wall_seconds, time_limit
        How long the fit took by the clock, and how long it might have taken.
    outcome
        Whether it was ``done``, ``refused``, stopped by ``timeout``, or ``failed``.
    fingerprint, version
        Of the data, and of the library, that the figures are of.
    """

    dataset: str
    model: str
    seed: int
    accuracy: float | None = None
    f1: float | None = None
    log_loss: float | None = None
    brier: float | None = None
    ece: float | None = None
    seconds: float | None = None
    peak_mb: float | None = None
    n_claims: int | None = None
    n_truth_items: int | None = None
    error: str | None = None
    precision: float | None = None
    recall: float | None = None
    n_items: int | None = None
    ceiling: float | None = None
    oracle: float | None = None
    wall_seconds: float | None = None
    time_limit: float | None = None
    absolute_error: float | None = None
    against_best_source: float | None = None
    coverage: float | None = None
    outcome: Outcome = "done"
    fingerprint: str = ""
    version: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the cell as a row of the JSON file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Cell:
        """Take a row of a JSON file; keys of others are left out."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in row.items() if name in known})

    @property
    def key(self) -> tuple[str, str, int]:
        """What was run."""
        return self.dataset, self.model, self.seed

    def holds(self, fingerprint: str, version: str, time_limit: float | None) -> bool:
        """Whether a run with these settings could do no better than to give this cell again."""
        if (self.fingerprint, self.version) != (fingerprint, version) or self.outcome == "failed":
            return False
        if self.outcome == "timeout":
            return time_limit is not None and time_limit <= (self.time_limit or 0)
        return time_limit is None or (self.wall_seconds or 0) <= time_limit
