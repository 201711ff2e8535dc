"""The one command that starts everything also ends everything."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import ROOT


def waited_for(what: Callable[[], object]) -> bool:
    """Whether it comes true within a minute or two."""
    deadline = time.monotonic() + 120
    while not what():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def children(pid: int) -> list[int]:
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in told.read_text().split()] if told.exists() else []


def test_a_plain_kill_ends_the_worker_too(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "manage.py", "quickstart", "--port", str(port)]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "DATABASE_URL"))}
    started = subprocess.Popen(command, cwd=ROOT, env=own | {"STEPMARK_DATA": str(tmp_path)}, stdout=subprocess.DEVNULL)
    try:
        assert waited_for(lambda: children(started.pid)), "the worker is started"
        (worker,) = children(started.pid)
        assert waited_for(lambda: b"db_worker" in Path(f"/proc/{worker}/cmdline").read_bytes())
        started.send_signal(signal.SIGTERM)
        started.wait(timeout=60)
        assert waited_for(lambda: not Path(f"/proc/{worker}").exists())
    finally:
        started.kill()
