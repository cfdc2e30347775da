"""Known truth: kept and learned from by models that use it, refused by the others."""

from __future__ import annotations

import numpy as np

from veracity.errors import InvalidParameter
from veracity.models.base import TruthModel
from veracity.testing.check import by_item, by_statement, fresh, require
from veracity.testing.outcome import require_probabilities, same_values
from veracity.testing.tables import Said, contested, misled


def known_truth_is_kept(model: TruthModel) -> None:
    """Items with known truth keep it: it has plausibility 1, and all else has 0."""
    said = contested(model.needs_numbers)
    told = said.items[::3]
    model.fit(said.claims, known_truth=said.truth_of(told))
    require_probabilities(model.statements_, "plausibility")
    believed, plausibility = by_item(model.truths_), by_item(model.truths_, "plausibility")
    for item in told:
        true: set[object] = set(said.truth[item])
        require(same_values(believed[item], true), f"{true}, the truth of {item}", believed[item])
        came = plausibility[item]
        require(came == {1.0}, f"plausibility 1 for the known truth of {item}", came)
    for (entity, attribute, value), found in by_statement(model.statements_).items():
        item, positive = (entity, attribute), attribute != "open" or value == "yes"
        if item in told and positive:
            expected = float(value in said.truth[item])
            if not model.needs_numbers or expected:
                require(found == expected, f"{expected} for {value!r} of {item}", found)


def known_truth_helps(model: TruthModel) -> None:
    """Known truth about some items makes the truth of others more plausible."""
    said = misled(model.needs_numbers)
    told, others = said.items[::2], said.items[1::2]
    without = model.fit(said.claims)
    informed = fresh(model).fit(said.claims, known_truth=said.truth_of(told))
    if model.needs_numbers:
        before, after = (_nearness(fit, said, others) for fit in (without, informed))
    else:
        before, after = (_plausibility_of_truth(fit, said, others) for fit in (without, informed))
    what = "nearness to the truth" if model.needs_numbers else "mean plausibility of the truth"
    expected = f"the {what} of other items to rise from {before:.3g}"
    require(after >= min(before + 0.01, 0.7), expected, f"{after:.3g}")


def _plausibility_of_truth(model: TruthModel, said: Said, items: list[tuple[str, str]]) -> float:
    found = by_statement(model.statements_)
    return float(np.mean([found.get((*item, min(said.truth[item])), 0.0) for item in items]))


def _nearness(model: TruthModel, said: Said, items: list[tuple[str, str]]) -> float:
    believed = by_item(model.truths_)
    return -float(
        np.mean(
            [
                abs(float(str(min(map(str, believed[item])))) - float(min(said.truth[item])))
                for item in items
            ]
        )
    )


def unclaimed_known_truth_is_kept(model: TruthModel) -> None:
    """Known truth that nobody claims is among the truths, and the notes speak of it."""
    said = contested(model.needs_numbers)
    attribute, value = ("grade", "7") if model.needs_numbers else ("colour", "mauve")
    unclaimed = ["nowhere", "e00"]
    claimed = next(item for item in said.items if item[1] == attribute and item[0] != "e00")
    given = {
        "entity": [*unclaimed, claimed[0]],  # known truth of which nobody claims any is refused
        "attribute": [attribute] * 3,
        "value": [value, value, min(said.truth[claimed])],
    }
    model.fit(said.claims, known_truth=given)
    believed, plausibility = by_item(model.truths_), by_item(model.truths_, "plausibility")
    for entity in unclaimed:
        item = (entity, attribute)
        came = (believed.get(item), plausibility.get(item))
        expected = f"{value!r}, as given, for {item}, with plausibility 1"
        good = same_values(believed.get(item, set()), {value}) and came[1] == {1.0}
        require(good, expected, came)
    told = [note.text for note in model.notes_ if note.subject == "known truth"]
    speaks = any("nowhere" in text for text in told)
    require(speaks, "a note on known truth about 'nowhere', which nobody speaks about", told)


def known_truth_is_refused(model: TruthModel) -> None:
    """A model that makes no use of known truth says so."""
    said = contested(model.needs_numbers)
    try:
        model.fit(said.claims, known_truth=said.truth_of(said.items[:2]))
    except InvalidParameter as error:
        require("known truth" in str(error), "a message about known truth", str(error))
        return
    require(False, "InvalidParameter for known truth that is not used", "no error")


USED = (known_truth_is_kept, known_truth_helps, unclaimed_known_truth_is_kept)
REFUSED = (known_truth_is_refused,)
