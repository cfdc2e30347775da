"""Linked records of several systems, whose fields differ in spelling and in truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

import numpy as np
from tests.jobs.job import Item, Job, Row, Spellings

Rng = np.random.Generator
Writer = Callable[[str], str]

FIRST = ("Anna", "Ben", "Chiara", "David", "Elif", "Felix", "Gina", "Hugo", "Ines", "Jonas")
LAST = ("Meier", "Rossi", "Dubois", "Novak", "Keller", "Costa", "Weber", "Lindt", "Frey", "Berg")
CITIES = ("Bern", "Basel", "Chur", "Genf", "Lugano", "Thun", "Zug", "Aarau", "Olten", "Visp")
FIRMS = ("Alpenblick", "Seerose", "Nordlicht", "Felsenau", "Lindenhof", "Waldegg", "Rosengarten")
FORMS = ("AG", "GmbH", "Ltd")


def _iso(day: str) -> str:
    return day


def _day_first(day: str) -> str:
    return date.fromisoformat(day).strftime("%d.%m.%Y")


def _month_first(day: str) -> str:
    return date.fromisoformat(day).strftime("%m/%d/%Y")


def _plain(text: str) -> str:
    return text


def _upper(text: str) -> str:
    return text.upper()


def _last_first(name: str) -> str:
    first, last = name.split(" ", 1)
    return f"{last}, {first}"


def _local_phone(number: str) -> str:
    return "0" + number.removeprefix("+41").strip()


def _millions(amount: str) -> str:
    return f"{int(amount) / 1e6:g}M"


def _grouped(amount: str) -> str:
    return f"{int(amount):,}"


def _pick(rng: Rng, values: tuple[str, ...]) -> str:
    return values[int(rng.integers(len(values)))]


def _phone(rng: Rng) -> str:
    a, b, c = rng.integers(100, 999), rng.integers(10, 99), rng.integers(10, 99)
    return f"+41 44 {a} {b:02d} {c:02d}"


def _day(rng: Rng) -> str:
    return (date(1950, 1, 1) + timedelta(days=int(rng.integers(0, 20_000)))).isoformat()


def _records(
    rng: Rng,
    n_entities: int,
    draw: Mapping[str, Callable[[Rng], str]],
    systems: Mapping[str, tuple[float, Mapping[str, Writer]]],
    coverage: float = 0.8,
) -> tuple[list[Row], dict[Item, str], Spellings]:
    """Draw the truth, then what each system holds of it: right with its own probability."""
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    spellings = Spellings()
    for number in range(n_entities):
        entity = f"c{number:04d}"
        truth |= {(entity, name): make(rng) for name, make in draw.items()}
        common = {name: make(rng) for name, make in draw.items()}  # an error that several share
        for system, (right, writers) in systems.items():
            if rng.random() > coverage:
                continue
            row: dict[str, object] = {"cluster_id": entity, "source_dataset": system}
            for name, make in draw.items():
                held = truth[entity, name]
                if rng.random() > right:
                    held = common[name] if rng.random() < 0.5 else make(rng)
                if rng.random() < 0.9:
                    spelling = writers.get(name, _plain)(held)
                    row[name] = spellings.note(entity, name, spelling, held)
            row["unique_id"] = f"{system}-{number}"
            rows.append(row)
    rng.shuffle(rows)
    return rows, truth, spellings


GOLDEN = ("golden", "--key", "cluster_id", "--source", "source_dataset")


def customers(seed: int) -> Job:
    """Return customers in five systems that spell names, phones and dates in their own ways."""
    rng = np.random.default_rng(seed)
    draw: dict[str, Callable[[Rng], str]] = {
        "name": lambda rng: f"{_pick(rng, FIRST)} {_pick(rng, LAST)}",
        "phone": _phone,
        "birth_date": _day,
        "city": lambda rng: _pick(rng, CITIES),
    }
    systems: dict[str, tuple[float, Mapping[str, Writer]]] = {
        "crm": (0.93, {}),
        "billing": (0.9, {"phone": _local_phone}),
        "webshop": (0.75, {"birth_date": _day_first, "name": _upper}),
        "legacy": (0.65, {"birth_date": _month_first, "name": _last_first}),
        "newsletter": (0.55, {}),
    }
    rows, truth, spellings = _records(rng, 250, draw, systems)
    return Job("customers", "customers.csv", GOLDEN, rows, truth, spellings.frozen())


def companies(seed: int) -> Job:
    """Return companies whose revenue one system gives in millions and another with separators."""
    rng = np.random.default_rng(seed)
    draw: dict[str, Callable[[Rng], str]] = {
        "company": lambda rng: f"{_pick(rng, FIRMS)} {_pick(rng, LAST)} {_pick(rng, FORMS)}",
        "revenue": lambda rng: str(int(rng.integers(10, 900)) * 100_000),
        "founded": lambda rng: str(int(rng.integers(1890, 2020))),
    }
    systems: dict[str, tuple[float, Mapping[str, Writer]]] = {
        "register": (0.95, {}),
        "webshop": (0.85, {"revenue": _millions}),
        "broker": (0.8, {"revenue": _grouped, "company": _upper}),
        "scraper": (0.6, {}),
        "agency": (0.7, {}),
    }
    rows, truth, spellings = _records(rng, 250, draw, systems)
    planted = {"webshop": "format"}
    return Job("companies", "companies.json", GOLDEN, rows, truth, spellings.frozen(), planted)


def repeated(seed: int) -> Job:
    """Return records of which one system holds several for the same cluster, some of them stale."""
    rng = np.random.default_rng(seed)
    draw: dict[str, Callable[[Rng], str]] = {
        "city": lambda rng: _pick(rng, CITIES),
        "owner": lambda rng: f"{_pick(rng, FIRST)} {_pick(rng, LAST)}",
    }
    systems: dict[str, tuple[float, Mapping[str, Writer]]] = {
        "erp": (0.9, {}),
        "field": (0.8, {}),
        "import": (0.6, {}),
    }
    rows, truth, spellings = _records(rng, 300, draw, systems, coverage=0.95)
    dated: list[Row] = []
    for row in rows:
        now = {**row, "updated_at": "2026-03-01"}
        if row["source_dataset"] == "erp" and rng.random() < 0.5:
            stale = {**row, "updated_at": "2021-03-01", "unique_id": f"{row['unique_id']}-old"}
            city = _pick(rng, CITIES)
            stale["city"] = spellings.note(str(row["cluster_id"]), "city", city, city)
            dated.append(stale)
        dated.append(now)
    command = (*GOLDEN, "--time", "updated_at")
    return Job("repeated records", "records.csv", command, dated, truth, spellings.frozen())


def wide(seed: int) -> Job:
    """Return a spreadsheet with an item in each row and a supplier in each column."""
    rng = np.random.default_rng(seed)
    right = {"north": 0.9, "east": 0.85, "south": 0.6, "west": 0.6, "centre": 0.55}
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    for number in range(300):
        name, true = f"part {number}", str(rng.integers(100, 999))
        shared = str(rng.integers(100, 999))
        row: dict[str, object] = {"part": name}
        for supplier, rate in right.items():
            if rng.random() < 0.85:
                wrong = shared if rng.random() < 0.4 else str(rng.integers(100, 999))
                row[supplier] = true if rng.random() < rate else wrong
        if len(row) > 1:
            rows.append(row)
            truth[name, "value"] = true
    command = ("discover", "--shape", "wide", "--item", "part")
    return Job("wide spreadsheet", "suppliers.csv", command, rows, truth)
