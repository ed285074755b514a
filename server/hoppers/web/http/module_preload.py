"""All modules that a script imports, so that the page can preload them at once.

Without preload links the browser discovers one level of imports after the other, each a round trip later.
"""

import posixpath
import re
from functools import cache
from pathlib import Path

IMPORTED = re.compile(r'^(?:import|export|\}).*?"(\.{1,2}/[\w/.-]+\.js)";', re.MULTILINE)
"""Module name at the end of an import or export. Type imports stand in comments and do not match."""


@cache
def modules_of(folder: Path, script: str) -> tuple[str, ...]:
    """Return `script` and all modules it needs, as paths below `folder`, in the order a browser runs them."""
    found: dict[str, None] = {}
    for name in IMPORTED.findall((folder / script).read_text(encoding="utf-8")):
        needed = posixpath.normpath(posixpath.join(posixpath.dirname(script), name))
        found.update(dict.fromkeys(modules_of(folder, needed)))
    return (*found, script)
