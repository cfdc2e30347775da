"""Reports of a fit that is under way, to whoever listens to the logger ``veracity``."""

from __future__ import annotations

import logging
from collections.abc import Mapping

logger = logging.getLogger("veracity")

#: What is said of an iteration, in this order, where a model has it.
SAID = {"log_likelihood": "log-likelihood {:.6g}", "change": "change {:.2g}"}


def report(record: Mapping[str, float]) -> None:
    """Say which iteration was done, and what it came to."""
    if logger.isEnabledFor(logging.INFO):
        said = [text.format(record[name]) for name, text in SAID.items() if name in record]
        logger.info(", ".join([f"fitting: iteration {record['iteration']:.0f}", *said]))
