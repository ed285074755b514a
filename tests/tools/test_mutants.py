"""The mutants of `python -m tools.mutants` fit the sources; running them takes minutes."""

import pytest

from tests import ROOT
from tools.mutants import MUTANTS, Mutant

each_mutant = pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])


@each_mutant
def test_replaced_text_occurs_once(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text().count(mutant.old) == 1
    assert mutant.new != mutant.old


@each_mutant
def test_tests_that_must_fail_exist(mutant: Mutant) -> None:
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text()
