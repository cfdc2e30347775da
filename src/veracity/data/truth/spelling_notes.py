"""Errors and notes on given values that nobody claims as they are spelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veracity.data.clean.values import canonical_number
from veracity.data.notes import Note, plural
from veracity.data.truth.misspelled import Misspelled
from veracity.data.truth.occurrence import domain_is_known
from veracity.errors import InputError, listing

#: Where the domain is open, it takes so many values, and half of them, to call it an error that
#: none is claimed as it is spelled: a few may be corrections of spelling.
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


def check_misspelled(found: Sequence[Misspelled], purpose: Purpose) -> None:
    """Refuse given truth of which no value of an attribute occurs among the claims.

    Raises
    ------
    InputError
        If the domain of the attribute is known, or if many of the values differ from claimed ones
        in their spelling only, or are no number or date where such are expected.
    """
    for one in found:
        if not one.none_occurs:
            continue
        if domain_is_known(one.profile):
            raise InputError(_no_value_occurs(one, purpose))
        if len(one.suspect) >= MANY and 2 * len(one.suspect) >= one.n_given:
            name, example = one.profile.name, one.example(one.suspect[0])
            raise InputError(
                f"No {purpose.value} of {name!r} is claimed about its item as it is spelled, such "
                f"as {example}.{one.hint()}"
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
            f"the {purpose.name} may be spelled otherwise than the claims",
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
        said = f"nobody claims {of_all}"
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
