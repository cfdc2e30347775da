"""A Spark cluster of two executors on this machine, for as long as the tests need it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.engines.spark.session import LOCAL_SETTINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NEEDED_JAVA = 17
#: For a short life: what is run once or twice is not worth compiling well.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    **LOCAL_SETTINGS,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    "spark.executor.extraJavaOptions": JAVA_OPTIONS,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    # Tests kill executors, more often than a cluster would put up with.
    "spark.deploy.maxExecutorRetries": "-1",
}


def has_java() -> bool:
    """Whether there is a Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        return False
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', told)
    return found is not None and int(found[1]) >= NEEDED_JAVA


@contextmanager
def running_cluster() -> Iterator[SparkSession]:
    """Start a driver here and two executors, each a process of its own; stop them at the end.

    The executors get the package from the driver, as those of a real cluster do.
    """
    import pyspark
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory(prefix="veracity-spark-") as folder:
        os.environ |= {
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": folder,
        }
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("tests")
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        # Where a cluster of this kind has its executors run, whatever is set.
        logs = Path(pyspark.__file__).parent / "work" / session.sparkContext.applicationId
        try:
            yield session
        finally:
            session.stop()
            shutil.rmtree(logs, ignore_errors=True)


def executor_processes() -> list[int]:
    """Return the process ids of the executors of this test's cluster."""
    own = os.getpid()
    found = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = status.read_bytes().split(b"\0")
        except OSError:
            continue
        is_executor = b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words
        if is_executor and own in _ancestors(int(status.parent.name)):
            found.append(int(status.parent.name))
    return sorted(found)


def _ancestors(process: int) -> list[int]:
    line = []
    while process > 1:
        line.append(process)
        try:
            text = Path(f"/proc/{process}/stat").read_text()
        except OSError:
            break
        process = int(text.rpartition(")")[2].split()[1])
    return line
