"""Template filters: `{{ text|rendered:format }}`, `{{ text|rendered_line:format }}` and `{{ text|revealed }}`."""

from django import template
from django.utils.safestring import SafeString

from annotation.rendering import render, render_line, render_start, reveal

register = template.Library()


@register.filter
def rendered(text: str, text_format: str) -> SafeString:
    """A stored text in its declared format, safe and readable."""
    return render(text, text_format)


@register.filter
def rendered_line(text: str, text_format: str) -> SafeString:
    """A short stored text inside a line: an option, an answer."""
    return render_line(text, text_format)


@register.simple_tag
def beginning(text: str, text_format: str, most: int = 140) -> SafeString:
    """The beginning of a stored text, for a list: `{% beginning problem.question problem.text_format 110 %}`."""
    return render_start(text, text_format, most)


@register.filter
def revealed(text: str) -> SafeString:
    """A stored text as it is, invisible characters labelled."""
    return reveal(text)
