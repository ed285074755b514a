"""A window of WebKitGTK for WebKitWebDriver, narrow as a phone, for Debian's Python, which has `gi`."""

from typing import Any

import gi  # type: ignore[import-not-found]

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # type: ignore[import-not-found]  # noqa: E402


def create_view(session: object) -> object:
    """Return a web view in a new window."""
    view = WebKit2.WebView(web_context=CONTEXT, is_controlled_by_automation=True)
    window = Gtk.Window()
    window.set_default_size(360, 740)
    window.add(view)
    window.show_all()
    return view


def begin(context: object, session: Any) -> None:
    """Let a session of the driver open views."""
    session.set_application_info(WebKit2.ApplicationInfo())
    session.connect("create-web-view", create_view)


CONTEXT = WebKit2.WebContext.new_ephemeral()
CONTEXT.set_automation_allowed(True)
CONTEXT.connect("automation-started", begin)
Gtk.main()
