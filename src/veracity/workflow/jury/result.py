"""Jury: what was found about a panel of judges, as tables, and its files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, sum_by
from veracity.data.buffers import to_numpy
from veracity.data.claims import Claims
from veracity.data.output.decisions import ACCEPT
from veracity.data.output.tables import Table
from veracity.data.output.write import JURY_FILE, TableFormat, check_format, table_bytes
from veracity.data.truth.ground_truth import GroundTruth
from veracity.evaluation.metrics import assess
from veracity.models.baselines.majority_vote import MajorityVote
from veracity.workflow.jury.agreement import Agreement
from veracity.workflow.jury.beliefs import Beliefs
from veracity.workflow.jury.biases import Bias, Biases
from veracity.workflow.jury.confidence import Confidence
from veracity.workflow.jury.families import Family, family_of
from veracity.workflow.jury.panel import Panel
from veracity.workflow.jury.panels import Loss, SmallerPanel, loss_without
from veracity.workflow.run import Run, versions

FORMAT = 1
DESCRIPTION_FILE, ESCALATE_FILE = "jury.json", "escalate.csv"


@dataclass(frozen=True)
class Measured:
    """Verdicts against the truth: of the jury, of a majority vote, and of each judge."""

    n_questions: int
    accuracy: float
    vote: float
    by_judge: Mapping[str, tuple[int, float]]  # questions with known truth, share right

    @property
    def best(self) -> tuple[str, float]:
        """The judge that is right most often, in hindsight."""
        judge = max(self.by_judge, key=lambda one: self.by_judge[one][1])
        return judge, self.by_judge[judge][1]


def measure(run: Run, claims: Claims, panel: Panel) -> Measured:
    """Measure the jury, a plain vote and the judges against the truth of a run.

    `claims` are the verdicts, each of which counts in full.
    """
    assert run.truth is not None
    assert run.evaluation is not None
    vote = MajorityVote(random_state=0).fit(claims)
    voted = assess(vote.truths_, run.truth, claims)[0].accuracy
    of_claim = right_statements(run.claims, run.truth)[panel.statement]
    by_judge = {}
    for index, judge in enumerate(panel.judges):
        own = of_claim[(panel.judge == index) & ~np.isnan(of_claim)]
        if len(own):
            by_judge[judge] = (len(own), float(own.mean()))
    return Measured(run.evaluation.n_items, run.evaluation.accuracy, voted, by_judge)


def right_statements(claims: Claims, truth: GroundTruth) -> Floats:
    """Return 1 for statements that are true, 0 for false ones, NaN where the truth is not known."""
    matrix = claims.matrix
    names = [profile.name for profile in claims.attributes]
    known: dict[tuple[str, str], set[str]] = {}
    for row in truth.for_attributes(names).to_pylist():
        known.setdefault((row["entity"], row["attribute"]), set()).add(row["value"])
    entities, attributes = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    values = matrix.values.to_pylist()
    found = np.full(matrix.n_statements, np.nan)
    for at, (item, value) in enumerate(
        zip(matrix.item_of_statement, matrix.value_index, strict=True)
    ):
        place = entities[matrix.entity_index[item]], attributes[matrix.attribute_index[item]]
        if place in known:
            found[at] = values[value] in known[place]
    return found


@dataclass(eq=False)
class Jury:
    """What was found about a jury; see `veracity.jury`.

    Attributes
    ----------
    run
        The run of the default model on the verdicts, with truths, statements and sources.
    families
        Judges that err together, and for how many they count.
    related
        Pairs of judges that agree more than their agreement with others explains.
    beliefs, without
        What is believed with all judges, and without each of them.
    drops, panels
        What is lost without each judge, and with fewer and fewer of them.
    biases
        Position, verbosity and yes bias, where columns tell of them.
    confidence
        What stated confidence is worth; None where none is stated.
    agreement
        Krippendorff's alpha, Fleiss' and Cohen's kappa.
    measured
        Accuracy against the truth, if it was given.
    """

    run: Run
    panel: Panel
    roles: Mapping[str, str]
    families: Sequence[Family]
    related: Table
    beliefs: Beliefs
    without: Mapping[str, Beliefs]
    drops: Mapping[str, Loss]
    panels: Sequence[SmallerPanel]
    biases: Biases
    confidence: Confidence | None
    agreement: Agreement
    tolerance: float
    measured: Measured | None = None

    # What was found, as tables

    @cached_property
    def judges(self) -> Table:
        """Every judge: reliability, what is lost without it, cost, and whether it adds nothing."""
        return Table("judges", pa.Table.from_pylist(self._judge_rows()))

    def _judge_rows(self) -> list[dict[str, Any]]:
        sources = {row["source"]: row for row in self.run.model.sources_.to_pylist()}
        families = family_of(self.families)
        rows = []
        for index, judge in enumerate(self.panel.judges):
            source, drop = sources[judge], self.drops.get(judge)
            own = self.panel.judge == index
            family = families.get(judge)
            rows.append(
                {
                    "judge": judge,
                    "n_verdicts": int(own.sum()),
                    "reliability": source["reliability"],
                    "reliability_low": source.get("reliability_low"),
                    "reliability_high": source.get("reliability_high"),
                    "family": None if family is None else family.name,
                    "verdicts_changed": None if drop is None else drop.n_changed,
                    "expected_loss": None if drop is None else drop.expected,
                    "expected_loss_high": None if drop is None else drop.high,
                    "hardly_better_than_chance": None if drop is None else drop.is_chance,
                    "adds_nothing": None if drop is None else drop.is_within(self.tolerance),
                    "share_of_calls": float(own.mean()),
                    **self._costs(index, source["reliability"]),
                }
            )
        return rows

    def _costs(self, index: int, reliability: float) -> dict[str, float | None]:
        """Return what a judge costs in all, and for each verdict that is expected to be right."""
        own = self.panel.judge == index
        paid = self.panel.cost[own & ~np.isnan(self.panel.cost)]
        if not len(paid):
            return {"cost": None, "cost_per_correct": None}
        per_correct = paid.mean() / reliability if reliability > 0 else None
        return {"cost": float(paid.sum()), "cost_per_correct": per_correct}

    @property
    def adds_nothing(self) -> list[str]:
        """The judges that add nothing, the least loss first."""
        rows = [row for row in self.judges.to_pylist() if row["adds_nothing"]]
        return [row["judge"] for row in sorted(rows, key=lambda row: row["expected_loss"])]

    @property
    def can_tell_who_adds_nothing(self) -> bool:
        """Whether there are questions enough: if no verdict changed, would the bound be met?"""
        n = self.panel.n_items
        same = Beliefs(np.ones(n), np.ones(n, np.bool_), np.arange(n))
        return loss_without(same, same, np.ones(n, np.bool_)).high <= self.tolerance

    @cached_property
    def pairs(self) -> Table:
        """Pairs of judges that agree more than their agreement with others explains."""
        rows = []
        nothing = set(self.adds_nothing)
        sources = {row["judge"]: row for row in self.judges.to_pylist()}
        for row in self.related.to_pylist():
            first, second = row["source"], row["other"]
            can_go = [judge for judge in (first, second) if judge in nothing]
            worse = min(can_go, key=lambda one: sources[one]["reliability"], default=None)
            rows.append(
                {
                    "judge": first,
                    "other": second,
                    "agreement": row["agreement"],
                    "expected_agreement": row["expected"],
                    "n_shared": row["n_shared"],
                    "redundant": worse is not None,
                    "drop": worse,
                }
            )
        schema = pa.schema(
            {
                "judge": pa.string(),
                "other": pa.string(),
                "agreement": pa.float64(),
                "expected_agreement": pa.float64(),
                "n_shared": pa.int64(),
                "redundant": pa.bool_(),
                "drop": pa.string(),
            }
        )
        return Table("pairs", pa.Table.from_pylist(rows, schema=schema))

    @cached_property
    def escalate(self) -> Table:
        """The questions to escalate, the least plausible verdict first."""
        truths = self.run.model.truths_.to_arrow()
        open_ = truths.filter(pc.not_equal(truths["decision"], ACCEPT))
        columns = ["entity", "attribute", "value", "plausibility", "margin", "n_sources"]
        rows = open_.select([*columns, "decision"]).sort_by(
            [("plausibility", "ascending"), ("entity", "ascending")]
        )
        return Table(
            "escalate",
            rows.rename_columns(
                ["question", "attribute", "verdict", *columns[3:5], "n_judges", "decision"]
            ),
        )

    @property
    def expected_errors(self) -> dict[str, float | int | None]:
        """The expected share of errors: of all verdicts, of those kept and of those escalated."""
        truths = self.run.model.truths_.to_arrow()
        wrong = 1.0 - to_numpy(truths["plausibility"])
        kept = np.array(pc.equal(truths["decision"], ACCEPT).to_pylist(), np.bool_)
        return {
            "n_kept": int(kept.sum()),
            "n_escalated": int((~kept).sum()),
            "all": float(wrong.mean()),
            "kept": float(wrong[kept].mean()) if kept.any() else None,
            "escalated": float(wrong[~kept].mean()) if (~kept).any() else None,
        }

    @property
    def expected_accuracy(self) -> float:
        """The expected accuracy of the jury's verdicts, by their plausibilities."""
        return float(to_numpy(self.run.model.truths_["plausibility"]).mean())

    @cached_property
    def panel_rows(self) -> list[dict[str, Any]]:
        """Panels of fewer judges, the largest first: expected accuracy, calls saved, cost."""
        calls = sum_by(self.panel.judge, np.ones(len(self.panel.judge)), len(self.panel.judges))
        paid = sum_by(self.panel.judge, np.nan_to_num(self.panel.cost), len(self.panel.judges))
        has_cost = not np.isnan(self.panel.cost).all()
        rows = []
        for one in self.panels:
            own = [self.panel.judges.index(judge) for judge in one.judges]
            cost = float(paid[own].sum()) if has_cost else None
            right = self.panel.n_items * one.expected_accuracy
            rows.append(
                {
                    "n_judges": len(one.judges),
                    "judges": list(one.judges),
                    "expected_accuracy": one.expected_accuracy,
                    "expected_loss": one.loss.expected,
                    "expected_loss_high": one.loss.high,
                    "calls_saved": 1.0 - float(calls[own].sum() / calls.sum()),
                    "cost": cost,
                    "cost_saved": None if cost is None else 1.0 - cost / float(paid.sum() or 1.0),
                    "cost_per_correct": None if cost is None or not right else cost / right,
                }
            )
        return rows

    @property
    def enough(self) -> dict[str, Any] | None:
        """The smallest panel that is expected to lose no more than the tolerance."""
        good = [row for row in self.panel_rows if row["expected_loss_high"] <= self.tolerance]
        smaller = [row for row in good if row["n_judges"] < len(self.panel.judges)]
        return smaller[-1] if smaller else None

    @property
    def findings(self) -> list[str]:
        """What was found, in three to eight sentences; what to do comes first."""
        from veracity.workflow.jury.findings import findings_of

        return findings_of(self)

    # Files

    def as_dict(self) -> dict[str, Any]:
        """Return all that was found as plain data, as in ``jury.json``."""
        escalated = self.escalate.to_pylist()
        return {
            "format": FORMAT,
            "versions": versions(),
            "columns": dict(self.roles),
            "counts": {
                "n_verdicts": len(self.panel.judge),
                "n_judges": len(self.panel.judges),
                "n_questions": self.panel.n_items,
            },
            "tolerance": self.tolerance,
            "error_rate": self.run.model.error_rate,
            "findings": self.findings,
            "expected_accuracy": self.expected_accuracy,
            "judges": self.judges.to_pylist(),
            "adds_nothing": self.adds_nothing,
            "pairs": self.pairs.to_pylist(),
            "families": [
                asdict(family) | {"counts_as": family.counts_as} for family in self.families
            ],
            "panels": self.panel_rows,
            "enough": self.enough,
            "escalate": self.expected_errors | {"questions": escalated},
            "biases": {
                "by_judge": [bias_row(bias) for bias in self.biases.by_judge],
                "total": [bias_row(bias) for bias in self.biases.total],
                "position_consistency": [
                    asdict(one) | {"share": one.share, "interval": list(one.interval)}
                    for one in self.biases.consistency
                ],
                "not_seen": dict(self.biases.not_seen),
            },
            "confidence": None if self.confidence is None else asdict(self.confidence),
            "agreement": {
                "krippendorff_alpha": self.agreement.krippendorff_alpha,
                "fleiss_kappa": self.agreement.fleiss_kappa,
                "mean_cohen_kappa": self.agreement.mean_cohen_kappa,
                "cohen_kappa": self.agreement.cohen_kappa,
            },
            "measured": None if self.measured is None else asdict(self.measured),
            "notes": [note.as_dict() for note in self.run.notes],
        }

    def save(
        self,
        folder: str | Path,
        *,
        format: TableFormat = "parquet",
        overwrite: bool = False,
        report: bool = True,
    ) -> Path:
        """Write the page, ``jury.json`` and the run to a folder, whole or not at all.

        Parameters
        ----------
        folder
            Where to; it must not exist unless `overwrite` is set.
        format
            Of the tables of the run: parquet, csv, csv.gz or jsonl.
        overwrite
            Replace the folder if it holds an earlier run.
        report
            Write the report of the run, too.
        """
        from veracity.workflow import storage
        from veracity.workflow.jury.page import page_of_jury

        check_format(format)
        described = json.dumps(self.as_dict(), indent=2, ensure_ascii=False, default=float)
        further = {
            JURY_FILE: page_of_jury(self).encode("utf-8"),
            DESCRIPTION_FILE: f"{described}\n".encode(),
            ESCALATE_FILE: table_bytes(self.escalate.to_arrow(), "csv"),
        }
        return storage.save(
            self.run, Path(folder), format, overwrite, False, report, further=further
        )

    def __repr__(self) -> str:
        return "\n".join(self.findings)


def bias_row(bias: Bias) -> dict[str, Any]:
    """Return a bias as plain data."""
    known = bias.preference
    return {
        "kind": bias.kind,
        "judge": bias.judge,
        "n_verdicts": bias.n_verdicts,
        "share": bias.share,
        "believed_share": bias.believed,
        "log_odds": None if known is None else known.log_odds,
        "log_odds_low": None if known is None else known.low,
        "log_odds_high": None if known is None else known.high,
        "p_value": None if known is None else known.p_value,
        "found": bias.is_found,
    }
