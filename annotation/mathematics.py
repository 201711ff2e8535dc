"""One TeX expression to MathML that needs no inline style; what cannot be set is shown as its source."""

import re
from collections.abc import Callable

import nh3
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from math_core import LatexError, LatexToMathML

from annotation.invisible import HIDDEN, mark_hidden

# math-core overflows the stack, and ends the process, on deep nesting: refuse long before (real text nests 6 deep).
LONGEST = 10_000
DEEPEST = 50

_MACROS = {
    **dict.fromkeys(("dotsm", "dotsb", "dotsi"), r"\cdots"), **dict.fromkeys(("dotsc", "dotso"), r"\ldots"),
    "mbox": r"\text{#1}", "textgreater": ">", "textless": "<", "AA": r"\text{Å}", "textcircled": r"\boxed{#1}",
    "overarc": r"\overparen{#1}", "wideparen": r"\overparen{#1}", "hfill": r"\quad",
    "plus": "+", "minus": "-", "equal": "=",
}  # fmt: skip
_CONVERTER = LatexToMathML(fancy_error=False, macros=_MACROS, allow_unreliable_rendering=True)

_CLASS_OF = {
    "width:50%": "tm-half", "width:100%": "tm-full", "width:7.5%": "tm-edge",
    "text-align:left": "tm-left", "justify-items:start": "tm-left",
    "text-align:right": "tm-right", "justify-items:end": "tm-right",
    "padding-left:0": "tm-pl-0", "padding-right:0": "tm-pr-0",
    "padding-top:0": "tm-pt-0", "padding-bottom:0": "tm-pb-0",
    "padding-left:0.1em": "tm-pl-hair", "padding-right:0.1em": "tm-pr-hair",
    "padding-left:0.1667em": "tm-pl-thin", "padding-right:0.1667em": "tm-pr-thin", "padding-top:0.1667em": "tm-pt-thin",
    "padding-left:1em": "tm-pl-1", "margin-left:-0.16666667em": "tm-back-thin",
    "margin-left:-0.22222222em": "tm-back-medium", "margin-left:-0.2777778em": "tm-back-thick",
    **{f"border-{side}:0.05em {line} currentcolor": f"tm-{line}-{side}"
       for side in ("left", "right", "top", "bottom") for line in ("solid", "dashed")},
    "color:#0000FF": "tm-blue", "color:#FF0000": "tm-red", "color:#03FF00": "tm-green", "font-size:120%": "tm-large",
}  # fmt: skip
# Chromium draws no menclose and Firefox does, so a class on an mrow takes its place in both.
_ENCLOSURES = {
    "box": "tm-box", "updiagonalstrike": "tm-up", "downdiagonalstrike": "tm-down", "actuarial": "tm-actuarial",
}  # fmt: skip

_TAGS = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msqrt", "mroot", "mfrac", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mmultiscripts", "mprescripts", "mtable", "mtr", "mtd", "mpadded", "mphantom",
    "b", "i", "em", "code",
}  # fmt: skip
_LENGTH = re.compile(r"-?\d{0,2}(\.\d+)?(em|ex|px|pt|rem|%)?")
_WORD = re.compile(r"[a-z]{1,12}|[012]")
_ATTRIBUTES: dict[str, dict[str, re.Pattern[str]]] = {
    "*": {"displaystyle": _WORD, "scriptlevel": _WORD},
    "math": {"display": _WORD},
    "mi": {"mathvariant": _WORD},
    "mo": {"form": _WORD, "stretchy": _WORD, "symmetric": _WORD, "largeop": _WORD, "movablelimits": _WORD,
           "lspace": _LENGTH, "rspace": _LENGTH, "minsize": _LENGTH, "maxsize": _LENGTH},
    "mspace": {"width": _LENGTH}, "mpadded": {"width": _LENGTH, "height": _LENGTH, "depth": _LENGTH},
    "mfrac": {"linethickness": _LENGTH}, "mover": {"accent": _WORD}, "munder": {"accentunder": _WORD},
    "munderover": {"accent": _WORD, "accentunder": _WORD}, "mtd": {"columnspan": _WORD},
}  # fmt: skip


def _keep_attribute(tag: str, name: str, value: str) -> str | None:
    pattern = _ATTRIBUTES.get(tag, {}).get(name) or _ATTRIBUTES["*"].get(name)
    return value if name == "class" or (pattern and pattern.fullmatch(value)) else None


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
    allowed_classes={tag: {*_CLASS_OF.values(), *_ENCLOSURES.values()} for tag in _TAGS},
    attribute_filter=_keep_attribute,
    link_rel=None,
)

_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_OPENING = re.compile(r"\\(?:left|begin)(?![a-zA-Z])")
_CLOSING = re.compile(r"\\(?:right|end)(?![a-zA-Z])")
_CHAIN = re.compile(rf"(?:\\[a-zA-Z]+[\s\d]*){{{DEEPEST}}}")
_DEFINING = re.compile(r"\\(?:[gex]?def|let|(?:re)?newcommand|providecommand|DeclareMathOperator)(?![a-zA-Z])")
_GROUP = r"((?:[^{}]|\{[^{}]*\})*)"

_REWRITES: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = [
    # A comment would hide text from the reader; models write "50%" and mean it. Only an empty comment is one.
    (re.compile(r"(\\.)|%([ \t]*\n)?", re.DOTALL), lambda match: match.group(1) or match.group(2) or r"\%"),
    (re.compile(r"(\\.)|\$", re.DOTALL), lambda match: match.group(1) or r"\$"),  # money inside a formula
    (re.compile(r"\\renewcommand\s*(\{\\arraystretch\}|\\arraystretch)\s*\{[\d.]*\}"), ""),
    (re.compile(r"\\label\s*\{[^{}]*\}"), ""),
    (re.compile(rf"\\substack\s*\{{{_GROUP}\}}"), r"\\begin{subarray}{c}\1\\end{subarray}"),
    (re.compile(r"\\begin\{alignat\*?\}\s*\{\d*\}"), r"\\begin{align*}"),
    (re.compile(r"\\end\{alignat\*?\}"), r"\\end{align*}"),
    # Numbers that the text does not print would start at (1) in every formula.
    (re.compile(r"(\\begin|\\end)\{(equation|align|gather|multline|flalign)\}"), r"\1{\2*}"),
    (re.compile(r"\\begin\{eqnarray\*?\}"), r"\\begin{array}{rcl}"),
    (re.compile(r"\\end\{eqnarray\*?\}"), r"\\end{array}"),
    (re.compile(r"(\\begin|\\end)\{(?:small)?matrix\}"), r"\1{matrix}"),
    (re.compile(r"(?:\\\\\s*+(?:\[[^\[\]]*+\]\s*+)?+)++(?=\\end\s*\{)"), ""),  # it would be an empty row at the end
]


def nesting(tex: str) -> int:
    """The deepest nesting of braces, `\\left` and `\\begin` in an expression."""
    depth = deepest = 0
    for match in _BRACE.finditer(tex):
        if match.group() == "{" or _OPENING.match(tex, match.start()):
            depth += 1
        elif match.group() == "}" or _CLOSING.match(tex, match.start()):
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


def _refused(tex: str) -> bool:
    return nesting(tex) > DEEPEST or bool(_CHAIN.search(tex) or _DEFINING.search(tex))


def _rewritten(tex: str) -> str:
    for pattern, replacement in _REWRITES:
        tex = pattern.sub(replacement, tex)
    if r"\begin" in tex:
        return rf"\begin{{equation*}}{tex}\end{{equation*}}" if _tag_outside(tex) else tex
    tex = re.sub(r"(\\\\\s*)+\Z", "", tex)
    if r"\\" in tex or "&" in tex.replace(r"\&", ""):  # lines without an environment would run together
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}" if "&" in tex else rf"\begin{{gathered}}{tex}\end{{gathered}}"
    return rf"\begin{{equation*}}{tex}\end{{equation*}}" if r"\tag" in tex else tex


def _tag_outside(tex: str) -> bool:
    return r"\tag" in tex and not re.search(r"\\begin\{(?:equation|align|gather|multline|flalign)\*?\}", tex)


# Rules below the last row come as the upper edge of an empty row.
_RULE_BELOW = re.compile(
    r'<mtable( style="[^"]*)?("?)((?:(?!</?mtable).)*)'
    r'<mtr><mtd style="border-top: ([^;]*);[^"]*"></mtd></mtr></mtable>',
    re.DOTALL,
)


def _rule_below(match: re.Match[str]) -> str:
    style, _quote, rest, line = match.groups()
    return f'<mtable{style or ' style="'}border-bottom: {line};"{rest}</mtable>'


def _with_classes(mathml: str) -> str:
    def classes(match: re.Match[str]) -> str:
        declarations = (re.sub(r"\s*:\s*", ":", part.strip()) for part in match.group(1).split(";"))
        known = dict.fromkeys(_CLASS_OF[part] for part in declarations if part in _CLASS_OF)
        return f' class="{" ".join(known)}"' if known else ""

    def enclosure(match: re.Match[str]) -> str:
        return f'<mrow class="{" ".join(_ENCLOSURES.get(name, "") for name in match.group(1).split())}">'

    mathml = re.sub(r'<mrow class="menclose-[a-z]+"></mrow>', "", mathml)
    mathml = _RULE_BELOW.sub(_rule_below, mathml)
    mathml = re.sub(r' style="([^"]*)"', classes, mathml)
    return re.sub(r'<menclose notation="([a-z ]+)">', enclosure, mathml).replace("</menclose>", "</mrow>")


def to_mathml(tex: str, *, display: bool) -> SafeString | None:
    """MathML of one expression without its delimiters, or None when it is refused or cannot be converted."""
    if len(tex) > LONGEST:
        return None
    tex = _rewritten(HIDDEN.sub("", tex))
    if _refused(tex):
        return None
    try:
        mathml = _CONVERTER.convert_with_local_state(tex, displaystyle=display)
    except LatexError:
        return None
    return mark_safe(_CLEANER.clean(_with_classes(mathml)))  # noqa: S308


def render_math(tex: str, *, display: bool = False, source: str | None = None) -> SafeString:
    """An expression ready for the page; its TeX is on the element as `data-tex`, for copying.

    `source` is the text as written, delimiters included; it is what is shown when the expression cannot be set.
    """
    mathml = to_mathml(tex, display=display)
    shape = " tex-display" if display else ""
    if mathml is None:
        title = _("This formula could not be set. Its source is shown.")
        shown = mark_hidden(escape(tex if source is None else source))
        return format_html('<code class="tex-error{}" title="{}" data-tex="{}">{}</code>', shape, title, tex, shown)
    hidden = "".join(match.group() for match in HIDDEN.finditer(tex))
    return format_html('<span class="tex{}" data-tex="{}">{}{}</span>', shape, tex, mathml, mark_hidden(hidden))
