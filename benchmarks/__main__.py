"""Benchmarks of Hoppers. For example, `python -m benchmarks front-door kept-answers` runs two of them.

python -m benchmarks --help        list all benchmarks
python -m benchmarks all           run all reports
python -m benchmarks --few NAME    run a shorter version of a slow report
python -m benchmarks load --help   show the options of a load test

Figures of docs/measured.md come from `front-door`, `kept-answers` and `load`; the others measure parts.
Run them on an otherwise idle machine. The rivals need a C compiler.
"""

import sys
from types import ModuleType

try:
    import click

    from benchmarks import front_door
    from benchmarks.players import (
        capacity_model,
        fuzz,
        kept_answers,
        load,
        message_delays,
        random_games,
        request_cost,
    )
    from benchmarks.searches import (
        fifteen_puzzle,
        memory_peak,
        peg_boards,
        proofs,
        race_frames,
        search_memory,
        stop_delay,
        verdict_times,
    )
except ModuleNotFoundError as error:
    sys.exit(
        f"The benchmarks need {error.name}, which comes with the tests: `python3 dev.py test --collect-only` "
        "installs it."
    )

REPORTS: list[ModuleType] = [
    front_door,
    kept_answers,
    request_cost,
    fifteen_puzzle,
    peg_boards,
    proofs,
    memory_peak,
    search_memory,
    verdict_times,
    random_games,
    stop_delay,
    race_frames,
]
"""Modules with a function `report` that yields lines of text."""
WITH_FEW = [proofs, memory_peak, verdict_times, random_games, stop_delay]
"""Reports that have a shorter version."""
LOAD_TESTS: dict[str, click.Command] = {
    "load": load.load,
    "refusal-delay": message_delays.refusal_delay,
    "fleet-stop-delay": message_delays.fleet_stop_delay,
    "fuzz": fuzz.fuzz,
    "capacity-model": capacity_model.capacity_model,
}
"""Commands with options of their own."""


def name_of(module: ModuleType) -> str:
    """Return the name of a report on the command line."""
    return module.__name__.rpartition(".")[2].replace("_", "-")


def first_line(text: str | None) -> str:
    """Return the first line of a docstring."""
    return (text or "").partition("\n")[0]


def list_all() -> None:
    """Print the name and the first line of the docstring of every benchmark."""
    print(__doc__)
    for module in REPORTS:
        print(f"  {name_of(module):20} {first_line(module.__doc__)}")
    for name, command in LOAD_TESTS.items():
        print(f"  {name:20} {first_line(command.help)}")


def run_reports(names: set[str], few: bool) -> None:
    """Run the reports with these names ("all": every report), in the shorter version if `few`."""
    unknown = names - {"all", *map(name_of, REPORTS)}
    if unknown:
        sys.exit(f"no benchmark {', '.join(sorted(unknown))}; `python -m benchmarks` lists all")
    for module in REPORTS:
        if "all" in names or name_of(module) in names:
            for line in module.report(**({"few": True} if few and module in WITH_FEW else {})):
                print(line, flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments and arguments[0] in LOAD_TESTS:
        LOAD_TESTS[arguments[0]](arguments[1:], prog_name=f"python -m benchmarks {arguments[0]}")
    elif names := {name for name in arguments if name not in ("--few", "--help", "-h")}:
        run_reports(names, "--few" in arguments)
    else:
        list_all()
