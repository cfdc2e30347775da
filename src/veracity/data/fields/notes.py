"""What reading values as fields did, in numbers, examples and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veracity.data.fields.detection import Found
from veracity.data.fields.learning import Learned
from veracity.data.fields.registry import AS_WRITTEN, FIELDS, Field
from veracity.data.notes import Note, plural
from veracity.data.read.relations import Relations
from veracity.data.read.settings import Settings
from veracity.errors import listing

EXAMPLES = 3
SOURCES_SHOWN = 3
#: Notations in words.
IN_WORDS = {
    "dmy": "day/month/year",
    "mdy": "month/day/year",
    "point": "with a decimal point",
    "comma": "with a decimal comma",
    AS_WRITTEN: "as written",
}


@dataclass(frozen=True)
class Effect:
    """What comparing the values of an attribute as a field does.

    Attributes
    ----------
    attribute, field
        The attribute, and what its values are taken to be.
    n_spellings, n_values
        How many spellings became how many values; those with one spelling are not counted.
    examples
        Pairs of spellings that are one value; the first of each is shown for both.
    n_rewritten
        Values that are shown in their canonical form: their text means another value elsewhere.
    """

    attribute: str
    field: Field
    n_spellings: int
    n_values: int
    examples: tuple[tuple[str, str], ...]
    n_rewritten: int

    def sentence(self, were: str = "were") -> str:
        """Say what was merged, or would be, with examples."""
        if not self.n_values:
            return f"{self.attribute}: no two spellings of one {self.field.one}."
        shown = ", ".join(f"{shown!r} = {other!r}" for shown, other in self.examples)
        of = plural(self.n_values, self.field.one, self.field.many)
        return (
            f"{self.attribute}: {plural(self.n_spellings, 'spelling')} of {of} {were} read as one"
            f"{' each' * (self.n_values > 1)}: {shown}."
        )


def field_attributes(workbench: Relations, settings: Settings) -> dict[str, Field]:
    """Return the attributes of the step ``keyed`` whose values are compared as fields."""
    if not any((said.values or "") in FIELDS for said in settings.attributes.values()):
        return {}
    rows = workbench.rows("SELECT DISTINCT attribute FROM keyed")
    said = {str(name): settings.for_attribute(str(name)).values for (name,) in sorted(rows)}
    return {name: FIELDS[values] for name, values in said.items() if values in FIELDS}


def effects_of(workbench: Relations, fields: Mapping[str, Field]) -> list[Effect]:
    """Count what was merged; looks at the step ``spelled``."""
    if not fields:
        return []
    named = ", ".join(workbench.sql.literal(name) for name in fields)
    merged = workbench.rows(
        "SELECT attribute, count(CASE WHEN n > 1 THEN 1 END), sum(CASE WHEN n > 1 THEN n END), "
        "count(CASE WHEN NOT shown THEN 1 END) FROM (SELECT attribute, form, min(shown) AS shown, "
        f"count(DISTINCT value) AS n FROM spelled WHERE attribute IN ({named}) AND NOT strange "
        "GROUP BY attribute, form) AS forms GROUP BY attribute"
    )
    counts = {
        str(name): (int(n or 0), int(spellings or 0), int(rewritten or 0))
        for name, n, spellings, rewritten in merged
    }
    effects = []
    for name, field in fields.items():
        n_values, n_spellings, n_rewritten = counts.get(name, (0, 0, 0))
        examples = _examples(workbench, name) if n_values else ()
        effects.append(Effect(name, field, n_spellings, n_values, examples, n_rewritten))
    return effects


def _examples(workbench: Relations, name: str) -> tuple[tuple[str, str], ...]:
    rows = workbench.rows(
        "SELECT spelling, min(value) FROM spelled WHERE value <> spelling AND NOT strange "
        f"AND attribute = {workbench.sql.literal(name)} GROUP BY form, spelling "
        f"ORDER BY sum(n_claims) DESC, spelling LIMIT {EXAMPLES}"
    )
    return tuple((str(spelling), str(value)) for spelling, value in rows)


def field_notes(
    workbench: Relations,
    fields: Mapping[str, Field],
    found: Sequence[Found],
    learned: Sequence[Learned],
) -> list[Note]:
    """Say, for each attribute, what was merged and how values were read."""
    detected = {one.attribute: one for one in found}
    known = {one.attribute: one for one in learned}
    notes = []
    for effect in effects_of(workbench, fields):
        parts = [effect.sentence()]
        if effect.attribute in known:
            parts += notation_sentences(known[effect.attribute])
        if effect.n_rewritten:
            parts.append(
                f"{plural(effect.n_rewritten, 'value is', 'values are')} shown in plain form, "
                "because the text alone would mean something else."
            )
        if not effect.n_values and effect.attribute not in detected and len(parts) == 1:
            continue
        if (one := detected.get(effect.attribute)) is not None:
            parts.append(
                f"Taken for {effect.field.many} by name and values ({one.share:.0%} can be read); "
                f"to compare text: --compare {effect.attribute}=text."
            )
        notes.append(Note("fields", " ".join(parts), effect.n_spellings))
    return notes


def harm_note(one: Found) -> Note:
    """Say why an attribute that looks like a field is compared as text."""
    text = (
        f"{one.attribute}: looks like {FIELDS[one.field].many}, but is compared as text. Merging "
        f"would join {plural(one.n_split, 'value')} that a source tells apart, and spellings of "
        f"different sources in {plural(one.n_joined, 'item')} only. To merge all the same: "
        f"--compare {one.attribute}={one.field}."
    )
    return Note("fields", text, one.n_split)


def notation_sentences(one: Learned) -> list[str]:
    """Say how values were read that could mean several things, and what told."""
    rule, said = one.rule, []
    if rule.learned and not (one.proven or one.agreed or one.open):
        return []
    if one.field.name == "phone" and rule.default:
        said.append(f"Numbers without a country code are read as numbers of {rule.default}.")
    if not one.n_doubtful:
        return said
    if one.field.name != "phone" and rule.default:
        said.append(f"Unclear {one.field.many} are read {_in_words(one.field, rule.default)}.")
    said += [
        f"{_named(sources)}: read {_in_words(one.field, notation)} ({_told_by(one, sources)})."
        for notation, sources in _exceptions(one).items()
    ]
    if one.open and one.field.name != "postal":
        how = "they stay text" if rule.default is None else "they are read like the others"
        said.append(
            f"Nothing tells how {_named(one.open)} "
            f"{'writes' if len(one.open) == 1 else 'write'} {one.field.many}; "
            f"{plural(one.n_open, 'claim')} could mean several things, and {how}."
        )
    return said


def _exceptions(one: Learned) -> dict[str, list[str]]:
    """Return the sources that differ from the rest, by notation."""
    found: dict[str, list[str]] = {}
    for source, notation in sorted(one.rule.of_source.items()):
        unusual = notation not in (one.rule.default, AS_WRITTEN)
        if unusual and source in {*one.proven, *one.agreed}:
            found.setdefault(notation, []).append(source)
    return found


def _told_by(one: Learned, sources: Sequence[str]) -> str:
    own = any(source in one.proven for source in sources)
    others = any(source in one.agreed for source in sources)
    whose = "its own values" if len(sources) == 1 else "their own values"
    ways = [whose] * own + ["agreement with other sources"] * others
    return "told by " + " and ".join(ways)


def _in_words(field: Field, notation: str) -> str:
    if field.name == "phone":
        return f"as numbers of {notation}"
    if field.name == "postal" and notation != AS_WRITTEN:
        return f"with {notation} digits, zeros added"
    words = IN_WORDS[notation]
    return f"as {words}" if field.name == "date" else words


def _named(sources: Sequence[str]) -> str:
    return listing(map(repr, sources), SOURCES_SHOWN)
