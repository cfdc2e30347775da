"""The refit: one background job that makes the run again with its marks, then serves that."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

from veracity.data.notes import plural
from veracity.data.output.atomic import on_disk
from veracity.data.output.exchange import take_place
from veracity.data.output.locks import held, is_held
from veracity.data.output.write import PATIENCE_OF_RESULTS
from veracity.errors import VeracityError
from veracity.service.errors import ServiceError
from veracity.service.settings import ServiceSettings
from veracity.workflow import STAGES
from veracity.workflow.refit import check_refit, keeps_audits
from veracity.workflow.storage import keep_marks

Status = Literal["idle", "running", "done", "failed", "cancelled"]

LOADING = "loading the new run"
#: What a refit does, one after the other.
STEPS = ("starting", *STAGES, LOADING)
#: The new run is made in a folder beside the old one, whose name begins and ends so.
BESIDE = ".refit"
FAULT = (
    "The refit failed. This is a fault of veracity; the server's log says more. The run is as it "
    "was."
)


@dataclass(frozen=True)
class Job:
    """A refit at a moment.

    Attributes
    ----------
    status
        Whether there is one, and how it ended.
    step
        What it is doing, by its place in `STEPS`.
    message
        What went wrong, or what was made.
    started, ended
        When, in seconds of a clock that only goes forward.
    """

    status: Status = "idle"
    step: int = 0
    message: str = ""
    started: float = 0.0
    ended: float | None = None

    @property
    def seconds(self) -> float:
        """How long it takes or took."""
        if self.status == "idle":
            return 0.0
        return (time.monotonic() if self.ended is None else self.ended) - self.started


class Refitter:
    """Starts, watches and ends the one refit of a service.

    Parameters
    ----------
    folder
        Of the run.
    settings
        Who may reach the service.
    open_store
        Opens the new run from the folder in which it was made.
    switch
        Puts the new run in the place of the old, on disk by the function that it is given, and in
        the service.
    """

    def __init__(
        self,
        folder: Path,
        settings: ServiceSettings,
        open_store: Callable[[Path], Any],
        switch: Callable[[Any, Callable[[], None]], None],
    ) -> None:
        self._folder, self._settings = folder, settings
        self._open_store, self._switch = open_store, switch
        self._lock = threading.Lock()
        self._job = Job()
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._cancelled = False

    # What can be asked

    def answer(self, description: dict[str, Any], n_marks: int) -> dict[str, Any]:
        """Return the state of the refit, and whether another can be started."""
        job, why_not = self._job, self.why_not(description, n_marks)
        return {
            "status": job.status,
            "stage": STEPS[job.step] if job.status == "running" else None,
            "step": job.step + 1 if job.status == "running" else None,
            "n_steps": len(STEPS),
            "seconds": round(job.seconds, 1),
            "message": job.message,
            "n_marks": n_marks,
            "why_not": why_not,
            "caution": None if why_not or keeps_audits(description) else _caution(description),
        }

    def why_not(self, description: dict[str, Any], n_marks: int) -> str | None:
        """Say why the run cannot be made again, if so."""
        if self._settings.token is None and not self._settings.hosts:
            return (
                "The service is open to others without a token, so nobody can start a refit here. "
                "Start it with --token."
            )
        try:
            check_refit(self._folder, description)
        except VeracityError as error:
            return self._without_paths(str(error))
        return None if n_marks else "No item is marked yet, so there is nothing new to learn."

    @property
    def is_running(self) -> bool:
        """Whether a refit is under way."""
        return self._job.status == "running"

    # What can be done

    def start(self, description: dict[str, Any], n_marks: int) -> None:
        """Start a refit, unless one is under way or it cannot be done."""
        why_not = self.why_not(description, n_marks)
        if why_not is not None:
            raise ServiceError(409, "refit_refused", why_not)
        with self._lock:
            if self.is_running:
                raise ServiceError(
                    429,
                    "busy",
                    "A refit is under way already. Wait for its end, or cancel it.",
                    headers={"Retry-After": "5"},
                )
            self._cancelled = False
            self._job = Job("running", started=time.monotonic())
            self._thread = threading.Thread(
                target=self._work, args=(n_marks,), name="refit", daemon=True
            )
            self._thread.start()

    def cancel(self) -> None:
        """End the refit that is under way; the run stays as it was."""
        if not self.is_running:
            raise ServiceError(409, "no_refit", "No refit is under way.")
        self.stop()

    def stop(self) -> None:
        """End a refit, if there is one, and wait for that."""
        with self._lock:
            self._cancelled = True
            if self._process is not None:
                self._process.kill()
        if self._thread is not None:
            self._thread.join()

    # The job

    def _work(self, n_marks: int) -> None:
        """Make the run again, load it, and let it take the place of the old."""
        made: Path | None = None
        try:
            made = self._place()
            with held(made, alone=True):  # so that no other service takes it for a remnant
                self._make(made / "run")
                self._step(LOADING)
                store = self._open_store(made / "run")
                if self._cancelled:
                    raise _Cancelled
                self._switch(store, lambda: self._replace(made / "run"))
            self._end("done", f"Made again with {plural(n_marks, 'mark')}.")
        except _Cancelled:
            self._end("cancelled", "The refit was cancelled. The run is as it was.")
        except (VeracityError, OSError) as error:
            self._end("failed", f"{self._without_paths(str(error))} The run is as it was.")
        except Exception:
            self._end("failed", FAULT)
            raise
        finally:
            if made is not None:
                shutil.rmtree(made, ignore_errors=True)

    def _place(self) -> Path:
        """Return an empty folder beside that of the run, and clear what a crash left of others."""
        target = self._folder.resolve()
        for old in target.parent.glob(f".{target.name}.*{BESIDE}"):
            if not is_held(old):
                shutil.rmtree(old, ignore_errors=True)
        return Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=BESIDE, dir=target.parent))

    def _make(self, target: Path) -> None:
        """Make the run in a process of its own, and follow its progress."""
        command = [sys.executable, "-m", "veracity.workflow.refit_process"]
        with self._lock:
            if self._cancelled:
                raise _Cancelled
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                [*command, str(self._folder.resolve()), str(target)],
                stdin=subprocess.PIPE,  # closed when this process ends, which ends that one
                stdout=subprocess.PIPE,
                text=True,
                env=_environment(),
            )
        assert self._process.stdout is not None
        error = self._follow(self._process.stdout)
        code = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        with self._lock:
            self._process = None
        if self._cancelled:
            raise _Cancelled
        if code:
            raise RefitFailed(error or _why_ended(code))

    def _follow(self, said: IO[str]) -> str | None:
        """Note each stage; return what went wrong, if the process says so."""
        error = None
        for line in said:
            try:
                told = json.loads(line)
            except ValueError:
                continue  # something else that printed
            error = told.get("error", error)
            if told.get("stage") in STEPS:
                self._step(told["stage"])
        return error

    def _replace(self, made: Path) -> None:
        """Put the new run in the place of the old; marks, draw and skips go with it."""
        target = self._folder.resolve()
        with held(target, alone=True, patience=PATIENCE_OF_RESULTS):
            keep_marks(target, made)
            on_disk(made)
            take_place(made, target)

    def _without_paths(self, message: str) -> str:
        """Leave the folders around that of the run out of what everybody may read."""
        for path in (self._folder.resolve(), self._folder):
            message = message.replace(str(path), path.name)
        return message

    def _step(self, stage: str) -> None:
        self._job = replace(self._job, step=STEPS.index(stage))

    def _end(self, status: Status, message: str) -> None:
        self._job = replace(self._job, status=status, message=message, ended=time.monotonic())


class _Cancelled(Exception):
    """Somebody cancelled the refit."""


class RefitFailed(VeracityError):
    """The process of a refit came to a bad end."""


def _environment() -> dict[str, str]:
    """Return the environment of a process that finds the same modules."""
    paths = [path for path in sys.path if path]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def _why_ended(code: int) -> str:
    if code < 0:
        return (
            f"The refit was ended from outside (signal {-code}); it may have needed more memory "
            "than there is."
        )
    return "The refit failed. This is a fault of veracity; the server's log says more."


def _caution(description: dict[str, Any]) -> str:
    return (
        f"The model {description['model']['name']} does not judge items without their own labels, "
        "so what you have audited so far no longer counts for the guarantee after a refit: draw "
        "and mark others then."
    )
