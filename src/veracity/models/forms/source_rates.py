"""Rates of sources over attributes of several forms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import to_numpy
from veracity.data.output.results import SourceRates
from veracity.engines.sums import Scattered, Sums
from veracity.models.forms.division import VALUE, PartOfClaims


def count_by_form(block: ClaimBlock, forms: Mapping[str, str], n_sources: int) -> Sums:
    """Count the claims of each source about attributes of each form.

    `forms` are those of attributes, by name; the others are contests of values.
    """
    matrix = block.matrix
    of_attribute = np.array([forms.get(profile.name, VALUE) for profile in matrix.profiles])
    of_claim = of_attribute[matrix.attribute_index][matrix.item_of_claim]
    return {
        form: Scattered(
            block.place, matrix.sum_by_source((of_claim == form).astype(np.float64)), n_sources
        )
        for form in sorted({VALUE, *forms.values()})
    }


def spread_rates(rates: SourceRates, part: PartOfClaims, n_sources: int) -> SourceRates:
    """Return the rates of the sources of a part as such of all sources, NaN for the others."""
    return SourceRates(
        **{
            name: part.among_all(numbers, n_sources)
            for name, numbers in vars(rates).items()
            if numbers is not None
        }
    )


def rates_of_forms(
    sources: pa.StringArray,
    of_contests: SourceRates | None,
    by_form: Mapping[str, pa.Table],
    n_claims: Mapping[str, Floats],
) -> SourceRates:
    """Return the reliability of each source over all its claims.

    The interval of a reliability is known for sources that speak about contests of values alone;
    tpr and fpr are about these.

    Parameters
    ----------
    sources
        All sources.
    of_contests
        The rates in contests of values; None if there are none.
    by_form
        Reliability in attributes of another form, by source.
    n_claims
        How many claims each source makes about attributes of each form.
    """
    nothing = np.full(len(sources), np.nan)
    of_form = {form: _along(sources, table) for form, table in by_form.items()}
    if of_contests is not None:
        of_form[VALUE] = of_contests.reliability
    right, total = np.zeros(len(sources)), np.zeros(len(sources))
    for form, reliability in of_form.items():
        count = np.where(np.isnan(reliability), 0.0, n_claims[form])
        right, total = right + count * np.nan_to_num(reliability), total + count
    overall = np.where(total > 0, right / np.where(total > 0, total, 1.0), np.nan)
    if of_contests is None:
        return SourceRates(overall, nothing, nothing)
    only_contests = total == n_claims[VALUE]
    bounds = {
        name: np.where(only_contests, bound, np.nan) if name.startswith("reliability") else bound
        for name, bound in of_contests.intervals().items()
    }
    return SourceRates(overall, of_contests.tpr, of_contests.fpr, **bounds)


def _along(sources: pa.StringArray, table: pa.Table) -> Floats:
    """Return the reliability of each source, NaN where the table has none."""
    place = pc.index_in(sources, value_set=table["source"].combine_chunks())
    found = table["reliability"].combine_chunks().cast(pa.float64()).take(place)
    return np.array(to_numpy(found))
