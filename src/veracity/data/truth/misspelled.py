"""Misspelled: given values that nobody claims as they are spelled, and what may be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from veracity.data.clean.values import ValueForms
from veracity.data.encode.attributes import BOOLEAN_WORDS, AttributeProfile
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
    rows: Sequence[tuple[str, str]]
    claimed: Sequence[Mapping[int, str]]
    unreadable: Sequence[int]
    words: Sequence[str]

    @property
    def none_occurs(self) -> bool:
        """Whether this is so of all values about items with claims."""
        return len(self.rows) == self.n_given

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
            return f" {self.rows[self.unreadable[0]][1]!r} cannot be read as a {self.comparison}."
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
    forms, respellings = ValueForms(settings), Respellings(settings)
    entity, attribute, value = (given[name].to_pylist() for name in given.column_names[:3])
    about, claimed = found.about.tolist(), set(found.claimed.tolist())
    missed = {one.row: dict(one.claimed) for one in found.missed}
    made = []
    for profile in profiles:
        name = profile.name
        own = [row for row in about if attribute[row] == name]
        words = sorted(word for of, word in found.words if of == name)
        counts = Counter(value[row] for row in own)
        own.sort(key=lambda row: (-counts[value[row]], value[row], entity[row]))  # commonest first
        if domain_is_known(profile):
            keys = {forms.key(name, word) for word in words}
            unclaimed = [row for row in own if row not in claimed]
            rows = [row for row in unclaimed if forms.key(name, value[row]) not in keys]
            of_word = {word: respellings.of(name, word, words) for word in {value[r] for r in rows}}
            meant = [of_word[value[row]] for row in rows]
        else:
            rows = [row for row in own if row in missed]
            meant = [missed[row] for row in rows]
        if rows:
            shown = [(entity[row], value[row]) for row in rows]
            odd = [place for place, (_, word) in enumerate(shown) if forms.unreadable(name, word)]
            how = forms.comparison(name)
            made.append(Misspelled(profile, how, len(own), shown, meant, odd, words))
    return made
