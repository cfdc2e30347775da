"""From a table of claims to results on disk, as one function."""

from __future__ import annotations

import json
import platform
import shutil
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa

import veracity
from veracity.data.claims import Claims
from veracity.data.decisions import check_error_rate
from veracity.data.notes import Note
from veracity.data.result_files import read_result
from veracity.data.settings import ANY_ATTRIBUTE, Attribute
from veracity.data.summary import ClaimsSummary, summarise_claims
from veracity.data.tables import Table
from veracity.data.truth import GroundTruth
from veracity.data.writing import (
    MARKS_FILE,
    TableFormat,
    check_format,
    escape_formulas,
    formula_cells,
    formula_note,
    whole_folder,
    write_parts,
    write_table,
)
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.checkpoints import Checkpoints
from veracity.engines.summary import summarise_blocks
from veracity.engines.threads import default_threads, use_threads
from veracity.errors import InputError, InvalidParameter, ReportWarning
from veracity.evaluation.metrics import Evaluation, evaluate
from veracity.models import DEFAULT_ALIAS, make_model, model_name
from veracity.models.base import TruthModel
from veracity.models.persistence import load, plain_parameters, write_model
from veracity.report.subject import Subject

Progress = Callable[[str], None]

RUN_FILE = "run.json"
CLAIMS_FILE = "claims.parquet"
TRUTH_FILE = "truth.parquet"
KNOWN_TRUTH_FILE = "known_truth.parquet"
RUN_FORMAT = 1
STAGES = ("reading claims", "encoding", "fitting", "evaluating", "writing")
RESULT_TABLES = ("truths", "statements", "sources")
VERSIONED = ("numpy", "pyarrow", "duckdb")
#: Why there is no report of a run in limited memory, and what to do.
NO_REPORT = (
    "There is no report: it shows claims side by side, and a run in limited memory does not hold "
    "them so. Where they fit into memory after all, `veracity report` makes it of the results."
)
#: The subjects of notes that saving a run adds.
_OF_SAVING = ("output", "marks", "report")


@dataclass
class Run:
    """A finished run: the fitted model, what was found, and how long it took.

    ``report_error`` is what kept the report from being made when the run was saved, if anything.
    """

    claims: Any  # Claims, or ClaimsInBlocks
    model: TruthModel
    model_name: str
    summary: ClaimsSummary
    evaluation: Evaluation | None
    truth: GroundTruth | None = None
    known_truth: GroundTruth | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    report_error: Exception | None = None

    def describe(self) -> dict[str, Any]:
        """Return everything about the run but its tables, as in ``run.json``."""
        return {
            "format": RUN_FORMAT,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": _versions(),
            "inputs": {
                "claims": self.claims.describe_origin(),
                "truth": [] if self.truth is None else self.truth.describe_origin(),
                "known_truth": (
                    [] if self.known_truth is None else self.known_truth.describe_origin()
                ),
            },
            "settings": self.claims.describe_settings(),
            "columns": dict(self.claims.columns.roles),
            "features": self.claims.feature_types,
            "model": {"name": self.model_name, "parameters": plain_parameters(self.model)},
            "error_rate": self.model.error_rate,
            "attributes": [profile.as_dict() for profile in self.claims.attributes],
            "counts": self.summary.as_dict(),
            "evaluation": None if self.evaluation is None else self.evaluation.as_dict(),
            **self._outcome(),
        }

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
        check_format(format)
        if report and not self.in_blocks:
            from veracity.report.page import check_page

            check_page()
        target = Path(folder)
        escape = escape and format.startswith("csv")
        self.notes = [note for note in self.notes if note.subject not in _OF_SAVING]
        self.seconds.pop("report", None)
        self.report_error = None
        with whole_folder(target, overwrite=overwrite, marks=(RUN_FILE,)) as scratch:
            with _timed(self.seconds, "writing"):
                self._write_results(scratch, format, escape)
                self._write_inputs(scratch)
                write_model(self.model, scratch)
            self.notes += _keep_marks(target, scratch)
            description = self.describe() | {"output": {"format": format, "escaped": escape}}
            if report and self.in_blocks:
                self.notes.append(Note("report", NO_REPORT))
            elif report:
                self._write_report(description, scratch)
            described = json.dumps(description | self._outcome(), indent=2, ensure_ascii=False)
            (scratch / RUN_FILE).write_text(described + "\n", encoding="utf-8")
        if self.report_error is not None:  # said when all is safe, as a warning may be an error
            warnings.warn(self.notes[-1].text, ReportWarning, stacklevel=2)
        return target

    @property
    def in_blocks(self) -> bool:
        """Whether the claims are too many for memory, so that results are made part by part."""
        return isinstance(self.claims, ClaimsInBlocks)

    def _write_results(self, scratch: Path, format: TableFormat, escape: bool) -> None:
        """Write the result tables, part by part."""
        count = 0

        def checked(part: pa.Table) -> pa.Table:
            nonlocal count
            if escape:
                return escape_formulas(part)
            count += formula_cells(part) if format.startswith("csv") else 0
            return part

        for name in RESULT_TABLES:
            parts = getattr(self.model, f"{name}_").parts()
            write_parts(map(checked, parts), scratch / f"{name}.{format}", format)
        self.notes += [formula_note(count)] if count else []

    def _write_inputs(self, scratch: Path) -> None:
        """Write the claims in use, and the truth to measure against and to hold to."""
        in_use = self.claims.in_use()
        in_use = in_use if self.in_blocks else iter([in_use])
        write_parts(in_use, scratch / CLAIMS_FILE, "parquet")
        names = [profile.name for profile in self.claims.attributes]
        given = {TRUTH_FILE: self.truth, KNOWN_TRUTH_FILE: self.known_truth}
        for file, truth in given.items():
            if truth is not None:
                write_table(truth.for_attributes(names), scratch / file, "parquet")

    def _write_report(self, description: dict[str, Any], scratch: Path) -> None:
        """Write the report; what is wrong with it must not cost the results."""
        from veracity.report.files import Report

        model = self.model
        subject = Subject(
            description,
            self.claims,
            model,
            model.truths_,
            model.statements_,
            model.sources_,
            self.truth,
        )
        with _timed(self.seconds, "report"):
            try:
                made = Report(subject)
            except Exception as error:
                self.report_error = error
                text = (
                    f"The report could not be made ({type(error).__name__}: {error}). The results "
                    "are whole, and `veracity report` makes the report of them again."
                )
                self.notes.append(Note("report", text))
            else:
                made.write(scratch)

    def _outcome(self) -> dict[str, Any]:
        """Return what is known only when all is written."""
        return {
            "seconds": {name: round(seconds, 4) for name, seconds in self.seconds.items()},
            "notes": [note.as_dict() for note in self.notes],
        }


def _keep_marks(target: Path, scratch: Path) -> list[Note]:
    """Take the review marks of a run that is replaced over into the new folder."""
    marks = target / MARKS_FILE
    if not marks.is_file():
        return []
    kept = scratch / MARKS_FILE
    try:
        with (
            closing(sqlite3.connect(f"{marks.resolve().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(kept)) as new,
        ):
            old.backup(new)  # whole, even while somebody is marking
    except sqlite3.Error:  # damaged or locked: then as it is
        shutil.copy2(marks, kept)
    text = (
        f"The review marks of the run that was here before are kept, in {MARKS_FILE}; `veracity "
        "serve` shows them."
    )
    return [Note("marks", text)]


def discover(
    claims: Any,
    *,
    model: str | TruthModel = DEFAULT_ALIAS,
    parameters: Mapping[str, Any] | None = None,
    truth: Any = None,
    known_truth: Any = None,
    error_rate: float | None = None,
    random_state: int = 0,
    memory: str | int | None = None,
    threads: int | None = None,
    checkpoints: Checkpoints | None = None,
    progress: Progress = lambda stage: None,
    **options: Any,
) -> Run:
    """Find out which values to believe and how reliable the sources are.

    Parameters
    ----------
    claims
        `Claims`, a frame, or the path of a file or database.
    model
        The name of a model, or a model of your own making.
    parameters
        Of a model given by name.
    truth
        Known truth to measure the verdicts against; it plays no part in the fit. A file is read
        in the `encoding` of the claims, and by the columns named for them where it has such.
    known_truth
        The truth of some items, which the model then holds to be so; left out when the verdicts
        are measured.
    error_rate
        The share of errors among accepted verdicts that `decision` in the truths aims at; by
        default that of the model.
    random_state
        Seed of a model given by name.
    memory
        How much to use, about, such as ``"2GB"``; claims that are too many for it are kept on disk.
        Not all models can do with that; one that cannot says so at once. By default all claims are
        held in memory.
    threads
        How many to use; as many as there are cores if not given.
    checkpoints
        Where a long fit keeps its state every few minutes, to go on after a crash.
    progress
        Called with the name of each stage as it begins.
    options
        How to read the claims; see `Claims.read`.

    Examples
    --------
    >>> from veracity import datasets, discover
    >>> run = discover(datasets.example.path())
    >>> run.model.truths_.column_names[:4]
    ['entity', 'attribute', 'value', 'plausibility']
    """
    name = model_name(model) if isinstance(model, str) else type(model).__name__
    if isinstance(model, str):
        model = make_model(model, random_state=random_state, **(parameters or {}))
    if error_rate is not None:
        check_error_rate(error_rate)
        model.error_rate = error_rate
    if memory is not None:
        options["memory"] = memory
        _check_limited(model, truth, known_truth)
    with use_threads(threads):
        return _discover(claims, model, name, truth, known_truth, checkpoints, progress, options)


def _check_limited(model: TruthModel, truth: Any, known_truth: Any) -> None:
    """Refuse what cannot be done in limited memory, before anything is read."""
    model.check_blocks()
    if truth is not None or known_truth is not None:
        raise InvalidParameter(
            "Truth can be given with all claims in memory only. Leave out the limit of memory, or "
            "the truth."
        )


def _discover(
    claims: Any,
    model: TruthModel,
    name: str,
    truth: Any,
    known_truth: Any,
    checkpoints: Checkpoints | None,
    progress: Progress,
    options: dict[str, Any],
) -> Run:
    seconds: dict[str, float] = {}
    progress(STAGES[0])
    with _timed(seconds, "reading"):
        claims = claims if isinstance(claims, ClaimsInBlocks) else Claims.of(claims, **options)
        measure = None if truth is None else GroundTruth.beside(truth, options)
        given = (
            None if known_truth is None else GroundTruth.beside(known_truth, options, "known truth")
        )
        if measure is not None and given is not None:
            measure = measure.without(given) or None  # nothing left to measure against
    progress(STAGES[1])
    with _timed(seconds, "encoding"):
        in_blocks = isinstance(claims, ClaimsInBlocks)
        summary = summarise_blocks(claims) if in_blocks else summarise_claims(claims)
    progress(STAGES[2])
    with _timed(seconds, "fitting"), _checkpointed(checkpoints, claims, name, model, options):
        model.fit(claims, known_truth=given)
    progress(STAGES[3])
    with _timed(seconds, "evaluating"):
        evaluation = None if measure is None else evaluate(model.truths_, measure, claims)
    notes = list(model.notes_)
    return Run(claims, model, name, summary, evaluation, measure, given, seconds, notes)


@dataclass(frozen=True)
class SavedRun:
    """A run that was saved: its description, its model, and the claims and truth it was given.

    The result tables are read when they are asked for.
    """

    description: dict[str, Any]
    model: TruthModel
    claims: Claims
    folder: Path
    known_truth: GroundTruth | None = None

    @cached_property
    def truths(self) -> Table:
        """The value to believe for each item."""
        return self._result("truths")

    @cached_property
    def statements(self) -> Table:
        """Every statement with its plausibility."""
        return self._result("statements")

    @cached_property
    def sources(self) -> Table:
        """Every source with its reliability."""
        return self._result("sources")

    @cached_property
    def truth(self) -> GroundTruth | None:
        """What the verdicts were measured against, if anything."""
        path = self.folder / TRUTH_FILE
        return GroundTruth.read(path) if path.exists() else None

    def subject(self, truth: Any = None) -> Subject:
        """Return the run as report and explorer see it.

        `truth`, a table or its path, takes the place of the truth that the run was given.
        """
        description, measure = self.description, self.truth
        if truth is not None:
            measure = GroundTruth.beside(truth, {})
            if self.known_truth is not None:
                measure = measure.without(self.known_truth)
            found = evaluate(self.truths, measure, self.claims)
            description = description | {
                "evaluation": found.as_dict(),
                "inputs": description["inputs"] | {"truth": measure.describe_origin()},
            }
        tables = (self.truths, self.statements, self.sources)
        return Subject(description, self.claims, self.model, *tables, measure)

    def _result(self, name: str) -> Table:
        matrix = self.claims.matrix
        escaped = self.description.get("output", {}).get("escaped", False)
        labels = [matrix.sources, matrix.entities, matrix.attributes, matrix.values]
        return read_result(self.folder, name, labels if escaped else None)


def check_run_folder(folder: Path) -> None:
    """Refuse a folder that is not that of a run, without opening it."""
    if not (folder / RUN_FILE).is_file():
        raise InputError(f"{folder} is not the folder of a run: it has no {RUN_FILE}.")


def open_run(folder: str | Path, module: Any = None) -> SavedRun:
    """Open the folder of a run, to explain its verdicts or to judge new claims by its model.

    `module` is needed for a model with a torch module of your own; see `veracity.load`.
    """
    place = Path(folder)
    try:
        description = json.loads((place / RUN_FILE).read_text(encoding="utf-8"))
        features = description["features"]
        attributes = declared_attributes(description)
        forms = {name: description["settings"].get(name) for name in ("strip", "casefold")}
        unicode = description["settings"].get("unicode")
    except OSError as error:
        raise InputError(f"{place} is not the folder of a run: it has no {RUN_FILE}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{place / RUN_FILE} is damaged: {error!r}.") from error
    claims = Claims.read(
        place / CLAIMS_FILE,
        attributes=attributes,
        duplicates="all",
        categories=[name for name, kind in features.items() if kind == "category"],
        strip=bool(forms["strip"]),
        casefold=bool(forms["casefold"]),
        unicode=unicode,
    )
    given = place / KNOWN_TRUTH_FILE
    known_truth = GroundTruth.read(given) if given.exists() else None
    return SavedRun(description, load(place, module), claims, place, known_truth)


def declared_attributes(description: dict[str, Any]) -> dict[str, Attribute]:
    """Return the attributes of a run as they were taken to be."""
    said = description["settings"].get("attributes", {})
    declared = {}
    for profile in description["attributes"]:
        own = said.get(profile["name"]) or said.get(ANY_ATTRIBUTE) or {}
        declared[profile["name"]] = Attribute(
            profile["kind"],
            profile["domain"],
            own.get("values", "text"),
            profile["positive"],
            profile.get("tolerance"),
        )
    return declared


@contextmanager
def _checkpointed(
    checkpoints: Checkpoints | None,
    claims: Claims | ClaimsInBlocks,
    name: str,
    model: TruthModel,
    options: dict[str, Any],
) -> Iterator[None]:
    """Let a fit keep its state, or go on from the state of the same run."""
    if checkpoints is None:
        yield
        return
    checkpoints.begin(
        {
            "versions": _versions(),
            "claims": claims.describe_origin(),
            "settings": claims.describe_settings(),
            "memory": options.get("memory"),
            "threads": default_threads(),
            "model": {"name": name, "parameters": plain_parameters(model)},
        }
    )
    with checkpoints.used():
        yield


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - started


def _versions() -> dict[str, str]:
    versions = {"veracity": veracity.__version__, "python": platform.python_version()}
    for library in VERSIONED:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            versions[library] = "unknown"
    return versions
