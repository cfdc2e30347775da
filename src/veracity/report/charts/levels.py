"""An ordered item: how often each level is claimed, and how plausible it is, from low to high."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veracity.data.notes import plural
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import number, one_line, short_labels

CLAIMS, PLAUSIBILITY = "share of the claims", "plausibility"
#: What is left for levels that nobody claims is mentioned from here on.
WORTH_SAYING = 0.005


def levels_chart(
    order: Sequence[str], values: Sequence[Mapping[str, Any]], entity: str, attribute: str
) -> Chart:
    """Show the levels of an item in their order, with claims and plausibilities.

    Parameters
    ----------
    order
        The levels from low to high.
    values
        Those that are claimed: value, plausibility and supporters.
    entity, attribute
        The item.
    """
    claimed = {row["value"]: row for row in values}
    n_claims = sum(row["supporters"] for row in values)
    label = dict(zip(order, short_labels(order, 24), strict=True))
    unclaimed = [level for level in order if level not in claimed]
    left = max(1.0 - sum(row["plausibility"] for row in values), 0.0) if unclaimed else 0.0
    rows = []
    for level in order:
        row = claimed.get(level, {"supporters": 0, "plausibility": None})
        said, believed = row["supporters"], row["plausibility"]
        if believed is None and len(unclaimed) == 1:
            believed = left
        shared = {"level": label[level], "claims": said}
        share = said / max(n_claims, 1)
        rows.append({**shared, "measure": CLAIMS, "share": number(share), "shown": f"{said:,}"})
        if believed is not None:
            shown = f"{believed:.2f}"
            rows.append(
                {**shared, "measure": PLAUSIBILITY, "share": number(believed), "shown": shown}
            )
    about = f"{one_line(attribute, 40)} of {one_line(entity)}"
    best = max(values, key=lambda row: row["plausibility"])
    rest = f" Levels that nobody claims share {left:.2f}." if _says_rest(left, unclaimed) else ""
    return Chart(
        "levels",
        f"{about}: {one_line(best['value'], 40)} has plausibility {best['plausibility']:.2f}",
        f"Levels from low to high: above, how many of {plural(n_claims, 'claim')} name a level; "
        f"below, how plausible it is.{rest}",
        f"Bars of the claims and the plausibility of each level of the {about}, from "
        f"{one_line(order[0], 24)} to {one_line(order[-1], 24)}. "
        + "; ".join(
            f"{one_line(level, 24)}: {plural(claimed[level]['supporters'], 'claim')}, plausibility "
            f"{claimed[level]['plausibility']:.2f}"
            for level in order
            if level in claimed
        )
        + ".",
        rows,
        specification("levels", order=[label[level] for level in order]),
    )


def _says_rest(left: float, unclaimed: Sequence[str]) -> bool:
    return len(unclaimed) > 1 and left >= WORTH_SAYING
