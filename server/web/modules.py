"""All the modules a script of the page imports, so that the page can ask for them at once.

Without that the browser learns of one layer of imports after the other, each a round trip later.
"""

import re
from functools import cache
from pathlib import Path

from flask import Blueprint, current_app

modules = Blueprint("modules", __name__)

IMPORTED = re.compile(r'^(?:import|export|\}).*?"\./([\w-]+\.js)";', re.MULTILINE)
"""A module named at the end of an import or export; types are imported in comments, which begin otherwise."""


@modules.app_template_filter("imports")
def imports(script: str) -> tuple[str, ...]:
    """The modules that a script in the folder `static` imports, and those they import, and so on."""
    return imported_by(Path(str(current_app.static_folder)), script)


@cache
def imported_by(folder: Path, script: str) -> tuple[str, ...]:
    """The modules in a folder that a script needs, the nearest first."""
    found = [script]
    for name in found:
        text = (folder / name).read_text(encoding="utf-8")
        found += [other for other in dict.fromkeys(IMPORTED.findall(text)) if other not in found]
    return tuple(found[1:])
