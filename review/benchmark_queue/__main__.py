"""Make a database of its own on the server DATABASE_URL names (default: SQLite), time the queue in it, drop it."""

import os
import sys
from importlib import import_module

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    # Models can only be imported once Django is set up.
    import_module("review.benchmark_queue.timings").run(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
