"""A checker written from docs/certificates.md alone accepts the same certificates."""

import json
from typing import Any

import pytest

from hoppers.analysis.certificates import CERTIFICATES
from tests.support.outsider import holds

ALL: list[dict[str, Any]] = [json.loads(line) for line in CERTIFICATES.read_text().splitlines()]


def test_certificates_are_accepted_by_the_page_of_the_format_alone() -> None:
    assert all(holds(one) for one in ALL if one["proof"]["kind"] in ("functions", "line"))


@pytest.mark.slow
def test_tables_are_accepted_by_the_page_of_the_format_alone() -> None:
    tables = [one for one in ALL if one["proof"]["kind"] == "table" and "r" not in one["start"]]
    small = [one for one in tables if len(one["start"]) == 13][:12]
    assert {type(one["claim"]) for one in small} == {str, dict}
    assert all(holds(one) for one in small)
    for one in small[:3]:
        assert not holds(one | {"claim": {"moves": 3}})


@pytest.mark.slow
def test_table_with_a_red_peg_is_accepted() -> None:
    one = next(one for one in ALL if "r" in one["start"] and len(one["start"]) == 13)
    assert holds(one)
    assert not holds(one | {"start": one["start"].replace("r", "o")})
