"""Findings: a run in three sentences, from its own numbers.

They say what was found, what to do, and how far to trust it, and are the same in the summary on
the command line, in ``run.json``, at the top of the report and in the explorer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from veracity.data.notes import Importance, importance_of, plural
from veracity.data.output.tables import Table
from veracity.data.output.tally import Tally
from veracity.report.charts.enough import FEW_MEASURED
from veracity.report.charts.records import one_line, share
from veracity.report.extremes import extremes
from veracity.report.subject import Subject

#: Fewer claims, or fewer sources, than this say little about who is reliable.
FEW_CLAIMS, FEW_SOURCES = 30, 3
#: Most items rest on one source if more than this share does.
MOST = 0.5
NAME_WIDTH = 40
#: What is said of a warning that has no short form.
SEE_NOTE = "see the first note"
#: The kind of notes on other formats: what can be mended at once is said before other doubts.
FORMAT = "format"
#: The kinds of notes on how far the answer is from a vote, on what labels show, and on updates.
VOTE, LABELS, UPDATES = "vote", "labels", "updates"


class Audited(NamedTuple):
    """What audits of the verdicts of a run show.

    Attributes
    ----------
    n_audits, n_wrong
        How many verdicts are audited, and how many of these are wrong.
    n_accepted
        How many items are on the list that they guarantee; 0 if they guarantee none.
    error_rate, confidence
        The share of errors that the list has at most, and how sure that is.
    """

    n_audits: int
    n_wrong: int
    n_accepted: int
    error_rate: float
    confidence: float


@dataclass(frozen=True)
class Findings:
    """A run in three sentences.

    Attributes
    ----------
    found
        How much was claimed and contested, and which sources can be told apart.
    to_do
        How many verdicts to accept, to review and to take as undecided.
    trust
        What speaks for and against the answer.
    """

    found: str
    to_do: str
    trust: str

    @classmethod
    def of(
        cls,
        counts: Mapping[str, Any],
        tally: Tally,
        sources: Table,
        notes: Sequence[Mapping[str, Any]],
        error_rate: float,
        model: str,
        evaluation: Mapping[str, Any] | None = None,
        audited: Audited | None = None,
    ) -> Self:
        """Say it from the results of a run and its description.

        Parameters
        ----------
        counts, notes, error_rate, evaluation
            As in ``run.json``.
        tally
            The decisions on its verdicts.
        sources
            The table of sources.
        model
            What the model is called.
        audited
            What the audits of the run carry, if there are any.
        """
        return cls(
            f"{_claimed(counts)}{_told_apart(sources) if counts['n_contested'] else ''}.",
            _to_do(tally, counts["n_items"], error_rate, audited),
            _trust(counts, notes, model, evaluation, audited),
        )

    @property
    def sentences(self) -> tuple[str, str, str]:
        """The sentences, in order."""
        return self.found, self.to_do, self.trust

    def as_dict(self) -> dict[str, str]:
        """Return the sentences as plain data, for ``run.json``."""
        return asdict(self)


def findings_of(subject: Subject) -> Findings:
    """Say it of a run that is the subject of a report."""
    description = subject.description
    return Findings.of(
        description["counts"],
        Tally.of(subject.truths),
        subject.sources,
        description["notes"],
        description.get("error_rate", subject.model.error_rate),
        subject.model_name,
        description.get("evaluation"),
        subject.audited,
    )


# What was found


def _claimed(counts: Mapping[str, Any]) -> str:
    n_sources, n_contested = counts["n_sources"], counts["n_contested"]
    said = (
        f"{plural(n_sources, 'source makes', 'sources make')} "
        f"{plural(counts['n_claims'], 'claim')} about {plural(counts['n_items'], 'item')}"
    )
    if not n_contested:
        return f"{said}, and no item is contested"
    if counts["n_items"] == 1:
        return f"{said}, which is contested"
    return f"{said}; {plural(n_contested, 'item is', 'items are')} contested"


def _told_apart(sources: Table) -> str:
    """Say between which sources reliability ranges, if they can be told apart at all."""
    if len(sources) < FEW_SOURCES:
        return ""
    found = extremes(sources)
    if found is None:
        return ", and the sources cannot be told apart by reliability"
    of = f" of the {found.n_compared} largest sources" * (found.n_compared < found.n_sources)
    best, worst = one_line(found.best, NAME_WIDTH), one_line(found.worst, NAME_WIDTH)
    return (
        f", and the reliability{of} ranges from {found.highest:.2f} ({best}) down to "
        f"{found.lowest:.2f} ({worst})"
    )


# What to do


def _to_do(tally: Tally, n_items: int, error_rate: float, audited: Audited | None) -> str:
    if audited is not None and audited.n_accepted:
        return _guaranteed(audited)
    rate = f"{100 * error_rate:g} %"
    verdicts = plural(tally.n_verdicts, "verdict")
    several = " (an item may have several)" if tally.n_verdicts != n_items else ""
    if not tally.accept:
        return _nothing_to_accept(tally, f"{verdicts}{several}", rate)
    errors = f"with {tally.expected_errors:,.1f} expected errors among them (error rate {rate})"
    if tally.accept == tally.n_verdicts:
        return f"Accept all {verdicts}{several}, {errors}."
    return f"Accept {tally.accept:,} of {verdicts}{several}, {errors}; {_left(tally)}."


def _nothing_to_accept(tally: Tally, verdicts: str, rate: str) -> str:
    """Say why nothing is accepted, and what would change that."""
    if tally.undecided == tally.n_verdicts:
        every = "The verdict is" if tally.n_verdicts == 1 else f"All {verdicts} are"
        return f"{every} undecided: more claims, or the truth of some items, would help."
    if tally.n_verdicts == 1:
        return (
            f"The verdict is not sure enough for an expected error rate of {rate}: review it, or "
            "give more claims or known truth."
        )
    least = int(np.ceil(100 * tally.least_rate))
    return (
        f"None of the {verdicts} is sure enough for an expected error rate of {rate}: "
        f"{_left(tally)}; some could be "
        f"accepted from {least} % on (--error-rate {least / 100:g}), or with known truth."
    )


def _guaranteed(audited: Audited) -> str:
    return (
        f"Accept the {plural(audited.n_accepted, 'item')} that `veracity accept` lists, of which "
        f"at most {100 * audited.error_rate:g} % are wrong, as "
        f"{plural(audited.n_audits, 'audit guarantees', 'audits guarantee')} with "
        f"{100 * audited.confidence:g} % confidence; review the others."
    )


def _left(tally: Tally) -> str:
    """Say what to do with verdicts that are not accepted."""
    which = "all" if tally.review == tally.n_verdicts else f"{tally.review:,}"
    parts = [
        f"review {which}, the closest calls first" if tally.review else "",
        f"leave {tally.undecided:,} undecided" if tally.undecided else "",
    ]
    return ", and ".join(part for part in parts if part)


# How far to trust it


def _trust(
    counts: Mapping[str, Any],
    notes: Sequence[Mapping[str, Any]],
    model: str,
    evaluation: Mapping[str, Any] | None,
    audited: Audited | None,
) -> str:
    """Say what was measured, the first reason to doubt, and how far the answer is from a vote."""
    measured = [*_measured(evaluation), *_audited(audited), *_shorts(notes, LABELS)]
    few, warnings = _too_few(counts), [note for note in notes if _is_warning(note)]
    warnings.sort(key=lambda note: note["subject"] != FORMAT)
    doubts = [*few, *(note.get("short") or SEE_NOTE for note in warnings), *_shorts(notes, UPDATES)]
    vote = _shorts(notes, VOTE)
    if not (measured or doubts or vote):
        return (
            f"{model} does not check its own answer: measure it by items whose truth you know "
            "before you rely on it."
        )
    clauses = measured[:2]
    if doubts:
        clauses.append(f"{'but' if measured else 'trust it with care:'} {doubts[0]}")
    elif vote and not measured:
        clauses.append("nothing speaks against the answer as a whole, but nothing measures it")
    clauses += [] if measured else vote
    n_more = len(warnings) if few else len(warnings) - 1
    if n_more > 0:
        clauses.append(f"the notes have {plural(n_more, 'more warning')}")
    return _sentence("; ".join(clauses))


def _measured(evaluation: Mapping[str, Any] | None) -> list[str]:
    """Say how many verdicts are right by truth that played no part in the fit."""
    if not evaluation or not evaluation["n_items"]:
        return []
    right, items = evaluation["n_right"], evaluation["n_items"]
    if evaluation.get("n_numbers") == items:
        return [
            f"the {plural(items, 'number')} with known truth {_are(items)} off by "
            f"{evaluation['mean_absolute_error']:.3g} in the mean"
        ]
    how = share(right, items) if items >= FEW_MEASURED else "too few to go by"
    return [
        f"of {plural(items, 'item')} with known truth, {right:,} {_are(right)} judged right ({how})"
    ]


def _audited(audited: Audited | None) -> list[str]:
    """Say how many of the audited verdicts are wrong."""
    if audited is None:
        return []
    found = (
        f"the verdict is wrong on {audited.n_wrong:,} of {plural(audited.n_audits, 'audited item')}"
    )
    if audited.n_accepted:
        return [found]
    limit = f"{100 * audited.error_rate:g} %"
    return [f"{found}, which does not guarantee a list with at most {limit} of errors yet"]


def _too_few(counts: Mapping[str, Any]) -> list[str]:
    """Say whether there is too little to judge by."""
    n_sources, n_claims, n_items = (counts[f"n_{what}"] for what in ("sources", "claims", "items"))
    alone = counts["n_one_source_items"]
    if n_sources == 1:
        return ["there is one source, and nobody confirms what it says"]
    if n_sources < FEW_SOURCES:
        return [f"{n_sources} sources cannot outvote each other where they disagree"]
    if n_claims < FEW_CLAIMS:
        return [f"{plural(n_claims, 'claim')} are too few to tell good sources from bad ones"]
    if alone > MOST * n_items:
        return [f"nobody confirms the one source of {alone:,} of {plural(n_items, 'item')}"]
    return []


def _is_warning(note: Mapping[str, Any]) -> bool:
    return importance_of(note["subject"]) == Importance.WARNING


def _shorts(notes: Sequence[Mapping[str, Any]], subject: str = "") -> list[str]:
    """Return the short forms of notes, of one kind or all, in the order of the notes."""
    return [
        note["short"]
        for note in notes
        if note.get("short") and (not subject or note["subject"] == subject)
    ]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
