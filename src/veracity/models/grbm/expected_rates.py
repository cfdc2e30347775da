"""Rates that a user thinks likely before any claim is seen, in the forms a user may give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.notes import plural
from veracity.errors import InvalidParameter, listing, suggestion
from veracity.features.columns import categories_of, is_category, numbers_of
from veracity.models.grbm.theta import Rates

OPTIMISTIC = (0.7, 0.1)
PESSIMISTIC = (0.1, 0.7)
NAMED = {"optimistic": OPTIMISTIC, "pessimistic": PESSIMISTIC}

Pair = tuple[float, float]
RatesWanted = str | Pair | Mapping[str, Any] | Callable[[dict[str, Any]], Any]


def wanted_rates(rates: RatesWanted, claims: Claims) -> Rates:
    """Return the desired tpr and fpr of each claim of the matrix.

    Parameters
    ----------
    rates
        ``"optimistic"``, ``"pessimistic"``, a pair (tpr, fpr) for all claims; columns that hold
        them, ``{"tpr": "claim_tpr", "fpr": "claim_fpr"}``; classes of a column,
        ``{"source_kind": {"owner": (0.9, 0.05), ...}}``, others optimistic; or a function from
        feature columns (a dict of arrays, one entry per claim) to (tpr, fpr).
    claims
        The claims that the rates are for.
    """
    n = claims.matrix.n_claims
    if isinstance(rates, Mapping):
        return _checked(_by_mapping(rates, claims))
    if callable(rates):
        return _checked(_as_pair(rates(_columns(claims)), n))
    return pair_of_rates(rates, n)


def pair_of_rates(rates: Any, n: int) -> Rates:
    """Return the same desired tpr and fpr `n` times: those of a name, or a pair."""
    if isinstance(rates, str):
        if rates not in NAMED:
            raise InvalidParameter(
                f"rates must be {listing(NAMED)}, a pair, a mapping or a function. Got {rates!r}."
            )
        rates = NAMED[rates]
    return _checked(_as_pair(rates, n))


def _checked(found: Rates) -> Rates:
    for name, rate in zip(Rates._fields, found, strict=True):
        if not np.all((rate > 0) & (rate < 1)):
            known = rate[~np.isnan(rate)]
            missing = len(rate) - len(known)
            seen = [f"ranges from {known.min():g} to {known.max():g}"] if len(known) else []
            seen += [f"is missing for {plural(missing, 'claim')}"] if missing else []
            raise InvalidParameter(
                f"{name} must be between 0 and 1, both excluded; it {' and '.join(seen)}."
            )
    return found


def _as_pair(pair: Any, n: int) -> Rates:
    try:
        tpr, fpr = pair
        return Rates(
            np.broadcast_to(np.asarray(tpr, np.float64), n),
            np.broadcast_to(np.asarray(fpr, np.float64), n),
        )
    except (TypeError, ValueError) as error:
        raise InvalidParameter(
            f"rates must give a tpr and an fpr, one number each or one per claim. Got {pair!r}."
        ) from error


def _by_mapping(rates: Mapping[str, Any], claims: Claims) -> Rates:
    if set(rates) == {"tpr", "fpr"}:
        return _as_pair(
            [_numbers(claims, rates[name]) for name in Rates._fields], len(claims.matrix.row)
        )
    if len(rates) != 1:
        raise InvalidParameter(
            "A mapping of rates names either the columns of tpr and fpr, or one column and the "
            f"rates of its classes. Got the keys {listing(rates)}."
        )
    ((column, classes),) = rates.items()
    labels = _labels(claims, column)
    tpr, fpr = (np.full(len(labels), rate) for rate in OPTIMISTIC)
    if not isinstance(classes, Mapping):
        raise InvalidParameter(
            f"The rates of {column!r} must be a mapping from its classes to (tpr, fpr). "
            f"Got {classes!r} instead."
        )
    for label, pair in classes.items():
        own = labels == str(label)
        if not own.any():
            raise InvalidParameter(
                f"No claim has {column} = {label!r}.{suggestion(str(label), set(labels))}"
            )
        tpr[own], fpr[own] = _as_pair(pair, int(own.sum()))
    return Rates(tpr, fpr)


def _numbers(claims: Claims, name: str) -> Floats:
    return np.asarray(numbers_of(_column(claims, name))[claims.matrix.row])


def _labels(claims: Claims, name: str) -> Any:
    column = _column(claims, name)
    cells = categories_of(column) if is_category(column) else column
    return np.array([str(cell) for cell in cells.to_pylist()])[claims.matrix.row]


def _columns(claims: Claims) -> dict[str, Any]:
    features = claims.features
    return {
        name: _labels(claims, name) if is_category(features[name]) else _numbers(claims, name)
        for name in features.column_names
    }


def _column(claims: Claims, name: str) -> Any:
    names = claims.features.column_names
    if name not in names:
        raise InvalidParameter(
            f"There is no feature column {name!r} to take rates from.{suggestion(name, names)} "
            f"The feature columns are: {listing(names) or 'none'}."
        )
    return claims.features[name]
