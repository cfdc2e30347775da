"""Checks that every model passes, and that a model of your own can be put through.

>>> from veracity import MajorityVote
>>> from veracity.testing import check_truth_model
>>> check_truth_model(MajorityVote())
"""

from veracity.testing.check import BrokenContract, Check
from veracity.testing.contract import check_truth_model, checks_for

__all__ = ["BrokenContract", "Check", "check_truth_model", "checks_for"]
