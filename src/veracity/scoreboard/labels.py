"""Where to write the labels of points, so that they cover neither each other nor a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CHARACTER, LINE = 5.6, 11.0
DISTANCE = 7.0


@dataclass(frozen=True)
class Placed:
    """A label beside its point: how it is aligned, and its distance from the point in pixels."""

    align: str
    dx: float
    dy: float


Box = tuple[float, float, float, float]


def place_labels(
    points: Sequence[tuple[float, float]], texts: Sequence[str], width: float, height: float
) -> list[Placed | None]:
    """Place the label of each point, in order of importance; None where there is no room.

    >>> place_labels([(52, 50), (50, 50)], ["one", "two"], 100, 100)
    [Placed(align='left', dx=7.0, dy=0.0), Placed(align='right', dx=-7.0, dy=0.0)]
    """
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    placed: list[Placed | None] = []
    for own, ((x, y), text) in enumerate(zip(points, texts, strict=True)):
        others = taken[:own] + taken[own + 1 :]
        choice = None
        for candidate in _candidates():
            box = _box(x, y, CHARACTER * len(text), candidate)
            if _inside(box, width, height) and not any(_overlap(box, other) for other in others):
                choice = candidate
                taken.append(box)
                break
        placed.append(choice)
    return placed


def _candidates() -> list[Placed]:
    sides = [("left", DISTANCE), ("right", -DISTANCE)]
    beside = [Placed(align, dx, dy) for dy in (0.0, -8.0, 8.0) for align, dx in sides]
    return [*beside, Placed("center", 0.0, -13.0), Placed("center", 0.0, 13.0)]


def _box(x: float, y: float, length: float, placed: Placed) -> Box:
    start = {"left": 0.0, "right": -length, "center": -length / 2}[placed.align]
    left, middle = x + placed.dx + start, y + placed.dy
    return left, middle - LINE / 2, left + length, middle + LINE / 2


def _inside(box: Box, width: float, height: float) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
