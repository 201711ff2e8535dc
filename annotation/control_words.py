"""Control words of chat templates: broken in what a model is given, cut from what it says."""

from __future__ import annotations

import re

_TURN = r"<\|[^|<>\n]{1,40}\|>|</?(?:start|end)_of_(?:turn|text)>|\[/?INST\]|<</?SYS>>|<(?:\uff5c|\u2581)[^<>\n]{1,60}>"
_EDGE = r"</?(?:s|bos|eos|pad|unk|mask)>"
# Servers that render a chat template as text read these as turns of the conversation, wherever they stand.
_ANY = re.compile(rf"(?=(?:{_TURN}|{_EDGE}))(?P<first>[<\[])", re.IGNORECASE)
_TURNS = re.compile(_TURN, re.IGNORECASE)
_EDGES = re.compile(rf"^(?:\s|{_EDGE})+|(?:\s|{_EDGE})+$", re.IGNORECASE)


def defused(text: str) -> str:
    """The text with a blank inside every control word; nothing else changes."""
    return _ANY.sub(r"\g<first> ", text)


def first_turn(text: str) -> str:
    """What a model said before it went on to play another turn; words such as `</s>` count only at the ends."""
    pieces = (_EDGES.sub("", piece) for piece in _TURNS.split(text))
    return next((piece for piece in pieces if piece), "")
