"""Save and load fitted models: a JSON description and safetensors arrays; no code runs on load."""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.output.write import whole_folder
from veracity.errors import InputError, VeracityError, listing
from veracity.models import MODELS
from veracity.models.base import TruthModel

FORMAT = 1
DESCRIPTION, ARRAYS = "model.json", "model.safetensors"

Arrays = dict[str, npt.NDArray[Any]]


def save(model: TruthModel, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write a fitted model to a folder, whole or not at all; see `TruthModel.save`."""
    target = Path(folder)
    with whole_folder(target, overwrite=overwrite, marks=(DESCRIPTION,)) as scratch:
        write_model(model, scratch)
    return target


def write_model(model: TruthModel, folder: Path) -> None:
    """Write the two files of a model into a folder."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    state, arrays = model._state()
    # What is no contiguous piece of memory would be written in another order.
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    try:
        save_file(whole, folder / ARRAYS)
    except SafetensorError as error:
        raise OSError(str(error)) from error
    (folder / ARRAYS).chmod(0o644)
    description = {
        "format": FORMAT,
        "model": type(model).__name__,
        "parameters": plain_parameters(model),
        "state": state,
        "sha256": _digest(folder / ARRAYS),
    }
    if "history" not in state:
        description["history"] = model.history_
    text = json.dumps(description, indent=2, ensure_ascii=False)
    (folder / DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def plain_parameters(model: TruthModel) -> dict[str, Any]:
    """Return a model's parameters as plain data; what is none is only described."""
    return {
        name: value if _is_plain(value) else {"not saved": repr(value)}
        for name, value in model.get_params().items()
    }


def load(
    folder: str | Path, module: Any = None, *, model_class: type[TruthModel] | None = None
) -> TruthModel:
    """Load a model that was saved, without its results; see `veracity.load`.

    Parameters
    ----------
    folder
        Where it was saved.
    module
        Of a model fitted with a torch module of your own: a module of the same make, which gets
        the saved weights.
    model_class
        Of a model that is not one of ours: its class.
    """
    place = Path(folder)
    description = _read_description(place)
    model = _make(description, model_class)
    arrays = _read_arrays(place, description)
    try:
        model._restore(description["state"], arrays, module)
        if "history_" not in vars(model):
            model.history_ = description.get("history", [])
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        if isinstance(error, VeracityError):
            raise
        raise InputError(f"The model in {place} is damaged: {error!r}.") from error
    return model


def _is_plain(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) is not None) or value is None
    except (TypeError, ValueError):
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_description(place: Path) -> dict[str, Any]:
    path = place / DESCRIPTION
    if not path.is_file():
        raise InputError(f"There is no saved model in {place}: {DESCRIPTION} is missing.")
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
        version = int(description["format"])
        described = [description.get("parameters", {}), description.get("history", [])]
        if [type(part) for part in described] != [dict, list]:
            raise TypeError("parameters and history of the model are not what they were")
        if not isinstance(description["model"], str):
            raise TypeError("model")
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged: it is not the description of a model.") from error
    if version > FORMAT:
        raise InputError(
            f"{path} has format {version}, but this version of veracity reads up to {FORMAT}. "
            "Load it with the version that saved it, or a newer one."
        )
    return dict(description)


def _make(description: dict[str, Any], model_class: type[TruthModel] | None) -> TruthModel:
    name = description.get("model")
    model = _class_named(name, model_class)()
    saved = {
        parameter: value
        for parameter, value in description.get("parameters", {}).items()
        if not (isinstance(value, dict) and "not saved" in value)
    }
    return model.set_params(**saved)


def _class_named(name: object, own: type[TruthModel] | None) -> type[TruthModel]:
    if own is not None:
        if own.__name__ != name:
            raise InputError(f"The saved model is {name!r}, but the class given is {own.__name__}.")
        return own
    kinds = {kind: module for module, kind in MODELS.values()}
    del kinds["paper"]  # a preset, which makes a BinaryGRBM
    kinds["BinaryGRBM"] = kinds["RBM"]
    if name not in kinds:
        raise InputError(
            f"There is no model {name!r}. The models are: {listing(kinds, 40)}. For a model of "
            "your own, give its class: veracity.load(folder, model_class=MyModel)."
        )
    found: type[TruthModel] = getattr(import_module(kinds[str(name)]), str(name))
    return found


def _read_arrays(place: Path, description: dict[str, Any]) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = place / ARRAYS
    if not path.is_file():
        raise InputError(f"The model in {place} is incomplete: {ARRAYS} is missing.")
    if _digest(path) != description.get("sha256"):
        raise InputError(f"{path} is damaged: it is not what was saved. Save the model again.")
    try:
        return {name: np.array(array) for name, array in load_file(path).items()}
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path} is damaged: {error}") from error
