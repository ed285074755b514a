"""The numbers of goals beside the starts of a board: fresh after every change, and kept once."""

from hoppers.web.pages import goals
from tests.conftest import MakeApp
from tests.support.engine import PUZZLES

SPARSE = next(puzzle for puzzle in PUZZLES.values() if len(puzzle.starts) > 1 and len(puzzle.rules.goals) > 1)


def test_a_change_of_the_bounds_replaces_the_numbers(make_app: MakeApp) -> None:
    with make_app().test_request_context():
        before = goals.start_labels(SPARSE)
        kept = len(vars(SPARSE)["_results"])
        for _ in range(3):
            vars(SPARSE.engine.bounds)["_records"].changes += 1
            assert goals.start_labels(SPARSE) == before
        assert len(vars(SPARSE)["_results"]) == kept
