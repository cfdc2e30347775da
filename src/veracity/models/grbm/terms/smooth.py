"""Place and time as smooth functions (Garcia-Ulloa et al., 2017; Zhang, 2017).

A source may be reliable here and not there, by day and not by night. A column becomes a few cubic
B-splines, the times of a day a few waves, and a pair of coordinates random Fourier features
(Rahimi and Recht, 2007). They are scaled so that a smooth function differs from place to place
about as much as a domain may differ from others: a place is a domain without borders. Beyond what
was seen, a function stays as it is at the border.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.errors import InvalidParameter
from veracity.features.codes import Coded, distinct_codes
from veracity.features.columns import Number, is_category
from veracity.features.counts import NumberCounts
from veracity.models.grbm.terms.base import Arrays, cells, check_column
from veracity.models.grbm.terms.domains import Domains

SmoothForm = Literal["line", "plane", "day"]

#: The time of claims, among the columns that may be named.
TIME = "time"
#: Numbers are told apart to so many steps along a line, and along each side of a plane.
STEPS = {"line": 64, "day": 96, "plane": 32}
#: Degree of splines, and the shares of claims below their inner knots.
DEGREE, KNOTS = 3, (0.25, 0.5, 0.75)
#: How many waves go round a day: one and two.
WAVES = (1, 2)
#: Frequencies of a plane, the width of their bumps in deviations, and the seed that they come from.
N_FREQUENCIES, WIDTH, SEED = 8, 0.7, 0
SECONDS_OF_DAY = 86_400.0
#: Numbers from here on, 1980, are seconds since 1970, which is what times are read as.
FIRST_TIME = 315_532_800.0


@dataclass(frozen=True, eq=False)
class Smooth:
    """A smooth function of one column, of the time of day, or of two coordinates.

    Attributes
    ----------
    columns
        The columns.
    form
        What the function is defined on.
    edges, centres
        Of each column, the borders between steps, and the numbers that stand for them; without
        borders, the numbers that were seen.
    basis
        The knots of a line, or the frequencies of a plane with the centre and the deviation of each
        side; (n, 2).
    mean, scale
        Of the functions over all claims; (n_functions,), and the root of their mean square.
    """

    columns: tuple[str, ...]
    form: SmoothForm
    edges: tuple[Floats, ...]
    centres: tuple[Floats, ...]
    basis: Floats
    mean: Floats
    scale: float

    kind = "smooth"
    precision = Domains.precision
    own_precision = Domains.own_precision

    @property
    def names(self) -> tuple[str, ...]:
        """One column for each function."""
        what = ", ".join(self.columns)
        return tuple(f"{self.form} {number} of {what}" for number in range(len(self.mean)))

    def encode(self, claims: Claims, place: Indices) -> Coded:
        """Return the functions at each claim, 0 where its place or time is not known."""
        numbers = [_numbers(claims, column, self.form) for column in self.columns]
        known = np.all([np.isfinite(one) for one in numbers], axis=0)
        code = np.zeros(len(known), np.int64)
        grids = []
        for one, edges, centres in zip(numbers, self.edges, self.centres, strict=True):
            filled = np.where(known, one, centres[0])
            grid, step = _steps(filled, edges, centres)
            code = code * len(grid) + step
            grids.append(grid)
        keys, codes = distinct_codes(np.where(known, code, -1))
        at = np.unravel_index(np.maximum(keys, 0), [len(grid) for grid in grids])
        points = [grid[index] for grid, index in zip(grids, at, strict=True)]
        values = (functions(self.form, self.basis, points) - self.mean) / self.scale
        values[keys < 0] = 0.0
        return Coded(codes, values, self.names)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return what was learned, as plain data and arrays."""
        arrays: Arrays = {"basis": self.basis, "mean": self.mean}
        for number, (edges, centres) in enumerate(zip(self.edges, self.centres, strict=True)):
            arrays |= {f"edges.{number}": edges, f"centres.{number}": centres}
        return {"columns": list(self.columns), "form": self.form, "scale": self.scale}, arrays

    @classmethod
    def of_state(cls, state: dict[str, Any], arrays: Arrays) -> Smooth:
        """Return what was saved."""
        sides = range(len(state["columns"]))
        return cls(
            tuple(state["columns"]),
            state["form"],
            tuple(arrays[f"edges.{number}"] for number in sides),
            tuple(arrays[f"centres.{number}"] for number in sides),
            arrays["basis"],
            arrays["mean"],
            state["scale"],
        )


def _steps(numbers: Floats, edges: Floats, centres: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the numbers that stand for all, within what was seen, and the place of each."""
    if len(edges):
        return centres, np.searchsorted(edges, numbers, side="right")
    return distinct_codes(np.clip(numbers, centres[0], centres[-1]))


# Functions


def functions(form: SmoothForm, basis: Floats, points: Sequence[Floats]) -> Floats:
    """Return the functions at points, before they are centred and scaled; (n_points, n)."""
    if form == "line":
        return splines(points[0], basis[:, 0])
    if form == "day":
        turn = 2.0 * np.pi * points[0] / SECONDS_OF_DAY
        waves = [wave(number * turn) for number in WAVES for wave in (np.sin, np.cos)]
        return np.stack(waves, axis=1)
    (centre, deviation), frequencies = basis[:2], basis[2:]
    scaled = (np.stack(points, axis=1) - centre) / deviation
    angle = scaled @ frequencies.T
    return np.hstack([np.cos(angle), np.sin(angle)])


def splines(x: Floats, knots: Floats) -> Floats:
    """Return the cubic B-splines at x, which is kept within the knots; (len(x), n_splines)."""
    from scipy.interpolate import BSpline  # takes half a second to import

    inside = np.clip(x, knots[0], knots[-1])
    return np.asarray(BSpline.design_matrix(inside, knots, DEGREE).toarray())


# Learning


def smooth_groups(smooth: str | Sequence[str] | Sequence[Sequence[str]] | None) -> list[list[str]]:
    """Return the columns of each smooth function that is asked for."""
    if smooth is None:
        return []
    if isinstance(smooth, str):
        return [[smooth]]
    if all(isinstance(part, str) for part in smooth):
        groups: list[Any] = [list(smooth)]
    else:
        groups = [[part] if isinstance(part, str) else part for part in smooth]
    for group in groups:
        is_list = isinstance(group, Sequence) and 1 <= len(group) <= 2
        if not is_list or not all(isinstance(name, str) for name in group):
            raise InvalidParameter(
                "smooth must be a column, a pair of coordinates, or a list of such pairs. "
                f"Got {smooth!r} instead."
            )
    return [list(group) for group in groups]


def learn_smooth(
    blocks: Blocks[ClaimBlock], columns: Sequence[str], names: Sequence[str]
) -> tuple[list[Smooth], list[Note]]:
    """Learn the smooth functions of a column or of a pair, with what a user should know."""
    found = blocks.total(_count, list(columns))
    counts: list[NumberCounts] = []
    for column in columns:
        there = [*names, TIME] if found["n_with_time"] else list(names)
        check_column(column, there, "a place or time")
        if found[f"{column} categories"]:
            raise InvalidParameter(
                f"Column {column!r} holds text. A smooth function needs numbers or times. For "
                "topics, regions and the like, use domain."
            )
        counts.append(found[column])
    forms: list[SmoothForm] = ["line"] if len(columns) == 1 else ["plane"]
    constant = [name for name, own in zip(columns, counts, strict=True) if len(own.levels) < 2]
    if constant:
        text = f"Column {constant[0]!r} has one value only, so no smooth function of it is used."
        return [], [Note("features", text)]
    if len(columns) == 1 and _has_hours(counts[0].levels):
        forms.append("day")
    return [_learn(blocks, tuple(columns), form, counts) for form in forms], []


def _has_hours(levels: Floats) -> bool:
    """Whether numbers are times of more than one day, and not all of the same hour."""
    if levels[0] < FIRST_TIME or levels[-1] - levels[0] <= SECONDS_OF_DAY:
        return False
    return len(np.unique(levels % SECONDS_OF_DAY // 3600.0)) > 1


def _learn(
    blocks: Blocks[ClaimBlock],
    columns: tuple[str, ...],
    form: SmoothForm,
    counts: Sequence[NumberCounts],
) -> Smooth:
    if form == "day":
        edges = np.arange(1, STEPS[form]) * SECONDS_OF_DAY / STEPS[form]
        centres = (np.arange(STEPS[form]) + 0.5) * SECONDS_OF_DAY / STEPS[form]
        grids = [(edges, centres)]
        basis = np.zeros((0, 2))
    else:
        scales = [Number.learn("", own, STEPS[form], "rank") for own in counts]
        grids = [(np.array(one.edges), np.array(one.centres)) for one in scales]
        basis = _knots(counts[0], grids[0][1]) if form == "line" else _frequencies(counts)
    raw = Smooth(
        columns,
        form,
        tuple(edges for edges, _ in grids),
        tuple(centres for _, centres in grids),
        basis,
        np.zeros(functions(form, basis, [one[1][:1] for one in grids]).shape[1]),
        1.0,
    )
    sums = blocks.total(_moments, raw)
    n = max(float(sums["n"]), 1.0)
    mean = sums["total"] / n
    square = float((sums["squares"] / n - mean**2).sum())
    return Smooth(
        columns, form, raw.edges, raw.centres, basis, mean, float(np.sqrt(max(square, 1e-12)))
    )


def _knots(column: NumberCounts, centres: Floats) -> Floats:
    """Return the knots of cubic splines: the ends four times each, and quartiles between."""
    inner = np.unique(column.quantiles(KNOTS))
    low, high = centres[0], centres[-1]
    inner = inner[(inner > low) & (inner < high)]
    knots = np.concatenate([np.full(DEGREE + 1, low), inner, np.full(DEGREE + 1, high)])
    return np.stack([knots, knots], axis=1)


def _frequencies(counts: Sequence[NumberCounts]) -> Floats:
    """Return the centre and the deviation of both sides, and frequencies drawn by a fixed seed."""
    centre = [float(own.quantiles([0.5])[0]) for own in counts]
    deviation = [own.spread() or 1.0 for own in counts]
    drawn = np.random.default_rng(SEED).normal(size=(N_FREQUENCIES, 2)) / WIDTH
    return np.vstack([centre, deviation, drawn])


def _numbers(claims: Claims, column: str, form: SmoothForm) -> Floats:
    numbers = claims.time if column == TIME else None
    found = cells(claims, column) if numbers is None else numbers
    return found % SECONDS_OF_DAY if form == "day" else found


def _count(block: ClaimBlock, columns: Sequence[str]) -> Sums:
    claims = block.claims
    sums: Sums = {"n_with_time": int(claims.time is not None)}
    for column in columns:
        is_there = column in claims.features.column_names
        is_text = is_there and is_category(claims.features[column])
        numbers = np.empty(0)
        if (is_there and not is_text) or (column == TIME and claims.time is not None):
            numbers = _numbers(claims, column, "line")
        sums |= {column: NumberCounts.of(numbers), f"{column} categories": int(is_text)}
    return sums


def _moments(block: ClaimBlock, raw: Smooth) -> Sums:
    """Add up the smooth functions and their squares, over claims with a known place or time."""
    coded = raw.encode(block.claims, block.place)
    known = np.all(
        [np.isfinite(_numbers(block.claims, column, raw.form)) for column in raw.columns], axis=0
    )
    count = np.bincount(coded.codes[known], minlength=len(coded.values)).astype(np.float64)
    return {
        "n": int(known.sum()),
        "total": count @ coded.values,
        "squares": count @ coded.values**2,
    }


# In words


def describe(smooth: Smooth, slope: Floats) -> str:
    """Say where claims are the most and where they are the least reliable."""
    if smooth.form == "plane":
        sides = [np.linspace(own[0], own[-1], STEPS["plane"]) for own in smooth.centres]
        points = [side.ravel() for side in np.meshgrid(*sides)]
    else:
        points = [smooth.centres[0]]
    value = functions(smooth.form, smooth.basis, points) @ slope / smooth.scale
    show = _day_time if smooth.form == "day" else _point
    best, worst = int(np.argmax(value)), int(np.argmin(value))
    what = "the hour of " * (smooth.form == "day") + " and ".join(smooth.columns)
    return (
        f"by {what}, claims are the most reliable at {show(points, best)} and the least at "
        f"{show(points, worst)} ({value[best] - value[worst]:.2f} apart)"
    )


def _point(points: Sequence[Floats], at: int) -> str:
    numbers = [float(side[at]) for side in points]
    return ", ".join(
        datetime.fromtimestamp(number, UTC).date().isoformat()
        if number >= FIRST_TIME
        else f"{number:.4g}"
        for number in numbers
    )


def _day_time(points: Sequence[Floats], at: int) -> str:
    minutes = int(points[0][at] // 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
