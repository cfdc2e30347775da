"""The contract: all checks, and those that concern a model."""

from __future__ import annotations

from veracity.models.base import TruthModel
from veracity.testing import belief, estimator, invariance, known, outcome, shapes
from veracity.testing.check import Check

_FOR_ALL = (
    *estimator.PROMISES,
    *outcome.PROMISES,
    *invariance.PROMISES,
    *belief.PROMISES,
    *shapes.PROMISES,
)


def checks_for(model: TruthModel) -> list[Check]:
    """Return the checks that concern a model, by what it says that it can do.

    >>> from veracity import MajorityVote
    >>> str(checks_for(MajorityVote())[0])
    'constructor only stores'
    """
    promises = [*_FOR_ALL, *(known.USED if model.uses_known_truth else known.REFUSED)]
    if not model.needs_numbers:
        promises += belief.OF_VALUES
    return [Check.of(promise) for promise in promises]


def check_truth_model(model: TruthModel) -> None:
    """Check that a model does what every model does.

    Parameters
    ----------
    model
        The model, with the parameters to check it with. It stays as it is.

    Raises
    ------
    BrokenContract
        An `AssertionError` at the first check that the model fails. It says which check that is,
        what was expected, and what came.

    Examples
    --------
    >>> from veracity import Sums
    >>> check_truth_model(Sums(max_iter=5))

    With pytest, every check is a test of its own:

    >>> import pytest
    >>> @pytest.mark.parametrize("check", checks_for(Sums()), ids=str)
    ... def test_sums(check):
    ...     check(Sums())
    """
    for check in checks_for(model):
        check(model)
