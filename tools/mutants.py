"""Mutants: faults put into a copy of the program, one at a time, that the browser tests must detect.

python -m tools.mutants               run all mutants; each takes about a minute
python -m tools.mutants wrong-hint    run the named ones

A mutant is killed if every test named for it fails. The command ends with an error if a mutant survives, if
the tests fail without a mutant, or if the text that a mutant replaces does not occur exactly once.

No mutant may change a kernel: machine code is taken from the cache of the unchanged program.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests import ROOT

HINTS = "tests/browser/answers/test_hints_and_solutions.py"
COUNTS = "tests/browser/answers/test_counts_and_rows.py"
EIGHT_MOVES = "[[0, 6], [2, 0], [9, 3], [0, 6], [11, 1], [10, 0, 2, 6], [8, 4], [12, 2, 6]]"
"""A solution of Hoppers with one move more than necessary."""
LEFT_BEHIND = {"answers", "machine-code", "mypy"}
"""Cache folders that the mutants do not get; of machine code, they get only that of this version."""
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "node_modules", ".mypy_cache", ".*_cache", "__pycache__")


class Mutant(NamedTuple):
    """A replacement of source text, and the tests that must then fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


POSITIONS = "server/hoppers/web/api/positions.py"
COUNT = "(question: Question, limit: int) -> Generator[Progress, None, int | None]:\n"
MUTANTS = [
    Mutant(
        "wrong-hint",  # the hint is the last legal step
        POSITIONS,
        "    verdict, move = verdicts.hint(parsed.puzzle, parsed.goal, parsed.position)\n",
        "    verdict, move = verdicts.hint(parsed.puzzle, parsed.goal, parsed.position)\n"
        "    for last in list(parsed.puzzle.legal_steps(parsed.position))[-1:]:\n"
        "        move = [last.origin, last.target]\n",
        (
            f"{HINTS}::test_hint_after_hint_needs_the_fewest_moves[eight-puzzle 867254301 123456780]",
            f"{HINTS}::test_hint_after_hint_needs_the_fewest_moves[hoppers ..oo..o.o.oo.:6 6]",
        ),
    ),
    Mutant(
        "long-solution",  # Hoppers is solved in eight moves
        POSITIONS,
        "    response = jsonify(fields)\n",
        '    if len(fields.get("moves", ())) == 7:\n'
        f'        fields["moves"] = {EIGHT_MOVES}\n'
        "    response = jsonify(fields)\n",
        (f"{HINTS}::test_solution_has_the_fewest_moves[hoppers oooooo.oooooo 6]",),
    ),
    Mutant(
        "fallback-bound",  # a weaker bound replaces the pattern databases
        "server/hoppers/puzzles/sliding/pattern_source.py",
        "    least = pattern_bound(patterns, root.state)\n",
        "    from hoppers.puzzles.sliding.lower_bounds import METHODS\n\n"
        '    yield from METHODS["walking-distance"].search(question)\n    return\n'
        "    least = pattern_bound(patterns, root.state)\n",
        (f"{COUNTS}::test_rows_have_the_nodes_of_the_engine[fifteen-puzzle best]",),
    ),
    Mutant(
        "missing-count",  # the list of all solutions has no count
        POSITIONS,
        '{**asdict(found), "next"',
        '{**asdict(found), "count": None, "next"',
        (f"{COUNTS}::test_all_solutions_are_as_many_as_in_the_atlas[hoppers oooooo.oooooo 6]",),
    ),
    Mutant(
        "missing-count-of-a-search",
        "server/hoppers/analysis/known_answers.py",
        f"def count_solutions{COUNT}",
        f"def count_solutions{COUNT}    yield Progress(limit, 0, 0.0)\n    return None\n\n\n"
        f"def unused{COUNT}",
        (f"{COUNTS}::test_search_counts_all_solutions_each_time[best-hoppers oo..oo..ooooo 6]",),
    ),
    Mutant(
        "stale-verdict",  # a response has the verdict of the previous request
        POSITIONS,
        "        return cacheable_json(graded_fields(parsed))\n",
        "        fields = graded_fields(parsed)\n"
        '        first = {"verdict": "live", "moves_left": 1}\n'
        '        answers = vars(parsed.puzzle.engine).setdefault("earlier", [first])\n'
        "        answers.append(fields)\n"
        "        return cacheable_json({**fields, **{name: answers[-2][name] for name in first}})\n",
        (f"{HINTS}::test_verdict_is_that_of_the_position_on_the_board[hoppers ..oo..o.o.oo.:6 6]",),
    ),
    Mutant(
        "stale-verdict-on-the-page",
        "static/play/status.js",
        "known);\n    const now = positionAt(line);\n",
        "known);\n    const now = positionAt(line, Math.max(0, line.at - 1));\n",
        (f"{HINTS}::test_verdict_is_that_of_the_position_on_the_board[hoppers ..oo..o.o.oo.:6 6]",),
    ),
]


class Outcome(NamedTuple):
    """Numbers of failed tests, of all tests, and of tests with an error in a fixture, in one run."""

    failed: int
    tests: int
    errors: int


def main(names: list[str]) -> None:
    """Run the mutants `names`, or all; exit with an error if one survives or tests fail without a mutant."""
    unknown = set(names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        sys.exit(f"no mutant {', '.join(sorted(unknown))}; there are {', '.join(m.name for m in MUTANTS)}")
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    for mutant in chosen:
        check_text(mutant)
    with tempfile.TemporaryDirectory() as folder, private_cache() as cache:
        tree = Path(folder, "copy")
        copy_tree(tree)
        every = run_tests(tree, cache, sorted({test for mutant in chosen for test in mutant.tests}))
        print(f"without a mutant: {every.tests} tests, {every.failed + every.errors} fail", flush=True)
        survivors = [mutant.name for mutant in chosen if not is_killed(mutant, tree, cache)]
    if survivors or every.failed or every.errors:
        sys.exit(f"survived: {', '.join(survivors) or 'none'}; without a mutant: {every}")


def check_text(mutant: Mutant) -> None:
    """Exit unless the text that the mutant replaces occurs exactly once."""
    found = (ROOT / mutant.file).read_text().count(mutant.old)
    if found != 1:
        sys.exit(
            f"{mutant.name}: its text occurs {found} times in {mutant.file}; mend it in tools/mutants.py"
        )


def copy_tree(tree: Path) -> None:
    """Copy the clone to `tree`, with symbolic links to its `.venv` and `node_modules`."""
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT, symlinks=True)
    for installed in (".venv", "node_modules"):
        if (ROOT / installed).exists():
            (tree / installed).symlink_to((ROOT / installed).resolve())


@contextmanager
def private_cache() -> Iterator[Path]:
    """Provide a new cache folder with hard links to the files of the usual one, except stored answers.

    Answers computed by a mutant must not get into the usual cache.
    """
    from hoppers.core.kernels import MACHINE_CODE
    from hoppers.runtime.cache_folder import cache_folder

    usual = cache_folder()
    with tempfile.TemporaryDirectory(dir=usual.parent) as folder:
        kept = (entry for entry in usual.iterdir() if entry.is_dir() and entry.name not in LEFT_BEHIND)
        for part in (MACHINE_CODE.folder, *kept):
            shutil.copytree(part, Path(folder, part.relative_to(usual)), copy_function=link)
        yield Path(folder)


def link(source: str, target: str) -> None:
    """Create a hard link, or a copy if the file system has no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def is_killed(mutant: Mutant, tree: Path, cache: Path) -> bool:
    """Put a mutant into the copy, run its tests, take it out again, and return whether all tests failed."""
    path = tree / mutant.file
    sound = path.read_text()
    path.write_text(sound.replace(mutant.old, mutant.new))
    try:
        share_machine_code(tree, cache)
        outcome = run_tests(tree, cache, list(mutant.tests))
    finally:
        path.write_text(sound)
    killed = outcome.failed == outcome.tests > 0
    word = "killed" if killed else "SURVIVED"
    print(f"{mutant.name}: {word}, {outcome.failed} of {outcome.tests} tests failed", flush=True)
    return killed


def share_machine_code(tree: Path, cache: Path) -> None:
    """Link the machine code of the unchanged program under the digest of the mutant's sources."""
    code = "from hoppers.core.machine_code import SOURCES_DIGEST; print(SOURCES_DIGEST)"
    sound, changed = (
        subprocess.check_output([sys.executable, "-c", code], env=environment(at, cache), text=True).strip()
        for at in (ROOT, tree)
    )
    folder = cache / "machine-code"
    if changed != sound:
        with suppress(FileNotFoundError):
            shutil.rmtree(folder / changed)
        shutil.copytree(folder / sound, folder / changed, copy_function=link)


def environment(tree: Path, cache: Path) -> dict[str, str]:
    """Return the environment variables that run the program in `tree` with the cache folder `cache`."""
    own = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(tree / "server"), str(tree), *([own] if own else [])])
    return {**os.environ, "PYTHONPATH": path, "HOPPERS_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}


def run_tests(tree: Path, cache: Path, tests: list[str]) -> Outcome:
    """Run tests in the copy; return their numbers, or exit with pytest's output after an error."""
    report = tree / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "--reruns=0", "--tb=line", f"--junitxml={report}"]
    report.unlink(missing_ok=True)
    settings = environment(tree, cache)
    done = subprocess.run([*command, *tests], cwd=tree, env=settings, capture_output=True, text=True)
    if not report.exists():
        sys.exit(done.stdout + done.stderr)
    suite = ElementTree.parse(report).getroot()[0]
    failed, tests_run, errors = (int(suite.get(name, 0)) for name in ("failures", "tests", "errors"))
    if errors:
        sys.exit(done.stdout + done.stderr)
    return Outcome(failed, tests_run, errors)


if __name__ == "__main__":
    main(sys.argv[1:])
