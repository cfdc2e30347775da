"""Misspelled: given values that nobody claims as they are spelled, and what may be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from veracity.data.clean.values import ValueForms
from veracity.data.encode.attributes import BOOLEAN_WORDS, AttributeProfile
from veracity.data.fields.registry import FIELDS
from veracity.data.read.settings import Comparison, Settings
from veracity.data.truth.occurrence import Occurrence, domain_is_known
from veracity.data.truth.respelling import RESPELLINGS, Respellings, best_respelling
from veracity.errors import suggestion


@dataclass(frozen=True)
class Misspelled:
    """The values of an attribute that do not occur as they were given.

    Attributes
    ----------
    profile
        The attribute.
    comparison
        How its values are compared.
    n_given
        Values about items with claims.
    none_occurs
        Whether no given value of the attribute occurs.
    rows
        Those that do not occur: entity and value, the commonest value first.
    claimed
        For each, the claimed values that it would mean, by the number of a respelling.
    unreadable
        Those of them that are no number or date, as the values were declared to be.
    words
        The values of a domain that is known.
    """

    profile: AttributeProfile
    comparison: Comparison
    n_given: int
    none_occurs: bool
    rows: Sequence[tuple[str, str]]
    claimed: Sequence[Mapping[int, str]]
    unreadable: Sequence[int]
    words: Sequence[str]

    @property
    def respelling(self) -> int | None:
        """The respelling under which most of them occur."""
        return best_respelling(self.claimed)

    @property
    def respelled(self) -> list[int]:
        """The places of those that occur then."""
        number = self.respelling
        return [place for place, one in enumerate(self.claimed) if number in one]

    @property
    def suspect(self) -> Sequence[int]:
        """The places of those that can hardly be meant as they are; the best example is first."""
        if not domain_is_known(self.profile):
            return self.respelled or self.unreadable
        first = self.respelled
        return [*first, *sorted(set(range(len(self.rows))) - set(first))]

    def example(self, place: int) -> str:
        """Write one of them with its entity."""
        entity, value = self.rows[place]
        return f"{value!r} of {entity!r}"

    def hint(self) -> str:
        """Say which value may be meant, and which option would find it."""
        number = self.respelling
        if number is not None:
            meant = self.claimed[self.respelled[0]][number]
            hint = RESPELLINGS[number].hint.format(name=self.profile.name)
            return f" Did you mean {meant!r}? {hint}"
        if self.unreadable:
            known = FIELDS.get(self.comparison)
            kind = "a number" if known is None else known.with_article
            return f" {self.rows[self.unreadable[0]][1]!r} cannot be read as {kind}."
        value = self.rows[0][1]
        if (word := _same_word(value, self.profile)) is not None:
            return f" Did you mean {word!r}?"
        return suggestion(value, self.words)


def _same_word(value: str, profile: AttributeProfile) -> str | None:
    """Return the value of a boolean attribute that a word for yes or no means."""
    sides = (profile.positive or "", profile.negative or "")
    if tuple(side.casefold() for side in sides) not in BOOLEAN_WORDS:
        return None
    word = value.strip().casefold()
    return next((sides[pair.index(word)] for pair in BOOLEAN_WORDS if word in pair), None)


def find_misspelled(
    given: pa.Table,
    found: Occurrence,
    profiles: Sequence[AttributeProfile],
    settings: Settings,
) -> list[Misspelled]:
    """Gather by attribute the given values that do not occur among the claims.

    Where the domain is known, that is among all claims about the attribute, else among those about
    the item.
    """
    rows = _Rows(given, found, ValueForms(settings), Respellings(settings))
    made = (rows.misspelled(profile) for profile in profiles)
    return [one for one in made if one.rows]


class _Rows:
    """The rows of a given truth, by attribute, beside what the claims say about them."""

    def __init__(
        self, given: pa.Table, found: Occurrence, forms: ValueForms, respellings: Respellings
    ) -> None:
        self._entity, attribute, self._value = (
            given[name].to_pylist() for name in given.column_names[:3]
        )
        self._about, self._claimed = set(found.about.tolist()), set(found.claimed.tolist())
        self._missed = {one.row: dict(one.claimed) for one in found.missed}
        self._words = found.words
        self._forms, self._respellings = forms, respellings
        self._of: dict[str, list[int]] = {}
        for row, name in enumerate(attribute):
            self._of.setdefault(name, []).append(row)

    def misspelled(self, profile: AttributeProfile) -> Misspelled:
        """Return the values of an attribute that do not occur, if there are any."""
        name, forms = profile.name, self._forms
        about = self._about_items(name)
        words = sorted(word for of, word in self._words if of == name)
        if domain_is_known(profile):
            foreign = self._foreign(name, words)
            rows = [row for row in about if row in foreign]
            none_occurs = len(foreign) == len(self._of.get(name, ()))
            claimed = [foreign[row] for row in rows]
        else:
            rows = [row for row in about if row in self._missed]
            none_occurs = len(rows) == len(about)
            claimed = [self._missed[row] for row in rows]
        shown = [(self._entity[row], self._value[row]) for row in rows]
        odd = [place for place, (_, word) in enumerate(shown) if forms.unreadable(name, word)]
        how = forms.comparison(name)
        return Misspelled(profile, how, len(about), none_occurs, shown, claimed, odd, words)

    def _about_items(self, name: str) -> list[int]:
        """Return the rows about items with claims, those of the commonest value first."""
        rows = [row for row in self._of.get(name, ()) if row in self._about]
        counts = Counter(self._value[row] for row in rows)
        return sorted(
            rows,
            key=lambda row: (-counts[self._value[row]], self._value[row], self._entity[row]),
        )

    def _foreign(self, name: str, words: Sequence[str]) -> dict[int, dict[int, str]]:
        """Return the rows whose value is none of some words, and which of them it may mean."""
        keys = {self._forms.key(name, word) for word in words}
        values = {self._value[row] for row in self._of.get(name, ())}
        meant = {
            value: self._respellings.of(name, value, words)
            for value in values
            if self._forms.key(name, value) not in keys
        }
        return {
            row: meant[self._value[row]]
            for row in self._of.get(name, ())
            if row not in self._claimed and self._value[row] in meant
        }
