"""List of all atlas sections, in order."""

from hoppers.atlas import flip_it_results, peg_results, sliding_results, start_results
from hoppers.atlas.results import Effort, Section
from hoppers.tablebase.engine import Engine

EFFORT = Effort()


def sections(engine: Engine, effort: Effort = EFFORT) -> list[Section]:
    """Return all sections, in the order of the atlas."""
    return [
        *peg_results.sections(engine, effort),
        start_results.section(engine),
        sliding_results.section(),
        flip_it_results.section(),
    ]
