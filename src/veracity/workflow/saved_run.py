"""A run that was saved, opened again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from veracity.data.claims import Claims
from veracity.data.output.result_files import has_result, read_result
from veracity.data.output.tables import Table
from veracity.data.read.settings import declared_attributes, in_use_again
from veracity.data.rules.table import Rules
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError
from veracity.evaluation.metrics import assess
from veracity.models.base import TruthModel
from veracity.models.given import Given
from veracity.models.persistence import load
from veracity.report.subject import Subject
from veracity.workflow.files import (
    CLAIMS_FILE,
    CONFUSIONS,
    KNOWN_TRUTH_FILE,
    RULES_FILE,
    RUN_FILE,
    TRUTH_FILE,
    read_description,
)
from veracity.workflow.publication import bring_up_to_date


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
    def crossfit(self) -> Table | None:
        """The value to believe for each item, judged without a label of its own part.

        Only runs with labels have it; without labels, `truths` is just that.
        """
        return self._result("crossfit") if has_result(self.folder, "crossfit") else None

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
        return self._result(name) if has_result(self.folder, name) else None

    @cached_property
    def confusions(self) -> Table | None:
        """What each source claims for each believed value; None without closed attributes."""
        return self._result(CONFUSIONS) if has_result(self.folder, CONFUSIONS) else None

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
        further = (measure, self.sources_by_attribute, self.confusions)
        return Subject(description, self.claims, self.model, *tables, *further)

    def _result(self, name: str) -> Table:
        matrix = self.claims.matrix
        escaped = self.description.get("output", {}).get("escaped", False)
        labels = [matrix.sources, matrix.entities, matrix.attributes, matrix.values]
        return read_result(self.folder, name, labels if escaped else None)


def open_run(folder: str | Path, module: Any = None) -> SavedRun:
    """Open the folder of a run, to explain its verdicts or to judge new claims by its model.

    `module` is needed for a model with a torch module of your own; see `veracity.load`.
    """
    place = Path(folder)
    bring_up_to_date(place)
    description = read_description(place)
    try:
        features = description["features"]
        attributes = declared_attributes(description)
        forms = {name: description["settings"].get(name) for name in ("strip", "casefold")}
        unicode = description["settings"].get("unicode")
        duplicates = description["settings"].get("duplicates", "latest")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{place / RUN_FILE} is damaged: {error!r}.") from error
    claims = Claims.read(
        place / CLAIMS_FILE,
        attributes=attributes,
        duplicates=in_use_again(duplicates),
        categories=[name for name, kind in features.items() if kind == "category"],
        strip=bool(forms["strip"]),
        casefold=bool(forms["casefold"]),
        unicode=unicode,
    )
    given = place / KNOWN_TRUTH_FILE
    known_truth = GroundTruth.read(given) if given.exists() else None
    ruled = place / RULES_FILE
    model = load(place, module)
    model._given = Given.of(known_truth, Rules.of(ruled) if ruled.exists() else None)
    return SavedRun(description, model, claims, place, known_truth)
