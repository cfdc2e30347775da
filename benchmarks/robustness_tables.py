"""What came of models on the cases of `robustness`, as tables in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

DEFAULT, VOTE = "default", "vote"
#: Points under the vote that count as a loss.
LOSS = 2.0


@dataclass
class Fitted:
    """What came of one model on one case; shares, not per cent."""

    accuracy: float | None = None
    f1: float | None = None
    ece: float | None = None
    log_loss: float | None = None
    seconds: float | None = None
    notes: list[str] = field(default_factory=list)
    error: str | None = None


@dataclass
class Outcome:
    """What came of all models on one case; `left_out` says why there is nothing."""

    row: str
    name: str
    n_claims: int = 0
    n_truth_items: int = 0
    oracle: float | None = None
    left_out: str | None = None
    fitted: dict[str, Fitted] = field(default_factory=dict)

    @property
    def is_drawn(self) -> bool:
        """Whether the claims were drawn, so that the best decision is known."""
        return self.oracle is not None

    @property
    def title(self) -> str:
        """The case, and how much it tells."""
        return f"{self.row}: {self.name} ({self.n_truth_items:,} items)"

    def points(self, model: str, against: str = VOTE) -> float | None:
        """Return how many points a model is above another."""
        mine, other = (self.fitted.get(name, Fitted()).accuracy for name in (model, against))
        return None if mine is None or other is None else 100 * (mine - other)


def tables(outcomes: Sequence[Outcome], models: Sequence[str]) -> str:
    """Return everything: by split and family, over all, and where the default loses."""
    judged = [outcome for outcome in outcomes if not outcome.left_out]
    lines: list[str] = []
    for title, drawn in (("parts of public data sets", False), ("drawn families", True)):
        here = [outcome for outcome in judged if outcome.is_drawn == drawn]
        if here:
            lines += [f"Over {len(here)} cases, {title}:", "", *summary(here, models), ""]
            lines += [f"By case, {title}:", "", *by_row(here, models), ""]
            lines += [*several(here, models), *lost(here)]
    left = [o for o in outcomes if o.left_out]
    if left:
        lines += ["Left out:", "", *(f"- {o.row}: {o.name}, since {o.left_out}" for o in left)]
    return "\n".join(lines).strip()


def summary(outcomes: Sequence[Outcome], models: Sequence[str]) -> Iterator[str]:
    """Yield each model's figures over cases, and where it loses most to the vote."""
    yield "| model | accuracy | ECE | log loss | CPU s | > 2 under the vote | worst |  |"
    yield "|---|--:|--:|--:|--:|--:|--:|---|"
    for model in models:
        found = [outcome.fitted[model] for outcome in outcomes]
        ranked = losses(outcomes, model) if model != VOTE else []
        cells = [
            written(mean_of(each.accuracy for each in found), ".2f", 100),
            written(mean_of(each.ece for each in found), ".3f"),
            written(mean_of(each.log_loss for each in found), ".3f"),
            written(mean_of(each.seconds for each in found), ".2f"),
            str(sum(value < -LOSS for value, _ in ranked)) if ranked else "",
            written(ranked[0][0], "+.1f") if ranked else "",
            ranked[0][1].title if ranked else "",
        ]
        yield f"| {model} | {' | '.join(cells)} |"


def by_row(outcomes: Sequence[Outcome], models: Sequence[str]) -> Iterator[str]:
    """Yield accuracies by split or family, and how the default stands to the vote."""
    yield f"| cases | n | {' | '.join(models)} | default - vote | worst | > 2 under |"
    yield "|---|" + "--:|" * (len(models) + 4)
    for row, members in rows_of(outcomes).items():
        means = [mean_of(outcome.fitted[model].accuracy for outcome in members) for model in models]
        points = [value for value, _ in losses(members, DEFAULT)]
        cells = [
            *(written(value, ".1f", 100) for value in means),
            written(mean_of(points), "+.1f"),
            written(min(points, default=None), "+.1f"),
            str(sum(value < -LOSS for value in points)),
        ]
        yield f"| {row} | {len(members)} | {' | '.join(cells)} |"


def several(outcomes: Sequence[Outcome], models: Sequence[str]) -> Iterator[str]:
    """Yield F1 where items have several true values, which accuracy says little about."""
    rows = rows_of([o for o in outcomes if any(f.f1 is not None for f in o.fitted.values())])
    if not rows:
        return
    yield "F1 in per cent, of items with several true values:"
    yield ""
    yield f"| cases | n | {' | '.join(models)} |"
    yield "|---|" + "--:|" * (len(models) + 1)
    for row, members in rows.items():
        means = [mean_of(outcome.fitted[model].f1 for outcome in members) for model in models]
        yield f"| {row} | {len(members)} | {' | '.join(written(m, '.1f', 100) for m in means)} |"
    yield ""


def lost(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield every case where the default is clearly under the vote."""
    worst = [pair for pair in losses(outcomes, DEFAULT) if pair[0] < -LOSS]
    if worst:
        yield f"The default is more than {LOSS:g} points under the vote in:"
        yield ""
        for value, outcome in worst:
            yield f"- {value:+.1f}: {outcome.title}"
        yield ""


def failures(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each fit that failed."""
    return [
        f"{model} failed on {outcome.row}: {outcome.name}: {fitted.error.strip().splitlines()[-1]}"
        for outcome in outcomes
        for model, fitted in outcome.fitted.items()
        if fitted.error
    ]


def losses(outcomes: Sequence[Outcome], model: str) -> list[tuple[float, Outcome]]:
    """Return points above the vote, the worst first."""
    points = [(outcome.points(model), outcome) for outcome in outcomes]
    there = [(value, outcome) for value, outcome in points if value is not None]
    return sorted(there, key=lambda pair: pair[0])


def rows_of(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return outcomes by their row, in order."""
    rows: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        rows.setdefault(outcome.row, []).append(outcome)
    return rows


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that there are."""
    there = [value for value in values if value is not None]
    return statistics.mean(there) if there else None


def written(value: float | None, form: str = ".1f", scale: float = 1.0) -> str:
    """Write a number, nothing for none."""
    text = "" if value is None else format(scale * value, form)
    return "+0.0" if text == "-0.0" else text
