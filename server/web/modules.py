"""All the modules a script of the page imports, so that the page can ask for them at once.

Without that the browser learns of one layer of imports after the other, each a round trip later.
"""

import re
from functools import cache
from pathlib import Path

IMPORTED = re.compile(r'^(?:import|export|\}).*?"\./([\w-]+\.js)";', re.MULTILINE)
"""A module named at the end of an import or export; types are imported in comments, which begin otherwise."""


@cache
def modules_of(folder: Path, script: str) -> tuple[str, ...]:
    """A script of the folder with all modules it needs, in the order in which a browser runs them."""
    found: dict[str, None] = {}
    for name in IMPORTED.findall((folder / script).read_text(encoding="utf-8")):
        found.update(dict.fromkeys(modules_of(folder, name)))
    return (*found, script)
