"""What runs of several sizes cost, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

#: With fewer claims, starting takes longer than the work.
LARGE = 1_000_000
#: In place of a figure of a run that was not done.
NOTHING = ""


@dataclass(frozen=True)
class Cost:
    """What a run cost."""

    what: str
    n_claims: int
    wall: float
    cpu: float
    peak_mb: float
    spilled_mb: float
    failed: str = ""
    stages: dict[str, float] = field(default_factory=dict)


def growth(costs: Sequence[Cost], what: str) -> Iterator[tuple[int, int, float]]:
    """Yield two sizes, and the power of size that CPU time grows as from one to the other.

    The first is the smallest size that counts; see `LARGE`.
    """
    done = sorted((c.n_claims, c.cpu) for c in costs if c.what == what and not c.failed)
    large = [pair for pair in done if pair[0] >= LARGE]
    (n, cpu), *others = large if len(large) > 1 else done or [(0, 0.0)]
    for n_more, cpu_more in others:
        if cpu > 0 and cpu_more > 0:
            yield n, n_more, float(np.log(cpu_more / cpu) / np.log(n_more / n))


def exponents(costs: Sequence[Cost]) -> Iterator[str]:
    """Say how CPU time grows from the first size that counts to each other, as a power of size."""
    for what in _runs(costs):
        for n, n_more, power in growth(costs, what):
            yield f"{what}, {n:,} to {n_more:,} claims: CPU time grows with exponent {power:.2f}"


def page(costs: Sequence[Cost]) -> str:
    """Return the tables: CPU time by size, with how it grows; memory and disk by size."""
    parts = [
        "CPU seconds of whole runs, by the number of claims:",
        "\n".join(_time_table(costs)),
        "Most memory of the process tree, in MB, and most on disk beside input and output:",
        "\n".join(_memory_table(costs)),
    ]
    if failed := [cost for cost in costs if cost.failed]:
        lines = (f"- {cost.what}, {cost.n_claims:,} claims: {cost.failed}" for cost in failed)
        parts += ["Not carried to the end:", "\n".join(lines)]
    return "\n\n".join(parts)


def _time_table(costs: Sequence[Cost]) -> Iterator[str]:
    sizes = _sizes(costs)
    yield f"| run | {' | '.join(f'{size:,}' for size in sizes)} | µs a claim | grows as |"
    yield "|---|" + "--:|" * (len(sizes) + 2)
    for what in _runs(costs):
        done = {cost.n_claims: cost.cpu for cost in costs if cost.what == what and not cost.failed}
        if not done:
            continue
        cells = [f"{done[size]:,.1f}" if size in done else NOTHING for size in sizes]
        each = 1e6 * done[max(done)] / max(done)
        powers = [power for *_, power in growth(costs, what)]
        grows = f"{powers[-1]:.2f}" if powers else NOTHING
        yield f"| {what} | {' | '.join(cells)} | {each:,.2f} | {grows} |"


def _memory_table(costs: Sequence[Cost]) -> Iterator[str]:
    sizes = _sizes(costs)
    yield f"| run | {' | '.join(f'{size:,}' for size in sizes)} | on disk |"
    yield "|---|" + "--:|" * (len(sizes) + 1)
    for what in _runs(costs):
        done = {cost.n_claims: cost for cost in costs if cost.what == what and not cost.failed}
        if not done:
            continue
        cells = [f"{done[size].peak_mb:,.0f}" if size in done else NOTHING for size in sizes]
        yield f"| {what} | {' | '.join(cells)} | {done[max(done)].spilled_mb:,.0f} |"


def _runs(costs: Sequence[Cost]) -> list[str]:
    return list(dict.fromkeys(cost.what for cost in costs))


def _sizes(costs: Sequence[Cost]) -> list[int]:
    return sorted({cost.n_claims for cost in costs if not cost.failed})
