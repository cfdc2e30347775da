"""From a table of verdicts to the findings about a jury, as one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from veracity.data.arrays import Mask
from veracity.data.notes import Note
from veracity.data.output.tables import Table
from veracity.data.read.formats import locate
from veracity.data.read.frames import arrow_table
from veracity.data.read.tables import FileOptions, open_location
from veracity.data.read.workbench import Workbench
from veracity.data.threads import use_threads
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError, InvalidParameter, listing
from veracity.models.grbm.estimator import GRBM
from veracity.workflow.discovery import discover
from veracity.workflow.jury.agreement import agreement_of
from veracity.workflow.jury.beliefs import Beliefs, Bench
from veracity.workflow.jury.biases import Biases, find_biases
from veracity.workflow.jury.columns import NEVER, VerdictTable, read_verdicts, truth_columns
from veracity.workflow.jury.confidence import calibrate
from veracity.workflow.jury.families import (
    Family,
    declared_families,
    found_families,
    is_doubtful,
)
from veracity.workflow.jury.panel import Panel
from veracity.workflow.jury.panels import (
    hardly_better_than_chance,
    loss_without,
    smaller_panels,
)
from veracity.workflow.jury.relations import related_pairs
from veracity.workflow.jury.result import Jury, measure
from veracity.workflow.jury.sharpening import sharpening
from veracity.workflow.run import Run

STAGES = ("reading verdicts", "fitting", "fitting without each judge", "weighing", "writing")
AUTO = "auto"
#: Judges that are left out one by one, and those from which smaller panels are chosen, at most.
MAX_LEFT_OUT, MAX_PANEL = 60, 25
#: The loss of accuracy that counts as none, if nothing is said.
TOLERANCE = 0.01

Progress = Callable[[str], None]


def jury(
    verdicts: Any,
    *,
    question: str | None = None,
    judge: str | None = None,
    verdict: str | None = None,
    attribute: str | None = None,
    confidence: str | None = None,
    position: str | None = None,
    swapped: str | None = None,
    length_a: str | None = None,
    length_b: str | None = None,
    cost: str | None = None,
    family: str = AUTO,
    truth: Any = None,
    known_truth: Any = None,
    error_rate: float | None = None,
    tolerance: float = TOLERANCE,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    random_state: int = 0,
    threads: int | None = None,
    progress: Progress = lambda stage: None,
) -> Jury:
    """Weigh the verdicts of a jury, and say which judges and questions to look at.

    Parameters
    ----------
    verdicts
        One row for each verdict: a frame, `Claims`, or the path of a file.
    question, judge, verdict, attribute
        Columns, where they are not found by name. An attribute is what a question is judged by,
        such as a criterion.
    confidence, position, swapped, length_a, length_b, cost
        Columns that say more, where they are not found by name; ``"never"`` leaves one out.
        Position is the place of the chosen answer, first or second; swapped says whether the two
        answers were shown in the other order; lengths are those of the first and second answer.
    family
        The column that says which judges belong together. ``"auto"`` finds those that agree more
        than their skill explains, and lets them count for less, unless they agree with the others
        more than most of these do; ``"never"`` lets every judge count in full.
    truth
        The true verdict of some questions, to measure against; it plays no part in anything else.
    known_truth
        The true verdict of some questions, from which the model may learn.
    error_rate
        The share of errors to allow among verdicts that are not escalated; 0.05 by default.
    tolerance
        The loss of accuracy that counts as none: a judge adds nothing if no more is expected to be
        lost without it, at the upper end of a 95 % interval.
    encoding, delimiter
        Of text files.
    random_state
        Seed of everything random.
    threads
        How many to use; as many as there are cores if not given.
    progress
        Called with the name of each stage as it begins.

    Examples
    --------
    >>> import veracity
    >>> from veracity.datasets import synthetic
    >>> judges = [synthetic.JudgeSpec(name, 0.85) for name in ("ann", "bob", "cat")]
    >>> found = veracity.jury(synthetic.draw_jury(judges, 60).verdicts)
    >>> found.judges["judge"].to_pylist()
    ['ann', 'bob', 'cat']
    """
    if not 0.0 < tolerance < 1.0:
        raise InvalidParameter(f"tolerance must lie between 0 and 1. Got {tolerance!r} instead.")
    progress(STAGES[0])
    given = {
        "question": question,
        "judge": judge,
        "verdict": verdict,
        "attribute": attribute,
        "confidence": confidence,
        "position": position,
        "swapped": swapped,
        "length_a": length_a,
        "length_b": length_b,
        "cost": cost,
        "family": None if family == AUTO else family,
    }
    table = read_verdicts(verdicts, given, encoding=encoding, delimiter=delimiter)
    measured_by = _truth(truth, table, encoding, "truth")
    known = _truth(known_truth, table, encoding, "known truth")
    with use_threads(threads):
        return _weigh(
            table,
            family != NEVER,
            measured_by,
            known,
            {"error_rate": error_rate, "random_state": random_state},
            tolerance,
            progress,
        )


def _truth(truth: Any, table: VerdictTable, encoding: str, called: str) -> GroundTruth | None:
    """Read true verdicts, by the jury's own names of columns where they have such."""
    if truth is None or isinstance(truth, GroundTruth):
        return truth
    try:
        if isinstance(truth, str | Path):
            with Workbench() as workbench:
                names = open_location(workbench, locate(truth), FileOptions(encoding)).names
            columns = truth_columns(names, table.roles)
            return GroundTruth.read(truth, encoding=encoding, **columns)
        frame = arrow_table(truth)
        return GroundTruth.from_frame(frame, **truth_columns(frame.column_names, table.roles))
    except InputError as error:
        raise type(error)(f"In the {called}: {error}") from error


def _weigh(
    table: VerdictTable,
    use_families: bool,
    truth: GroundTruth | None,
    known: GroundTruth | None,
    settings: Mapping[str, Any],
    tolerance: float,
    progress: Progress,
) -> Jury:
    progress(STAGES[1])
    parameters: dict[str, Any] = {"confidence": table.confidence_feature or NEVER}
    bench = Bench(table, parameters | {"random_state": settings["random_state"]}, known)
    alone = bench.claims()
    run, families, pairs = _fit(bench, use_families, parameters, truth, settings)
    panel = Panel.of(run.claims, table)
    matrix = panel.matrix
    full = Beliefs.of(_grbm(run), run.claims, matrix)
    fitted = Bench(table, _repeated(run, bench.parameters), known, families)
    progress(STAGES[2])
    counted = _unlabelled(run)
    left_out = _left_out(panel)
    without = {
        one: fitted.beliefs(set(panel.judges) - {one}, matrix)
        for one in (left_out if len(panel.judges) > 1 else ())
    }
    progress(STAGES[3])
    drops = {
        name: replace(
            loss_without(full, part, counted),
            is_chance=hardly_better_than_chance(panel, name, part),
        )
        for name, part in without.items()
    }

    def fit(chosen: frozenset[str]) -> Beliefs:
        return fitted.beliefs(chosen, matrix)

    panels = []
    if 2 < len(panel.judges) <= MAX_PANEL:
        panels = smaller_panels(panel.judges, full, without, fit, counted)
    run.notes = [*table.notes, *run.notes]
    power = _power(run, panel, without)
    sharp = {judge: one.sharpened(power, matrix) for judge, one in without.items()}

    def fit_sharp(chosen: frozenset[str]) -> Beliefs:
        return fit(chosen).sharpened(power, matrix)

    return Jury(
        run,
        panel,
        table.roles,
        families,
        pairs,
        full,
        without,
        drops,
        panels,
        find_biases(panel, sharp, fit_sharp) if sharp else Biases(),
        calibrate(panel, full, without, sharp),
        agreement_of(panel.said(), list(panel.judges)),
        tolerance,
        None if run.truth is None else measure(run, alone, panel),
    )


def _power(run: Run, panel: Panel, without: Mapping[str, Beliefs]) -> float:
    """Return the power that makes beliefs as sure as if judges erred independently."""
    rows = run.model.sources_.to_pylist()
    return sharpening(panel, without, {row["source"]: row["reliability"] for row in rows})


def _fit(
    bench: Bench,
    use_families: bool,
    parameters: Mapping[str, Any],
    truth: GroundTruth | None,
    settings: Mapping[str, Any],
) -> tuple[Run, list[Family], Table]:
    """Fit to all judges; if some belong together, again with those counting for less.

    Return the pairs of judges that agree more than they should, too.
    """

    def fit() -> Run:
        return discover(
            bench.claims(),
            parameters=parameters,
            truth=truth,
            known_truth=bench.known_truth,
            error_rate=settings["error_rate"],
            random_state=settings["random_state"],
        )

    run = fit()
    panel = Panel.of(run.claims, bench.verdicts)
    pairs = related_pairs(panel, _grbm(run).dependence_)
    if not use_families:
        return run, [], pairs
    column = bench.verdicts.column("family")
    trusted: list[Family] = []
    if column is None:
        found, said = found_families(pairs), panel.said()
        families = [
            one
            for one in found
            if is_doubtful(said, [panel.judges.index(name) for name in one.members])
        ]
        trusted = [one for one in found if one not in families]
    else:
        families = declared_families(bench.row_judges, column, pairs)
    if families:
        bench.families = families
        run = fit()
    run.notes = [note for note in run.notes if note.subject != "copying"]  # the findings say it
    run.notes += [_note_on(family) for family in trusted]
    return run, families, pairs


def _note_on(family: Family) -> Note:
    text = (
        f"{listing(family.members)} agree far more than their agreement with others explains, but "
        "also agree with the others more than most of these do. They may just be better, so they "
        "count in full. If they belong together, say so in a column: --family COLUMN."
    )
    return Note("copying", text, len(family.members))


def _grbm(run: Run) -> GRBM:
    assert isinstance(run.model, GRBM)
    return run.model


def _repeated(run: Run, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters for fits to fewer judges: features that were not used stay unused."""
    model = _grbm(run)
    uses = model.fitted_model.spec.uses_features
    plain = {} if uses else {"features": "never", "confidence": NEVER}
    return dict(parameters) | plain


def _unlabelled(run: Run) -> Mask:
    """Mark the items whose truth is not given."""
    matrix = run.claims.matrix
    if run.known_truth is None:
        return np.ones(matrix.n_items, np.bool_)
    names = [profile.name for profile in run.claims.attributes]
    rows = run.known_truth.given_rows(names).to_pylist()
    known = {(row["entity"], row["attribute"]) for row in rows}
    entities, attributes = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    return np.array(
        [
            (entities[entity], attributes[attribute]) not in known
            for entity, attribute in zip(matrix.entity_index, matrix.attribute_index, strict=True)
        ],
        np.bool_,
    )


def _left_out(panel: Panel) -> list[str]:
    """Return the judges with most verdicts, in their order."""
    counts = np.bincount(panel.judge, minlength=len(panel.judges))
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MAX_LEFT_OUT])
    return [panel.judges[index] for index in chosen]
