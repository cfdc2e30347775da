"""An ordered item: how often each level is claimed, and how plausible it is, from low to high."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veracity.data.notes import plural
from veracity.models.forms.ordered.said import Said
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import number, one_line, short_labels

CLAIMS, PLAUSIBILITY = "share of the claims", "plausibility"


def beliefs_in_levels(model: Any, attribute: str, said: Sequence[Said]) -> dict[str, float]:
    """Return how plausible each level is, claimed or not; nothing by a model that cannot tell."""
    judge = getattr(model, "form_models_", {}).get("ordered")
    return judge.beliefs(attribute, said) if judge is not None and said else {}


def levels_chart(
    order: Sequence[str],
    values: Sequence[Mapping[str, Any]],
    entity: str,
    attribute: str,
    beliefs: Mapping[str, float],
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
    beliefs
        The plausibility of all levels, where it is known: of those that nobody claims, it is shown.
    """
    claimed = {row["value"]: row for row in values}
    n_claims = sum(row["supporters"] for row in values)
    label = dict(zip(order, short_labels(order, 24), strict=True))
    shares = {level: beliefs.get(level) for level in order}
    shares |= {value: row["plausibility"] for value, row in claimed.items()}
    rows = []
    for level in order:
        said = claimed[level]["supporters"] if level in claimed else 0
        shared = {"level": label[level], "claims": said}
        share = number(said / max(n_claims, 1))
        rows.append({**shared, "measure": CLAIMS, "share": share, "shown": f"{said:,}"})
        believed = shares[level]
        if believed is not None:
            shown = {"share": number(believed), "shown": f"{believed:.2f}"}
            rows.append({**shared, "measure": PLAUSIBILITY, **shown})
    about = f"{one_line(attribute, 40)} of {one_line(entity)}"
    known = {level: share for level, share in shares.items() if share is not None}
    best = max(known, key=lambda level: known[level])
    nobody = "" if best in claimed else ", though nobody claims it"
    return Chart(
        "levels",
        f"{about}: {one_line(best, 40)} is the most plausible level{nobody}",
        f"Levels from low to high: above, how many of {plural(n_claims, 'claim')} name a level; "
        "below, how plausible it is.",
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
