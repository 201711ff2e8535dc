"""A throw-away PostgreSQL server for tests: a folder and a socket of its own, gone afterwards."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}
LOCAL = {"listen_addresses": "", "max_connections": "200"}  # no port is opened: the socket is the only way in


def programs() -> Path | None:
    """The folder of the newest server's programs, None when there is none on this machine."""
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: _number(path.parts[-3]))
    on_path = shutil.which("pg_ctl")
    found = packaged[-1] if packaged else Path(on_path).resolve() if on_path else None
    return found.parent if found and (found.parent / "initdb").exists() else None


def version() -> str:
    """The server's main version ("15"); empty when there is none."""
    folder = programs()
    if folder is None:
        return ""
    told = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    number = re.search(r"\d+", told)
    return number.group() if number else told.strip()


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server and hand out its DATABASE_URL."""
    folder = programs()
    if folder is None:
        raise RuntimeError("There is no PostgreSQL server program on this machine.")
    home = Path(tempfile.mkdtemp(prefix="stepmark-pg-"))
    who = _unprivileged(home)
    options = " ".join(f"-c {name}={value or chr(39) * 2}" for name, value in {**FAST, **LOCAL}.items())
    control = [folder / "pg_ctl", "-D", home / "data", "-w", "-s"]
    try:
        _run([folder / "initdb", "-D", home / "data", "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"], who)
        _run([*control, "-l", home / "log", "-o", f"{options} -k {home}", "start"], who)
        try:
            yield f"postgres://postgres@/{home}/postgres"
        finally:
            _run([*control, "-m", "immediate", "stop"], who)
    finally:
        shutil.rmtree(home)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _unprivileged(home: Path) -> dict[str, Any]:
    """The server refuses to run as root: then its own account runs it, and owns its folder."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("postgres")
    os.chown(home, account.pw_uid, account.pw_gid)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _run(command: list[Any], who: dict[str, Any]) -> None:
    # The server keeps the streams it inherits, so they must not be pipes that somebody waits for.
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False, **who)
        said.seek(0)
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{said.read()}")
