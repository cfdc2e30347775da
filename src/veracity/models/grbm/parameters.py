"""The parameters of a model: named arrays that lie in one vector.

An optimiser moves one vector; everybody else speaks of names, such as ``m`` or ``source``. An array
has axes, and an axis has a length: the sources, the classes of an attribute, the parameters of g.
The same names with other lengths describe a block that knows some of the sources, or a model that
has met new ones, so taking a part of the parameters and making room for more are one operation:
saying, for each axis, which of our entries stands where. Nobody else knows an offset.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices

#: Stands between the name of a group and that of an array in it.
DOT = "."


@dataclass(frozen=True, eq=False)
class ParameterNames:
    """Names, axes and sizes of the arrays in a vector, in their order.

    Attributes
    ----------
    axes
        The axes of each array, by its name; () for a single number.
    sizes
        The length of each axis.
    """

    axes: Mapping[str, tuple[str, ...]]
    sizes: Mapping[str, int]

    @classmethod
    def joined(cls, groups: Mapping[str, ParameterNames]) -> ParameterNames:
        """Put groups of names one after the other; "" is the group without a name of its own."""
        axes: dict[str, tuple[str, ...]] = {}
        sizes: dict[str, int] = {}
        for group, names in groups.items():
            before = f"{group}{DOT}" if group else ""
            axes |= {
                f"{before}{name}": tuple(f"{before}{axis}" for axis in names.axes[name])
                for name in names.axes
            }
            sizes |= {f"{before}{axis}": size for axis, size in names.sizes.items()}
        return cls(axes, sizes)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array."""
        return self._shapes[name]

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(self.sizes[axis] for axis in axes) for name, axes in self.axes.items()}

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each array lies in the vector."""
        ends = np.cumsum([0, *(math.prod(self.shape(name)) for name in self.axes)]).tolist()
        return dict(zip(self.axes, map(slice, ends[:-1], ends[1:]), strict=True))

    @cached_property
    def size(self) -> int:
        """Length of the vector."""
        return max((part.stop for part in self.slices.values()), default=0)

    @cached_property
    def _groups(self) -> dict[str, tuple[ParameterNames, slice]]:
        """The names of each group as they are called within it, and where it lies."""
        axes: dict[str, dict[str, tuple[str, ...]]] = {}
        sizes: dict[str, dict[str, int]] = {}
        for axis, size in self.sizes.items():
            group, _, own = axis.rpartition(DOT)
            sizes.setdefault(group, {})[own] = size
            axes.setdefault(group, {})
        for name, own_axes in self.axes.items():
            group, _, own = name.rpartition(DOT)
            before = f"{group}{DOT}"
            stripped = tuple(axis.removeprefix(before) for axis in own_axes)
            axes.setdefault(group, {})[own] = stripped
        found = {}
        for group, own_names in axes.items():
            before = f"{group}{DOT}" if group else ""
            parts = [self.slices[f"{before}{name}"] for name in own_names]
            whole = slice(parts[0].start, parts[-1].stop) if parts else slice(0, 0)
            found[group] = ParameterNames(own_names, sizes.get(group, {})), whole
        return found

    def group(self, group: str) -> ParameterNames:
        """Return the names of a group, as they are called within it."""
        return self._groups[group][0]

    def group_slice(self, group: str) -> slice:
        """Return where a group lies in the vector."""
        return self._groups[group][1]

    def where(self, *names: str) -> Indices:
        """Return the places of some arrays in the vector, array by array."""
        parts = [np.arange(*self.slices[name].indices(self.size)) for name in names]
        return np.concatenate([np.empty(0, np.int64), *parts])

    def zeros(self) -> ParameterVector:
        """Return a vector of zeros."""
        return ParameterVector(self, np.zeros(self.size))

    def places(self, other: ParameterNames, along: Mapping[str, Indices]) -> Indices:
        """Return where the numbers of `other` lie in our vector, -1 for those that we lack.

        Parameters
        ----------
        other
            Names of which ours may have other sizes, or none.
        along
            For an axis of `other`, our entry for each of its entries, -1 for none; an axis that is
            not mentioned is the same in both, but for entries that one has more at its end.
        """
        found = [np.empty(0, np.int64)]
        for name, axes in other.axes.items():
            shape = other.shape(name)
            if name not in self.slices:
                found.append(np.full(math.prod(shape), -1))
                continue
            place = np.full(shape, self.slices[name].start)
            known = np.ones(shape, np.bool_)
            stride = 1
            for number in reversed(range(len(axes))):
                size = self.sizes[self.axes[name][number]]
                entry = along.get(axes[number], same_place(size, shape[number]))
                entry = entry.reshape([-1 if axis == number else 1 for axis in range(len(axes))])
                place = place + stride * entry
                known = known & (entry >= 0)
                stride *= size
            found.append(np.where(known, place, -1).ravel())
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class ParameterVector:
    """Named arrays, as views of one vector."""

    names: ParameterNames
    values: Floats

    def __getitem__(self, name: str) -> Floats:
        return self.values[self.names.slices[name]].reshape(self.names.shape(name))

    def __setitem__(self, name: str, values: Floats | float) -> None:
        self[name][...] = values

    def __contains__(self, name: str) -> bool:
        return name in self.names.slices

    def number(self, name: str) -> float:
        """Return a single number."""
        return float(self[name])

    def group(self, group: str) -> ParameterVector:
        """Return a group of arrays, as a view."""
        return ParameterVector(self.names.group(group), self.values[self.names.group_slice(group)])

    def take(self, names: Iterable[str]) -> Floats:
        """Return some arrays, one after the other."""
        parts = (self.values[self.names.slices[name]] for name in names)
        return np.concatenate([np.empty(0), *parts])

    def put(self, names: Iterable[str], values: Floats) -> None:
        """Set some arrays from numbers that come one after the other."""
        first = 0
        for name in names:
            part = self.names.slices[name]
            last = first + part.stop - part.start
            self.values[part] = values[first:last]
            first = last

    def resized(self, names: ParameterNames, along: Mapping[str, Indices]) -> ParameterVector:
        """Return the same under other names or sizes, 0 for what is new; see `places`."""
        place = self.names.places(names, along)
        known = place >= 0
        return ParameterVector(names, np.where(known, self.values[np.where(known, place, 0)], 0.0))


def same_place(n_before: int, n_after: int) -> Indices:
    """Return the old place of each entry of an axis that has grown at its end, -1 for new ones."""
    place = np.arange(n_after)
    return np.where(place < n_before, place, -1)
