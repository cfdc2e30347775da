"""Respellings: reading options under which a given value means a claimed one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from veracity.data.clean.values import ValueForms
from veracity.data.read.settings import Comparison, Settings


@dataclass(frozen=True)
class Respelling:
    """Reading options that make one value of more spellings.

    Attributes
    ----------
    hint
        What to ask for, and what it does; ``{name}`` stands for the attribute.
    changes
        The settings that it changes.
    comparison
        How it compares the values of the attribute, if it changes that.
    """

    hint: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    comparison: Comparison | None = None

    def forms(self, settings: Settings, attribute: str) -> ValueForms:
        """Return when two values of an attribute are the same with these options."""
        changed = replace(settings, **self.changes)
        if self.comparison is not None:
            said = settings.for_attribute(attribute)
            said = replace(said, values=self.comparison, hierarchy=None)
            changed = replace(changed, attributes={**settings.attributes, attribute: said})
        return ValueForms(changed)


#: The simplest come first.
RESPELLINGS = (
    Respelling("--casefold ignores case.", {"casefold": True}),
    Respelling("--strip ignores extra white space.", {"strip": True}),
    Respelling("--unicode NFC ignores how accents are encoded.", {"unicode": "NFC"}),
    Respelling("--compare {name}=decimal makes 1 and 1.0 one value.", comparison="decimal"),
    Respelling("--compare {name}=number compares values as numbers.", comparison="number"),
    Respelling("--compare {name}=date compares values as dates.", comparison="date"),
    Respelling(
        "--strip and --casefold ignore white space and case.", {"strip": True, "casefold": True}
    ),
    Respelling("--unicode NFKC ignores variants of the same sign.", {"unicode": "NFKC"}),
    Respelling(
        "--strip, --casefold and --unicode NFKC ignore white space, case and variants of signs.",
        {"strip": True, "casefold": True, "unicode": "NFKC"},
    ),
)
#: What is not the same by this is not the same by any of them, save dates.
LOOSEST = Respelling("", RESPELLINGS[-1].changes, "number")
#: Comparisons that can be asked for instead of the one in force.
WIDER: Mapping[Comparison, Sequence[Comparison]] = {
    "text": ("decimal", "number", "date"),
    "decimal": ("number",),
}


class Respellings:
    """Finds the claimed values that a given one would mean with other reading options."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._forms: dict[str, dict[int, ValueForms]] = {}
        self._loose: dict[str, ValueForms] = {}

    def of(self, attribute: str, value: str, claimed: Collection[str]) -> dict[int, str]:
        """Return, by the number of a respelling, the claimed value that it finds."""
        if attribute not in self._forms:
            self._forms[attribute] = self._worth_trying(attribute)
            self._loose[attribute] = LOOSEST.forms(self._settings, attribute)
        near = _same(self._loose[attribute], attribute, value, claimed)
        found: dict[int, str] = {}
        for number, forms in self._forms[attribute].items():
            among: Collection[str] = near
            if RESPELLINGS[number].comparison == "date":
                among = () if forms.unreadable(attribute, value) else claimed
            if same := _same(forms, attribute, value, among):
                found[number] = min(same)
        return found

    def _worth_trying(self, attribute: str) -> dict[int, ValueForms]:
        # Who says that values are text does not want numbers or dates.
        said = self._settings.for_attribute(attribute).values
        wider = () if said == "text" else WIDER.get(said or "text", ())
        return {
            number: respelling.forms(self._settings, attribute)
            for number, respelling in enumerate(RESPELLINGS)
            if respelling.comparison is None or respelling.comparison in wider
        }


def _same(
    forms: ValueForms, attribute: str, value: str, claimed: Collection[str]
) -> Collection[str]:
    """Return the claimed values that are the same as a given one."""
    if not claimed:
        return ()
    wanted = forms.key(attribute, value)
    return [other for other in claimed if forms.key(attribute, other) == wanted]


def best_respelling(found: Sequence[Mapping[int, str]]) -> int | None:
    """Return the respelling under which most values are claimed, of several the simplest."""
    counts = [sum(number in one for one in found) for number in range(len(RESPELLINGS))]
    most = max(counts)
    return counts.index(most) if most else None
