"""Settings and limits of the service."""

from __future__ import annotations

from dataclasses import dataclass

#: The addresses that only this machine can reach.
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class ServiceSettings:
    """Limits and access.

    Attributes
    ----------
    token
        What a client must show; None where everybody on this machine may ask.
    hosts
        Names under which the service may be called, against pages that let their own name point
        at this machine; empty for any, which needs a token.
    max_body
        Bytes of a request.
    max_claims
        Claims scored at once.
    max_explained
        Items explained in one answer of scoring.
    score_seconds
        How long scoring may take.
    score_slots
        How many scorings may be under way.
    """

    token: str | None = None
    hosts: tuple[str, ...] = LOOPBACK
    max_body: int = 16 * 2**20
    max_claims: int = 100_000
    max_explained: int = 100
    score_seconds: float = 30.0
    score_slots: int = 2
