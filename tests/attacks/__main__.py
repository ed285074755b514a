"""Attack a server with random inputs: `python -m tests.attacks --inputs 100000 --seed 7`.

A server as users run it gets HTTP requests, messages, frames and polls from several addresses. The exit
status is 1 if a response, a search, the log or the memory is not as it must be. The suite runs a short form.
"""

import asyncio
import random
import time
from collections import Counter

import click

from tests.attacks.attack import PATIENCE_SECONDS, attack, faults_in_log
from tests.support import asyncio_client
from tests.support.child_server import memory, started, wait_until_warm

SETTINGS = {
    "HOPPERS_API_RATE": "1000000 per second",
    "HOPPERS_MESSAGES_PER_SECOND": "100000",
    "HOPPERS_MESSAGES_AT_ONCE": "100000",
    "HOPPERS_SEARCH_SECONDS": "1",
    "HOPPERS_RESPONSE_CACHE_BYTES": "1000000",
}
"""Settings of the server: no rate limits, which would hide faults, a short time limit for searches, and a
small cache of responses, which is full after the first part."""
PARTS = 10  # memory is read after each
READINGS = 5  # of the memory, a second apart; the least counts
MIN_INPUTS = 1_000  # inputs per part that fill the caches; memory is not checked in shorter runs
MAX_GROWTH = 40  # MB that all processes together may grow after the first part
SHOWN = 20  # faults


def resting_memory(pid: int) -> tuple[float, float]:
    """Return the MB of a process and of its descendants while none of them draws a picture."""
    readings = [memory(pid)]
    for _ in range(READINGS - 1):
        time.sleep(1)
        readings.append(memory(pid))
    return min(readings, key=sum)


@click.command(help=__doc__)
@click.option("--inputs", default=100_000, show_default=True)
@click.option("--seed", type=int, help="Equal seeds draw equal inputs; a random one by default.")
def main(inputs: int, seed: int | None) -> None:
    """Attack a server, print what happened, and exit with status 1 on a fault."""
    seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    asyncio_client.TIMEOUT_SECONDS = PATIENCE_SECONDS
    click.echo(f"{inputs} inputs of the seed {seed}")
    log: list[str] = []
    seen, faults, sizes, began = Counter[str](), list[str](), list[float](), time.perf_counter()
    command = "hoppers", "serve", "--log", "json", "--port", "0"
    with started(*command, settings=SETTINGS, on_line=log.append) as (at, pid):
        wait_until_warm(at)
        for part in range(PARTS):
            outcome = asyncio.run(attack(at, inputs // PARTS, f"{seed} {part}"))
            seen.update(outcome.seen)
            faults += outcome.faults
            own, others = resting_memory(pid)
            sizes.append(own + others)
            click.echo(
                f"{part + 1:2} of {PARTS}: {time.perf_counter() - began:5.0f} s   server {own:4.0f} MB   "
                f"other processes {others:4.0f} MB   {len(faults)} faults"
            )
        wait_until_warm(at)  # it is alive, and so is its worker process
    if inputs // PARTS >= MIN_INPUTS and sizes[-1] > sizes[0] + MAX_GROWTH:
        faults.append(f"memory grew from {sizes[0]:.0f} to {sizes[-1]:.0f} MB")
    faults += [f"in the log: {line[:2_000]}" for line in faults_in_log(log)]
    click.echo(f"{len(log)} lines of the log; " + ", ".join(f"{seen[name]} {name}" for name in sorted(seen)))
    click.echo("\n".join([f"{len(faults)} faults", *faults[:SHOWN]]))
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main(prog_name="python -m tests.attacks")
