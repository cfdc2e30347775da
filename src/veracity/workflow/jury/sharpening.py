"""How sure the beliefs of others are, as far as judges err independently.

Plausibilities are tempered, since on most tables sources err together. Measured against tempered
beliefs, a judge looks better than it is: it agrees with them more often than such unsure beliefs
explain. So the odds of what is believed without a judge are raised to a power, the same for all
judges, so that these are on average as reliable as the fitted model says.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.optimize import brentq

from veracity.workflow.jury.beliefs import Beliefs
from veracity.workflow.jury.confidence import share_right
from veracity.workflow.jury.panel import Panel

#: The powers between which one is looked for.
LEAST, MOST = 1.0, 6.0


def sharpening(
    panel: Panel, without: Mapping[str, Beliefs], reliability: Mapping[str, float]
) -> float:
    """Return the power to which the odds of beliefs are to be raised.

    Parameters
    ----------
    panel
        The verdicts.
    without
        What is believed without each judge.
    reliability
        Of each judge, by the model.
    """

    def surplus(power: float) -> float:
        found = []
        for judge, beliefs in without.items():
            own = (panel.judge == panel.judges.index(judge)) & beliefs.heard[panel.item]
            if not own.any():
                continue
            sharp = beliefs.sharpened(power, panel.matrix)
            others = sharp.plausibility[panel.statement[own]]
            size = panel.matrix.domain_size[panel.item[own]].astype(np.float64)
            right = share_right(others, (1.0 - others) / (size - 1.0))[0]
            found.append(right - reliability[judge])
        return float(np.mean(found)) if found else 0.0

    if surplus(LEAST) <= 0.0:
        return LEAST
    if surplus(MOST) >= 0.0:
        return MOST
    return float(brentq(surplus, LEAST, MOST, xtol=0.05))
