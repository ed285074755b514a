"""Hoppers: a server for peg solitaire, sliding tiles and Flip It, with a solver that shows its proof."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Return a new Flask application, with its Socket.IO channel, its engine and its searches.

    Unless the setting `WARM_UP` is False, kernels are compiled or loaded in the background. `config` takes
    precedence over the environment (`HOPPERS_…`), and the environment over `hoppers.web.app.DEFAULTS`.

    Raises:
        BundleError: scripts and styles cannot be prepared (see `hoppers.web.bundle`).
    """
    from hoppers.web.app import build  # here, because `python -m hoppers solve` does not need Flask

    return build(config or {})
