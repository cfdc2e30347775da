"""The tables of the page about guarantees."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from guarantee_figures import Figures
from scipy.stats import binom

PARTS = {"set": "public sets", "world": "made worlds", "hardest": "hardest cases"}
#: A share of draws above the promise is beyond chance if luck alone gives it less often than this.
BY_CHANCE = 0.001
#: The limit of the table by set.
DETAILED = 0.05


def page(found: Sequence[Figures]) -> str:
    """Return all tables."""
    return "\n\n".join([summary(found), by_case(found)])


def summary(found: Sequence[Figures]) -> str:
    """Return a row for each part, limit and number of audits."""
    rows = [
        "| | audits | limit | cases | accepted | in hindsight | exceeded, mean | exceeded, most "
        "| beyond chance |",
        "|---|--:|---|--:|--:|--:|--:|---|--:|",
    ]
    keys = dict.fromkeys((one.part, one.error_rate, one.n_audits) for one in found)
    for part, error_rate, n_audits in keys:
        own = [
            one
            for one in found
            if (one.part, one.error_rate, one.n_audits) == (part, error_rate, n_audits)
        ]
        worst = max(own, key=lambda one: one.exceeded)
        most = f"{percent(worst.exceeded)} ({worst.case})" if worst.exceeded else "0.0 %"
        rows.append(
            f"| {PARTS[part]} | {n_audits} | {limit(own[0])} | {len(own)} "
            f"| {percent(mean(own, 'accepted'))} | {percent(mean(own, 'hindsight'))} "
            f"| {percent(mean(own, 'exceeded'))} | {most} | {sum(map(is_beyond_chance, own))} |"
        )
    draws = f"{found[0].n_draws:,} draws of each." if found else ""
    return "\n".join([f"### All cases\n\n{draws}\n", *rows])


def by_case(found: Sequence[Figures]) -> str:
    """Return a row for each case, at the stricter limit."""
    own = [one for one in found if one.error_rate == DETAILED]
    audits = sorted({one.n_audits for one in own})
    head = " | ".join(f"accepted, {n} | exceeded, {n}" for n in audits)
    rows = [
        f"| case | items | accuracy | in hindsight | {head} |",
        f"|---|--:|--:|--:|{'--:|' * 2 * len(audits)}",
    ]
    for case in dict.fromkeys(one.case for one in own):
        cells = [one for one in own if one.case == case]
        first = cells[0]
        shown = " | ".join(f"{percent(one.accepted)} | {percent(one.exceeded)}" for one in cells)
        rows.append(
            f"| {case} | {first.n_items:,} | {first.accuracy:.3f} | {percent(first.hindsight)} "
            f"| {shown} |"
        )
    return "\n".join([f"### By case, at {limit(own[0]) if own else ''}\n", *rows])


def is_beyond_chance(one: Figures) -> bool:
    """Whether the limit was exceeded more often than promised, by more than luck."""
    count = round(one.exceeded * one.n_draws)
    return bool(binom.sf(count - 1, one.n_draws, 1 - one.confidence) < BY_CHANCE)


def mean(found: Sequence[Figures], name: str) -> float:
    """Return the mean of a figure."""
    return float(statistics.mean(getattr(one, name) for one in found))


def limit(one: Figures) -> str:
    """Write a limit."""
    return f"{100 * one.error_rate:g} % and {100 * one.confidence:g} %"


def percent(share: float) -> str:
    """Write a share."""
    return f"{100 * share:.1f} %"
