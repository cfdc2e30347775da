"""Names of people."""

from __future__ import annotations

from veracity.data.fields.plain_text import is_readable, word_set, words_of

#: Words that are no part of a name; what tells father from son (Jr, III) is.
TITLES = word_set(
    "mr mrs ms miss mx dr prof professor sir dame herr frau mme mlle monsieur madame hon rev "
    "fr lic ing dipl mag phd md msc bsc mba esq drs med"
)
SUFFIXES = word_set("jr junior sr senior ii iii iv")
#: Longer texts are lists of people, or sentences.
MOST_WORDS = 8


def canonical_person(text: str) -> str | None:
    """Return a name as first and last name in lower case, without titles and diacritics.

    An initial is not the name that it stands for: ``J. Smith`` and ``John Smith`` stay apart.

    >>> [canonical_person(text) for text in ("Smith, John", "Dr. John Smith", "J. Smith")]
    ['john smith', 'john smith', 'j smith']
    >>> canonical_person("Tolkien, J.R.R."), canonical_person("A. Smith and B. Jones")
    ('j r r tolkien', None)
    """
    if not is_readable(text) or any(sign in text for sign in ";&/|"):
        return None
    # A dot ends an initial or a title, and begins a new word.
    parts = [_name_words(part.replace(".", ". ")) for part in text.split(",")]
    suffixes = [word for part in parts for word in part if word in SUFFIXES]
    names = [[word for word in part if word not in SUFFIXES] for part in parts]
    names = [name for name in names if name]
    if not 1 <= len(names) <= 2:
        return None
    words = [*names[-1], *names[0], *suffixes] if len(names) == 2 else [*names[0], *suffixes]
    if len(words) > MOST_WORDS or not all(word.isalpha() for word in words):
        return None
    return None if _JOINS & set(words) else " ".join(words)


#: Words between several people.
_JOINS = word_set("and und et with al")


def _name_words(text: str) -> list[str]:
    return [word for word in words_of(text) if word not in TITLES]
