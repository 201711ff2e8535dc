"""The guides that the apps carry, as pages."""

from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe


def show_guide(request: HttpRequest, folder: Path, name: str) -> HttpResponse:
    """A guide from an app's folder of documents as a page, in the reader's language, else in English."""
    own = folder / f"{name}.{get_language()}.md"
    text = (own if own.exists() else folder / f"{name}.en.md").read_text(encoding="utf-8")
    return render(request, "annotation/guide.html", {"text": text, "name": name, "here": "guide"})


@require_safe
def annotators(request: HttpRequest) -> HttpResponse:
    """The guide for annotators."""
    return show_guide(request, Path(__file__).parents[1] / "docs", "annotators")
