"""What a model answered: the reply, the object inside it, and a cache of replies on disk."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

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
    """The JSON object a reply consists of (fences and thinking aside), if it has all that the schema requires."""
    text = _THINKING.sub("", text).strip()
    for candidate in (text, *reversed(_FENCED.findall(text))):
        try:
            found = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(found, dict) and all(name in found for name in schema.get("required", ())):
            return found
    return None


class ReplyCache:
    """Replies on disk by the hash of everything that shapes them; a damaged entry counts as absent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Reply | None:
        try:
            stored = json.loads(self._path(key).read_text(encoding="utf-8"))
            prompt, completion = stored["tokens"]
            ended = stored.get("finish", "stop"), stored.get("refused", False)
            return Reply(stored["text"], stored["parsed"], stored["mode"], (prompt, completion), *ended)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Write under another name and rename, so that a killed process leaves no half entry."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(reply), file, ensure_ascii=False)
        Path(name).replace(path)
