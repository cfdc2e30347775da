"""Decisions: accept, review or undecided, at a chosen error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels
from veracity.data.notes import Note, plural
from veracity.data.output.ties import ENOUGH
from veracity.errors import InvalidParameter

ACCEPT, REVIEW, UNDECIDED = "accept", "review", "undecided"
#: The share of errors among accepted verdicts that is aimed at, if nothing is said.
DEFAULT_ERROR_RATE = 0.05
WORDS = np.array([ACCEPT, REVIEW, UNDECIDED])


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decision on each verdict, given calibrated plausibilities.

    Attributes
    ----------
    code
        0 for accept, 1 for review, 2 for undecided.
    expected_errors
        How many of the accepted are expected to be wrong.
    error_rate
        The share of errors among them that was aimed at.
    """

    code: npt.NDArray[np.int64]
    expected_errors: float
    error_rate: float

    @classmethod
    def of(cls, plausibility: Floats, tie: npt.NDArray[np.bool_], error_rate: float) -> Decisions:
        """Accept as many verdicts as can be, the most plausible first.

        A verdict that is less plausible than not, or tied, is undecided; the others that are not
        accepted are for review.
        """
        check_error_rate(error_rate)
        least = least_within(plausibility, tie, error_rate)
        return cls.from_least(plausibility, tie, error_rate, least)

    @classmethod
    def from_least(
        cls, plausibility: Floats, tie: npt.NDArray[np.bool_], error_rate: float, least: float
    ) -> Decisions:
        """Accept decided verdicts from a plausibility on."""
        decided = is_decided(plausibility, tie)
        accepted = decided & (plausibility >= least)
        code = np.where(accepted, 0, np.where(decided, 1, 2))
        return cls(code, float((1.0 - plausibility[accepted]).sum()), error_rate)

    @property
    def note(self) -> Note:
        """Say how many verdicts are accepted, and how many errors to expect."""
        return decisions_note(self.counts, self.expected_errors, self.error_rate)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many verdicts are accepted, for review and undecided."""
        return np.bincount(self.code, minlength=len(WORDS))

    @property
    def word(self) -> npt.NDArray[np.str_]:
        """The decision on each verdict in a word."""
        return WORDS[self.code]

    def words(self) -> pa.StringArray:
        """Return the decision on each verdict in a word, as a column."""
        return take_labels(pa.array(WORDS.tolist(), pa.string()), self.code)


def decisions_note(
    counts: npt.NDArray[np.int64], expected_errors: float, error_rate: float
) -> Note:
    """Say how many verdicts are accepted, for review and undecided, and what to expect."""
    accepted, review, undecided = map(int, counts)
    accepts = (
        f"{plural(accepted, 'verdict')} can be accepted, with {expected_errors:,.1f} expected "
        "errors"
        if accepted
        else "no verdict can be accepted"
    )
    left = [
        f"{plural(review, 'is', 'are')} for review" if review else "",
        f"{plural(undecided, 'is', 'are')} undecided" if undecided else "",
    ]
    rest = " and ".join(part for part in left if part) or "none is left for review"
    return Note(
        "decisions", f"At an expected error rate of {100 * error_rate:g} %, {accepts}; {rest}."
    )


def least_within(plausibility: Floats, tie: npt.NDArray[np.bool_], error_rate: float) -> float:
    """Return the plausibility of the last verdict to accept, the most plausible first.

    As many are accepted as keep the mean of the errors to be expected within the rate; infinity
    if none does.
    """
    ordered = -np.sort(-plausibility[is_decided(plausibility, tie)])
    errors = np.cumsum(1.0 - ordered)
    within = errors <= error_rate * np.arange(1, len(ordered) + 1) + 1e-12
    n_accepted = int(np.flatnonzero(within).max(initial=-1)) + 1
    # Verdicts as plausible as the last accepted one are treated alike, whatever their order.
    if 0 < n_accepted < len(ordered) and ordered[n_accepted - 1] == ordered[n_accepted]:
        n_accepted = int((ordered > ordered[n_accepted]).sum())
    return float(ordered[n_accepted - 1]) if n_accepted else np.inf


def is_decided(plausibility: Floats, tie: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Mark verdicts that are not less plausible than not, and have no equal."""
    return (plausibility >= ENOUGH) & ~tie


def check_error_rate(error_rate: float) -> None:
    """Refuse an error rate that makes no sense."""
    if not 0 < error_rate < 0.5:
        raise InvalidParameter(
            f"error_rate must be more than 0 and less than 0.5. Got {error_rate!r} instead."
        )
