"""The page of a source, beside its claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veracity.data.notes import plural
from veracity.service.pages.numbers import percent

MEANINGS = {
    "reliability": "how often what it says is true",
    "tpr": "how often it claims a value that is true",
    "fpr": "how often it claims a value that is false",
}


#: Orders of the list of sources, and those that need labels.
SORTS = (
    ("reliability", "reliability"),
    ("claims", "number of claims"),
    ("agreement", "agreement"),
    ("source", "name"),
)
LABEL_SORTS = (
    ("labelled_rate", "right on labels"),
    ("labels", "labels"),
    ("disagrees", "disagreement"),
)


def sorts_of(labels_from: str | None) -> tuple[tuple[str, str], ...]:
    """Return by what sources can be sorted, and the words for it."""
    return SORTS if labels_from is None else SORTS + LABEL_SORTS


def labels_explained(labels_from: str | None) -> str:
    """Say how sources are compared with labels."""
    what = "marked" if labels_from == "marks" else "known to the run"
    return (
        f"Right and wrong are counted on items whose truth is {what}. The dot is the share that is "
        "right, the line its 90 % interval, the upright stroke the share that the model expects "
        "when it judges the same claims without knowing the truth. A badge says that the two "
        "differ by more than chance explains; about one badge in twenty may still be chance."
    )


def on_labels_sentence(source: Mapping[str, Any]) -> str:
    """Say how a source does on labels, beside what the model expects."""
    found = source["labels"]
    if found is None:
        return ""
    n = found["right"] + found["wrong"]
    items = "marked items" if source["labels_from"] == "marks" else "items with known truth"
    text = (
        f"Of {plural(n, 'claim')} about {items}, {found['right']:,} "
        f"{'is' if found['right'] == 1 else 'are'} right: {percent(found['rate'])}, with a 90 % "
        f"interval from {percent(found['low'])} to {percent(found['high'])}. The model expects "
        f"{percent(found['expected'])}"
    )
    if not found["disagrees"]:
        return f"{text}, which these claims do not contradict."
    word = "less" if found["rate"] < found["expected"] else "more"
    return f"{text}: here the source is {word} reliable than the model takes it to be."


#: What each pattern of answers means, for the page of a source.
PATTERN_MEANINGS = {
    "constant": "It gives nearly always the same answer, whatever the others say.",
    "random": "Its answers do not depend on what is believed by the word of the others.",
    "adversarial": "It avoids what is believed more often than chance explains: its labels may be "
    "swapped.",
    "copier": "It agrees with another source, errors included, far more than their agreement with "
    "others explains.",
}


def pattern_sentence(source: Mapping[str, Any]) -> str:
    """Say what it means that a source answers like a spammer."""
    return PATTERN_MEANINGS.get(source["pattern"], "")


def source_sentence(source: Mapping[str, Any]) -> str:
    """Say how much a source says, and how often that is believed."""
    text = f"{plural(source['n_claims'], 'claim')}"
    if source["agreement"] is None:
        return f"{text}."
    return f"{text}, of which {percent(source['agreement'])} agree with what is believed."


def rates_of(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rates of a source with their intervals and what they mean."""
    return [
        {
            "name": name,
            "point": source[name],
            "low": source[f"{name}_low"],
            "high": source[f"{name}_high"],
            "meaning": meaning,
        }
        for name, meaning in MEANINGS.items()
    ]
