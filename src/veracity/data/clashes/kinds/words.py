"""Words: their order, initials for first names, and abbreviations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling, unchanged

#: A word for another is learned from so many pairs.
LEAST = 2


def word_order(pairs: Pairs) -> Proposals:
    """Propose another order of words."""
    yield Respelling(
        "text",
        "last, first -> first last",
        "puts the last name first, with a comma",
        "put what is after the comma first",
        after_comma_first,
        read=after_comma_first,
    )
    yield Respelling(
        "text",
        "first last -> last, first",
        "puts the first name first, without a comma",
        "put the last word first, with a comma",
        last_and_comma_first,
        restores=False,
        read=last_and_comma_first,
    )
    yield Respelling(
        "text",
        "last first -> first last",
        "puts the last name first",
        "put the first word last",
        first_word_last,
        read=first_word_last,
    )
    yield Respelling(
        "text",
        "words in any order",
        "puts words in another order",
        "compare words in any order",
        unchanged,
        is_vague=True,
        read=sorted_words,
        read_others=sorted_words,
    )


def after_comma_first(text: str) -> str | None:
    """Return a text with the part after its only comma first.

    >>> after_comma_first("Doe, John")
    'John Doe'
    """
    first, comma, rest = text.partition(",")
    if not comma or not first.strip() or not rest.strip() or "," in rest:
        return None
    return f"{rest.strip()} {first.strip()}"


def last_and_comma_first(text: str) -> str | None:
    """Return a text with its last word first, and a comma after it."""
    words = text.split()
    return f"{words[-1]}, {' '.join(words[:-1])}" if len(words) > 1 else None


def first_word_last(text: str) -> str | None:
    """Return a text with its first word at the end."""
    words = text.split()
    return " ".join([*words[1:], words[0]]) if len(words) > 1 else None


def sorted_words(text: str) -> str | None:
    """Return the words of a text in order, in lower case and without commas."""
    words = text.casefold().replace(",", " ").split()
    return " ".join(sorted(words)) if len(words) > 1 else None


def words(pairs: Pairs) -> Proposals:
    """Propose to read abbreviations as the words that others write, and the other way round."""
    shortened = sum(
        len(own) < len(other) for own, other in zip(pairs.own, pairs.others, strict=True)
    )
    short = 2 * shortened >= len(pairs)
    yield Respelling(
        "text",
        "initials of first names",
        f"{'shortens first names to' if short else 'spells out first names where others have'} "
        "initials",
        "compare the initials of first names",
        unchanged,
        restores=short,
        read=with_initials,
        read_others=with_initials,
    )
    learned = _learned(pairs)
    if learned:
        yield _replacing(learned)


def with_initials(text: str) -> str | None:
    """Return a name with initials for all its words but the last.

    >>> with_initials("John Fitzgerald Doe"), with_initials("J. F. Doe")
    ('j f doe', 'j f doe')
    """
    parts = text.casefold().replace(".", " ").split()
    if len(parts) < 2 or not all(part[0].isalpha() for part in parts):
        return None
    return " ".join([*(part[0] for part in parts[:-1]), parts[-1]])


def _learned(pairs: Pairs) -> dict[str, str]:
    """Return which word of the source stands for which of the others.

    A word is learned where the two texts differ in that word alone.
    """
    found: Counter[tuple[str, str]] = Counter()
    for own, other in zip(pairs.own, pairs.others, strict=True):
        left, right = own.split(), other.split()
        if len(left) != len(right) or len(left) < 2:
            continue
        differ = [(one, two) for one, two in zip(left, right, strict=True) if one != two]
        if len(differ) == 1:
            found[differ[0]] += 1
    learned: dict[str, str] = {}
    for (one, two), count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        if count >= LEAST and one not in learned:
            learned[one] = two
    return learned


def _replacing(learned: Mapping[str, str]) -> Respelling:
    def read(text: str) -> str:
        return " ".join(learned.get(word, word) for word in text.split())

    examples = sorted(list(learned.items())[:3])
    shown = ", ".join(f"{one!r} for {two!r}" for one, two in examples)
    what = "abbreviates words" if all(len(a) < len(b) for a, b in examples) else "uses other words"
    return Respelling(
        "text",
        "; ".join(f"{one!r} -> {two!r}" for one, two in examples),
        f"{what} ({shown})",
        "replace " + " and ".join(f"{one!r} by {two!r}" for one, two in examples),
        read,
        read=read,
    )
