"""The tables of the page about labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

from labels_figures import (
    AUDIT,
    LABELLED,
    PEER,
    REPAIR,
    UNCERTAIN,
    UNLABELLED,
    VOTE,
    Figures,
)
from unseen_page import share, signed

METHODS = (LABELLED, UNLABELLED, VOTE, PEER)
#: What marks cost and bring, by how items were chosen.
CHOICES = {
    AUDIT: "at random (audit)",
    REPAIR: "most likely wrong (repair)",
    UNCERTAIN: "smallest margin (uncertainty)",
}
#: The number of labels by which sets are compared one by one.
DETAILED = 50


def page(found: Sequence[Figures]) -> str:
    """Return all tables."""
    if not found:
        return "Nothing has been run."
    parts = (by_number(found), by_audit(found), by_choice(found), by_set(found))
    return "\n\n".join("\n".join(part) for part in parts)


def by_number(found: Sequence[Figures]) -> Iterator[str]:
    """Yield a row for each number of labels and method."""
    n_sets = len({one.case for one in found})
    yield from ("### By number of labels", "", f"{n_sets} sets with categories.", "")
    yield (
        "| labels | method | sets | accuracy | without labels there | log loss "
        "| accepted at 5 % | wrong among them | > 2 under the better | > 2 under without labels |"
    )
    yield "|--:|---|" + "--:|" * 8
    for n_labels in numbers(found):
        for method in METHODS:
            own = chosen(found, n_labels, method)
            if not own:
                continue
            there = [one for one in chosen(found, n_labels, UNLABELLED) if one.case in cases(own)]
            cells = [
                str(len(own)),
                share(mean(own, "accuracy")),
                share(mean(there, "accuracy")),
                share(mean(own, "log_loss")),
                percent(mean(own, "accepted")),
                wrong_share(own),
                percent(mean(own, "under_better")),
                percent(mean(own, "under_default")),
            ]
            yield f"| {n_labels} | {method} | {' | '.join(cells)} |"
    if left_out := [one for one in found if one.left_out]:
        yield from ("", f"{PEER} is left out where it does not apply:", "")
        for reason in sorted({one.left_out for one in left_out}):
            names = sorted(one.case for one in left_out if one.left_out == reason)
            yield f"- {', '.join(names)}: {reason.removesuffix('.')}."


def by_audit(found: Sequence[Figures]) -> Iterator[str]:
    """Yield what the labels guarantee as an audit."""
    yield from ("### Guaranteed at 5 % and 95 %", "")
    yield "| labels | ranked by | sets | guaranteed | in hindsight | exceeded | sets with a list |"
    yield "|--:|---|" + "--:|" * 5
    for n_labels in numbers(found):
        for method in (LABELLED, UNLABELLED):
            own = [one for one in chosen(found, n_labels, method) if one.guaranteed is not None]
            if not own:
                continue
            n_listed = sum((one.guaranteed or 0.0) > 0 for one in own)
            shares = (percent(mean(own, name)) for name in ("guaranteed", "hindsight", "exceeded"))
            yield f"| {n_labels} | {method} | {len(own)} | {' | '.join(shares)} | {n_listed} |"


def by_choice(found: Sequence[Figures]) -> Iterator[str]:
    """Yield what labels bring by how their items were chosen."""
    yield from ("### What to mark next", "")
    yield (
        "| labels | chosen | sets | accuracy on the rest | on all items, marked ones right "
        "| on all items, by marks of others | points above random | log loss, by marks of others |"
    )
    yield "|--:|---|" + "--:|" * 6
    for n_labels in sorted({one.n_labels for one in found if one.choice == REPAIR}):
        names = cases(chosen(found, n_labels, LABELLED, REPAIR))
        start = [one for one in chosen(found, 0, LABELLED) if one.case in names]
        random = {one.case: one for one in chosen(found, n_labels, LABELLED)}
        before = _of_all(start)
        yield f"| 0 | | {len(start)} | {' | '.join([*before[:3], '', before[3]])} |"
        for choice, title in CHOICES.items():
            own = [one for one in chosen(found, n_labels, LABELLED, choice) if one.case in names]
            above = [100 * ((one.taught or 0) - (random[one.case].taught or 0)) for one in own]
            cells = [str(len(own)), *_of_all(own)]
            cells.insert(4, "" if choice == AUDIT else with_error(above))
            yield f"| {n_labels} | {title} | {' | '.join(cells)} |"


def _of_all(own: Sequence[Figures]) -> list[str]:
    names = ("accuracy", "accuracy_of_all", "taught", "taught_log_loss")
    return [share(mean(own, name)) for name in names]


def with_error(points: Sequence[float]) -> str:
    """Write the mean of differences with its standard error over sets."""
    error = stdev(points) / len(points) ** 0.5 if len(points) > 1 else 0.0
    return f"{signed(fmean(points))} ± {error:.1f}"


def by_set(found: Sequence[Figures]) -> Iterator[str]:
    """Yield accuracies by set at one number of labels."""
    yield from (f"### By set, at {DETAILED} labels", "")
    yield "| set | items | without labels | with labels | difference | vote | crowd-kit | draws |"
    yield "|---|" + "--:|" * 7
    by_method = {
        method: {one.case: one for one in chosen(found, DETAILED, method)} for method in METHODS
    }
    for case, own in sorted(by_method[LABELLED].items()):
        without, vote = (by_method[method][case] for method in (UNLABELLED, VOTE))
        peer = by_method[PEER].get(case)
        cells = [
            f"{own.n_items:,}",
            share(without.accuracy),
            share(own.accuracy),
            signed(100 * ((own.accuracy or 0.0) - (without.accuracy or 0.0))),
            share(vote.accuracy),
            share(None if peer is None else peer.accuracy),
            str(own.n_draws),
        ]
        yield f"| {case} | {' | '.join(cells)} |"


def chosen(
    found: Sequence[Figures], n_labels: int, method: str, choice: str = AUDIT
) -> list[Figures]:
    """Return the figures of a number of labels and a method, one for each set."""
    wanted = choice, n_labels, method
    return [one for one in found if one.key[1:] == wanted and one.accuracy is not None]


def numbers(found: Sequence[Figures]) -> list[int]:
    """Return the numbers of labels."""
    return sorted({one.n_labels for one in found})


def cases(found: Sequence[Figures]) -> set[str]:
    """Return the names of the sets."""
    return {one.case for one in found}


def mean(found: Sequence[Figures], name: str) -> float | None:
    """Return the mean of a figure over sets, None if there is none."""
    values = [value for one in found if (value := getattr(one, name)) is not None]
    return fmean(values) if values else None


def wrong_share(found: Sequence[Figures]) -> str:
    """Write the share of errors among the accepted, all sets together; each counts alike."""
    accepted, wrong = mean(found, "accepted"), mean(found, "wrong")
    return percent(wrong / accepted) if accepted and wrong is not None else ""


def percent(value: float | None) -> str:
    """Write a share in per cent."""
    return "" if value is None else f"{100 * value:.1f} %"
