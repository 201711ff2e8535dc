"""What rendered text may consist of, checked by a parser that shares no code with the renderer."""

import re
from html.parser import HTMLParser

MATHML = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msqrt", "mroot", "mfrac", "msub", "msup", "msubsup",
          "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mpadded", "mphantom"}  # fmt: skip
HTML = {"div", "span", "p", "br", "hr", "em", "strong", "b", "i", "ul", "ol", "li", "blockquote", "table", "thead",
        "tbody", "tr", "th", "td", "a", "code", "pre", "details", "summary"}  # fmt: skip
WORD = re.compile(r"[a-z0-9.]{0,12}")
LENGTH = re.compile(r"-?\d{0,2}(\.\d+)?(em|px|pt|ex|rem|%)?")
CLASSES = re.compile(r"[\w-]+( [\w-]+)*|")
ATTRIBUTES = {
    **dict.fromkeys(("class", "data-tex", "title"), re.compile(r".*", re.DOTALL)), "class": CLASSES,
    "data-source": re.compile(r".*", re.DOTALL), "colspan": re.compile(r"\d{1,2}"),
    "dir": re.compile("auto"), "start": re.compile(r"\d+"), "href": re.compile(r"(https?://|mailto:)[!-~]*"),
    "rel": re.compile("noopener noreferrer"), "target": re.compile("_blank"),
    **dict.fromkeys(("display", "displaystyle", "scriptlevel", "mathvariant", "form", "stretchy", "accent",
                     "accentunder", "symmetric", "largeop", "movablelimits", "columnspan"), WORD),
    **dict.fromkeys(("lspace", "rspace", "minsize", "maxsize", "width", "height", "depth", "linethickness"), LENGTH),
}  # fmt: skip


class Inspector(HTMLParser):
    """Collects what is not allowed, the text a reader sees, and the TeX kept for copying."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.unsafe: list[str] = []
        self.seen: list[str] = []
        self.tags: list[str] = []
        self.tex: list[str] = []
        self.classes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in MATHML | HTML:
            self.unsafe.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES or not ATTRIBUTES[name].fullmatch(value or ""):
                self.unsafe.append(f"<{tag} {name}={value!r}>")
            if name == "data-tex":
                self.tex.append(value or "")
            if name == "class":
                self.classes.update((value or "").split())

    def handle_data(self, data: str) -> None:
        self.seen.append(data)

    def handle_comment(self, data: str) -> None:
        self.unsafe.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.unsafe.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.unsafe.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.unsafe.append(f"<![{data}]>")

    @property
    def text(self) -> str:
        return "".join(self.seen)


def inspect(html: str) -> Inspector:
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()
    return inspector
