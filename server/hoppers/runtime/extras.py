"""Parts of the program that an extra installs, and the error that names the extra of a missing one."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ImportError):
    """A package that an extra installs is missing. The message names the command that installs it."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        """`purpose`: what needs the package, such as "a server"."""
        command = f"pip install 'hoppers[{extra}]'"
        super().__init__(f"{purpose} needs {package}, which is not installed: {command}", name=package)


@contextmanager
def needed_for(purpose: str, extra: str) -> Iterator[None]:
    """Raise a MissingExtra if an import fails because a package of another distribution is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package == __name__.partition(".")[0]:
            raise
        raise MissingExtra(purpose, package, extra) from error
