"""Wikipedia edits of biographies, in the form in which such edits are published.

The paper's Biography sets come from the same place as its Population set: edits of infoboxes, of
the Cognitive Computation Group of the University of Illinois. We have the Population files only,
so what is read here is their layout. A folder holds two files:

``*Tuples*.txt``
    One edit in a line, without a header, tabs between columns: entity, attribute, infobox, where
    the edit was made, contributor, number of the revision, value. A column with a span of time
    may stand before the value. A contributor is ``Contributor #17: name``, or
    ``Contributor #0 (address)`` for one without an account.
``*Answers*.txt``
    One known truth in a line: entity, attribute, value, with tabs or else commas between. An
    entity may contain commas.

Where an edit was made is one letter: F for the attribute itself, I for elsewhere in the infobox;
other letters are edits elsewhere on the page. Version 1 of the paper has the edits of the attribute
alone, version 2 also those elsewhere in the infobox.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veracity import Claims, GroundTruth
from veracity.errors import InputError, listing

ATTRIBUTE, INFOBOX = "F", "I"
#: The letters of each version of the paper.
VERSIONS = {1: (ATTRIBUTE,), 2: (ATTRIBUTE, INFOBOX)}
#: With and without a span of time.
WIDTHS = (7, 8)
CONTRIBUTOR = re.compile(r"^Contributor #(?P<number>\d+)(?:: (?P<name>.*)| \((?P<address>.*)\))?$")


@dataclass(frozen=True)
class Edit:
    """One line of the file of edits."""

    entity: str
    attribute: str
    place: str
    contributor: str
    is_registered: bool
    revision: int
    value: str


def read(folder: Path, version: int) -> tuple[Claims, GroundTruth]:
    """Read claims and truth of a version of the paper.

    Parameters
    ----------
    folder
        Holds one file of edits and one of answers.
    version
        1 or 2.
    """
    edits = list(read_edits(_only(folder, "Tuples")))
    places = Counter(edit.place for edit in edits)
    missing = [place for place in VERSIONS[version] if place not in places]
    if missing:
        found = listing(f"{place} ({count:,})" for place, count in sorted(places.items()))
        raise InputError(
            f"Version {version} needs edits marked {listing(missing)}, and {folder} has none. "
            f"Its edits are marked: {found or 'there are none'}."
        )
    chosen = [edit for edit in edits if edit.place in VERSIONS[version]]
    columns: dict[str, list[Any]] = {
        "source": [edit.contributor for edit in chosen],
        "entity": [edit.entity for edit in chosen],
        "attribute": [edit.attribute for edit in chosen],
        "value": [edit.value for edit in chosen],
        "revision": [edit.revision for edit in chosen],
        "source_registered": [edit.is_registered for edit in chosen],
        "entity_attribute": [edit.attribute for edit in chosen],
    }
    if version > 1:
        columns["claim_edits_attribute"] = [edit.place == ATTRIBUTE for edit in chosen]
    answers = read_answers(_only(folder, "Answers"))
    names = ("entity", "attribute", "value")
    truth = {name: [answer[i] for answer in answers] for i, name in enumerate(names)}
    return Claims.from_frame(columns, time="revision"), GroundTruth.from_frame(truth)


def features(version: int) -> list[str]:
    """Return the feature columns of a version, as table (c) of the paper lists them."""
    names = ["source_registered", "entity_attribute"]
    return names if version == 1 else [*names, "claim_edits_attribute"]


def read_edits(path: Path) -> Iterator[Edit]:
    """Read the file of edits, line by line."""
    for number, line in _lines(path):
        cells = line.split("\t")
        if len(cells) not in WIDTHS:
            raise InputError(
                f"Line {number} of {path} has {len(cells)} columns between tabs, but 7 or 8 are "
                "expected: entity, attribute, infobox, place of the edit, contributor, revision, "
                "a span of time that may be left out, and value."
            )
        entity, attribute, _, place, contributor, revision = cells[:6]
        found = CONTRIBUTOR.match(contributor)
        if found is None:
            raise InputError(
                f"Line {number} of {path} has the contributor {contributor!r}. "
                "Expected 'Contributor #17: name' or 'Contributor #0 (address)'."
            )
        if not revision.isdigit():
            raise InputError(
                f"Line {number} of {path} has the revision {revision!r}. Expected a whole number."
            )
        is_registered = int(found["number"]) > 0
        name = found["number"] if is_registered else found["address"] or contributor
        yield Edit(
            _folded(entity), _folded(attribute), place.strip()[:1].upper(), name, is_registered,
            int(revision), cells[-1].strip(),
        )  # fmt: skip


def read_answers(path: Path) -> list[tuple[str, str, str]]:
    """Read known truth: entity, attribute and value of each line."""
    found = []
    for number, line in _lines(path):
        cells = line.split("\t") if "\t" in line else line.rsplit(",", 2)
        if len(cells) != 3:
            raise InputError(
                f"Line {number} of {path} is {line!r}. Expected entity, attribute and value, with "
                "tabs or commas between."
            )
        entity, attribute, value = cells
        found.append((_folded(entity), _folded(attribute), value.strip()))
    return found


def _folded(text: str) -> str:
    return text.strip().casefold()


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open(encoding="utf-8") as opened:
        for number, line in enumerate(opened, start=1):
            if line.strip():
                yield number, line.rstrip("\r\n")


def _only(folder: Path, word: str) -> Path:
    """Return the only file of a folder with a word in its name."""
    found = sorted(folder.glob(f"*{word}*.txt")) if folder.is_dir() else []
    if len(found) != 1:
        names = listing(path.name for path in found) or "none"
        raise InputError(f"{folder} must hold one file *{word}*.txt. Found: {names}.")
    return found[0]
