"""Suggestions: attributes that look like fields, and what comparing them as such would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from veracity.data.clean.spellings import make_spelled
from veracity.data.fields.detection import Found, detect_fields
from veracity.data.fields.notes import Effect, effects_of, harm_note
from veracity.data.fields.registry import FIELDS
from veracity.data.read.frames import plain_text
from veracity.data.read.schema import LABELLED
from veracity.data.read.settings import Settings
from veracity.data.read.workbench import Workbench

if TYPE_CHECKING:
    from veracity.data.claims import Claims


@dataclass(frozen=True)
class Suggestion:
    """An attribute that looks like a field; ``effect`` is None if merging would do harm."""

    found: Found
    effect: Effect | None

    @property
    def option(self) -> str:
        """The option that compares the values of the attribute as such."""
        return f"--compare {self.found.attribute}={self.found.field}"

    def sentence(self) -> str:
        """Say what merging would do, and how to ask for it."""
        if self.effect is None:
            return harm_note(self.found).text
        many = FIELDS[self.found.field].many
        return (
            f"{self.effect.sentence('would be')} It looks like {many} ({self.found.share:.0%} of "
            f"its values can be read). To compare it as such: {self.option}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        effect = self.effect
        return {
            "attribute": self.found.attribute,
            "field": self.found.field,
            "readable": self.found.share,
            "merges": effect is not None,
            "n_spellings": 0 if effect is None else effect.n_spellings,
            "n_values": 0 if effect is None else effect.n_values,
            "examples": [] if effect is None else [list(pair) for pair in effect.examples],
            "option": self.option,
        }


def suggest_fields(claims: Claims) -> list[Suggestion]:
    """Find the attributes that look like fields and are not compared as such."""
    table = plain_text(claims.to_arrow().select(list(LABELLED)))
    with Workbench() as workbench:
        workbench.register("labels", table)
        workbench.step("typed", "SELECT * FROM labels")
        settings, found, _ = detect_fields(workbench, _without_decimals(claims.settings))
        if not found:
            return []
        kept = {one.attribute: FIELDS[one.field] for one in found if not one.harms}
        if kept:
            make_spelled(workbench, settings)
        effects = {effect.attribute: effect for effect in effects_of(workbench, kept)}
    return [Suggestion(one, effects.get(one.attribute)) for one in found]


def _without_decimals(settings: Settings) -> Settings:
    """Return settings without what was found out about plain numbers, to look once more."""
    said = {
        name: replace(own, values=None) if own.values == "decimal" else own
        for name, own in settings.attributes.items()
    }
    return replace(settings, attributes=said)
