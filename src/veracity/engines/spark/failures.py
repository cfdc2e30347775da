"""Errors of executors, as the messages that a local run would give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from veracity import errors
from veracity.errors import InputError, VeracityError

#: How the last line of a Python traceback names one of our errors; the JVM may say more after it.
_OURS = re.compile(r"^veracity\.errors\.(\w+): (.+)$", re.MULTILINE)

#: What Spark says where it has forgotten how to make what was lost.
_LOST = "Checkpoint block"


@contextmanager
def clear_errors(reading: bool = False) -> Iterator[None]:
    """Raise our own errors of executors as such; while reading, also those of Spark's readers."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        found = _OURS.search(str(error))
        kind = None if found is None else getattr(errors, found[1], None)
        if found is not None and isinstance(kind, type) and issubclass(kind, VeracityError):
            raise kind(found[2]) from error
        if _LOST in str(error):
            raise VeracityError(
                "Executors were lost that held both copies of some parameters. Run it again: with "
                "--resume, it goes on from the last checkpoint."
            ) from error
        if reading:
            raise InputError(f"Spark could not read the table: {reason(error)}") from error
        raise


def reason(error: Exception) -> str:
    """Return what an error of Spark says, without the traces of two languages."""
    java = getattr(error, "java_exception", None)
    said = str(error) if java is None else str(java.getMessage())
    if "No space left" in said:
        return "the disk is full. Free some space and run it again."
    if "ClassNotFoundException" in said and ".fs." in said:
        return (
            f"{_first_line(said)}. Spark needs a library for paths of this kind; for s3a: name "
            "org.apache.hadoop:hadoop-aws, in Hadoop's version, as spark.jars.packages."
        )
    return _first_line(said) or type(error).__name__


def _first_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[0] if lines else ""
