"""Make a database of its own on the server DATABASE_URL names (default: SQLite), time the figures in it, drop it."""

import os
import sys
from importlib import import_module

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    # Models can only be imported once Django is set up.
    sizes = [int(each) for each in sys.argv[1:] if each.isdecimal()]
    timings = import_module("review.benchmark_agreement.timings")
    timings.run(sizes[0] if sizes else 100_000, every_step="every-step" in sys.argv)
