"""An earlier atlas, whose solutions of some problems are not proved shortest, for tests of such results."""

import pytest

from hoppers.tablebase import atlas_data
from hoppers.tablebase.atlas_data import Atlas, KnownResult

FROM_1_TO_3 = (
    "3-1.12-2.0-6.14-12-2.8-6.30-14.15-13.24-22.28-30.31-29.38-28-30.39-29.32-34.19-33-35.25-27."
    "36-34.10-26-28-38.40-34.21-35-33.37-27.2-12-10.4-6.9-11.16-18.30-14-12-10-26-28-12-2.1-3"
)
FROM_6_TO_34 = (
    "0-6.12-2.8-6.21-7.15-13.10-12-14.26-10.9-11.16-18.28-26-10.3-13.4-18.37-27.38-28-26.25-27."
    "36-34.19-21-35.31-29.14-30-28.24-22.39-29.2-12-10-26.1-11.32-18.28-26-10-12-14-30-28-38."
    "40-34"
)
"""Both lines solve a problem of diamond-41 and also the problem with the goal "any"."""

EARLIER = {
    ("diamond-41", "1-3"): KnownResult(False, 26, 22, line=FROM_1_TO_3),
    ("diamond-41", "1-18"): KnownResult(
        False,
        26,
        22,
        line=(
            "3-1.12-2.0-6.10-12-2.8-6.26-10.9-11.16-18.28-26-10-12.1-11.37-27.38-28-26.25-27.36-34."
            "21-35-33.31-29.32-34.14-30-28-38.24-22.12-14.40-34.19-33-35.15-13.39-29.2-12-14-30-28-12-10."
            "4-18"
        ),
    ),
    ("diamond-41", "1-any"): KnownResult(False, 26, 22, line=FROM_1_TO_3),
    ("diamond-41", "6-9"): KnownResult(
        False,
        27,
        22,
        line=(
            "4-6.19-5.1-11.17-19-5.9-11.32-18.33-19-17.16-18.35-33.37-27.21-35.39-29.40-34.23-21-35.8-22."
            "31-29.12-14-30.3-13.36-22.35-33-19-21-23.24-22.5-7-21.0-6.28-30-14.15-13.21-7-5-19-17.25-9"
        ),
    ),
    ("diamond-41", "6-34"): KnownResult(False, 26, 22, line=FROM_6_TO_34),
    ("diamond-41", "6-any"): KnownResult(False, 26, 22, line=FROM_6_TO_34),
    ("french-37", "11-22"): KnownResult(
        False,
        21,
        18,
        line=(
            "9-11.0-10.11-9.8-10.1-11-9.7-5.19-6.2-12.22-8-10.21-19-6-4.33-20.25-27.36-26.14-12.35-25-11."
            "29-31.3-5-18.17-19-32-30.28-26.23-9-11-13-27-25-23.34-24-22"
        ),
    ),
    ("french-37", "11-any"): KnownResult(
        False,
        21,
        18,
        line=(
            "9-11.12-10.14-12.27-13-11-9.2-12.0-10.25-27.36-26.33-20.17-4-6.8-10.7-5.35-25-11-13.29-31."
            "28-14-12.1-11-13-27-25.15-17-30.22-24-26.34-24.19-32-30-17-4.3-5"
        ),
    ),
}
"""(board, problem) -> result in the earlier atlas."""


def earlier_atlas() -> Atlas:
    """Return the atlas with the results in EARLIER in place of their proofs."""
    atlas = atlas_data.load_atlas()
    boards = {board: {**entries} for board, entries in atlas.boards.items()}
    for (board, problem), entry in EARLIER.items():
        boards[board][problem] = entry
    return Atlas(atlas.version, boards, atlas.starts)


@pytest.fixture
def unproved_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let applications and engines that the test creates read the earlier atlas."""
    earlier = earlier_atlas()
    monkeypatch.setattr(atlas_data, "load_atlas", lambda: earlier)
