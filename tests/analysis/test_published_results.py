"""Published results, reproduced by running their searches again."""

from types import SimpleNamespace

import msgspec
import pytest
from click.testing import CliRunner

from hoppers.analysis.published_results import PublishedResult, agrees, all_results, run
from hoppers.cli.main import main
from hoppers.core.events import Stopped
from hoppers.web.settings import Settings
from tests.support.engine import ENGINE


def name(result: PublishedResult) -> str:
    return f"{result.puzzle}-{result.method}-{result.first_move or result.goal}-{result.max_moves}"


MAX_NODES = 10**9
"""Results with fewer nodes are run here; others take over a minute (run `python -m hoppers published`)."""


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(result, marks=[pytest.mark.slow] * bool(result.seconds), id=name(result))
        for result in all_results()
        if (result.total or 0) < MAX_NODES
    ],
)
def test_published_result_is_reproduced(result: PublishedResult) -> None:
    computed = run(ENGINE, result)
    assert agrees(result, computed), computed


def test_default_limits_allow_every_published_result() -> None:
    """The default limits exceed four times the nodes and ten times the seconds of any published search."""
    most = Settings()
    for result in all_results():
        assert 4 * (result.expected_nodes or 0) < most.search_nodes
        assert 10 * result.seconds < most.search_seconds


def test_stopped_search_proves_nothing_unsolvable(monkeypatch: pytest.MonkeyPatch) -> None:
    search = SimpleNamespace(events=lambda: iter([Stopped("limit", 3, 100, 1.0)]))
    monkeypatch.setattr("hoppers.analysis.published_results.parse_search", lambda *arguments: search)
    with pytest.raises(RuntimeError, match="without an answer"):
        run(ENGINE, all_results()[0])
    monkeypatch.setattr("hoppers.cli.commands.published_results.all_results", lambda: all_results()[:1])
    done = CliRunner().invoke(main, ["published"])
    assert (done.exit_code, "without an answer" in done.output) == (1, True)
    assert isinstance(done.exception, SystemExit)


def test_differing_outcome_does_not_agree() -> None:
    first, replace = all_results()[0], msgspec.structs.replace
    assert (first.moves, first.count) == (7, 18) and agrees(first, first)
    assert agrees(first, replace(first, count=None)), "counting was given up"
    assert not agrees(first, replace(first, moves=8))
    assert not agrees(first, replace(first, count=17))
    assert not agrees(first, replace(first, nodes=(*first.nodes[:-1], 1)))
    assert not agrees(first, replace(first, moves=None, unsolvable=True))
    some = PublishedResult("triangle-15", "12", solvable=True)
    assert agrees(some, some) and not agrees(some, replace(some, unsolvable=True))


def test_command_prints_expected_and_measured_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoppers.analysis.published_results.all_results", lambda: all_results()[:3])
    done = CliRunner().invoke(main, ["published"])
    assert done.exit_code == 0
    assert "7 ×18  44,850          7 ×18  44,850" in done.stdout
    assert done.stdout.endswith("3 of 3 agree\n")


def test_command_answers_to_its_earlier_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoppers.analysis.published_results.all_results", lambda: all_results()[:1])
    assert CliRunner().invoke(main, ["classics"]).stdout.endswith("1 of 1 agree\n")
    listed = CliRunner().invoke(main, ["--help"]).stdout
    assert "  published " in listed and "classics" not in listed


def test_long_searches_run_last_or_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = all_results()[:3]
    monkeypatch.setattr(
        "hoppers.analysis.published_results.all_results",
        lambda: (msgspec.structs.replace(first, seconds=9), second, third),
    )
    done = CliRunner().invoke(main, ["published"]).stdout
    assert [line.split()[2] for line in done.splitlines()[1:4]] == ["corners", "best", "deepening"]
    quick = CliRunner().invoke(main, ["published", "--quick"]).stdout
    assert "2 of 2 agree\n1 slow results skipped" in quick


def test_command_fails_if_a_result_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = PublishedResult("flip-it-6", "any", "bb_bbb", moves=7)
    monkeypatch.setattr("hoppers.analysis.published_results.all_results", lambda: (wrong,))
    done = CliRunner().invoke(main, ["published"])
    assert (done.exit_code, "DIFFERS" in done.stdout) == (1, True)
