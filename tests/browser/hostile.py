"""Claims whose labels try to be more than text."""

from __future__ import annotations

LABELS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    '"><svg onload=alert(4)>',
    "' onmouseover='alert(5)",
    "javascript:alert(6)",
    "{{ 7 * 7 }} ${7 * 7}",
    '=HYPERLINK("http://elsewhere.example", "click")',
    "turned \u202e round",
    "a" * 300,
    "two\nlines & <b>more</b>",
)


def hostile_claims() -> dict[str, list[str]]:
    """Return claims of which every label, also of attributes and features, is hostile."""
    rows = [
        (source, entity, "<i>kind</i>", LABELS[(place + number) % 3], LABELS[number % len(LABELS)])
        for place, entity in enumerate(LABELS)
        for number, source in enumerate(LABELS[:6])
    ]
    rows += [(LABELS[0], entity, "plain", entity, LABELS[2]) for entity in LABELS]
    names = ("source", "entity", "attribute", "value", "<u>note</u>")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}
