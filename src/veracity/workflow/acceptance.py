"""The list of verdicts to accept: guaranteed by an audit, or expected by the plausibilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Mask
from veracity.data.buffers import to_arrow
from veracity.data.output.decisions import is_decided, least_within
from veracity.data.output.tables import Table
from veracity.data.output.write import MARKS_FILE
from veracity.data.truth.known import items_of
from veracity.evaluation.guarantee import MODEST, Guarantee, Limit
from veracity.report.findings import Audited
from veracity.workflow.audits import Answers, Audit, AuditState
from veracity.workflow.marks import MarksUnavailable
from veracity.workflow.saved_run import SavedRun

Basis = Literal["guaranteed", "expected"]


@dataclass(frozen=True)
class Accepted:
    """A list of verdicts to accept.

    Attributes
    ----------
    basis
        Whether an audit guarantees the list, or the plausibilities make one expect it.
    table
        entity, attribute, value, plausibility, whether it is marked, and whether as an audit: a row
        for each value. Marked items have the marked values, with plausibility 1.
    n_accepted, n_verdicts
        How many items it has, of how many.
    expected_errors
        How many of them are wrong, as far as plausibilities can be believed.
    guarantee
        What the audit gives, also if that is nothing.
    modest
        What it gives at `MODEST`, where that is less strict than what was asked for.
    state
        How far the audit is.
    """

    basis: Basis
    table: Table
    n_accepted: int
    n_verdicts: int
    expected_errors: float
    guarantee: Guarantee
    modest: Guarantee | None
    state: AuditState


def audited_in(saved: SavedRun) -> Audited | None:
    """Return what the audits in the folder of a run show, None if there are none."""
    return audited_by(Audit(saved)) if (saved.folder / MARKS_FILE).is_file() else None


def audited_by(audit: Audit) -> Audited | None:
    """Return what an audit shows at the error rate of the run, None if nothing is audited."""
    try:
        if not audit.state().n_counted:
            return None
        found = accept(audit, Limit(audit.saved.description.get("error_rate", Limit().error_rate)))
    except MarksUnavailable:
        return None
    known, limit = found.guarantee, found.guarantee.limit
    counts = (known.n_audits, known.n_wrong, found.n_accepted)
    return Audited(*counts, limit.error_rate, limit.confidence)


def accept(audit: Audit, limit: Limit) -> Accepted:
    """Return the verdicts of a run to accept.

    Once anything is audited, only what is guaranteed is listed.
    """
    state, guarantee, answers = audit.state(), audit.guarantee(limit), audit.answers()
    modest = None
    if limit.error_rate < MODEST.error_rate and limit.confidence > MODEST.confidence:
        modest = audit.guarantee(MODEST)
    basis: Basis = "guaranteed" if guarantee.n_audits else "expected"
    if basis == "guaranteed":
        listed = _guaranteed(audit, guarantee, answers)
    else:
        listed = _expected(audit, limit, answers)
    n_accepted = int(listed.sum())
    unsure = listed & ~answers.is_marked
    errors = float((1.0 - audit.shown.plausibility[unsure]).sum())
    table = Table("accepted", _table(audit, listed, answers))
    return Accepted(
        basis, table, n_accepted, audit.matrix.n_items, errors, guarantee, modest, state
    )


def _guaranteed(audit: Audit, guarantee: Guarantee, answers: Answers) -> Mask:
    """Mark the items of the guaranteed list; (n_items,).

    Marked items join it, since their values are known, and skipped ones leave it: they count as
    errors in the tests, so that the others keep the promise.
    """
    listed = np.zeros(audit.matrix.n_items, np.bool_)
    if guarantee.listed is not None:
        listed[audit.ranking[: guarantee.n_ranked]] = True
        listed &= audit.kept & ~answers.skipped
        listed |= answers.is_marked
    return listed


def _expected(audit: Audit, limit: Limit, answers: Answers) -> Mask:
    """Mark as many items as keep the expected error rate, the most plausible first; (n_items,)."""
    plausibility = np.where(answers.is_marked, 1.0, audit.shown.plausibility)
    truths = audit.saved.truths.to_arrow()
    tied = np.zeros(audit.matrix.n_items, np.bool_)
    item = items_of(audit.matrix, truths.filter(pc.fill_null(truths["tie"], False)))
    tied[item[item >= 0]] = True
    tied &= ~answers.is_marked
    least = least_within(plausibility, tied, limit.error_rate)
    return is_decided(plausibility, tied) & (plausibility >= least)


def _table(audit: Audit, listed: Mask, answers: Answers) -> pa.Table:
    """Return a row for each value of the listed items, the most plausible first."""
    plausibility = np.where(answers.is_marked, 1.0, audit.shown.plausibility)
    items = np.flatnonzero(listed)
    items = items[np.lexsort((items, -plausibility[items]))]
    labels = [audit.labels(item) for item in items.tolist()]
    values = [answers.values.get(item) or audit.shown.values(item) for item in items.tolist()]
    counts = np.fromiter(map(len, values), np.int64, len(values))
    row = np.repeat(np.arange(len(items)), counts)
    is_marked = answers.is_marked[items]
    is_audit = np.array(audit.is_drawn(labels), np.bool_) & is_marked
    return pa.table(
        {
            "entity": pa.array([labels[place][0] for place in row.tolist()], pa.string()),
            "attribute": pa.array([labels[place][1] for place in row.tolist()], pa.string()),
            "value": pa.array([value for each in values for value in each], pa.string()),
            "plausibility": to_arrow(plausibility[items][row]),
            "marked": to_arrow(is_marked[row]),
            "audited": to_arrow(is_audit[row]),
        }
    )
