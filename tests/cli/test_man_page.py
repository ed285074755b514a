"""The manual page of the command line."""

from tools.man_page import PATH, man_page


def test_manual_page_has_the_help_of_today() -> None:
    """After a change of the help, `python -m tools.man_page` writes the page again."""
    assert PATH.read_text(encoding="utf-8") == man_page()
