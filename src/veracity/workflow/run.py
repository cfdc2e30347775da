"""A finished run: its description, and its results on disk."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import veracity
from veracity.arguments import check_path
from veracity.data.notes import Note, ranked
from veracity.data.output.summary import ClaimsSummary
from veracity.data.output.tables import Table
from veracity.data.output.tally import Tally
from veracity.data.output.write import TableFormat, check_format
from veracity.data.rules.table import Rules
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InvalidParameter, listing
from veracity.evaluation.metrics import Evaluation
from veracity.models.base import TruthModel
from veracity.models.persistence import plain_parameters
from veracity.report.findings import Findings
from veracity.workflow.files import RUN_FORMAT
from veracity.workflow.showing import run_html, run_line

if TYPE_CHECKING:
    from veracity.evaluation.by_labels import LabelComparison

ENGINES = ("local", "spark")
VERSIONED = ("numpy", "pyarrow", "duckdb")


@dataclass(repr=False)
class Run:
    """A finished run: the fitted model, what was found, and how long it took.

    ``choice`` is how labels chose the model, where that was left to them. ``report_error`` is what
    kept the report from being made when the run was saved, if anything. ``inherited`` is what the
    description says in place of its own words, of a run made from the claims of an earlier one.
    ``tables`` are further tables to write beside the results, and ``details`` what the description
    says about them.
    ``clashes`` are the sources in another format than the others; None if nobody looked.
    """

    claims: Any  # Claims, or ClaimsInBlocks
    model: TruthModel
    model_name: str
    summary: ClaimsSummary
    evaluation: Evaluation | None
    truth: GroundTruth | None = None
    known_truth: GroundTruth | None = None
    rules: Rules | None = None
    choice: LabelComparison | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    report_error: Exception | None = None
    inherited: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def truths(self) -> Table:
        """The value to believe for each item."""
        return self.model.truths_

    @property
    def statements(self) -> Table:
        """Every statement with its plausibility."""
        return self.model.statements_

    @property
    def sources(self) -> Table:
        """Every source with its reliability."""
        return self.model.sources_

    def __repr__(self) -> str:
        evaluation = None if self.evaluation is None else self.evaluation.as_dict()
        counts, model = self.summary.as_dict(), {"name": self.model_name}
        return run_line("Run", {"counts": counts, "evaluation": evaluation, "model": model})

    def _repr_html_(self) -> str:
        return run_html(repr(self), (self.truths, self.sources), self.notes)

    clashes: Table | None = None

    def describe(self) -> dict[str, Any]:
        """Return everything about the run but its tables, as in ``run.json``."""
        return {
            "format": RUN_FORMAT,
            "findings": self.findings.as_dict(),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": versions(),
            "inputs": {
                "claims": self.claims.describe_origin(),
                "truth": [] if self.truth is None else self.truth.describe_origin(),
                "known_truth": (
                    [] if self.known_truth is None else self.known_truth.describe_origin()
                ),
                "rules": [] if self.rules is None else self.rules.describe_origin(),
            },
            "settings": self.claims.describe_settings(),
            "columns": dict(self.claims.columns.roles),
            "dated": self.claims.columns.dated,
            "features": self.claims.feature_types,
            "model": {"name": self.model_name, "parameters": plain_parameters(self.model)},
            "choice": None if self.choice is None else self.choice.as_dict(),
            "error_rate": self.model.error_rate,
            "attributes": [profile.as_dict() for profile in self.claims.attributes],
            "counts": self.summary.as_dict(),
            "evaluation": None if self.evaluation is None else self.evaluation.as_dict(),
            **self.details,
            **self.outcome(),
            **self.inherited,
        }

    def outcome(self) -> dict[str, Any]:
        """Return what is known only when all is written."""
        return {
            "seconds": {name: round(seconds, 4) for name, seconds in self.seconds.items()},
            "notes": [note.as_dict() for note in ranked(self.notes)],
        }

    @cached_property
    def findings(self) -> Findings:
        """The run in three sentences: what was found, what to do, how far to trust it."""
        return Findings.of(
            self.summary.as_dict(),
            Tally.of(self.model.truths_),
            self.model.sources_,
            [note.as_dict() for note in ranked(self.notes)],
            self.model.error_rate,
            type(self.model).__name__,
            None if self.evaluation is None else self.evaluation.as_dict(),
        )

    @property
    def in_blocks(self) -> bool:
        """Whether the claims are too many for memory, so that results are made part by part."""
        return isinstance(self.claims, ClaimsInBlocks)

    @property
    def on_spark(self) -> bool:
        """Whether the claims are on the executors of a cluster, which then write the results."""
        return self.in_blocks and bool(self.claims.on_spark)

    def save(
        self,
        folder: str | Path,
        *,
        format: TableFormat = "parquet",
        overwrite: bool = False,
        escape: bool = False,
        report: bool = True,
    ) -> Path:
        """Write truths, statements, sources and ``run.json`` to a folder, whole or not at all.

        Beside them stand the report, the model, the claims in use and the truth that was given, for
        `open_run`. Should the report fail, the results are written all the same: a warning and
        `report_error` tell of it.

        Parameters
        ----------
        folder
            Where to; it must not exist unless `overwrite` is set.
        format
            parquet, csv, csv.gz or jsonl.
        overwrite
            Replace the folder if it holds an earlier run; its review marks stay.
        escape
            Put an apostrophe before cells of CSV files that a spreadsheet would run as formulas.
        report
            Write ``report.html`` and its charts, too, unless the run was in limited memory.
        """
        from veracity.workflow import storage as saving

        check_path("folder", folder)
        check_format(format)
        if self.on_spark:
            check_engine("spark", format)
            return saving.save_on_spark(self, str(folder), overwrite)
        return saving.save(self, Path(folder), format, overwrite, escape, report)


def check_engine(engine: str, format: str = "parquet") -> None:
    """Refuse an engine that there is not, and a format that it does not write."""
    if engine not in ENGINES:
        raise InvalidParameter(f"engine must be one of {listing(ENGINES)}. Got {engine!r} instead.")
    if engine == "spark" and format != "parquet":
        raise InvalidParameter(
            f"The Spark engine writes parquet. Got {format!r} instead; leave the format out."
        )


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Keep how long something takes."""
    started = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - started


def versions() -> dict[str, str]:
    """Return the versions of what a run rests on."""
    found = {"veracity": veracity.__version__, "python": platform.python_version()}
    for library in VERSIONED:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "unknown"
    return found
