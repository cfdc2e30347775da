"""Phone numbers, and the region of those without a country code."""

from __future__ import annotations

import re
from typing import Any

from veracity.data.fields.library import needs_fields
from veracity.data.fields.plain_text import is_readable, visible

LONGEST_PHONE = 60
#: What numbers consist of, with an extension at the end.
_SIGNS = re.compile(
    r"(?:tel[.:]*|phone:?)? ?(?P<main>[+(]?[\d() ./\u2010-\u2015\u00a0\u202f\-]+)"
    r"(?:,? ?(?:ext[.:]?|extension|x|#) ?(?P<extension>\d{1,6}))?",
    re.ASCII | re.IGNORECASE,
)
#: E.164 allows 15 digits, and some countries use two more.
FEWEST_DIGITS, MOST_DIGITS = 6, 17


def canonical_phone(text: str, region: str | None = None) -> str | None:
    """Return a number with its country code, and its extension if it has one.

    `region` is the country of numbers without a code, such as ``CH``. Where it is not known, such
    a number is given by its digits alone.

    >>> [canonical_phone(text) for text in ("+41 44 668 18 00", "0041 (0)44 668 18 00")]
    ['+41446681800', '+41446681800']
    >>> canonical_phone("044/668 18 00", "CH"), canonical_phone("044/668 18 00")
    ('+41446681800', '0446681800')
    """
    split = _split(text)
    if split is None:
        return None
    main, extension = split
    end = f";ext={extension}" if extension else ""
    if not main.startswith("+") and region is None:
        return main + end
    number = _parsed(main, region)
    if number is None:
        return main + end if not main.startswith("+") else None
    library = _library()
    return str(library.format_number(number, library.PhoneNumberFormat.E164)) + end


def proven_region(text: str) -> str | None:
    """Return the country of a number that has a country code, None for any other.

    >>> proven_region("+41 44 668 18 00"), proven_region("044 668 18 00")
    ('CH', None)
    """
    split = _split(text)
    if split is None or not split[0].startswith("+"):
        return None
    number = _parsed(split[0], None)
    if number is None:
        return None
    region = _library().region_code_for_number(number)
    return None if region is None else str(region)


def is_region(name: str) -> bool:
    """Whether a name is that of a region with phone numbers, such as ``CH``."""
    return name in _library().SUPPORTED_REGIONS


def _split(text: str) -> tuple[str, str] | None:
    """Return the digits of a number, with a plus before a country code, and of its extension."""
    if not is_readable(text, LONGEST_PHONE):
        return None
    bare, _, given = " ".join(visible(text).split()).partition(";ext=")
    found = _SIGNS.fullmatch(bare)
    if found is None or (given and not (given.isascii() and given.isdigit())):
        return None
    main = found["main"]
    digits = re.sub(r"\D", "", main, flags=re.ASCII)
    if main.lstrip(" (").startswith("+"):
        main = "+" + re.sub(r"\D", "", main.replace("(0)", ""), flags=re.ASCII)
    elif digits.startswith("00"):
        main = "+" + re.sub(r"\D", "", main.replace("(0)", ""), flags=re.ASCII)[2:]
    else:
        main = digits
    if not FEWEST_DIGITS <= len(main.lstrip("+")) <= MOST_DIGITS:
        return None
    return main, given or found["extension"] or ""


def _parsed(main: str, region: str | None) -> Any | None:
    library = _library()
    try:
        number = library.parse(main, region)
    except library.NumberParseException:
        return None
    return number if library.is_possible_number(number) else None


def _library() -> Any:
    try:
        import phonenumbers
    except ImportError as error:
        raise needs_fields("phonenumbers", "phone") from error
    return phonenumbers
