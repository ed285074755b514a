"""Every published result comes out again."""

import pytest
from click.testing import CliRunner

from server.classics import Classic, Outcome, agrees, classics, run
from server.commands import main


def name(classic: Classic) -> str:
    return f"{classic.puzzle}-{classic.method}-{classic.first_move or classic.goal}-{classic.farthest}"


MOST_NODES = 10**9
"""What enters more takes over a minute; `python -m server classics --slow` runs that too."""


@pytest.mark.parametrize(
    "classic",
    [
        pytest.param(classic, marks=[pytest.mark.slow] * classic.slow, id=name(classic))
        for classic in classics()
        if (classic.total or 0) < MOST_NODES
    ],
)
def test_what_was_published_comes_out(classic: Classic) -> None:
    outcome = run(classic)
    assert agrees(classic, outcome), outcome


def test_what_differs_is_seen() -> None:
    first = classics()[0]
    assert agrees(first, Outcome(7, 18, first.nodes, 0.0))
    assert not agrees(first, Outcome(8, 18, first.nodes, 0.0))
    assert not agrees(first, Outcome(7, 17, first.nodes, 0.0))
    assert not agrees(first, Outcome(7, 18, (*first.nodes[:-1], 1), 0.0))


def test_the_command_prints_both_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.classics.classics", lambda: classics()[:3])
    done = CliRunner().invoke(main, ["classics"])
    assert done.exit_code == 0
    assert "7 ×18  44,850          7 ×18  44,850" in done.stdout
    assert done.stdout.endswith("3 of 3 agree\n")


def test_the_command_fails_where_one_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Classic("flip-it-6", "any", "bb_bbb", moves=7)
    monkeypatch.setattr("server.classics.classics", lambda: (wrong,))
    done = CliRunner().invoke(main, ["classics"])
    assert (done.exit_code, "DIFFERS" in done.stdout) == (1, True)
