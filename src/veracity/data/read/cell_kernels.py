"""Compiled loops that cut lines of CSV into cells, and number the distinct labels of a column.

Bytes are looked at eight at a time. An array ``eights`` has, at each place of a text, the eight
bytes from there on as a number of 64 bits, of which the lowest byte comes first.

The labels of a column are in a table. ``slots`` are a hash table with open addressing: a slot holds
a hash in its upper half and, in its lower half, where the record of the label begins, or 0. A
record in ``records`` is a head (the code of the label above, its length below) and then its bytes,
which zeros fill up to a whole number. ``counts`` are the numbers `USED` and `LABELS`, and one that
means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled

QUOTE, NEWLINE, RETURN = 34, 10, 13
#: Places in ``counts``: numbers used in ``records``, and labels in the table.
USED, LABELS, FETCHED = 0, 1, 2
#: What `cut_up` returns for lines that are not plain.
NOT_PLAIN = -1
#: So many labels are looked up at a time.
AHEAD = 32

_ONE, _ONES, _TOPS = (np.uint64(number) for number in (1, 0x0101010101010101, 0x8080808080808080))
_PLACES = np.uint64(0x0001020304050607)
_LOW, _HALF, _BYTE = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(8)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@compiled
def _found(eight: Any, sign: Any) -> Any:
    """Set the top bit of the first byte that is a sign; bytes after it may be marked wrongly."""
    other = eight ^ (_ONES * np.uint64(sign))
    return (other - _ONES) & ~other & _TOPS


@compiled
def _n_before(found: Any) -> Any:
    """Return how many bytes come before the first one that is marked."""
    first = found & (~found + _ONE)
    return np.int64(((first >> np.uint64(7)) * _PLACES) >> np.uint64(56))


@compiled
def _next_sign(eights: Any, place: Any, delimiter: Any) -> Any:
    """Return the place of the next delimiter, quotation mark or line end."""
    while True:
        eight = eights[place]
        found = _found(eight, delimiter) | _found(eight, NEWLINE)
        found |= _found(eight, QUOTE) | _found(eight, RETURN)
        if found:
            return place + _n_before(found)
        place += 8


@compiled
def _next_quote(eights: Any, place: Any) -> Any:
    """Return the place of the next quotation mark."""
    while True:
        found = _found(eights[place], QUOTE)
        if found:
            return place + _n_before(found)
        place += 8


@compiled
def cut_up(
    text: Any, eights: Any, delimiter: Any, ending: Any, n_columns: Any, first: Any, length: Any
) -> Any:
    """Cut lines into cells: where each begins, quotation marks aside, and how long it is.

    Parameters
    ----------
    text, eights
        The lines. After them, `text` has two quotation marks or more, and `eights` goes on as long.
    delimiter, ending
        What stands between cells, and the first sign of the end of a line.
    first, length
        Filled column by column; (n_columns, at least n_rows).

    Returns
    -------
    n_rows
        `NOT_PLAIN` if a line has other cells, or cells have other quotation marks than around
        them, doubled ones aside.
    has_doubled
        Whether there are doubled ones.
    """
    stop = len(eights) - 2
    place = n_rows = 0
    has_doubled = False
    while place < stop:
        if text[place] != ending:
            for column in range(n_columns):
                if text[place] == QUOTE:
                    begin = place + 1
                    end = _next_quote(eights, begin)
                    while text[end + 1] == QUOTE and end < stop:
                        has_doubled = True
                        end = _next_quote(eights, end + 2)
                    place = end + 1
                    if end >= stop:
                        return NOT_PLAIN, has_doubled
                else:
                    begin = place
                    end = place = _next_sign(eights, begin, delimiter)
                if text[place] != (delimiter if column < n_columns - 1 else ending):
                    return NOT_PLAIN, has_doubled
                place += 1
                first[column, n_rows] = begin
                length[column, n_rows] = end - begin
            n_rows += 1
        else:  # an empty line
            place += 1
        if ending == RETURN:
            if text[place] != NEWLINE:
                return NOT_PLAIN, has_doubled
            place += 1
    return n_rows, has_doubled


@compiled
def hash_labels(eights: Any, first: Any, length: Any, hashes: Any) -> None:
    """Hash the labels of a text to 32 bits; (n_labels,)."""
    for label in range(len(first)):
        begin, size = first[label], np.int64(length[label])
        n_whole = size >> 3
        last = eights[begin + 8 * n_whole] & ((_ONE << np.uint64(8 * (size & 7))) - _ONE)
        mixed = (np.uint64(size) ^ last) * _MIX
        mixed ^= mixed >> _HALF
        for part in range(n_whole):
            mixed = (mixed ^ eights[begin + 8 * part]) * _MIX
            mixed ^= mixed >> _HALF
        hashes[label] = (mixed * _MIX) >> _HALF


@compiled
def _fetch(hashes: Any, slots: Any, records: Any) -> Any:
    """Bring what labels will be compared with into the caches, all at a time.

    Looked up one by one, each would wait for memory by itself.
    """
    mask = len(slots) - 1
    fetched = np.uint64(0)
    for tag in hashes:
        held = slots[np.int64(tag) & mask]
        fetched ^= records[np.int64(held & _LOW)]
    return np.int64(fetched)


@compiled
def number_labels(
    eights: Any,
    first: Any,
    length: Any,
    hashes: Any,
    slots: Any,
    records: Any,
    counts: Any,
    codes: Any,
) -> Any:
    """Write the code of each label, and put new ones into the table.

    Parameters
    ----------
    eights, first, length, hashes
        The text; where each label begins, how long it is, and its hash; (n_labels,).
    slots, records, counts
        The table. It has records enough.
    codes
        To be filled; (n_labels,).

    Returns
    -------
    How many are done: not all if half of the slots are taken.
    """
    mask = len(slots) - 1
    n_free = len(slots) // 2 - counts[LABELS]
    for label in range(len(first)):
        if label % AHEAD == 0:
            counts[FETCHED] = _fetch(hashes[label : label + AHEAD], slots, records)
        begin, size = first[label], np.int64(length[label])
        n_whole = size >> 3
        last = eights[begin + 8 * n_whole] & ((_ONE << np.uint64(8 * (size & 7))) - _ONE)
        tag = hashes[label]
        slot = np.int64(tag) & mask
        code = np.int64(-1)
        while slots[slot]:
            if slots[slot] >> _HALF == tag:
                at = np.int64(slots[slot] & _LOW)
                is_same = np.int64(records[at] & _LOW) == size and records[at + 1 + n_whole] == last
                part = 0
                while is_same and part < n_whole:
                    is_same = records[at + 1 + part] == eights[begin + 8 * part]
                    part += 1
                if is_same:
                    code = np.int64(records[at] >> _HALF)
                    break
            slot = (slot + 1) & mask
        if code < 0:
            if n_free <= 0:
                return label
            n_free -= 1
            at, code = counts[USED], counts[LABELS]
            slots[slot] = (tag << _HALF) | np.uint64(at)
            records[at] = (np.uint64(code) << _HALF) | np.uint64(size)
            for part in range(n_whole):
                records[at + 1 + part] = eights[begin + 8 * part]
            records[at + 1 + n_whole] = last
            counts[USED] = at + 2 + n_whole
            counts[LABELS] = code + 1
        codes[label] = code
    return len(first)


@compiled
def move_slots(slots: Any, larger: Any) -> None:
    """Fill a larger table with the slots of another."""
    mask = len(larger) - 1
    for held in slots:
        if held:
            slot = np.int64(held >> _HALF) & mask
            while larger[slot]:
                slot = (slot + 1) & mask
            larger[slot] = held


@compiled
def find_labels(records: Any, n_used: Any, bounds: Any) -> None:
    """Find where labels begin and end among the bytes of records, in turn; (2 n_labels,)."""
    at, place = np.int64(1), 0
    while at < n_used:
        size = np.int64(records[at] & _LOW)
        begin = 8 * (at + 1)
        bounds[place], bounds[place + 1] = begin, begin + size
        at += 2 + (size >> 3)
        place += 2
