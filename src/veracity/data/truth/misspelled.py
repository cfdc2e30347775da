"""Given truth that nobody claims as it is spelled: errors, notes, and what may be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from veracity.data.clean.values import ValueForms, canonical_number
from veracity.data.encode.attributes import BOOLEAN_WORDS, AttributeProfile
from veracity.data.notes import Note, plural
from veracity.data.read.settings import Comparison, Settings
from veracity.data.truth.occurrence import Occurrence, domain_is_known
from veracity.data.truth.respelling import RESPELLINGS, Respellings, best_respelling
from veracity.errors import InputError, listing, suggestion

#: Where the domain is open, a respelling is an error from so many values on, if it is for half of
#: them: a few may be corrections of spelling.
MANY = 5
VALUES_SHOWN = 5
ATTRIBUTES_SHOWN = 3


@dataclass(frozen=True)
class Purpose:
    """What a truth is given for, and how to speak of it.

    ``name`` is what it is called, ``value`` one of its values, and ``effect`` what follows where
    nobody claims them.
    """

    name: str
    value: str
    effect: str


TO_KEEP = Purpose(
    "known truth", "known value", "As it is, this counts against every claim about these items."
)
TO_MEASURE = Purpose("truth", "true value", "As it is, no verdict on these items can be right.")


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
            meant = [respellings.of(name, value[row], words) for row in rows]
        else:
            rows = [row for row in own if row in missed]
            meant = [missed[row] for row in rows]
        if rows:
            shown = [(entity[row], value[row]) for row in rows]
            odd = [place for place, (_, word) in enumerate(shown) if forms.unreadable(name, word)]
            how = forms.comparison(name)
            made.append(Misspelled(profile, how, len(own), shown, meant, odd, words))
    return made


def check_misspelled(found: Sequence[Misspelled], purpose: Purpose) -> None:
    """Refuse given truth of which no value of an attribute occurs among the claims.

    Raises
    ------
    InputError
        If the domain of the attribute is known, or if many of the values differ from claimed ones
        in their spelling only.
    """
    for one in found:
        if not one.none_occurs:
            continue
        if domain_is_known(one.profile):
            raise InputError(_no_value_occurs(one, purpose))
        count = len(one.respelled)
        if count >= MANY and 2 * count >= one.n_given:
            raise InputError(
                f"No {purpose.value} of {one.profile.name!r} is claimed about its item as it is "
                f"spelled, such as {one.example(one.respelled[0])}.{one.hint()}"
            )


def _no_value_occurs(one: Misspelled, purpose: Purpose) -> str:
    name = one.profile.name
    values = listing(map(repr, dict.fromkeys(value for _, value in one.rows)), VALUES_SHOWN)
    text = f"No {purpose.value} of {name!r} occurs among its claims: {values}.{one.hint()}"
    if one.respelling is not None:
        return text
    text += f" The claims say {listing(map(repr, one.words), VALUES_SHOWN)}. Write the values alike"
    if one.profile.kind == "boolean":
        return f"{text}."
    return f"{text} or, if they are right, allow others (--domain {name}=open)."


def notes_on_misspelled(found: Sequence[Misspelled], purpose: Purpose) -> list[Note]:
    """Say which given values do not occur, and what may be meant; of most attributes, their names.

    Values that nobody claims about an item of an open domain may well be right; they are worth a
    note only if no verdict can be measured by them.
    """
    told = sorted((one for one in found if _remark(one, purpose)), key=lambda one: -len(one.rows))
    notes = [
        Note(
            purpose.name,
            f"Check the {purpose.name}: {_remark(one, purpose)} {purpose.effect}",
            len(one.suspect) or one.n_given,
        )
        for one in told[:ATTRIBUTES_SHOWN]
    ]
    if left := told[ATTRIBUTES_SHOWN:]:
        names = listing((repr(one.profile.name) for one in left), VALUES_SHOWN)
        text = f"Check the {purpose.name}: values of {names} do not occur as they are spelled."
        notes.append(Note(purpose.name, text, len(left)))
    return notes


def _remark(one: Misspelled, purpose: Purpose) -> str:
    """Say of how many values there is reason to doubt the spelling; nothing if there is none."""
    name, count = one.profile.name, len(one.suspect)
    of_all = f"{count:,} of the {plural(one.n_given, purpose.value)} of {name!r}"
    single = count == 1
    if domain_is_known(one.profile):
        said = f"{of_all} {'does' if single else 'do'} not occur among its claims"
    elif one.respelled:
        said = f"{of_all} {'is' if single else 'are'} claimed in another spelling only"
    elif one.unreadable:
        said = f"{of_all} cannot be read as a {one.comparison}"
    elif purpose is TO_MEASURE and one.none_occurs:
        numbers = f" If they are numbers: --compare {name}=number."
        is_number = canonical_number(one.rows[0][1]) is not None
        return (
            f"nobody claims any of the {plural(one.n_given, purpose.value)} of {name!r} about its "
            f"item, such as {one.example(0)}.{numbers if is_number else ''}"
        )
    else:
        return ""
    return f"{said}, such as {one.example(one.suspect[0])}.{one.hint()}"
