"""Juries: many judges, such as language models, that give verdicts on the same questions."""

from __future__ import annotations

from veracity.workflow.jury.result import Jury
from veracity.workflow.jury.trial import STAGES, jury

__all__ = ["STAGES", "Jury", "jury"]
