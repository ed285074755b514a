"""Benchmarks of Hoppers. For example, `python -m benchmarks front-door kept-answers` runs two of them.

python -m benchmarks --help        list all benchmarks
python -m benchmarks all           run all reports
python -m benchmarks load --help   show the options of the load test

Figures of docs/figures.md come from these. Run them on an otherwise idle machine. The rivals need a C
compiler.
"""

import sys
from types import ModuleType

try:
    from benchmarks import front_door, kept_answers, proofs
    from benchmarks.load import load
except ModuleNotFoundError as error:
    sys.exit(
        f"The benchmarks need {error.name}, which comes with the tests: `python3 dev.py test --collect-only` "
        "installs it."
    )

REPORTS: list[ModuleType] = [front_door, kept_answers, proofs]
"""Modules with a function `report` that yields lines of text."""


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
    print(f"  {'load':20} {first_line(load.help)}")


def run_reports(names: set[str]) -> None:
    """Run the reports with these names ("all": every report)."""
    unknown = names - {"all", *map(name_of, REPORTS)}
    if unknown:
        sys.exit(f"no benchmark {', '.join(sorted(unknown))}; `python -m benchmarks` lists all")
    for module in REPORTS:
        if "all" in names or name_of(module) in names:
            for line in module.report():
                print(line, flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["load"]:
        load(arguments[1:], prog_name="python -m benchmarks load")
    elif not arguments or {"--help", "-h"} & set(arguments):
        list_all()
    else:
        run_reports(set(arguments))
