"""The load of a process, which decides what work the process may begin."""

from collections.abc import Callable


class Load:
    """The load of one process.

    Args:
        is_busy: returns whether load is high: many players are connected.
        builds_large: False where builds that take hundreds of megabytes belong to another process.
    """

    def __init__(self, is_busy: Callable[[], bool] = lambda: False, builds_large: bool = True) -> None:
        self.is_busy, self.builds_large = is_busy, builds_large

    def may_build_large(self) -> bool:
        """Return whether a build that takes hundreds of megabytes may run now."""
        return self.builds_large and not self.is_busy()
