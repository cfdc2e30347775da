"""A job: a table as a user would bring it, the command that does the job, and what is true."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Row = Mapping[str, object]
#: Entity and attribute.
Item = tuple[str, str]

#: The attribute of tables that have only one.
ONLY = "value"


@dataclass(frozen=True)
class Job:
    """A table with planted truth.

    Attributes
    ----------
    name
        What the table is.
    file
        The file that it is brought in; the ending says how it is written.
    command
        The command of ``veracity`` and its options; the file and the output are left out.
    rows
        The table.
    truth
        The true value of each item.
    meanings
        What a spelling may mean, for items whose sources spell one value in several ways.
    planted
        Sources that are not what they seem, and what they are.
    """

    name: str
    file: str
    command: tuple[str, ...]
    rows: Sequence[Row]
    truth: Mapping[Item, str]
    meanings: Mapping[tuple[str, str, str], frozenset[str]] = field(default_factory=dict)
    planted: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the table; return its path."""
        path = folder / self.file
        if path.suffix == ".csv":
            names = list(dict.fromkeys(name for row in self.rows for name in row))
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, names, restval="")
                writer.writeheader()
                writer.writerows(self.rows)
        elif path.suffix == ".jsonl":
            lines = (json.dumps(row, ensure_ascii=False) for row in self.rows)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        else:
            path.write_text(json.dumps(list(self.rows), ensure_ascii=False), encoding="utf-8")
        return path

    def is_right(self, item: Item, value: str) -> bool:
        """Whether a believed value is the true one, whatever its spelling."""
        means = self.meanings.get((*item, value), frozenset([value]))
        return self.truth[item] in means


@dataclass
class Spellings:
    """Gathers what each spelling means while a table is drawn."""

    found: dict[tuple[str, str, str], set[str]] = field(default_factory=dict)

    def note(self, entity: str, attribute: str, spelling: str, meaning: str) -> str:
        """Keep what a spelling means; return the spelling."""
        self.found.setdefault((entity, attribute, spelling), set()).add(meaning)
        return spelling

    def frozen(self) -> dict[tuple[str, str, str], frozenset[str]]:
        """Return what was gathered."""
        return {key: frozenset(values) for key, values in self.found.items()}
