"""Declarations that the build adds to style sheets for browsers without features of 2023 and 2024.

These are `light-dark()` and silent alternative texts of `content`. A browser without `light-dark()` would
draw each colour that is defined with it black or transparent. It gets every pair of colours once more, by the
theme of the system and the choice of the player; paper is always light.
"""

import re

FALLBACK = "@supports not"
PAIR = re.compile(r"(--[\w-]+):\s*light-dark\(([^,()]+),\s*([^,()]+)\)")
SILENT = re.compile(r'content:\s*("[^"]*"|attr\([^()]*\))\s*/\s*""')


def with_fallbacks(style: str) -> str:
    """Return a style sheet with the declarations for older browsers.

    Raise a ValueError if a colour of two themes is not the whole value of a custom property: it could have no
    fallback.
    """
    pairs = PAIR.findall(style)
    if len(pairs) != style.count("light-dark("):
        raise ValueError("light-dark() has a fallback only as the whole value of a custom property")
    style = SILENT.sub(r"content:\1;\g<0>", style)
    return style + _colours(pairs) if pairs else style


def _colours(pairs: list[tuple[str, str, str]]) -> str:
    light = "".join(f"{name}:{colour.strip()};" for name, colour, _ in pairs)
    dark = "".join(f"{name}:{colour.strip()};" for name, _, colour in pairs)
    return (
        f"{FALLBACK} (color:light-dark(red,red)){{:root{{{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}}}"
    )
