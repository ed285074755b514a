"""Ways to damage a file."""

import os
import random
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], object]


def replaced(make: Damage) -> Damage:
    """Return a function that renames a file and lets `make` put something else in its place."""

    def act(path: Path) -> None:
        path.rename(path.with_suffix(".old"))
        make(path)

    return act


DAMAGE: dict[str, Damage] = {
    "empty": lambda path: os.truncate(path, 0),
    "cut": lambda path: os.truncate(path, path.stat().st_size - 1),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "pipe": replaced(os.mkfifo),
    "folder": replaced(Path.mkdir),
    "full folder": replaced(lambda path: (path / "in").mkdir(parents=True)),
    "link": replaced(lambda path: path.symlink_to(path.with_suffix(".old"))),
    "broken link": replaced(lambda path: path.symlink_to("nowhere")),
    "device": replaced(lambda path: path.symlink_to("/dev/zero")),
    "writable by others": lambda path: path.chmod(0o666),
}
"""What may happen to any file, by name."""
