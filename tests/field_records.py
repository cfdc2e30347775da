"""Claims of shops in many spellings: each source writes in its own way, and most agree."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc

NAMES = ("Acme", "Globex", "Smith & Sons", "M\u00fcller")
Row = tuple[str, str, str, str]


def shop_rows(n_shops: int = 30, seed: int = 0) -> list[Row]:
    """Return (source, entity, attribute, value); all sources mean the same, save a few phones.

    ``legacy`` writes month before day, ``euro`` a decimal comma, and ``sheet`` lost leading zeros.
    """
    rng = random.Random(seed)
    rows: list[Row] = []
    for number in range(n_shops):
        day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1990, 2020)
        local = f"{rng.randint(200, 999)} {rng.randint(10, 99)} {rng.randint(10, 99)}"
        revenue = rng.randint(100, 9999) * 1000
        code = f"{rng.randint(1000, 99999):05d}" if number else "01234"
        name = f"{rng.choice(NAMES)} {number}"
        other = f"{local[:-1]}{(int(local[-1]) + 1) % 10}" if number % 5 == 0 else local
        said = {
            "phone": {"web": f"+41 44 {local}", "book": f"044 {local}", "euro": f"0041 44/{other}"},
            "opened": {
                "web": f"{year}-{month:02}-{day:02}",
                "book": f"{day:02}/{month:02}/{year}",
                "legacy": f"{month:02}/{day:02}/{year}",
            },
            "revenue": {
                "web": f"${revenue:,}",
                "book": f"{revenue / 1e6:g}M",
                "euro": f"{revenue:,}".replace(",", "."),
            },
            "company": {"web": f"{name} GmbH", "book": f"{name}, G.m.b.H.", "euro": name.upper()},
            "country": {"web": "Switzerland", "book": "CH", "euro": "Schweiz"},
            "zip": {"web": code, "book": code, "sheet": str(int(code))},
            "email": {"web": f"Info@x{number}.ch", "book": f"info@x{number}.ch"},
            "site": {"web": f"https://www.x{number}.ch/", "book": f"x{number}.ch"},
            "colour": {"web": rng.choice(["red", "blue"]), "book": "red"},
        }
        rows += [
            (source, f"shop{number:02}", attribute, value)
            for attribute, values in said.items()
            for source, value in values.items()
        ]
    return rows


def write_shops(path: Path, rows: list[Row] | None = None) -> Path:
    """Write the claims to a CSV file."""
    names = ("source", "entity", "attribute", "value")
    columns = zip(*(rows or shop_rows()), strict=True)
    table = pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})
    pc.write_csv(table, path)
    return path
