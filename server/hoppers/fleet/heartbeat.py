"""Signs of life: how often workers give them, and after how many looks without one they count as lost.

Redis forgets a sign after as long as `MISSED_BEATS` take. So nobody's clock decides: who looks every
`ROUND_SECONDS` has noticed it with the `MOST_LOOKS`th look after the last new sign, at the latest.
"""

import math
from typing import NamedTuple

BEAT_SECONDS = 0.5
"""Between two signs of life."""
MISSED_BEATS = 6
"""In a row; who has missed as many is lost."""
ALIVE_MILLISECONDS = round(1000 * MISSED_BEATS * BEAT_SECONDS)
"""For which a worker or server counts as alive after a sign of life."""
ROUND_SECONDS = 0.5
"""At least, between two looks of one server."""
MOST_LOOKS = math.ceil(ALIVE_MILLISECONDS / 1000 / ROUND_SECONDS)


class Sign(NamedTuple):
    """What one server knows of a worker's life."""

    beat: str | None
    """Its last sign, which is another each time; None: it is lost."""
    looks: int
    """Since that sign was new."""


def after_look(before: Sign | None, beat: str | None) -> Sign:
    """What is known after one look more, which has found this sign, or none."""
    if beat is not None and (before is None or before.beat != beat):
        return Sign(beat, 0)
    return Sign(beat, 1 if before is None else before.looks + 1)
