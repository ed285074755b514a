"""Every published result can be reproduced."""

from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from hoppers.analysis.published_results import Outcome, PublishedResult, agrees, all_results, run
from hoppers.cli.commands import main
from hoppers.web.settings import DEFAULTS


def name(result: PublishedResult) -> str:
    return f"{result.puzzle}-{result.method}-{result.first_move or result.goal}-{result.farthest}"


MAX_NODES = 10**9
"""Results with more nodes take over a minute; only `python -m hoppers classics` runs them."""


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(result, marks=[pytest.mark.slow] * bool(result.seconds), id=name(result))
        for result in all_results()
        if (result.total or 0) < MAX_NODES
    ],
)
def test_published_result_is_reproduced(result: PublishedResult) -> None:
    outcome = run(result)
    assert agrees(result, outcome), outcome


def test_limits_of_the_server_admit_every_result() -> None:
    """The limits leave a factor of 4 for nodes and 10 for seconds, for slow and busy machines."""
    limits: dict[str, Any] = DEFAULTS
    for result in all_results():
        assert 4 * (result.expected_nodes or 0) < limits["SEARCH_NODES"]
        assert 10 * result.seconds < limits["SEARCH_SECONDS"]


def test_different_figures_do_not_agree() -> None:
    first = all_results()[0]
    assert agrees(first, Outcome(7, 18, first.nodes, 0.0))
    assert not agrees(first, Outcome(8, 18, first.nodes, 0.0))
    assert not agrees(first, Outcome(7, 17, first.nodes, 0.0))
    assert not agrees(first, Outcome(7, 18, (*first.nodes[:-1], 1), 0.0))


def test_command_prints_both_figures_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoppers.analysis.published_results.all_results", lambda: all_results()[:3])
    done = CliRunner().invoke(main, ["classics"])
    assert done.exit_code == 0
    assert "7 ×18  44,850          7 ×18  44,850" in done.stdout
    assert done.stdout.endswith("3 of 3 agree\n")


def test_slow_results_run_last_or_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = all_results()[:3]
    monkeypatch.setattr(
        "hoppers.analysis.published_results.all_results",
        lambda: (msgspec.structs.replace(first, seconds=9), second, third),
    )
    done = CliRunner().invoke(main, ["classics"]).stdout
    assert [line.split()[2] for line in done.splitlines()[1:4]] == ["corners", "best", "deepening"]
    quick = CliRunner().invoke(main, ["classics", "--quick"]).stdout
    assert "2 of 2 agree\n1 that take long are left out" in quick


def test_command_fails_if_a_result_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = PublishedResult("flip-it-6", "any", "bb_bbb", moves=7)
    monkeypatch.setattr("hoppers.analysis.published_results.all_results", lambda: (wrong,))
    done = CliRunner().invoke(main, ["classics"])
    assert (done.exit_code, "DIFFERS" in done.stdout) == (1, True)
