"""The list of mutants does not rot: every one of them could be made, and what is to catch it is there."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from chaos import checker
from chaos.evidence import Evidence
from chaos.mutants import ROOT, NotSabotaged, has_failed, sabotaged
from chaos.sabotage import MUTANTS, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_made_and_what_must_catch_it_is_there(mutant: Mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")

    assert sabotaged(text, mutant) != text
    assert mutant.promise in promises() if mutant.promise else mutant.seen_by.partition("::")[2] in names_in(mutant)


def test_a_text_that_is_not_there_once_is_an_error():
    mutant = Mutant("two of them", "file", "a", "b", "run:I1")

    with pytest.raises(NotSabotaged):
        sabotaged("a a", mutant)
    with pytest.raises(NotSabotaged):
        sabotaged("", mutant)


def test_only_the_named_test_catches_a_mutant_and_only_by_failing():
    test = "tests/engine/test_claims.py::test_one"

    assert has_failed(f"1 failed\nFAILED {test} - assert 1 == 2\n", test)
    assert has_failed(f"FAILED {test}[ours]\n", test)
    assert not has_failed(f"ERROR {test} - fixture\n1 error\n", test)
    assert not has_failed(f"FAILED {test}_more - assert 1 == 2\n", test)


def test_each_mutant_has_a_name_and_a_sabotage_of_its_own():
    assert len(MUTANTS) >= 12
    assert Counter(mutant.name for mutant in MUTANTS).most_common(1)[0][1] == 1
    assert Counter((mutant.file, mutant.old, mutant.new) for mutant in MUTANTS).most_common(1)[0][1] == 1


def promises() -> set[str]:
    nothing = Evidence(ttl=7.0, lines=[])
    return {examine(nothing).promise for examine in checker.CHECKS}


def names_in(mutant: Mutant) -> set[str]:
    tree = ast.parse(Path(ROOT / mutant.seen_by.partition("::")[0]).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
