"""What a model answered: the reply, and the object inside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.control_words import first_turn

Mode = Literal["json_schema", "json_object", "text"]
MODES: tuple[Mode, ...] = ("json_schema", "json_object", "text")
Schema = Mapping[str, Any]

_THINKING = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """`parsed` is the object asked for, or None when the text holds none; `tokens` is (prompt, completion).

    `finish` says why it ended: "stop", "length" when it was cut off, or the server's own word.
    """

    text: str
    parsed: Mapping[str, Any] | None
    mode: Mode
    tokens: tuple[int, int] = (0, 0)
    finish: str = "stop"
    refused: bool = False


def object_in(text: str, schema: Schema) -> Mapping[str, Any] | None:
    """The JSON object a reply consists of (fences and thinking aside), if it has all that the schema requires.

    One that says two things under one name says nothing: models held to JSON go on to the other answer as well.
    """
    text = first_turn(_THINKING.sub("", text))
    for candidate in (text, *reversed(_FENCED.findall(text))):
        try:
            found = json.loads(candidate, object_pairs_hook=at_one)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and all(name in found for name in schema.get("required", ())):
            return found
    return None


class SaidTwice(ValueError):
    """An object gives two different values to one name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} stands for two different values")
        self.name = name


def at_one(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, for `json.loads`, where the last of two values would win in silence.

    Raises: SaidTwice.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found and json.dumps(found[name]) != json.dumps(value):  # true is not 1
            raise SaidTwice(name)
        found[name] = value
    return found
