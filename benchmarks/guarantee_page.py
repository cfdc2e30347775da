"""The tables of the page about guarantees."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from guarantee_figures import Figures
from scipy.stats import binom

from veracity.evaluation.guarantee import MODEST

PARTS = {"set": "public sets", "world": "made worlds", "hardest": "hardest cases"}
#: A share of draws above the promise is beyond chance if luck alone gives it less often than this.
BY_CHANCE = 0.001
#: The head of the table of all cases.
SUMMARY = (
    "| | audits | limit | cases | accepted | in hindsight | exceeded, mean | exceeded, most "
    "| beyond chance |",
    "|---|--:|---|--:|--:|--:|--:|---|--:|",
)
#: The limit of the table by set.
DETAILED = 0.05


def page(found: Sequence[Figures]) -> str:
    """Return all tables."""
    return "\n\n".join([summary(found), by_case(found)])


def labelled_page(found: Sequence[Figures]) -> str:
    """Return the tables of audits whose labels are learned from."""
    ordered = sorted(found, key=lambda one: (one.part, one.error_rate, one.n_audits, one.case))
    rows = "\n".join([*SUMMARY, *summary_rows(ordered)])
    return f"### All cases, with labels\n\n{rows}\n\n{labelled_by_case(ordered)}"


def labelled_by_case(found: Sequence[Figures]) -> str:
    """Return a row for each case and number of audits, with both limits."""
    rows = [
        "| case | items | labels | draws | accuracy | accepted | in hindsight | exceeded "
        "| accepted at 10 % | exceeded at 10 % |",
        f"|---|{'--:|' * 9}",
    ]
    of_key = {one.key: one for one in found}
    for part, case, error_rate, n_audits in sorted(of_key):
        if error_rate != DETAILED:
            continue
        one = of_key[part, case, DETAILED, n_audits]
        modest = of_key[part, case, MODEST.error_rate, n_audits]
        rows.append(
            f"| {case} | {one.n_items:,} | {n_audits} | {one.n_draws:,} | {one.accuracy:.3f} "
            f"| {percent(one.accepted)} | {percent(one.hindsight)} | {percent(one.exceeded)} "
            f"| {percent(modest.accepted)} | {percent(modest.exceeded)} |"
        )
    return "\n".join(["### By case, with labels, at 5 % and 95 %\n", *rows])


def summary(found: Sequence[Figures]) -> str:
    """Return a row for each part, limit and number of audits."""
    draws = f"{found[0].n_draws:,} draws of each." if found else ""
    return "\n".join([f"### All cases\n\n{draws}\n", *SUMMARY, *summary_rows(found)])


def summary_rows(found: Sequence[Figures]) -> Iterator[str]:
    """Yield a row for each part, limit and number of audits."""
    keys = dict.fromkeys((one.part, one.error_rate, one.n_audits) for one in found)
    for part, error_rate, n_audits in keys:
        own = [
            one
            for one in found
            if (one.part, one.error_rate, one.n_audits) == (part, error_rate, n_audits)
        ]
        worst = max(own, key=lambda one: one.exceeded)
        most = f"{percent(worst.exceeded)} ({worst.case})" if worst.exceeded else "0.0 %"
        yield (
            f"| {PARTS[part]} | {n_audits} | {limit(own[0])} | {len(own)} "
            f"| {percent(mean(own, 'accepted'))} | {percent(mean(own, 'hindsight'))} "
            f"| {percent(mean(own, 'exceeded'))} | {most} | {sum(map(is_beyond_chance, own))} |"
        )


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
