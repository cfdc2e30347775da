"""Calibration: what labels say about errors that all sources share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Joined, Sums
from veracity.models.forms.number.block_numbers import FOLDS, BlockNumbers, without_labels
from veracity.models.forms.number.interval import LEAST_LABELS, standard_errors, widening
from veracity.models.forms.number.learning import settle
from veracity.models.forms.number.located import place_items
from veracity.models.forms.number.parameters import NumberParameters


@dataclass(frozen=True, eq=False)
class Calibration:
    """What labels say of each attribute.

    Attributes
    ----------
    shift
        The bias that all sources share, in spreads of the item; 0 without labels.
    wider
        The factor by which standard errors are wider than those of the claims; NaN where labels
        are too few, so that intervals are the spread of the sources.
    n_labels
        Labelled items.
    """

    shift: Floats
    wider: Floats
    n_labels: Floats

    @classmethod
    def none(cls, n_attributes: int) -> Calibration:
        """Return the calibration without labels."""
        each = np.ones(n_attributes)
        return cls(0.0 * each, np.nan * each, 0.0 * each)


def calibrate(blocks: Blocks[BlockNumbers], learned: NumberParameters) -> Calibration:
    """Judge the labelled items of each fold by a fit to the others; measure the errors."""
    n_attributes = len(learned.nu)
    if not count_labels(blocks, n_attributes).any():
        return Calibration.none(n_attributes)
    tables = []
    for fold in range(FOLDS):
        held = blocks.prepare(without_labels, fold)
        tables.append(held.total(_misses, settle(held, learned), fold)["misses"].whole())
    attribute, miss, spread, error = np.concatenate(tables).T
    found = Calibration.none(n_attributes)
    for place in range(n_attributes):
        own = attribute == place
        found.n_labels[place] = own.sum()
        if own.sum() < LEAST_LABELS:
            continue
        ratio = miss[own] / spread[own]
        found.shift[place] = _shared_bias(ratio)
        factor = widening((miss[own] - found.shift[place] * spread[own]) / error[own])
        found.wider[place] = np.nan if factor is None else factor
    return found


def _shared_bias(ratio: Floats) -> float:
    """Return the mean of misses, shrunk by how uncertain it is (James and Stein's positive part).

    Misses are clipped, so that one gross error moves it little.
    """
    centre = np.median(ratio)
    reach = 3 * 1.4826 * np.median(np.abs(ratio - centre))
    clipped = np.clip(ratio, centre - reach, centre + reach)
    mean, doubt = float(clipped.mean()), float(clipped.var(ddof=1)) / len(ratio)
    return mean * max(0.0, 1.0 - doubt / mean**2) if mean else 0.0


def count_labels(blocks: Blocks[BlockNumbers], n_attributes: int) -> Floats:
    """Count the labelled items of each attribute."""
    counted: Floats = blocks.total(_labelled, n_attributes)["n"]
    return counted


def _labelled(numbers: BlockNumbers, n_attributes: int) -> Sums:
    has_label = ~np.isnan(numbers.label)
    return {"n": sum_by(numbers.attribute, has_label.astype(np.float64), n_attributes)}


def _misses(numbers: BlockNumbers, learned: NumberParameters, fold: int) -> Sums:
    """Return attribute, miss, spread and standard error of the items whose label is hidden."""
    found = place_items(numbers, learned)
    at = np.flatnonzero(numbers.fold == fold)
    columns = (
        numbers.attribute[at].astype(np.float64),
        numbers.label[at] - found.location[at],
        found.spread[at],
        standard_errors(found)[at],
    )
    return {"misses": Joined((np.stack(columns, axis=1),))}
