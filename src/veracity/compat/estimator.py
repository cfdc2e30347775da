"""Estimator: constructor arguments that can be asked for, and errors that name near ones."""

from __future__ import annotations

import inspect
from typing import Any, Self

from veracity.arguments import check_keywords
from veracity.errors import NotFitted, UnknownArgument, listing


class _Checked(type):
    """Refuses unknown constructor arguments in plain words."""

    def __call__(cls, *values: Any, **named: Any) -> Any:
        known = parameter_names(cls)
        if not _takes_any(cls):
            check_keywords(cls.__name__, named, known)
            if len(values) > len(known):
                raise UnknownArgument(
                    f"{cls.__name__} takes at most {len(known)} arguments: {listing(known)}. "
                    f"Got {len(values)}."
                )
        return super().__call__(*values, **named)


class Estimator(metaclass=_Checked):
    """Base of compatible classes, in the manner of scikit-learn's estimators."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {name: getattr(self, name) for name in parameter_names(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Set constructor arguments anew."""
        check_keywords(type(self).__name__, params, parameter_names(type(self)))
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def _check_fitted(self, attribute: str) -> None:
        if attribute not in vars(self):
            raise NotFitted(f"{type(self).__name__} is not fitted. Call fit first.")

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_"):
            raise NotFitted(
                f"{type(self).__name__} has no {name!r}, or has it only after fit. Call fit first."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({shown})"


def parameter_names(kind: type) -> list[str]:
    """Return the names of constructor arguments, in order."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in _parameters(kind) if one.kind in named and one.name != "self"]


def _takes_any(kind: type) -> bool:
    return any(one.kind is one.VAR_KEYWORD for one in _parameters(kind))


def _parameters(kind: type) -> list[inspect.Parameter]:
    constructor: Any = kind.__init__  # type: ignore[misc]
    if constructor is object.__init__:
        return []
    return list(inspect.signature(constructor).parameters.values())
