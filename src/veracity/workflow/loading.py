"""`veracity.load`: a model that was saved, or that of a run, with the tables of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from veracity.arguments import check_path
from veracity.models import persistence
from veracity.models.base import TruthModel
from veracity.workflow.consistency import read_together
from veracity.workflow.files import RUN_FILE
from veracity.workflow.saved_run import SavedRun, load_model, open_run


def load(
    folder: str | Path, module: Any = None, *, model_class: type[TruthModel] | None = None
) -> TruthModel:
    """Load a model that was saved, or the model of a run.

    The model of a run has the run's tables and notes, `truths_` among them, which are read when
    they are asked for. To explain verdicts, or to score new claims with what the run knows, open
    the run with `veracity.open_run`.

    Parameters
    ----------
    folder
        Where it was saved: by `TruthModel.save`, `Run.save` or ``veracity discover``.
    module
        Of a model fitted with a torch module of your own: a module of the same make, which gets
        the saved weights.
    model_class
        Of a model that is not one of ours: its class.
    """
    check_path("folder", folder)
    place = Path(folder)
    if not (place / RUN_FILE).is_file():
        return persistence.load(place, module, model_class=model_class)
    model = read_together(
        place,
        lambda description: load_model(place, description, module, model_class=model_class),
    )
    model._saved = ResultsOfRun(place, module)
    return model


class ResultsOfRun:
    """The results of a run as those of its model, read when they are asked for."""

    def __init__(self, folder: Path, module: Any) -> None:
        self._folder, self._module = folder, module
        self._run: SavedRun | None = None

    def __call__(self, name: str) -> Any:
        """Return a result by the name that it has in the run."""
        if self._run is None:
            self._run = open_run(self._folder, self._module)
        return getattr(self._run, name)
