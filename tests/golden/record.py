"""What is kept of a fitted model, in few numbers, and how two such records are compared.

Data sets may not be committed, and files have to stay small. So of a column of numbers its length,
extremes, mean, first values and a few projections on fixed random vectors are kept: by these the
size of a change can be told. Of a column of anything else, hashes of groups of rows are kept.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

N_PROJECTIONS = 6
N_FIRST = 5
N_GROUPS = 8
DECIMALS = 11
#: The columns by which each table is sorted.
LABELS = {
    "truths": ["entity", "attribute", "value"],
    "statements": ["entity", "attribute", "value"],
    "sources": ["source"],
}
#: Columns with a hash of their own, since it is good to know which of them changed.
APART = ("value", "tie", "decision")
#: Names of sources that answer like spammers: tests/models/patterns looks at them.
UNKEPT = ("pattern", "pattern_of")
QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)|`[^`]*`")
SIGN = "[-+\N{MINUS SIGN}]?"
NUMBER = re.compile(rf"(?<![\w.]){SIGN}\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")

Record = dict[str, Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was; `size` is that of a change of numbers, else infinite."""

    what: str
    size: float = float("inf")
    about_notes: bool = False

    def __str__(self) -> str:
        return self.what


# Taking records


def record_of(model: Any) -> Record:
    """Return what is kept of a fitted model."""
    tables = {name: _table_record(name, getattr(model, f"{name}_")) for name in LABELS}
    return {**tables, "notes": notes_record(model.notes_)}


def _table_record(name: str, table: Any) -> Record:
    whole = table.to_arrow()
    whole = whole.drop_columns([column for column in UNKEPT if column in whole.column_names])
    whole = whole.sort_by([(label, "ascending") for label in LABELS[name]])
    numbers = {
        column: numbers_record(_floats(whole[column]))
        for column in whole.column_names
        if pa.types.is_floating(whole[column].type)
    }
    others = [column for column in whole.column_names if column not in numbers]
    if name == "truths" and "low" in numbers | dict.fromkeys(others):
        numbers["value"] = numbers_record(_numbers_believed(whole["value"]))
    apart = [column for column in others if name == "truths" and column in APART]
    hashes = {column: _hashes(whole.select([column])) for column in apart if column not in numbers}
    hashes["labels"] = _hashes(whole.select([column for column in others if column not in apart]))
    return {"rows": whole.num_rows, "hashes": hashes, "numbers": numbers}


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.array(column.to_pylist(), np.float64)


def _numbers_believed(column: pa.ChunkedArray) -> Floats:
    """Return values as numbers, those that are none as missing."""
    return np.array([_number_or_nan(value) for value in column.to_pylist()])


def _number_or_nan(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return float("nan")


def numbers_record(values: Floats) -> Record:
    """Return what is kept of a column of numbers; those that are missing count as nought."""
    missing = ~np.isfinite(values)
    known = np.where(missing, 0.0, values)
    if not known.size:
        return {"missing": 0, "summary": [], "first": [], "projections": []}
    return {
        "missing": int(missing.sum()),
        "summary": _rounded([known.min(), known.max(), known.mean()]),
        "first": _rounded(known[:N_FIRST]),
        "projections": _rounded(_directions(len(known)) @ known),
    }


def _directions(size: int) -> Floats:
    """Return fixed vectors, evenly drawn from -1 to 1; they depend on their length only."""
    return np.random.default_rng(size).uniform(-1, 1, (N_PROJECTIONS, size))


def _rounded(values: Any) -> list[float]:
    return [round(float(value), DECIMALS) for value in values]


def _hashes(table: pa.Table) -> str:
    """Return short hashes of groups of neighbouring rows, one after the other."""
    rows = [repr(tuple(row.values())) for row in table.to_pylist()]
    groups = np.array_split(np.array(rows, object), N_GROUPS)
    return " ".join(hashlib.sha256("\n".join(group).encode()).hexdigest()[:4] for group in groups)


def notes_record(notes: Any) -> Record:
    """Return the numbers in notes, by what these are about, in order of size."""
    found: dict[str, list[float]] = {}
    for note in notes:
        found.setdefault(note.subject, []).extend(_numbers_in(note.text))
    return {subject: sorted(numbers) for subject, numbers in sorted(found.items())}


def _numbers_in(text: str) -> list[float]:
    """Return the numbers of a sentence, but for those in labels."""
    found = NUMBER.findall(QUOTED.sub(" ", text))
    return [float(number.replace(",", "").replace("\N{MINUS SIGN}", "-")) for number in found]


# Comparing records


def differences(old: Record, new: Record, constants: dict[str, set[float]]) -> list[Difference]:
    """Return what is different, the sizes of changes of numbers included, however small.

    `constants` are numbers that stood in all notes about a subject: a sentence may lose those.
    """
    for word in ("error", "skipped"):
        if word in old or word in new:
            was, now = (record.get(word, "a result") for record in (old, new))
            return [] if was == now else [Difference(f"was {was!r}, is {now!r}")]
    found = [
        difference for name in LABELS for difference in _table_differs(name, old[name], new[name])
    ]
    return found + list(_notes_differ(old["notes"], new["notes"], constants))


def _table_differs(name: str, old: Record, new: Record) -> Iterator[Difference]:
    if old["rows"] != new["rows"]:
        yield Difference(f"{name}: {old['rows']} rows were, {new['rows']} are")
        return
    for kind in ("hashes", "numbers"):
        if set(old[kind]) != set(new[kind]):
            changed = sorted(set(old[kind]) ^ set(new[kind]))
            yield Difference(f"{name}: columns that came or went: {', '.join(changed)}")
    for column in sorted(set(old["hashes"]) & set(new["hashes"])):
        pairs = zip(old["hashes"][column].split(), new["hashes"][column].split(), strict=True)
        count = sum(was != now for was, now in pairs)
        if count:
            yield Difference(f"{name}.{column}: differs in {count} of {N_GROUPS} groups of rows")
    for column in sorted(set(old["numbers"]) & set(new["numbers"])):
        where = f"{name}.{column}"
        yield from _numbers_differ(where, old["numbers"][column], new["numbers"][column])


def _numbers_differ(where: str, old: Record, new: Record) -> Iterator[Difference]:
    if old["missing"] != new["missing"]:
        yield Difference(f"{where}: {old['missing']} missing before, {new['missing']} now")
        return
    scale = max(1.0, *(abs(value) for value in old["summary"])) if old["summary"] else 1.0
    size = change_of(old, new) / scale
    if size:
        yield Difference(f"{where}: changed by about {size:.2g}", size)


def change_of(old: Record, new: Record) -> float:
    """Return about the length of the vector of changes, which is no less than the largest one.

    A projection on a vector that is evenly drawn from -1 to 1 has a third of its square.
    """
    if not old["summary"]:
        return 0.0
    projected = np.subtract(old["projections"], new["projections"])
    seen = np.abs(np.subtract(old["summary"] + old["first"], new["summary"] + new["first"]))
    return float(max(np.sqrt(3 * np.mean(projected**2)), seen.max()))


def _notes_differ(
    old: Record, new: Record, constants: dict[str, set[float]]
) -> Iterator[Difference]:
    for subject in sorted(set(old) | set(new)):
        if subject not in new or subject not in old:
            word = "gone" if subject in old else "new"
            yield Difference(f"notes: those about {subject!r} are {word}", about_notes=True)
            continue
        was: Counter[float] = Counter(old[subject])
        now: Counter[float] = Counter(new[subject])
        gone = sorted(n for n in (was - now).elements() if n not in constants.get(subject, set()))
        came = sorted((now - was).elements())
        if gone or came:
            text = f"notes about {subject!r}: numbers gone {gone}, numbers new {came}"
            yield Difference(text, about_notes=True)


def constants_of(records: list[Record]) -> dict[str, set[float]]:
    """Return the numbers that all notes about a subject have, where there are four or more."""
    by_subject: dict[str, list[set[float]]] = {}
    for record in records:
        for subject, numbers in record.get("notes", {}).items():
            by_subject.setdefault(subject, []).append(set(numbers))
    return {
        subject: set.intersection(*found)
        for subject, found in by_subject.items()
        if len(found) >= 4
    }
