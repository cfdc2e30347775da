"""Numbers: other ways to write them, powers of ten, and units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.readings import (
    Read,
    read_comma,
    read_grouped,
    read_magnitude,
    read_percent,
    read_plain,
    read_worded,
)
from veracity.data.clashes.transformation import Conversion, Proposals

Reader = Callable[[str], Read | None]
#: A way of writing is looked at if it reads so large a share of the values.
READABLE = 0.6
#: A factor is looked at if it is within this share of the typical ratio.
NEAR = 0.25


class Format(NamedTuple):
    """A way to write numbers, and what it is called."""

    read: Reader
    name: str
    says: str
    remedy: str


class Unit(NamedTuple):
    """A conversion of units: what the source gives, what the others give, factor and offset."""

    own: str
    others: str
    factor: float
    offset: float = 0.0


PLAIN = Format(read_plain, "", "", "")
FORMATS = (
    Format(read_magnitude, "1.2M -> 1200000", "writes magnitudes", "write numbers out"),
    Format(read_grouped, "1,200 -> 1200", "separates thousands", "remove separators"),
    Format(read_comma, "1,5 -> 1.5", "writes a decimal comma", "read the comma as a point"),
    Format(read_percent, "12% -> 12", "writes a per cent sign", "remove the sign"),
    Format(read_worded, "number only", "writes units or signs", "keep only the number"),
)
#: Powers of ten, and what they are called; the number is the factor to the others' values.
POWERS = {
    1e-9: "writes units where others give billions",
    1e-6: "writes units where others give millions",
    1e-3: "writes units where others give thousands",
    1e-2: "gives a hundred times the others' numbers, such as cents or per cent",
    1e-1: "gives ten times the others' numbers",
    1e1: "gives a tenth of the others' numbers",
    1e2: "gives a hundredth of the others' numbers, such as shares for per cent",
    1e3: "gives amounts in thousands",
    1e6: "gives amounts in millions",
    1e9: "gives amounts in billions",
}
_ONE_WAY = (
    Unit("miles", "kilometres", 1.609344),
    Unit("nautical miles", "kilometres", 1.852),
    Unit("feet", "metres", 0.3048),
    Unit("inches", "centimetres", 2.54),
    Unit("pounds", "kilograms", 0.45359237),
    Unit("ounces", "grams", 28.349523125),
    Unit("US gallons", "litres", 3.785411784),
    Unit("acres", "hectares", 0.40468564224),
    Unit("square feet", "square metres", 0.09290304),
    Unit("horsepower", "kilowatts", 0.745699872),
    Unit("kilocalories", "kilojoules", 4.184),
    Unit("psi", "bar", 0.0689475729),
    Unit("minutes", "seconds", 60.0),
    Unit("hours", "seconds", 3600.0),
    Unit("days", "hours", 24.0),
    Unit("dozens", "pieces", 12.0),
)
UNITS = (
    Unit("Fahrenheit", "Celsius", 5 / 9, -160 / 9),
    Unit("Celsius", "Fahrenheit", 9 / 5, 32.0),
    Unit("Kelvin", "Celsius", 1.0, -273.15),
    Unit("Celsius", "Kelvin", 1.0, 273.15),
    Unit("Fahrenheit", "Kelvin", 5 / 9, 459.67 * 5 / 9),
    Unit("Kelvin", "Fahrenheit", 9 / 5, -459.67),
    *_ONE_WAY,
    *(Unit(unit.others, unit.own, 1 / unit.factor) for unit in _ONE_WAY),
)


def number_formats(pairs: Pairs) -> Proposals:
    """Propose other ways to read numbers, alone or with a power of ten."""
    decimals = _decimals(pairs.others)
    all_plain = all(read_plain(text) for text in pairs.own)
    for form in (PLAIN,) if all_plain else (*FORMATS, PLAIN):
        ratio = _typical_ratio(pairs, form.read)
        if ratio is None:
            continue
        if form is not PLAIN:
            yield _conversion(
                "number", form.name, form.says, form.remedy, form.read, 1.0, 0.0, decimals
            )
        for factor in _near(ratio, tuple(POWERS)):
            says = POWERS[factor] if form is PLAIN else f"{form.says} and {POWERS[factor]}"
            name = _times(factor) if form is PLAIN else f"{form.name}, {_times(factor)}"
            remedy = (
                f"{_multiply(factor)}"
                if form is PLAIN
                else f"{form.remedy} and {_multiply(factor)}"
            )
            yield _conversion("number", name, says, remedy, form.read, factor, 0.0, decimals)
        if form is PLAIN and ratio < 0:
            remedy = "turn the sign round"
            yield _conversion(
                "number", "x -1", "turns the sign round", remedy, form.read, -1.0, 0.0, decimals
            )


def units(pairs: Pairs) -> Proposals:
    """Propose conversions between units."""
    decimals = _decimals(pairs.others)
    for reader in (read_plain, read_worded):
        ratio = _typical_ratio(pairs, reader)
        if ratio is None:
            continue
        for unit in UNITS:
            if unit.offset or unit.factor in _near(ratio, (unit.factor,)):
                yield _of_unit(unit, reader, decimals)


def _of_unit(unit: Unit, reader: Reader, decimals: int) -> Conversion:
    if unit.own == "Kelvin" or unit.others == "Kelvin" or unit.offset:
        sign = "-" if unit.offset < 0 else "+"
        formula = f"{unit.factor:.6g} x {sign} {abs(unit.offset):.6g}".removeprefix("1 ")
    else:
        formula = _times(unit.factor)
    name = f"{formula} ({unit.own} -> {unit.others})"
    says = f"seems to give {unit.own} where the others give {unit.others}"
    remedy = f"convert them to {unit.others}: {formula}"
    return _conversion(
        "unit", name, says, remedy, reader, unit.factor, unit.offset, decimals, unit in UNITS[:1]
    )


def _conversion(
    kind: str,
    name: str,
    says: str,
    remedy: str,
    reader: Reader,
    factor: float,
    offset: float,
    decimals: int,
    restores: bool = True,
) -> Conversion:
    is_vague = reader is read_worded and kind == "number"

    def write(text: str) -> str | None:
        read = reader(text)
        return None if read is None else _written(factor * read[0] + offset, decimals)

    return Conversion(
        kind,
        name,
        says,
        remedy,
        write,
        restores,
        is_vague,
        read_number=reader,
        factor=factor,
        offset=offset,
    )


def _written(number: float, decimals: int) -> str:
    text = f"{number:.{decimals}f}"
    return "0" if not text.strip("-0.") and not decimals else text


def _decimals(texts: Sequence[str]) -> int:
    """Return how many decimals the others write most often."""
    counts = Counter(len(text.partition(".")[2]) for text in texts if read_plain(text) is not None)
    return counts.most_common(1)[0][0] if counts else 0


def _typical_ratio(pairs: Pairs, reader: Reader) -> float | None:
    """Return the median ratio of the others' numbers to those of the source, if it has many."""
    assert pairs.numbers is not None
    read = [reader(text) for text in pairs.own]
    found = np.array([np.nan if one is None else one[0] for one in read])
    if np.isfinite(found).sum() < READABLE * len(found):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = pairs.numbers / found
    ratio = ratio[np.isfinite(ratio) & (ratio != 0)]
    return float(np.median(ratio)) if len(ratio) else None


def _near(ratio: float, factors: Sequence[float]) -> Iterator[float]:
    for factor in factors:
        if abs(ratio / factor - 1.0) <= NEAR:
            yield factor


def _times(factor: float) -> str:
    inverse = 1 / factor
    if factor < 1 and abs(inverse - round(inverse)) < 1e-9 * inverse:
        return f"/ {round(inverse)}"
    return f"x {round(factor)}" if factor == round(factor) else f"x {factor:.6g}"


def _multiply(factor: float) -> str:
    sign, _, number = _times(factor).partition(" ")
    return f"{'divide' if sign == '/' else 'multiply'} them by {number}"
