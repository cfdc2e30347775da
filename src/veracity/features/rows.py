"""FeatureRows: the distinct feature vectors of claims, and which claim has which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """The feature vectors x of claims, each distinct one once.

    Where features depend on the statement, a source that speaks about several statements of an item
    has a vector for each: that of its claim together with that of the statement.

    Attributes
    ----------
    values
        The distinct vectors; (n_rows, n_features).
    names
        What the features are called.
    row_of_claim
        Which vector each claim has, statement apart; (n_claims,).
    state_of_statement
        Which state each statement is in; all 0 if nothing depends on it; (n_statements,).
    row_of
        The row in ``values`` for a claim's vector and a statement's state; (.., n_states).
    """

    values: Floats
    names: tuple[str, ...]
    row_of_claim: npt.NDArray[np.int32]
    state_of_statement: npt.NDArray[np.int32]
    row_of: npt.NDArray[np.int32]

    @property
    def n_rows(self) -> int:
        """Number of distinct vectors."""
        return len(self.values)

    def of_claims(self, statement_index: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the row of each claim about its own statement; (n_claims,)."""
        return self.row_of[self.row_of_claim, self.state_of_statement[statement_index]]
