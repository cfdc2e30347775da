"""Sessions of Spark: one to start, and one of our own beside that of the user."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity import errors
from veracity.engines.spark.failures import reason
from veracity.errors import InvalidParameter, MissingDependency

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

#: Settings of our session. SQL is to mean what it does to DuckDB, and batches are to have a limit
#: in bytes, since a row may be a large piece of a block.
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.csv.parser.columnPruning.enabled": "false",  # rows are checked as a whole
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
    "spark.sql.adaptive.skewJoin.enabled": "true",  # a source may have half of all claims
}
#: Settings of a cluster on this machine: Python and Java speak over Unix sockets. They exchange
#: many small messages, and over TCP some wait 40 ms until an earlier one is acknowledged. On other
#: clusters, the folders of executors may have names that are too long for such a socket.
LOCAL_SETTINGS = {"spark.python.unix.domain.socket.enabled": "true"}
APPLICATION = "veracity"
#: How addresses of clusters begin.
MASTERS = ("local", "spark://", "yarn", "k8s://")


def start(master: str | None = None) -> SparkSession:
    """Return the running session, or start one.

    Parameters
    ----------
    master
        The cluster's address; None for what ``spark-submit`` or Spark's own files say, or this
        machine.
    """
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingDependency(
            'The Spark engine needs pyspark: install it with `pip install "veracity[spark]"`.'
        ) from error
    if master is not None and not master.startswith(MASTERS):
        raise InvalidParameter(
            f"{master!r} is not the address of a Spark cluster. Expected spark://HOST:PORT, yarn, "
            "k8s://URL, or local[N] for N cores of this machine."
        )
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    check_java()
    builder = SparkSession.builder.appName(APPLICATION).config(
        "spark.ui.showConsoleProgress", False
    )
    if master is not None:
        builder = builder.master(master)
    try:
        if _is_local(master):  # executors are on this machine, and have the same Python
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            for name, setting in LOCAL_SETTINGS.items():
                builder = builder.config(name, setting)
        return builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise InvalidParameter(
            f"Spark did not start with the master {master or 'of its own settings'}: "
            f"{reason(error)} See its messages above, and check the address of the cluster."
        ) from error


def _is_local(master: str | None) -> bool:
    """Whether a master is this machine; what Spark's own files say is known once Java runs."""
    if master is None:
        from pyspark import SparkConf, SparkContext

        SparkContext._ensure_initialized()
        master = SparkConf().get("spark.master", os.environ.get("MASTER", "local"))
    return master.startswith("local")


def check_java() -> None:
    """Refuse to start where there is no Java; Spark would say so with less."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which(f"{home}/bin/java" if home else "java") is None:
        where = f"in JAVA_HOME, which is {home}" if home else "on the PATH"
        raise MissingDependency(
            f"The Spark engine needs Java 17 or newer, and there is none {where}. Install it, such "
            "as the package openjdk-17-jre-headless, or set JAVA_HOME to where it is."
        )


#: The clusters that have the package.
_shipped: weakref.WeakSet[SparkContext] = weakref.WeakSet()


def ship_package(session: SparkSession) -> None:
    """Send this package to the executors, once; they need to have its dependencies only.

    It goes as a zip file: compiled functions find a place to be kept beside that, too.
    """
    context = session.sparkContext
    if context in _shipped:
        return
    _shipped.add(context)
    if not Path(errors.__file__).exists():  # within an archive that came with --py-files
        return
    if str(context.master).startswith("local") and _found_by_worker(context) == errors.__file__:
        return
    folder = tempfile.mkdtemp(prefix="veracity-ship-")
    weakref.finalize(context, shutil.rmtree, folder, ignore_errors=True)
    context.addPyFile(str(zipped_package(Path(folder))))


def zipped_package(folder: Path) -> Path:
    """Write this package to a zip file in a folder."""
    package = Path(errors.__file__).parent
    archive = shutil.make_archive(str(folder / "veracity"), "zip", package.parent, package.name)
    return Path(archive)


def _found_by_worker(context: SparkContext) -> str | None:
    """Return where a Python worker of this machine finds one of our files, if it does.

    There, what was compiled before lies beside the package, and need not be compiled again.
    """

    def find(_: Any) -> str | None:
        from importlib.util import find_spec

        try:
            found = find_spec("veracity.errors")
        except ModuleNotFoundError:
            return None
        return None if found is None else found.origin

    found: str | None = context.parallelize([0], 1).map(find).first()
    return found


def beside(session: SparkSession) -> SparkSession:
    """Return a session of our own on the same cluster: names and settings are not shared."""
    if not hasattr(session, "_jsparkSession"):
        raise InvalidParameter(
            "A Spark Connect session cannot be used, since it has no broadcast. Expected a session "
            "of classic PySpark, in which the driver runs."
        )
    ship_package(session)
    own = session.newSession()
    for name, value in SETTINGS.items():
        if own.conf.get(name) != value:  # of some settings, Spark warns whatever they are set to
            own.conf.set(name, value)
    return own
