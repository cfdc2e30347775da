"""From a table of claims to results on disk, as one function."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa

import veracity
from veracity.data.claims import Claims
from veracity.data.decisions import check_error_rate
from veracity.data.frames import is_on_spark
from veracity.data.notes import Note
from veracity.data.settings import Attribute
from veracity.data.summary import ClaimsSummary, summarise_claims
from veracity.data.tables import Table
from veracity.data.truth import GroundTruth
from veracity.data.writing import (
    TableFormat,
    check_format,
    escape_formulas,
    formula_cells,
    formula_note,
    whole_folder,
    write_parts,
    write_table,
)
from veracity.engines.base import ClaimsInBlocks, claims_in_use
from veracity.engines.checkpoints import Checkpoints
from veracity.engines.summary import summarise_blocks
from veracity.engines.threads import default_threads, use_threads
from veracity.errors import InputError, InvalidParameter, listing
from veracity.evaluation.metrics import Evaluation, evaluate
from veracity.models import DEFAULT_ALIAS, make_model, model_name
from veracity.models.base import TruthModel
from veracity.models.persistence import load, plain_parameters, write_model

Progress = Callable[[str], None]

RUN_FILE = "run.json"
CLAIMS_FILE = "claims.parquet"
KNOWN_TRUTH_FILE = "known_truth.parquet"
RUN_FORMAT = 1
STAGES = ("reading claims", "encoding", "fitting", "evaluating", "writing")
ENGINES = ("local", "spark")
RESULT_TABLES = ("truths", "statements", "sources")
VERSIONED = ("numpy", "pyarrow", "duckdb")


@dataclass
class Run:
    """A finished run: the fitted model, what was found, and how long it took."""

    claims: Any  # Claims, or ClaimsInBlocks
    model: TruthModel
    model_name: str
    summary: ClaimsSummary
    evaluation: Evaluation | None
    truth: GroundTruth | None = None
    known_truth: GroundTruth | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

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
            "attributes": [profile.as_dict() for profile in self.claims.attributes],
            "counts": self.summary.as_dict(),
            "evaluation": None if self.evaluation is None else self.evaluation.as_dict(),
            "seconds": {name: round(seconds, 4) for name, seconds in self.seconds.items()},
            "notes": [note.as_dict() for note in self.notes],
        }

    def save(
        self,
        folder: str | Path,
        *,
        format: TableFormat = "parquet",
        overwrite: bool = False,
        escape: bool = False,
    ) -> Path:
        """Write truths, statements, sources and ``run.json`` to a folder, whole or not at all.

        Beside them stand the model, the claims in use and the known truth, for `open_run`.

        Parameters
        ----------
        folder
            Where to; it must not exist unless `overwrite` is set.
        format
            parquet, csv, csv.gz or jsonl.
        overwrite
            Replace the folder if it holds an earlier run.
        escape
            Put an apostrophe before cells of CSV files that a spreadsheet would run as formulas.
        """
        check_format(format)
        if isinstance(self.claims, ClaimsInBlocks) and self.claims.on_spark:
            check_engine("spark", format)
            return self._save_on_spark(str(folder), overwrite)
        target = Path(folder)
        n_formulas = 0

        def parts_of(name: str) -> Iterator[pa.Table]:
            nonlocal n_formulas
            for part in getattr(self.model, f"{name}_").parts():
                if format.startswith("csv") and not escape:
                    n_formulas += formula_cells(part)
                yield escape_formulas(part) if format.startswith("csv") and escape else part

        with whole_folder(target, overwrite=overwrite, marks=(RUN_FILE,)) as scratch:
            with _timed(self.seconds, "writing"):
                for name in RESULT_TABLES:
                    write_parts(parts_of(name), scratch / f"{name}.{format}", format)
                in_use = self.claims.in_use()
                in_use = iter([in_use]) if isinstance(in_use, pa.Table) else in_use
                write_parts(in_use, scratch / CLAIMS_FILE, "parquet")
                if self.known_truth is not None:
                    names = [profile.name for profile in self.claims.attributes]
                    given = self.known_truth.for_attributes(names)
                    write_table(given, scratch / KNOWN_TRUTH_FILE, "parquet")
                write_model(self.model, scratch)
            self.notes = [note for note in self.notes if note.subject != "output"]
            self.notes += [formula_note(n_formulas)] if n_formulas else []
            described = json.dumps(self.describe(), indent=2, ensure_ascii=False)
            (scratch / RUN_FILE).write_text(described + "\n", encoding="utf-8")
        return target

    def _save_on_spark(self, folder: str, overwrite: bool) -> Path:
        """Let executors write the tables; the driver adds what is small."""
        from veracity.engines.spark.writing import whole_folder

        blocks: Any = self.claims.blocks
        spark, model = blocks.session, self.model
        with whole_folder(spark, folder, overwrite=overwrite, mark=RUN_FILE) as (there, here):
            with _timed(self.seconds, "writing"):
                for name in RESULT_TABLES:
                    table: Table = getattr(model, f"{name}_")
                    there.write(table.to_spark(spark), f"{name}.parquet")
                there.write(blocks.frame(claims_in_use), CLAIMS_FILE)
                write_model(model, here)
            described = json.dumps(self.describe(), indent=2, ensure_ascii=False)
            (here / RUN_FILE).write_text(described + "\n", encoding="utf-8")
        return Path(folder)


def check_engine(engine: str, format: str = "parquet") -> None:
    """Refuse an engine that there is not, and a format that it does not write."""
    if engine not in ENGINES:
        raise InvalidParameter(f"engine must be one of {listing(ENGINES)}. Got {engine!r} instead.")
    if engine == "spark" and format != "parquet":
        raise InvalidParameter(
            f"The Spark engine writes parquet. Got {format!r} instead; leave the format out."
        )


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
    engine: str = "local",
    master: str | None = None,
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
    engine
        Where the work is done: ``local``, on this machine, or ``spark``, on a cluster, for a path
        that the cluster reads. The claims of a Spark DataFrame stay on the cluster anyhow.
    master
        The address of the Spark cluster; by default what Spark's own settings say.
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
    check_engine(engine)
    if memory is not None:
        options["memory"] = memory
        _check_limited(model, truth, known_truth)
    on_spark = engine == "spark" or is_on_spark(claims)
    if on_spark:
        _check_limited(model, truth, known_truth)
    read = partial(_read_on_spark, master=master) if on_spark else _read
    with use_threads(threads):
        return _discover(
            partial(read, claims), model, name, truth, known_truth, checkpoints, progress, options
        )


def _check_limited(model: TruthModel, truth: Any, known_truth: Any) -> None:
    """Refuse what cannot be done in limited memory, before anything is read."""
    model.check_blocks()
    if truth is not None or known_truth is not None:
        raise InvalidParameter(
            "Truth can be given with all claims in memory only. Leave out the limit of memory or "
            "the engine, or the truth."
        )


def _read(claims: Any, **options: Any) -> Claims | ClaimsInBlocks:
    """Read claims, unless they were read already."""
    return claims if isinstance(claims, ClaimsInBlocks) else Claims.of(claims, **options)


def _read_on_spark(claims: Any, *, master: str | None, **options: Any) -> ClaimsInBlocks:
    """Read claims to the executors of a cluster, and start a session on it if there is none."""
    if isinstance(claims, ClaimsInBlocks):
        return claims
    if is_on_spark(claims):
        return Claims.from_spark(claims, **options)
    from veracity.engines.spark.reading import read

    return read(str(claims), master, **options)


def _discover(
    read: Callable[..., Claims | ClaimsInBlocks],
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
        claims = read(**options)
        measure = None if truth is None else GroundTruth.beside(truth, options)
        given = (
            None if known_truth is None else GroundTruth.beside(known_truth, options, "known truth")
        )
        if measure is not None and given is not None:
            measure = measure.without(given) or None  # nothing left to measure against
    progress(STAGES[1])
    with _timed(seconds, "encoding"):
        summary = (
            summarise_blocks(claims)
            if isinstance(claims, ClaimsInBlocks)
            else summarise_claims(claims)
        )
    progress(STAGES[2])
    with _timed(seconds, "fitting"), _checkpointed(checkpoints, claims, name, model, options):
        model.fit(claims, known_truth=given)
    progress(STAGES[3])
    with _timed(seconds, "evaluating"):
        evaluation = None
        if measure is not None and isinstance(claims, Claims):
            evaluation = evaluate(model.truths_, measure, claims)
    notes = list(model.notes_)
    return Run(claims, model, name, summary, evaluation, measure, given, seconds, notes)


@dataclass(frozen=True)
class SavedRun:
    """A run that was saved: its description, its model, and the claims and truth it was given."""

    description: dict[str, Any]
    model: TruthModel
    claims: Claims
    known_truth: GroundTruth | None = None


def open_run(folder: str | Path, module: Any = None) -> SavedRun:
    """Open the folder of a run, to explain its verdicts or to judge new claims by its model.

    `module` is needed for a model with a torch module of your own; see `veracity.load`.
    """
    place = Path(folder)
    try:
        description = json.loads((place / RUN_FILE).read_text(encoding="utf-8"))
        features = description["features"]
        attributes = {
            profile["name"]: Attribute(
                profile["kind"],
                profile["domain"],
                "number" if profile.get("numeric") else "text",
                profile["positive"],
                profile.get("tolerance"),
            )
            for profile in description["attributes"]
        }
    except OSError as error:
        raise InputError(f"{place} is not the folder of a run: it has no {RUN_FILE}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{place / RUN_FILE} is damaged: {error!r}.") from error
    claims = Claims.read(
        place / CLAIMS_FILE,
        attributes=attributes,
        duplicates="all",
        categories=[name for name, kind in features.items() if kind == "category"],
    )
    given = place / KNOWN_TRUTH_FILE
    known_truth = GroundTruth.read(given) if given.exists() else None
    return SavedRun(description, load(place, module), claims, known_truth)


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
