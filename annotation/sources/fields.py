"""Typed access to one record of a file: what is wrong is written down beside it, not raised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from annotation.sources.files import JsonObject
from annotation.sources.records import BadRecord, Oddity, Severity, TextFormat

TEXT_FORMATS: tuple[TextFormat, ...] = get_args(TextFormat)
LABEL_FIELDS = ("gold", "labels")  # a fault here spoils the published label, not the solution
SHORT = 200  # longest name the database keeps: sources, ids, models
SHOWN = 60


@dataclass
class Fields:
    """One JSON object of a file, the place it stands at, and what was found wrong with it."""

    where: str
    values: Mapping[str, Any]
    oddities: list[Oddity] = field(default_factory=list)

    def odd(self, kind: str, severity: Severity, name: str, message: str) -> None:
        """Write down an oddity of this record."""
        self.oddities.append(Oddity(kind, severity, self.where, name, message))

    @property
    def blocked(self) -> bool:
        """Whether the record cannot be taken in at all (a fault of its label alone does not count)."""
        return any(odd.severity == "blocking" and odd.field not in LABEL_FIELDS for odd in self.oddities)

    def bad(self) -> BadRecord:
        """The record as one that cannot be taken in."""
        return BadRecord(self.where, tuple(self.oddities))

    def text(self, name: str, *, needed: bool = False, longest: int | None = None, default: str = "") -> str:
        """The text of a field; absent or null gives the default, which a needed field may not have."""
        value = self.values.get(name)
        if value is None or (needed and isinstance(value, str) and not value.strip()):
            if needed:
                self.odd("missing_field", "blocking", name, f"{name} is missing or blank.")
            return default
        if not isinstance(value, str):
            self.wrong_type(name, "a text")
            return default
        if longest is not None and len(value) > longest:
            self.odd("too_long", "blocking", name, f"{name} has {len(value)} characters; at most {longest} fit.")
        return value

    def wrong_type(self, name: str, wanted: str, in_field: str | None = None) -> None:
        """Write down that a field is of another type than wanted; blocks what `in_field` (default: it) belongs to."""
        value = self.values.get(name)
        self.odd("wrong_type", "blocking", in_field or name, f"{name} is {wanted}, not {shown(value)}.")

    def whole_number(self, name: str, in_field: str | None = None) -> int | None:
        """A whole number; digits in a text are taken with a warning, true and false are refused."""
        value = self.values.get(name)
        if isinstance(value, bool):
            self.odd("bool_as_int", "blocking", in_field or name, f"{name} is a whole number, not {shown(value)}.")
            return None
        if isinstance(value, str) and value.strip().removeprefix("-").isdecimal() and len(value) < SHOWN:
            self.odd("int_as_text", "warning", name, f"{name} is the text {shown(value)}; taken as a whole number.")
            return int(value)
        if not isinstance(value, int):
            self.wrong_type(name, "a whole number", in_field)
            return None
        return value

    def mapping(self, name: str) -> Mapping[str, Any]:
        """A JSON object; absent or null gives an empty one."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            self.wrong_type(name, "an object")
        return dict(value) if isinstance(value, dict) else {}

    def texts(self, name: str) -> list[str] | None:
        """A list of texts, else None with an oddity."""
        value = self.values.get(name)
        if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            return list(value)
        self.wrong_type(name, "a list of texts")
        return None


def open_record(where: str, value: Any) -> Fields | BadRecord:
    """A record ready to be read field by field; refused when it is no object or holds what cannot be stored."""
    if isinstance(value, BadRecord):
        return value
    fields = Fields(where, value if isinstance(value, dict) else {})
    if not isinstance(value, dict):
        fields.odd("not_an_object", "blocking", "", f"A record is a JSON object, not {shown(value)}.")
    for path, fault, message in _unstorable(value):
        fields.odd(fault, "blocking", path or "record", message)
    return fields.bad() if fields.blocked else fields


def chosen_format(text_format: str | None, default: TextFormat) -> TextFormat:
    """The text format asked for, else the default. Raises: ValueError for an unknown one."""
    if text_format is None:
        return default
    for known in TEXT_FORMATS:
        if known == text_format:
            return known
    raise ValueError(f"A text format is one of {', '.join(TEXT_FORMATS)}, not {text_format!r}.")


def shown(value: Any) -> str:
    """A value as a message shows it, cut when long."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _unstorable(record: Any) -> Iterator[tuple[str, str, str]]:
    waiting = [("", record)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(value, JsonObject) and value.repeated:
                yield path, "repeated_key", f"The key {shown(value.repeated[0])} stands here more than once."
            waiting += [(path or "record", key) for key in value]
            waiting += [(f"{path}.{key}" if path else str(key), entry) for key, entry in value.items()]
        elif isinstance(value, list):
            waiting += [(path, entry) for entry in value]
        elif isinstance(value, str):
            yield from _bad_characters(path, value)


def _bad_characters(path: str, text: str) -> Iterator[tuple[str, str, str]]:
    name = ascii(path)[1:-1]
    if "\x00" in text:
        yield name, "nul_character", f"{name} holds a NUL character (U+0000), which no database keeps; remove it."
    try:
        text.encode()
    except UnicodeEncodeError as error:
        yield name, "lone_surrogate", f"{name} holds half a character ({text[error.start]!a}), which is no text."
