"""The evidence for one value as a waterfall of log-odds: claim by claim to the plausibility."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from veracity.data.notes import plural
from veracity.models.explanation import StatementEvidence, Term
from veracity.models.grbm.theta import sigmoid
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import number, one_line, short_labels

#: Claims that have a bar of their own; the others share one.
MAX_CLAIMS = 14
#: Log-odds beyond this are drawn as if they were this much: certainty has no end.
CERTAIN = 35.0
FEATURES_SHOWN = 8
#: What a sum of log-odds may be off by.
ROUNDING = 0.005


def waterfall(evidence: StatementEvidence, entity: str, attribute: str) -> Chart:
    """Show how claims add up to the plausibility of a value."""
    rows = _steps(evidence)
    value, about = one_line(evidence.value, 60), f"{one_line(attribute, 40)} of {one_line(entity)}"
    n_for = sum(term.claims for term in evidence.terms)
    n_against = len(evidence.terms) - n_for
    said = f"{plural(n_for, 'claim')} for it" + (f", {n_against:,} against" if n_against else "")
    folded = _folded(evidence.terms)
    cut = f" {plural(folded, 'small claim is', 'small claims are')} drawn as one." if folded else ""
    return Chart(
        "evidence",
        f"{about}: {value} has plausibility {evidence.plausibility:.2f}",
        "Start at the top with what holds before anybody speaks (b_0); every claim moves the "
        f"log-odds to the right or to the left, the largest first, to the total at the end.{cut}",
        f"Waterfall of the evidence that the {about} is {value}: {said}. From "
        f"{evidence.global_hidden_bias:+.2f} before anybody speaks, the log-odds come to "
        f"{rows[-1]['to']:+.2f}, a plausibility of {evidence.plausibility:.2f}.",
        rows,
        specification("waterfall"),
    )


def _steps(evidence: StatementEvidence) -> list[dict[str, Any]]:
    """Return the bars: each begins where the one before ended, the total at nothing."""
    bars = [_bar("before anybody speaks", "before anybody speaks", evidence.global_hidden_bias)]
    terms = sorted(evidence.terms, key=lambda term: -abs(term.log_odds))
    own = terms[: len(terms) - _folded(terms)]
    bars += [_claim_bar(term) for term in own]
    if rest := terms[len(own) :]:
        added = sum(term.log_odds for term in rest)
        bars.append(_bar(f"and {plural(len(rest), 'more claim')}", _side(added), added))
    bars += [_bar(one.reason, "adjustment", one.log_odds) for one in evidence.adjustments]
    total = _log_odds(evidence.plausibility)
    left = total - sum(bar["log_odds"] for bar in bars)
    if abs(left) > ROUNDING:
        bars.append(_bar("what is known besides", "adjustment", left))
    return _placed([*bars, _bar("total", "total", total)])


def _folded(terms: Sequence[Term]) -> int:
    """Return how many claims share a bar: none, or more than one."""
    return 0 if len(terms) <= MAX_CLAIMS + 1 else len(terms) - MAX_CLAIMS


def _placed(bars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    labels = short_labels([bar["label"] for bar in bars], 44)
    end = 0.0
    rows = []
    for bar, step in zip(bars, labels, strict=True):
        is_total = bar["part"] == "total"
        start = 0.0 if is_total else end
        end = _within(start + bar["log_odds"])
        plausibility = float(sigmoid(np.array(end)))
        place = {"from": number(start), "to": number(end), "plausibility": number(plausibility)}
        rows.append({"step": step, **bar, **place, "next": None if is_total else True})
    for row in rows:
        row["log_odds"] = number(row["log_odds"])
    return rows


def _claim_bar(term: Term) -> dict[str, Any]:
    features = "; ".join(
        f"{name}: {one_line(value, 40)}"
        for name, value in list(term.features.items())[:FEATURES_SHOWN]
        if value is not None
    )
    verb = "claims it" if term.claims else f"says {one_line(term.says, 40)}"
    bar = _bar(f"{one_line(term.source, 60)} {verb}", _side(term.log_odds), term.log_odds)
    return bar | {
        "label": one_line(term.source, 30)
        + ("" if term.claims else f": {one_line(term.says, 20)}"),
        "source": one_line(term.source),
        "says": one_line(term.says),
        "tpr": number(term.tpr),
        "fpr": number(term.fpr),
        "features": features or None,
    }


def _bar(label: str, part: str, log_odds: float) -> dict[str, Any]:
    log_odds = _within(log_odds)
    return {
        "label": one_line(label),
        "part": part,
        "log_odds": log_odds,
        "shown": f"{log_odds:+.2f}",
    }


def _side(log_odds: float) -> str:
    return "for" if log_odds >= 0 else "against"


def _within(log_odds: float) -> float:
    return 0.0 if math.isnan(log_odds) else min(max(log_odds, -CERTAIN), CERTAIN)


def _log_odds(plausibility: float) -> float:
    if plausibility <= 0.0 or plausibility >= 1.0:
        return math.copysign(CERTAIN, plausibility - 0.5)
    return math.log(plausibility) - math.log1p(-plausibility)
