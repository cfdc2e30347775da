"""From a table of claims to a finished run, as one function."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from veracity.arguments import knows_arguments, must_be
from veracity.data.claims import Claims
from veracity.data.notes import ranked
from veracity.data.output.decisions import check_error_rate
from veracity.data.output.summary import summarise_claims
from veracity.data.read.frames import is_on_spark
from veracity.data.read.settings import SHAPED_OPTIONS
from veracity.data.read.shape import check_whole
from veracity.data.read.tables import FILE_OPTIONS
from veracity.data.rules.table import Rules
from veracity.data.threads import default_threads, use_threads
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.checkpoints import Checkpoints
from veracity.engines.summary import summarise_blocks
from veracity.engines.truth_check import check_truth
from veracity.errors import InvalidParameter
from veracity.evaluation.metrics import assess
from veracity.models import AUTO, DEFAULT_ALIAS, make_model, model_name
from veracity.models.base import TruthModel, check_place_of_rules
from veracity.models.persistence import plain_parameters
from veracity.workflow.formats import NOT_IN_BLOCKS, compare_formats
from veracity.workflow.nesting import nesting_notes
from veracity.workflow.orders import order_notes
from veracity.workflow.run import Run, check_engine, timed, versions

if TYPE_CHECKING:
    from veracity.workflow.choice import Choice

Progress = Callable[[str], None]

STAGES = ("reading claims", "encoding", "fitting", "evaluating", "writing")


@knows_arguments(SHAPED_OPTIONS | FILE_OPTIONS)
def discover(
    claims: Any,
    *,
    model: str | TruthModel = DEFAULT_ALIAS,
    parameters: Mapping[str, Any] | None = None,
    truth: Any = None,
    known_truth: Any = None,
    rules: Any = None,
    error_rate: float | None = None,
    reconcile: bool = False,
    random_state: int = 0,
    memory: str | int | None = None,
    threads: int | None = None,
    engine: str = "local",
    master: str | None = None,
    checkpoints: Checkpoints | None = None,
    progress: Progress = lambda stage: None,
    **options: Any,
) -> Run:
    """Find out which values to believe and how reliable the sources are.

    Parameters
    ----------
    claims
        `Claims`, a frame, or the path of a file or database.
    model
        The name of a model, or a model of your own making. ``"auto"`` lets known truth choose
        among the default, the vote, accu-copy, dawid-skene, the paper's machine and the default
        with skill per attribute, by cross-validated log loss; the default is kept unless another
        is clearly better, and where there is no known truth.
    parameters
        Of a model given by name; with ``"auto"``, of the default.
    truth
        Known truth to measure the verdicts against; it plays no part in the fit. A file is read
        in the `encoding` of the claims, and by the columns named for them where it has such.
    known_truth
        The truth of some items, which the model then holds to be so; left out when the verdicts
        are measured. Rows with a trust below 1 are answers of assessors, who can err: they count
        as evidence after the fit.
    rules
        Which statements about an entity imply or exclude one another: a table, or the path of a
        file in the `encoding` of the claims. They act on plausibilities after the fit. Not on
        Spark.
    error_rate
        The share of errors among accepted verdicts that `decision` in the truths aims at; by
        default that of the model.
    reconcile
        Whether values of sources that write an attribute in another format than all others are
        rewritten in the way of the others, before the fit. The notes name such sources anyhow.
        Only of claims in memory.
    random_state
        Seed of a model given by name.
    memory
        How much to use, about, such as ``"2GB"``; claims that are too many for it are kept on disk.
        Not all models can do with that; one that cannot says so at once. By default all claims are
        held in memory.
    threads
        How many to use; as many as there are cores if not given.
    engine
        Where the work is done: ``local``, on this machine, or ``spark``, on a cluster, for a path
        that the cluster reads. The claims of a Spark DataFrame stay on the cluster anyhow.
    master
        The address of the Spark cluster; by default what Spark's own settings say.
    checkpoints
        Where a long fit keeps its state every few minutes, to go on after a crash.
    progress
        Called with the name of each stage as it begins.
    options
        How to read the claims; see `Claims.read`.

    Examples
    --------
    >>> from veracity import datasets, discover
    >>> run = discover(datasets.example.path())
    >>> run.model.truths_.column_names[:4]
    ['entity', 'attribute', 'value', 'plausibility']
    """
    _check_arguments(model, parameters, error_rate, random_state, threads)
    is_open = isinstance(model, str) and model == AUTO
    if is_open:
        model = DEFAULT_ALIAS  # unless labels choose another
    name = model_name(model) if isinstance(model, str) else type(model).__name__
    if isinstance(model, str):
        model = make_model(model, random_state=random_state, **(parameters or {}))
    if error_rate is not None:
        check_error_rate(error_rate)
        model.error_rate = error_rate
    check_engine(engine)
    if memory is not None:
        options["memory"] = memory
    if reconcile and (memory is not None or engine == "spark" or is_on_spark(claims)):
        raise InvalidParameter(NOT_IN_BLOCKS)
    on_spark = engine == "spark" or is_on_spark(claims)
    if memory is not None or on_spark:
        model.check_blocks()  # before anything is read
        check_whole(options)
    if rules is not None:
        check_place_of_rules(on_spark)
        rules = Rules.of(rules, encoding=options.get("encoding", "utf-8"))
    read = partial(_read_on_spark, master=master) if on_spark else _read
    with use_threads(threads):
        return _discover(
            partial(read, claims),
            model,
            name,
            is_open,
            truth,
            known_truth,
            rules,
            reconcile,
            checkpoints,
            progress,
            options,
        )


def _check_arguments(
    model: object, parameters: object, error_rate: object, random_state: object, threads: object
) -> None:
    """Refuse arguments of a wrong type before anything is read."""
    if isinstance(model, type) and issubclass(model, TruthModel):
        name = model.__name__
        raise InvalidParameter(f"model must be a model, not a class of models: model={name}().")
    if not isinstance(model, str | TruthModel):
        raise must_be("model", 'the name of a model, such as "vote", or a model', model)
    if not isinstance(parameters, Mapping | None):
        raise must_be("parameters", "a mapping from names to values", parameters)
    if not isinstance(error_rate, Real | None):
        raise must_be("error_rate", "a number", error_rate)
    for name, count in {"random_state": random_state, "threads": threads}.items():
        if not isinstance(count, Integral | None):
            raise must_be(name, "a whole number", count)


def _read(claims: Any, **options: Any) -> Claims | ClaimsInBlocks:
    """Read claims, unless they were read already."""
    return claims if isinstance(claims, ClaimsInBlocks) else Claims.of(claims, **options)


def _read_on_spark(claims: Any, *, master: str | None, **options: Any) -> ClaimsInBlocks:
    """Read claims to the executors of a cluster, and start a session on it if there is none."""
    if isinstance(claims, ClaimsInBlocks):
        return claims
    if is_on_spark(claims):
        return Claims.from_spark(claims, **options)
    from veracity.engines.spark.read import read

    return read(str(claims), master, **options)


def _discover(
    read: Callable[..., Claims | ClaimsInBlocks],
    model: TruthModel,
    name: str,
    is_open: bool,
    truth: Any,
    known_truth: Any,
    rules: Rules | None,
    reconcile: bool,
    checkpoints: Checkpoints | None,
    progress: Progress,
    options: dict[str, Any],
) -> Run:
    seconds: dict[str, float] = {}
    progress(STAGES[0])
    with timed(seconds, "reading"):
        claims, formats = compare_formats(read(**options), reconcile)
        measure = None if truth is None else GroundTruth.beside(truth, options)
        given = (
            None if known_truth is None else GroundTruth.beside(known_truth, options, "known truth")
        )
        checked = None if measure is None else check_truth(measure, claims)  # before the fit
        if measure is not None and given is not None:
            measure = measure.without(given) or None  # nothing left to measure against
    progress(STAGES[1])
    with timed(seconds, "encoding"):
        summary = (
            summarise_blocks(claims)
            if isinstance(claims, ClaimsInBlocks)
            else summarise_claims(claims)
        )
    progress(STAGES[2])
    choice: Choice | None = None
    if is_open:
        from veracity.workflow.choice import choose

        with timed(seconds, "choosing"):
            choice = choose(model, claims, given, rules)
        name, model = choice.name, choice.model
    described = {
        "memory": options.get("memory"),
        "model": {"name": name, "parameters": plain_parameters(model)},
        "known truth": _hash(given),
        "rules": _hash(rules),
        "reconciling": reconcile,
    }
    with timed(seconds, "fitting"), _checkpointed(checkpoints, claims, described):
        if choice is None:
            model.fit(claims, known_truth=given, rules=rules)
        else:
            choice.fit(claims, given, rules)
    progress(STAGES[3])
    with timed(seconds, "evaluating"):
        evaluation = None
        if measure is not None:
            evaluation = assess(model.truths_, measure, claims)[0]
    on_truth = () if checked is None else checked.notes
    on_choice = () if choice is None else choice.notes
    on_values = [*order_notes(claims), *nesting_notes(claims)]
    notes = ranked([*on_truth, *on_choice, *formats.notes, *on_values, *model.notes_])
    return Run(
        claims,
        model,
        name,
        summary,
        evaluation,
        measure,
        given,
        rules,
        None if choice is None else choice.comparison,
        seconds,
        notes,
        clashes=formats.clashes,
    )


@contextmanager
def _checkpointed(
    checkpoints: Checkpoints | None,
    claims: Claims | ClaimsInBlocks,
    described: Mapping[str, Any],
) -> Iterator[None]:
    """Let a fit keep its state, or go on from the state of the same run."""
    if checkpoints is None:
        yield
        return
    checkpoints.begin(
        {
            "versions": versions(),
            "claims": claims.describe_origin(),
            "settings": claims.describe_settings(),
            "threads": default_threads(),
            **described,
        }
    )
    with checkpoints.used():
        yield


def _hash(given: GroundTruth | Rules | None) -> str | None:
    """Return what tells tables apart that are given beside claims, whatever the order of rows."""
    if given is None:
        return None
    rows = sorted(map(repr, given.to_arrow().to_pylist()))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()
