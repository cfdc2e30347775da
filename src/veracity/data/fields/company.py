"""Names of companies, with their legal forms."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from veracity.data.fields.plain_text import is_readable, words_of

#: Spellings of legal forms as words without marks and dots; the longest are looked for first.
FORMS = {
    "ltd": ("ltd", "limited", "ltda", "limitada"),
    "inc": ("inc", "incorporated"),
    "corp": ("corp", "corporation"),
    "co": ("co", "company", "cie", "compagnie"),
    "llc": ("llc", "l l c"),
    "llp": ("llp",),
    "lp": ("lp",),
    "plc": ("plc", "public limited company"),
    "gmbh": ("gmbh", "gesellschaft mit beschrankter haftung", "mbh"),
    "ag": ("ag", "aktiengesellschaft"),
    "kg": ("kg", "kommanditgesellschaft"),
    "kgaa": ("kgaa",),
    "ohg": ("ohg",),
    "ug": ("ug", "ug haftungsbeschrankt"),
    "se": ("se", "societas europaea"),
    "ev": ("ev", "eingetragener verein"),
    "eg": ("eg",),
    "sa": ("sa", "s a", "societe anonyme", "sociedad anonima"),
    "sas": ("sas",),
    "sarl": ("sarl", "sagl"),
    "srl": ("srl",),
    "spa": ("spa", "societa per azioni"),
    "sl": ("sl", "slu"),
    "bv": ("bv", "b v", "besloten vennootschap"),
    "nv": ("nv", "n v", "naamloze vennootschap"),
    "ab": ("ab", "aktiebolag"),
    "as": ("as", "a s", "aksjeselskap", "aktieselskab"),
    "asa": ("asa",),
    "aps": ("aps",),
    "oy": ("oy", "osakeyhtio"),
    "oyj": ("oyj",),
    "kft": ("kft",),
    "zrt": ("zrt",),
    "sro": ("sro", "s r o"),
    "spzoo": ("spzoo", "sp z oo", "sp z o o"),
    "doo": ("doo", "d o o"),
    "pty": ("pty", "proprietary"),
    "pte": ("pte",),
    "pvt": ("pvt", "private"),
    "kk": ("kk", "kabushiki kaisha"),
}
_ENDINGS = {
    tuple(spelling.split()): form for form, spellings in FORMS.items() for spelling in spellings
}
_LONGEST_ENDING = max(map(len, _ENDINGS))


class Company(NamedTuple):
    """The name of a company in words without marks, and its legal form."""

    name: str
    form: str


def canonical_company(text: str, apart: Container[str] | None = None) -> str | None:
    """Return a name in lower case, without punctuation, its legal form in one spelling.

    Where `apart` is given, the legal form counts only for the names in it, those that are claimed
    with several forms.

    >>> texts = ("ACME, Ltd.", "Acme Limited", "The Acme Ltd", "Smith & Sons", "Smith and Sons")
    >>> [canonical_company(text) for text in texts]
    ['acme ltd', 'acme ltd', 'acme ltd', 'smith and sons', 'smith and sons']
    >>> canonical_company("Alpha AG", ()), canonical_company("Alpha AG", {"alpha"})
    ('alpha', 'alpha ag')
    """
    found = read_company(text)
    if found is None:
        return None
    if apart is not None and found.name not in apart:
        return found.name
    return f"{found.name} {found.form}".strip()


def read_company(text: str) -> Company | None:
    """Return the name and the legal form of a company, None if there are no letters in it.

    >>> read_company("M\u00fcller GmbH & Co. KG")
    Company(name='muller', form='gmbh co kg')
    """
    if not is_readable(text):
        return None
    words = words_of(text.replace("&", " and ").replace("+", " and "))
    while len(words) > 1 and words[0] == "the":
        words = words[1:]
    words = _without_last_and(words)
    forms: list[str] = []
    while (taken := _ending(words)) is not None:
        forms.insert(0, _ENDINGS[tuple(words[-taken:])])
        words = _without_last_and(words[:-taken])
    if not any(sign.isalpha() for word in words for sign in word):
        return None
    return Company(" ".join(words), " ".join(forms))


def _without_last_and(words: list[str]) -> list[str]:
    while len(words) > 1 and words[-1] == "and":
        words = words[:-1]
    return words


def _ending(words: list[str]) -> int | None:
    """Return how many of the last words are a legal form; something must stay before it."""
    for length in range(min(_LONGEST_ENDING, len(words) - 1), 0, -1):
        if tuple(words[-length:]) in _ENDINGS:
            return length
    return None
