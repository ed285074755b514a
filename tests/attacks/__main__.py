"""Attack a server: `python -m tests.attacks --inputs 100000 --seed 7`.

A server as users run it gets HTTP requests, messages, frames and polls from several addresses, drawn at
random; another one meets clients that take more than their share, while innocent bystanders play. The exit
status is 1 if a response, a search, the log or the memory is not as it must be, or a bystander has noticed
too much. The suite runs a short form.
"""

import asyncio
import random
import sys
import time
from collections import Counter

import click

from benchmarks.right_answers import boards
from tests.attacks.attack import PATIENCE_SECONDS, attack, faults_in_log
from tests.attacks.bystander import slowest
from tests.attacks.greed import GREEDS, calm, meet, meet_frozen_redis
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
SHOWN, SHOWN_EACH = 20, 5  # faults, in all and of each attack by greed


def resting_memory(pid: int) -> tuple[float, float]:
    """Return the MB of a process and of its descendants while none of them draws a picture."""
    readings = [memory(pid)]
    for _ in range(READINGS - 1):
        time.sleep(1)
        readings.append(memory(pid))
    return min(readings, key=sum)


@click.command(help=__doc__)
@click.option("--inputs", default=100_000, show_default=True, help="0: only what bystanders notice.")
@click.option("--seed", type=int, help="Equal seeds draw equal inputs; a random one by default.")
@click.option("--python", default=sys.executable, help="Interpreter of the program that is attacked.")
def main(inputs: int, seed: int | None, python: str) -> None:
    """Attack a server, print what happened, and exit with status 1 on a fault."""
    asyncio_client.TIMEOUT_SECONDS = PATIENCE_SECONDS
    boards()  # solved before the clock runs
    seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    faults = send_inputs(inputs, seed, python) if inputs else []
    faults += take_more_than_a_share(python)
    click.echo("\n".join([f"{len(faults)} faults", *faults[:SHOWN]]))
    raise SystemExit(bool(faults))


def take_more_than_a_share(python: str) -> list[str]:
    """Attack a server by greed while bystanders play; return what they noticed."""
    faults: list[str] = []
    with started("hoppers", "serve", "--host", "::", "--port", "0", python=python) as ((host, port), _):
        wait_until_warm((host, port))
        quiet = slowest(asyncio.run(calm(port)))
        click.echo("calm: " + ", ".join(f"{kind} {seconds:.2f} s" for kind, seconds in quiet.items()))
        for greed in GREEDS:
            noticed = asyncio.run(meet(port, greed, quiet))
            click.echo("\n  ".join([f"{greed.name}: {len(noticed)} faults", *noticed[:SHOWN_EACH]]))
            faults += noticed
    noticed = meet_frozen_redis(python)
    click.echo("\n  ".join([f"frozen Redis: {len(noticed)} faults", *noticed[:SHOWN_EACH]]))
    return faults + noticed


def send_inputs(inputs: int, seed: int, python: str) -> list[str]:
    """Send random inputs to a server; return the faults."""
    click.echo(f"{inputs} inputs of the seed {seed}")
    log: list[str] = []
    seen, faults, sizes, began = Counter[str](), list[str](), list[float](), time.perf_counter()
    command = "hoppers", "serve", "--log", "json", "--port", "0"
    with started(*command, settings=SETTINGS, on_line=log.append, python=python) as (at, pid):
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
        wait_until_warm(at)  # it is alive
    if inputs // PARTS >= MIN_INPUTS and sizes[-1] > sizes[0] + MAX_GROWTH:
        faults.append(f"memory grew from {sizes[0]:.0f} to {sizes[-1]:.0f} MB")
    faults += [f"in the log: {line[:2_000]}" for line in faults_in_log(log)]
    click.echo(f"{len(log)} lines of the log; " + ", ".join(f"{seen[name]} {name}" for name in sorted(seen)))
    return faults


if __name__ == "__main__":
    main(prog_name="python -m tests.attacks")
