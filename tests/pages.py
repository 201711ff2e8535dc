"""What a person sees of a response, for tests of pages."""

import re
from html import unescape
from typing import Any

from django.http import HttpResponse

HTMX = {"HX-Request": "true"}


def words(response: Any) -> str:
    """The text of a page as it reads, without tags, with single spaces."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", _text(response)))).strip()


def is_whole(response: Any) -> bool:
    """Whether this is a page, not a part of one."""
    return "<!doctype html>" in _text(response).lower()


def fields(response: Any) -> dict[str, str]:
    """The values of the hidden inputs of a page's forms."""
    found = re.findall(r'<input[^>]*type="hidden"[^>]*>', _text(response))
    pairs = [(re.search(r'name="([^"]*)"', each), re.search(r'value="([^"]*)"', each)) for each in found]
    return {name.group(1): unescape(value.group(1)) for name, value in pairs if name and value}


def text_in(response: Any, name: str) -> str:
    """What stands in a text area of a page."""
    found = re.search(rf'<textarea[^>]*name="{name}"[^>]*>(.*?)</textarea>', _text(response), re.S)
    return unescape(found.group(1)).lstrip("\r\n") if found else ""


def _text(response: Any) -> str:
    assert isinstance(response, HttpResponse)
    return response.content.decode()
