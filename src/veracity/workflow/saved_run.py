"""A run that was saved, opened again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from veracity.arguments import check_path
from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.data.output.result_files import unescaped
from veracity.data.output.tables import Table
from veracity.data.output.write import REPORT_FILE
from veracity.data.read.records import Records
from veracity.data.read.settings import declared_attributes, for_spellings, in_use_again
from veracity.data.rules.table import Rules
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError, InvalidParameter
from veracity.evaluation.metrics import assess
from veracity.models.base import TruthModel
from veracity.models.explained import ExplainedModel
from veracity.models.explanation import Explanation
from veracity.models.given import Given
from veracity.models.persistence import load
from veracity.report.subject import Subject
from veracity.workflow.consistency import read_together
from veracity.workflow.files import (
    CLAIMS_FILE,
    CLASHES_TABLE,
    CONFUSIONS,
    ENTITIES_FILE,
    KNOWN_TRUTH_FILE,
    RECORDS_FILE,
    RULES_FILE,
    RUN_FILE,
    TIMELINES,
)
from veracity.workflow.manifest import checked
from veracity.workflow.publication import MODEL_FILES
from veracity.workflow.result_handles import ResultHandles
from veracity.workflow.scoring import Scored, Scoring
from veracity.workflow.showing import run_html, run_line


@dataclass(frozen=True, repr=False, eq=False)
class SavedRun:
    """A run that was saved, opened by `open_run`: its results, its model and its claims.

    Its tables are `truths`, `statements` and `sources`, read when they are asked for.

    Attributes
    ----------
    description
        Everything about the run but its tables, as in ``run.json``.
    model
        The fitted model.
    claims
        The claims in use: those that no later claim of their source replaces.
    folder
        Where the run is.
    known_truth
        The truth of some items that the run was given, if any.
    """

    description: dict[str, Any]
    model: TruthModel
    claims: Claims
    folder: Path
    _handles: ResultHandles
    known_truth: GroundTruth | None = None

    @cached_property
    def truths(self) -> Table:
        """The value to believe for each item."""
        return self._result("truths")

    @cached_property
    def crossfit(self) -> Table | None:
        """The value to believe for each item, judged without a label of its own part.

        Only runs with labels have it; without labels, `truths` is just that.
        """
        return self._result("crossfit") if "crossfit" in self._handles else None

    @cached_property
    def statements(self) -> Table:
        """Every statement with its plausibility."""
        return self._result("statements")

    @cached_property
    def sources(self) -> Table:
        """Every source with its reliability."""
        return self._result("sources")

    @cached_property
    def sources_by_attribute(self) -> Table | None:
        """How often sources are right about known truth, by attribute; None without such truth."""
        name = "sources_by_attribute"
        return self._result(name) if name in self._handles else None

    def __repr__(self) -> str:
        return run_line("SavedRun", self.description)

    def _repr_html_(self) -> str:
        return run_html(repr(self), (self.truths, self.sources), self.notes)

    @property
    def notes(self) -> list[Note]:
        """What a user should know about the input and the run."""
        return [Note(**note) for note in self.description["notes"]]

    @property
    def report(self) -> Path | None:
        """The path of the report, if there is one."""
        path = self.folder / REPORT_FILE
        return path if path.is_file() else None

    @property
    def has_rules(self) -> bool:
        """Whether the run was given rules."""
        return (self.folder / RULES_FILE).exists()

    @cached_property
    def claims_table(self) -> pa.Table:
        """The claims as they were read, in the order of `ClaimMatrix.row`."""
        return self.claims.to_arrow()

    @cached_property
    def scoring(self) -> Scoring:
        """What judges new claims by the model of the run."""
        return Scoring(self)

    def explain(self, entity: str, attribute: str | None = None) -> Explanation:
        """Return the evidence for every value of an item.

        Parameters
        ----------
        entity
            Of the item.
        attribute
            Of the item, if the entity has several.
        """
        if not isinstance(self.model, ExplainedModel):
            raise InvalidParameter(
                f"The run in {self.folder} used {type(self.model).__name__}, which cannot explain "
                "its verdicts. Explanations need a run with --model grbm or rbm."
            )
        return self.model.explain_fitted(entity, attribute, self.claims)

    def score(self, claims: Any, *, alone: bool = False, **options: Any) -> Scored:
        """Judge new claims by the model of the run, together with what the run knows.

        New claims about an item of the run are combined with the run's claims about it. One of the
        same source replaces the earlier, where the run keeps the latest claim of a source. What
        the run knows of sources and entities is filled in, and known truth is shown as given.
        Nothing of it is kept: `veracity.update` lets the run learn from new claims.

        Parameters
        ----------
        claims
            `Claims`, a frame, or the path of a file or database.
        alone
            Judge the new claims by themselves, without those of the run.
        options
            How to read the claims, as in `Claims.read`; attributes are as in the run.
        """
        return self.scoring.score(claims, alone=alone, **options)

    @cached_property
    def clashes(self) -> Table | None:
        """The sources in another format than the others; None if there are none."""
        return self._result(CLASHES_TABLE) if CLASHES_TABLE in self._handles else None

    @cached_property
    def confusions(self) -> Table | None:
        """What each source claims for each believed value; None without closed attributes."""
        return self._result(CONFUSIONS) if CONFUSIONS in self._handles else None

    @cached_property
    def timelines(self) -> Table | None:
        """When each value of an item was true; None without attributes whose truth changes."""
        return self._result(TIMELINES) if TIMELINES in self._handles else None

    @cached_property
    def truth(self) -> GroundTruth | None:
        """What the verdicts were measured against, if anything."""
        return self._handles.truth()

    def subject(self, truth: Any = None) -> Subject:
        """Return the run as report and explorer see it.

        `truth`, a table or its path, takes the place of the truth that the run was given.
        """
        from veracity.workflow.acceptance import audited_in  # which needs this module

        description, measure = self.description, self.truth
        if truth is not None:
            measure = GroundTruth.beside(truth, {})
            checked = [note.as_dict() for note in check_truth(measure, self.claims).notes]
            if self.known_truth is not None:
                measure = measure.without(self.known_truth)
            found, _ = assess(self.truths, measure, self.claims)
            description = description | {
                "evaluation": found.as_dict(),
                "inputs": description["inputs"] | {"truth": measure.describe_origin()},
                "notes": [*checked, *description["notes"]],
            }
        tables = (self.truths, self.statements, self.sources)
        further = (self.sources_by_attribute, self.confusions, self.clashes)
        audited = audited_in(self)
        return Subject(
            description,
            self.claims,
            self.model,
            *tables,
            measure,
            *further,
            audited=audited,
            timelines=self.timelines,
        )

    def _result(self, name: str) -> Table:
        matrix = self.claims.matrix
        escaped = self.description.get("output", {}).get("escaped", False)
        labels = [matrix.sources, matrix.entities, matrix.attributes, matrix.values]
        table = self._handles.read(name)
        return Table(name, unescaped(table, labels) if escaped else table)


def open_run(folder: str | Path, module: Any = None) -> SavedRun:
    """Open the folder of a run: its tables, to explain its verdicts, or to score new claims.

    Parameters
    ----------
    folder
        Where the run was written, by `Run.save` or ``veracity discover``.
    module
        Needed for a model with a torch module of your own; see `veracity.load`.

    Examples
    --------
    >>> import tempfile, veracity
    >>> claims = [("ann", "sky", "blue"), ("bob", "sky", "blue"), ("cat", "sky", "green")]
    >>> made = veracity.discover(veracity.Claims.from_triples(claims), model="vote")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run = veracity.open_run(made.save(f"{place}/sky"))
    ...     print(run, run.truths[0]["value"])
    SavedRun(vote: 3 claims by 3 sources about 1 item) blue
    """
    check_path("folder", folder)
    place = Path(folder)
    return read_together(place, lambda description: _opened(place, description, module))


def _opened(place: Path, description: dict[str, Any], module: Any) -> SavedRun:
    """Read the files of a run, each as it was written."""
    try:
        features = description["features"]
        attributes = declared_attributes(description)
        forms = {name: description["settings"].get(name) for name in ("strip", "casefold")}
        unicode = description["settings"].get("unicode")
        duplicates = description["settings"].get("duplicates", "latest")
        as_of = description["settings"].get("as_of")
        categories = [name for name, kind in features.items() if kind == "category"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{place / RUN_FILE} is damaged: {error!r}.") from error
    if not (place / CLAIMS_FILE).exists():
        raise InputError(
            f"{place} has no {CLAIMS_FILE}, so the claims of the run are not known any more. Make "
            "the run again; veracity.load and predict judge new claims by its model alone."
        )
    claims = Claims.read(
        _checked(place, CLAIMS_FILE, description),
        attributes=for_spellings(attributes),
        duplicates=in_use_again(duplicates),
        categories=categories,
        strip=bool(forms["strip"]),
        casefold=bool(forms["casefold"]),
        unicode=unicode,
        as_of=as_of,
    )
    claims.columns = replace(claims.columns, dated=bool(description.get("dated")))
    claims = _with_records(claims, place, description)
    given, ruled = place / KNOWN_TRUTH_FILE, place / RULES_FILE
    known_truth, rules = None, None
    if given.exists():
        known_truth = GroundTruth.read(_checked(place, KNOWN_TRUTH_FILE, description))
    if ruled.exists():
        rules = Rules.of(_checked(place, RULES_FILE, description))
    model = load_model(place, description, module)
    model._given = Given.of(known_truth, rules)
    handles = ResultHandles(place, description)
    return SavedRun(description, model, claims, place, handles, known_truth)


def load_model(place: Path, description: dict[str, Any], module: Any, **options: Any) -> TruthModel:
    """Load the model of a run, as it was written."""
    for name in MODEL_FILES:
        if (place / name).is_file():
            _checked(place, name, description)
    return load(place, module, **options)


def _checked(place: Path, name: str, description: dict[str, Any]) -> Path:
    """Return the path of a file; its hash is checked if it is a file and not a folder of Spark."""
    return checked(place, name, description) if (place / name).is_file() else place / name


def _with_records(claims: Claims, folder: Path, description: dict[str, Any]) -> Claims:
    """Give claims the records that they come from, if the run was made of records."""
    made = description.get("golden")
    if made is None:
        return claims
    try:
        ids = pq.ParquetFile(checked(folder, RECORDS_FILE, description)).read()["record"]
        entities = pq.ParquetFile(checked(folder, ENTITIES_FILE, description)).read()["entity"]
        records = Records.again(entities, ids, made["attributes"], made["types"])
    except (OSError, KeyError, ValueError, TypeError, pa.ArrowException) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"The golden records in {folder} are damaged: {error}.") from error
    return claims.with_records(records)
