"""The forms that there are, and where their models live."""

from __future__ import annotations

from importlib import import_module

from veracity.models.forms.base import FormModel

#: Imported when an attribute has the form, since some bring a compiler with them.
FORMS: dict[str, tuple[str, str]] = {
    "ordered": ("veracity.models.forms.ordered.model", "OrderedModel"),
    "changing": ("veracity.models.forms.changing.model", "ChangingModel"),
    "hierarchy": ("veracity.models.forms.hierarchy.model", "HierarchyModel"),
    "number": ("veracity.models.forms.number.model", "NumberModel"),
}


def make_form(form: str, random_state: int) -> FormModel:
    """Return the model of a form, before it is fitted."""
    module, name = FORMS[form]
    made: FormModel = getattr(import_module(module), name)(random_state)
    return made
