"""Which sources are not below chance, by the parameters that a model judges with."""

from __future__ import annotations

from typing import Any

from tests.fuzz.case import Key

from veracity.models.base import TruthModel

#: In an open domain, wrong values attract further claims: a source that is right less often than
#: this may just repeat one, and then speaks against it (`Lures.least_right`).
RIGHT_DESPITE_LURES = 0.75


def is_trusted(model: Any, source: str, key: Key) -> bool:
    """Whether a claim of a source speaks for a statement, by what the model has learned."""
    rates = _rates(model, source)
    if hasattr(type(model), "confusion_") and key[1] in model.scales_.names:
        return _confusion(model, source, key)
    for name in ("accuracy", "reliability"):  # of any number of values; enough, if there are two
        if name in rates:
            return rates[name] >= 0.5
    if "freshness" in model.sources_.to_arrow().column_names:
        return _says_what_is_current(model, source)
    if getattr(model, "forms_", {}).get(key[1]) == "lures":
        return rates["tpr"] >= RIGHT_DESPITE_LURES
    return rates.get("ability", 0.0) >= 0.0 and rates["tpr"] >= rates["fpr"]


def _says_what_is_current(model: TruthModel, source: str) -> bool:
    """Whether a source names the current value at least as often as it is wrong."""
    shown = model.sources_.to_arrow()
    place = shown["source"].to_pylist().index(source)
    right, fresh = (shown[name][place].as_py() or 0.0 for name in ("reliability", "freshness"))
    return bool(right * fresh >= 1.0 - right)


def _rates(model: TruthModel, source: str) -> dict[str, float]:
    """Return the numbers of a source: those it is shown with, and those the model judges by."""
    shown = model.sources_.to_arrow()
    place = shown["source"].to_pylist().index(source)
    rates = {name: shown[name][place].as_py() or 0.0 for name in ("tpr", "fpr")}
    learned = getattr(model, "learned_", None)
    if learned is None:
        return rates
    own = {name: float(numbers[place]) for name, numbers in learned.of_source.items()}
    return rates | own


def _confusion(model: Any, source: str, key: Key) -> bool:
    """Whether a source is known to say a value most often where it is true."""
    _, attribute, value = key
    own = [row for row in model.confusion_.to_pylist() if row["attribute"] == attribute]
    if value not in {row["truth"] for row in own}:  # each value is true or not
        value = "yes"
    said = {
        row["truth"]: row["probability"]
        for row in own
        if (row["source"], row["said"]) == (source, value)
    }
    return value in said and bool(said[value] >= max(said.values()))
