"""Juries of language models on public panels: accuracy, families, labels, and dropped judges.

Run by ``make bench-juries``; the folder of the public sets is given by VERACITY_DATA. For each
panel it prints the accuracy of a vote, of the best judge in hindsight, of the default model, of the
default with families declared by a column, of the jury, which finds families itself, and with 50
labels, measured on all other questions.
The second table holds what is predicted if one judge is left out beside what happens to accuracy.
The truth plays no part in any prediction.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from veracity import Claims, GroundTruth, discover, jury
from veracity.errors import ConvergenceWarning
from veracity.workflow.jury import Jury
from veracity.workflow.jury.beliefs import Bench
from veracity.workflow.jury.columns import read_verdicts
from veracity.workflow.jury.families import declared_families
from veracity.workflow.jury.result import right_statements

PANELS = (
    "judgebench",
    "llm_judges_mixed",
    "triviaqa_judges",
    "css_emotion",
    "css_persuasion_strategy",
    "css_politeness",
    "css_stance",
)
N_LABELS = 50
#: Columns that say which judges belong together, in these sets.
FAMILY_COLUMNS = ("source_family", "source_model", "source_kind")


def tables(folder: Path) -> tuple[pa.Table, pa.Table]:
    """Read claims and truth, every column as text."""

    def read(name: str) -> pa.Table:
        with pa.CompressedInputStream(str(folder / f"{name}.csv.gz"), "gzip") as file:
            header = csv.open_csv(file).schema.names
        options = csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string()))
        return csv.read_csv(folder / f"{name}.csv.gz", convert_options=options)

    return read("claims"), read("truth")


def accuracy(found: Jury) -> float:
    """Return the accuracy of a jury against the truth that it was given."""
    assert found.measured is not None
    return found.measured.accuracy


def plain(claims: pa.Table, truth: pa.Table) -> tuple[float, str]:
    """Return the accuracy of the default model if every judge counts in full.

    Then that with the families of a column, whose members count for less; empty without one.
    """
    declared = next((name for name in FAMILY_COLUMNS if name in claims.column_names), None)
    table = read_verdicts(claims, {"family": declared})
    bench = Bench(table, {})
    run = discover(bench.claims(), truth=truth)
    assert run.evaluation is not None
    column = table.column("family")
    if column is None:
        return run.evaluation.accuracy, ""
    model: Any = run.model
    bench.families = declared_families(bench.row_judges, column, model.dependence_)
    less = discover(bench.claims(), truth=truth).evaluation
    assert less is not None
    return run.evaluation.accuracy, f"{100 * less.accuracy:.1f}"


def with_labels(verdicts: Claims, truth: pa.Table, seed: int) -> tuple[float, float]:
    """Return the accuracy on other questions, and the expected one, given labels of some."""
    order = np.random.default_rng(seed).permutation(truth.num_rows)
    labels, rest = (truth.take(pa.array(part)) for part in (order[:N_LABELS], order[N_LABELS:]))
    run = discover(verdicts, known_truth=labels, truth=rest)
    assert run.evaluation is not None
    plausibility = run.model.truths_.to_arrow()["plausibility"].to_numpy()
    known = N_LABELS / len(plausibility)
    return run.evaluation.accuracy, float((plausibility.mean() - known) / (1.0 - known))


def dropped(found: Jury, truth: GroundTruth) -> list[tuple[str, bool, float, float]]:
    """Return judge, whether it adds nothing, the expected loss, and the real one."""
    right = right_statements(found.run.claims, truth)
    best = right[found.beliefs.verdict]
    rows = []
    for row in found.judges.to_pylist():
        verdict = found.without[row["judge"]].verdict
        other = np.where(verdict >= 0, right[verdict], 0.0)
        known = ~np.isnan(best)
        loss = float((best[known] - np.nan_to_num(other[known])).mean())
        rows.append((row["judge"], bool(row["adds_nothing"]), row["expected_loss"], loss))
    return rows


def main() -> None:
    """Print the two tables."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("panels", nargs="*", default=PANELS)
    options.add_argument("--seeds", type=int, default=10, help="draws of labels")
    given = options.parse_args()
    place = Path(os.environ["VERACITY_DATA"])
    print(
        "| panel | judges | questions | vote | best judge, in hindsight | default "
        "| declared families | families found | found | with 50 labels | expected "
        "| expected with labels |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|")
    drops = []
    for name in given.panels:
        claims, truth = tables(place / name)
        found = jury(claims, truth=truth)
        assert found.measured is not None
        told = np.array([with_labels(found.run.claims, truth, seed) for seed in range(given.seeds)])
        alone, declared = plain(claims, truth)
        groups = "; ".join(", ".join(family.members) for family in found.families)
        print(
            f"| {name} | {len(found.panel.judges)} | {found.panel.n_items} | "
            f"{100 * found.measured.vote:.1f} | {100 * found.measured.best[1]:.1f} | "
            f"{100 * alone:.1f} | {declared} | {100 * accuracy(found):.1f} | {groups or 'none'} | "
            f"{100 * told[:, 0].mean():.1f} | {100 * found.expected_accuracy:.1f} | "
            f"{100 * told[:, 1].mean():.1f} |",
            flush=True,
        )
        drops.append((name, found, dropped(found, GroundTruth.from_frame(truth))))
    show_drops(drops)


def show_drops(drops: list[tuple[str, Jury, list[tuple[str, bool, float, float]]]]) -> None:
    """Print how often a judge that adds nothing could really be left out."""
    print()
    print(
        "| panel | add nothing | lose at most the tolerance | lose nothing at all "
        "| mean real loss | mean real loss of the others |"
    )
    print("|---|--:|--:|--:|--:|--:|")
    total = np.zeros(3, np.int64)
    for name, found, rows in drops:
        real = np.array([loss for _, nothing, _, loss in rows if nothing])
        rest = np.array([loss for _, nothing, _, loss in rows if not nothing])
        counts = [len(real), int((real <= found.tolerance).sum()), int((real <= 0).sum())]
        total += counts
        means = [f"{100 * part.mean():+.2f}" if len(part) else "" for part in (real, rest)]
        print(
            f"| {name} | {counts[0]} of {len(rows)} | {counts[1]} | {counts[2]} | "
            f"{means[0]} | {means[1]} |"
        )
    print(f"| all | {total[0]} | {total[1]} | {total[2]} | | |")
    pairs = [(expected, loss) for _, _, rows in drops for _, _, expected, loss in rows]
    expected, loss = map(np.array, zip(*pairs, strict=True))
    ranks = [np.argsort(np.argsort(part)) for part in (expected, loss)]
    print(
        f"\nRank correlation of expected and real loss over {len(pairs)} judges: "
        f"{np.corrcoef(*ranks)[0, 1]:.2f}"
    )


if __name__ == "__main__":
    main()
