"""The first page: the run in a sentence, what to do with its verdicts, and where to look."""

from __future__ import annotations

from typing import Any

from veracity.data.notes import plural
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
from veracity.data.output.tally import Tally
from veracity.report.advice import shown_notes
from veracity.service.items import ItemQuery
from veracity.service.results import DECISIONS
from veracity.service.store import RunStore

#: Items and sources shown.
SHOWN = 6
#: Of a note about these, the page says the same in its own place.
SAID_ELSEWHERE = ("decisions",)


def overview_context(store: RunStore) -> dict[str, Any]:
    """Return what the first page shows."""
    run = store.run()
    counts, marks = run["counts"], run["marks"]
    contested = ItemQuery(contested=True, sort="contested")
    return {
        "run": run,
        "title": f"{plural(counts['claims'], 'claim')} by {plural(counts['sources'], 'source')}",
        "findings": store.findings(),
        "facts": _facts(run),
        "decisions": _decisions(counts, store.tally),
        "several": store.tally.n_verdicts != counts["items"],
        "marks": marks,
        "share_marked": marks["n_items"] / max(counts["items"], 1),
        "notes": shown_notes(run["notes"], leave_out=SAID_ELSEWHERE),
        "contested": store.items(contested, SHOWN)["items"],
        "sources": _sources(store, counts["sources"]),
    }


def _sources(store: RunStore, n_sources: int) -> list[tuple[str, list[dict[str, Any]], str]]:
    """Return the most and the least reliable sources; few sources in one list."""
    titles = {"desc": "Most reliable sources", "asc": "Least reliable sources"}
    if n_sources <= SHOWN:
        titles = {"desc": "Sources by reliability"}
    return [
        (title, store.sources(sort="reliability", order=order, limit=SHOWN)["sources"], order)
        for order, title in titles.items()
    ]


def _facts(run: dict[str, Any]) -> list[tuple[str, str]]:
    counts, evaluation = run["counts"], run["evaluation"]
    facts = [
        ("claims", f"{counts['claims']:,}"),
        ("sources", f"{counts['sources']:,}"),
        ("items", f"{counts['items']:,}"),
        ("statements", f"{counts['statements']:,}"),
        ("contested items", f"{counts['contested']:,}"),
    ]
    if evaluation and evaluation.get("accuracy") is not None:
        facts.append(("accuracy on the truth given", f"{evaluation['accuracy']:.1%}"))
    return facts


def _decisions(counts: dict[str, int], tally: Tally) -> list[dict[str, Any]]:
    meaning = {
        ACCEPT: "sure enough to use as they are",
        REVIEW: "likely, but to be looked at",
        UNDECIDED: "less likely than not, or tied",
    }
    return [
        {
            "word": word,
            "n_items": counts[word],
            "n_verdicts": getattr(tally, word),
            "share": counts[word] / max(counts["items"], 1),
            "meaning": meaning[word],
        }
        for word in DECISIONS
    ]
