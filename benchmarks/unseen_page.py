"""The results of the benchmark of unseen data as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen_cells import Case
from unseen_copies import COPIES, KINDS, MAX_CLAIMS, SMALLER
from unseen_results import LOSSES, VOTE, Results, mean
from unseen_worlds import WORLDS

from veracity.data.notes import plural
from veracity.models import DEFAULT_MODEL

#: The vote with half a vote of smoothing, whose plausibilities are hard to beat.
SMOOTHED = "vote:smoothing=0.5"
#: Methods that the longer tables show; all are in the file of results.
SHOWN = (DEFAULT_MODEL, "mace", "dawid-skene", "one-coin")
NUMBER = "--:|"


def page(results: Results) -> str:
    """Return all tables of results."""
    parts = [sets(results.part("set")), copies(results.part("copy")), worlds(results.part("world"))]
    return "\n\n".join(part for part in parts if part)


# Whole sets


def sets(results: Results) -> str:
    """Return how methods do on whole sets: over all sets, and set by set."""
    if not results:
        return ""
    lines = ["### Public sets", "", f"{len(results.cases)} sets with categories.", ""]
    lines += [*summary(results), "", *by_set(results)]
    if unfinished := [each for each in results.failures() if "of CPU time" in each[2]]:
        lines += ["", "Not finished, and left out of the means:", ""]
        lines += [f"- {method} on {case.name}: {error}" for case, method, error in unfinished]
    refused = sorted({m for _, m, e in results.failures() if "of CPU time" not in e})
    if refused:
        lines += ["", f"Not for all of these sets, or failed on some: {', '.join(refused)}."]
    return "\n".join(lines)


def summary(results: Results) -> Iterator[str]:
    """Yield the figures of methods over sets, and how often each is clearly under the vote."""
    under = " | ".join(f"> {loss:g} under" for loss in LOSSES)
    yield (
        f"| method | sets | accuracy | vote there | wins | losses | {under} | worst "
        "| log loss | ECE | CPU s |"
    )
    yield "|---|" + NUMBER * 7 + "---|" + NUMBER * 3
    for method in results.methods:
        cases, points = results.done(method), results.points(method)
        figures = [
            str(len(cases)),
            share(mean(results.values(method, "accuracy", cases))),
            share(mean(results.values(VOTE, "accuracy", cases))),
            *([""] * 5 if method.startswith(VOTE) else against(points)),
            share(mean(results.values(method, "log_loss", cases))),
            share(mean(results.values(method, "ece", cases))),
            written(mean(results.values(method, "seconds", cases)), ".2f"),
        ]
        yield f"| {name_of(method)} | {' | '.join(figures)} |"


def against(points: dict[Case, float]) -> list[str]:
    """Return wins, losses, clear losses and the worst of differences to the vote."""
    values = list(points.values())
    if not values:
        return [""] * 5
    worst = min(points, key=lambda case: points[case])
    return [
        str(sum(value > 1e-9 for value in values)),
        str(sum(value < -1e-9 for value in values)),
        *(str(sum(value < -loss for value in values)) for loss in LOSSES),
        f"{signed(points[worst])} ({title(worst)})",
    ]


def by_set(results: Results) -> Iterator[str]:
    """Yield accuracies by set: the vote, some methods, and the best of all."""
    shown = [method for method in (VOTE, *SHOWN) if method in results.methods]
    names = " | ".join(map(name_of, shown))
    yield f"| set | items | {names} | {name_of(DEFAULT_MODEL)} - vote | best | |"
    yield "|---|" + NUMBER * (len(shown) + 3) + "---|"
    points = results.points(DEFAULT_MODEL)
    for case in results.cases:
        right = {
            method: value
            for method in results.methods
            if (value := results.get(case, method).accuracy) is not None
        }
        if not right:
            continue
        best = max(right, key=lambda method: right[method])
        items = next(i for m in right if (i := results.get(case, m).n_items) is not None)
        cells = [
            f"{items:,}",
            *(share(right.get(method)) for method in shown),
            signed(points[case]) if case in points else "",
            share(right[best]),
            name_of(best),
        ]
        yield f"| {case.name} | {' | '.join(cells)} |"


# Copies


def copies(results: Results) -> str:
    """Return how the default does on perturbed copies, by kind."""
    if not results:
        return ""
    others = [method for method in results.methods if method != VOTE]
    numbers = {case.number for case in results.cases}
    lines = [
        "### Perturbed copies",
        "",
        f"{plural(len(numbers), 'copy', 'copies')} of each set and kind, of {COPIES} that there "
        f"are; sets are first cut to about {MAX_CLAIMS:,} claims.",
    ]
    for method in others:
        lines += ["", f"{name_of(method)} beside the vote:", "", *by_kind(results, method)]
    smaller = [
        points
        for kind in SMALLER
        for points in results.part("copy", kind).points(DEFAULT_MODEL).values()
    ]
    if smaller:
        n_lost = sum(points < -LOSSES[1] for points in smaller)
        lines += [
            "",
            f"Of {len(smaller)} smaller copies ({', '.join(SMALLER)}), the default is more than "
            f"{LOSSES[1]:g} points under the vote on {n_lost} ({n_lost / len(smaller):.1%}).",
        ]
    lines += clear_losses(results)
    return "\n".join(lines)


def by_kind(results: Results, method: str) -> Iterator[str]:
    """Yield means by kind of copy, and how often the method is clearly under the vote."""
    under = " | ".join(f"> {loss:g} under" for loss in LOSSES)
    yield (
        f"| copies | n | vote | {name_of(method)} | wins | losses | {under} | worst "
        "| log loss | vote's | ECE | vote's |"
    )
    yield "|---|" + NUMBER * 7 + "---|" + NUMBER * 4
    for kind in KINDS:
        part = results.part("copy", kind)
        cases = part.done(method, VOTE)
        if not cases:
            continue
        cells = [
            str(len(cases)),
            *(share(mean(part.values(name, "accuracy", cases))) for name in (VOTE, method)),
            *against(part.points(method)),
            *(
                share(mean(part.values(name, figure, cases)))
                for figure in ("log_loss", "ece")
                for name in (method, VOTE)
            ),
        ]
        yield f"| {kind} | {' | '.join(cells)} |"


def clear_losses(results: Results) -> Iterator[str]:
    """Yield the sets whose copies are clearly under the vote, with the mean over copies."""
    rows = []
    for kind in KINDS:
        points = results.part("copy", kind).points(DEFAULT_MODEL)
        for name in sorted({case.name for case in points}):
            own = [value for case, value in points.items() if case.name == name]
            n_lost = sum(value < -LOSSES[1] for value in own)
            if n_lost:
                rows.append(
                    (
                        min(own),
                        f"| {kind} | {name} | {n_lost} of {len(own)} | "
                        f"{signed(mean(own) or 0)} | {signed(min(own))} |",
                    )
                )
    if rows:
        yield ""
        yield f"Where the default is more than {LOSSES[1]:g} points under the vote:"
        yield ""
        yield "| copies | set | of them | mean | worst |"
        yield "|---|---|" + NUMBER * 3
        yield from (row for _, row in sorted(rows))


# Worlds


def worlds(results: Results) -> str:
    """Return how methods do in made worlds, beside the true model."""
    if not results:
        return ""
    present = [method for method in (VOTE, *SHOWN) if method in results.methods]
    others = [method for method in results.methods if method not in (*present, SMOOTHED)]
    methods = [*present, *others]
    lines = [
        "### Made worlds",
        "",
        "Means over seeds. *True model*: the answer of somebody who knows how the world was made.",
        "",
        f"| world | n | true model | {' | '.join(map(name_of, methods))} "
        f"| {name_of(DEFAULT_MODEL)} - vote | - true model |",
        "|---|" + NUMBER * (len(methods) + 4),
    ]
    for world in WORLDS:
        part = results.part("world", name=world)
        cases = part.done(*methods)
        if not cases:
            continue
        means = {name: mean(part.values(name, "accuracy", cases)) or 0.0 for name in methods}
        best = mean(part.values(VOTE, "oracle", cases))
        own = means.get(DEFAULT_MODEL)
        cells = [
            str(len(cases)),
            share(best),
            *(share(means[name]) for name in methods),
            "" if own is None else signed(100 * (own - means[VOTE])),
            "" if own is None or best is None else signed(100 * (own - best)),
        ]
        lines.append(f"| {world} | {' | '.join(cells)} |")
    return "\n".join(lines)


# Constants


def constants(results: Results, study: Mapping[str, Any]) -> str:
    """Return what learned constants are worth on sets that they were not learned on.

    `results` are those of whole sets; `study` is what `scripts/learn_constants.py` found.
    """
    found = study["constants"]
    smoothed = {
        figure: mean(results.values(SMOOTHED, figure)) for figure in ("log_loss", "accuracy")
    }
    rows = (
        ("as they are in the library", study["present"]),
        ("learned on all sets, these among them", study),
        ("learned without the set that is judged", study["without_set"]),
        ("learned without its family of sets", study["without_family"]),
        (name_of(SMOOTHED), smoothed),
    )
    return "\n".join(
        [
            f"Of all {len(study['without_set']['sets'])} sets: mix {found['mix']:.2f}, temper "
            f"{found['temper']:.2f}, shape {found['shape']:.2f}.",
            "",
            "| constants | log loss | accuracy |",
            "|---|" + NUMBER * 2,
            *(
                f"| {name} | {fine_share(row['log_loss'])} | {fine_share(row['accuracy'])} |"
                for name, row in rows
            ),
        ]
    )


# Writing figures


def name_of(method: str) -> str:
    """Return a method as tables call it."""
    if method == DEFAULT_MODEL:
        return "default"
    return "vote, smoothed by .5" if method == SMOOTHED else method


def title(case: Case) -> str:
    """Return a case as tables call it."""
    return case.name if case.part == "set" else f"{case.name} {case.number}"


def share(value: float | None) -> str:
    """Write a share, or a figure of that size, without the zero that all have."""
    return "" if value is None else f"{value:.3f}".removeprefix("0")


def fine_share(value: float | None) -> str:
    """Write a share with the digits that close figures need."""
    return "" if value is None else f"{value:.4f}".removeprefix("0")


def written(value: float | None, form: str) -> str:
    """Write a number, nothing if there is none."""
    return "" if value is None else format(value, form)


def signed(points: float) -> str:
    """Write a difference in points, nothing as +0.0."""
    return f"{round(points, 1) + 0.0:+.1f}"
