"""The other side of `killable_server`: it loads the program once and forks a server for each start it is asked for."""

import os
import sys
from typing import NoReturn

from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.db import connections
from django.test import Client

from annotation.intake import take_in
from annotation.models import Annotation, Draft, Project, User
from annotation.projects import create_project
from config.wsgi import application
from tests.conftest import solution_record

SOLUTIONS = 3


def set_up(password: str) -> None:
    """A campaign with a few items and one annotator."""
    call_command("migrate", verbosity=0)
    ana = User.objects.create_user("ana", password=password)
    project = create_project(Project(slug="trial", name="Trial", overlap=1), [ana])
    take_in(project, [solution_record(n) for n in range(SOLUTIONS)])
    Client(SERVER_NAME="localhost").get("/login/")  # so that all is loaded before the first fork


def fork(port: int) -> int:
    """Fork a server and return its process id; the port is open by then."""
    connections.close_all()
    server = ThreadedWSGIServer(("127.0.0.1", port), WSGIRequestHandler)
    server.set_app(application)
    child = os.fork()
    if child == 0:
        serve(server)
    server.server_close()
    return child


def serve(server: ThreadedWSGIServer) -> NoReturn:
    """Serve until killed."""
    sys.stdin.close()
    server.serve_forever()
    os._exit(0)


def stored() -> str:
    """The reasons of the labels, and how many drafts there are."""
    reasons = Annotation.objects.order_by("pk").values_list("reason", flat=True)
    found = "|".join([*reasons, str(Draft.objects.count())])
    connections.close_all()
    return found


def main(port: int, password: str) -> None:
    """Do as the lines of the standard input say, and answer each with one line."""
    set_up(password)
    child = 0
    for line in sys.stdin:
        if line.strip() == "start":
            child = fork(port)
            print(child, flush=True)
        elif line.strip() == "wait":
            print(os.waitpid(child, 0), flush=True)
        else:
            print(stored(), flush=True)
