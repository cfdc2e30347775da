"""Models that misbehave, to be found by workers under a name of their own."""

from __future__ import annotations

import os
import time

from veracity.engines.base import ClaimsInBlocks
from veracity.models.baselines.majority_vote import MajorityVote

WHERE = "tests.evaluation.odd_models"
#: Fewer claims than this are a warm-up, on which nothing odd happens.
MANY = 500


class Sleeper(MajorityVote):
    """Takes an hour over anything but a warm-up."""

    def _fit(self, claims: ClaimsInBlocks) -> None:
        if claims.matrix.n_claims > MANY:
            time.sleep(3600)
        super()._fit(claims)


class Faulty(MajorityVote):
    """Divides by zero."""

    def _fit(self, claims: ClaimsInBlocks) -> None:
        raise ZeroDivisionError("division by nothing")


class Crasher(MajorityVote):
    """Takes its whole process down with the second seed."""

    def _fit(self, claims: ClaimsInBlocks) -> None:
        if self.random_state == 1:
            os.abort()
        super()._fit(claims)


class Talker(MajorityVote):
    """Prints where it should not."""

    def _fit(self, claims: ClaimsInBlocks) -> None:
        os.write(1, b"hello\n")
        print("hello")  # noqa: T201
        super()._fit(claims)
