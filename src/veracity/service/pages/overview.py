"""The first page: the run in a sentence, what to do with its verdicts, and where to look."""

from __future__ import annotations

from typing import Any

from veracity.data.notes import plural
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
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
    caution = _caution(run)
    contested = ItemQuery(contested=True, sort="contested")
    return {
        "run": run,
        "sentence": sentence_of(counts),
        "caution": caution,
        "facts": _facts(run),
        "decisions": _decisions(counts),
        "expected": _expected(store),
        "marks": marks,
        "share_marked": marks["n_items"] / max(counts["items"], 1),
        "notes": shown_notes(
            note
            for note in run["notes"]
            if note["subject"] not in SAID_ELSEWHERE and note["text"] != caution
        ),
        "contested": store.items(contested, SHOWN)["items"],
        "best": store.sources(sort="reliability", order="desc", limit=SHOWN)["sources"],
        "worst": store.sources(sort="reliability", order="asc", limit=SHOWN)["sources"],
    }


def sentence_of(counts: dict[str, int]) -> str:
    """Say what a run is, in a sentence."""
    return (
        f"{plural(counts['claims'], 'claim')} by {plural(counts['sources'], 'source')} about "
        f"{plural(counts['items'], 'item')}, {counts['contested']:,} of them contested"
    )


def _caution(run: dict[str, Any]) -> str:
    """Return the first of the notes on trust, if there is one."""
    return next((note["text"] for note in run["notes"] if note["subject"] == "trust"), "")


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


def _decisions(counts: dict[str, int]) -> list[dict[str, Any]]:
    meaning = {
        ACCEPT: "sure enough to use as they are",
        REVIEW: "likely, but to be looked at",
        UNDECIDED: "less likely than not, or tied",
    }
    return [
        {
            "word": word,
            "n_items": counts[word],
            "share": counts[word] / max(counts["items"], 1),
            "meaning": meaning[word],
        }
        for word in DECISIONS
    ]


def _expected(store: RunStore) -> str:
    """Say how many of the accepted are expected to be wrong."""
    results = store.index.results
    accepted = results.item_plausibility[results.decision == DECISIONS.index(ACCEPT)]
    if not len(accepted):
        return "No verdict is sure enough to be accepted."
    return (
        f"Of the {plural(len(accepted), 'accepted verdict')}, {(1.0 - accepted).sum():,.1f} are "
        "expected to be wrong, if the plausibilities mean what they say."
    )
