"""Agreement statistics that people expect of a panel: alpha and the kappas."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.errors import needs

#: Questions that two judges must share for their kappa.
MIN_SHARED = 10
MISSING = -1
#: Different verdicts up to which judges can be said to choose among classes; beyond, it is text.
MAX_VERDICTS = 50


@dataclass(frozen=True)
class Agreement:
    """Agreement beyond chance: 1 is perfect, 0 what chance would give; None where not defined.

    Of free text, alpha and Fleiss' kappa are not defined: chance agreement needs classes.
    """

    krippendorff_alpha: float | None
    fleiss_kappa: float | None
    cohen_kappa: list[dict[str, Any]]  # of pairs: judge, other, kappa, agreement, n_shared

    @property
    def mean_cohen_kappa(self) -> float | None:
        """Mean over the pairs for which kappa is defined."""
        known = [pair["kappa"] for pair in self.cohen_kappa if pair["kappa"] is not None]
        return float(np.mean(known)) if known else None


def agreement_of(said: Indices, judges: list[str]) -> Agreement:
    """Measure how far judges agree.

    Parameters
    ----------
    said
        The verdict of each judge on each question as a number, -1 where there is none;
        (n_judges, n_questions).
    judges
        Their names.
    """
    pairs = _cohen_pairs(said, judges)
    if said.max(initial=MISSING) >= MAX_VERDICTS:
        return Agreement(None, None, pairs)
    return Agreement(krippendorff_alpha(said), fleiss_kappa(category_counts(said)), pairs)


def category_counts(said: Indices) -> Floats:
    """Count how often each question is given each verdict; (n_questions, n_verdicts)."""
    n_verdicts = int(said.max(initial=0)) + 1
    return np.stack([(said == code).sum(axis=0) for code in range(n_verdicts)], axis=1).astype(
        np.float64
    )


def krippendorff_alpha(said: Indices) -> float | None:
    """Return Krippendorff's alpha for nominal data; None where all say one thing."""
    try:
        import krippendorff
    except ImportError as error:
        raise needs("krippendorff", "Krippendorff's alpha (veracity[jury])") from error
    pairable = (said != MISSING).sum(axis=0) > 1
    kept = said[:, pairable]
    if not pairable.any() or len(np.unique(kept[kept != MISSING])) < 2:
        return None
    data = np.where(kept == MISSING, np.nan, kept.astype(np.float64))
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))


def fleiss_kappa(counts: Floats) -> float | None:
    """Return Fleiss' kappa over the questions that two judges or more speak about.

    κ = (P - P_e) / (1 - P_e), with P the mean over questions of (Σ n_k² - n) / n (n - 1), and P_e
    the sum of the squared shares of all verdicts (Fleiss, Measuring nominal scale agreement among
    many raters, Psychological Bulletin 76, 1971). Questions may have different numbers of judges.

    Parameters
    ----------
    counts
        How often each question is given each verdict; (n_questions, n_verdicts).
    """
    n = counts.sum(axis=1)
    counts, n = counts[n > 1], n[n > 1]
    if not len(n):
        return None
    observed = float((((counts**2).sum(axis=1) - n) / (n * (n - 1.0))).mean())
    expected = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return (observed - expected) / (1.0 - expected) if expected < 1.0 else None


def _cohen_pairs(said: Indices, judges: list[str]) -> list[dict[str, Any]]:
    """Return Cohen's kappa of each pair of judges with enough questions in common."""
    try:
        from sklearn.metrics import cohen_kappa_score
    except ImportError as error:
        raise needs("scikit-learn", "Cohen's kappa (veracity[jury])") from error
    pairs = []
    for one, other in combinations(range(len(judges)), 2):
        both = (said[one] != MISSING) & (said[other] != MISSING)
        if both.sum() < MIN_SHARED:
            continue
        first, second = said[one, both], said[other, both]
        varied = 1 < len(np.union1d(first, second)) <= MAX_VERDICTS
        pairs.append(
            {
                "judge": judges[one],
                "other": judges[other],
                "kappa": float(cohen_kappa_score(first, second)) if varied else None,
                "agreement": float((first == second).mean()),
                "n_shared": int(both.sum()),
            }
        )
    return pairs
