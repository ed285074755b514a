"""The colours of `static/css/board.css`, worked out for one theme, for pictures that stand alone."""

import re
from functools import cache
from pathlib import Path

TOKEN = re.compile(r"--([\w-]+):\s*([^;]+);")
PAIR = re.compile(r"light-dark\(([^,()]+),\s*([^()]+)\)")
USE = re.compile(r"var\(--([\w-]+)(?:,[^()]*)?\)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@cache
def embedded_style(stylesheet: Path, theme: str) -> str:
    """The style sheet with every colour of the theme written out: no variables, no `light-dark()`."""
    text = COMMENT.sub("", stylesheet.read_text(encoding="utf-8"))
    text = PAIR.sub(lambda pair: pair[1 if theme == "light" else 2].strip(), text)
    head, _, rules = text.partition("}")
    tokens = dict(TOKEN.findall(head))
    return re.sub(r"\s+", " ", USE.sub(lambda use: tokens[use[1]], rules)).strip()
