"""Notation: how values are read that could mean several things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from veracity.errors import InvalidParameter

#: The key that speaks for every source not named.
ANY_SOURCE = "*"


@dataclass(frozen=True)
class Notation:
    """How the values of an attribute are read where their text leaves it open.

    A notation is ``dmy`` or ``mdy`` for dates, ``point`` or ``comma`` for amounts (which of them
    comes before decimals), a region such as ``CH`` for phone numbers without a country code, and
    the number of digits for postal codes that lost their zeros.

    Parameters
    ----------
    default
        The notation of sources that are not in `of_source`. None if nothing tells.
    of_source
        The notation of each source that has one of its own.
    unit
        The unit of amounts that are written without one.
    apart
        Names of companies that are claimed with several legal forms: there, the form counts.
    learned
        Whether it was learned from claims: of others, only the notation of new sources is learned.
    fixed
        Whether the notation of no source is to be learned.
    """

    default: str | None = None
    of_source: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    apart: tuple[str, ...] = ()
    learned: bool = False
    fixed: bool = False

    @classmethod
    def of(cls, given: object) -> Notation | None:
        """Make one of a name, a mapping from sources (``*`` for all others), or plain data."""
        if given is None or isinstance(given, Notation):
            return given
        if isinstance(given, str):
            return cls(given, fixed=True)
        if isinstance(given, Mapping):
            if set(given) == set(cls.__dataclass_fields__):
                return cls(**{**given, "apart": tuple(given["apart"])})
            named = {str(source): str(name) for source, name in given.items()}
            default = named.pop(ANY_SOURCE, None)
            return cls(default, named, fixed=default is not None)
        raise InvalidParameter(
            "notation must be a name such as 'dmy', or a mapping from sources to names. "
            f"Got {given!r} instead."
        )

    @cached_property
    def contested(self) -> frozenset[str]:
        """The names in `apart`, to look them up."""
        return frozenset(self.apart)

    @property
    def names(self) -> set[str]:
        """All notations in it."""
        return {*self.of_source.values(), *([] if self.default is None else [self.default])}

    def of_spellings(self) -> Notation:
        """Return how values are read that already have their spelling, whoever claims them."""
        return replace(self, of_source={}, learned=True, fixed=True)
