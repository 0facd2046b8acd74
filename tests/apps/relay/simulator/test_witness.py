"""The simulators are witnesses: they share no code with the relay they watch."""

import re

from tests.architecture.source import PROJECT, files

ROOM = "src/pabal/apps/relay/simulator"
_OF_APPS = re.compile(r"\bpabal\.apps\.(?!relay\.simulator\b)")


def test_the_simulators_import_nothing_of_any_app_but_themselves() -> None:
    modules = list(files(PROJECT, "*.py", folders=(ROOM,)))

    assert modules
    assert [one.name for one in modules if _OF_APPS.search(one.read_text(encoding="utf-8"))] == []
