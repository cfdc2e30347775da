"""Candidates for transformations, one file per kind.

Each kind is a function from pairs to the transformations that may reconcile them.
"""

from __future__ import annotations

from collections.abc import Callable

from veracity.data.clashes.kinds.affixes import affixes
from veracity.data.clashes.kinds.case import case
from veracity.data.clashes.kinds.cuts import cuts
from veracity.data.clashes.kinds.dates import dates
from veracity.data.clashes.kinds.numbers import number_formats, units
from veracity.data.clashes.kinds.punctuation import punctuation
from veracity.data.clashes.kinds.recoding import recoding
from veracity.data.clashes.kinds.words import word_order, words
from veracity.data.clashes.kinds.zeros import zeros
from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals

#: Of candidates that reconcile as much, the first is preferred.
TEXT_KINDS: tuple[Callable[[Pairs], Proposals], ...] = (
    case,
    punctuation,
    zeros,
    affixes,
    dates,
    word_order,
    words,
    cuts,
    recoding,
)
#: Those that make sense for texts that are numbers.
DIGIT_KINDS: tuple[Callable[[Pairs], Proposals], ...] = (
    punctuation,
    zeros,
    affixes,
    dates,
    recoding,
)
NUMBER_KINDS: tuple[Callable[[Pairs], Proposals], ...] = (number_formats, units)
