"""A real PostgreSQL server in a temporary folder, for as long as the tests need it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER, PASSWORD = "veracity", "s3cret"
#: initdb refuses to run as root, so that another user has to.
UNPRIVILEGED = "postgres"


@dataclass(frozen=True)
class Server:
    """A running server with one user and one database."""

    port: int

    def uri(self, password: str = PASSWORD) -> str:
        """Return the address of the database."""
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/postgres"

    def run(self, *statements: str) -> None:
        """Run SQL statements."""
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.uri()) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            connection.commit()


def find_programs() -> Path | None:
    """Return the folder of the server's programs, if there is one we can use."""
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(UNPRIVILEGED)
        except KeyError:
            return None
        if shutil.which("runuser") is None:
            return None
    places = [Path(found).resolve().parent] if (found := shutil.which("initdb")) else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "pg_ctl").exists()), None)


@contextmanager
def running_server(programs: Path) -> Iterator[Server]:
    """Start a server on a free port of 127.0.0.1, and stop it at the end."""
    home = Path(tempfile.mkdtemp(prefix="veracity-pg-"))
    (home / "password").write_text(PASSWORD)
    if os.geteuid() == 0:
        shutil.chown(home, UNPRIVILEGED)
        shutil.chown(home / "password", UNPRIVILEGED)
    port = _free_port()
    options = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c fsync=off"
    control = [str(programs / "pg_ctl"), "-D", str(home / "data"), "-s", "-w"]
    try:
        _run(
            home,
            [str(programs / "initdb"), "-D", str(home / "data"), "-U", USER, "--no-sync"],
            ["--auth=scram-sha-256", f"--pwfile={home / 'password'}", "--encoding=UTF8"],
            ["--no-locale"],
        )
        _run(home, control, ["-l", str(home / "log"), "-o", options, "start"])
        try:
            yield Server(port)
        finally:
            _run(home, control, ["-m", "immediate", "stop"])
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(home: Path, *parts: list[str]) -> None:
    command = [word for part in parts for word in part]
    if os.geteuid() == 0:
        command = ["runuser", "-u", UNPRIVILEGED, "--", *command]
    with (home / "output").open("a+") as output:  # a pipe would be held open by the server
        done = subprocess.run(command, cwd=home, stdout=output, stderr=output)
        if done.returncode:
            output.seek(0)
            raise RuntimeError(f"{command} failed: {output.read()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
