"""A Stepmark of its own that a test may kill and start again; its data outlive it."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path


class Server:
    """A server on a port of this machine, with a campaign `trial` of which `ana` is a member."""

    def __init__(self, data: Path, database: str, password: str) -> None:
        names = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        names |= {"STEPMARK_DATA": str(data), "DEBUG": "1", "LOG_LEVEL": "ERROR"}
        if database:
            names["DATABASE_URL"] = database
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        program = f"from tests.forking_server import main; main({self.port}, {password!r})"
        command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", program]
        root = Path(__file__).resolve().parents[1]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=root, env=names, stdin=pipe, stdout=pipe, text=True)
        self.serving = 0

    def _ask(self, word: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def start(self) -> None:
        """Serve; returns when the port is open."""
        self.serving = int(self._ask("start"))

    def kill(self) -> None:
        """As the system does when memory runs out: without a word. What is dead already stays so."""
        if not self.serving:
            return  # number 0 would mean this very process and all it has started
        os.kill(self.serving, signal.SIGKILL)
        self._ask("wait")
        self.serving = 0

    def stored(self) -> list[str]:
        """The reasons of the labels, and how many drafts there are."""
        return self._ask("stored").split("|")

    def close(self) -> None:
        """End it all."""
        if self.serving:
            self.kill()
        self.process.kill()
        self.process.communicate()
