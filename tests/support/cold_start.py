"""Applications in the state before their kernels are compiled."""

import msgspec
from flask import Flask

from hoppers.core.puzzle import Puzzle
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.tablebase.engine import Engine


def cold(app: Flask, *puzzles: Puzzle) -> Warmup:
    """Put an application into its state before the warm-up of `puzzles`; return the warm-up, not started.

    No request waits for the warm-up.
    """
    engine: Engine = app.extensions["engine"]
    ids = [puzzle.id for puzzle in puzzles]
    engine.defer_kernels(ids)
    warmup = Warmup(engine, searches=False)
    warmup._ids = ids
    vars(warmup)["wait"] = lambda puzzle_id, seconds: warmup.can_answer(puzzle_id)
    put_warmup(app, warmup)
    return warmup


def put_warmup(app: Flask, warmup: Warmup) -> None:
    """Give an application that compiles on demand a warm-up."""
    settings = msgspec.structs.replace(app.extensions["settings"], warm_up=True)
    app.extensions.update(settings=settings, warmup=warmup)
