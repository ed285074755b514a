"""Hoppers: a server for peg solitaire, sliding tiles and Flip It, with a solver that shows its proof."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hoppers.runtime.version import __version__

if TYPE_CHECKING:
    from flask import Flask

    from hoppers.web.settings import Settings

__all__ = ["__version__", "create_app"]


def create_app(settings: Settings | None = None) -> Flask:
    """Return a new Flask application, with its Socket.IO channel, its engine and its searches.

    `settings`: by default those of the environment (see `hoppers.web.settings.read_settings`). Unless
    `warm_up` is False, kernels are compiled or loaded in the background.

    Raises:
        BundleError: scripts and styles cannot be prepared (see `hoppers.web.bundle`).
        SettingError: a setting is not valid.
    """
    # here, because `python -m hoppers solve` does not need Flask
    from hoppers.web.app import build
    from hoppers.web.settings import read_settings

    return build(settings or read_settings(os.environ))
