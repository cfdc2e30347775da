"""Tables of claims in which one source writes in another format than the others."""

from __future__ import annotations

import datetime as dt
import random
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Row = tuple[str, str, str, str]
FIRST = ("John", "Mary", "Anna", "Peter", "Ringo", "George", "Linda", "Karen", "Bob", "Zoe")
LAST = ("Doe", "Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Moore")
CITIES = ("Zürich", "Genève", "Köln", "Århus", "Málaga", "São Paulo", "Orléans", "Besançon")
COLOURS = ("red", "green", "blue")


def day(draw: random.Random) -> dt.date:
    return dt.date(2000, 1, 1) + dt.timedelta(days=draw.randrange(9_000))


def name(draw: random.Random) -> str:
    return f"{draw.choice(FIRST)} {draw.choice(LAST)}"


def code(draw: random.Random) -> str:
    return f"{draw.randrange(1, 9_999):05}"


@dataclass(frozen=True)
class Planted:
    """A format: true values, how the odd source writes them, and what should be found."""

    truth: Callable[[random.Random], Any]
    write: Callable[[Any], str]
    transformation: str
    usual: Callable[[Any], str] = str


def word_of(words: dict[str, str]) -> Callable[[Any], str]:
    return lambda value: words[value]


#: One planted format of each kind.
PLANTED = {
    "magnitude": Planted(
        lambda draw: draw.randrange(10, 999) * 100_000,
        lambda value: f"{value / 1e6:g}M",
        "1.2M -> 1200000",
    ),
    "rounded magnitude": Planted(
        lambda draw: draw.randrange(1_000, 99_999) * 100,
        lambda value: f"{value / 1e6:.1f}M",
        "1.2M -> 1200000",
    ),
    "thousands": Planted(
        lambda draw: draw.randrange(1, 9_999) * 1_000, lambda value: str(value // 1_000), "x 1000"
    ),
    "cents": Planted(
        lambda draw: draw.randrange(1, 9_999), lambda value: str(value * 100), "/ 100"
    ),
    "separators": Planted(
        lambda draw: draw.randrange(1_000, 9_999_999),
        lambda value: f"{value:,}",
        "1,200 -> 1200",
    ),
    "decimal comma": Planted(
        lambda draw: draw.randrange(1_000, 99_999) / 100,
        lambda value: f"{value:.2f}".replace(".", ","),
        "1,5 -> 1.5",
        lambda value: f"{value:.2f}",
    ),
    "month first": Planted(
        day, lambda value: f"{value.month}/{value.day}/{value.year}", "m/d/Y -> Y-m-d"
    ),
    "day first": Planted(
        day, lambda value: f"{value.day:02}/{value.month:02}/{value.year}", "d/m/Y -> Y-m-d"
    ),
    "year of two digits": Planted(
        day,
        lambda value: f"{value.month:02}/{value.day:02}/{value.year % 100:02}",
        "m/d/Y -> Y-m-d",
    ),
    "month and day turned round": Planted(
        day,
        lambda value: f"{value.month:02}/{value.day:02}/{value.year}",
        "m/d/Y -> d/m/Y",
        lambda value: f"{value.day:02}/{value.month:02}/{value.year}",
    ),
    "month in words": Planted(
        day, lambda value: f"{value:%b} {value.day}, {value.year}", "Month d, Y -> Y-m-d"
    ),
    "Excel": Planted(
        day,
        lambda value: str((value - dt.date(1899, 12, 30)).days),
        "Excel day number -> Y-m-d",
    ),
    "epoch": Planted(
        day,
        lambda value: str((value - dt.date(1970, 1, 1)).days * 86_400),
        "seconds since 1970 -> Y-m-d",
    ),
    "last name first": Planted(
        name, lambda value: ", ".join(reversed(value.split())), "last, first -> first last"
    ),
    "initials": Planted(
        name, lambda value: f"{value[0]}. {value.split()[1]}", "initials of first names"
    ),
    "lower case": Planted(
        lambda draw: f"{draw.choice('ABCD')}{draw.choice('XYZ')}{draw.randrange(99):02}",
        str.lower,
        "any case",
    ),
    "accents": Planted(
        lambda draw: draw.choice(CITIES),
        lambda value: unicodedata.normalize("NFKD", value).encode("ascii", "ignore").decode(),
        "without accents",
    ),
    "blanks": Planted(
        lambda draw: (
            f"{draw.choice('ABC')}{draw.randrange(99)} {draw.randrange(9)}{draw.choice('XY')}"
        ),
        lambda value: value.replace(" ", ""),
        "without blanks",
    ),
    "no zeros": Planted(code, lambda value: value.lstrip("0"), "pad with zeros to 5 digits"),
    "prefix": Planted(code, lambda value: f"SKU-{value}", "take off 'SKU-'"),
    "suffix": Planted(
        lambda draw: str(draw.randrange(1, 9_999)), lambda value: f"{value} kg", "take off ' kg'"
    ),
    "abbreviations": Planted(
        lambda draw: (
            f"{draw.randrange(200)} {draw.choice(LAST)} {draw.choice(('Street', 'Avenue'))}"
        ),
        lambda value: value.replace("Street", "St.").replace("Avenue", "Ave."),
        "'Ave.' -> 'Avenue'; 'St.' -> 'Street'",
    ),
    "cut": Planted(
        lambda draw: f"{name(draw)} & {name(draw)}", lambda value: value[:12], "first 12 characters"
    ),
    "yes as 1": Planted(
        lambda draw: draw.choice(("yes", "no")),
        word_of({"yes": "1", "no": "0"}),
        "'0' -> 'no'; '1' -> 'yes'",
    ),
    "opposite": Planted(
        lambda draw: draw.choice(("yes", "no")),
        word_of({"yes": "no", "no": "yes"}),
        "'no' -> 'yes'; 'yes' -> 'no'",
    ),
    "other language": Planted(
        lambda draw: draw.choice(COLOURS),
        word_of({"red": "rot", "green": "grün", "blue": "blau"}),
        "'blau' -> 'blue'; 'grün' -> 'green'; 'rot' -> 'red'",
    ),
    "labels in turn": Planted(
        lambda draw: draw.choice(COLOURS),
        word_of({"red": "green", "green": "blue", "blue": "red"}),
        "'blue' -> 'green'; 'green' -> 'red'; 'red' -> 'blue'",
    ),
}


def planted_rows(
    planted: Planted, n_items: int = 60, n_sources: int = 5, error: float = 0.1, seed: int = 0
) -> list[Row]:
    """Return claims of a table in which source ``odd`` writes otherwise than the rest."""
    draw, rows = random.Random(seed), []
    for item in range(n_items):
        truth = planted.truth(draw)
        for place in range(n_sources):
            value = planted.truth(draw) if draw.random() < error else truth
            source, write = ("odd", planted.write) if not place else (f"s{place}", planted.usual)
            rows.append((source, f"e{item}", "a", write(value)))
    return rows


def sensor_rows(
    convert: Callable[[float], float], relative: bool = False, seed: int = 0
) -> list[Row]:
    """Return noisy measurements of which those of ``odd`` are in another unit."""
    draw, rows = random.Random(seed), []
    for item in range(80):
        true = draw.lognormvariate(4, 1) if relative else draw.gauss(12, 8)
        for place in range(5):
            noise = draw.gauss(0, 0.02 * true if relative else 0.4)
            number = convert(true + noise) if not place else true + noise
            rows.append(("odd" if not place else f"s{place}", f"e{item}", "a", f"{number:.1f}"))
    return rows


#: True values of tables without a clash.
VALUES: tuple[Callable[[random.Random], str], ...] = (
    lambda draw: draw.choice("ab"),
    lambda draw: draw.choice(("yes", "no")),
    lambda draw: draw.choice("abcde"),
    lambda draw: draw.choices("abcd", [80, 10, 6, 4])[0],
    lambda draw: str(draw.randrange(1_000)),
    lambda draw: f"{draw.gauss(20, 5):.1f}",
    lambda draw: f"{draw.lognormvariate(5, 1.5):.2f}",
    lambda draw: str(day(draw)),
    name,
    code,
)


def rows_without_clash(seed: int, attribute: str = "a") -> list[Row]:
    """Return claims of good, bad, guessing, stubborn and copying sources, all in one format."""
    draw, rows = random.Random(seed), []
    value = VALUES[seed % len(VALUES)]
    n_sources, n_items = draw.randrange(2, 9), draw.choice((15, 40, 100))
    accuracy = [draw.choice((0.0, 0.2, 0.5, 0.7, 0.9)) for _ in range(n_sources)]
    favourite = [draw.choice((None, None, None, value(draw))) for _ in range(n_sources)]
    copies = [draw.choice((None, None, draw.randrange(n_sources))) for _ in range(n_sources)]
    for item in range(n_items):
        truth, said = value(draw), dict[int, str]()
        for source in range(n_sources):
            if draw.random() < 0.3:
                continue
            says = truth if draw.random() < accuracy[source] else value(draw)
            usual = favourite[source]
            if usual is not None and draw.random() < 0.7:
                says = usual
            if copies[source] in said and draw.random() < 0.8:
                says = said[copies[source]]  # type: ignore[index]
            said[source] = says
        rows += [(f"s{source}", f"e{item}", attribute, says) for source, says in said.items()]
    return rows
