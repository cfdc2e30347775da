"""Which verdicts to accept, to review, or to leave open, at a chosen rate of errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from veracity.data.matrix import Floats
from veracity.data.notes import Note, plural
from veracity.errors import InvalidParameter

ACCEPT, REVIEW, UNDECIDED = "accept", "review", "undecided"
#: The share of errors among accepted verdicts that is aimed at, if nothing is said.
DEFAULT_ERROR_RATE = 0.05
WORDS = np.array([ACCEPT, REVIEW, UNDECIDED])


@dataclass(frozen=True, eq=False)
class Decisions:
    """What to do with each verdict, if the plausibilities mean what they say.

    Attributes
    ----------
    word
        accept, review or undecided.
    expected_errors
        How many of the accepted are expected to be wrong.
    error_rate
        The share of errors among them that was aimed at.
    """

    word: npt.NDArray[np.str_]
    expected_errors: float
    error_rate: float

    @classmethod
    def of(cls, plausibility: Floats, tie: npt.NDArray[np.bool_], error_rate: float) -> Decisions:
        """Accept as many verdicts as can be, the most plausible first.

        A verdict that is less plausible than not, or tied, is undecided; the others that are not
        accepted are for review.
        """
        check_error_rate(error_rate)
        decided = (plausibility >= 0.5) & ~tie
        order = np.argsort(-plausibility, kind="stable")
        order = order[decided[order]]
        errors = np.cumsum(1.0 - plausibility[order])
        within = errors <= error_rate * np.arange(1, len(order) + 1) + 1e-12
        n_accepted = int(np.flatnonzero(within).max(initial=-1)) + 1
        code = np.where(decided, 1, 2)
        # Verdicts as plausible as the last accepted one are treated alike, whatever their order.
        if 0 < n_accepted < len(order):
            last, following = plausibility[order[n_accepted - 1 : n_accepted + 1]]
            if last == following:
                n_accepted = int((plausibility[order] > last).sum())
        code[order[:n_accepted]] = 0
        expected = float(errors[n_accepted - 1]) if n_accepted else 0.0
        return cls(WORDS[code], expected, error_rate)

    @property
    def note(self) -> Note:
        """Say how many verdicts are accepted, and how many errors to expect."""
        counts = {word: int((self.word == word).sum()) for word in (ACCEPT, REVIEW, UNDECIDED)}
        text = (
            f"At an error rate of {self.error_rate:g}, {plural(counts[ACCEPT], 'verdict')} "
            f"can be accepted, with {self.expected_errors:,.1f} errors to be expected; "
            f"{counts[REVIEW]:,} are for review and {counts[UNDECIDED]:,} undecided."
        )
        return Note("decisions", text)


def check_error_rate(error_rate: float) -> None:
    """Refuse an error rate that makes no sense."""
    if not 0 < error_rate < 0.5:
        raise InvalidParameter(
            f"error_rate must be more than 0 and less than 0.5. Got {error_rate!r} instead."
        )
