"""Where long builds run: in this process, or wherever the injected runner runs them."""

from collections.abc import Callable, Generator
from typing import Any

Runner = Callable[..., Generator[Any, None, Any]]
"""Runs a generator function of a module with its arguments; yields its values and returns its result."""


class _Where:
    runner: Runner | None = None


def use(runner: Runner | None) -> None:
    """Run all later builds by `runner`; None: in this process."""
    _Where.runner = runner


def leave(runner: Runner) -> None:
    """Run later builds in this process, if they are run by `runner` now."""
    if _Where.runner == runner:
        use(None)


def has_place() -> bool:
    """Return whether builds run in another process."""
    return _Where.runner is not None


def elsewhere(
    function: Callable[..., Generator[Any, None, Any]], *arguments: Any
) -> Generator[Any, None, Any]:
    """Run a long build; yield its values and return its result."""
    return (yield from (_Where.runner(function, *arguments) if _Where.runner else function(*arguments)))
