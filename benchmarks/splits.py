"""Public data sets, split, thinned and merged: data that nobody has tuned a model on.

A set is a folder with ``claims.csv.gz`` and ``truth.csv.gz``. All columns are read as text, and
what the parts are (kinds, domains, features) is inferred anew from each part, as it would be for a
user who had nothing else. All claims of a source about an item stay together, so that a list of
authors stays whole. The truth is looked at by nobody here.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from veracity import Claims, GroundTruth
from veracity.data.arrays import Mask

#: Sets with more claims than this are first cut by entity.
MAX_CLAIMS = 50_000
#: Of each source, in a long tail.
TAIL_ITEMS = 5
#: Splits that leave fewer claims than this are no cases.
MIN_CLAIMS = 400
#: What a source says about an item.
VISIT = ("source", "entity", "attribute")


@dataclass(frozen=True)
class Tables:
    """The claims and the truth of a data set as they were read, all text."""

    claims: pa.Table
    truth: pa.Table

    def only(self, kept: Mask) -> Tables:
        """Return the same with some of the claims."""
        return Tables(self.claims.filter(pa.array(kept)), self.truth)

    def encode(self) -> tuple[Claims, GroundTruth]:
        """Return claims and truth as models and metrics take them."""
        return Claims.from_frame(self.claims), GroundTruth.from_frame(self.truth)


def find_sets(folder: Path) -> list[str]:
    """Return the names of the data sets in a folder."""
    if not folder.is_dir():
        return []
    return sorted(
        place.name
        for place in folder.iterdir()
        if all((place / f"{table}.csv.gz").is_file() for table in ("claims", "truth"))
    )


def read(folder: Path, name: str) -> Tables:
    """Read a set; a big one is cut, by entity, to about `MAX_CLAIMS` claims."""
    whole = Tables(
        *(_read_text(folder / name / f"{table}.csv.gz") for table in ("claims", "truth"))
    )
    share = MAX_CLAIMS / max(1, whole.claims.num_rows)
    return whole if share >= 1 else whole.only(_draws(_codes(whole.claims, "entity"), name) < share)


def halves_by_entity(tables: Tables, name: str) -> dict[str, Tables]:
    """Send each entity, with all claims about it, to one of two halves."""
    return _halves(tables, _draws(_codes(tables.claims, "entity"), f"{name} halves"))


def halves_by_source(tables: Tables, name: str) -> dict[str, Tables]:
    """Send each source, with all its claims, to one of two halves."""
    return _halves(tables, _draws(_codes(tables.claims, "source"), f"{name} halves"))


def thinned(share: float) -> Callable[[Tables, str], dict[str, Tables]]:
    """Keep a share of what sources say about items."""

    def split(tables: Tables, name: str) -> dict[str, Tables]:
        visit = _codes(tables.claims, *VISIT)
        return {"": tables.only(_draws(visit, f"{name} thinned") < share)}

    return split


def long_tail(tables: Tables, name: str) -> dict[str, Tables]:
    """Let each source keep what it says about `TAIL_ITEMS` items at most."""
    visit = _codes(tables.claims, *VISIT)
    first = np.unique(visit, return_index=True)[1]  # a claim of each visit
    source = _codes(tables.claims, "source")[first]
    order = np.lexsort((_draws(visit, f"{name} tail")[first], source))
    starts = np.searchsorted(source[order], source[order])
    kept = np.zeros(len(first), np.bool_)
    kept[order] = np.arange(len(first)) - starts < TAIL_ITEMS
    return {"": tables.only(kept[visit])}


def whole(tables: Tables, name: str) -> dict[str, Tables]:
    """Leave the set as it is, but for the cut."""
    return {"": tables}


def merged(parts: Mapping[str, Tables]) -> Tables:
    """Put sets together that have neither attributes nor sources in common."""
    return Tables(
        *(
            pa.concat_tables(
                [_prefixed(getattr(part, table), name) for name, part in parts.items()],
                promote_options="default",
            )
            for table in ("claims", "truth")
        )
    )


SPLITS: Mapping[str, Callable[[Tables, str], dict[str, Tables]]] = {
    "whole, cut to 50,000": whole,
    "halves by entity": halves_by_entity,
    "halves by source": halves_by_source,
    "thinned to 50 %": thinned(0.5),
    "thinned to 25 %": thinned(0.25),
    f"long tail, {TAIL_ITEMS} items a source": long_tail,
}
MERGED = "merged pairs"
#: The parts into which a set is split, where there are several.
PARTS: Mapping[str, Sequence[str]] = {
    "halves by entity": ("first", "second"),
    "halves by source": ("first", "second"),
}


def pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Pair each set of the first half of the alphabet with one of the second."""
    half = len(names) // 2
    return list(zip(names[:half], names[half : 2 * half], strict=True))


def split(folder: Path, kind: str, name: str, part: str = "") -> tuple[Claims, GroundTruth]:
    """Return a part of a set."""
    return SPLITS[kind](read(folder, name), name)[part].encode()


def merge(folder: Path, *names: str) -> tuple[Claims, GroundTruth]:
    """Return sets put together."""
    return merged({name: read(folder, name) for name in names}).encode()


def _halves(tables: Tables, draws: npt.NDArray[np.float64]) -> dict[str, Tables]:
    return {"first": tables.only(draws < 0.5), "second": tables.only(draws >= 0.5)}


def _read_text(path: Path) -> pa.Table:
    with csv.open_csv(path) as opened:
        names = opened.schema.names
    text = dict.fromkeys(names, pa.string())
    options = csv.ConvertOptions(column_types=text, null_values=[""], strings_can_be_null=True)
    return csv.read_csv(path, convert_options=options)


def _codes(table: pa.Table, *columns: str) -> npt.NDArray[np.int64]:
    """Number the combinations of columns; one number per row."""
    code = np.zeros(table.num_rows, np.int64)
    for column in columns:
        encoded = table[column].combine_chunks().dictionary_encode()
        indices = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        code = code * (len(encoded.dictionary) + 1) + indices + 1
        code = np.unique(code, return_inverse=True)[1]
    return code


def _draws(code: npt.NDArray[np.int64], seed: str) -> npt.NDArray[np.float64]:
    """Draw a number between 0 and 1 for each code; one per row."""
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    return rng.random(int(code.max(initial=-1)) + 1)[code]


def _prefixed(table: pa.Table, name: str) -> pa.Table:
    for column in ("source", "attribute"):
        if column in table.column_names:
            prefixed = pc.binary_join_element_wise(f"{name} ", table[column], "")
            table = table.set_column(table.column_names.index(column), column, prefixed)
    return table
