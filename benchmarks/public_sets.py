"""The public data sets: which there are, which families they form, and their tables as text.

A set is a folder with ``claims.csv.gz`` and ``truth.csv.gz``. All columns are read as text, and
what the parts of a set are (kinds, domains, features) is inferred anew from each part, as it would
be for a user who had nothing else.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from veracity import Claims, GroundTruth
from veracity.data.arrays import Mask

#: A row of the table in the folder's README: name, claims, six counts, ceiling.
ROW = re.compile(r"^\| (\w+) \|(?:[^|]*\|){7} *([\w.]+) *\|", re.M)
#: Sets that resemble one another, by the names of their folders; all others are crowds.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "panels of language models that annotate": ("css_*",),
    "language models that answer or judge": ("llm_*", "judgebench", "triviaqa_judges"),
    "people who answer questions": ("exam_*", "quiz", "general_knowledge"),
    "labelling rules": ("wrench_*", "ws_*", "tennis_*"),
    "readers and forecasters": (
        *("roc_readers", "target_detection", "predictionbook", "replication_beliefs"),
        *("nfl_pickem", "election_polls_*", "m3_forecasts", "gdp_*", "temperature_ensemble"),
    ),
    "programs": ("owasp_scanners", "wsd_systems", "name_gender"),
    "web": ("flights*", "weather", "book_*", "population", "birthplaces"),
}
CROWDS = "crowds"


@dataclass(frozen=True)
class Tables:
    """The claims and the truth of a data set as they were read, all text."""

    claims: pa.Table
    truth: pa.Table

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


def categorical_sets(folder: Path) -> list[str]:
    """Return the sets whose truth is no number, by the table in the folder's README."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    numeric = {name for name, ceiling in ROW.findall(text) if ceiling == "numeric"}
    return [name for name in find_sets(folder) if name not in numeric]


def family_of(name: str) -> str:
    """Return the family that a set belongs to."""
    for family, patterns in FAMILIES.items():
        if any(fnmatch(name, pattern) for pattern in patterns):
            return family
    return CROWDS


def read(folder: Path, name: str) -> Tables:
    """Read a set."""
    paths = (folder / name / f"{table}.csv.gz" for table in ("claims", "truth"))
    return Tables(*map(_read_text, paths))


def capped(tables: Tables, name: str, max_claims: int, min_items: int) -> Tables:
    """Cut a big set to about so many claims: whole items first, and if few remain, whole sources.

    Exams have hundreds of thousands of claims about few questions, so that items alone would leave
    next to nothing to judge by. The truth is not looked at.
    """
    claims = tables.claims
    if claims.num_rows <= max_claims:
        return tables
    items = codes(claims, "entity", "attribute")
    n_items = int(items.max()) + 1
    wanted = max(max_claims / claims.num_rows, min(1.0, min_items / n_items))
    claims = claims.filter(pa.array(lowest(items, wanted, f"{name} cap")))
    if claims.num_rows > 1.2 * max_claims:
        share = max_claims / claims.num_rows
        kept = lowest(codes(claims, "source"), share, f"{name} cap sources")
        claims = claims.filter(pa.array(kept))
    return replace(tables, claims=claims)


def codes(table: pa.Table, *columns: str) -> npt.NDArray[np.int64]:
    """Number the combinations of columns; one number per row."""
    code = np.zeros(table.num_rows, np.int64)
    for column in columns:
        encoded = table[column].combine_chunks().dictionary_encode()
        indices = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        code = code * (len(encoded.dictionary) + 1) + indices + 1
        code = np.unique(code, return_inverse=True)[1]
    return code


def generator(seed: str) -> np.random.Generator:
    """Return a generator that depends on a text alone."""
    return np.random.default_rng(zlib.crc32(seed.encode()))


def lowest(code: npt.NDArray[np.int64], share: float, seed: str) -> Mask:
    """Mark the rows of a share of the codes, drawn by the seed: at least one code."""
    n_codes = int(code.max(initial=-1)) + 1
    rank = generator(seed).permutation(n_codes)
    return np.asarray(rank[code] < max(1, round(share * n_codes)))


def _read_text(path: Path) -> pa.Table:
    with csv.open_csv(path) as opened:
        names = opened.schema.names
    text = dict.fromkeys(names, pa.string())
    options = csv.ConvertOptions(column_types=text, null_values=[""], strings_can_be_null=True)
    return csv.read_csv(path, convert_options=options)
