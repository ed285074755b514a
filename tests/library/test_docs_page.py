"""docs/python.md is what Python prints."""

import doctest

from tests import ROOT


def test_page_is_as_printed() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert tried > 25 and not failed
