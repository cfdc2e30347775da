"""The accepted share by number of audits: what each further audit was worth."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.data.notes import plural
from veracity.evaluation.guarantee import Guarantee
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import records


def accepted_by_audits(found: Sequence[Guarantee]) -> Chart:
    """Show which share of the verdicts could be accepted after so many audits, by limit."""
    finding = _finding(found)
    return Chart(
        "accepted",
        finding,
        "What the first audits of the random order alone would have guaranteed. The last point is "
        "what all of them guarantee; those before show how it came about, and are no promise.",
        f"Line of the accepted share by the number of audits, for each limit. {finding}.",
        records(
            limit=[str(one.limit) for one in found],
            audits=[one.n_audits for one in found],
            wrong=[one.n_wrong for one in found],
            accepted=[one.n_listed for one in found],
            share=[one.share for one in found],
        ),
        specification("accepted"),
    )


def _finding(found: Sequence[Guarantee]) -> str:
    """Say what all audits guarantee, at each limit."""
    last: dict[str, Guarantee] = {str(one.limit): one for one in found}
    n_audits = max(one.n_audits for one in found)
    parts = [
        f"{f'{100 * one.share:.0f} %' if one.n_listed else 'none'} at {limit}"
        for limit, one in last.items()
    ]
    return (
        f"After {plural(n_audits, 'audit')}, the share of verdicts that can be accepted is "
        f"{', '.join(parts)}"
    )
