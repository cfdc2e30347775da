"""pandas, imported where it is used."""

from __future__ import annotations

from typing import Any

from veracity.errors import needs


def import_pandas(purpose: str) -> Any:
    """Return pandas, or say how to install it."""
    try:
        import pandas
    except ImportError as error:
        raise needs("pandas", purpose) from error
    return pandas
