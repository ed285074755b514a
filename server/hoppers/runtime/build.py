"""Which code runs: a digest that differs between two builds of one version."""

import hashlib
from functools import cache

from hoppers.runtime import PACKAGE, PACKED, __version__, repository_root, resource_folder


@cache
def code_digest() -> str:
    """Return a digest (12 hexadecimal digits) of the program: Python, templates, and the bundle of scripts.

    It is the same in a clone with a current bundle and in the wheel that is built from it.
    """
    root = repository_root()
    stamp = (PACKED / "static" if root is None else root / "bundle") / "sources.sha256"
    templates = resource_folder() / "templates"
    files = [*sorted(PACKAGE.rglob("*.py")), *sorted(templates.rglob("*.*")), stamp]
    digest = hashlib.sha256()
    for path in files:
        if path.is_file():  # a clone in which no bundle has been built has no stamp
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def version_line() -> str:
    """Return version and code in one line, for people."""
    return f"{PACKAGE.name} {__version__} ({code_digest()})"
