"""Fixed sentences of modules that know no Django: marked here for the translators, translated where they are shown."""

from __future__ import annotations


def gettext_noop(text: str) -> str:
    """The text itself. makemessages collects what is passed to a function of this name."""
    return text
