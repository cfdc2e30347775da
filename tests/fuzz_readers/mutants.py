"""Small changes to a file, drawn at random."""

from __future__ import annotations

import random

#: What readers are known to stumble over.
TOKENS = (
    *(b"\0", b'"', b'""', b"'", b",", b"\t", b";", b"\n", b"\r", b"\r\n", b"\xff", b"\xef\xbb\xbf"),
    *(b"{", b"}", b"[", b"]", b":", b"\\", b"\\u0000", b"\\ud800", b"null", b"NaN", b"1e999"),
    *(b"-1", b"9" * 40, b"=1+1", b"source", b"entity", b"value", b"weight", b"time", b"asserts"),
    *(
        b"claim_x",
        b"PAR1",
        b"ARROW1",
        b"\x7f\xff\xff\xff",
        b"\x80\x00\x00\x00",
        b"\xff\xff\xff\xff",
    ),
)
MOST_CHANGES = 4


def mutant(content: bytes, other: bytes, draw: random.Random) -> bytes:
    """Return a copy with a few changes; `other` is a file to take pieces from."""
    changed = bytearray(content)
    for _ in range(draw.randint(1, MOST_CHANGES)):
        start = draw.randint(0, len(changed))
        end = min(len(changed), start + draw.choice((1, 1, 2, 4, 16, 100)))
        match draw.randrange(7):
            case 0 if changed:
                changed[start % len(changed)] ^= 1 << draw.randrange(8)
            case 1:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end] * draw.choice((1, 2, 50))
            case 3:
                changed[start:start] = draw.choice(TOKENS)
            case 4:
                changed[start:end] = draw.choice(TOKENS)
            case 5:
                del changed[start:]
            case _:
                place = draw.randint(0, len(other))
                changed[start:start] = other[place : place + end - start]
    return bytes(changed)
