"""Countries: names in several languages and ISO codes."""

from __future__ import annotations

from collections import Counter
from functools import cache

from veracity.data.fields.library import needs_fields
from veracity.data.fields.plain_text import is_readable, words_of

#: The languages whose names are known; where names clash, English wins.
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "tr", "cs")
#: Names that people write and that babel does not have.
MORE_NAMES = {
    "US": ("united states of america", "the united states", "us of a", "america", "usa"),
    "GB": ("great britain", "britain", "uk", "united kingdom of great britain"),
    "KR": ("republic of korea", "korea republic of", "korea south"),
    "KP": ("dprk", "korea north", "democratic peoples republic of korea"),
    "RU": ("russian federation",),
    "CZ": ("czech republic",),
    "CI": ("ivory coast", "cote divoire"),
    "MM": ("burma",),
    "NL": ("holland", "the netherlands"),
    "AE": ("uae",),
    "VN": ("viet nam",),
    "IR": ("islamic republic of iran", "iran islamic republic of"),
    "SY": ("syrian arab republic",),
    "TR": ("turkey", "turkiye"),
    "MK": ("macedonia",),
    "SZ": ("swaziland",),
    "CV": ("cape verde",),
    "LA": ("lao peoples democratic republic",),
    "MD": ("republic of moldova",),
    "TZ": ("united republic of tanzania",),
    "BO": ("plurinational state of bolivia",),
    "VE": ("bolivarian republic of venezuela",),
    "CN": ("peoples republic of china", "prc"),
    "TW": ("republic of china",),
    "CD": ("dr congo", "drc", "democratic republic of the congo"),
    "CG": ("republic of the congo",),
    "DE": ("federal republic of germany",),
    "CH": ("swiss confederation",),
}


def canonical_country(text: str) -> str | None:
    """Return the two letters of ISO 3166 for the name or code of a country.

    >>> [canonical_country(text) for text in ("Schweiz", "Switzerland", "CHE", "ch", "Zurich")]
    ['CH', 'CH', 'CH', 'CH', None]
    """
    if not is_readable(text):
        return None
    return _countries().get(" ".join(words_of(text)))


@cache
def _countries() -> dict[str, str]:
    """Return the code of each country by its names and codes, as words without marks."""
    try:
        from babel import Locale
        from babel.core import get_global
    except ImportError as error:
        raise needs_fields("babel", "country") from error

    english = {code: name for code, name in Locale("en").territories.items() if _is_country(code)}
    found: dict[str, str] = {}
    for language in reversed(LANGUAGES):
        names = Locale(language).territories
        pairs = [(" ".join(words_of(names[code])), code) for code in english if code in names]
        counts = Counter(name for name, _ in pairs)
        found |= {name: code for name, code in pairs if counts[name] == 1}
    for code, names_of_it in MORE_NAMES.items():
        found |= {name: code for name in names_of_it}
    for alias, codes in get_global("territory_aliases").items():
        if alias.isalpha() and len(alias) == 3 and len(codes) == 1 and codes[0] in english:
            found[alias.lower()] = codes[0]
    return found | {code.lower(): code for code in english}


def _is_country(code: str) -> bool:
    """Whether a territory of babel is a country, not a continent or a placeholder."""
    return len(code) == 2 and code.isalpha() and code not in ("ZZ", "EU", "EZ", "UN", "XA", "XB")
