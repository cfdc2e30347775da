"""Customers in several systems: small tables, made anew at each call and always the same.

Each system knows some customers, and some of what it knows is wrong: the CRM least, the shop about
where people live, billing about telephone numbers. What is true is known, so that golden records
can be measured. `tables` are the tables of three systems, to be linked. `linked` are records of
five systems that are linked already; each system writes names, dates, phones or limits in its way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import date

import pyarrow as pa

#: How often each system is wrong about each attribute.
ERROR_RATES: dict[str, dict[str, float]] = {
    "crm": {"first_name": 0.02, "surname": 0.02, "email": 0.03, "city": 0.05, "phone": 0.05},
    "shop": {"first_name": 0.05, "surname": 0.03, "email": 0.02, "city": 0.30, "phone": 0.10},
    "billing": {"first_name": 0.05, "surname": 0.02, "email": 0.15, "city": 0.04, "phone": 0.35},
}
ATTRIBUTES = ("first_name", "surname", "birth_date", "email", "city", "phone")
#: How many of the customers a system knows, and how many of their cells are empty.
KNOWN, EMPTY = 0.85, 0.06
_FIRST, _LAST, _CITIES = (
    tuple(name.strip() for name in names.split(","))
    for names in (
        """Anna, Bruno, Carla, Dario, Elena, Fabio, Gina, Hugo, Irene, Jonas, Karin, Luca, Mara,
        Nico, Olga, Paolo, Rita, Samuel, Tina, Urs, Vera, Walter""",
        """Amrein, Baumann, Caduff, Dubois, Egli, Fontana, Gerber, Huber, Imhof, Jenni, Keller,
        Lanz, Meier, Nufer, Odermatt, Peyer, Rochat, Suter, Tanner, Vogel, Wyss, Zbinden""",
        "Basel, Bern, Chur, Davos, Genf, Lugano, Luzern, Sion, Thun, Zug",
    )
)


def tables(n_customers: int = 200, seed: int = 0) -> dict[str, pa.Table]:
    """Return the table of each system: unique_id and the attributes, one row per record.

    >>> from veracity import datasets
    >>> {name: len(table) for name, table in datasets.customers.tables().items()}
    {'crm': 173, 'shop': 167, 'billing': 156}
    """
    return {
        system: pa.Table.from_pylist([record for record, _ in _records(system, n_customers, seed)])
        for system in ERROR_RATES
    }


def truth(n_customers: int = 200, seed: int = 0) -> pa.Table:
    """Return what is true of the customer of each record: source_dataset, unique_id, attributes."""
    return pa.Table.from_pylist(
        [
            {"source_dataset": system, "unique_id": record["unique_id"], **person}
            for system in ERROR_RATES
            for record, person in _records(system, n_customers, seed)
        ]
    )


def linked(n_customers: int = 200, seed: int = 0) -> pa.Table:
    """Return linked records of five systems: cluster_id, system, record_id and the attributes.

    >>> from veracity import datasets
    >>> datasets.customers.linked().column_names
    ['cluster_id', 'system', 'record_id', 'name', 'birth_date', 'city', 'phone', 'credit_limit']
    """
    draw = random.Random(f"linked {seed}")
    rows: list[dict[str, str | None]] = []
    for number, person in enumerate(_accounts(n_customers, seed)):
        for system, (error_rates, writers) in LINKED.items():
            if draw.random() > KNOWN:
                continue
            row: dict[str, str | None] = {"cluster_id": f"c{number:03}", "system": system}
            row["record_id"] = f"{system}-{len(rows) + 1}"
            for name, value in person.items():
                wrong = draw.random() < error_rates.get(name, 0.03)
                held = _LINKED_ERRORS[name](value, draw) if wrong else value
                row[name] = None if draw.random() < EMPTY else writers.get(name, str)(held)
            rows.append(row)
    return pa.Table.from_pylist(rows)


def linked_truth(n_customers: int = 200, seed: int = 0) -> pa.Table:
    """Return what is true of the customers of `linked`: entity, attribute, value."""
    return pa.Table.from_pylist(
        [
            {"entity": f"c{number:03}", "attribute": name, "value": value}
            for number, person in enumerate(_accounts(n_customers, seed))
            for name, value in person.items()
        ]
    )


def _accounts(n_customers: int, seed: int) -> Iterator[dict[str, str]]:
    """Draw the customers of `linked`."""
    draw = random.Random(f"accounts {seed}")
    for person in _people(n_customers, seed):
        yield {
            "name": f"{person['first_name']} {person['surname']}",
            "birth_date": person["birth_date"],
            "city": person["city"],
            "phone": _long_phone(draw),
            "credit_limit": f"{draw.randint(2, 60) * 250}",
        }


def _people(n_customers: int, seed: int) -> list[dict[str, str]]:
    draw = random.Random(seed)
    people = []
    for number in range(n_customers):
        first, last = draw.choice(_FIRST), draw.choice(_LAST)
        people.append(
            {
                "first_name": first,
                "surname": last,
                "birth_date": _day(draw),
                "email": f"{first}.{last}{number}@example.org".lower(),
                "city": draw.choice(_CITIES),
                "phone": _phone(draw),
            }
        )
    return people


def _records(
    system: str, n_customers: int, seed: int
) -> list[tuple[dict[str, str | None], dict[str, str]]]:
    """Return the records of a system, each with what is true of its customer."""
    draw, rates = random.Random(f"{system} {seed}"), ERROR_RATES[system]
    records: list[tuple[dict[str, str | None], dict[str, str]]] = []
    for person in _people(n_customers, seed):
        if draw.random() > KNOWN:
            continue
        record: dict[str, str | None] = {"unique_id": f"{len(records) + 1}"}
        for name in ATTRIBUTES:
            record[name] = person[name]
            if draw.random() < rates.get(name, 0.0):
                record[name] = _ERRORS[name](person[name], draw)
            if name not in ("surname", "birth_date") and draw.random() < EMPTY:
                record[name] = None
        records.append((record, person))
    return records


def _phone(draw: random.Random) -> str:
    return f"0{draw.randint(21, 91)} {draw.randint(200, 999)} {draw.randint(10, 99)}"


def _long_phone(draw: random.Random) -> str:
    return f"+41 44 {draw.randint(200, 999)} {draw.randint(10, 99)} {draw.randint(10, 99)}"


def _day(draw: random.Random) -> str:
    return f"{draw.randint(1940, 2004)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"


def _misspelt(text: str, draw: random.Random) -> str:
    """Swap two letters that stand side by side."""
    at = draw.randrange(1, max(len(text) - 1, 2))
    return text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :]


#: What a wrong value looks like.
_ERRORS: dict[str, Callable[[str, random.Random], str]] = {
    "first_name": _misspelt,
    "surname": _misspelt,
    "email": _misspelt,
    "city": lambda city, draw: draw.choice([other for other in _CITIES if other != city]),
    "phone": lambda phone, draw: _phone(draw),
}
_LINKED_ERRORS: dict[str, Callable[[str, random.Random], str]] = {
    "name": _misspelt,
    "birth_date": lambda day, draw: _day(draw),
    "city": _ERRORS["city"],
    "phone": lambda phone, draw: _long_phone(draw),
    "credit_limit": lambda limit, draw: f"{draw.randint(2, 60) * 250}",
}
#: Of each system of `linked`: where it errs more often than elsewhere, and how it writes.
LINKED: dict[str, tuple[dict[str, float], dict[str, Callable[[str], str]]]] = {
    "crm": ({"city": 0.05}, {}),
    "shop": (
        {"city": 0.30, "phone": 0.10},
        {"birth_date": lambda day: date.fromisoformat(day).strftime("%d.%m.%Y")},
    ),
    "billing": (
        {"phone": 0.35},
        {"credit_limit": lambda limit: f"{limit}00"},  # in cents
    ),
    "support": (
        {"name": 0.10, "credit_limit": 0.20},
        {"phone": lambda phone: phone.replace("+41 ", "0")},
    ),
    "legacy": (
        {"city": 0.20, "phone": 0.20, "credit_limit": 0.15},
        {
            "name": lambda name: ", ".join(reversed(name.split(" ", 1))),
            "birth_date": lambda day: date.fromisoformat(day).strftime("%m/%d/%Y"),
        },
    ),
}
